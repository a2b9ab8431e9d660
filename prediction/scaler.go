package prediction

import "math"

// scaler is what is usual of the features of candidates.
type scaler struct {
	Seen   float64 // candidates that Mean and Spread were taken from
	Mean   weights
	Spread weights // sums of squared distances from the mean
}

const (
	scalerSample = 60   // candidates of a question from which it learns
	scalerLeast  = 0.05 // variance that is taken for granted
	scalerClip   = 4    // standard deviations
)

// standardized is a vector in standard deviations from what is usual.
type standardized [features]float32

// scale is one by the standard deviation of each feature.
func (u *scaler) scale() (scale weights) {
	for f := range scale {
		scale[f] = 1 / math.Sqrt(u.Spread[f]/math.Max(1, u.Seen)+scalerLeast)
	}
	return scale
}

func (u *scaler) standardize(x *vector, scale *weights) (z standardized) {
	for f, v := range x {
		z[f] = float32(max(-scalerClip, min(scalerClip, (v-u.Mean[f])*scale[f])))
	}
	return z
}

// observe learns what is usual from candidates.
func (u *scaler) observe(x []vector) {
	for k := range head(x, scalerSample) {
		u.Seen++
		for f, v := range x[k] {
			d := v - u.Mean[f]
			u.Mean[f] += d / u.Seen
			u.Spread[f] += d * (v - u.Mean[f])
		}
	}
}
