package prediction

import "math"

// belief is what a hazard holds before it learns from a poll: a Gaussian over its weights, a little forgotten.
type belief struct {
	mean      [traits]float64
	precision [traits][traits]float64
	missed    [traits]float64 // the traits of what was used and is in no sample, as far as can be told, by how much it is
}

// What a hazard holds fades with each poll, and the faster the younger its project: what it has learnt from about half
// of all polls counts, in a young project, where the first days say little of the next weeks, and from about fifty later.
const (
	forgetLeast = 0.02
	forgetYoung = 2.0
)

// priorFor returns the belief that a hazard begins such a day with.
func (h *hazard) priorFor(d *dayAfter) belief {
	b := belief{mean: h.W, precision: h.Precision, missed: d.likely(h)}
	for j := range b.missed {
		b.missed[j] *= d.missed
	}
	rate := math.Max(forgetLeast, forgetYoung/(h.Taught+4*forgetYoung))
	keep := math.Pow(1-rate, d.fresh*d.part)
	for i := range traits {
		for j := range traits {
			b.precision[i][j] *= keep
		}
		b.precision[i][i] += (1 - keep) * startPrecision(d.span, i)
	}
	return b
}

const (
	fitSteps  = 6
	fitEnough = 1e-4 // a gain of log probability that is worth another step
	fitLeast  = 0.01 // of a Newton step
)

// fit goes to the weights that are most probable after a poll, by Newton steps that never make them less probable. A
// single step would go much too far where chances were small and much was used.
func (h *hazard) fit(d *dayAfter) {
	was, trust := h.priorFor(d), h.trust(d)
	best := h.logPosterior(d, trust, &was)
	for range fitSteps {
		gain := h.newtonStep(d, trust, &was, best)
		best += gain
		if gain < fitEnough {
			return
		}
	}
}

// logPosterior is the logarithm of how probable the weights are, up to a constant.
func (h *hazard) logPosterior(d *dayAfter, trust float64, was *belief) float64 {
	sum := 0.0
	for k, chance := range d.chances(h) {
		o := &d.outcomes[k]
		if o.used == 0 {
			chance = 1 - chance
		}
		sum += trust * o.weight * math.Log(chance)
	}
	for i := range traits {
		sum += trust * was.missed[i] * h.W[i]
		for j := range traits {
			sum -= 0.5 * (h.W[i] - was.mean[i]) * was.precision[i][j] * (h.W[j] - was.mean[j])
		}
	}
	return sum
}

// newtonStep takes one Newton step, or as much of it as makes the weights more probable, and returns by how much.
func (h *hazard) newtonStep(d *dayAfter, trust float64, was *belief, best float64) (gain float64) {
	slope := h.slope(d, trust, was)
	step, from := h.solve(slope), h.W
	for share := 1.0; share > fitLeast; share /= 2 {
		for i := range step {
			h.W[i] = from[i] + share*step[i]
		}
		if now := h.logPosterior(d, trust, was); now > best {
			return now - best
		}
	}
	h.W = from
	return 0
}

// slope returns the gradient of support at the weights, and makes the precision that of the curve there.
func (h *hazard) slope(d *dayAfter, trust float64, was *belief) (grad [traits]float64) {
	h.Precision = was.precision
	for i := range traits {
		grad[i] += trust * was.missed[i]
		for j := range traits {
			grad[i] -= was.precision[i][j] * (h.W[j] - was.mean[j])
		}
	}
	for _, o := range d.outcomes {
		pull, bend := d.pull(h.chance(o.trait), o.used)
		weight := trust * o.weight
		for i, v := range o.trait {
			grad[i] += weight * pull * float64(v)
			for j, u := range o.trait {
				h.Precision[i][j] += weight * bend * float64(v) * float64(u)
			}
		}
	}
	return grad
}

// solve returns P⁻¹g by Gaussian elimination; P is positive definite.
func (h *hazard) solve(g [traits]float64) [traits]float64 {
	p := h.Precision
	for i := range traits {
		for r := i + 1; r < traits; r++ {
			f := p[r][i] / p[i][i]
			for c := i; c < traits; c++ {
				p[r][c] -= f * p[i][c]
			}
			g[r] -= f * g[i]
		}
	}
	for i := traits - 1; i >= 0; i-- {
		for c := i + 1; c < traits; c++ {
			g[i] -= p[i][c] * g[c]
		}
		g[i] /= p[i][i]
	}
	return g
}
