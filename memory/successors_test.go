package memory_test

import (
	"fmt"
	"strings"
	"testing"

	"wake/domain"
	"wake/memory"
	"wake/memory/memorytest"
)

// What holds today is told with what it replaced, and before it, even when it has
// none of the question's words; a successor of a successor likewise.
func TestSuccessorsAreBroughtIn(t *testing.T) {
	s, _ := memorytest.Open(t)
	first := save(t, s, memory.SaveRequest{Content: "We cache sessions in Redis", Tags: []string{"cache"}})
	for i := range 8 { // neighbours of what is found are looked at too; these keep it apart
		save(t, s, memory.SaveRequest{Content: fmt.Sprintf("Lunch number %d was soup", i)})
	}
	second := save(t, s, memory.SaveRequest{Content: "Visits live on one big machine", Supersedes: first.ID})
	third := save(t, s, memory.SaveRequest{Content: "Every visit is a row now", Supersedes: second.ID})
	a, err := s.Search(ctx, memory.SearchRequest{Query: "redis cache"})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := idsOf(a.Hits[:min(3, len(a.Hits))]), []string{third.ID, second.ID, first.ID}; strings.Join(got, " ") != strings.Join(want, " ") {
		t.Fatalf("found %v, want %v", got, want)
	}
	if why := a.Hits[0].Why; why != "replaces "+second.ID {
		t.Errorf("the successor is there because it %q", why)
	}
	if why := a.Hits[2].Why; !strings.Contains(why, "superseded by "+second.ID) {
		t.Errorf("the superseded one says %q", why)
	}
}

// A successor that is found by itself, too, scores no less than what it replaced: it stands
// before that, and a higher score means a better answer.
func TestSuccessorsScoreNoLess(t *testing.T) {
	s, _ := memorytest.Open(t)
	old := save(t, s, memory.SaveRequest{Content: "We deploy the shop with Kubernetes on two machines."})
	between := save(t, s, memory.SaveRequest{Content: "We deploy with a script.", Supersedes: old.ID})
	save(t, s, memory.SaveRequest{Content: "Compose runs the shop again.", Supersedes: between.ID})
	a, err := s.Search(ctx, memory.SearchRequest{Query: "How do we deploy the shop with Kubernetes on two machines?"})
	if err != nil || len(a.Hits) != 3 {
		t.Fatalf("%+v, %v; want three hits", a.Hits, err)
	}
	for i, h := range a.Hits[1:] {
		if h.Score > a.Hits[i].Score {
			t.Errorf("%q has %g, more than the %g of %q before it", h.Snippet, h.Score, a.Hits[i].Score, a.Hits[i].Snippet)
		}
	}
}

// A filter that keeps a successor out is obeyed; what was found says by what it
// was replaced.
func TestFiltersKeepSuccessorsOut(t *testing.T) {
	s, _ := memorytest.Open(t)
	old := save(t, s, memory.SaveRequest{Content: "We cache sessions in Redis", Tags: []string{"cache"}})
	fresh := save(t, s, memory.SaveRequest{Content: "Everything lives in Postgres", Supersedes: old.ID})
	a, err := s.Search(ctx, memory.SearchRequest{Query: "redis cache", Filter: memory.Filter{Tags: []string{"cache"}}})
	if err != nil || len(a.Hits) != 1 || a.Hits[0].SupersededBy != fresh.ID {
		t.Errorf("%+v %v", a.Hits, err)
	}
}

// With explain a search names the first that its page has no room for.
func TestExplainNamesWhatWouldHaveBeenNext(t *testing.T) {
	s, _ := memorytest.Open(t)
	for _, content := range []string{"The parser reads tokens", "The parser skips comments", "The parser keeps blank lines"} {
		save(t, s, memory.SaveRequest{Content: content})
	}
	all, err := s.Search(ctx, memory.SearchRequest{Query: "what does the parser do?", Explain: true})
	if err != nil || len(all.Hits) != 3 || len(all.Notes) != 0 {
		t.Fatalf("%+v %v", all, err)
	}
	for _, req := range []memory.SearchRequest{{Limit: 2}, {TokenBudget: 1}} {
		req.Query, req.Explain = "what does the parser do?", true
		a, err := s.Search(ctx, req)
		if err != nil {
			t.Fatal(err)
		}
		want := "next would have been " + all.Hits[len(a.Hits)].ID + " ("
		if len(a.Notes) != 1 || !strings.HasPrefix(a.Notes[0], want) || !strings.Contains(a.Notes[0], `has "parser"`) {
			t.Errorf("%+v: notes %q, want %q", req, a.Notes, want)
		}
	}
}

func idsOf(hits []domain.Hit) []string {
	var out []string
	for _, h := range hits {
		out = append(out, h.ID)
	}
	return out
}
