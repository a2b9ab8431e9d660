package repotest

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"wake/domain"
	"wake/repository"
)

// gone returns the numbers on the list of removals after the given position, negative
// where the document came back.
func gone(t testing.TB, x repository.SearchIndex, after int64) (out []int64) {
	t.Helper()
	err := x.Removals(t.Context(), after, 100, func(_, n int64, _ string, gone bool) {
		if !gone {
			n = -n
		}
		out = append(out, n)
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Forgetting hides the documents, restoring shows them again, erasing drops them: each
// in its own transaction and reported to every store.
func testDocumentsForgotten(t *testing.T, s repository.Store) {
	saveSome(t, s, 3)
	x := s.SearchIndex(domain.ContextSpace)
	doc := must(s.DocumentOf(t.Context(), domain.DocumentSource{ContextN: 2}))(t).N
	forget(t, s, 5, 2)
	forget(t, s, 6, 2) // again: nothing happens
	if diff := cmp.Diff(idList(1, 3), findable(t, s)); diff != "" {
		t.Error(diff)
	}
	do(t, s, func(ctx context.Context, tx repository.Tx) error {
		return tx.RestoreContext(ctx, id(2))
	})
	if diff := cmp.Diff(idList(1, 2, 3), findable(t, s)); diff != "" {
		t.Error(diff)
	}
	do(t, s, func(ctx context.Context, tx repository.Tx) error { return tx.EraseContext(ctx, id(2), at(7)) })
	if diff := cmp.Diff([]int64{doc, -doc, doc}, gone(t, x, 0)); diff != "" {
		t.Error(diff)
	}
	if rows := rowsOf(t, x, doc); len(rows) > 0 {
		t.Errorf("the document is still there: %v", rows)
	}
	if got := gone(t, s.SearchIndex(domain.MessageSpace), 0); len(got) != 0 {
		t.Errorf("messages have gone: %v", got)
	}
}

// Emptying the index is reported to all stores, and numbers go on rising.
func testClearDocuments(t *testing.T, s repository.Store) {
	saveSome(t, s, 3)
	forget(t, s, 5, 2)
	x := s.SearchIndex(domain.ContextSpace)
	last, removal, version, err := x.State(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if by := must(s.IndexedBy(t.Context()))(t); by != "" {
		t.Errorf("the index was made by %q before anything was noted", by)
	}
	for _, what := range []string{"one", "another"} {
		do(t, s, func(ctx context.Context, tx repository.Tx) error { return tx.NoteIndexedBy(ctx, what) })
		if by := must(s.IndexedBy(t.Context()))(t); by != what {
			t.Errorf("the index was made by %q, want %q", by, what)
		}
	}
	do(t, s, func(ctx context.Context, tx repository.Tx) error { return tx.ClearDocuments(ctx) })
	if got := gone(t, x, removal); !cmp.Equal(got, []int64{domain.AllDocuments}) {
		t.Errorf("told %v", got)
	}
	nowLast, _, nowVersion, err := x.State(t.Context())
	if err != nil || nowLast != 0 || nowVersion <= version {
		t.Errorf("last %d, version %d after %d, %v", nowLast, nowVersion, version, err)
	}
	if n := putDocument(t, s, document(sample(1))); n <= last {
		t.Errorf("number %d was given before: the last was %d", n, last)
	}
}

// Entries of the list of removals are dropped when their document has no row, except
// the last one of a space and the one that says everything was emptied.
func testDropRemovals(t *testing.T, s repository.Store) {
	do(t, s, func(ctx context.Context, tx repository.Tx) error { return tx.ClearDocuments(ctx) })
	opened(t, s, anEvent(1, "one"))
	putDocument(t, s, ofMessage(1))
	saveSome(t, s, 5)
	drop := func(ns ...int64) {
		do(t, s, func(ctx context.Context, tx repository.Tx) error {
			for _, n := range ns {
				if err := tx.DropDocuments(ctx, domain.DocumentSource{ContextN: n}); err != nil {
					return err
				}
			}
			return nil
		})
	}
	forget(t, s, 9, 1)
	drop(2, 3)
	do(t, s, func(ctx context.Context, tx repository.Tx) error {
		return tx.DropDocuments(ctx, domain.DocumentSource{SessionID: "s"})
	})
	x, messages := s.SearchIndex(domain.ContextSpace), s.SearchIndex(domain.MessageSpace)
	removals := func(x repository.SearchIndex, limit int) (ids, ns []int64) {
		err := x.Removals(t.Context(), 0, limit, func(id, n int64, _ string, _ bool) {
			ids, ns = append(ids, id), append(ns, n)
		})
		if err != nil {
			t.Fatal(err)
		}
		return ids, ns
	}
	ids, ns := removals(x, 100)
	if len(ns) != 4 || ns[0] != domain.AllDocuments {
		t.Fatalf("removed: %v", ns)
	}
	if some, _ := removals(x, 2); !cmp.Equal(some, ids[:2]) {
		t.Errorf("two of %v are %v", ids, some)
	}
	if rest := gone(t, x, ids[1]); !cmp.Equal(rest, ns[2:]) {
		t.Errorf("behind the second of %v are %v", ns, rest)
	}
	wantKind(t, x.DropRemovals(t.Context(), versionOf(t, x)+1, ids), domain.KindConflict)
	for _, x := range []repository.SearchIndex{x, messages} {
		if err := x.DropRemovals(t.Context(), versionOf(t, x), ids); err != nil {
			t.Fatal(err)
		}
	}
	if _, left := removals(x, 100); !cmp.Equal(left, []int64{ns[0], ns[1], ns[3]}) {
		t.Errorf("of %v are left %v", ns, left)
	}
	if _, left := removals(messages, 100); len(left) != 2 {
		t.Errorf("messages lost entries of the other space: %v", left)
	}
	_, last, _, err := x.State(t.Context())
	if err != nil || last != ids[3] {
		t.Errorf("the last entry is %d, want %d, %v", last, ids[3], err)
	}
	drop(4)
	if again, _ := removals(x, 100); again[len(again)-1] <= ids[3] {
		t.Errorf("an entry has number %d, the last one before had %d", again[len(again)-1], ids[3])
	}
}
