package recall

import (
	"cmp"
	"context"
	"maps"
	"slices"
)

// gatherer collects candidates and their neighbours.
type gatherer struct {
	ctx context.Context
	f   Finder
	p   *probe
	*scratch
	cands   []*candidate
	cosines map[int64]float64
	named   []int64 // documents of the times that the question names
	endmost []int64 // the newest or oldest that match, if these are asked for
}

// gather makes candidates of what the index found, of what is close in meaning or time,
// and of the neighbours of the best of these.
func (g *gatherer) gather(found []Found) error {
	ns, err := g.first(found)
	if err == nil {
		ns, err = g.addNeighbours(ns)
	}
	if err == nil {
		g.choose(ns)
	}
	return err
}

// first loads what the index found, what is close in meaning or time and what users want
// in general, and returns their numbers.
func (g *gatherer) first(found []Found) ([]int64, error) {
	ns := make([]int64, len(found))
	for i, h := range found {
		ns[i] = h.N
	}
	if err := g.load(ns); err != nil {
		return nil, err
	}
	for i, n := range ns {
		g.ranks[n] = i
		if i > 0 && g.p.q.Order == AnyTime && equallyGood(found[i-1], found[i]) { // which is newer says nothing here
			g.ranks[n] = g.ranks[ns[i-1]]
		}
	}
	ns, err := g.admit(ns, slices.Concat(slices.Collect(maps.Keys(g.cosines)), g.named, g.endmost))
	if err == nil {
		err = g.load(ns[len(found):])
	}
	if err != nil {
		return nil, err
	}
	return g.addStanding(ns)
}

// addNeighbours adds the documents beside the best ones, and those two places away from
// the very best.
func (g *gatherer) addNeighbours(ns []int64) ([]int64, error) {
	best := g.bestFirst(ns)
	near := best[:min(nearDepth, len(best))]
	around, err := g.around(near)
	if err != nil {
		return nil, err
	}
	ring, err := g.around(near[:min(farDepth, len(near))])
	if err != nil {
		return nil, err
	}
	further, err := g.around(ring)
	if err != nil {
		return nil, err
	}
	return g.admit(ns, append(around, further...))
}

// admit appends those of more that are new and that the question may find.
func (g *gatherer) admit(ns, more []int64) ([]int64, error) {
	more = slices.DeleteFunc(sorted(more), func(n int64) bool { _, known := g.ranks[n]; return known })
	admitted, err := g.f.Admits(g.ctx, more)
	for i, ok := range admitted {
		if ok {
			g.ranks[more[i]] = -1
			ns = append(ns, more[i])
		}
	}
	return ns, err
}

// choose makes candidates of the most promising documents and measures them in full.
func (g *gatherer) choose(ns []int64) {
	g.candidates = slices.Grow(g.candidates, len(ns))
	g.cands = make([]*candidate, 0, len(ns))
	for _, n := range ns {
		if v := g.views[n]; v != nil {
			g.candidates = append(g.candidates, g.candidate(v, g.ranks[n]))
			g.cands = append(g.cands, &g.candidates[len(g.candidates)-1])
		}
	}
	slices.SortStableFunc(g.cands, func(a, b *candidate) int { return cmp.Compare(b.promise, a.promise) })
	g.cands = g.cands[:min(measureDepth, len(g.cands))]
	for _, c := range g.cands {
		g.p.measureFully(c.view)
	}
}

// chosen lists the candidates' numbers.
func (g *gatherer) chosen() []int64 {
	ns := make([]int64, len(g.cands))
	for i, c := range g.cands {
		ns[i] = c.view.doc.N
	}
	return ns
}

// beyond measures what the index found and is no candidate. It does without neighbours, so
// that a document scores the same however many are asked for.
func (g *gatherer) beyond(found []Found) (out []*candidate, err error) {
	chosen := make(map[int64]bool, len(g.cands))
	for _, c := range g.cands {
		chosen[c.view.doc.N] = true
	}
	if err := g.loadFound(found); err != nil {
		return nil, err
	}
	for i, h := range found {
		if v := g.views[h.N]; v != nil && !chosen[h.N] {
			g.p.measureFully(v)
			out = append(out, &candidate{view: v, place: i, date: g.p.dateMatch(v.doc.Time)})
		}
	}
	return out, nil
}

// loadFound loads what the index found, unless it is there already.
func (g *gatherer) loadFound(found []Found) error {
	var missing []int64
	for _, h := range found {
		if g.views[h.N] == nil {
			missing = append(missing, h.N)
		}
	}
	return g.load(missing)
}

// bestFirst orders documents by their best passage.
func (g *gatherer) bestFirst(ns []int64) []int64 {
	views := make([]*view, 0, len(ns))
	for _, n := range ns {
		if v := g.views[n]; v != nil {
			views = append(views, v)
		}
	}
	slices.SortStableFunc(views, func(a, b *view) int { return cmp.Compare(b.best, a.best) })
	out := make([]int64, len(views))
	for i, v := range views {
		out[i] = v.doc.N
	}
	return out
}

// around loads the documents before and after each of ns and returns their numbers.
func (g *gatherer) around(ns []int64) ([]int64, error) {
	if err := g.link(ns); err != nil {
		return nil, err
	}
	out := make([]int64, 0, 2*len(ns))
	for _, n := range ns {
		out = append(out, g.views[n].doc.Prev, g.next[n])
	}
	out = sorted(out)
	missing := slices.DeleteFunc(slices.Clone(out), func(n int64) bool { return n == 0 || g.views[n] != nil })
	if err := g.load(missing); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(out, func(n int64) bool { return g.views[n] == nil }), nil
}

// link looks up the next document of each.
func (g *gatherer) link(ns []int64) error {
	ns = slices.DeleteFunc(slices.Clone(ns), func(n int64) bool { _, known := g.next[n]; return known })
	next, err := g.f.Next(g.ctx, ns)
	for i, n := range next {
		g.next[ns[i]] = n
	}
	return err
}

func sorted(ns []int64) []int64 {
	slices.Sort(ns)
	return slices.Compact(ns)
}

func (g *gatherer) load(ns []int64) error {
	docs, err := g.f.Documents(g.ctx, ns)
	if err != nil {
		return err
	}
	views := g.newViews(len(docs))
	for i, d := range docs {
		if d != nil {
			g.p.measureBriefly(&views[i], d)
			g.views[ns[i]] = &views[i]
		}
	}
	return nil
}

// candidate links a view with the views of its neighbours.
func (g *gatherer) candidate(v *view, place int) candidate {
	c := candidate{view: v, place: place, vector: g.cosines[v.doc.N], date: g.p.dateMatch(v.doc.Time)}
	if c.prev1 = g.views[v.doc.Prev]; c.prev1 != nil {
		c.prev2 = g.views[c.prev1.doc.Prev]
	}
	if c.next1 = g.views[g.next[v.doc.N]]; c.next1 != nil {
		c.next2 = g.views[g.next[c.next1.doc.N]]
	}
	c.promise = c.guess() + c.date*datePromise
	if slices.Contains(g.endmost, v.doc.N) {
		c.promise += endmostPromise
	}
	if g.p.q.Request && v.doc.instructs() {
		c.promise += standingPromise
	}
	return c
}

// guess is a first estimate of a candidate's score from its text and its neighbours.
func (c *candidate) guess() float64 {
	return c.view.best + 0.3*max(bestOf(c.prev1), bestOf(c.next1)) + 0.15*max(bestOf(c.prev2), bestOf(c.next2)) + c.vector
}

// equallyGood reports whether the index's scores of two documents differ by no more than rounding.
func equallyGood(a, b Found) bool { return a.Score-b.Score <= 1e-5*a.Score }
