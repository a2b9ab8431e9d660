package memory_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"wake/domain"
	"wake/memory"
	"wake/memory/memorytest"
)

// A text that is stored already is not stored again, but takes what it builds on and
// what it replaces from the request.
func TestRepeatedSaveAddsLinks(t *testing.T) {
	t.Parallel()
	s, _ := memorytest.Open(t)
	ctx := context.Background()
	old := save(t, s, memory.SaveRequest{Content: "Rows live in SQLite."}).ID
	cause := save(t, s, memory.SaveRequest{Content: "Three teams write at the same time, which SQLite serialises."}).ID
	basis := save(t, s, memory.SaveRequest{Content: "Somebody has to run a server for it, which is the operations team."}).ID
	again := memory.SaveRequest{Content: "Postgres holds the rows from now on."}
	id := save(t, s, again).ID

	again.CausedBy, again.Dependencies, again.Supersedes = cause, []string{basis}, old
	a := save(t, s, again)
	if !a.Existing || a.ID != id || a.Superseded != old || a.Causality == nil || a.Causality.CausedBy != cause || !slices.Equal(a.Causality.Dependencies, []string{basis}) {
		t.Errorf("it answers %+v", a)
	}
	if got := load(t, s, old); got.SupersededBy != id {
		t.Errorf("the old one is replaced by %q", got.SupersededBy)
	}

	again.Rationale = "SQLite has one writer at a time."
	if a = save(t, s, again); a.Causality.Rationale != again.Rationale {
		t.Errorf("with a reason: %+v", a)
	}
	if found, err := s.Search(ctx, memory.SearchRequest{Query: "one writer at a time"}); err != nil || len(found.Hits) == 0 || found.Hits[0].ID != id {
		t.Errorf("the reason is not found: %+v, %v", found.Hits, err)
	}

	again.CausedBy, again.Supersedes = basis, ""
	a = save(t, s, again)
	if a.Causality.CausedBy != cause || !strings.Contains(strings.Join(a.Notes, "\n"), "another cause") {
		t.Errorf("another cause: %+v", a)
	}
	again.CausedBy, again.Supersedes = "", id
	if _, err := s.Save(ctx, again); domain.KindOf(err) != domain.KindInvalid {
		t.Errorf("it replaces itself: %v", err)
	}
	if _, err := s.Save(ctx, memory.SaveRequest{Content: "Three teams write at the same time, which SQLite serialises.", CausedBy: id}); domain.KindOf(err) != domain.KindInvalid {
		t.Errorf("a cycle: %v", err)
	}
}

// Who decides again what was given up replaces what took its place.
func TestRepeatedSaveGoesBack(t *testing.T) {
	t.Parallel()
	s, _ := memorytest.Open(t)
	first := memory.SaveRequest{Content: "Rows live in SQLite."}
	was := save(t, s, first).ID
	is := save(t, s, memory.SaveRequest{Content: "Postgres holds the rows from now on.", Supersedes: was}).ID

	first.Supersedes = is
	a := save(t, s, first)
	if !a.Existing || a.ID != was || a.Superseded != is {
		t.Errorf("it answers %+v", a)
	}
	if back, gone := load(t, s, was), load(t, s, is); back.SupersededBy != "" || gone.SupersededBy != was {
		t.Errorf("the first is replaced by %q, the second by %q", back.SupersededBy, gone.SupersededBy)
	}
}
