package index_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"wake/recall"
	"wake/recall/index"
)

func rank(t *testing.T, ix *index.Index, question string) []recall.Ranked {
	t.Helper()
	ctx := context.Background()
	scope := must[*index.Scope](t)(ix.Scope(ctx, "p", nil))
	m := must[*recall.Model](t)(recall.DefaultModel())
	return must[[]recall.Ranked](t)(recall.Rank(ctx, scope, m, recall.Understand(question), recall.Options{Now: time.Now()}))
}

func sameRanking(a, b []recall.Ranked) bool {
	return slices.EqualFunc(a, b, func(x, y recall.Ranked) bool {
		return x.Doc.N == y.Doc.N && x.Score == y.Score && slices.Equal(x.Features, y.Features)
	})
}

// However often the words begin anew, and whoever asks meanwhile, the answers stay
// the same.
func TestWordsBeginAnew(t *testing.T) {
	w := newWorld(7)
	for range 2048 {
		w.save("p", 20)
	}
	roomy := index.New(w.store, index.Options{})
	forgetful := index.New(w.store, index.Options{Words: 1, Documents: 1})
	for range 3 {
		for range 100 {
			w.save("p", 20)
		}
		for more := true; more; {
			more = must[bool](t)(forgetful.Maintain(context.Background()))
		}
		var all sync.WaitGroup
		for _, q := range []string{"w1x w500x", "w17x w4x w60x", "w2000x w3x", "where is w33x?"} {
			want := rank(t, roomy, q)
			if len(want) == 0 {
				t.Fatalf("%q finds nothing", q)
			}
			for range 3 {
				all.Go(func() {
					if !sameRanking(rank(t, forgetful, q), want) {
						t.Errorf("%q is answered otherwise with new words", q)
					}
				})
			}
		}
		all.Wait()
	}
}
