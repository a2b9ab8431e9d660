package prediction

import "math"

// hidden is a layer of rectified units that adds to a linear score. It captures what no single feature tells:
// one that counts only together with another, or only up to a point. It learns by AdaGrad.
type hidden struct {
	In   [features]layer
	Bias layer
	Out  layer

	InSeen            [features]layer // sums of squared gradients
	BiasSeen, OutSeen layer
}

// layer holds one number per unit. Single precision halves the stored size.
type layer [layerUnits]float32

const (
	layerUnits = 16
	layerRate  = 0.1
	layerPull  = 1e-3 // pull back towards zero
)

// newHidden returns a layer with small random weights: units that all started alike would stay alike.
func newHidden() *hidden {
	n := &hidden{}
	dice := uint64(0)
	draw := func(reach float64) float32 {
		dice++
		return float32(reach * (2*float64(mix(dice)>>11)/(1<<53) - 1))
	}
	for j := range layerUnits {
		for f := range n.In {
			n.In[f][j], n.InSeen[f][j] = draw(math.Sqrt(3.0/features)), 1
		}
		n.Out[j], n.OutSeen[j], n.BiasSeen[j] = draw(0.1), 1, 1
	}
	return n
}

var _ [0]struct{} = [features % 2]struct{}{} // values processes features in pairs

// values returns the outputs of the units for a standardised vector.
func (n *hidden) values(z *standardized) layer {
	v := n.Bias
	for f := 0; f+1 < len(z); f += 2 { // two at a time are faster
		in, next, s, t := &n.In[f], &n.In[f+1], z[f], z[f+1]
		for j := range v {
			v[j] += in[j]*s + next[j]*t
		}
	}
	for j := range v {
		v[j] = max(0, v[j])
	}
	return v
}

// score returns what the units' outputs add to a linear score.
func (n *hidden) score(values *layer) float64 {
	sum := 0.0
	for j, v := range values {
		sum += float64(n.Out[j] * v)
	}
	return sum
}

// learn moves the units so that a lesson becomes more likely. linear holds the linear scores of its
// candidates. It returns the pulls on the candidates, for the linear part to follow.
func (n *hidden) learn(l *lesson, linear []float64, focus float64, u *scaler) (pull []float64) {
	z, values, scores, scale := make([]standardized, len(l.x)), make([]layer, len(l.x)), make([]float64, len(l.x)), u.scale()
	for k := range l.x {
		z[k] = u.standardize(&l.x[k], &scale)
		values[k] = n.values(&z[k])
		scores[k] = linear[k] + n.score(&values[k])
	}
	pull = l.pull(l.shares(scores), focus)
	n.follow(pull, z, values)
	return pull
}

// follow moves the units by the pulls on standardised candidates.
func (n *hidden) follow(pull []float64, z []standardized, values []layer) {
	var in [features]layer
	var bias, out layer
	for k, p := range pull {
		var back layer
		for j, v := range values[k] {
			if v > 0 {
				out[j] += float32(p) * v
				back[j] = float32(p) * n.Out[j]
				bias[j] += back[j]
			}
		}
		for f, s := range z[k] {
			sum := &in[f]
			for j, b := range back {
				sum[j] += b * s
			}
		}
	}
	n.Out.step(&n.OutSeen, &out)
	n.Bias.step(&n.BiasSeen, &bias)
	for f := range in {
		n.In[f].step(&n.InSeen[f], &in[f])
	}
}

// step moves weights by AdaGrad: the more a weight has moved, the smaller its step.
func (w *layer) step(seen, slope *layer) {
	for j, s := range slope {
		s -= layerPull * w[j]
		seen[j] += s * s
		w[j] += layerRate * s / float32(math.Sqrt(float64(seen[j])))
	}
}
