package memory_test

import (
	"errors"
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

// 002-03: loading moves last_accessed and access_count; searching and predicting
// do not.
func TestAccessCounts(t *testing.T) {
	s, c := memorytest.Open(t)
	a := save(t, s, memory.SaveRequest{Content: "The build cache lives in /var/cache/build"})
	c.Pass(2 * time.Hour)
	if _, err := s.Search(ctx, memory.SearchRequest{Query: "build cache"}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Predict(ctx, memory.PredictRequest{}); err != nil {
		t.Fatal(err)
	}
	if err := s.Flush(ctx); err != nil {
		t.Fatal(err)
	}
	if got := load(t, s, a.ID); got.Memory.AccessCount != 0 || got.Memory.Tier != domain.TierRecent {
		t.Errorf("before the first load: %+v", got.Memory)
	}
	if got := load(t, s, a.ID); got.Memory.AccessCount != 1 || !got.Memory.LastAccessed.Equal(c.Now()) || got.Memory.Tier != domain.TierActive {
		t.Errorf("after it: %+v", got.Memory)
	}
}

// A tier is right on every read, whatever was stored, and what is used stays
// warm however old it is (002-08: upstream counts from creation).
func TestTiersAge(t *testing.T) {
	s, c := memorytest.Open(t)
	used := save(t, s, memory.SaveRequest{Content: "used daily"})
	idle := save(t, s, memory.SaveRequest{Content: "never used"})
	for range 40 {
		c.Pass(24 * time.Hour)
		load(t, s, used.ID)
	}
	if got := load(t, s, used.ID).Memory.Tier; got != domain.TierActive {
		t.Errorf("used daily: %s", got)
	}
	a, err := s.Load(ctx, memory.LoadRequest{Filter: memory.Filter{Tiers: []domain.Tier{domain.TierExpired}}})
	if err != nil || len(a.Contexts) != 1 || a.Contexts[0].ID != idle.ID || a.Contexts[0].Memory.Tier != domain.TierExpired {
		t.Errorf("%+v %v", a.Contexts, err)
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

// A page of hits goes on with the question that it was given for, and no other.
func TestSearchPages(t *testing.T) {
	s, _ := memorytest.Open(t)
	for i := range 5 {
		save(t, s, memory.SaveRequest{Content: fmt.Sprintf("widget number %d", i)})
	}
	first, err := s.Search(ctx, memory.SearchRequest{Query: "widget number", Limit: 3})
	if err != nil || first.NextCursor == "" {
		t.Fatal(err, first.NextCursor)
	}
	rest, err := s.Search(ctx, memory.SearchRequest{Query: "widget number", Limit: 3, Cursor: first.NextCursor})
	if err != nil || len(rest.Hits) != 2 {
		t.Errorf("%d hits on the last page, %v", len(rest.Hits), err)
	}
	_, err = s.Search(ctx, memory.SearchRequest{Query: "… as before …", Limit: 3, Cursor: first.NextCursor})
	if domain.KindOf(err) != domain.KindInvalid || !strings.Contains(err.Error(), "query") {
		t.Errorf("another question goes on with it: %v", err)
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
	spent := int64(0)
	for _, x := range a.Contexts {
		spent += domain.Tokens(x.Content + x.Summary)
	}
	if spent > 700 {
		t.Errorf("%d tokens", spent)
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

// Questions are found as people ask them, in the languages people write.
func TestSearchFinds(t *testing.T) {
	s, _ := memorytest.Open(t)
	save(t, s, memory.SaveRequest{Content: "Lunch is at noon"})
	tests := []struct{ content, question string }{
		{"We use SQLite because installs must stay trivial", "which database did we choose and why?"},
		{"Chose Go over Rust for faster builds", "what language do we write it in"},
		{"The scheduler backs off after three failures", "when does the schedular back off"},
		{"parseHTTPRequest drops the auth_token header", "where is parse http request dropping the auth token"},
		{"决定使用 PostgreSQL 作为主数据库", "主数据库用什么?"},
		{"ログインのトークンは一時間で失効する", "トークンはいつ失効しますか"},
		{"배포는 금요일에 하지 않는다", "배포 금요일"},
		{"Das Übersetzungsmodul prüft Umlaute", "ubersetzungsmodul umlaute"},
	}
	for _, tt := range tests {
		want := save(t, s, memory.SaveRequest{Content: tt.content})
		a, err := s.Search(ctx, memory.SearchRequest{Query: tt.question, Explain: true})
		if err != nil || len(a.Hits) == 0 || a.Hits[0].ID != want.ID || a.Hits[0].Why == "" {
			t.Errorf("%q does not find %q: %+v %v", tt.question, tt.content, a.Hits, err)
		}
	}
}

// Every operator and quote of full-text languages is only text.
func TestSearchHostile(t *testing.T) {
	s, _ := memorytest.Open(t)
	want := save(t, s, memory.SaveRequest{Content: "the needle lies here"})
	for _, q := range []string{`"`, `"needle`, `needle"`, `needle AND`, `NOT needle`, `needle NEAR/2 x`, `a:needle`, `needle*`, `(needle`, `^needle`, `{needle}`, `needle; DROP TABLE x`, `-needle`, `'`, `%`, `\`, "needle\x00", "needle\xff", `!!! ??? ...`, "needle & | ! <->"} {
		a, err := s.Search(ctx, memory.SearchRequest{Query: q})
		if err != nil {
			t.Errorf("%q: %v", q, err)
			continue
		}
		if strings.Contains(q, "needle") && (len(a.Hits) == 0 || a.Hits[0].ID != want.ID) {
			t.Errorf("%q does not find the needle", q)
		}
	}
	_, err := s.Search(ctx, memory.SearchRequest{Query: " "})
	refused(t, err, domain.KindInvalid)
	if a, err := s.Search(ctx, memory.SearchRequest{Query: "needle " + strings.Repeat("hay ", 10_000)}); err != nil || len(a.Notes) == 0 || len(a.Hits) != 1 {
		t.Errorf("a long query: %+v %v", a, err)
	}
}

// Filters and projects narrow a search, "*" widens it to all projects.
// What passes a filter is the same whether it is listed or, where it is much, sifted.
func TestSearchFilters(t *testing.T) {
	for name, most := range map[string]int{"listed": 100, "sifted": 1} {
		t.Run(name, func(t *testing.T) {
			memory.ListMost(t, most)
			testSearchFilters(t)
		})
	}
}

func testSearchFilters(t *testing.T) {
	s, c := memorytest.Open(t)
	old := save(t, s, memory.SaveRequest{Content: "deploy from the laptop", ActionType: domain.Decision, Tags: []string{"ops"}})
	c.Pass(48 * time.Hour)
	fresh := save(t, s, memory.SaveRequest{Content: "deploy from the pipeline", Tags: []string{"ops", "ci"}})
	other := save(t, s, memory.SaveRequest{Content: "deploy by hand", Project: "other"})
	ids := func(f memory.Filter, project string) map[string]bool {
		t.Helper()
		a, err := s.Search(ctx, memory.SearchRequest{Query: "deploy", Project: project, Filter: f})
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]bool{}
		for _, h := range a.Hits {
			got[h.ID] = true
		}
		return got
	}
	set := func(ids ...string) map[string]bool {
		m := map[string]bool{}
		for _, id := range ids {
			m[id] = true
		}
		return m
	}
	day := c.Now().Add(-24 * time.Hour)
	for name, diff := range map[string]string{
		"project": cmp.Diff(set(old.ID, fresh.ID), ids(memory.Filter{}, "")),
		"all":     cmp.Diff(set(old.ID, fresh.ID, other.ID), ids(memory.Filter{}, "*")),
		"since":   cmp.Diff(set(fresh.ID), ids(memory.Filter{Since: day}, "")),
		"until":   cmp.Diff(set(old.ID), ids(memory.Filter{Until: day}, "")),
		"as of":   cmp.Diff(set(old.ID), ids(memory.Filter{AsOf: day}, "")),
		"tags":    cmp.Diff(set(fresh.ID), ids(memory.Filter{Tags: []string{"ops", "ci"}}, "")),
		"action":  cmp.Diff(set(old.ID), ids(memory.Filter{ActionTypes: []domain.ActionType{domain.Decision}}, "")),
		"tier":    cmp.Diff(set(old.ID), ids(memory.Filter{Tiers: []domain.Tier{domain.TierArchived}}, "")),
	} {
		if diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// A search as of a time finds what was forgotten since, knows nothing of what replaced
// it later, and finds nothing that was erased.
func TestSearchAsOf(t *testing.T) {
	s, c := memorytest.Open(t)
	old := save(t, s, memory.SaveRequest{Content: "The staging database listens on port 5433", Tags: []string{"ops"}})
	kept := save(t, s, memory.SaveRequest{Content: "The staging database runs PostgreSQL 15"})
	then := c.Now()
	c.Pass(time.Hour)
	fresh := save(t, s, memory.SaveRequest{Content: "The staging database listens on port 6000", Supersedes: kept.ID})
	if _, err := s.Forget(ctx, memory.ForgetRequest{IDs: []string{old.ID}}); err != nil {
		t.Fatal(err)
	}
	ask := func(f memory.Filter) (found []string) {
		t.Helper()
		a, err := s.Search(ctx, memory.SearchRequest{Query: "staging database port", In: memory.InContexts, Filter: f})
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range a.Hits {
			found = append(found, h.ID+h.SupersededBy)
		}
		slices.Sort(found)
		return found
	}
	want := func(ids ...string) []string { return slices.Sorted(slices.Values(ids)) }
	for range 2 { // with few documents that pass and, sifted, with many
		if diff := cmp.Diff(want(old.ID, kept.ID), ask(memory.Filter{AsOf: then})); diff != "" {
			t.Errorf("then (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(want(old.ID), ask(memory.Filter{AsOf: then, Tags: []string{"ops"}})); diff != "" {
			t.Errorf("then, of a tag (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(want(kept.ID+fresh.ID, fresh.ID), ask(memory.Filter{})); diff != "" {
			t.Errorf("now (-want +got):\n%s", diff)
		}
		memory.ListMost(t, 1)
	}
}

// What was saved at the time that a question names is found without a word in common,
// by the clock of the one who asks, and within the filters.
func TestSearchByTime(t *testing.T) {
	s, c := memorytest.Open(t)
	var ids []string // of one note a day, the newest first
	for i := range 60 {
		at := c.Now().AddDate(0, 0, -i)
		ids = append(ids, save(t, s, memory.SaveRequest{Content: fmt.Sprintf("Deployed build x%c%c of the gateway", 'a'+i/26, 'a'+i%26), Timestamp: at}).ID)
	}
	find := func(question string, f memory.Filter) []domain.Hit {
		t.Helper()
		a, err := s.Search(ctx, memory.SearchRequest{Query: question, Filter: f, Limit: 3})
		if err != nil {
			t.Fatalf("%q: %v", question, err)
		}
		return a.Hits
	}
	for question, want := range map[string]string{"what happened yesterday?": ids[1], "what did we do yesterday": ids[1], "anything from two days ago": ids[2],
		"which build did we deploy nine days ago": ids[9], "what was on " + c.Now().AddDate(0, 0, -33).Format(time.DateOnly): ids[33]} {
		if got := find(question, memory.Filter{}); len(got) == 0 || got[0].ID != want {
			t.Errorf("%q does not find it first: %v", question, got)
		}
	}
	if got := find("what happened yesterday?", memory.Filter{Until: c.Now().AddDate(0, 0, -20)}); len(got) > 0 {
		t.Errorf("a filter lets pass what it should not: %v", got)
	}
}

// The chain tells causes in both directions, and as_of the links of then.
func TestChain(t *testing.T) {
	s, c := memorytest.Open(t)
	research := save(t, s, memory.SaveRequest{Content: "Compared three queues", ActionType: domain.Research})
	decision := save(t, s, memory.SaveRequest{Content: "We take NATS", ActionType: domain.Decision, CausedBy: research.ID, Rationale: "one binary"})
	before := c.Now()
	c.Pass(time.Hour)
	edit := save(t, s, memory.SaveRequest{Content: "Wired the NATS client", ActionType: domain.FileEdit, CausedBy: decision.ID})
	a, err := s.Chain(ctx, memory.ChainRequest{ID: decision.ID, Direction: domain.Both, Format: "mermaid"})
	if err != nil || len(a.Nodes) != 3 || len(a.Edges) != 2 || !strings.Contains(a.Rendered, "flowchart") {
		t.Fatalf("%+v %v", a, err)
	}
	for _, want := range []string{"one binary", research.ID, edit.ID} {
		if !strings.Contains(a.Reasoning, want) {
			t.Errorf("%q is not told in\n%s", want, a.Reasoning)
		}
	}
	then, err := s.Chain(ctx, memory.ChainRequest{ID: decision.ID, Direction: domain.Both, AsOf: before})
	if err != nil || len(then.Nodes) != 2 {
		t.Errorf("as of then: %+v %v", then.Nodes, err)
	}
	_, err = s.Chain(ctx, memory.ChainRequest{ID: "nope"})
	refused(t, err, domain.KindNotFound)
}

// A chain of effects does not call the cause lost, and every chain names what its start
// replaced, unless that is forgotten.
func TestChainTellsWhatItDoesNotFollow(t *testing.T) {
	s, _ := memorytest.Open(t)
	cause := save(t, s, memory.SaveRequest{Content: "Nobody may run a second daemon"})
	old := save(t, s, memory.SaveRequest{Content: "Sessions live in Redis"})
	now := save(t, s, memory.SaveRequest{Content: "PostgreSQL keeps the logins", CausedBy: cause.ID, Supersedes: old.ID})
	tell := func(id string, direction domain.Direction) string {
		a, err := s.Chain(ctx, memory.ChainRequest{ID: id, Direction: direction})
		if err != nil || len(a.Lost) > 0 {
			t.Fatal(a.Lost, err)
		}
		return a.Reasoning
	}
	for _, direction := range []domain.Direction{domain.Causes, domain.Effects, domain.Both} {
		told := tell(now.ID, direction)
		for _, want := range []string{"a second daemon [" + cause.ID, "It replaced note of", "Redis [" + old.ID} {
			if !strings.Contains(told, want) || strings.Contains(told, "lost") {
				t.Errorf("%s: %q is not told, or the cause is lost, in\n%s", direction, want, told)
			}
		}
	}
	if told := tell(old.ID, domain.Causes); !strings.Contains(told, "the logins ["+now.ID) {
		t.Errorf("what replaced it has no name in\n%s", told)
	}
	if _, err := s.Forget(ctx, memory.ForgetRequest{IDs: []string{old.ID}}); err != nil {
		t.Fatal(err)
	}
	if told := tell(now.ID, domain.Causes); strings.Contains(told, old.ID) {
		t.Errorf("what is forgotten is told in\n%s", told)
	}
}

// Links can be changed; none may close a cycle.
func TestUpdateLinks(t *testing.T) {
	s, _ := memorytest.Open(t)
	a := save(t, s, memory.SaveRequest{Content: "first"})
	b := save(t, s, memory.SaveRequest{Content: "second", CausedBy: a.ID})
	c := save(t, s, memory.SaveRequest{Content: "third", CausedBy: b.ID})
	_, err := s.Update(ctx, memory.UpdateRequest{ID: a.ID, CausedBy: &c.ID})
	refused(t, err, domain.KindInvalid)
	_, err = s.Update(ctx, memory.UpdateRequest{ID: a.ID, AddDependencies: []string{a.ID}})
	refused(t, err, domain.KindInvalid)
	_, err = s.Update(ctx, memory.UpdateRequest{ID: a.ID, AddDependencies: []string{"nope"}})
	refused(t, err, domain.KindNotFound)
	got, err := s.Update(ctx, memory.UpdateRequest{ID: c.ID, CausedBy: &a.ID, AddDependencies: []string{b.ID}})
	if err != nil || got.Causality.CausedBy != a.ID || cmp.Diff([]string{b.ID}, got.Causality.Dependencies) != "" {
		t.Errorf("%+v %v", got.Causality, err)
	}
}

// What was replaced cannot in turn replace what took its place, however far up;
// taken back, it may be the other way round.
func TestSupersessionHasNoCircle(t *testing.T) {
	s, _ := memorytest.Open(t)
	a := save(t, s, memory.SaveRequest{Content: "port 80"})
	b := save(t, s, memory.SaveRequest{Content: "port 8080", Supersedes: a.ID})
	c := save(t, s, memory.SaveRequest{Content: "port 9090", Supersedes: b.ID})
	by := func(id, successor string) error {
		_, err := s.Update(ctx, memory.UpdateRequest{ID: id, SupersededBy: &successor})
		return err
	}
	refused(t, by(b.ID, a.ID), domain.KindInvalid)
	refused(t, by(c.ID, a.ID), domain.KindInvalid)
	if got := load(t, s, c.ID); got.SupersededBy != "" {
		t.Errorf("a refused call changed %+v", got)
	}
	if err := errors.Join(by(a.ID, ""), by(b.ID, a.ID)); err != nil {
		t.Errorf("taken back: %v", err)
	}
}

// A change that names nothing to change is no change, and says so.
func TestUpdateOfNothing(t *testing.T) {
	s, _ := memorytest.Open(t)
	a := save(t, s, memory.SaveRequest{Content: "port 80"})
	_, err := s.Update(ctx, memory.UpdateRequest{ID: a.ID})
	refused(t, err, domain.KindInvalid)
}

// Pins and tags change; the content never does; new tags are found.
func TestUpdatePinAndTags(t *testing.T) {
	s, _ := memorytest.Open(t)
	a := save(t, s, memory.SaveRequest{Content: "the bus leaves at nine", Tags: []string{"travel"}})
	yes := true
	got, err := s.Update(ctx, memory.UpdateRequest{ID: a.ID, Pinned: &yes, AddTags: []string{"timetable"}, RemoveTags: []string{"travel"}})
	if err != nil || !got.Pinned || got.Kind != domain.Semantic || cmp.Diff([]string{"timetable"}, got.Tags) != "" {
		t.Fatalf("%+v %v", got, err)
	}
	if hits, err := s.Search(ctx, memory.SearchRequest{Query: "timetable"}); err != nil || len(hits.Hits) != 1 {
		t.Errorf("%+v %v", hits, err)
	}
}

// Forgetting: a dry run first, protection, undo, and then for good.
func TestForget(t *testing.T) {
	s, c := memorytest.Open(t)
	cause := save(t, s, memory.SaveRequest{Content: "the cause"})
	effect := save(t, s, memory.SaveRequest{Content: "the effect", CausedBy: cause.ID})
	pinned := save(t, s, memory.SaveRequest{Content: "the pinned", Pinned: true})
	idle := save(t, s, memory.SaveRequest{Content: "the idle"})
	young, err := s.Forget(ctx, memory.ForgetRequest{Project: "demo", Expired: true})
	if err != nil || len(young.Forgotten) != 0 {
		t.Errorf("young ones go: %+v %v", young, err)
	}
	c.Pass(60 * 24 * time.Hour)
	load(t, s, effect.ID)
	dry, err := s.Forget(ctx, memory.ForgetRequest{Project: "demo", Expired: true, DryRun: true})
	if err != nil || len(dry.Forgotten) != 1 || dry.Forgotten[0].ID != idle.ID || len(dry.Protected) != 2 {
		t.Fatalf("%+v %v", dry, err)
	}
	if _, err := s.Load(ctx, memory.LoadRequest{IDs: []string{idle.ID}}); err != nil {
		t.Errorf("a dry run forgets: %v", err)
	}
	_ = pinned
	if _, err := s.Forget(ctx, memory.ForgetRequest{IDs: []string{idle.ID}}); err != nil {
		t.Fatal(err)
	}
	_, err = s.Load(ctx, memory.LoadRequest{IDs: []string{idle.ID}})
	refused(t, err, domain.KindNotFound)
	if hits, err := s.Search(ctx, memory.SearchRequest{Query: "idle"}); err != nil || found(hits, idle.ID) {
		t.Errorf("still found: %+v %v", hits, err)
	}
	back, err := s.Forget(ctx, memory.ForgetRequest{IDs: []string{idle.ID}, Undo: true})
	if err != nil || len(back.Restored) != 1 || load(t, s, idle.ID).Content != "the idle" {
		t.Errorf("%+v %v", back, err)
	}
	if hits, err := s.Search(ctx, memory.SearchRequest{Query: "idle"}); err != nil || !found(hits, idle.ID) {
		t.Errorf("not found again: %+v %v", hits, err)
	}
	if _, err := s.Forget(ctx, memory.ForgetRequest{IDs: []string{idle.ID}}); err != nil {
		t.Fatal(err)
	}
	c.Pass(31 * 24 * time.Hour)
	if err := s.CleanUp(ctx); err != nil {
		t.Fatal(err)
	}
	_, err = s.Forget(ctx, memory.ForgetRequest{IDs: []string{idle.ID}, Undo: true})
	refused(t, err, domain.KindNotFound)
}

func found(a memory.SearchAnswer, id string) bool {
	return slices.ContainsFunc(a.Hits, func(h domain.Hit) bool { return h.ID == id })
}

// Both formulas answer with reasons; what is used gains.
func TestPredict(t *testing.T) {
	s, c := memorytest.Open(t)
	for i := range 20 {
		save(t, s, memory.SaveRequest{Content: fmt.Sprintf("fact %d about something", i)})
	}
	hot := save(t, s, memory.SaveRequest{Content: "the release checklist", ActionType: domain.Decision})
	for range 5 {
		c.Pass(24 * time.Hour)
		load(t, s, hot.ID)
	}
	c.Pass(time.Hour)
	for _, formula := range []string{"", "wakeiqx"} {
		a, err := s.Predict(ctx, memory.PredictRequest{Formula: formula})
		if err != nil || len(a.Predictions) != 5 || a.Predictions[0].ID != hot.ID {
			t.Fatalf("%q: %+v %v", formula, a.Predictions, err)
		}
		for _, p := range a.Predictions {
			if p.Score < 0 || p.Score > 1 || p.Probability < 0 || p.Probability > 1 || len(p.Reasons) == 0 {
				t.Errorf("%q: %+v", formula, p)
			}
		}
	}
	_, err := s.Predict(ctx, memory.PredictRequest{Formula: "tarot"})
	refused(t, err, domain.KindInvalid)
	a, err := s.Load(ctx, memory.LoadRequest{Mode: memory.ModeLikely})
	if err != nil || a.Contexts[0].ID != hot.ID {
		t.Errorf("likely: %+v %v", a.Contexts, err)
	}
}

// What a purge finds beside is shown to nobody by that: it is named, and no access.
func TestPurgeShowsNothing(t *testing.T) {
	s, _ := memorytest.Open(t)
	const leaked = "the launch code is swordfish"
	a := save(t, s, memory.SaveRequest{Content: leaked})
	twin := save(t, s, memory.SaveRequest{Content: "Ann wrote that " + leaked})
	gone, err := s.Purge(ctx, memory.PurgeRequest{ID: a.ID})
	if err != nil || len(gone.Notes) != 1 || !strings.Contains(gone.Notes[0], twin.ID) {
		t.Fatalf("%+v %v", gone, err)
	}
	if err := s.Flush(ctx); err != nil {
		t.Fatal(err)
	}
	log, err := s.Store.AccessLog(ctx, "", 0, 100)
	if err != nil {
		t.Fatal(err)
	}
	for _, access := range log {
		if access.How == domain.Shown {
			t.Errorf("%s is logged as shown by %q", access.ContextID, access.Via)
		}
	}
}

// What stays keeps its causes, and these theirs, also where all of them are expired;
// what is forgotten keeps nothing.
func TestForgetKeepsCauses(t *testing.T) {
	s, c := memorytest.Open(t)
	root := save(t, s, memory.SaveRequest{Content: "the root of it", ActionType: domain.Decision}).ID
	middle := save(t, s, memory.SaveRequest{Content: "what followed", CausedBy: root}).ID
	pinned := save(t, s, memory.SaveRequest{Content: "what matters", CausedBy: middle, Pinned: true}).ID
	lone := save(t, s, memory.SaveRequest{Content: "on its own"}).ID
	c.Pass(40 * 24 * time.Hour)
	for _, dry := range []bool{true, false} {
		a, err := s.Forget(ctx, memory.ForgetRequest{Project: "demo", Expired: true, DryRun: dry})
		if err != nil || len(a.Forgotten) != 1 || a.Forgotten[0].ID != lone || len(a.Protected) != 3 {
			t.Errorf("dry run %t: %+v, %v", dry, a, err)
		}
		for _, p := range a.Protected {
			if want := map[string]string{root: "cause of " + middle + ", which stays", middle: "cause of " + pinned + ", which stays", pinned: "pinned; unpin it first"}[p.ID]; p.Why != want {
				t.Errorf("%s stays, %s; want %s", p.ID, p.Why, want)
			}
		}
	}
	if _, err := s.Update(ctx, memory.UpdateRequest{ID: pinned, Pinned: new(bool)}); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{pinned, middle, root} {
		if a, err := s.Forget(ctx, memory.ForgetRequest{IDs: []string{id}}); err != nil || len(a.Forgotten) != 1 {
			t.Errorf("%+v, %v", a, err)
		}
	}
}

// Neither what is protected nor a long chain keeps from being forgotten what may be: each
// call passes over the one, and begins at the end of the other.
func TestForgetExpiredPastTheLimit(t *testing.T) {
	s, c := memorytest.Open(t)
	for i := range 25 {
		save(t, s, memory.SaveRequest{Content: fmt.Sprintf("pinned fact %d", i), Pinned: true})
	}
	c.Pass(time.Hour)
	last := ""
	for i := range 25 {
		last = save(t, s, memory.SaveRequest{Content: fmt.Sprintf("step %d of the old plan", i), CausedBy: last}).ID
	}
	c.Pass(40 * 24 * time.Hour)
	for _, want := range []int{10, 10, 5, 0} {
		a, err := s.Forget(ctx, memory.ForgetRequest{Expired: true, Limit: 10})
		if err != nil || len(a.Forgotten) != want || len(a.Protected) != 10 || len(a.Notes) != 1 {
			t.Fatalf("%d forgotten, want %d; %d protected, %q, %v", len(a.Forgotten), want, len(a.Protected), a.Notes, err)
		}
	}
}

// To forget what has expired is advised where there is something to forget: not of a past
// that was imported today.
func TestForgettingIsAdvisedOfWhatMayGo(t *testing.T) {
	s, c := memorytest.Open(t)
	for i := range 3 {
		save(t, s, memory.SaveRequest{Content: fmt.Sprintf("what was decided in year %d", i), Timestamp: c.Now().AddDate(-i-1, 0, 0)})
	}
	for _, test := range []struct {
		pass    time.Duration
		advised bool
	}{{0, false}, {29 * 24 * time.Hour, false}, {2 * 24 * time.Hour, true}} {
		c.Pass(test.pass)
		stats, err := s.Stats(ctx, memory.Caller{}, "demo")
		if err != nil || stats.Tiers[domain.TierExpired] != 3 || strings.Contains(fmt.Sprint(stats.Health), "3 of 3 contexts were not used for 30 days") != test.advised {
			t.Errorf("%s later: %+v, %v", test.pass, stats.Health, err)
		}
		a, err := s.Forget(ctx, memory.ForgetRequest{Expired: true, DryRun: true})
		if err != nil || (len(a.Forgotten) > 0) != test.advised {
			t.Errorf("%s later %d may be forgotten: %v", test.pass, len(a.Forgotten), err)
		}
	}
}

// What is brought back brings its causes with it: left forgotten, they would be erased
// behind something kept.
func TestUndoBringsCausesBack(t *testing.T) {
	s, c := memorytest.Open(t)
	root := save(t, s, memory.SaveRequest{Content: "the root of it", ActionType: domain.Decision}).ID
	middle := save(t, s, memory.SaveRequest{Content: "what followed", CausedBy: root}).ID
	last := save(t, s, memory.SaveRequest{Content: "what followed from that", CausedBy: middle}).ID
	lone := save(t, s, memory.SaveRequest{Content: "on its own"}).ID
	all := []string{root, middle, last, lone}
	if a, err := s.Forget(ctx, memory.ForgetRequest{IDs: all}); err != nil || len(a.Forgotten) != len(all) {
		t.Fatalf("%+v, %v", a, err)
	}
	a, err := s.Forget(ctx, memory.ForgetRequest{IDs: []string{last}, Undo: true})
	if err != nil || len(a.Restored) != 3 || len(a.Missing) > 0 {
		t.Fatalf("%+v, %v", a, err)
	}
	for _, r := range a.Restored {
		if want := map[string]string{root: "cause of " + middle, middle: "cause of " + last}[r.ID]; r.Why != want {
			t.Errorf("%s is back, %q; want %q", r.ID, r.Why, want)
		}
	}
	c.Pass(31 * 24 * time.Hour)
	if err := s.CleanUp(ctx); err != nil {
		t.Fatal(err)
	}
	if chain, err := s.Chain(ctx, memory.ChainRequest{ID: last}); err != nil || len(chain.Nodes) != 3 || len(chain.Lost) > 0 {
		t.Errorf("%+v, %v", chain, err)
	}
}

// Purging leaves nothing of the text in the files.
func TestPurge(t *testing.T) {
	s, _ := memorytest.Open(t)
	a := save(t, s, memory.SaveRequest{Content: "the unspeakable xylophone", Rationale: "xylophone"})
	got, err := s.Purge(ctx, memory.PurgeRequest{ID: a.ID})
	if err != nil || got.Hash == "" {
		t.Fatalf("%+v %v", got, err)
	}
	_, err = s.Load(ctx, memory.LoadRequest{IDs: []string{a.ID}})
	refused(t, err, domain.KindNotFound)
	_, err = s.Purge(ctx, memory.PurgeRequest{ID: a.ID})
	refused(t, err, domain.KindNotFound)
	if !strings.Contains(err.Error(), "was purged before") {
		t.Error(err)
	}
}
