package recall

import (
	"context"
	"slices"
	"time"
)

const (
	namedTimeDepth = 40  // documents of a time that join the candidates
	datePromise    = 0.3 // of a document's first guess, for being of the time
)

// fromNamedTimes finds documents of the times that the question names: those that fit it best,
// and the newest of the others where these are few. "What did we do yesterday?" has
// no word that the answer has.
func (p *probe) fromNamedTimes(ctx context.Context, f Finder, o Options) ([]int64, error) {
	if o.Between == nil {
		return nil, nil
	}
	var out []int64
	for _, d := range p.dates {
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

// fitting picks the documents that fit the question best.
func (p *probe) fitting(ctx context.Context, f Finder, ns []int64) ([]int64, error) {
	found, err := f.TopAmong(ctx, p.weighted(probeTermsAsked), ns, namedTimeDepth)
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

// Span returns when the first time that the question names begins and ends. It is
// false if the question names none, or a whole year.
func (q Question) Span(now time.Time) (from, to time.Time, ok bool) {
	if named := q.dates(now); len(named) > 0 {
		return named[0].lastSpan(now)
	}
	return from, to, false
}

// lastSpan is when a date begins and ends, without a year the last one that has begun;
// false for a whole year, which is no help.
func (d Date) lastSpan(now time.Time) (from, to time.Time, ok bool) {
	if d.Month == 0 || d.Year == 0 && now.IsZero() {
		return from, to, false
	}
	if d.Year == 0 {
		d.Year = now.Year()
		if from, _ := d.span(now.Location()); from.After(now) {
			d.Year--
		}
	}
	from, to = d.span(now.Location())
	return from, to, true
}
