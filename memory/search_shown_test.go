package memory_test

import (
	"strings"
	"testing"

	"wake/domain"
	"wake/memory"
	"wake/memory/memorytest"
)

// Only what a search hands out is logged as shown, whatever stands between its hits:
// what was shown is not forgotten for 30 days.
func TestSearchLogsWhatItShows(t *testing.T) {
	s, _ := memorytest.Open(t)
	record(t, s, claude, user("Which port does the nightly billing export to Lisbon listen on?"))
	for _, content := range []string{"The billing runs on Mondays.", "An export needs an hour."} {
		save(t, s, memory.SaveRequest{Content: content + strings.Repeat(" More of it follows here.", 20)})
	}
	seen := int64(0)
	for budget := 1; budget < 600; budget += 25 {
		a, err := s.Search(ctx, memory.SearchRequest{Query: "port of the nightly billing export to Lisbon", TokenBudget: budget})
		if err != nil || len(a.Hits) == 0 {
			t.Fatalf("%+v %v", a, err)
		}
		if err := s.Flush(ctx); err != nil {
			t.Fatal(err)
		}
		log, err := s.Store.AccessLog(ctx, "demo", seen, 100)
		if err != nil {
			t.Fatal(err)
		}
		var want, shown []string
		for _, h := range a.Hits {
			if h.Summary != "" {
				want = append(want, h.ID)
			}
		}
		for _, access := range log {
			if seen = access.N; access.How == domain.Shown {
				shown = append(shown, access.ContextID)
			}
		}
		if strings.Join(shown, " ") != strings.Join(want, " ") {
			t.Errorf("budget %d: %q are logged as shown, want %q", budget, shown, want)
		}
	}
}
