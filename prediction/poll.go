package prediction

import "slices"

// poll is a sample of items at one moment, kept until its last day has passed.
type poll struct {
	At      int64
	Step    int64 // number of the project's steps before the poll
	Done    int   // days that have been settled
	Entries []pollEntry
	Came    [pollDays]int // items known at the poll whose first use after it was on each day
}

type pollEntry struct {
	Item   ID
	Weight float32 // how many items it stands for
	Trait  trait
	Hit    int64   // first use after the poll; 0: none yet
	Day    float32 // the probabilities given for 24 hours and for 7 days
	Week   float32
}

// poll takes a sample at the start of a session, unless the last one is recent.
func (m *Model) poll(q question, list []*Item, order []int, rows *rowset) {
	f := &m.foresight
	f.settle(q.now, &m.Record)
	if n := len(f.Polls); m.Alive < pollLeast || n >= keptPolls || n > 0 && q.now < f.Polls[n-1].At+pollGap {
		return
	}
	p := poll{At: q.now, Step: m.Steps}
	add := func(it *Item, place int, weight float64) {
		t := m.trait(it, q.now, place, len(list))
		c := f.curve(&t)
		p.Entries = append(p.Entries, pollEntry{Item: it.ID, Weight: float32(weight), Trait: t,
			Day: float32(c.within(day)), Week: float32(c.within(pollDays * day))})
	}
	for place, k := range head(order, pollTop) {
		add(list[k], place, 1)
	}
	if rest := len(order) - pollTop; rest > 0 {
		n := min(rest, pollMiddle)
		for k := range n {
			from, to := k*rest/n, (k+1)*rest/n
			place := pollTop + from + deterministicDie(q.now+int64(k), to-from)
			add(list[order[place]], place, float64(rest)/float64(n))
		}
	}
	tail := m.tailSample(q.now, list, rows)
	for _, it := range tail {
		add(it, len(list), float64(max(0, m.Alive-int64(len(list))))/float64(len(tail)))
	}
	f.Polls = append(f.Polls, p)
}

// tailSample returns sampled items that are not candidates, different ones each time.
func (m *Model) tailSample(now int64, list []*Item, rows *rowset) []*Item {
	candidate := index(ids(list))
	var tail []*Item
	for _, id := range m.foresight.Sample {
		it := rows.get(id)
		if _, is := candidate[id]; !is && it != nil && !it.Gone {
			tail = append(tail, it)
		}
	}
	from := deterministicDie(now, len(tail))
	return head(slices.Concat(tail[from:], tail[:from]), pollTail)
}

// record records how well the probabilities were calibrated whose horizon ends with the day just settled.
func (p *poll) record(r *Record) {
	end := p.At + int64(p.Done+1)*day
	for _, e := range p.Entries {
		was := flag(e.Hit > 0 && e.Hit <= end)
		switch p.Done {
		case 0:
			r.Day.add(float64(e.Day), was, float64(e.Weight))
		case pollDays - 1:
			r.Week.add(float64(e.Week), was, float64(e.Weight))
		}
	}
}
