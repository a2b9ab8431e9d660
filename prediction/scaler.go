package prediction

import "math"

// scaler holds the mean and spread of the features of candidates.
type scaler struct {
	Seen   float64 // number of candidates observed
	Mean   weights
	Spread weights // sums of squared distances from the mean
}

const (
	scalerSample = 60   // candidates of a question that are observed
	scalerLeast  = 0.05 // variance added to every feature
	scalerClip   = 4    // limit, in standard deviations
)

// standardized is a vector in standard deviations from the mean.
type standardized [features]float32

// scale returns the inverse standard deviation of each feature.
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

// observe updates mean and spread with candidates.
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
