package memory

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"

	"wake/domain"
)

// Limits of embeddings in a search.
const (
	embedWait   = 1500 * time.Millisecond // for the model; then the search goes on without it
	nearestKept = 50                      // contexts nearest in meaning that become candidates
)

// vector is the embedding of the question, computed once; nil without a model, or if
// the model is unavailable.
func (f *searching) vector(ctx context.Context) []float32 {
	m := f.s.Model
	if f.embedded || m == nil || m.EmbedName() == "" {
		return f.meaning
	}
	f.embedded = true
	f.meaning = f.s.meaning(ctx, m, f.req.Query)
	return f.meaning
}

// meaning is the embedding of a text, nil if that takes too long. In that case the
// request is left to finish, because Ollama stops loading a model when the request for
// it is cancelled, and would start again with each question. Until it has finished, no
// other question waits for the model.
func (s *Service) meaning(ctx context.Context, m Model, text string) []float32 {
	if s.overdue.Load() > 0 {
		return nil
	}
	answer := make(chan []float32, 1)
	go func() {
		vectors, err := m.Embed(context.WithoutCancel(ctx), []string{text})
		if err != nil || len(vectors) == 0 {
			s.Log.Debug("searched without embeddings", "reason", err)
			vectors = [][]float32{nil}
		}
		answer <- vectors[0]
	}()
	late := time.NewTimer(embedWait)
	defer late.Stop()
	select {
	case vector := <-answer:
		return vector
	case <-late.C:
	case <-ctx.Done():
	}
	s.overdue.Add(1)
	go func() {
		<-answer
		s.overdue.Add(-1)
	}()
	return nil
}

// cosines returns the similarity in meaning of the nearest contexts to the question,
// by document; nil if the question has no embedding. A vector of another length is of
// another model, which had the same name once.
func (f *searching) cosines(ctx context.Context, only []int64) map[int64]float64 {
	asked := f.vector(ctx)
	if asked == nil {
		return nil
	}
	var near []nearness
	err := f.s.Store.Embeddings(ctx, f.project, f.s.Model.EmbedName(), func(e domain.Embedding) {
		if _, passes := slices.BinarySearch(only, e.Document); (passes || only == nil) && len(e.Vector) == len(asked) {
			near = append(near, nearness{e.Document, cosine(asked, e.Vector)})
		}
	})
	if err != nil {
		f.s.Log.Warn("embeddings cannot be read", "error", err)
		return nil
	}
	slices.SortFunc(near, func(a, b nearness) int {
		return cmp.Or(cmp.Compare(b.value, a.value), cmp.Compare(b.document, a.document))
	})
	out := make(map[int64]float64, nearestKept)
	for _, n := range near[:min(len(near), nearestKept)] {
		out[n.document] = n.value
	}
	return out
}

// nearness is how close a document is in meaning.
type nearness struct {
	document int64
	value    float64
}

// cosine is the cosine of two vectors of the same length.
func cosine(a, b []float32) float64 {
	var dot, aa, bb float64
	for i := range a {
		x, y := float64(a[i]), float64(b[i])
		dot, aa, bb = dot+x*y, aa+x*x, bb+y*y
	}
	if aa == 0 || bb == 0 {
		return 0
	}
	return dot / math.Sqrt(aa*bb)
}
