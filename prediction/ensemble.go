package prediction

import (
	"math"
	"slices"
)

// The rankers of the ensemble.
const (
	priorRanker     = iota // activation and who asks; needs no learning
	selectiveRanker        // Newton's scores with a hidden layer; lessons weigh by how foreseeable they were
	evenRanker             // AdaGrad's scores with a hidden layer; all lessons weigh the same
	newtonRanker
	rankerCount
)

// ensemble combines the rankers, each weighted by how well it has done in this project so far. A new project
// relies on the prior until the learners have proved better, so it is no worse than the prior.
type ensemble struct {
	At [2]*rankers // for questions in mid-session, and at a session's start
}

type rankers struct {
	Scaler    scaler
	Newton    *newton
	Selective *hidden // added to Newton's scores
	AdaGrad   adaGrad
	Even      *hidden              // added to AdaGrad's scores
	Credit    [rankerCount]float64 // fading sums of log scores
	Lessons   int64
}

const (
	creditRate     = 0.3
	creditFade     = 0.99
	creditEven     = 0.4 // share of the weight that is split evenly: different rankings offset each other's errors
	creditOfPrior  = 2.0 // head start
	fuseOffset     = 3   // 1/(3+rank)
	scoreFloor     = 1e-4
	selectiveFocus = 0.5
	lessonTop      = 40 // best candidates that were not used
	lessonOther    = 40 // other candidates
)

func newEnsemble() ensemble {
	var r ensemble
	for k := range r.At {
		start := k == 1
		r.At[k] = &rankers{Newton: newNewton(start), Selective: newHidden(), AdaGrad: newAdaGrad(start), Even: newHidden()}
		r.At[k].Credit[priorRanker] = creditOfPrior
	}
	return r
}

func (r *ensemble) at(start bool) *rankers {
	if start {
		return r.At[1]
	}
	return r.At[0]
}

// ranking is how the rankers order the candidates.
type ranking struct {
	scores [rankerCount][]float64
	orders [rankerCount][]int // candidates, best first
	ranks  [rankerCount][]int // rank of each candidate, 0 for the best
	fused  []float64          // from 0 to 1; 1 is first in every ranking
	order  []int              // candidates, best first
}

// priorScore is the activation, raised if the actor has used the item before.
func priorScore(x *vector) float64 {
	s := x[fActivation] + x[fStepActivation]
	if x[fActorKnows] > 0 {
		s += 0.5 + 0.3*x[fActorCount] - 0.25*(3-x[fActorLast])
	}
	return s
}

func (v *rankers) rank(x []vector) ranking {
	r := ranking{scores: v.scores(x), fused: make([]float64, len(x))}
	say := v.creditShares()
	for e := range rankerCount {
		r.orders[e] = best(r.scores[e], len(x))
		r.ranks[e] = places(r.orders[e])
		for k, at := range r.ranks[e] {
			r.fused[k] += say[e] * fuseOffset / float64(fuseOffset+at)
		}
	}
	r.order = best(r.fused, len(x))
	return r
}

// scores returns each ranker's scores of the candidates.
func (v *rankers) scores(x []vector) [rankerCount][]float64 {
	prior, newton, even := make([]float64, len(x)), v.Newton.W.scores(x), v.AdaGrad.W.scores(x)
	choosy, scale := slices.Clone(newton), v.Scaler.scale()
	for k := range x {
		prior[k] = priorScore(&x[k])
		z := v.Scaler.standardize(&x[k], &scale)
		values := v.Selective.values(&z)
		choosy[k] += v.Selective.score(&values)
		values = v.Even.values(&z)
		even[k] += v.Even.score(&values)
	}
	return [rankerCount][]float64{priorRanker: prior, selectiveRanker: choosy, evenRanker: even, newtonRanker: newton}
}

// creditShares returns the weight of each ranker; the weights add up to 1.
func (v *rankers) creditShares() []float64 {
	share := softmax(v.Credit[:])
	for e := range share {
		share[e] = (1-creditEven)*share[e] + creditEven/float64(rankerCount)
	}
	return share
}

// places returns the rank of each candidate in an order.
func places(order []int) []int {
	r := make([]int, len(order))
	for place, k := range order {
		r[k] = place
	}
	return r
}

// learn learns which of the ranked candidates were used. seed varies the choice of other candidates in the
// lesson.
func (v *rankers) learn(x []vector, r ranking, used []int, start bool, seed int64) {
	if len(used) == 0 || len(used) == len(x) {
		return
	}
	v.giveCredit(r, used)
	v.Lessons++
	v.Scaler.observe(x)
	l := pick(x, r.orders[selectiveRanker], used, seed)
	v.Selective.learn(l, v.Newton.W.scores(l.x), selectiveFocus, &v.Scaler)
	l = pick(x, r.orders[evenRanker], used, seed)
	pull := v.Even.learn(l, v.AdaGrad.W.scores(l.x), 0, &v.Scaler)
	v.AdaGrad.follow(l.slope(pull), start)
	v.Newton.learn(pick(x, r.orders[newtonRanker], used, seed))
}

// giveCredit credits each ranker with the logarithm of the probability that its ranks gave to what was used.
func (v *rankers) giveCredit(r ranking, used []int) {
	total := 0.0
	for k := range r.fused {
		total += 1 / float64(fuseOffset+k)
	}
	for e := range rankerCount {
		chance := 0.0
		for _, k := range used {
			chance += 1 / float64(fuseOffset+r.ranks[e][k]) / total
		}
		v.Credit[e] = v.Credit[e]*creditFade + creditRate*math.Log(chance+scoreFloor)
	}
}

// pick makes a lesson of what was used, the best of the rest, and some others that stand for all others.
func pick(x []vector, order, used []int, seed int64) *lesson {
	taken := make([]bool, len(x))
	l := &lesson{used: len(used), x: make([]vector, 0, len(used)+lessonTop+lessonOther)}
	take := func(k int) {
		if !taken[k] {
			taken[k] = true
			l.x = append(l.x, x[k])
		}
	}
	for _, k := range used {
		take(k)
	}
	for _, k := range head(order, lessonTop) {
		take(k)
	}
	sure := len(l.x)
	if len(x) > lessonTop+lessonOther {
		state := uint64(seed)
		for range lessonOther {
			state = state*6364136223846793005 + 1442695040888963407
			take(int((state >> 33) % uint64(len(x))))
		}
	} else {
		for k := range x {
			take(k)
		}
	}
	l.many = make([]float64, len(l.x))
	for k := sure; k < len(l.x); k++ {
		l.many[k] = math.Log(float64(len(x)-sure) / float64(len(l.x)-sure))
	}
	return l
}

// best returns the indexes of the n highest scores, best first; equal scores keep their order.
func best(scores []float64, n int) []int {
	order := make([]int, len(scores))
	for k := range order {
		order[k] = k
	}
	slices.SortFunc(order, func(a, b int) int {
		switch {
		case scores[a] > scores[b]:
			return -1
		case scores[a] < scores[b]:
			return 1
		}
		return a - b
	})
	return order[:min(n, len(order))]
}
