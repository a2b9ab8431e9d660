package repotest

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"wake/domain"
	"wake/repository"
)

// testRaces lets goroutines of two stores on one database get into each other's
// way. It means most under the race detector.
func testRaces(t *testing.T, fresh Fresh) {
	t.Run("Writers", func(t *testing.T) { testWriters(t, fresh(t)) })
	t.Run("Snapshot", func(t *testing.T) { testSnapshot(t, fresh(t)) })
	t.Run("Lease", func(t *testing.T) { testLeaseRace(t, fresh(t)) })
	t.Run("Open", func(t *testing.T) { testOpenRace(t, fresh(t)) })
}

// together runs fn n times at once and waits.
func together(n int, fn func(k int)) {
	var wg sync.WaitGroup
	for k := range n {
		wg.Go(func() { fn(k) })
	}
	wg.Wait()
}

// Writers of two stores lose nothing, number without gaps and disturb no reader. None
// has to do its work twice.
func testWriters(t *testing.T, open Open) {
	stores := []repository.Store{open(), open()}
	const writers, each = 8, 10
	var runs atomic.Int64
	together(writers+2, func(w int) {
		s := stores[w%2]
		if w >= writers {
			readALot(t, s)
			return
		}
		for k := range each {
			c := sample(w*each + k + 1)
			err := s.Write(t.Context(), k%2 == 0, func(tx repository.Tx) error {
				runs.Add(1)
				if err := Insert(t.Context(), tx, c); err != nil {
					return err
				}
				return tx.RecordAccesses(t.Context(), []domain.Access{used(w*each+1, k)})
			})
			if err != nil {
				t.Error(err)
			}
		}
	})
	if n := runs.Load(); n != writers*each {
		t.Errorf("%d runs of %d transactions", n, writers*each)
	}
	all := must(stores[0].Contexts(t.Context(), domain.ContextQuery{}))(t)
	numbers := make(map[int64]bool)
	for _, c := range all {
		numbers[c.N] = true
	}
	if len(numbers) != writers*each || !numbers[1] || !numbers[writers*each] {
		t.Errorf("%d contexts with %d numbers, want %d", len(all), len(numbers), writers*each)
	}
	if got := one(t, stores[1], id(1)).Memory.AccessCount; got != each {
		t.Errorf("%d accesses counted, want %d", got, each)
	}
	if got := findable(t, stores[1]); len(got) != writers*each {
		t.Errorf("%d indexed", len(got))
	}
}

func readALot(t *testing.T, s repository.Store) {
	for range 20 {
		if _, err := s.Contexts(t.Context(), domain.ContextQuery{Project: "wake", Limit: 10}); err != nil {
			t.Error(err)
		}
		if _, err := s.DocumentsWhere(t.Context(), domain.DocumentQuery{Project: "wake"}); err != nil {
			t.Error(err)
		}
		if _, err := s.Stats(t.Context(), "", at(0), nil); err != nil {
			t.Error(err)
		}
	}
}

// A question of several statements sees one state: links and contexts agree.
func testSnapshot(t *testing.T, open Open) {
	writer, reader := open(), open()
	saveSome(t, writer, 1)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for k := 2; k <= 60; k++ {
			c := sample(k)
			c.Causality = &domain.Causality{ActionType: domain.ToolUse, CausedBy: id(k - 1)}
			save(t, writer, c)
		}
	}()
	for {
		w, got := walk(t, reader, domain.ChainQuery{ID: id(1), Direction: domain.Effects})
		if len(w.Links) != len(got)-1 {
			t.Errorf("%d contexts and %d links", len(got), len(w.Links))
		}
		select {
		case <-done:
			return
		default:
		}
	}
}

// Of many that want a lease one gets it.
func testLeaseRace(t *testing.T, open Open) {
	stores := []repository.Store{open(), open()}
	var won atomic.Int64
	together(10, func(k int) {
		err := try(t, stores[k%2], func(ctx context.Context, tx repository.Tx) error {
			_, err := tx.TakeLease(ctx, "jobs", fmt.Sprint(k), at(1), time.Minute)
			return err
		})
		switch {
		case err == nil:
			won.Add(1)
		case domain.KindOf(err) != domain.KindConflict:
			t.Error(err)
		}
	})
	if n := won.Load(); n != 1 {
		t.Errorf("%d hold the lease", n)
	}
}

// Many may open a new database at once.
func testOpenRace(t *testing.T, open Open) {
	together(8, func(k int) { save(t, open(), sample(k+1)) })
	if got := list(t, open(), domain.ContextQuery{}); len(got) != 8 {
		t.Errorf("%d contexts", len(got))
	}
}
