package memory

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"
)

// How embeddings join a search.
const (
	embedWait   = 1500 * time.Millisecond // for the model; without an answer the search goes on without it
	nearestKept = 50                      // contexts nearest in meaning that join the candidates
)

// vector is what the embedding model makes of the question, asked once; nil where
// there is no such model, or it is away.
func (f *finding) vector(ctx context.Context) []float32 {
	m := f.s.Model
	if f.embedded || m == nil || m.EmbedName() == "" {
		return f.meaning
	}
	f.embedded = true
	f.meaning = f.s.meaning(ctx, m, f.req.Query)
	return f.meaning
}

// meaning is what the embedding model makes of a text, nil where it takes too long. It is
// left to finish then: Ollama stops loading a model when the request that it loads it for
// is given up, and would begin anew with each question. Until it has, nobody else waits.
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

// cosines are the likenesses in meaning of the question with the contexts nearest
// to it, by document; nil where the question has no vector.
func (f *finding) cosines(ctx context.Context, only []int64) map[int64]float64 {
	asked := f.vector(ctx)
	if asked == nil {
		return nil
	}
	stored, err := f.s.Store.Embeddings(ctx, f.s.readProject(f.req.Project), f.s.Model.EmbedName())
	if err != nil {
		f.s.Log.Warn("embeddings cannot be read", "error", err)
		return nil
	}
	near := make([]nearness, 0, len(stored))
	for _, e := range stored {
		if only != nil {
			if _, ok := slices.BinarySearch(only, e.Document); !ok {
				continue
			}
		}
		near = append(near, nearness{e.Document, cosine(asked, e.Vector)})
	}
	slices.SortFunc(near, func(a, b nearness) int { return cmp.Compare(b.value, a.value) })
	out := make(map[int64]float64, nearestKept)
	for _, n := range near[:min(len(near), nearestKept)] {
		out[n.document] = n.value
	}
	return out
}

// nearness is how near a document is in meaning.
type nearness struct {
	document int64
	value    float64
}

// cosine of two vectors, 0 where their lengths differ: another model made them.
func cosine(a, b []float32) float64 {
	if len(a) != len(b) {
		return 0
	}
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
