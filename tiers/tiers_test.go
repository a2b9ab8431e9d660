package tiers_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"wake/domain"
	"wake/tiers"
)

var now = time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)

// 002-03, 002-08: under 1 h, 24 h and 30 d since the last access, else expired.
func TestOf(t *testing.T) {
	tests := []struct {
		age  time.Duration
		want domain.Tier
	}{
		{-48 * time.Hour, domain.TierActive}, // a clock that went back
		{0, domain.TierActive},
		{time.Hour - time.Microsecond, domain.TierActive},
		{time.Hour, domain.TierRecent},
		{24*time.Hour - time.Microsecond, domain.TierRecent},
		{24 * time.Hour, domain.TierArchived},
		{30*24*time.Hour - time.Microsecond, domain.TierArchived},
		{30 * 24 * time.Hour, domain.TierExpired},
		{4000 * 24 * time.Hour, domain.TierExpired},
	}
	for _, tt := range tests {
		if got := tiers.DefaultWindows.Of(now.Add(-tt.age), now); got != tt.want {
			t.Errorf("age %s: %s, want %s", tt.age, got, tt.want)
		}
	}
}

// Spans say the same as Of, for every age and every lawful choice of windows:
// each time lies in exactly the span of its tier.
func TestSpansAgreeWithOf(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := tiers.Windows{Active: time.Duration(rapid.Int64Range(1, 1e6).Draw(t, "active")) * time.Microsecond}
		w.Recent = w.Active + time.Duration(rapid.Int64Range(1, 1e6).Draw(t, "recent"))*time.Microsecond
		w.Archived = w.Recent + time.Duration(rapid.Int64Range(1, 1e6).Draw(t, "archived"))*time.Microsecond
		touched := now.Add(-time.Duration(rapid.Int64Range(-10, 4e6).Draw(t, "age")) * time.Microsecond)
		tier := w.Of(touched, now)
		for name, span := range w.Spans(now) {
			in := !touched.Before(span.From) && (span.To.IsZero() || touched.Before(span.To))
			if in != (name == tier) {
				t.Fatalf("%s lies in the span of %s: %v; its tier is %s", touched, name, in, tier)
			}
		}
	})
}

// Windows that do not rise are refused.
func TestCheckWindows(t *testing.T) {
	if err := tiers.DefaultWindows.Check(); err != nil {
		t.Error(err)
	}
	for _, w := range []tiers.Windows{
		{}, {Active: -1, Recent: 1, Archived: 2}, {Recent: 1, Archived: 2},
		{Active: time.Hour, Recent: time.Hour, Archived: 2 * time.Hour}, {Active: time.Hour, Recent: 2 * time.Hour, Archived: 2 * time.Hour},
	} {
		if domain.KindOf(w.Check()) != domain.KindInvalid {
			t.Errorf("%v is taken", w)
		}
	}
}

// What is pinned or the cause of something kept stays in any case; what was
// recorded, used or shown in the last 30 days stays unless it was named.
func TestProtection(t *testing.T) {
	long := now.Add(-60 * 24 * time.Hour)
	day := now.Add(-24 * time.Hour)
	month := now.Add(-30 * 24 * time.Hour)
	within := month.Add(time.Microsecond)
	old := domain.ContextSnapshot{Timestamp: long, SavedAt: long}
	tests := []struct {
		name  string
		c     tiers.Candidate
		stays bool
	}{
		{"old and unused", tiers.Candidate{Context: old}, false},
		{"pinned, named", tiers.Candidate{Context: domain.ContextSnapshot{Pinned: true, SavedAt: long}, Named: true}, true},
		{"cause of something kept, named", tiers.Candidate{Context: old, CauseOf: []string{"x"}, Named: true}, true},
		{"shown yesterday", tiers.Candidate{Context: old, LastSeen: day}, true},
		{"shown yesterday, named", tiers.Candidate{Context: old, LastSeen: day, Named: true}, false},
		{"imported yesterday with an old time", tiers.Candidate{Context: domain.ContextSnapshot{Timestamp: long, SavedAt: day}}, true},
		{"recorded 30 days ago", tiers.Candidate{Context: domain.ContextSnapshot{Timestamp: long, SavedAt: month}}, false},
		{"recorded less than 30 days ago", tiers.Candidate{Context: domain.ContextSnapshot{Timestamp: long, SavedAt: within}}, true},
		{"used 30 days ago", tiers.Candidate{Context: domain.ContextSnapshot{Timestamp: long, SavedAt: long, Memory: domain.Memory{LastAccessed: month}}}, false},
		{"used less than 30 days ago", tiers.Candidate{Context: domain.ContextSnapshot{Timestamp: long, SavedAt: long, Memory: domain.Memory{LastAccessed: within}}}, true},
		{"shown 30 days ago", tiers.Candidate{Context: old, LastSeen: month}, false},
		{"shown less than 30 days ago", tiers.Candidate{Context: old, LastSeen: within}, true},
		{"used yesterday", tiers.Candidate{Context: domain.ContextSnapshot{Timestamp: long, SavedAt: long, Memory: domain.Memory{LastAccessed: day}}}, true},
	}
	for _, tt := range tests {
		if why := tiers.Protections([]tiers.Candidate{tt.c}, now); (why[0] != "") != tt.stays {
			t.Errorf("%s: %q", tt.name, why)
		}
	}
}

// Candidates that may go protect no cause among them. One that stays keeps its cause, and
// that keeps its own, in whatever order they are given.
func TestProtectionOfCauses(t *testing.T) {
	long := now.Add(-60 * 24 * time.Hour)
	old := func(id string, effects ...string) tiers.Candidate {
		return tiers.Candidate{Context: domain.ContextSnapshot{ID: id, Timestamp: long, SavedAt: long}, CauseOf: effects}
	}
	pinned := old("pinned")
	pinned.Context.Pinned = true
	tests := []struct {
		name       string
		candidates []tiers.Candidate
		stay       []bool
	}{
		{"a chain that may go", []tiers.Candidate{old("a", "b"), old("b", "c"), old("c")}, []bool{false, false, false}},
		{"the effect is not asked for", []tiers.Candidate{old("a", "b"), old("b", "x"), old("c")}, []bool{true, true, false}},
		{"the last effect is pinned", []tiers.Candidate{old("a", "b"), old("b", "pinned"), pinned}, []bool{true, true, true}},
		{"newest first", []tiers.Candidate{pinned, old("b", "pinned"), old("a", "b")}, []bool{true, true, true}},
		{"a circle that may go", []tiers.Candidate{old("a", "b"), old("b", "a")}, []bool{false, false}},
	}
	for _, tt := range tests {
		for i, why := range tiers.Protections(tt.candidates, now) {
			if (why != "") != tt.stay[i] {
				t.Errorf("%s: %s: %q", tt.name, tt.candidates[i].Context.ID, why)
			}
		}
	}
}
