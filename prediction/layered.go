package prediction

import "math"

// layered is a linear score with a hidden layer beside it, which sees what no single sign tells: one that counts only
// together with another, or only up to a point. Both learn by AdaGrad from lessons weighed by how foreseeable they were.
type layered struct {
	Linear adaGrad
	Seen   float64 // candidates that Mean and Spread were taken from
	Mean   weights
	Spread weights // sums of squared distances from the mean
	In     [features]layer
	Bias   layer
	Out    layer

	InSeen            [features]layer // sums of squared slopes
	BiasSeen, OutSeen layer
}

// layer holds a number for each rectified unit. Single precision halves what is stored.
type layer [layerUnits]float32

const (
	layerUnits  = 16
	layerRate   = 0.05
	layerPull   = 1e-3 // back towards nothing
	layerClip   = 4    // standard deviations
	layerSample = 60   // candidates of a lesson from which the layer learns what is usual
	layerLeast  = 0.05 // variance that is taken for granted
)

// newLayered returns a score that begins as the linear one with a little chance in it: units that all began alike would
// stay alike.
func newLayered(start bool) *layered {
	n := &layered{Linear: newAdaGrad(start)}
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

// scale is one by the standard deviation of each feature.
func (n *layered) scale() (scale weights) {
	for f := range scale {
		scale[f] = 1 / math.Sqrt(n.Spread[f]/math.Max(1, n.Seen)+layerLeast)
	}
	return scale
}

// standard returns a vector in standard deviations from what is usual.
func (n *layered) standard(x *vector, scale *weights) (z [features]float32) {
	for f, v := range x {
		z[f] = float32(max(-layerClip, min(layerClip, (v-n.Mean[f])*scale[f])))
	}
	return z
}

var _ [0]struct{} = [features % 2]struct{}{} // values takes features two by two

// values is what the units make of a standardised vector.
func (n *layered) values(z *[features]float32) layer {
	v := n.Bias
	for f := 0; f+1 < len(z); f += 2 { // two at once take less time
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

// score adds to a linear score what the units make of a vector.
func (n *layered) score(linear float64, values *layer) float64 {
	for j, v := range values {
		linear += float64(n.Out[j] * v)
	}
	return linear
}

// rate returns the scores of candidates.
func (n *layered) rate(x []vector) []float64 {
	scores, scale := n.Linear.W.scores(x), n.scale()
	for k := range x {
		z := n.standard(&x[k], &scale)
		values := n.values(&z)
		scores[k] = n.score(scores[k], &values)
	}
	return scores
}

func (n *layered) learn(l *lesson, start bool) {
	scores, scale := n.Linear.W.scores(l.x), n.scale()
	z, values := make([][features]float32, len(l.x)), make([]layer, len(l.x))
	for k := range l.x {
		z[k] = n.standard(&l.x[k], &scale)
		values[k] = n.values(&z[k])
		scores[k] = n.score(scores[k], &values[k])
	}
	pull := l.pull(softmax(scores), adaGradFocus)
	n.Linear.follow(l.slope(pull), start)
	n.follow(pull, z, values)
}

// follow moves the units in the direction in which they make the lesson likelier.
func (n *layered) follow(pull []float64, z [][features]float32, values []layer) {
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

// step moves weights, each the less the more it has moved.
func (w *layer) step(seen, slope *layer) {
	for j, s := range slope {
		s -= layerPull * w[j]
		seen[j] += s * s
		w[j] += layerRate * s / float32(math.Sqrt(float64(seen[j])))
	}
}

// see learns what is usual from candidates.
func (n *layered) see(x []vector) {
	for k := range head(x, layerSample) {
		n.Seen++
		for f, v := range x[k] {
			d := v - n.Mean[f]
			n.Mean[f] += d / n.Seen
			n.Spread[f] += d * (v - n.Mean[f])
		}
	}
}
