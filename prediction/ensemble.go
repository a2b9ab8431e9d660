package prediction

import (
	"math"
	"slices"
)

// The voices of the ranker, each a ranking of its own.
const (
	priorRanker     = iota // activation and who asks: needs no learning
	selectiveRanker        // Newton's scores with a hidden layer, whose lessons are weighed by how foreseeable they were
	evenRanker             // AdaGrad's with a hidden layer; all lessons count alike
	newtonRanker
	rankerCount
)

// ensemble fuses the voices, each with a say by how well it did so far in this project. A new project listens to the
// prior alone until the learners have proved better, so that it is not worse than the prior.
type ensemble struct {
	At [2]*rankers // in mid-session, at a session's start
}

type rankers struct {
	Scaler    scaler
	Newton    *newton
	Selective *hidden // beside Newton's scores
	AdaGrad   adaGrad
	Even      *hidden              // beside AdaGrad's
	Credit    [rankerCount]float64 // fading sums of log scores
	Lessons   int64
}

const (
	creditRate     = 0.3
	creditFade     = 0.99
	creditEven     = 0.4 // of the say is shared evenly: rankings that differ make up for each other's luck
	creditOfPrior  = 2.0 // head start
	fuseOffset     = 3   // 1/(3+rank)
	scoreFloor     = 1e-4
	selectiveFocus = 0.5
	lessonTop      = 40 // the best candidates that were not used
	lessonOther    = 40 // and some of the others
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

// ranking is what the voices say of the candidates.
type ranking struct {
	scores [rankerCount][]float64
	orders [rankerCount][]int // candidates, best first
	ranks  [rankerCount][]int // the place of each candidate, 0 for the best
	fused  []float64          // within 0–1: 1 is first by every voice
	order  []int              // candidates, best first
}

// priorScore is activation, and that whoever asks used it before.
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

// scores are what each voice gives the candidates.
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

// creditShares returns the share of each voice.
func (v *rankers) creditShares() []float64 {
	share := softmax(v.Credit[:])
	for e := range share {
		share[e] = (1-creditEven)*share[e] + creditEven/float64(rankerCount)
	}
	return share
}

// places returns the place of each candidate in an order.
func places(order []int) []int {
	r := make([]int, len(order))
	for place, k := range order {
		r[k] = place
	}
	return r
}

// learn takes in which candidates were used after they had been ranked. seed varies the others that it looks at.
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

// giveCredit gives each voice its say: the logarithm of the chance that it gave to what was used, by its ranks.
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

// pick makes a lesson: what was used, the best of the rest, and some of the others, which stand for them all.
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

// best returns the places of the n highest scores, best first; of equals the earlier one.
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
