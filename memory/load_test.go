package memory_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"wake/domain"
	"wake/memory"
	"wake/memory/memorytest"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/unicode/norm"
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

// A filter finds a tag in small letters, in capitals and with a capital first, whichever way
// it is named; what is to be removed goes however it is written.
func TestTagsInCapitals(t *testing.T) {
	s, _ := memorytest.Open(t)
	id := save(t, s, memory.SaveRequest{Content: "invoices go out at night", Tags: []string{"billing", "Night Job", "GDPR", "Export"}}).ID
	save(t, s, memory.SaveRequest{Content: "nothing of the kind"})
	for _, tags := range [][]string{{"Billing"}, {"BILLING", "night job"}, {"gdpr"}, {"Gdpr", "NIGHT JOB"}, {"export"}} {
		for _, mode := range []memory.Mode{memory.ModeRecent, memory.ModeLikely} {
			if a, err := s.Load(ctx, memory.LoadRequest{Mode: mode, Filter: memory.Filter{Tags: tags}}); err != nil || len(a.Contexts) != 1 || a.Contexts[0].ID != id {
				t.Errorf("%s %q: %d contexts, %v", mode, tags, len(a.Contexts), err)
			}
		}
		if a, err := s.Search(ctx, memory.SearchRequest{Query: "invoices", Filter: memory.Filter{Tags: tags}}); err != nil || len(a.Hits) != 1 {
			t.Errorf("%q: %d hits, %v", tags, len(a.Hits), err)
		}
	}
	got, err := s.Update(ctx, memory.UpdateRequest{ID: id, AddTags: []string{"export"}, RemoveTags: []string{"NIGHT job", "export", "Gdpr"}})
	if d := cmp.Diff([]string{"billing", "Export"}, got.Tags); d != "" || err != nil {
		t.Error(d, err)
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

// Lists page through everything, each once, in order.
func TestLoadPages(t *testing.T) {
	s, c := memorytest.Open(t)
	for i := range 25 {
		c.Pass(time.Duration(i%2) * time.Minute) // some share their time
		save(t, s, memory.SaveRequest{Content: fmt.Sprintf("fact number %d", i)})
	}
	for _, mode := range []memory.Mode{memory.ModeRecent, memory.ModeForgotten} {
		seen, cursor := map[string]bool{}, ""
		for pages := 0; ; pages++ {
			a, err := s.Load(ctx, memory.LoadRequest{Mode: mode, Limit: 7, Cursor: cursor})
			if err != nil || pages > 4 {
				t.Fatal(err, pages)
			}
			for _, x := range a.Contexts {
				if seen[x.ID] {
					t.Errorf("%s: %s twice", mode, x.ID)
				}
				seen[x.ID] = true
			}
			if cursor = a.NextCursor; cursor == "" {
				break
			}
		}
		if len(seen) != 25 {
			t.Errorf("%s: %d of 25", mode, len(seen))
		}
	}
}

// A cursor goes on with the list that gave it, and with no other: places in one are
// none in another.
func TestCursorsOfOthers(t *testing.T) {
	s, c := memorytest.Open(t)
	for i := range 3 {
		save(t, s, memory.SaveRequest{Content: fmt.Sprintf("widget number %d", i), Tags: []string{"widget"}})
		ref := claude
		ref.ClientSessionID = fmt.Sprint(i)
		record(t, s, ref, user("hello"))
	}
	load, search := memory.LoadRequest{Limit: 1}, memory.SearchRequest{Query: "widget number", In: memory.InContexts, Limit: 1}
	loaded, err := s.Load(ctx, load)
	found, foundErr := s.Search(ctx, search)
	listed, listErr := s.Sessions(ctx, memory.SessionsRequest{Limit: 1})
	if err != nil || foundErr != nil || listErr != nil {
		t.Fatal(err, foundErr, listErr)
	}
	loads := func(change func(*memory.LoadRequest)) error {
		r := load
		r.Cursor = loaded.NextCursor
		change(&r)
		_, err := s.Load(ctx, r)
		return err
	}
	searches := func(change func(*memory.SearchRequest)) error {
		r := search
		r.Cursor = found.NextCursor
		change(&r)
		_, err := s.Search(ctx, r)
		return err
	}
	for name, err := range map[string]error{
		"a search's to load":     loads(func(r *memory.LoadRequest) { r.Cursor = found.NextCursor }),
		"a list's to search":     searches(func(r *memory.SearchRequest) { r.Cursor = loaded.NextCursor }),
		"the sessions' to load":  loads(func(r *memory.LoadRequest) { r.Cursor = listed.NextCursor }),
		"another mode":           loads(func(r *memory.LoadRequest) { r.Mode = memory.ModeForgotten }),
		"another project":        loads(func(r *memory.LoadRequest) { r.Project = "shed" }),
		"other tags":             loads(func(r *memory.LoadRequest) { r.Filter.Tags = []string{"widget"} }),
		"another place to look":  searches(func(r *memory.SearchRequest) { r.In = memory.InMessages }),
		"other types to look at": searches(func(r *memory.SearchRequest) { r.Filter.ActionTypes = []domain.ActionType{domain.Decision} }),
	} {
		if domain.KindOf(err) != domain.KindInvalid || !strings.Contains(err.Error(), "leave ") {
			t.Errorf("%s: %v", name, err)
		}
	}
	// More of it, and times that are told from now on, are the same list.
	c.Pass(time.Minute)
	if err := loads(func(r *memory.LoadRequest) { r.Limit, r.Filter.Since = 2, c.Now().Add(-time.Hour) }); err != nil {
		t.Error(err)
	}
	if err := searches(func(r *memory.SearchRequest) { r.TokenBudget, r.Explain = 100, true }); err != nil {
		t.Error(err)
	}
}

// A token budget is kept; the rest is one call away.
func TestLoadBudget(t *testing.T) {
	s, c := memorytest.Open(t)
	for i := range 10 {
		c.Pass(time.Minute)
		save(t, s, memory.SaveRequest{Content: fmt.Sprintf("%d %s", i, strings.Repeat("words and more ", 40))})
	}
	yes := true
	a, err := s.Load(ctx, memory.LoadRequest{TokenBudget: 700, IncludeContent: &yes})
	if err != nil || len(a.Contexts) == 0 || len(a.Contexts) >= 10 || a.NextCursor == "" {
		t.Fatalf("%d contexts, cursor %q, %v", len(a.Contexts), a.NextCursor, err)
	}
	if spent := domain.Tokens(asJSON(t, a.Contexts)); spent > 700 {
		t.Errorf("%d tokens", spent)
	}
	found, err := s.Search(ctx, memory.SearchRequest{Query: "words and more", TokenBudget: 700})
	if err != nil || len(found.Hits) < 2 || len(found.Hits) >= 10 || found.NextCursor == "" {
		t.Fatalf("%d hits, cursor %q, %v", len(found.Hits), found.NextCursor, err)
	}
	if spent := domain.Tokens(asJSON(t, found.Hits)); spent > 700 {
		t.Errorf("the hits take %d tokens", spent)
	}
}

// What alone has no room in the budget keeps its place and its shape: its long texts are
// cut where a character ends, and a note says how much is there.
func TestLoadShortensWhatAloneIsTooLong(t *testing.T) {
	s, _ := memorytest.Open(t)
	said := save(t, s, memory.SaveRequest{Content: strings.Repeat("<Übergang> é 世界 ", 3000), Rationale: strings.Repeat("because ", 5000),
		ActionType: domain.Decision, Metadata: map[string]any{"log": strings.Repeat("x ", 8000)}})
	whole, err := s.Load(ctx, memory.LoadRequest{IDs: []string{said.ID}})
	if err != nil {
		t.Fatal(err)
	}
	for _, budget := range []int{1, 200, 1000, 20_000, 40_000, 100_000} {
		a, err := s.Load(ctx, memory.LoadRequest{IDs: []string{said.ID}, TokenBudget: budget})
		if err != nil || len(a.Contexts) != 1 || a.Contexts[0].Summary == "" {
			t.Fatalf("%+v %v", a, err)
		}
		got := a.Contexts[0]
		if budget == 100_000 {
			if d := cmp.Diff(whole.Contexts[0].Content, got.Content); d != "" || a.Shortened || a.Notes != nil {
				t.Errorf("a context that has room is not whole: %s %q", d, a.Notes)
			}
			continue
		}
		if cost := domain.Tokens(asJSON(t, got)); cost > int64(max(budget, 500)) {
			t.Errorf("budget %d: %d tokens", budget, cost)
		}
		if !utf8.ValidString(got.Content) || !strings.HasPrefix(whole.Contexts[0].Content, got.Content) || (budget == 40_000) != (len(got.Content) > 40_000) {
			t.Errorf("budget %d: %d bytes of content", budget, len(got.Content))
		}
		if notes := fmt.Sprint(a.Notes); !a.Shortened || !strings.Contains(notes, fmt.Sprintf("first %d of %d bytes", len(got.Content), len(whole.Contexts[0].Content))) {
			t.Errorf("budget %d: %s", budget, notes)
		}
	}
	again, err := s.Store.ContextsByID(ctx, []string{said.ID}, true)
	if err != nil || len(again[0].Causality.Rationale) != 40_000 || len(again[0].Metadata) != 1 {
		t.Errorf("what is stored was shortened: %d %d %v", len(again[0].Causality.Rationale), len(again[0].Metadata), err)
	}
}

// A list without contents has nothing to leave out of its first context, and says nothing of
// the kind.
func TestLoadLeavesNothingOutOfAShortContext(t *testing.T) {
	s, _ := memorytest.Open(t)
	for _, content := range []string{"The first decision.", "The second decision."} {
		save(t, s, memory.SaveRequest{Content: content})
	}
	a, err := s.Load(ctx, memory.LoadRequest{TokenBudget: 1})
	if err != nil || len(a.Contexts) != 1 || a.NextCursor == "" || a.Shortened || a.Notes != nil {
		t.Errorf("%+v %v", a, err)
	}
}

// What is cut never ends within a secret, half of which nobody would mask.
func TestLoadCutsBeforeASecret(t *testing.T) {
	s, _ := memorytest.Open(t)
	const secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a "
	said := save(t, s, memory.SaveRequest{Content: strings.Repeat(secret, 500), Rationale: strings.Repeat(secret, 300), ActionType: domain.Decision})
	for budget := 1000; budget < 1100; budget++ {
		a, err := s.Load(ctx, memory.LoadRequest{IDs: []string{said.ID}, TokenBudget: budget})
		if err != nil || len(a.Contexts) != 1 {
			t.Fatalf("%+v %v", a, err)
		}
		got := a.Contexts[0]
		for _, text := range []string{got.Content, got.Causality.Rationale} {
			if rest := strings.TrimSpace(strings.ReplaceAll(text, strings.TrimSpace(secret), "")); rest != "" {
				t.Fatalf("budget %d: %q is left of a secret", budget, rest)
			}
		}
		if got.Content == "" || !strings.Contains(fmt.Sprint(a.Notes), fmt.Sprintf("first %d of", len(got.Content))) {
			t.Errorf("budget %d: %d bytes, %q", budget, len(got.Content), a.Notes)
		}
	}
}

// Unknown and malformed ids, limits and cursors are answered in words.
func TestLoadRefuses(t *testing.T) {
	s, _ := memorytest.Open(t)
	a := save(t, s, memory.SaveRequest{Content: "there"})
	for _, id := range []string{"nope", "'; DROP TABLE context_snapshots; --", strings.Repeat("x", 1<<20), "\x00"} {
		_, err := s.Load(ctx, memory.LoadRequest{IDs: []string{id}})
		refused(t, err, domain.KindNotFound)
	}
	got, err := s.Load(ctx, memory.LoadRequest{IDs: []string{a.ID, "nope"}})
	if err != nil || cmp.Diff([]string{"nope"}, got.Missing) != "" {
		t.Errorf("%+v %v", got, err)
	}
	for _, limit := range []int{-1, 101, 1 << 40} {
		_, err := s.Load(ctx, memory.LoadRequest{Limit: limit})
		refused(t, err, domain.KindInvalid)
		_, err = s.Search(ctx, memory.SearchRequest{Query: "x", Limit: limit})
		refused(t, err, domain.KindInvalid)
	}
	_, err = s.Load(ctx, memory.LoadRequest{Cursor: "garbage!"})
	refused(t, err, domain.KindInvalid)
}

// asJSON is v as an answer holds it.
func asJSON(t *testing.T, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// A project is meant however the letters of its name are written, unless there is another
// one that is written just so.
func TestSpelled(t *testing.T) {
	s, _ := memorytest.Open(t)
	composed, decomposed := norm.NFC.String("프로젝트 café"), norm.NFD.String("프로젝트 café")
	s.DefaultProject = decomposed
	spells := func(asked, want string) {
		t.Helper()
		if got, err := s.Spelled(ctx, asked); err != nil || got != want {
			t.Errorf("%+q is spelled %+q, want %+q (%v)", asked, got, want, err)
		}
	}
	for asked, want := range map[string]string{composed: decomposed, decomposed: decomposed, "café": "café", "demo": "demo", "": ""} {
		spells(asked, want)
	}
	save(t, s, memory.SaveRequest{Content: "the bus leaves at nine", Project: norm.NFD.String("crème")})
	spells("crème", norm.NFD.String("crème"))
	save(t, s, memory.SaveRequest{Content: "the train leaves at ten", Project: composed})
	spells(composed, composed)
	spells(decomposed, decomposed)
}

// A tag is found however its letters are written.
func TestTagsAreComparedByTheirLetters(t *testing.T) {
	s, _ := memorytest.Open(t)
	save(t, s, memory.SaveRequest{Content: "the bus leaves at nine", Tags: []string{norm.NFD.String("café")}})
	found, err := s.Search(ctx, memory.SearchRequest{Query: "bus", Filter: memory.Filter{Tags: []string{norm.NFC.String("café")}}})
	if err != nil || len(found.Hits) != 1 {
		t.Errorf("%+v %v", found.Hits, err)
	}
}
