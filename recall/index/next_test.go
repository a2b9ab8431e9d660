package index_test

import (
	"context"
	"testing"
	"time"

	"wake/recall"
	"wake/recall/index"
	"wake/recall/index/indextest"
)

// slowNext is a store whose answers to Next take until something else has happened.
type slowNext struct {
	*indextest.Memory
	meanwhile func()
}

func (s *slowNext) Next(ctx context.Context, ns []int64) ([]int64, error) {
	next, err := s.Memory.Next(ctx, ns)
	if happens := s.meanwhile; happens != nil {
		s.meanwhile = nil
		happens()
	}
	return next, err
}

// A document that another question reads in the moment in which one looks for it is not
// taken for missing from then on.
func TestNextReadMeanwhile(t *testing.T) {
	ctx := context.Background()
	store := &slowNext{Memory: indextest.NewMemory()}
	save := func(n, prev int64) {
		store.Save(recall.NewDocument(recall.Entry{N: n, Prev: prev, Project: "a", Content: "words", Time: time.Unix(n, 0)}))
	}
	ix := index.New(store, index.Options{})
	save(1, 0)
	scope := must[*index.Scope](t)(ix.Scope(ctx, "a", nil))
	other := make(chan error, 1)
	store.meanwhile = func() {
		save(2, 1)
		go func() {
			_, err := ix.Scope(ctx, "a", nil)
			other <- err
		}()
		select {
		case err := <-other:
			other <- err
		case <-time.After(50 * time.Millisecond): // it waits until this question has its answer
		}
	}
	must[[]int64](t)(scope.Next(ctx, []int64{1}))
	if err := <-other; err != nil {
		t.Fatal(err)
	}
	if next := must[[]int64](t)(scope.Next(ctx, []int64{1})); next[0] != 2 {
		t.Errorf("behind the first document stands %d", next[0])
	}
}
