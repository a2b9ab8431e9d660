package prediction

import "math"

// foresight turns ranks into probabilities for a horizon. At the start of sessions it polls a sample of all
// items and waits: after each of the following days, what was used teaches the hazard of that day's span. As
// in survival analysis, probabilities for any horizon follow from the spans before it.
type foresight struct {
	Sample  []ID    // uniform sample of all items ever known
	Met     int64   // number of items that the sample was drawn from
	Busy    float64 // fading count of uses with a half-life of a day, as of BusyAt
	BusyAt  int64
	Polls   []poll // oldest first
	Hazards [spans]hazard
}

const (
	spans       = 3
	keptSample  = 64
	keptPolls   = 48
	pollGap     = 4 * hour // seconds between polls
	pollTop     = 32       // the best ranked, completely
	pollMiddle  = 32       // of the other candidates, evenly along the ranking
	pollTail    = 32       // of the items that are not candidates
	pollLeast   = 20       // known items needed for a poll
	pollDays    = 7        // days until a poll has taught everything
	hour        = 3600     // seconds
	day         = 24 * hour
	traits      = 13
	firstTraits = 8 // traits with initial weights
	busyHalf    = day
)

// spanEnds returns the ends of the spans in seconds.
func spanEnds() [spans]int64 { return [spans]int64{day, 3 * day, pollDays * day} }

// spanStart returns the start of a span in seconds.
func spanStart(span int) int64 {
	if span == 0 {
		return 0
	}
	return spanEnds()[span-1]
}

// trait holds the inputs of the hazards for an item.
type trait [traits]float32

func newForesight() foresight {
	var f foresight
	for k, w := range hazardStart() {
		h := &f.Hazards[k]
		h.W = w
		for j := range traits {
			h.Precision[j][j] = startPrecision(k, j)
		}
	}
	return f
}

const (
	levelRate  = 0.05
	levelFade  = 0.9
	levelShare = 0.3 // of a surprise in one span, applied to the others
)

// addToSample keeps the sample uniform by Vitter's reservoir method, with deterministic random numbers.
func (f *foresight) addToSample(id ID) {
	f.Met++
	if len(f.Sample) < keptSample {
		f.Sample = append(f.Sample, id)
		return
	}
	if k := int64(mix(uint64(f.Met)) % uint64(f.Met)); k < keptSample {
		f.Sample[k] = id
	}
}

// deterministicDie returns a pseudo-random number from 0 to n-1, or 0 if n is 0.
func deterministicDie(seed int64, n int) int {
	return int(mix(uint64(seed)) % uint64(max(1, n)))
}

// mix scrambles a number (the finaliser of splitmix64).
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// busy returns the fading count of uses at a moment.
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

// came counts a coming use of it in each poll for which it is the item's first use since. This gives the
// number of used items that a poll left out, though not which ones.
func (f *foresight) came(now int64, it *Item) {
	last := it.lastUse().At
	for k := range f.Polls {
		if p := &f.Polls[k]; it.Born <= p.Step && last <= p.At && p.At < now && now <= p.At+pollDays*day {
			p.Came[(now-p.At-1)/day]++
		}
	}
}

// settle teaches the hazards all days that have passed at now.
func (f *foresight) settle(now int64, record *Record) {
	keep := f.Polls[:0]
	for _, p := range f.Polls {
		for p.Done < pollDays && p.At+int64(p.Done+1)*day < now {
			f.teach(&p)
			p.record(record)
			p.Done++
		}
		if p.Done < pollDays {
			keep = append(keep, p)
		}
	}
	f.Polls = keep
}

// teach learns from the next day of a poll. A surprise moves the level of the day's hazard and, less, the
// levels of the others, whose time has not come yet.
func (f *foresight) teach(p *poll) {
	d := p.dayAfter()
	h := &f.Hazards[d.span]
	move := levelRate*h.learn(&d, p.At) - (1-levelFade)*h.Level
	for k := range f.Hazards {
		if k == d.span {
			f.Hazards[k].Level += move
		} else {
			f.Hazards[k].Level += levelShare * move
		}
	}
}

// trait describes an item at a rank among n candidates; rank n stands for all items that are not candidates.
func (m *Model) trait(it *Item, now int64, place, n int) trait {
	tail := place >= n
	if tail {
		place = n + int(max(0, m.Alive-int64(n)))/2
	}
	rank := math.Log1p(float64(place)) / 3
	h := &it.History
	idle := float64(max(0, now-it.lastUse().At))
	t := [traits]float64{
		rank, rank * rank,
		math.Max(-10, h.StepActivation(m.Steps, 0.5)) / 5,
		math.Max(-12, h.Activation(now, 0.5)) / 5,
		math.Log1p(float64(h.Count)) / 3,
		math.Log1p(m.foresight.busy(now)) / 3,
		flag(tail),
		1,
		math.Log(1e-3+it.Daily[2]*math.Exp2(-idle/spanHalf()[2])) / 5,
		math.Log(1e-3+it.Daily[3]*math.Exp2(-idle/spanHalf()[3])) / 5,
		-math.Log1p(float64(max(0, now-it.Created))/hour) / 5,
		math.Log1p(float64(it.SessionCount)) / 3,
		math.Log(1e-2+m.recency.heat(it.Place.folder(), m.Steps)) / 3,
	}
	var short trait
	for k, v := range t {
		short[k] = float32(v)
	}
	return short
}
