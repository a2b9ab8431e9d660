package main

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"wake/recall"
)

// trainer learns weights by listwise softmax: the gold documents of a question should
// get all the probability among its candidates. Weights are pulled towards a prior, so
// that a feature without evidence keeps its prior weight.
type trainer struct {
	epochs    int
	rate, l2  float64
	negatives int
	prior     recall.Features
	fixed     []bool // weights that are set, not learned
}

// draws is how many orders of the examples are learned from: the result of a single
// order varies randomly, by up to .01 on any set.
const draws = 8

// fit returns the mean weights over the draws.
func (t trainer) fit(sets ...[]example) recall.Features {
	all := balance(sets)
	learned := make([]recall.Features, draws)
	var wg sync.WaitGroup
	for i := range learned {
		wg.Go(func() { learned[i] = t.draw(slices.Clone(all), uint64(i+1)) })
	}
	wg.Wait()
	mean := make(recall.Features, len(t.prior))
	for _, w := range learned {
		for k := range w {
			mean[k] += w[k] / draws
		}
	}
	return mean
}

// draw learns from the examples in the order given by a seed.
func (t trainer) draw(all []*example, seed uint64) recall.Features {
	w, mean := slices.Clone(t.prior), make(recall.Features, len(t.prior))
	rnd := rand.New(rand.NewPCG(seed, 7))
	for epoch := range t.epochs {
		rnd.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		step := t.rate / (1 + 0.3*float64(epoch))
		for _, e := range all {
			t.step(w, e, step)
		}
		if late := epoch - t.epochs/2; late >= 0 {
			for k := range w {
				mean[k] += (w[k] - mean[k]) / float64(late+1)
			}
		}
	}
	return mean
}

// balance repeats the examples of small sets, so that every set weighs about the same,
// and drops examples without gold among the candidates.
func balance(sets [][]example) []*example {
	most := 0
	for _, s := range sets {
		most = max(most, len(s))
	}
	var out []*example
	for _, s := range sets {
		for range max(1, int(math.Round(float64(most)/float64(max(1, len(s)))))) {
			for i := range s {
				if slices.Contains(s[i].gold, true) {
					out = append(out, &s[i])
				}
			}
		}
	}
	return out
}

// mateShare is the share of the probability, between people, of all candidates from the
// answer's session, including the answer: what was said around an answer is the next
// best result.
const mateShare = 0.1

// step moves w down the gradient of the loss of one question over its gold and its
// hardest negatives.
func (t trainer) step(w recall.Features, e *example, rate float64) {
	keep, scores := t.hardest(blend(w, e.kind), e)
	top := math.Inf(-1)
	for _, i := range keep {
		top = max(top, scores[i])
	}
	sum, golds, mates := 0.0, 0.0, 0.0
	for _, i := range keep {
		sum += math.Exp(scores[i] - top)
		golds += oneIf(e.gold[i])
		mates += e.mate(i)
	}
	share := 0.0
	if mates > 0 {
		share = mateShare * e.kind[recall.PeopleKind]
	}
	grad := make(recall.Features, recall.NumFeatures)
	for _, i := range keep {
		d := (1-share)*oneIf(e.gold[i])/golds + share*e.mate(i)/max(mates, 1) - math.Exp(scores[i]-top)/sum
		if math.Abs(d) < 1e-6 {
			continue
		}
		for k, v := range e.x[i] {
			grad[k] += d * v
		}
	}
	for k := range w {
		if !t.fixed[k] {
			share := e.kind[k/recall.NumFeatures]
			w[k] += rate * (share*grad[k%recall.NumFeatures] - t.l2*(w[k]-t.prior[k]))
		}
	}
}

// blend returns the weights for a store of mixed kind. The weights of all kinds are
// concatenated in w, so that one linear model learns what holds everywhere and what
// depends on the kind.
func blend(w recall.Features, kind recall.Kind) recall.Features {
	out := make(recall.Features, recall.NumFeatures)
	for i, share := range kind {
		if share == 0 {
			continue
		}
		for k := range out {
			out[k] += share * w[i*recall.NumFeatures+k]
		}
	}
	return out
}

func (t trainer) hardest(w recall.Features, e *example) ([]int, []float64) {
	scores := scoreAll(w, e.x)
	order := byScore(scores)
	keep := slices.Clone(order[:min(t.negatives, len(order))])
	for _, i := range order[len(keep):] {
		if e.gold[i] {
			keep = append(keep, i)
		}
	}
	return keep, scores
}

func scoreAll(w recall.Features, xs []recall.Features) []float64 {
	out := make([]float64, len(xs))
	for i, x := range xs {
		sum := 0.0
		for k, v := range x {
			sum += w[k] * v
		}
		out[i] = sum
	}
	return out
}

func byScore(scores []float64) []int {
	order := make([]int, len(scores))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	return order
}

// judge measures weights on examples.
func judge(w recall.Features, es []example) measures {
	var sum measures
	for _, e := range es {
		sum.add(judgeOne(w, e))
	}
	return sum.mean(len(es))
}

func judgeOne(w recall.Features, e example) measures {
	order := byScore(scoreAll(blend(w, e.kind), e.x))
	ids, ses := make([]string, len(order)), make([]string, len(order))
	for r, i := range order {
		ids[r], ses[r] = e.ids[i], e.sessions[i]
	}
	return measure(ids, ses, e.goldIDs, e.goldSessions)
}
