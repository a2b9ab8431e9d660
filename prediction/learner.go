package prediction

import "math"

// weights are the weights of a linear score over the features.
type weights [features]float64

func (w *weights) score(x *vector) float64 {
	v := 0.0
	for k := range x {
		v += w[k] * x[k]
	}
	return v
}

func (w *weights) scores(x []vector) []float64 {
	s := make([]float64, len(x))
	for k := range x {
		s[k] = w.score(&x[k])
	}
	return s
}

// initial returns the weights before anything is learned: mostly activation, with some weight for who asks
// and for what is used together.
func initial(start bool) weights {
	var w weights
	w[fActivation], w[fStepActivation] = .6, .5
	w[fBeside], w[fActorCount], w[fActorLast] = .1, .15, .08
	if start {
		w[fBeside], w[fActorCount], w[fActorLast] = .05, .3, .15
	}
	return w
}

// lesson is what a step teaches: candidates, the first `used` of which were used.
type lesson struct {
	x    []vector
	many []float64 // log of the number of candidates that each stands for
	used int
}

// shares returns each candidate's probability of being first, by softmax over all candidates that the lesson
// stands for.
func (l *lesson) shares(scores []float64) []float64 {
	s := make([]float64, len(scores))
	for k := range s {
		s[k] = scores[k] + l.many[k]
	}
	return softmax(s)
}

// pull is the gradient, by each candidate's score, of the log probability that one of the used items is
// first. It is weighted by that probability to the power of focus: 0 is plain likelihood, 1 the expected hit
// rate. At 0.5, steps that nobody could foresee do not drown out the rest.
func (l *lesson) pull(share []float64, focus float64) []float64 {
	right := 0.0
	for _, p := range share[:l.used] {
		right += p
	}
	weight := math.Pow(right+1e-9, focus)
	pull := make([]float64, len(share))
	for k, p := range share {
		pull[k] = -p
		if k < l.used {
			pull[k] += p / (right + 1e-300)
		}
		pull[k] *= weight
	}
	return pull
}

// slope converts pulls to a gradient of the weights.
func (l *lesson) slope(pull []float64) (grad weights) {
	for k, p := range pull {
		for f, v := range l.x[k] {
			grad[f] += p * v
		}
	}
	return grad
}

func softmax(s []float64) []float64 {
	p := make([]float64, len(s))
	top := math.Inf(-1)
	for _, v := range s {
		top = math.Max(top, v)
	}
	sum := 0.0
	for k, v := range s {
		p[k] = math.Exp(v - top)
		sum += p[k]
	}
	for k := range p {
		p[k] /= sum
	}
	return p
}

// adaGrad learns with a step size per feature, which shrinks with the sum of its squared gradients.
type adaGrad struct {
	W, Seen weights
}

const (
	adaGradRate = 0.12
	adaGradPull = 3e-3 // pull back towards the initial weights
)

func newAdaGrad(start bool) adaGrad {
	a := adaGrad{W: initial(start)}
	for k := range a.Seen {
		a.Seen[k] = 0.5
		if start {
			a.Seen[k] = 1
		}
	}
	return a
}

// follow takes a step in the direction of a gradient.
func (a *adaGrad) follow(grad weights, start bool) {
	w0 := initial(start)
	for k, g := range grad {
		g -= adaGradPull * (a.W[k] - w0[k])
		a.Seen[k] += g * g
		a.W[k] += adaGradRate * g / (math.Sqrt(a.Seen[k]) + 1e-6)
	}
}

// newton learns by a Gaussian belief over the weights (online Laplace approximation): each lesson adds its
// Fisher information to the precision and moves the mean by one Newton step. It learns more from few steps
// than a step size per feature can, because most features are strongly correlated.
type newton struct {
	W         weights
	Precision [features * (features + 1) / 2]float64 // lower triangle by rows
}

const priorPrecision = 30

func newNewton(start bool) *newton {
	n := &newton{W: initial(start)}
	for k := range features {
		s := featureScale(k)
		n.Precision[k*(k+1)/2+k] = priorPrecision * s * s
	}
	return n
}

// featureScale is the approximate spread of a feature: logarithms over years vary widely, flags do not.
func featureScale(f int) float64 {
	switch f {
	case fStepAge, fAge, fActivation5, fActivation, fHour, fDay, fWeek, fMonth, fSteps3, fSteps20, fSteps100, fSteps500, fBornHours, fFolderHeat:
		return 2
	case fCause, fEffect, fSibling, fInSession, fFolder, fStem, fEnding, fPath, fEdited, fOnce, fLatest, fTimeOfDay, fBornHere, fNever, fNotInSession, fNotOwn:
		return 0.4
	}
	if f >= fPlace && f < fStarts {
		return 0.4
	}
	return 1
}

func (n *newton) learn(l *lesson) {
	share := l.shares(n.W.scores(l.x))
	grad := l.slope(l.pull(share, 0))
	mean := weights{}
	for k := range l.x {
		for f, v := range l.x[k] {
			mean[f] += share[k] * v
		}
	}
	for k := range l.x {
		if share[k] >= 1e-3 {
			n.inform(&l.x[k], &mean, share[k])
		}
	}
	solve(&n.Precision, &grad)
	for f := range n.W {
		n.W[f] += grad[f]
	}
}

// inform adds p·(x-mean)(x-mean)ᵀ to the precision.
func (n *newton) inform(x *vector, mean *weights, p float64) {
	var c weights
	for f := range x {
		c[f] = x[f] - mean[f]
	}
	at := 0
	for f := range c {
		v := p * c[f]
		row := n.Precision[at : at+f+1]
		if v != 0 {
			for g := range row {
				row[g] += v * c[g]
			}
		}
		at += f + 1
	}
}

// solve replaces b by A⁻¹b, by Cholesky decomposition, for a positive definite A given as its lower triangle.
func solve(a *[features * (features + 1) / 2]float64, b *weights) {
	l := *a
	for i := range features {
		ri := l[i*(i+1)/2 : i*(i+1)/2+i+1]
		for j := range i + 1 {
			rj := l[j*(j+1)/2 : j*(j+1)/2+j+1]
			s := ri[j]
			for k := range j {
				s -= ri[k] * rj[k]
			}
			if i == j {
				ri[i] = math.Sqrt(math.Max(s, 1e-9))
			} else {
				ri[j] = s / rj[j]
			}
		}
	}
	for i := range features {
		ri := l[i*(i+1)/2:]
		for k := range i {
			b[i] -= ri[k] * b[k]
		}
		b[i] /= ri[i]
	}
	for i := features - 1; i >= 0; i-- {
		for k := i + 1; k < features; k++ {
			b[i] -= l[k*(k+1)/2+i] * b[k]
		}
		b[i] /= l[i*(i+1)/2+i]
	}
}
