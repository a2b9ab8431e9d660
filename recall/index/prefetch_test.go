package index_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"wake/recall"
	"wake/recall/index"
	"wake/recall/index/indextest"
)

// trips counts how often chunks are asked for.
type trips struct {
	*indextest.Memory
	n int
}

func (t *trips) Chunk(ctx context.Context, segment, key int64) ([]byte, error) {
	t.n++
	return t.Memory.Chunk(ctx, segment, key)
}

func (t *trips) Chunks(ctx context.Context, segments, keys []int64, take func(segment, key int64, blob []byte)) error {
	t.n++
	return t.Memory.Chunks(ctx, segments, keys, take)
}

// A question asks a database that may be far away a few times for many chunks, not
// for each of them: also the first one, one with an unknown word, one of which much
// was forgotten, and one that a list limits.
func TestFewTrips(t *testing.T) {
	ctx, w := context.Background(), newWorld(5)
	for i := range 12000 {
		w.save(fmt.Sprint("p", i%3), 60)
	}
	ix := index.New(w.store, index.Options{})
	for more := true; more; {
		more = must[bool](t)(ix.Maintain(ctx))
	}
	var only []int64
	for n, d := range w.docs {
		switch n % 13 {
		case 1:
			w.store.Forget(n, d.Project, true)
		case 2:
			only = append(only, n)
		}
	}
	m := must[*recall.Model](t)(recall.DefaultModel())
	q := recall.Understand("w1x w2x of w40x and w300x in w1000x by w2900x with wrongword5")
	for name, c := range map[string]struct {
		project string
		only    []int64
	}{"Project": {"p1", nil}, "All": {"", nil}, "Listed": {"p1", only}} {
		t.Run(name, func(t *testing.T) {
			far := &trips{Memory: w.store}
			scope := must[*index.Scope](t)(index.New(far, index.Options{}).Scope(ctx, c.project, c.only))
			must[[]recall.Ranked](t)(recall.Rank(ctx, scope, m, q, recall.Options{Now: time.Now(), Limit: 20}))
			if far.n > 20 {
				t.Errorf("asked for chunks %d times", far.n)
			}
		})
	}
}
