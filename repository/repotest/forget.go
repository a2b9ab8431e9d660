package repotest

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"wake/domain"
	"wake/repository"
)

func testForget(t *testing.T, fresh Fresh) {
	run(t, fresh, map[string]func(*testing.T, repository.Store){
		"Hidden":  testHidden,
		"Restore": testRestore,
		"Erase":   testErase,
		"Project": testEraseProject,
		"CleanUp": testCleanUp,
	})
}

func forget(t testing.TB, s repository.Store, minute int, ks ...int) {
	t.Helper()
	do(t, s, func(ctx context.Context, tx repository.Tx) error {
		return tx.ForgetContexts(ctx, idList(ks...), at(minute))
	})
}

// What was forgotten is in no answer but that for forgotten ones.
func testHidden(t *testing.T, s repository.Store) {
	saveSome(t, s, 3)
	do(t, s, func(ctx context.Context, tx repository.Tx) error {
		return tx.QueueSummaries(ctx, []domain.SummaryJob{{ContextID: id(2)}})
	})
	forget(t, s, 10, 2, 99)
	forget(t, s, 20, 2)
	ctx := t.Context()
	if got := must(s.ContextsByID(ctx, idList(1, 2, 3), false))(t); !cmp.Equal(ids(got), idList(1, 3)) {
		t.Errorf("by id: %v", ids(got))
	}
	if got := must(s.ContextsByN(ctx, []int64{2}, false, time.Time{}))(t); len(got) != 0 {
		t.Error("found by number")
	}
	if got := must(s.ContextsByN(ctx, []int64{3, 2}, false, at(9)))(t); !cmp.Equal(ids(got), idList(3, 2)) {
		t.Errorf("by number, before it was forgotten: %v", ids(got))
	}
	_, err := s.ContextByHash(ctx, "wake", sample(2).ContentHash)
	wantKind(t, err, domain.KindNotFound)
	if got := must(s.DueSummaries(ctx, "", at(99), 10))(t); len(got) != 0 {
		t.Error("waits for a summary")
	}
	gone := must(s.Contexts(ctx, domain.ContextQuery{Forgotten: true}))(t)
	if len(gone) != 1 || gone[0].ID != id(2) || gone[0].DeletedAt != at(10) {
		t.Errorf("forgotten: %+v", gone)
	}
	stats := must(s.Stats(ctx, "", at(99), nil))(t)
	if stats.Contexts != 2 || stats.Forgotten != 1 {
		t.Errorf("counted %d, forgotten %d", stats.Contexts, stats.Forgotten)
	}
	if counts := must(s.Counts(ctx, ""))(t); counts.Contexts != 2 || counts.Forgotten != 1 {
		t.Errorf("counted %+v", counts)
	}
	access(t, s, used(2, 30))
	if got := must(s.AccessLog(ctx, "", 0, 10))(t); len(got) != 0 {
		t.Errorf("a forgotten context was accessed: %+v", got)
	}
}

func testRestore(t *testing.T, s repository.Store) {
	saveSome(t, s, 2)
	want := one(t, s, id(2))
	forget(t, s, 10, 2)
	do(t, s, func(ctx context.Context, tx repository.Tx) error {
		return tx.RestoreContext(ctx, id(2))
	})
	if diff := cmp.Diff(want, one(t, s, id(2))); diff != "" {
		t.Error(diff)
	}
	for _, unknown := range []string{id(1), id(99)} {
		err := try(t, s, func(ctx context.Context, tx repository.Tx) error {
			return tx.RestoreContext(ctx, unknown)
		})
		wantKind(t, err, domain.KindNotFound)
	}
}

// Erasing takes everything of the context; what follows from it has a lost parent.
func testErase(t *testing.T, s repository.Store) {
	saveSome(t, s, 3)
	quoting := link(id(3), id(2), domain.Cause, 6)
	quoting.Reason = "shares the words of both"
	addLinks(t, s, link(id(2), id(1), domain.Cause, 5), quoting)
	access(t, s, used(2, 30))
	do(t, s, func(ctx context.Context, tx repository.Tx) error {
		if err := tx.PutEmbeddings(ctx, []domain.Embedding{{ContextID: id(2), Model: "m", Vector: []float32{1}}}); err != nil {
			return err
		}
		if err := tx.QueueSummaries(ctx, []domain.SummaryJob{{ContextID: id(2)}}); err != nil {
			return err
		}
		learnt := []domain.LearntItem{{ContextN: 2, State: []byte("x")}}
		if err := tx.PutPrediction(ctx, domain.LearntModel{Project: "wake", Watermark: 1, State: []byte("m")}, 0, learnt, at(39)); err != nil {
			return err
		}
		return tx.EraseContext(ctx, id(2), at(40))
	})
	ctx := t.Context()
	do(t, s, func(ctx context.Context, tx repository.Tx) error { // learnt by one who has not heard yet
		learnt := []domain.LearntItem{{ContextN: 2, State: []byte("x")}}
		return tx.PutPrediction(ctx, domain.LearntModel{Project: "wake", Watermark: 2, State: []byte("m")}, 1, learnt, at(41))
	})
	if got := must(s.LearntProjects(ctx))(t); !cmp.Equal(got, []string{"wake"}) {
		t.Errorf("something was learnt of %v", got)
	}
	if got := must(s.PredictionItems(ctx, []int64{2}))(t); len(got) != 0 {
		t.Errorf("what was learnt of it is still there: %v", got)
	}
	if got := list(t, s, domain.ContextQuery{}); !cmp.Equal(got, idList(3, 1)) {
		t.Errorf("left: %v", got)
	}
	if got := findable(t, s); !cmp.Equal(got, idList(1, 3)) {
		t.Errorf("searched: %v", got)
	}
	if got := linksOf(t, s, time.Time{}, id(2)); len(got) != 1 || got[0].From != id(3) || got[0].Reason != "" {
		t.Errorf("links: %+v", got)
	}
	if got := embeddings(t, s, ""); len(got) != 0 {
		t.Error("its vector is still there")
	}
	stats := must(s.Stats(ctx, "", at(50), nil))(t)
	if stats.Queued != 0 || stats.Causality.LostParents != 1 || len(stats.Accesses) != 0 {
		t.Errorf("statistics %+v", stats)
	}
	erase := func(ctx context.Context, tx repository.Tx) error { return tx.EraseContext(ctx, id(2), at(41)) }
	wantKind(t, try(t, s, erase), domain.KindNotFound)
	again := sample(2) // an import may bring it back
	again.ContentHash = "other"
	save(t, s, again)
	do(t, s, erase)
	want := []domain.Tombstone{{N: again.N, ID: id(2), Project: "wake", ContentHash: "other", ErasedAt: at(41)}}
	if diff := cmp.Diff(want, must(s.Tombstones(ctx, "", 0, 10))(t)); diff != "" {
		t.Errorf("what is left of the second: %s", diff)
	}
}

// What was learnt of a project goes with its last context, and no other's.
func testEraseProject(t *testing.T, s repository.Store) {
	other := sample(3)
	other.Project = "other"
	save(t, s, sample(1), sample(2), other)
	do(t, s, func(ctx context.Context, tx repository.Tx) error {
		for _, project := range []string{"other", "wake"} {
			if err := tx.PutPrediction(ctx, domain.LearntModel{Project: project, Watermark: 1, State: []byte("m")}, 0, nil, at(9)); err != nil {
				return err
			}
		}
		return nil
	})
	for k, want := range [][]string{{"other", "wake"}, {"other", "wake"}, {"other"}} {
		if k > 0 {
			do(t, s, func(ctx context.Context, tx repository.Tx) error { return tx.EraseContext(ctx, id(k), at(10)) })
		}
		if got := must(s.LearntProjects(t.Context()))(t); !cmp.Equal(got, want) {
			t.Errorf("with %d contexts of wake erased, something is learnt of %q, want %q", k, got, want)
		}
	}
}

// The clean-up takes what was forgotten before a time, a few at a time, the longest
// forgotten first.
func testCleanUp(t *testing.T, s repository.Store) {
	saveSome(t, s, 5)
	forget(t, s, 10, 2)
	forget(t, s, 9, 3)
	forget(t, s, 8, 5)
	forget(t, s, 15, 4)
	clean := func(limit int) (n int) {
		do(t, s, func(ctx context.Context, tx repository.Tx) (err error) {
			n, err = tx.CleanUp(ctx, at(15), at(45), limit)
			return err
		})
		return n
	}
	for _, want := range []struct {
		n    int
		left []string
	}{{2, idList(4, 2)}, {1, idList(4)}, {0, idList(4)}} {
		if n, left := clean(2), list(t, s, domain.ContextQuery{Forgotten: true}); n != want.n || !cmp.Equal(left, want.left) {
			t.Errorf("erased %d, still forgotten are %v; want %d and %v", n, left, want.n, want.left)
		}
	}
	for _, stone := range must(s.Tombstones(t.Context(), "", 0, 0))(t) {
		if !stone.ErasedAt.Equal(at(45)) {
			t.Errorf("%s was erased at %v, want the time of the clean-up", stone.ID, stone.ErasedAt)
		}
	}
	for more := true; more; {
		more = must(s.Compact(t.Context()))(t)
	}
}
