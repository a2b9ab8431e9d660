package memory_test

import (
	"context"
	"fmt"
	"testing"

	"wake/domain"
	"wake/memory"
	"wake/memory/memorytest"
	"wake/repository"
)

// halfThere is a model whose summaries are unavailable for now, and which refuses to embed
// any text but those given.
type halfThere struct {
	embeds map[string]bool
	asked  map[string]int // how often it was asked for each text
}

func (halfThere) Name() string { return "away" }

func (halfThere) EmbedName() string { return "strict" }

func (halfThere) Summarize(context.Context, string) (domain.Summary, error) {
	return domain.Summary{}, domain.Unavailable("not here yet")
}

func (m halfThere) Embed(_ context.Context, texts []string) ([][]float32, error) {
	if m.asked[texts[0]]++; !m.embeds[texts[0]] {
		return nil, domain.Invalid("refused")
	}
	return [][]float32{{1}}, nil
}

// A text that cannot be embedded goes on waiting for its summary, for which no model was
// there.
func TestRefusedEmbeddingKeepsTheSummaryWaiting(t *testing.T) {
	s, _ := memorytest.Open(t)
	s.Model = halfThere{map[string]bool{"good": true}, map[string]int{}}
	save(t, s, memory.SaveRequest{Content: "good"})
	save(t, s, memory.SaveRequest{Content: "refused"})
	for range 4 {
		a, err := s.Recalculate(ctx, memory.RecalculateRequest{What: "summaries"})
		if err != nil || a.Queued != 2 {
			t.Errorf("%d wait, want 2 (%v)", a.Queued, err)
		}
	}
	embedded(t, s, "strict", 1)
}

// Texts that cannot be embedded do not keep older ones from it. Each is tried once, until
// somebody asks again.
func TestRefusedEmbeddingsLetOlderOnesBeMade(t *testing.T) {
	s, _ := memorytest.Open(t)
	model := halfThere{map[string]bool{"good": true}, map[string]int{}}
	s.Model = model
	save(t, s, memory.SaveRequest{Content: "good"})
	for k := range 45 {
		save(t, s, memory.SaveRequest{Content: fmt.Sprintf("refused %d", k)})
	}
	for range 2 {
		if a, err := s.Recalculate(ctx, memory.RecalculateRequest{What: "summaries"}); err != nil || a.Queued != 46 {
			t.Errorf("%d wait, want 46 (%v)", a.Queued, err)
		}
	}
	embedded(t, s, "strict", 1)
	for text, n := range model.asked {
		if text != "good" && n != 2 {
			t.Errorf("%q was tried %d times, want once each time", text, n)
		}
	}
}

// Vectors of another model that had the same name once are not compared with the question's.
func TestSearchLeavesOutVectorsOfAnotherLength(t *testing.T) {
	s, _ := memorytest.Open(t)
	const question = "xyzzy plugh"
	s.Model = halfThere{map[string]bool{question: true}, map[string]int{}}
	for _, v := range [][]float32{{1, 0}, {}} {
		a := save(t, s, memory.SaveRequest{Content: fmt.Sprintf("Redis holds the sessions for %d hours.", len(v))})
		if err := s.Store.Write(ctx, repository.Durable, func(tx repository.Tx) error {
			return tx.PutEmbeddings(ctx, []domain.Embedding{{ContextID: a.ID, Model: "strict", Vector: v}})
		}); err != nil {
			t.Fatal(err)
		}
	}
	a, err := s.Search(ctx, memory.SearchRequest{Query: question})
	if err != nil || len(a.Hits) > 0 {
		t.Errorf("%+v (%v), want no context", a.Hits, err)
	}
}
