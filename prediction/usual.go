package prediction

import "math"

// usual is what is usual of the features of candidates.
type usual struct {
	Seen   float64 // candidates that Mean and Spread were taken from
	Mean   weights
	Spread weights // sums of squared distances from the mean
}

const (
	usualSample = 60   // candidates of a question from which it learns
	usualLeast  = 0.05 // variance that is taken for granted
	usualClip   = 4    // standard deviations
)

// standard is a vector in standard deviations from what is usual.
type standard [features]float32

// scale is one by the standard deviation of each feature.
func (u *usual) scale() (scale weights) {
	for f := range scale {
		scale[f] = 1 / math.Sqrt(u.Spread[f]/math.Max(1, u.Seen)+usualLeast)
	}
	return scale
}

func (u *usual) standard(x *vector, scale *weights) (z standard) {
	for f, v := range x {
		z[f] = float32(max(-usualClip, min(usualClip, (v-u.Mean[f])*scale[f])))
	}
	return z
}

// see learns what is usual from candidates.
func (u *usual) see(x []vector) {
	for k := range head(x, usualSample) {
		u.Seen++
		for f, v := range x[k] {
			d := v - u.Mean[f]
			u.Mean[f] += d / u.Seen
			u.Spread[f] += d * (v - u.Mean[f])
		}
	}
}
