package memory_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"wake/domain"
	"wake/memory"
	"wake/memory/memorytest"
)

// What was asked for by id and has no room in the token budget is named, and does not
// count as used.
func TestLoadByIDNamesWhatHasNoRoom(t *testing.T) {
	s, _ := memorytest.Open(t)
	var ids []string
	for _, name := range []string{"first", "second", "third"} {
		ids = append(ids, save(t, s, memory.SaveRequest{Content: name + strings.Repeat(" word", 400)}).ID)
	}
	a, err := s.Load(ctx, memory.LoadRequest{IDs: ids, TokenBudget: 700})
	if err != nil || len(a.Contexts) != 1 {
		t.Fatalf("%d contexts, %v", len(a.Contexts), err)
	}
	if notes := strings.Join(a.Notes, "\n"); !strings.Contains(notes, ids[1]) || !strings.Contains(notes, ids[2]) {
		t.Errorf("the notes do not name what is left out: %q", notes)
	}
	if err := s.Flush(ctx); err != nil {
		t.Fatal(err)
	}
	left, err := s.Store.ContextsByID(ctx, ids[1:], false)
	if err != nil || left[0].Memory.AccessCount+left[1].Memory.AccessCount != 0 {
		t.Errorf("what was not handed back counts as used: %+v %v", left, err)
	}
}

// Filters hold for what is asked for by id too: as of a time it is as it was known then,
// and what does not pass is named, not taken for unknown.
func TestLoadByIDPassesFilters(t *testing.T) {
	s, c := memorytest.Open(t)
	old := save(t, s, memory.SaveRequest{Content: "we deploy on Fridays", Tags: []string{"deploy"}, ActionType: domain.Decision}).ID
	gone := save(t, s, memory.SaveRequest{Content: "the deploy takes an hour"}).ID
	c.Pass(time.Hour)
	then := s.Now()
	c.Pass(time.Hour)
	later := save(t, s, memory.SaveRequest{Content: "we deploy on Mondays", Supersedes: old}).ID
	if _, err := s.Forget(ctx, memory.ForgetRequest{IDs: []string{gone}}); err != nil {
		t.Fatal(err)
	}
	a, err := s.Load(ctx, memory.LoadRequest{IDs: []string{later, old, "nobody", gone}, Filter: memory.Filter{AsOf: then}})
	if err != nil || len(a.Contexts) != 2 || a.Contexts[0].ID != old || a.Contexts[1].ID != gone || a.Contexts[0].SupersededBy != "" || a.Contexts[0].Content == "" {
		t.Fatalf("as of then: %+v, %v", a, err)
	}
	if !slices.Equal(a.Missing, []string{"nobody"}) || len(a.Notes) != 1 || !strings.Contains(a.Notes[0], later) {
		t.Errorf("missing %q, notes %q", a.Missing, a.Notes)
	}
	if a, err = s.Load(ctx, memory.LoadRequest{IDs: []string{old}, Filter: memory.Filter{Tags: []string{"other"}}}); err != nil || len(a.Contexts)+len(a.Missing) != 0 || len(a.Notes) != 1 {
		t.Errorf("another tag: %+v, %v", a, err)
	}
	_, err = s.Load(ctx, memory.LoadRequest{IDs: []string{"nobody"}, Filter: memory.Filter{AsOf: then}})
	refused(t, err, domain.KindNotFound)
}

// Tags are read alike in every mode, and whether they are given or taken away.
func TestTagsAreReadAlike(t *testing.T) {
	s, _ := memorytest.Open(t)
	id := save(t, s, memory.SaveRequest{Content: "the prices are whole cents", Tags: []string{"prices, cents"}}).ID
	for _, mode := range []memory.Mode{memory.ModeRecent, memory.ModeLikely} {
		a, err := s.Load(ctx, memory.LoadRequest{Mode: mode, Filter: memory.Filter{Tags: []string{" prices,cents"}}})
		if err != nil || len(a.Contexts) != 1 {
			t.Errorf("mode %s: %d contexts, want 1 (%v)", mode, len(a.Contexts), err)
		}
	}
	c, err := s.Update(ctx, memory.UpdateRequest{ID: id, RemoveTags: []string{" cents "}})
	if err != nil || !slices.Equal(c.Tags, []string{"prices"}) {
		t.Errorf("tags %q, want prices alone (%v)", c.Tags, err)
	}
}

// A limit or a budget that no answer can have is refused by every list and every
// restore, not read as another one.
func TestLimitsAreRefused(t *testing.T) {
	s, _ := memorytest.Open(t)
	ref := byID(record(t, s, claude, user("hello")).SessionID)
	point, err := s.Checkpoint(ctx, memory.CheckpointRequest{Action: memory.CheckpointCreate, Ref: ref})
	if err != nil {
		t.Fatal(err)
	}
	for _, limit := range []int{-1, 1001} {
		_, err := s.Sessions(ctx, memory.SessionsRequest{Limit: limit})
		refused(t, err, domain.KindInvalid)
		_, err = s.Events(ctx, memory.EventsRequest{Ref: ref, Limit: limit})
		refused(t, err, domain.KindInvalid)
		_, err = s.Checkpoint(ctx, memory.CheckpointRequest{Action: memory.CheckpointList, Ref: ref, Limit: limit})
		refused(t, err, domain.KindInvalid)
		_, err = s.Handoff(ctx, memory.HandoffRequest{Action: memory.HandoffList, Ref: ref, Limit: limit})
		refused(t, err, domain.KindInvalid)
		_, err = s.SessionReport(ctx, memory.ReportRequest{Ref: ref, Format: memory.ReportTimeline, Limit: limit})
		refused(t, err, domain.KindInvalid)
	}
	_, err = s.Checkpoint(ctx, memory.CheckpointRequest{Action: memory.CheckpointRestore, ID: point.ID, TokenBudget: -1})
	refused(t, err, domain.KindInvalid)
}

// What is foreseen is handed out page by page, each context once, whether a limit or a
// budget ends the page.
func TestLoadLikelyPages(t *testing.T) {
	s, c := memorytest.Open(t)
	var want []string
	for i := range 25 {
		tag := []string{"even", "odd"}[i%2]
		id := save(t, s, memory.SaveRequest{Content: fmt.Sprintf("fact %d of the shop", i), Tags: []string{tag}}).ID
		if tag == "even" {
			want = append(want, id)
		}
		c.Pass(time.Minute)
	}
	for _, page := range []memory.LoadRequest{{Limit: 4}, {Limit: 4, TokenBudget: 100}, {Limit: 4, IncludeContent: new(true)}, {Limit: 13}} {
		page.Mode, page.Filter = memory.ModeLikely, memory.Filter{Tags: []string{"even"}}
		var got []string
		for {
			a, err := s.Load(ctx, page)
			if err != nil || len(a.Contexts) == 0 || len(got) > len(want) {
				t.Fatalf("%d contexts after %d, %v", len(a.Contexts), len(got), err)
			}
			for _, c := range a.Contexts {
				got = append(got, c.ID)
			}
			if page.Cursor = a.NextCursor; page.Cursor == "" {
				break
			}
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("limit %d, budget %d: %d contexts, want %d", page.Limit, page.TokenBudget, len(got), len(want))
		}
	}
	first, err := s.Load(ctx, memory.LoadRequest{Mode: memory.ModeLikely, Limit: 4})
	if err != nil || first.NextCursor == "" || strings.ContainsAny(first.NextCursor, " '\"") { // it is pasted into a shell
		t.Fatalf("%q, %v", first.NextCursor, err)
	}
	for _, other := range []memory.LoadRequest{{Mode: memory.ModeRecent, Cursor: first.NextCursor}, {Mode: memory.ModeLikely, Project: "another", Cursor: first.NextCursor}} {
		_, err := s.Load(ctx, other)
		refused(t, err, domain.KindInvalid)
	}
}
