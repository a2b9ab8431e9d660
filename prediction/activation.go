package prediction

import (
	"math"
	"time"
)

// Decay is the exponent of forgetting. Textbooks on ACT-R use 0.5; on recorded accesses, 0.8 ranks better.
const Decay = 0.8

// Unseen is the activation of an item that was never accessed, below that of any item that was.
const Unseen = -16.0

// Activation returns the base-level activation ln Σ age^-d of ACT-R (Anderson and Schooler 1991), with ages
// in minutes before now, which is given in seconds since 1970. Accesses older than the kept ones enter by the
// approximation of Petrov (2006), which spreads them evenly. The result is finite, at least [Unseen], and
// never falls when an access is added. Negative ages, from a clock that was set back, count as zero.
func (h *History) Activation(now int64, decay float64) float64 {
	return h.activation(decay, func(v Visit) float64 { return minutes(now - v.At) })
}

// StepActivation is [History.Activation] with ages in the project's steps before step now. It matters where
// work comes in bursts, with nights and weeks between.
func (h *History) StepActivation(now int64, decay float64) float64 {
	return h.activation(decay, func(v Visit) float64 { return float64(max(0, now-v.Step)) })
}

func (h *History) activation(decay float64, age func(Visit) float64) float64 {
	n := h.kept()
	if n == 0 {
		return Unseen
	}
	sum := 0.0
	for _, v := range h.Recent[:n] {
		sum += power(age(v)+1, -decay)
	}
	if older := h.Count - n; older > 0 {
		sum += float64(older) * meanPower(age(h.Recent[n-1])+1, age(h.First)+1, decay)
	}
	return math.Max(Unseen, math.Log(sum))
}

// power returns x^y, with a fast path for the inverse square root.
func power(x, y float64) float64 {
	if y == -0.5 {
		return 1 / math.Sqrt(x)
	}
	return math.Exp(y * math.Log(x)) // faster than math.Pow, whose special cases do not occur here
}

// meanPower is the mean of t^-d for t spread evenly over [near, far].
func meanPower(near, far, d float64) float64 {
	if far-near < 1e-3*near {
		return power(near, -d)
	}
	if math.Abs(d-1) < 1e-9 {
		return math.Log(far/near) / (far - near)
	}
	return (far*power(far, -d) - near*power(near, -d)) / ((1 - d) * (far - near))
}

// minutes converts seconds to minutes, at least zero.
func minutes(seconds int64) float64 {
	return float64(max(0, seconds)) / 60
}

// prior returns the score of a context by its own history alone, from 0 to 1: base-level activation by time
// and by steps through a logistic curve. step is the number of the project's latest step in the access log.
func prior(h *History, now time.Time, step int64) float64 {
	a := h.Activation(now.Unix(), Decay) + h.StepActivation(step, Decay)
	return squash(0.35 * (a + 6))
}

// squash is the logistic curve, finite for every input.
func squash(x float64) float64 {
	return 1 / (1 + math.Exp(-math.Max(-30, math.Min(30, x))))
}
