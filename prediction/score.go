package prediction

import (
	"math"
	"time"
)

// Prior returns the score of a context by its own history alone, within 0–1: base-level activation on time and
// on steps through a logistic curve. It is what a project starts with before its model has learned anything.
// step is the number of the project's latest step in the access log.
func Prior(h *History, now time.Time, step int64) float64 {
	a := h.Activation(now.Unix(), Decay) + h.StepActivation(step, Decay)
	return squash(0.35 * (a + 6))
}

// squash is the logistic curve, finite for every input.
func squash(x float64) float64 {
	return 1 / (1 + math.Exp(-math.Max(-30, math.Min(30, x))))
}
