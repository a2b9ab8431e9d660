package prediction_test

import (
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"wake/prediction"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// accesses returns a history of n accesses, the last one at the given age before noon.
func accesses(n int, age time.Duration) *prediction.History {
	h := &prediction.History{}
	for k := range n {
		at := noon.Add(-age - time.Duration(n-1-k)*time.Hour)
		h.Add(prediction.Visit{At: at.Unix(), Step: int64(k + 1)})
	}
	return h
}

// 002-08: the upstream's formula, value by value.
func TestWakeIQX(t *testing.T) {
	root := prediction.Facts{HasCausality: true, Root: true}
	tests := []struct {
		name string
		f    prediction.Facts
		h    *prediction.History
		want float64
	}{
		{"never accessed, active, no causality", prediction.Facts{Tier: "ACTIVE"}, accesses(0, 0), 0.12},
		{"never accessed, recent", prediction.Facts{Tier: "RECENT"}, accesses(0, 0), 0.08},
		{"never accessed, archived", prediction.Facts{Tier: "ARCHIVED"}, accesses(0, 0), 0.04},
		{"never accessed, expired", prediction.Facts{Tier: "EXPIRED"}, accesses(0, 0), 0},
		{"never accessed cannot exceed .42", prediction.Facts{Tier: "ACTIVE", HasCausality: true, Root: true, Dependencies: 9}, accesses(0, 0), 0.42},
		{"one access just now", prediction.Facts{}, accesses(1, 0), 0.4 + 0.3*math.Log(2)/math.Log(101)},
		{"the time constant is 24 h", prediction.Facts{}, accesses(1, 24*time.Hour), 0.4*math.Exp(-1) + 0.3*math.Log(2)/math.Log(101)},
		{"a root without dependencies", root, accesses(1, 0), 0.4 + 0.06 + 0.3*math.Log(2)/math.Log(101)},
		{"the seed's full example, most it can be", prediction.Facts{HasCausality: true, Root: true, Dependencies: 5}, accesses(5, 0), 0.8165},
		{"a member's causal part ends at .7", prediction.Facts{HasCausality: true, Dependencies: 9}, accesses(100, 0), 0.4 + 0.21 + 0.3},
		{"frequency ends at 1", prediction.Facts{}, accesses(500, 0), 0.7},
		{"a clock that went back", prediction.Facts{}, accesses(1, -time.Hour), 0.4 + 0.3*math.Log(2)/math.Log(101)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := prediction.WakeIQX(tt.f, tt.h, noon); math.Abs(got-tt.want) > 1e-4 {
				t.Errorf("score %.4f, want %.4f", got, tt.want)
			}
		})
	}
}

// 002-08: next access as the upstream estimates it, at most 7 days ahead, and never in the past.
func TestWakeIQXNext(t *testing.T) {
	born := prediction.Facts{Created: noon.Add(-40 * 24 * time.Hour)}
	tests := []struct {
		name string
		h    *prediction.History
		want time.Time
	}{
		{"a day after the only access", accesses(1, time.Hour), noon.Add(23 * time.Hour)},
		{"the mean gap since creation", accesses(10, 0), noon.Add(4 * 24 * time.Hour)},
		{"at most 7 days", accesses(2, 0), noon.AddDate(0, 0, 7)},
		{"never in the past", accesses(1, 48*time.Hour), noon},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, ok := prediction.WakeIQXNext(born, tt.h, noon)
			if !ok || !got.Equal(tt.want) {
				t.Errorf("next %v %v, want %v", got, ok, tt.want)
			}
		})
	}
	if _, ok := prediction.WakeIQXNext(born, accesses(0, 0), noon); ok {
		t.Error("what was never accessed has no next access")
	}
}

// 002-04: the seed's reason tags, including decision_node, which its upstream lacks.
func TestReasons(t *testing.T) {
	tests := []struct {
		name  string
		f     prediction.Facts
		h     *prediction.History
		score float64
		want  []string
	}{
		{"nothing known", prediction.Facts{}, accesses(0, 0), 0.1, []string{"baseline_prediction"}},
		{"the seed's full example", prediction.Facts{HasCausality: true, Root: true, Decision: true, Effects: 1, Tier: "RECENT"}, accesses(1, 30*time.Minute), 0.5,
			[]string{"recently_accessed", "causal_chain_root", "decision_node"}},
		{"used today, often, in a chain", prediction.Facts{HasCausality: true, Tier: "ACTIVE"}, accesses(12, 2*time.Hour), 0.9,
			[]string{"high_composite_score", "accessed_today", "high_access_frequency", "causal_chain_member", "active_memory_tier"}},
		{"three accesses long ago", prediction.Facts{Pinned: true}, accesses(3, 90*time.Hour), 0.2, []string{"moderate_access_frequency", "pinned"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, prediction.Reasons(tt.f, tt.h, tt.score, noon)); diff != "" {
				t.Error(diff)
			}
		})
	}
}
