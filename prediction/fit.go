package prediction

import "math"

// belief is a hazard's prior before it learns from a poll: a Gaussian over its weights that slowly forgets.
type belief struct {
	mean      [traits]float64
	precision [traits][traits]float64
	missed    [traits]float64 // estimated traits of what was used but is in no sample, times their number
}

// A hazard forgets with each poll, and faster in a young project: there, about half of all polls so far
// count, because the first days say little about the next weeks. Later, about the last fifty count.
const (
	forgetLeast = 0.02
	forgetYoung = 2.0
)

// priorFor returns the prior for learning from a day.
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
	fitEnough = 1e-4 // gain of log probability that justifies another step
	fitLeast  = 0.01 // smallest share of a Newton step that is tried
)

// fit moves to the most probable weights after a poll, by Newton steps that never make them less probable. A
// full step would go much too far where probabilities were small and much was used.
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

// logPosterior is the log probability of the weights, up to a constant.
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

// newtonStep takes a Newton step, or as large a part of it as makes the weights more probable, and returns
// the gain.
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

// slope returns the gradient of logPosterior at the weights, and sets the precision to its curvature there.
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
