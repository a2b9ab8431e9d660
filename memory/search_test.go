package memory_test

import (
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

// Who asks what was decided, or which one is used, wants the decision, though other
// contexts have more of the words.
func TestSearchFindsTheDecision(t *testing.T) {
	s, _ := memorytest.Open(t)
	for _, other := range []string{"The database of the cart is backed up nightly", "The linter is slow, said the team lead", "The sidebar of the cart is slow here", "The team's database password rotates"} {
		save(t, s, memory.SaveRequest{Content: other})
	}
	save(t, s, memory.SaveRequest{Content: "cart.go: totals of the cart are rounded", ActionType: domain.FileEdit})
	tests := []struct {
		question string
		want     memory.SaveRequest
	}{
		{"which database did we choose and why?", memory.SaveRequest{Content: "We use SQLite: one file, no server", ActionType: domain.Decision}},
		{"what was decided about the cart?", memory.SaveRequest{Content: "The shopping cart lives in a signed cookie", ActionType: domain.Decision}},
		{"which linter is it?", memory.SaveRequest{Content: "CI runs staticcheck on each push"}},
	}
	for _, tt := range tests {
		want := save(t, s, tt.want)
		a, err := s.Search(ctx, memory.SearchRequest{Query: tt.question})
		if err != nil || len(a.Hits) == 0 || a.Hits[0].ID != want.ID {
			t.Errorf("%q does not find %q first: %+v %v", tt.question, tt.want.Content, a.Hits, err)
		}
	}
}

// A decision is found before what was noted later about the thing itself, whatever its age.
func TestSearchFindsAnOldDecision(t *testing.T) {
	s, _ := memorytest.Open(t)
	want := save(t, s, memory.SaveRequest{Content: "We use SQLite: one file, no server", ActionType: domain.Decision,
		Rationale: "installs must stay trivial", Timestamp: s.Now().AddDate(0, -6, 0)})
	save(t, s, memory.SaveRequest{Content: "The database is backed up every night at three."})
	save(t, s, memory.SaveRequest{Content: "The database test suite takes four minutes"})
	a, err := s.Search(ctx, memory.SearchRequest{Query: "which database did we choose and why"})
	if err != nil || len(a.Hits) != 3 || a.Hits[0].ID != want.ID {
		t.Errorf("%+v %v", a.Hits, err)
	}
}

// The number of an error code finds the code, though other texts have the word "error".
func TestSearchFindsTheNumberOfACode(t *testing.T) {
	s, _ := memorytest.Open(t)
	want := save(t, s, memory.SaveRequest{Content: "The terminal answers E4017 when the card is removed"})
	for i := range 5 {
		save(t, s, memory.SaveRequest{Content: fmt.Sprintf("An error of the error log, the error number %d", i)})
	}
	for _, question := range []string{"error 4017", "E-4017", "4017"} {
		a, err := s.Search(ctx, memory.SearchRequest{Query: question})
		if err != nil || len(a.Hits) == 0 || a.Hits[0].ID != want.ID {
			t.Errorf("%q: %+v %v", question, a.Hits, err)
		}
	}
}

// A number finds the text that has several of it, or as many seconds, though another one
// has it alone.
func TestSearchFindsANumberWithAnS(t *testing.T) {
	s, _ := memorytest.Open(t)
	want := map[string]string{
		"503 during the deploy":     save(t, s, memory.SaveRequest{Content: "The gateway gave 503s in the deploy, as the cache was cold"}).ID,
		"is the timeout 90 or more": save(t, s, memory.SaveRequest{Content: "The probe of the gateway has a timeout of 90s now"}).ID,
	}
	for _, other := range []string{"Step 503 of the list", "Row 90 of the list"} {
		save(t, s, memory.SaveRequest{Content: other})
	}
	for question, id := range want {
		a, err := s.Search(ctx, memory.SearchRequest{Query: question})
		if err != nil || len(a.Hits) == 0 || a.Hits[0].ID != id {
			t.Errorf("%q: %+v %v", question, a.Hits, err)
		}
	}
}

// A snippet shows what a mistyped word, or one in another form, was taken for, and the
// rarer of two words.
func TestSnippetShowsWhatWasFound(t *testing.T) {
	s, _ := memorytest.Open(t)
	filler := strings.Repeat("Nothing of interest happens on this port at all.\n", 30)
	for i := range 5 {
		save(t, s, memory.SaveRequest{Content: fmt.Sprintf("Port of note %d", i)})
	}
	save(t, s, memory.SaveRequest{Content: filler + "Flaky tests go to quarantine, E4017 is one.\n" + filler + "Die Schlüssel sind hier.\n" + filler + "SMTP needs 587.\n" + filler})
	for question, shown := range map[string]string{"quarentine": "to quarantine", "error 4017": "E4017", "Schluessel": "Die Schlüssel", "port 587": "SMTP needs 587"} {
		a, err := s.Search(ctx, memory.SearchRequest{Query: question})
		if err != nil || !slices.ContainsFunc(a.Hits, func(h domain.Hit) bool { return strings.Contains(h.Snippet, shown) }) {
			t.Errorf("%q does not show %q: %+v %v", question, shown, a.Hits, err)
		}
	}
}

// What has no word to look for, or only words that are parts of longer ones, is looked
// for as it stands, and shown there.
func TestSearchFindsWordForWord(t *testing.T) {
	s, c := memorytest.Open(t)
	long := strings.Repeat("The party has food and drinks. ", 40)
	texts := map[string]string{}
	for _, content := range []string{
		"Der Etikettendrucker steht in Halle 3",
		"Ask the IT department for a key",
		long + "The band plays songs of\nThe Who only. " + long,
		"The text is: to be or not to be",
		"Add the flags -> then run it && wait",
	} {
		texts[save(t, s, memory.SaveRequest{Content: content}).ID] = content
		c.Pass(time.Minute)
	}
	for i := range 250 { // more than are read at a time
		save(t, s, memory.SaveRequest{Content: fmt.Sprintf("whoever it is, they are about to bend %d", i)})
		c.Pass(time.Minute)
	}
	for question, shown := range map[string]string{"the who": "songs of The Who only", `"to be or not to be"`: "to be or not to be", "IT": "the IT department",
		"&&": "run it && wait", "drucker": "Etikettendrucker"} {
		a, err := s.Search(ctx, memory.SearchRequest{Query: question})
		if err != nil || len(a.Hits) != 1 || len(a.Notes) != 1 || !strings.Contains(a.Hits[0].Snippet, shown) || a.Hits[0].Why == "" {
			t.Errorf("%q: %d hits %.1v, %q %v", question, len(a.Hits), a.Hits, a.Notes, err)
		}
	}
	for _, question := range []string{"it", "to have been or not"} { // a single word is in most texts
		a, err := s.Search(ctx, memory.SearchRequest{Query: question})
		if err != nil || len(a.Hits) != 10 || !strings.Contains(strings.Join(a.Notes, " "), "these are the newest contexts") {
			t.Errorf("%q: %d hits, %q %v", question, len(a.Hits), a.Notes, err)
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

// What a search lists without ranking it is told as it was known at that time as well.
func TestSearchAsOfListed(t *testing.T) {
	s, c := memorytest.Open(t)
	kept := save(t, s, memory.SaveRequest{Content: "It is what it is", Tags: []string{"early"}})
	gone := save(t, s, memory.SaveRequest{Content: "That is that", Tags: []string{"early"}})
	then := c.Now()
	c.Pass(time.Hour)
	if _, err := s.Update(ctx, memory.UpdateRequest{ID: kept.ID, AddTags: []string{"late"}, RemoveTags: []string{"early"}}); err != nil {
		t.Fatal(err)
	}
	save(t, s, memory.SaveRequest{Content: "It is something else", Supersedes: kept.ID})
	if _, err := s.Forget(ctx, memory.ForgetRequest{IDs: []string{gone.ID}}); err != nil {
		t.Fatal(err)
	}
	for question, want := range map[string][]string{"it is": {kept.ID}, "the": {gone.ID, kept.ID}, "today": {gone.ID, kept.ID}} {
		a, err := s.Search(ctx, memory.SearchRequest{Query: question, In: memory.InContexts, Filter: memory.Filter{AsOf: then}})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, h := range a.Hits {
			got = append(got, h.ID)
			if h.SupersededBy != "" || !slices.Equal(h.Tags, []string{"early"}) {
				t.Errorf("%q: %s is known with tags %v, replaced by %q", question, h.Snippet, h.Tags, h.SupersededBy)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q finds %v, want %v", question, got, want)
		}
	}
}

// A word is found as of a time when something had it, even if all that has it was
// forgotten since.
func TestSearchAsOfForgottenWord(t *testing.T) {
	s, c := memorytest.Open(t)
	old := save(t, s, memory.SaveRequest{Content: "The zeppelin service is retired"})
	then := c.Now()
	c.Pass(time.Hour)
	forget := func(id string) {
		t.Helper()
		if _, err := s.Forget(ctx, memory.ForgetRequest{IDs: []string{id}}); err != nil {
			t.Fatal(err)
		}
	}
	forget(old.ID)
	ask := func() {
		t.Helper()
		a, err := s.Search(ctx, memory.SearchRequest{Query: "zeppelin", In: memory.InContexts, Filter: memory.Filter{AsOf: then}})
		if err != nil || len(a.Hits) != 1 || a.Hits[0].ID != old.ID {
			t.Errorf("found %+v, %v: %v", a.Hits, err, a.Notes)
		}
	}
	ask() // of nothing else
	for _, content := range []string{"The mail service is retired", "Backups run at night"} {
		save(t, s, memory.SaveRequest{Content: content})
	}
	ask()
	memory.ListMost(t, 1) // sifted
	ask()
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

// What was saved in the same words again and again is found as it was last, or first if that is
// asked, however often it was.
func TestSearchOfEqualTexts(t *testing.T) {
	s, c := memorytest.Open(t)
	var ids []string
	for i := range 150 {
		ids = append(ids, save(t, s, memory.SaveRequest{Content: fmt.Sprintf("Deployed build %d to staging, the smoke tests passed.", 4000+i)}).ID)
		c.Pass(5 * time.Hour)
	}
	for question, want := range map[string][]string{"latest build on staging": ids[149:], "which build did we deploy last": ids[149:], "what was deployed lately": ids[149:],
		"what did we deploy to staging": ids[145:], "the first build that we deployed to staging": ids[:5]} {
		a, err := s.Search(ctx, memory.SearchRequest{Query: question, Limit: 1})
		if err != nil || len(a.Hits) == 0 || !slices.Contains(want, a.Hits[0].ID) {
			t.Errorf("%q finds %+v %v", question, a.Hits, err)
		}
	}
}

// A question that asks for a time alone lists what is of that time, page by page, whatever
// older texts say of weeks, days and what happens. What was said then comes behind it.
func TestSearchByTimeAlone(t *testing.T) {
	s, c := memorytest.Open(t)
	var ids []string
	for i := range 40 {
		at := c.Now().AddDate(0, 0, -i)
		ids = append(ids, save(t, s, memory.SaveRequest{Content: fmt.Sprintf("Gate x%c%c is built", 'a'+i/26, 'a'+i%26), Timestamp: at}).ID)
	}
	for _, old := range []string{"Deployments happen on Tuesdays.", "They wanted a monthly minimum.", "On-call changes last each week; three days off follow.", "Das wurde gemacht.", "We decide together."} {
		save(t, s, memory.SaveRequest{Content: old, Timestamp: c.Now().AddDate(0, 0, -90)})
	}
	record(t, s, memory.SessionRef{Client: "test", ClientSessionID: "a"}, user("what happened to the gate?"))
	for question, want := range map[string][]string{
		"what happened today": ids[:1], "what did we decide yesterday?": ids[1:2], "what did we do in the past three days": ids[:4],
		"was wurde gestern gemacht": ids[1:2], "anything from the last 30 days": ids[:31],
	} {
		var got []string
		req := memory.SearchRequest{Query: question, In: memory.InContexts, Limit: 8}
		for {
			a, err := s.Search(ctx, req)
			if err != nil {
				t.Fatal(err)
			}
			for _, h := range a.Hits {
				got = append(got, h.ID)
			}
			if req.Cursor = a.NextCursor; req.Cursor == "" {
				break
			}
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%q (-want +got)\n%s", question, d)
		}
	}
	a, err := s.Search(ctx, memory.SearchRequest{Query: "what happened today"})
	if err != nil || len(a.Hits) != 2 || a.Hits[0].ID != ids[0] || a.Hits[0].Why != "from the time you name" || !a.Hits[1].IsMessage() || len(a.Notes) != 1 {
		t.Errorf("%+v %v", a, err)
	}
	c.Pass(3 * 24 * time.Hour)
	a, err = s.Search(ctx, memory.SearchRequest{Query: "what did we do yesterday?"})
	if err != nil || len(a.Hits) < 5 || a.Hits[0].ID != ids[0] || a.Hits[0].Why != "from before the time you name" || !strings.Contains(a.Notes[0], "no context is of the time") {
		t.Errorf("%+v %v", a, err)
	}
	c.Pass(30 * 24 * time.Hour)
	if a, err = s.Search(ctx, memory.SearchRequest{Query: "what did we do yesterday?"}); err != nil || strings.Contains(strings.Join(a.Notes, " "), "week") {
		t.Errorf("what was a month ago is of no week before yesterday: %+v %v", a, err)
	}
	a, err = s.Search(ctx, memory.SearchRequest{Query: "what happened on the gate yesterday"})
	if err != nil || len(a.Hits) < 5 {
		t.Errorf("a question for more than a time is answered by it alone: %+v %v", a, err)
	}
}

// A question for hours lists what is of them, or of their day if they have nothing, the first
// of a time from its beginning, and says how it was read. So does one that asks for more.
func TestSearchByHours(t *testing.T) {
	s, c := memorytest.Open(t) // at 9 o'clock on Monday, 4 May 2026
	at := func(day, hour int) time.Time { return time.Date(2026, 5, day, hour, 0, 0, 0, c.Now().Location()) }
	one := save(t, s, memory.SaveRequest{Content: "Gate one drifts.", Timestamp: at(3, 8)}).ID
	two := save(t, s, memory.SaveRequest{Content: "Gate two drifts.", Timestamp: at(3, 19)}).ID
	three := save(t, s, memory.SaveRequest{Content: "Gate three drifts.", Timestamp: at(3, 20)}).ID
	four := save(t, s, memory.SaveRequest{Content: "Gate four drifts.", Timestamp: at(4, 8)}).ID
	for question, want := range map[string]struct {
		ids  []string
		note string
	}{
		"what happened last evening?":                       {[]string{three, two}, "the contexts of 2026-05-03 17:00 to 2026-05-04 00:00 (+00:00), the newest first"},
		"what did we do yesterday morning?":                 {[]string{one}, "of 2026-05-03 04:00 to 2026-05-03 12:00 (+00:00)"},
		"what happened around noon yesterday":               {[]string{three, two, one}, "no context is of the hours that the question names; these are the contexts of 2026-05-03 (+00:00), the newest first"},
		"what was the first thing that happened yesterday?": {[]string{one, two, three}, "the contexts of 2026-05-03 (+00:00), the oldest first"},
		"which gate drifted last evening":                   {nil, "the question's time is read as 2026-05-03 17:00 to 2026-05-04 00:00 (+00:00)"},
		"which gate drifted yesterday or today":             {nil, "read as 2026-05-03 (+00:00) and 2026-05-04 (+00:00)"},
		"what happened before today?":                       {[]string{three, two, one}, "the contexts of the time until 2026-05-03 (+00:00), the newest first"},
		"what happened an hour ago?":                        {[]string{four}, "the contexts of 2026-05-04 07:00 to 2026-05-04 08:31 (+00:00)"},
		"which gate drifted over the weekend":               {nil, "2026-05-02 to 2026-05-03 (+00:00)"},
		"what happened in March 2019?":                      {[]string{}, "the question's time is read as 2019-03-01 to 2019-03-31 (+00:00)"}, // which explains why there is nothing
	} {
		a, err := s.Search(ctx, memory.SearchRequest{Query: question, In: memory.InContexts})
		if err != nil || want.ids != nil && !slices.Equal(idsOf(a.Hits), want.ids) || len(a.Notes) == 0 || !strings.Contains(a.Notes[0], want.note) {
			t.Errorf("%q: %v %v %v, want %v", question, idsOf(a.Hits), a.Notes, err, want)
		}
	}
	if a, err := s.Search(ctx, memory.SearchRequest{Query: "which gate drifted last evening"}); err != nil || len(a.Hits) == 0 || a.Hits[0].ID != three {
		t.Errorf("%v %v, want %s first", idsOf(a.Hits), err, three)
	}
}

// A question for a date alone lists what is of that date, whatever has its number; but a text
// of another day that tells of the date comes first.
func TestSearchByDateAlone(t *testing.T) {
	s, c := memorytest.Open(t) // on 4 May 2026
	at := func(day int) time.Time { return time.Date(2026, 4, day, 10, 0, 0, 0, c.Now().Location()) }
	for i, other := range []string{"A reservation is held for 12 minutes.", "Sessions last 12 hours.", "April fools day is no day to deploy.", "Scanners drift."} {
		save(t, s, memory.SaveRequest{Content: other, Timestamp: at(11 + 2*(i%2))})
	}
	first := save(t, s, memory.SaveRequest{Content: "Gate 7 had a slow clock.", Timestamp: at(12)})
	second := save(t, s, memory.SaveRequest{Content: "Tokens are accepted early.", Timestamp: at(12).Add(time.Hour)})
	told := save(t, s, memory.SaveRequest{Content: "The outage of 12 April cost us a day.", Timestamp: at(20)})
	for _, question := range []string{"what did we do on 12 April?", "What happened on April 12th", "what was decided on 12 Apr"} {
		a, err := s.Search(ctx, memory.SearchRequest{Query: question})
		if err != nil {
			t.Fatal(err)
		}
		want := []string{told.ID, second.ID, first.ID}
		if strings.Contains(question, "Apr ") || strings.HasSuffix(question, "Apr") {
			want = want[1:] // it tells of April, not of Apr
		}
		if d := cmp.Diff(want, idsOf(a.Hits)); d != "" {
			t.Errorf("%q (-want +got)\n%s", question, d)
		}
	}
	save(t, s, memory.SaveRequest{Content: "In April the hall has 12 gates; users may pass one twice.", Timestamp: at(21).AddDate(0, -1, 0)})
	may := save(t, s, memory.SaveRequest{Content: "Printers drift, too.", Timestamp: c.Now().Add(-time.Hour)})
	for question, want := range map[string]string{"what did we do on 12 April?": told.ID, "what happened in May?": may.ID} {
		if a, err := s.Search(ctx, memory.SearchRequest{Query: question}); err != nil || len(a.Hits) == 0 || a.Hits[0].ID != want || (len(a.Notes) == 2) != (want == told.ID) {
			t.Errorf("%q: %+v, %v, %v, want %s first", question, a.Hits, a.Notes, err, want)
		}
	}
	a, err := s.Search(ctx, memory.SearchRequest{Query: "what happened on 1 February?"})
	if err != nil || len(a.Hits) > 0 && a.Hits[0].Why == "from the time you name" {
		t.Errorf("nothing is of that date: %+v, %v", a.Hits, err)
	}
}

// Where sessions alone are of the time that a question names, what was said then comes before
// the contexts of the week before.
func TestSearchByTimeOfMessages(t *testing.T) {
	s, c := memorytest.Open(t)
	for i := range 12 {
		save(t, s, memory.SaveRequest{Content: fmt.Sprintf("Gate x%c is built", 'a'+i)})
	}
	c.Pass(3 * 24 * time.Hour)
	record(t, s, memory.SessionRef{Client: "test", ClientSessionID: "a"}, user("move the config loader to TOML"), assistant("The loader reads TOML now."))
	c.Pass(24 * time.Hour)
	a, err := s.Search(ctx, memory.SearchRequest{Query: "what did we do yesterday?"})
	if err != nil || len(a.Hits) != 10 || !a.Hits[0].IsMessage() || !a.Hits[1].IsMessage() || a.Hits[2].Why != "from before the time you name" || !strings.Contains(a.Notes[0], "what was said then comes first") {
		t.Errorf("%+v %v", a, err)
	}
	a, err = s.Search(ctx, memory.SearchRequest{Query: "what did we do yesterday?", In: memory.InContexts})
	if err != nil || len(a.Hits) != 10 || a.Hits[0].Why != "from before the time you name" || strings.Contains(a.Notes[0], "said") {
		t.Errorf("of contexts alone: %+v %v", a, err)
	}
}

// Where nothing at all is of the time that a question names, the contexts of the week before
// come before what was said at any time.
func TestSearchByTimeOfNothing(t *testing.T) {
	s, c := memorytest.Open(t)
	record(t, s, memory.SessionRef{Client: "test", ClientSessionID: "a"}, user("Let us plan the cart. Prices must never be wrong by a cent."),
		assistant("I suggest whole cents as integers. Shall I?"), user("Yes, do that."))
	c.Pass(7 * 24 * time.Hour)
	id := save(t, s, memory.SaveRequest{Content: "We now use PostgreSQL instead of SQLite."}).ID
	c.Pass(14 * 24 * time.Hour)
	a, err := s.Search(ctx, memory.SearchRequest{Query: "what did we decide last week?"})
	if err != nil || len(a.Hits) < 2 || a.Hits[0].ID != id || !a.Hits[1].IsMessage() {
		t.Errorf("%+v %v", a, err)
	}
}

// Who misspells a project, or names one that nobody knows, is told which there are.
func TestUnknownProjectIsNamed(t *testing.T) {
	s, _ := memorytest.Open(t)
	for _, project := range []string{"shop", "Mobile App", "demo"} {
		save(t, s, memory.SaveRequest{Content: "The cache listens on port 6380 of " + project, Project: project})
	}
	for project, want := range map[string]string{"Shop": `there is "shop"`, "mobile-app": `there is "Mobile App"`, "attic": `"Mobile App"`, "shop": "", "": "", "*": ""} {
		found, err := s.Search(ctx, memory.SearchRequest{Query: "zebra", Project: project})
		if err != nil {
			t.Fatal(err)
		}
		listed, err := s.Load(ctx, memory.LoadRequest{Project: project, Filter: memory.Filter{Until: s.Now().AddDate(-1, 0, 0)}})
		if err != nil {
			t.Fatal(err)
		}
		next, err := s.Predict(ctx, memory.PredictRequest{Project: project, MinScore: 1})
		if err != nil {
			t.Fatal(err)
		}
		changed, err := s.Recalculate(ctx, memory.RecalculateRequest{Project: project})
		if err != nil {
			t.Fatal(err)
		}
		all := [][]string{found.Notes, listed.Notes, next.Notes, changed.Notes}
		if project != memory.AllProjects {
			gone, err := s.Forget(ctx, memory.ForgetRequest{Project: project, Expired: true, DryRun: true})
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, gone.Notes)
		}
		for _, notes := range all {
			if said := fmt.Sprint(notes); strings.Contains(said, "there is no project") != (want != "") || !strings.Contains(said, want) {
				t.Errorf("%q: %s", project, said)
			}
		}
	}
}

func found(a memory.SearchAnswer, id string) bool {
	return slices.ContainsFunc(a.Hits, func(h domain.Hit) bool { return h.ID == id })
}

// A filter that names more than a context can have is refused in words, not by the engine.
func TestFilterBounds(t *testing.T) {
	s, _ := memorytest.Open(t)
	c := save(t, s, memory.SaveRequest{Content: "Backups run at night."})
	many := make([]string, 2000)
	for i := range many {
		many[i] = fmt.Sprint("tag", i)
	}
	f := memory.Filter{Tags: many}
	_, searching := s.Search(ctx, memory.SearchRequest{Query: "when do backups run?", Filter: f})
	_, loading := s.Load(ctx, memory.LoadRequest{Filter: f})
	_, opening := s.Load(ctx, memory.LoadRequest{IDs: []string{c.ID}, Filter: f})
	for _, err := range []error{searching, loading, opening} {
		if domain.KindOf(err) != domain.KindInvalid {
			t.Errorf("it says %v", err)
		}
	}
	day := time.Date(2026, 5, 4, 0, 0, 0, 0, time.UTC)
	for _, until := range []time.Time{day, day.AddDate(0, 0, -1)} {
		f = memory.Filter{Since: day, Until: until}
		_, searching = s.Search(ctx, memory.SearchRequest{Query: "when do backups run?", Filter: f})
		_, loading = s.Load(ctx, memory.LoadRequest{Filter: f})
		_, listing := s.Sessions(ctx, memory.SessionsRequest{Since: f.Since, Until: f.Until})
		for _, err := range []error{searching, loading, listing} {
			if domain.KindOf(err) != domain.KindInvalid {
				t.Errorf("from %v to %v: it says %v", f.Since, f.Until, err)
			}
		}
	}
	f = memory.Filter{ActionTypes: slices.Repeat([]domain.ActionType{domain.Decision}, 100_000)}
	if _, err := s.Search(ctx, memory.SearchRequest{Query: "when do backups run?", Filter: f}); err != nil {
		t.Errorf("repeated types: %v", err)
	}
}

// A hit tells the reason, which is searched as well: "why" asks for nothing else.
func TestSearchTellsReason(t *testing.T) {
	s, _ := memorytest.Open(t)
	save(t, s, memory.SaveRequest{Content: "We move to Adyen.", ActionType: domain.Decision, Rationale: "Henning wants an exemption engine; the token is ghp_0123456789abcdefghijABCDEFGHIJ456789."})
	save(t, s, memory.SaveRequest{Content: "Carts expire after 30 days because of storage.", ActionType: domain.Decision, Rationale: "because of storage."})
	for query, want := range map[string]string{
		"why Adyen":                "We move to Adyen. Why: Henning wants an exemption engine; the token is [secret:github_token].",
		"what did Henning want":    "We move to Adyen. Why: Henning wants an exemption engine; the token is [secret:github_token].",
		"when do our carts expire": "Carts expire after 30 days because of storage.",
	} {
		a, err := s.Search(ctx, memory.SearchRequest{Query: query})
		if err != nil || len(a.Hits) == 0 || a.Hits[0].Snippet != want {
			t.Errorf("%s: %+v, %v, want %q", query, a.Hits, err, want)
		}
	}
}
