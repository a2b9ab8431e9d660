package prediction

import "math"

// hazard gives the probability of a first use within a span, for an item not used before it: a logistic curve
// over traits, learned by Newton steps that slowly forget, plus a level that quickly follows how busy the
// project is.
type hazard struct {
	W         [traits]float64
	Level     float64
	Precision [traits][traits]float64
	Taught    float64 // number of polls learned from
	Latest    int64   // time of the latest of them
}

// hazardStart returns the weights before any span has passed: how the probability of use falls with rank and
// time nearly everywhere. They were fitted to access histories of five public projects and serve only as a
// start. The later traits start at 0.
func hazardStart() [spans][traits]float64 {
	return [spans][traits]float64{
		{-0.225, -0.763, -0.735, 1.307, 0.304, 0.959, 0.284, -1.205},
		{-0.042, -0.645, -0.808, 1.022, 0.497, 0.758, 0.069, -1.635},
		{-0.213, -0.432, -0.324, 0.981, 0.440, 0.800, -0.064, -1.433},
	}
}

// hazardShock is the share of the variance that the items of a poll have in common. Long spans of consecutive
// polls overlap, and so does their luck; the days of a span each have their own.
func hazardShock() [spans]float64 { return [spans]float64{0.5, 1, 1} }

// startPrecision says how firmly a hazard keeps its initial weights. Longer spans offer fewer weeks to learn
// from, and traits without initial weights must prove their worth.
func startPrecision(span, trait int) float64 {
	p := [spans]float64{1, 1.5, 2}[span]
	if trait >= firstTraits {
		p *= 5
	}
	return p
}

// learn adjusts the weights by a day after a poll taken at a time. It returns the logarithm of how much more
// than expected was used in it.
func (h *hazard) learn(d *dayAfter, at int64) (surprise float64) {
	h.refresh(d, at)
	used, expected := d.missed, 0.0
	for k, chance := range d.chances(h) {
		o := &d.outcomes[k]
		used += o.weight * o.used
		expected += o.weight * chance
	}
	h.fit(d)
	return math.Log((used + 2) / (expected + 2))
}

// refresh sets how much of the day is new: polls a few hours apart share most of their first day. Days of the
// longer spans overlap too, but are few, so they count in full.
func (h *hazard) refresh(d *dayAfter, at int64) {
	if d.span == 0 && h.Latest > 0 {
		d.fresh = math.Min(1, float64(at-h.Latest)/day)
	}
	h.Latest = at
	h.Taught += d.fresh * d.part
}

// hazardSurprise is how many times more than expected may be used before a poll counts less. Without this
// limit, a project that wakes up after months would overturn all probabilities; at 1, every lucky poll would
// count less than an unlucky one. The shorter a part of a span, the more it may surprise.
const hazardSurprise = 3

// trust is the weight of a day: its fresh share, reduced because its items share the luck of the day, because
// some items stand for many others, and if far more was used than expected.
func (h *hazard) trust(d *dayAfter) float64 {
	spread, heavy, used, total := 0.0, 0.0, d.missed, 1e-9
	for k, chance := range d.chances(h) {
		o := &d.outcomes[k]
		variance := o.weight * chance * (1 - chance)
		spread += variance
		heavy += o.weight * variance
		used += o.weight * o.used
		total += o.weight
	}
	alone := math.Max(1, heavy/math.Max(spread, 1e-9))
	return d.fresh / (alone + hazardShock()[d.span]*math.Max(spread/d.part, used*(1-used/total)/hazardSurprise))
}

func (h *hazard) chance(t *trait) float64 {
	v := h.Level
	for k := range t {
		v += h.W[k] * float64(t[k])
	}
	return squash(v)
}

// curve is the cumulative hazard of an item at the ends of the spans. It grows linearly within a span, except
// in the first, where it grows with the square root of time, because uses come in bursts. After the last span
// it continues at the same rate.
type curve [spans]float64

func (f *foresight) curve(t *trait) curve {
	var c curve
	sum := 0.0
	for k := range c {
		sum -= math.Log1p(-math.Min(f.Hazards[k].chance(t), 1-1e-9))
		c[k] = sum
	}
	return c
}

// span returns the start and end of span k and the cumulative hazard at both.
func (c *curve) span(k int) (from, to, low, high float64) {
	if k > 0 {
		low = c[k-1]
	}
	return float64(spanStart(k)), float64(spanEnds()[k]), low, c[k]
}

// within returns the probability of a use within the given number of seconds.
func (c *curve) within(seconds float64) float64 {
	if seconds <= 0 {
		return 0
	}
	k := 0
	for k < spans-1 && seconds > float64(spanEnds()[k]) {
		k++
	}
	from, to, low, high := c.span(k)
	share := (seconds - from) / (to - from)
	if k == 0 {
		share = math.Sqrt(share)
	}
	return -math.Expm1(-(low + (high-low)*share))
}

// maxAhead is how far ahead a next use is predicted, in seconds.
const maxAhead = 10 * 365 * day

// until returns the number of seconds after which a use has the given probability, at most ten years.
func (c *curve) until(probability float64) float64 {
	want := -math.Log1p(-probability)
	k := 0
	for k < spans-1 && want > c[k] {
		k++
	}
	from, to, low, high := c.span(k)
	share := (want - low) / math.Max(high-low, 1e-12)
	if k == 0 {
		share *= share
	}
	return math.Min(maxAhead, from+(to-from)*share)
}
