package memory_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

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
	if _, err := s.Save(ctx, again); domain.KindOf(err) != domain.KindInvalid || !strings.Contains(err.Error(), "supersedes takes") {
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

	// Behind what it replaces there may be something newer, of which it knows nothing.
	was = save(t, s, memory.SaveRequest{Content: "Logs go to a file."}).ID
	is = save(t, s, memory.SaveRequest{Content: "Logs go to syslog.", Supersedes: was}).ID
	newer := save(t, s, memory.SaveRequest{Content: "Logs go to the journal.", Supersedes: is}).ID
	a = save(t, s, memory.SaveRequest{Content: "Logs go to a file.", Supersedes: is})
	if back := load(t, s, was); back.SupersededBy != "" || !strings.Contains(strings.Join(a.Notes, "\n"), newer+", which holds beside this one") {
		t.Errorf("the first is replaced by %q; %q", back.SupersededBy, a.Notes)
	}
}

// Whoever explains a context the second time makes a decision of it, with or without a
// cause.
func TestRepeatedSaveDecides(t *testing.T) {
	t.Parallel()
	s, _ := memorytest.Open(t)
	cause := save(t, s, memory.SaveRequest{Content: "Three teams write at the same time."}).ID
	for _, more := range []memory.SaveRequest{
		{Content: "Rows live in SQLite.", CausedBy: cause},
		{Content: "Rows live in Postgres.", CausedBy: cause, Rationale: "it has many writers"},
		{Content: "Rows live in files.", Rationale: "they are few"},
		{Content: "Rows live nowhere."},
	} {
		id := save(t, s, memory.SaveRequest{Content: more.Content}).ID
		more.ActionType = domain.Decision
		save(t, s, more)
		c := load(t, s, id)
		if c.Causality == nil || c.Causality.ActionType != domain.Decision || c.Causality.CausedBy != more.CausedBy || c.Causality.Rationale != more.Rationale || c.Kind != domain.Semantic {
			t.Errorf("%s: %+v, %s", more.Content, c.Causality, c.Kind)
		}
	}
}

// An explained context is a conversation only for want of another word, so a repeated save
// can say what it is. What somebody called it stays, and the answer says so.
func TestRepeatedSaveNamesTheAction(t *testing.T) {
	t.Parallel()
	s, _ := memorytest.Open(t)
	again := memory.SaveRequest{Content: "Rows live in files.", Rationale: "they are few"}
	id := save(t, s, again).ID
	again.ActionType = domain.Decision
	save(t, s, again)
	if c := load(t, s, id); c.Causality.ActionType != domain.Decision || c.Causality.Rationale != again.Rationale || c.Kind != domain.Semantic {
		t.Errorf("it is %+v, %s", c.Causality, c.Kind)
	}
	again.ActionType = domain.Research
	if a := save(t, s, again); a.Causality.ActionType != domain.Decision || !strings.Contains(a.Notes[0], "nothing was added; it has another action type (decision) already") {
		t.Errorf("with another action: %+v", a)
	}
	again.ActionType = domain.Conversation
	if a := save(t, s, again); a.Causality.ActionType != domain.Decision || !strings.Contains(a.Notes[0], "another action type") {
		t.Errorf("as a conversation: %+v", a)
	}
	again.ActionType = ""
	if a := save(t, s, again); !strings.Contains(a.Notes[0], "nothing was added") || strings.Contains(a.Notes[0], "another") {
		t.Errorf("without an action: %+v", a)
	}
}

// A save that is repeated each day, with a tag of the day, goes on to work when there is no
// room for more tags.
func TestRepeatedSaveFillsUpTags(t *testing.T) {
	t.Parallel()
	s, _ := memorytest.Open(t)
	daily := memory.SaveRequest{Content: "The nightly build is green.", Tags: []string{"build"}}
	save(t, s, daily)
	for day := range domain.MaxTags {
		daily.Tags = []string{fmt.Sprint("day ", day)}
		a := save(t, s, daily)
		if full := day == domain.MaxTags-1; len(a.Tags) != min(day+2, domain.MaxTags) || strings.Contains(a.Notes[0], "nothing was added; it has 64 tags already") != full {
			t.Fatalf("on day %d: %d tags, %q", day, len(a.Tags), a.Notes)
		}
	}
}

// What says nothing new changes nothing, even if what it names was forgotten meanwhile.
func TestRepeatedSaveAddsNothingTwice(t *testing.T) {
	t.Parallel()
	s, clock := memorytest.Open(t)
	ctx := context.Background()
	cause := save(t, s, memory.SaveRequest{Content: "Three teams write at the same time."}).ID
	old := save(t, s, memory.SaveRequest{Content: "Rows live in SQLite."}).ID
	again := memory.SaveRequest{Content: "Postgres holds the rows from now on.", ActionType: domain.Decision, CausedBy: cause, Dependencies: []string{cause}, Supersedes: old, Rationale: "many writers"}
	id := save(t, s, again).ID
	links := func() []domain.Link {
		t.Helper()
		list, err := s.Store.Links(ctx, []string{id}, time.Time{})
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	before := links()
	clock.Pass(time.Minute)
	repeated := func() {
		t.Helper()
		if a := save(t, s, again); !a.Existing || a.ID != id || !strings.Contains(a.Notes[0], "nothing was added") {
			t.Errorf("it answers %+v", a)
		}
	}
	repeated()
	if diff := cmp.Diff(before, links()); diff != "" {
		t.Errorf("links (-before +after):\n%s", diff)
	}
	if _, err := s.Forget(ctx, memory.ForgetRequest{IDs: []string{cause, old}}); err != nil {
		t.Fatal(err)
	}
	repeated()
}

// Tags, pin, summary and kind of a repeated save are taken, too. What somebody said before
// stays, and the answer says so.
func TestRepeatedSaveAddsWords(t *testing.T) {
	t.Parallel()
	s, _ := memorytest.Open(t)
	ctx := context.Background()
	plain := memory.SaveRequest{Content: "Postgres holds the rows from now on."}
	first := save(t, s, plain)

	again := plain
	again.Tags, again.Pinned, again.Summary = []string{"ledger", "storage"}, true, "Where invoices live"
	a := save(t, s, again)
	if !a.Existing || a.ID != first.ID || a.Summary != again.Summary || !slices.Equal(a.Tags, append(first.Tags, again.Tags...)) {
		t.Errorf("it answers %+v", a)
	}
	c := load(t, s, first.ID)
	if !c.Pinned || c.Kind != domain.Semantic || c.Summary != again.Summary || c.SummaryBy != domain.ByCaller || !slices.Contains(c.Tags, "ledger") {
		t.Errorf("stored is %+v", c)
	}
	if found, err := s.Search(ctx, memory.SearchRequest{Query: "where do invoices live?"}); err != nil || len(found.Hits) == 0 || found.Hits[0].ID != first.ID {
		t.Errorf("the summary is not found: %+v, %v", found.Hits, err)
	}
	if a = save(t, s, again); !strings.Contains(a.Notes[0], "nothing was added") {
		t.Errorf("the third time: %q", a.Notes)
	}
	if a = save(t, s, plain); !strings.Contains(a.Notes[0], "nothing was added") || !load(t, s, first.ID).Pinned {
		t.Errorf("with nothing more: %q", a.Notes)
	}

	again.Rationale = "one writer is too few"
	save(t, s, again)
	again.Summary, again.Rationale = "Rows and invoices", "three teams write"
	if a = save(t, s, again); a.Summary != "Where invoices live" || a.Causality.Rationale != "one writer is too few" ||
		!strings.Contains(a.Notes[0], "nothing was added") || !strings.Contains(a.Notes[0], "another rationale and another summary already") {
		t.Errorf("with other words: %+v", a)
	}

	other := save(t, s, memory.SaveRequest{Content: "Logs go to a file."})
	save(t, s, memory.SaveRequest{Content: "Logs go to a file.", Kind: domain.Semantic})
	if c := load(t, s, other.ID); c.Kind != domain.Semantic {
		t.Errorf("its kind is %s", c.Kind)
	}
}

// A kind of a repeated save replaces the first one, as nothing else can change it, and the
// answer says so. It says too that metadata stay as they were saved.
func TestRepeatedSaveTellsWhatBecomesOfIt(t *testing.T) {
	t.Parallel()
	s, _ := memorytest.Open(t)
	content := "Logs go to a file."
	save(t, s, memory.SaveRequest{Content: content, Metadata: map[string]any{"ticket": "12"}})
	for _, step := range []struct {
		again memory.SaveRequest
		want  string
	}{
		{memory.SaveRequest{Kind: domain.Semantic}, "; its kind is semantic now instead of episodic"},
		{memory.SaveRequest{Kind: domain.Semantic}, "; nothing was added"},
		{memory.SaveRequest{Kind: domain.Episodic, Tags: []string{"ledger"}}, "; only what it lacked was added, and its kind is episodic now instead of semantic"},
		{memory.SaveRequest{Kind: domain.Semantic, ActionType: domain.Decision}, "; only what it lacked was added, and its kind is semantic now instead of episodic"},
		{memory.SaveRequest{Metadata: map[string]any{"ticket": "12"}}, "; nothing was added"},
		{memory.SaveRequest{Metadata: map[string]any{"ticket": "13"}}, "; nothing was added; it has other metadata already"},
		{memory.SaveRequest{Metadata: map[string]any{"owner": "ann"}}, "; nothing was added; it has other metadata already"},
	} {
		step.again.Content = content
		note, _, _ := strings.Cut(save(t, s, step.again).Notes[0], "; update_context")
		if note != "the same content is stored already"+step.want {
			t.Errorf("%+v: %q", step.again, note)
		}
	}
}
