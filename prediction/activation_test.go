package prediction_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"wake/prediction"
)

// anyHistory draws a history whose clock may go back, stand still or leap.
func anyHistory(t *rapid.T) *prediction.History {
	h := &prediction.History{}
	for _, at := range rapid.SliceOfN(rapid.Int64Range(-1<<40, 1<<40), 0, 40).Draw(t, "times") {
		h.Add(prediction.Visit{At: at, Step: rapid.Int64Range(0, 1<<40).Draw(t, "step")})
	}
	return h
}

// Activation is finite for any history and clock, also one that goes back.
func TestActivationIsFinite(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := anyHistory(t)
		now := rapid.Int64().Draw(t, "now")
		for _, a := range []float64{h.Activation(now, prediction.Decay), h.StepActivation(now, prediction.Decay)} {
			if math.IsNaN(a) || math.IsInf(a, 0) || a < prediction.Unseen {
				t.Fatalf("activation %v of %+v at %d", a, h, now)
			}
		}
	})
}

// One more access never lowers activation, whatever came before.
func TestAccessNeverLowersActivation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := anyHistory(t)
		now := rapid.Int64Range(-1<<40, 1<<41).Draw(t, "now")
		d := rapid.Float64Range(0.1, 0.99).Draw(t, "decay")
		before := h.Activation(now, d)
		h.Add(prediction.Visit{At: rapid.Int64Range(-1<<40, now).Draw(t, "at")})
		if after := h.Activation(now, d); after < before-1e-9 {
			t.Fatalf("activation fell from %v to %v", before, after)
		}
	})
}

// A million accesses are counted, and worth more than the last few of them.
func TestMillionAccesses(t *testing.T) {
	var many, few prediction.History
	const n = 1_000_000
	for k := range n {
		v := prediction.Visit{At: int64(k) * 60, Step: int64(k)}
		many.Add(v)
		if k >= n-prediction.Kept {
			few.Add(v)
		}
	}
	if a, b := many.Activation(n*60, prediction.Decay), few.Activation(n*60, prediction.Decay); many.Count != n || !(a > b) || math.IsInf(a, 0) {
		t.Errorf("%d accesses: activation %v, of the last %d alone %v", many.Count, a, prediction.Kept, b)
	}
}

// A later last access never gives less activation than an earlier one.
func TestLaterAccessIsWorthMore(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		early := anyHistory(t)
		late := *early
		now := rapid.Int64Range(0, 1<<40).Draw(t, "now")
		a := rapid.Int64Range(-1<<40, now).Draw(t, "early")
		b := rapid.Int64Range(a, now).Draw(t, "late")
		early.Add(prediction.Visit{At: a})
		late.Add(prediction.Visit{At: b})
		if x, y := early.Activation(now, 0.8), late.Activation(now, 0.8); y < x-1e-9 {
			t.Fatalf("at %d: %v, at %d: %v", a, x, b, y)
		}
	})
}

// The tail formula stays near the sum over the whole history when accesses are evenly spread.
func TestTailIsNearTheWholeSum(t *testing.T) {
	h := &prediction.History{}
	whole := 0.0
	const n, gap = 200, 3600
	for k := range n {
		h.Add(prediction.Visit{At: int64(k * gap)})
	}
	now := int64(n * gap)
	for k := range n {
		whole += math.Pow(float64(now-int64(k*gap))/60+1, -prediction.Decay)
	}
	if got, want := h.Activation(now, prediction.Decay), math.Log(whole); math.Abs(got-want) > 0.05 {
		t.Fatalf("activation %.3f, whole sum %.3f", got, want)
	}
}
