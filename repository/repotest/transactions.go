package repotest

import (
	"cmp"
	"context"
	"errors"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"wake/domain"
	"wake/repository"
)

func testTransactions(t *testing.T, fresh Fresh) {
	run(t, fresh, map[string]func(*testing.T, repository.Store){
		"OwnChanges": testOwnChanges,
		"Rollback":   testRollback,
		"Panic":      testPanic,
		"Canceled":   testCanceled,
		"Relaxed":    testRelaxed,
		"View":       testView,
	})
	t.Run("Joined", func(t *testing.T) { testJoined(t, fresh(t)) })
	t.Run("Reopen", func(t *testing.T) { testReopen(t, fresh(t)) })
}

// A transaction sees its own changes by the same questions; others see them after
// the commit.
func testOwnChanges(t *testing.T, s repository.Store) {
	do(t, s, func(ctx context.Context, tx repository.Tx) error {
		for k := 1; k <= 3; k++ {
			if err := Insert(ctx, tx, sample(k)); err != nil {
				return err
			}
		}
		if err := tx.AddLinks(ctx, []domain.Link{link(id(2), id(1), domain.Cause, 5)}); err != nil {
			return err
		}
		if got := list(t, tx, domain.ContextQuery{Project: "wake"}); len(got) != 3 {
			t.Errorf("the transaction lists %v", got)
		}
		if got := findable(t, tx); len(got) != 3 {
			t.Errorf("the transaction finds %v", got)
		}
		if _, got := walk(t, tx, domain.ChainQuery{ID: id(2), Direction: domain.Causes}); !gocmp.Equal(got, idList(2, 1)) {
			t.Errorf("the transaction walks to %v", got)
		}
		if got := list(t, s, domain.ContextQuery{}); len(got) != 0 {
			t.Errorf("others see %v before the commit", got)
		}
		return nil
	})
	if got := list(t, s, domain.ContextQuery{}); len(got) != 3 {
		t.Errorf("others see %v after the commit", got)
	}
}

// An error takes everything back and comes out as it was.
func testRollback(t *testing.T, s repository.Store) {
	broken := errors.New("broken")
	err := try(t, s, func(ctx context.Context, tx repository.Tx) error {
		if err := Insert(ctx, tx, sample(1)); err != nil {
			return err
		}
		return broken
	})
	if !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
	nothing(t, s)
	saveSome(t, s, 1)
}

// nothing fails the test when anything was stored.
func nothing(t testing.TB, s repository.Store) {
	t.Helper()
	if got := list(t, s, domain.ContextQuery{}); len(got) != 0 {
		t.Errorf("stored %v", got)
	}
	if got := findable(t, s); len(got) != 0 {
		t.Errorf("indexed %v", got)
	}
}

// A panic takes everything back, and the store goes on.
func testPanic(t *testing.T, s repository.Store) {
	func() {
		defer func() { recover() }()
		try(t, s, func(ctx context.Context, tx repository.Tx) error {
			if err := Insert(ctx, tx, sample(1)); err != nil {
				t.Error(err)
			}
			panic("on purpose")
		})
		t.Error("the panic was swallowed")
	}()
	nothing(t, s)
	saveSome(t, s, 1)
}

// A call whose context is over changes nothing, also in the middle.
func testCanceled(t *testing.T, s repository.Store) {
	ctx, cancel := context.WithCancel(t.Context())
	err := s.Write(ctx, repository.Durable, func(tx repository.Tx) error {
		if err := Insert(ctx, tx, sample(1)); err != nil {
			return err
		}
		cancel()
		return Insert(ctx, tx, sample(2))
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if err := s.Write(ctx, repository.Durable, func(repository.Tx) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if _, err := s.Contexts(ctx, domain.ContextQuery{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	nothing(t, s)
	saveSome(t, s, 1)
}

// Relaxed and durable writes mix.
func testRelaxed(t *testing.T, s repository.Store) {
	for k := 1; k <= 6; k++ {
		err := s.Write(t.Context(), k%2 == 0, func(tx repository.Tx) error {
			return Insert(t.Context(), tx, sample(k))
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if got := list(t, s, domain.ContextQuery{}); len(got) != 6 {
		t.Errorf("stored %v", got)
	}
}

// Of joined writes each succeeds or fails by itself, and is seen here at once; a pause, a
// durable write and Close commit them.
func testJoined(t *testing.T, open Open) {
	s, others := open(), open()
	s.JoinWrites()
	write := func(k int, why error) error {
		return s.Write(t.Context(), repository.Relaxed, func(tx repository.Tx) error {
			return cmp.Or(Insert(t.Context(), tx, sample(k)), why)
		})
	}
	broken := errors.New("broken")
	for k := 1; k <= 4; k++ {
		func() {
			defer func() { recover() }()
			s.Write(t.Context(), repository.Relaxed, func(tx repository.Tx) error {
				Insert(t.Context(), tx, sample(10+k))
				panic("on purpose")
			})
			t.Error("the panic was swallowed")
		}()
		if err := write(20+k, broken); !errors.Is(err, broken) {
			t.Errorf("got %v", err)
		}
		if err := write(k, nil); err != nil {
			t.Error(err)
		}
		wantKind(t, write(k, nil), domain.KindConflict)
		if got := list(t, s, domain.ContextQuery{}); len(got) != k {
			t.Errorf("after write %d there is %v", k, got)
		}
	}
	s.Pause(func() {
		if got := list(t, others, domain.ContextQuery{}); len(got) != 4 {
			t.Errorf("in a pause others see %v", got)
		}
	})
	save(t, s, sample(5))
	if got := list(t, others, domain.ContextQuery{}); len(got) != 5 {
		t.Errorf("after a durable write others see %v", got)
	}
	if err := cmp.Or(write(6, nil), s.Close()); err != nil {
		t.Error(err)
	}
	if got := findable(t, others); len(got) != 6 {
		t.Errorf("after Close others find %v", got)
	}
}

// A view goes on seeing what it saw first, and its connection comes back whatever
// becomes of it.
func testView(t *testing.T, s repository.Store) {
	saveSome(t, s, 1)
	for k := range 10 {
		broken := errors.New("broken")
		func() {
			defer func() { recover() }()
			err := s.View(t.Context(), func(r repository.Reader) error {
				before := list(t, r, domain.ContextQuery{})
				save(t, s, sample(k+2))
				if got := list(t, r, domain.ContextQuery{}); !gocmp.Equal(got, before) {
					t.Errorf("first the view has %v, then %v", before, got)
				}
				if k%2 == 0 {
					panic("on purpose")
				}
				return broken
			})
			if !errors.Is(err, broken) {
				t.Errorf("got %v", err)
			}
		}()
	}
	if got := list(t, s, domain.ContextQuery{}); len(got) != 11 {
		t.Errorf("stored %v", got)
	}
}

// What was written is there when the database is opened again.
func testReopen(t *testing.T, open Open) {
	first := open()
	saveSome(t, first, 2)
	want := one(t, first, id(2))
	second := open()
	if diff := gocmp.Diff(want, one(t, second, id(2))); diff != "" {
		t.Error(diff)
	}
	addLinks(t, second, link(id(2), id(1), domain.Cause, 5))
	if got := linksOf(t, first, time.Time{}, id(1)); len(got) != 1 {
		t.Errorf("the first store sees %v", got)
	}
	info := must(first.Info(t.Context()))(t)
	if info.Engine == "" || info.Address == "" || info.Schema < 1 || info.Size < 1 {
		t.Errorf("info %+v", info)
	}
}
