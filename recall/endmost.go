package recall

import (
	"cmp"
	"slices"
)

// "Which build is on staging now?" asks for the newest of what may be hundreds of texts about builds on staging. The index
// prefers short ones among them, so the newest need not be among its best.
const (
	endmostDepth   = 1000 // documents that are looked through for the newest or the oldest
	endmostShare   = 0.5  // of the best score that they must have
	endmostMost    = 20   // of them that become candidates
	endmostPromise = 1    // bonus on a document's first estimate for being one of these
)

// find returns the best documents of the index. If the newest or the oldest are asked for, it notes those of more that match well.
func (g *gatherer) find(depth int) ([]Found, error) {
	if g.p.q.Order == AnyTime || len(g.p.dates) > 0 { // texts of a time that is named are found by it
		return g.f.Top(g.ctx, g.p.weighted(), depth)
	}
	found, err := g.f.Top(g.ctx, g.p.weighted(), max(depth, endmostDepth))
	if err != nil || len(found) == 0 {
		return nil, err
	}
	var matching []int64
	for _, h := range found[:min(endmostDepth, len(found))] {
		if h.Score >= endmostShare*found[0].Score {
			matching = append(matching, h.N)
		}
	}
	docs, err := g.f.Documents(g.ctx, matching)
	if err != nil {
		return nil, err
	}
	docs = slices.DeleteFunc(docs, func(d *Document) bool { return d == nil })
	slices.SortFunc(docs, g.p.q.compareTimes)
	for _, d := range docs[:min(endmostMost, len(docs))] {
		g.endmost = append(g.endmost, d.N)
	}
	return found[:min(depth, len(found))], nil
}

// compareTimes orders documents from the end of time that the question asks for.
func (q Question) compareTimes(a, b *Document) int {
	order := cmp.Or(cmp.Compare(a.Time, b.Time), cmp.Compare(a.N, b.N))
	if q.Order == Newest {
		return -order
	}
	return order
}

// alike is by how much of the question's mass a text may have less than another and still be about the same.
const alike = 0.1

// endOf says how near a candidate stands to the end of time that the question asks for: the share of the question that its
// text has, divided by its place among the candidates that have as much. The newest text of all that have one of the words
// may be about anything, so it does not count against those that have more of them. If the question names a time, too
// ("the last meeting in March"), that is part of what is had. A short question, which may be the same one asked
// before, tells nothing that holds and has no place.
func (s *scene) endOf(c *candidate) float64 {
	if c.view.bareQuestion() {
		return 0
	}
	place := 1
	for _, o := range s.cands {
		if !o.view.bareQuestion() && s.fit(o) >= s.fit(c)-alike && s.p.q.compareTimes(o.view.doc, c.view.doc) < 0 {
			place++
		}
	}
	return s.fit(c) / float64(place)
}

// bareQuestion reports whether a text is no more than a question: it is short and names no number or time.
func (v *view) bareQuestion() bool {
	return v.doc.Asks && len(v.doc.Seq) <= orderTerms && v.marks&(HasNumber|HasTime) == 0
}

// fit is the share of the question that a candidate has.
func (s *scene) fit(c *candidate) float64 {
	if s.maxDate == 0 {
		return c.view.softCov
	}
	return c.view.softCov * c.date / s.maxDate
}
