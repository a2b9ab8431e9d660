package prediction

import (
	"math"
	"time"
)

// foresight turns ranks into probabilities for a horizon. At the start of sessions it polls a sample of all items and
// waits: once a span of the future has passed, what was used in it teaches that span's hazard. Probabilities for any
// horizon follow from the spans before it, as in survival analysis.
type foresight struct {
	Sample  []ID    // an even sample of all items that ever became known
	Met     int64   // items that the sample was drawn from
	Busy    float64 // fading count of uses, half life a day, as of BusyAt
	BusyAt  int64
	Polls   []poll // oldest first
	Hazards [spans]hazard
}

const (
	spans      = 3
	keptSample = 64
	keptPolls  = 48
	pollGap    = 4 * 3600 // seconds between polls
	pollTop    = 32       // the best ranked, all of them
	pollMiddle = 16       // of the other candidates
	pollTail   = 24       // of what is no candidate
	pollLeast  = 20       // items that must be known
	traits     = 8
	busyHalf   = 86400 // seconds
)

// spanEnds are the ends of the spans in seconds.
func spanEnds() [spans]int64 { return [spans]int64{86400, 3 * 86400, 7 * 86400} }

// trait is an item in the eyes of the hazards.
type trait [traits]float32

// poll is a sample of items at one moment, until the last span has passed.
type poll struct {
	At      int64
	Done    int // spans that have passed
	Entries []pollEntry
}

type pollEntry struct {
	Item   ID
	Weight float32 // how many items it stands for
	Trait  trait
	Hit    int64   // first use after the poll; 0: none yet
	Day    float32 // the chances that were given for 24 hours and for 7 days
	Week   float32
}

// hazard is the chance of a first use within a span, for what was not used before it: a logistic curve over traits,
// learned by Newton steps that slowly forget, and a level that follows quickly how busy the project is.
type hazard struct {
	W         [traits]float64
	Level     float64
	Precision [traits][traits]float64
	Polls     int64
}

// hazardStart are the weights before any span has passed: how the chance of use falls with rank and time nearly
// everywhere. They were fitted to access histories of five public projects, in which they serve as a start alone.
func hazardStart() [spans][traits]float64 {
	return [spans][traits]float64{
		{-0.225, -0.763, -0.735, 1.307, 0.304, 0.959, 0.284, -1.205},
		{-0.042, -0.645, -0.808, 1.022, 0.497, 0.758, 0.069, -1.635},
		{-0.213, -0.432, -0.324, 0.981, 0.440, 0.800, -0.064, -1.433},
	}
}

func newForesight() foresight {
	var f foresight
	for k, w := range hazardStart() {
		h := &f.Hazards[k]
		h.W = w
		for j := range traits {
			h.Precision[j][j] = 1
		}
	}
	return f
}

const (
	hazardForget = 0.99
	hazardShock  = 0.5 // what the items of a poll have in common, as a share of the variance
	levelRate    = 0.1
	levelFade    = 0.9
	levelShare   = 0.3 // of a surprise in one span, for the others
)

// met keeps the sample even: Vitter's reservoir, with a deterministic die.
func (f *foresight) met(id ID, _ int64) {
	f.Met++
	if len(f.Sample) < keptSample {
		f.Sample = append(f.Sample, id)
		return
	}
	if k := int64(mix(uint64(f.Met)) % uint64(f.Met)); k < keptSample {
		f.Sample[k] = id
	}
}

// mix scrambles a number (the finaliser of splitmix64).
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// busy is the fading count of uses at a moment.
func (f *foresight) busy(now int64) float64 {
	return f.Busy * math.Exp2(-float64(max(0, now-f.BusyAt))/busyHalf)
}

// used counts uses and marks them in the polls.
func (f *foresight) used(now int64, items []*Item) {
	f.Busy = f.busy(now)
	f.Busy += float64(len(items))
	f.BusyAt = now
	hit := map[ID]bool{}
	for _, it := range items {
		hit[it.ID] = true
	}
	for p := range f.Polls {
		if f.Polls[p].At >= now {
			continue
		}
		for e := range f.Polls[p].Entries {
			if entry := &f.Polls[p].Entries[e]; entry.Hit == 0 && hit[entry.Item] {
				entry.Hit = now
			}
		}
	}
}

// settle teaches the hazards whatever spans have passed at now.
func (f *foresight) settle(now int64, record *Record) {
	keep := f.Polls[:0]
	for _, p := range f.Polls {
		for p.Done < spans && p.At+spanEnds()[p.Done] < now {
			f.teach(&p)
			p.record(record)
			p.Done++
		}
		if p.Done < spans {
			keep = append(keep, p)
		}
	}
	f.Polls = keep
}

// record keeps score of the chances whose horizon has passed.
func (p *poll) record(r *Record) {
	end := p.At + spanEnds()[p.Done]
	for _, e := range p.Entries {
		was := flag(e.Hit > 0 && e.Hit <= end)
		switch p.Done {
		case 0:
			r.Day.add(float64(e.Day), was, float64(e.Weight))
		case spans - 1:
			r.Week.add(float64(e.Week), was, float64(e.Weight))
		}
	}
}

// teach takes in a span of a poll that has passed. A surprise moves the level of its hazard, and a little that of the
// others, whose time has not come yet.
func (f *foresight) teach(p *poll) {
	surprise := f.Hazards[p.Done].learn(p)
	move := levelRate*surprise - (1-levelFade)*f.Hazards[p.Done].Level
	for k := range f.Hazards {
		if k == p.Done {
			f.Hazards[k].Level += move
		} else {
			f.Hazards[k].Level += levelShare * move
		}
	}
}

// learn moves the weights by a span that has passed and returns by how much more than expected was used in it, as a
// logarithm. The items of a poll share the luck of their day, so that a poll counts for less than the sum of them.
func (h *hazard) learn(p *poll) (surprise float64) {
	from, to := p.At, p.At+spanEnds()[p.Done]
	if p.Done > 0 {
		from += spanEnds()[p.Done-1]
	}
	var grad [traits]float64
	var info [traits][traits]float64
	used, expected, spread := 0.0, 0.0, 0.0
	for k := range p.Entries {
		e := &p.Entries[k]
		if e.Hit > 0 && e.Hit <= from {
			continue
		}
		chance := h.chance(&e.Trait)
		was := flag(e.Hit > 0 && e.Hit <= to)
		weight := float64(e.Weight)
		variance := weight * chance * (1 - chance)
		used, expected, spread = used+weight*was, expected+weight*chance, spread+variance
		for i, v := range e.Trait {
			grad[i] += weight * (was - chance) * float64(v)
			for j, u := range e.Trait {
				info[i][j] += variance * float64(v) * float64(u)
			}
		}
	}
	h.step(grad, info, 1/(1+hazardShock*spread))
	return math.Log((used + 2) / (expected + 2))
}

// step forgets a little and takes a Newton step of at most 1 in each weight.
func (h *hazard) step(grad [traits]float64, info [traits][traits]float64, trust float64) {
	for i := range traits {
		grad[i] *= trust
		for j := range traits {
			h.Precision[i][j] = hazardForget*h.Precision[i][j] + trust*info[i][j]
		}
		h.Precision[i][i] += 1 - hazardForget
	}
	for i, d := range h.solve(grad) {
		h.W[i] += math.Max(-1, math.Min(1, d))
	}
	h.Polls++
}

func (h *hazard) chance(t *trait) float64 {
	v := h.Level
	for k := range t {
		v += h.W[k] * float64(t[k])
	}
	return squash(v)
}

// solve returns P⁻¹g by Gaussian elimination; P is positive definite.
func (h *hazard) solve(g [traits]float64) [traits]float64 {
	p := h.Precision
	for i := range traits {
		for r := i + 1; r < traits; r++ {
			f := p[r][i] / p[i][i]
			for c := i; c < traits; c++ {
				p[r][c] -= f * p[i][c]
			}
			g[r] -= f * g[i]
		}
	}
	for i := traits - 1; i >= 0; i-- {
		for c := i + 1; c < traits; c++ {
			g[i] -= p[i][c] * g[c]
		}
		g[i] /= p[i][i]
	}
	return g
}

// trait describes an item at a place in a ranking of n candidates; place n stands for all that are no candidates.
func (m *Model) trait(it *Item, now int64, place, n int) trait {
	tail := place >= n
	if tail {
		place = n + int(max(0, m.Alive-int64(n)))/2
	}
	rank := math.Log1p(float64(place)) / 3
	h := &it.History
	t := [traits]float64{
		rank, rank * rank,
		math.Max(-10, h.StepActivation(m.Steps, 0.5)) / 5,
		math.Max(-12, h.Activation(now, 0.5)) / 5,
		math.Log1p(float64(h.Count)) / 3,
		math.Log1p(m.foresees.busy(now)) / 3,
		flag(tail),
		1,
	}
	var short trait
	for k, v := range t {
		short[k] = float32(v)
	}
	return short
}

// poll takes a sample at the start of a session, unless there was one a short while ago.
func (m *Model) poll(q question, list []*Item, order []int, rows *rowset) {
	f := &m.foresees
	f.settle(q.now, &m.Record)
	if n := len(f.Polls); m.Alive < pollLeast || n >= keptPolls || n > 0 && q.now < f.Polls[n-1].At+pollGap {
		return
	}
	p := poll{At: q.now}
	add := func(it *Item, place int, weight float64) {
		t := m.trait(it, q.now, place, len(list))
		day, week := f.within(&t, 24*time.Hour), f.within(&t, 7*24*time.Hour)
		p.Entries = append(p.Entries, pollEntry{Item: it.ID, Weight: float32(weight), Trait: t, Day: float32(day), Week: float32(week)})
	}
	for place, k := range head(order, pollTop) {
		add(list[k], place, 1)
	}
	if rest := len(order) - pollTop; rest > 0 {
		n := min(rest, pollMiddle)
		for k := range n {
			place := pollTop + (2*k+1)*rest/(2*n)
			add(list[order[place]], place, float64(rest)/float64(n))
		}
	}
	tail := m.tailSample(list, rows)
	for _, it := range tail {
		add(it, len(list), float64(max(0, m.Alive-int64(len(list))))/float64(len(tail)))
	}
	f.Polls = append(f.Polls, p)
}

// tailSample returns items of the even sample that are no candidates.
func (m *Model) tailSample(list []*Item, rows *rowset) []*Item {
	candidate := index(ids(list))
	var tail []*Item
	for _, id := range m.foresees.Sample {
		it := rows.get(id)
		if _, is := candidate[id]; !is && it != nil && !it.Gone && len(tail) < pollTail {
			tail = append(tail, it)
		}
	}
	return tail
}

// within returns the probability of a use within the horizon.
func (f *foresight) within(t *trait, horizon time.Duration) float64 {
	return 1 - math.Exp(-f.risk(t, horizon.Seconds()))
}

// risk is the cumulative hazard over so many seconds. Within a span it grows evenly, in the first with the square
// root of time, since uses come in bursts; behind the last span it goes on as in it.
func (f *foresight) risk(t *trait, seconds float64) float64 {
	sum, from := 0.0, 0.0
	for k, end := range spanEnds() {
		to := float64(end)
		r := -math.Log1p(-math.Min(f.Hazards[k].chance(t), 1-1e-9))
		share := math.Max(0, math.Min(1, (seconds-from)/(to-from)))
		if k == 0 {
			share = math.Sqrt(share)
		}
		if k == spans-1 && seconds > to {
			share = (seconds - from) / (to - from)
		}
		sum += r * share
		from = to
	}
	return sum
}

// untilRisk returns after how many seconds the cumulative hazard reaches a value, at most ten years.
func (f *foresight) untilRisk(t *trait, want float64) float64 {
	lo, hi := 0.0, 10*365*86400.0
	for range 60 {
		if mid := (lo + hi) / 2; f.risk(t, mid) < want {
			lo = mid
		} else {
			hi = mid
		}
	}
	return hi
}
