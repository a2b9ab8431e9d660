package memory_test

import (
	"testing"
	"time"

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
