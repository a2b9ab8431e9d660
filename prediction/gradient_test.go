package prediction

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// The learners move along derivatives that were worked out by hand. Here they are compared with what a small
// change really does.

// derivative of f at x, by its values on both sides.
func derivative(f func(x float64) float64, x float64) float64 {
	const by = 1e-5
	return (f(x+by) - f(x-by)) / (2 * by)
}

func near(got, want float64) bool { return math.Abs(got-want) <= 1e-5*(1+math.Abs(want)) }

func anyDay(t *rapid.T, rnd *rand.Rand) *dayAfter {
	p := poll{Done: rapid.IntRange(0, 6).Draw(t, "day")}
	for range rapid.IntRange(1, 30).Draw(t, "items") {
		e := pollEntry{Weight: float32(1 + 9*rnd.IntN(2))}
		for k := range e.Trait {
			e.Trait[k] = float32(rnd.NormFloat64())
		}
		if rnd.IntN(2) == 0 {
			e.Hit = 1 + rnd.Int64N(7*day)
		}
		p.Entries = append(p.Entries, e)
	}
	p.Came[p.Done] = 20
	d := p.dayAfter()
	return &d
}

// The pull of an outcome is the derivative of its log likelihood, and its bend the expected square of that,
// whatever part of its span the day is.
func TestPullIsDerivative(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := anyDay(t, rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0)))
		odds := rapid.Float64Range(-6, 6).Draw(t, "odds")
		used := derivative(func(v float64) float64 { return math.Log(d.chance(squash(v))) }, odds)
		unused := derivative(func(v float64) float64 { return math.Log(1 - d.chance(squash(v))) }, odds)
		ifUsed, bend := d.pull(squash(odds), 1)
		ifNot, _ := d.pull(squash(odds), 0)
		if !near(ifUsed, used) || !near(ifNot, unused) {
			t.Fatalf("day %.2f of its span: pulls %v and %v, derivatives %v and %v", d.part, ifUsed, ifNot, used, unused)
		}
		chance := d.chance(squash(odds))
		if want := chance*used*used + (1-chance)*unused*unused; !near(bend, want) {
			t.Fatalf("day %.2f of its span: bend %v, expected square %v", d.part, bend, want)
		}
	})
}

// A hazard climbs along the gradient of the probability of its weights, never comes to less probable ones,
// and ends where a step of Newton's would hardly move it.
func TestHazardClimbs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rnd := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		d := anyDay(t, rnd)
		h := newForesight().Hazards[d.span]
		for k := range h.W {
			h.W[k] += rnd.NormFloat64() / 4
		}
		h.refresh(d, 0)
		was, trust := h.priorFor(d), h.trust(d)
		for k := range h.W { // away from the prior's mean, where its own slope is zero
			h.W[k] += rnd.NormFloat64() / 4
		}
		for k, slope := range h.slope(d, trust, &was) {
			want := derivative(func(w float64) float64 {
				moved := h
				moved.W[k] = w
				return moved.logPosterior(d, trust, &was)
			}, h.W[k])
			if !near(slope, want) {
				t.Fatalf("slope %d is %v, the derivative %v", k, slope, want)
			}
		}
		start := h.logPosterior(d, trust, &was)
		best, gain := start, math.Inf(1)
		for range 50 {
			gain = h.newtonStep(d, trust, &was, best)
			best += gain
		}
		if now := h.logPosterior(d, trust, &was); now < start || !near(now, best) || gain > fitEnough {
			t.Fatalf("from %v to %v, by gains to %v; the last gain %v", start, now, best, gain)
		}
	})
}

// The pull on each candidate of a lesson is the derivative of the log probability that one of the used items
// comes first, times that probability to the power of the focus.
func TestLessonPulls(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rnd := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		n := rapid.IntRange(2, 12).Draw(t, "candidates")
		l := lesson{used: rapid.IntRange(1, n-1).Draw(t, "used"), many: make([]float64, n)}
		scores := make([]float64, n)
		for k := range scores {
			scores[k] = 2 * rnd.NormFloat64()
			l.many[k] = rnd.Float64()
		}
		right := func() (sum float64) {
			for _, p := range l.shares(scores)[:l.used] {
				sum += p
			}
			return sum
		}
		focus := rapid.SampledFrom([]float64{0, selectiveFocus, 1}).Draw(t, "focus")
		weight := math.Pow(right(), focus)
		for k, pull := range l.pull(l.shares(scores), focus) {
			at := scores[k]
			want := weight * derivative(func(s float64) float64 { scores[k] = s; return math.Log(right()) }, at)
			if scores[k] = at; !near(pull, want) {
				t.Fatalf("pull %d is %v, the derivative %v", k, pull, want)
			}
		}
	})
}

// The precision is the prior's and that of what was learned, and what solves a system of equations gives back
// the vector it was made from.
func TestSolve(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rnd := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		var want, product, mean weights
		for f := range want {
			want[f], mean[f] = rnd.NormFloat64(), rnd.NormFloat64()
		}
		n, h := newNewton(false), hazard{}
		for f := range want {
			product[f] = priorPrecision * featureScale(f) * featureScale(f) * want[f]
		}
		var few [traits]float64
		for k := range few {
			h.Precision[k][k], few[k] = 1, want[k]
		}
		for range 5 {
			var x, off vector
			var along, alongFew float64
			for f := range x {
				x[f] = rnd.NormFloat64()
				off[f] = x[f] - mean[f]
				along += 3 * off[f] * want[f]
			}
			n.inform(&x, &mean, 3)
			for k := range few {
				alongFew += off[k] * want[k]
			}
			for f := range off {
				product[f] += along * off[f]
			}
			for k := range few {
				few[k] += alongFew * off[k]
				for j := range few {
					h.Precision[k][j] += off[k] * off[j]
				}
			}
		}
		solve(&n.Precision, &product)
		for f := range want {
			if !near(product[f], want[f]) {
				t.Fatalf("Cholesky: %v, not %v", product[f], want[f])
			}
		}
		for k, got := range h.solve(few) {
			if !near(got, want[k]) {
				t.Fatalf("Gauss: %v, not %v", got, want[k])
			}
		}
	})
}

// The time until a use has a probability is the time within which it has it.
func TestCurveUntilIsWithin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var c curve
		sum := 0.0
		for k := range c {
			sum += rapid.Float64Range(0.01, 2).Draw(t, "hazard")
			c[k] = sum
		}
		p := rapid.Float64Range(0, 0.99).Draw(t, "probability")
		if s := c.until(p); !near(c.within(s), p) {
			t.Fatalf("within %v seconds %v, not %v", s, c.within(s), p)
		}
		for k, at := range spanEnds() {
			if got, want := c.within(float64(at)), -math.Expm1(-c[k]); !near(got, want) {
				t.Fatalf("within span %d %v, not %v", k, got, want)
			}
		}
	})
}
