package prediction

import "math"

// The methods that a [Record] compares on the same questions.
const (
	MethodWake    = iota // the model
	MethodPrior          // activation alone
	MethodNewest         // last saved first
	MethodLRU            // last used first
	MethodWakeIQX        // the seed's formula
	Methods
)

// MethodNames returns the names of the methods, in order.
func MethodNames() [Methods]string {
	return [Methods]string{"wake", "activation", "newest", "lru", "wakeiqx"}
}

// MethodsAbout says what each method ranks by, in the same order.
func MethodsAbout() [Methods]string {
	return [Methods]string{"all that was learnt", "how often and how lately it was used", "saved last first", "used last first",
		"0.4 time + 0.3 causes + 0.3 frequency"}
}

// Record says how well past predictions did: each step that was learnt from is a question asked just before it. Records
// can be added up with [Record.Merge].
type Record struct {
	Ranks [Methods]Tally
	Day   Odds // for a use within 24 hours
	Week  Odds // for a use within 7 days
}

// Tally counts how high the used items had been ranked.
type Tally struct {
	Questions, Hit1, Hit5, Hit10 int64   // questions, and those with a used item among the first 1, 5, 10
	Reciprocal                   float64 // sum of 1/rank of the first used item
}

// MRR returns the mean reciprocal rank, or 0 without questions.
func (t Tally) MRR() float64 { return t.Reciprocal / math.Max(1, float64(t.Questions)) }

// HitRates returns the shares of questions with a hit among the first 1, 5 and 10.
func (t Tally) HitRates() (at1, at5, at10 float64) {
	n := math.Max(1, float64(t.Questions))
	return float64(t.Hit1) / n, float64(t.Hit5) / n, float64(t.Hit10) / n
}

// add counts a question whose first right answer was at a rank counted from 0, or -1 if it was not found.
func (t *Tally) add(place int) {
	t.Questions++
	if place < 0 {
		return
	}
	t.Reciprocal += 1 / float64(place+1)
	t.Hit1 += int64(flag(place < 1))
	t.Hit5 += int64(flag(place < 5))
	t.Hit10 += int64(flag(place < 10))
}

func (t *Tally) merge(o Tally) {
	t.Questions, t.Hit1, t.Hit5, t.Hit10 = t.Questions+o.Questions, t.Hit1+o.Hit1, t.Hit5+o.Hit5, t.Hit10+o.Hit10
	t.Reciprocal += o.Reciprocal
}

// OddsBins is the number of bins of a calibration curve.
const OddsBins = 10

// Odds compares the given probabilities with what happened, over a weighted sample of all items.
type Odds struct {
	Weight, Used, Squares float64
	Bins                  [OddsBins]Bin
}

// Bin holds the probabilities from k/10 to (k+1)/10.
type Bin struct {
	Weight, Given, Used float64 // sums of weights, of probabilities given and of uses, the latter two weighted
}

func (o *Odds) add(chance, used, weight float64) {
	o.Weight += weight
	o.Used += weight * used
	o.Squares += weight * (chance - used) * (chance - used)
	b := &o.Bins[max(0, min(OddsBins-1, int(chance*OddsBins)))]
	b.Weight += weight
	b.Given += weight * chance
	b.Used += weight * used
}

func (o *Odds) merge(p Odds) {
	o.Weight, o.Used, o.Squares = o.Weight+p.Weight, o.Used+p.Used, o.Squares+p.Squares
	for k, b := range p.Bins {
		o.Bins[k].Weight += b.Weight
		o.Bins[k].Given += b.Given
		o.Bins[k].Used += b.Used
	}
}

// Base returns the base rate, the share that was used.
func (o Odds) Base() float64 {
	if o.Weight == 0 {
		return 0
	}
	return o.Used / o.Weight
}

// Brier returns the mean squared error of the probabilities, or 0 without any.
func (o Odds) Brier() float64 {
	if o.Weight == 0 {
		return 0
	}
	return o.Squares / o.Weight
}

// Skill returns the Brier skill compared with always giving the base rate: 1 is perfect, 0 no better, below 0
// worse.
func (o Odds) Skill() float64 {
	unsure := o.Base() * (1 - o.Base())
	if unsure == 0 {
		return 0
	}
	return 1 - o.Brier()/unsure
}

// CalibrationError returns the weighted mean distance over the bins between probability and share used.
func (o Odds) CalibrationError() float64 {
	sum := 0.0
	for _, b := range o.Bins {
		sum += math.Abs(b.Given - b.Used)
	}
	if o.Weight == 0 {
		return 0
	}
	return sum / o.Weight
}

// Merge adds another record, such as another project's.
func (r *Record) Merge(o Record) {
	for k := range r.Ranks {
		r.Ranks[k].merge(o.Ranks[k])
	}
	r.Day.merge(o.Day)
	r.Week.merge(o.Week)
}

// score records one question for every method. used are the indexes of the right candidates, empty if none
// was a candidate.
func (m *Model) score(q question, list []*Item, r ranking, used []int) {
	first := func(scores []float64) int { return firstPlace(scores, used) }
	newest, lru, wakeiqx := make([]float64, len(list)), make([]float64, len(list)), make([]float64, len(list))
	for k, it := range list {
		last, _ := it.History.last()
		newest[k] = float64(it.Born)
		lru[k] = float64(max(last.Step, it.Born)) + 1e-6*float64(it.History.Count)
		wakeiqx[k] = wakeIQXOf(it, q.now)
	}
	m.Record.Ranks[MethodWake].add(first(r.fused))
	m.Record.Ranks[MethodPrior].add(first(r.scores[priorRanker]))
	m.Record.Ranks[MethodNewest].add(first(newest))
	m.Record.Ranks[MethodLRU].add(first(lru))
	m.Record.Ranks[MethodWakeIQX].add(first(wakeiqx))
}

// firstPlace returns the rank of the best of the used ones, -1 if there are none. Of equal scores, the
// earlier comes first.
func firstPlace(scores []float64, used []int) int {
	if len(used) == 0 {
		return -1
	}
	top := used[0]
	for _, k := range used {
		if scores[k] > scores[top] || scores[k] == scores[top] && k < top {
			top = k
		}
	}
	place := 0
	for k, s := range scores {
		if s > scores[top] || s == scores[top] && k < top {
			place++
		}
	}
	return place
}
