package prediction

import "math"

// dayAfter is what one day after a poll teaches the hazard of its span. The days of a span teach one by one;
// waiting for the last would delay learning by up to three days.
type dayAfter struct {
	span     int
	part     float64 // the day's share of the span
	fresh    float64 // share that the previous poll has not taught already
	outcomes []outcome
	missed   float64 // uses beyond those that the sample accounts for; negative if fewer
}

// outcome says whether an item was used in the day, for items that were not used before it.
type outcome struct {
	trait  *trait
	weight float64
	used   float64 // 0 or 1
}

// dayAfter returns what the first day that has not taught yet teaches.
func (p *poll) dayAfter() dayAfter {
	from, to := int64(p.Done)*day, int64(p.Done+1)*day
	d := dayAfter{fresh: 1}
	for to > spanEnds()[d.span] {
		d.span++
	}
	d.part = float64(day) / float64(spanEnds()[d.span]-spanStart(d.span))
	for k := range p.Entries {
		if e := &p.Entries[k]; e.Hit == 0 || e.Hit > p.At+from {
			d.outcomes = append(d.outcomes, outcome{&e.Trait, float64(e.Weight), flag(e.Hit > 0 && e.Hit <= p.At+to)})
		}
	}
	d.missed = float64(p.Came[p.Done])
	for _, o := range d.outcomes {
		d.missed -= o.weight * o.used
	}
	return d
}

// likely is the mean trait of the used items that the sample stands for, as far as the hazard can tell.
func (d *dayAfter) likely(h *hazard) (mean [traits]float64) {
	total := 1e-9
	for k, chance := range d.chances(h) {
		o := &d.outcomes[k]
		if o.weight <= 1 {
			continue // it stands only for itself
		}
		total += o.weight * chance
		for j, v := range o.trait {
			mean[j] += o.weight * chance * float64(v)
		}
	}
	for j := range mean {
		mean[j] /= total
	}
	return mean
}

// chance converts the probability of a use in the span to that of a use in the day. The hazard is constant
// within a span.
func (d *dayAfter) chance(span float64) float64 {
	if d.part == 1 {
		return span
	}
	return -math.Expm1(d.part * math.Log1p(-span))
}

// chances returns the probability of a use in the day, by outcome.
func (d *dayAfter) chances(h *hazard) []float64 {
	list := make([]float64, len(d.outcomes))
	for k, o := range d.outcomes {
		list[k] = d.chance(h.chance(o.trait))
	}
	return list
}

// pull is the derivative of an outcome's log likelihood by the log odds of a use in the span, and bend its
// expected square. If the day is the whole span, they are used - chance and chance(1 - chance).
func (d *dayAfter) pull(span, used float64) (pull, bend float64) {
	chance := math.Max(d.chance(span), 1e-12)
	slope := d.part * span
	return slope * (used/chance - 1), slope * slope * (1 - chance) / chance
}
