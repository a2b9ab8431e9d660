package recall

import (
	"context"
	"slices"
	"time"
)

const (
	namedTimeDepth = 40  // documents of a named time that become candidates
	datePromise    = 0.3 // bonus on a document's first estimate for being of the named time
)

// fromNamedTimes finds documents of the times that the question names: the ones that
// fit it best, then the newest, up to namedTimeDepth. "What did we do yesterday?"
// shares no word with its answer.
func (p *probe) fromNamedTimes(ctx context.Context, f Finder, o Options) ([]int64, error) {
	if o.Between == nil {
		return nil, nil
	}
	named := slices.Clone(p.dates)
	for _, d := range p.dates {
		if d.ofHours() {
			named = append(named, d.wholeDays()) // people do not remember the hour well
		}
	}
	var out []int64
	for _, d := range named {
		from, to, ok := d.lastSpan(p.now)
		if !ok {
			continue
		}
		ns, err := o.Between(ctx, from, to)
		if err != nil {
			return nil, err
		}
		if len(ns) > namedTimeDepth {
			if ns, err = p.fitting(ctx, f, ns); err != nil {
				return nil, err
			}
		}
		out = append(out, ns...)
	}
	return out, nil
}

// fitting picks the documents that fit the question best, then the newest.
func (p *probe) fitting(ctx context.Context, f Finder, ns []int64) ([]int64, error) {
	found, err := f.TopAmong(ctx, p.weighted(), ns, namedTimeDepth)
	out := make([]int64, 0, namedTimeDepth)
	for _, h := range found {
		out = append(out, h.N)
	}
	for _, n := range slices.Backward(ns) {
		if len(out) < namedTimeDepth && !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return out, err
}

// Span returns the beginning and end of the first time that the question names. ok is
// false if it names none, or a whole year.
func (q Question) Span(now time.Time) (from, to time.Time, ok bool) {
	if named := q.dates(now); len(named) > 0 {
		return named[0].lastSpan(now)
	}
	return from, to, false
}

// Spans returns the beginnings and ends of all times that the question names, but of whole
// years.
func (q Question) Spans(now time.Time) (out [][2]time.Time) {
	for _, d := range q.dates(now) {
		if from, to, ok := d.lastSpan(now); ok {
			out = append(out, [2]time.Time{from, to})
		}
	}
	return out
}

// DaysSpan is [Question.Span] in whole days, if it names a part of one.
func (q Question) DaysSpan(now time.Time) (from, to time.Time, ok bool) {
	if named := q.dates(now); len(named) > 0 && named[0].ofHours() {
		return named[0].wholeDays().lastSpan(now)
	}
	return from, to, false
}

// lastSpan returns the beginning and end of a date; a date without a year means the
// last one that has begun. ok is false for a whole year, which does not narrow the
// search.
func (d Date) lastSpan(now time.Time) (from, to time.Time, ok bool) {
	if d.Month == 0 {
		return from, to, false
	}
	if d.Year == 0 {
		d.Year = d.lastYear(now)
	}
	from, to = d.span(now.Location())
	return from, to, true
}

// lastYear is the year in which a date without one began last.
func (d Date) lastYear(now time.Time) int {
	d.Year = now.Year()
	if from, _ := d.wholeDays().span(now.Location()); from.After(now) {
		return d.Year - 1
	}
	return d.Year
}
