package prediction

import "math"

// outcome is what became of an item of a poll within a span.
type outcome struct {
	trait  *trait
	weight float64
	used   float64 // 0 or 1
}

// belief is what a hazard holds before it learns from a poll: a Gaussian over its weights, a little forgotten.
type belief struct {
	mean      [traits]float64
	precision [traits][traits]float64
}

// before returns the belief that a hazard begins a poll with.
func (h *hazard) before(span int) belief {
	b := belief{h.W, h.Precision}
	for i := range traits {
		for j := range traits {
			b.precision[i][j] *= hazardForget
		}
		b.precision[i][i] += (1 - hazardForget) * startPrecision(span, i)
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
func (h *hazard) fit(list []outcome, trust float64, span int) {
	was := h.before(span)
	best := h.support(list, trust, &was)
	for range fitSteps {
		gain := h.climb(list, trust, &was, best)
		best += gain
		if gain < fitEnough {
			return
		}
	}
}

// support is the logarithm of how probable the weights are, up to a constant.
func (h *hazard) support(list []outcome, trust float64, was *belief) float64 {
	sum := 0.0
	for _, o := range list {
		chance := h.chance(o.trait)
		if o.used == 0 {
			chance = 1 - chance
		}
		sum += trust * o.weight * math.Log(chance)
	}
	for i := range traits {
		for j := range traits {
			sum -= 0.5 * (h.W[i] - was.mean[i]) * was.precision[i][j] * (h.W[j] - was.mean[j])
		}
	}
	return sum
}

// climb takes one Newton step, or as much of it as makes the weights more probable, and returns by how much.
func (h *hazard) climb(list []outcome, trust float64, was *belief, best float64) (gain float64) {
	slope := h.slope(list, trust, was)
	step, from := h.solve(slope), h.W
	for share := 1.0; share > fitLeast; share /= 2 {
		for i := range step {
			h.W[i] = from[i] + share*step[i]
		}
		if now := h.support(list, trust, was); now > best {
			return now - best
		}
	}
	h.W = from
	return 0
}

// slope returns the gradient of support at the weights, and makes the precision that of the curve there.
func (h *hazard) slope(list []outcome, trust float64, was *belief) (grad [traits]float64) {
	h.Precision = was.precision
	for i := range traits {
		for j := range traits {
			grad[i] -= was.precision[i][j] * (h.W[j] - was.mean[j])
		}
	}
	for _, o := range list {
		chance, weight := h.chance(o.trait), trust*o.weight
		for i, v := range o.trait {
			grad[i] += weight * (o.used - chance) * float64(v)
			for j, u := range o.trait {
				h.Precision[i][j] += weight * chance * (1 - chance) * float64(v) * float64(u)
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
