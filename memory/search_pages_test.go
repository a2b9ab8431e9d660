package memory_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"wake/memory"
	"wake/memory/memorytest"
)

// However small its pages are, a search hands out one list, each hit once, and comes to an
// end: also where successors move up, with and without filters, and where messages make
// room for what was distilled from them.
func TestSearchPagesAreOneList(t *testing.T) {
	s, c := memorytest.Open(t)
	distilFromWidgets(t, s, c)
	replaceWidgets(t, s, c)
	for _, filter := range []memory.Filter{{}, {Tags: []string{"kept"}}} {
		req := memory.SearchRequest{Query: "widget panel", Limit: 100, Filter: filter}
		want := paged(t, s, req)
		if distinct := slices.Compact(slices.Sorted(slices.Values(want))); len(distinct) != len(want) || len(want) < 40 {
			t.Fatalf("%d hits, %d of them distinct", len(want), len(distinct))
		}
		for _, req.Limit = range []int{1, 7, 10, 33} {
			if diff := cmp.Diff(want, paged(t, s, req)); diff != "" {
				t.Errorf("tags %v, %d a page (-want +got):\n%s", filter.Tags, req.Limit, diff)
			}
		}
		req.Limit, req.TokenBudget = 10, 300
		if diff := cmp.Diff(want, paged(t, s, req)); diff != "" {
			t.Errorf("tags %v, a budget (-want +got):\n%s", filter.Tags, diff)
		}
	}
}

// What is saved and forgotten while a search is paged neither pushes hits onto the next
// page once more nor off it.
func TestSearchPagesWhileSomebodySaves(t *testing.T) {
	s, c := memorytest.Open(t)
	var want []string
	for i := range 30 {
		want = append(want, save(t, s, memory.SaveRequest{Content: fmt.Sprintf("widget panel number %d", i)}).ID)
		c.Pass(time.Minute)
	}
	record(t, s, claude, user("the widget panel is red"))
	c.Pass(time.Minute)
	req, got := memory.SearchRequest{Query: "widget panel", Limit: 10, In: memory.InContexts}, []string(nil)
	for page := range 5 {
		a, err := s.Search(ctx, req)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, idsOf(a.Hits)...)
		if req.Cursor = a.NextCursor; req.Cursor == "" {
			break
		}
		for i := range 3 {
			c.Pass(time.Minute)
			save(t, s, memory.SaveRequest{Content: fmt.Sprintf("widget panel, widget panel %d.%d", page, i)})
		}
		if _, err := s.Forget(ctx, memory.ForgetRequest{IDs: idsOf(a.Hits[:2])}); err != nil {
			t.Fatal(err)
		}
	}
	missing := 0
	for _, id := range want {
		if !slices.Contains(got, id) {
			missing++
		}
	}
	distinct := slices.Compact(slices.Sorted(slices.Values(got)))
	if missing > 0 || len(distinct) != len(got) {
		t.Errorf("%d of %d hits are distinct, %d are missing", len(distinct), len(got), missing)
	}
}

// Of hundreds of contexts that are nearly the same, those beyond the ones that are measured
// in full come too, behind these, each once; also those of several projects.
func TestSearchPagesReachEveryMatch(t *testing.T) {
	s, c := memorytest.Open(t)
	const deploys = 500
	services := strings.Fields("billing search catalog checkout mail")
	for i := range deploys {
		save(t, s, memory.SaveRequest{Project: []string{"demo", "demo", "other"}[i%3],
			Content: fmt.Sprintf("deploy %d of service %s failed with code %d", i, services[i%len(services)], 500+i%7)})
		c.Pass(time.Minute)
	}
	record(t, s, claude, user("why did the deploy of service billing fail?"), user("the deploy failed again"))
	c.Pass(time.Hour)
	for _, filter := range []memory.Filter{{}, {Since: c.Now().AddDate(-1, 0, 0)}} {
		req := memory.SearchRequest{Query: "failed deploys", Project: "*", Limit: 100, Filter: filter}
		want := paged(t, s, req)
		if distinct := slices.Compact(slices.Sorted(slices.Values(want))); len(distinct) != len(want) || len(want) != deploys+2 {
			t.Errorf("%d hits, %d of them distinct, of %d", len(want), len(distinct), deploys+2)
		}
		req.Limit = 10
		if diff := cmp.Diff(want, paged(t, s, req)); diff != "" {
			t.Errorf("10 a page (-want +got):\n%s", diff)
		}
	}
}

// paged are the ids of all hits of a search, page after page.
func paged(t *testing.T, s *memory.Service, req memory.SearchRequest) (ids []string) {
	t.Helper()
	for {
		a, err := s.Search(ctx, req)
		if err != nil || len(a.Hits) == 0 || len(ids) > 1000 {
			t.Fatalf("%d hits a page: %d behind %d, %v", req.Limit, len(a.Hits), len(ids), err)
		}
		ids = append(ids, idsOf(a.Hits)...)
		if req.Cursor = a.NextCursor; req.Cursor == "" {
			return ids
		}
	}
}

// distilFromWidgets keeps forty messages about widgets, of which some become contexts.
func distilFromWidgets(t *testing.T, s *memory.Service, c *memorytest.Clock) {
	t.Helper()
	things := strings.Fields("apple river candle mountain engine violin garden bottle planet window rocket pencil market basket " +
		"forest hammer island jacket kettle ladder mirror needle ocean pillow quarry ribbon saddle temple uniform valley wagon " +
		"yard zebra anchor bridge castle desert emerald falcon glacier")
	var said []string
	for i, thing := range things {
		other, often := things[(i+7)%len(things)], strings.Repeat(" and widget", i%5)
		if i%2 == 0 {
			said = append(said, user(fmt.Sprintf("Let's use %s for the %s widget, because it is dry%s.", thing, other, often)))
		} else {
			said = append(said, user(fmt.Sprintf("The widget of %s stands on %s%s", thing, other, often)))
		}
	}
	id := record(t, s, claude, said...).SessionID
	c.Pass(time.Hour)
	if n, err := s.Distil(ctx, id); err != nil || n < 5 {
		t.Fatalf("%d distilled, %v", n, err)
	}
}

// replaceWidgets saves contexts, a third of which replace another.
func replaceWidgets(t *testing.T, s *memory.Service, c *memorytest.Clock) {
	t.Helper()
	r := rand.New(rand.NewPCG(0, 1))
	var free []string // none of them is replaced
	for i := range 60 {
		req := memory.SaveRequest{Tags: []string{"kept"}, Content: fmt.Sprintf("widget %snumber %d %s",
			strings.Repeat("panel ", r.IntN(4)), i, strings.Repeat("filler words ", r.IntN(20)))}
		if len(free) > 5 && i%3 == 0 {
			at := r.IntN(len(free))
			req.Supersedes, free = free[at], slices.Delete(free, at, at+1)
		}
		free = append(free, save(t, s, req).ID)
		c.Pass(time.Minute)
	}
}
