package prediction

import (
	"math"
	"time"

	"wake/domain"
)

// Facts are what a context says about itself, as far as prediction uses it. They come from the context's row.
type Facts struct {
	Created      time.Time
	Tier         domain.Tier
	HasCausality bool
	Root         bool // has causality and no cause
	Decision     bool // its action type is decision
	Dependencies int  // contexts that it names as dependencies
	Effects      int  // contexts that name it as their cause
	Pinned       bool
}

// WakeIQX returns the prediction score of seed 002, 0.4 temporal + 0.3 causal + 0.3 frequency, from 0 to 1
// (002-08). It follows the upstream's code: exponential decay with a time constant of 24 h, a causal part
// from the number of the context's own dependencies, and ln(n+1)/ln 101 for the frequency. The upstream's
// documentation describes steps instead (1, .8, .5, .3, .1 at 1, 6, 24, 168 h; 1, .7, .4, .2 at 10, 5, 2
// accesses; root 1, decision .9, branch .8, leaf .3), which rank a little worse. It is kept for comparison.
func WakeIQX(f Facts, h *History, now time.Time) float64 {
	s := 0.4*wakeTemporal(f, h, now) + 0.3*wakeCausal(f) + 0.3*wakeFrequency(h.Count)
	return math.Max(0, math.Min(1, s))
}

func wakeTemporal(f Facts, h *History, now time.Time) float64 {
	last, ok := h.last()
	if ok {
		return math.Exp(-minutes(now.Unix()-last.At) / 60 / 24)
	}
	switch f.Tier {
	case domain.TierActive:
		return 0.3
	case domain.TierRecent:
		return 0.2
	case domain.TierArchived:
		return 0.1
	}
	return 0
}

func wakeCausal(f Facts) float64 {
	d := float64(f.Dependencies)
	switch {
	case !f.HasCausality:
		return 0
	case d > 0 && f.Root:
		return math.Min(1, 0.5+0.1*d)
	case d > 0:
		return math.Min(0.7, 0.3+0.1*d)
	}
	return 0.2
}

func wakeFrequency(n int) float64 {
	return math.Min(1, math.Log(float64(max(0, n))+1)/math.Log(101))
}

// WakeIQXNext returns when seed 002 expects the next access: a day after a single access; otherwise the last
// one plus the mean gap since creation, at most 7 days ahead. Unlike the upstream's, it is never in the past.
// ok is false for a context that was never accessed.
func WakeIQXNext(f Facts, h *History, now time.Time) (next time.Time, ok bool) {
	visit, seen := h.last()
	if !seen {
		return time.Time{}, false
	}
	last := time.Unix(visit.At, 0).UTC()
	if next = last.AddDate(0, 0, 1); h.Count > 1 {
		next = last.Add(max(0, last.Sub(f.Created)) / time.Duration(h.Count))
	}
	return clampTime(next, now, now.AddDate(0, 0, 7)), true
}

func clampTime(t, lo, hi time.Time) time.Time {
	switch {
	case t.Before(lo):
		return lo
	case t.After(hi):
		return hi
	}
	return t
}

// wakeIQXOf returns the seed's score of an item by its own row.
func wakeIQXOf(it *Item, now int64) float64 {
	f := Facts{HasCausality: it.Cause != 0 || it.KidCount > 0 || it.Dependencies > 0, Dependencies: it.Dependencies}
	f.Root = f.HasCausality && it.Cause == 0
	switch age := now - it.Created; {
	case age < hour:
		f.Tier = domain.TierActive
	case age < day:
		f.Tier = domain.TierRecent
	case age < 30*day:
		f.Tier = domain.TierArchived
	}
	return WakeIQX(f, &it.History, time.Unix(now, 0))
}
