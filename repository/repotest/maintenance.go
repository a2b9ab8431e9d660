package repotest

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"wake/domain"
	"wake/repository"
)

func testMaintenance(t *testing.T, fresh Fresh) {
	run(t, fresh, map[string]func(*testing.T, repository.Store){
		"Sound":   testSound,
		"Repair":  testRepair,
		"Rewrite": testRewrite,
	})
}

// A database in which everything was done once is sound.
func testSound(t *testing.T, s repository.Store) {
	testStats(t, s)
	forget(t, s, 70, 11, 12, 13)
	do(t, s, func(ctx context.Context, tx repository.Tx) error {
		if err := tx.RestoreContext(ctx, id(12)); err != nil {
			return err
		}
		if _, err := tx.UpdateContext(ctx, id(14), at(71), func(c *domain.ContextSnapshot) error {
			c.Tags = []string{"m1", "x"}
			return nil
		}); err != nil {
			return err
		}
		if err := tx.RemoveLinks(ctx, []domain.Link{link(id(3), id(2), domain.Cause, 0)}, at(72)); err != nil {
			return err
		}
		if err := tx.EraseContext(ctx, id(5), at(72)); err != nil {
			return err
		}
		return tx.AddLinks(ctx, []domain.Link{link(id(15), id(16), domain.Supersedes, 73), link(id(17), id(16), domain.Supersedes, 74)})
	})
	steps := 0
	found := must(s.Check(t.Context(), nil, func(done, total int) {
		if steps++; done > total {
			t.Errorf("done %d of %d", done, total)
		}
	}))(t)
	if len(found) != 0 || steps == 0 {
		t.Errorf("found %+v in %d steps", found, steps)
	}
}

// Repair makes the rows of links and tags agree again and loses nothing.
func testRepair(t *testing.T, s repository.Store) {
	varied(t, s)
	forget(t, s, 70, 11)
	before := must(s.Contexts(t.Context(), domain.ContextQuery{WithContent: true}))(t)
	last := 0
	if err := s.Repair(t.Context(), func(done, total int) { last = done }); err != nil {
		t.Fatal(err)
	}
	if got := findable(t, s); len(got) != 29 || last != 30 {
		t.Errorf("%d findable after %d steps", len(got), last)
	}
	if diff := cmp.Diff(before, must(s.Contexts(t.Context(), domain.ContextQuery{WithContent: true}))(t)); diff != "" {
		t.Error(diff)
	}
	if found := must(s.Check(t.Context(), nil, nil))(t); len(found) != 0 {
		t.Errorf("found %+v", found)
	}
}

// A rewrite is owed from the commit that says so until the next rewrite, which does not
// cover what others have erased since it began.
func testRewrite(t *testing.T, s repository.Store) {
	varied(t, s)
	owe := func() { do(t, s, func(ctx context.Context, tx repository.Tx) error { return tx.OweRewrite(ctx) }) }
	rewritten := func(owed, left int) {
		t.Helper()
		if err := s.Rewrite(t.Context(), owed); err != nil {
			t.Fatal(err)
		}
		if got := must(s.RewriteOwed(t.Context()))(t); got != left {
			t.Errorf("after a rewrite of %d, %d are owed, want %d", owed, got, left)
		}
	}
	err := try(t, s, func(ctx context.Context, tx repository.Tx) error {
		if err := tx.OweRewrite(ctx); err != nil {
			return err
		}
		return domain.Conflict("changed our mind")
	})
	if got := must(s.RewriteOwed(t.Context()))(t); domain.KindOf(err) != domain.KindConflict || got != 0 {
		t.Fatalf("%d are owed after a transaction that failed: %v", got, err)
	}
	owe()
	began := must(s.RewriteOwed(t.Context()))(t)
	owe()
	rewritten(began, began+1)
	rewritten(began+1, 0)
	rewritten(began, 0) // a slower process
	owe()
	rewritten(must(s.RewriteOwed(t.Context()))(t), 0)
	if found := must(s.Check(t.Context(), nil, nil))(t); len(found) != 0 {
		t.Errorf("found %+v", found)
	}
}
