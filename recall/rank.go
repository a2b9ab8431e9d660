package recall

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"
)

// Sizes of the stages of ranking.
const (
	probeTermsAsked = 24  // terms sent to the index
	firstDepth      = 120 // candidates taken from the index
	nearDepth       = 40  // best candidates whose neighbours are added
	farDepth        = 10  // best candidates whose neighbours' neighbours are added
	measureDepth    = 110 // candidates that are measured in full
)

// usualViews is how many documents a question usually looks at.
const usualViews = 2 * firstDepth

// Options are the settings of one question.
type Options struct {
	Now   time.Time // when the question is asked, in the asker's time zone; zero if unknown
	Limit int       // most hits to return; 0 returns all candidates, about measureDepth
	// Beyond is how many more of the documents that the index found are returned behind the
	// candidates, in the index's order. They are not compared with one another.
	Beyond int
	// Cosines are the cosine similarities, by document, between the question's embedding
	// and similar ones. These documents become candidates, and the values a feature. Nil
	// without embeddings.
	Cosines map[int64]float64
	// Between lists the documents of a period, or none if there are very many. If a
	// question names a time, they may answer it whatever they say. Nil if documents
	// cannot be looked up by time.
	Between func(ctx context.Context, from, to time.Time) ([]int64, error)
	// Decisions returns those of the given documents that record a decision, sorted. It is
	// called if a question asks what was decided. Nil if no document does.
	Decisions func(ctx context.Context, ns []int64) ([]int64, error)
}

// Ranked is a document with its final score and the inputs of that score.
type Ranked struct {
	Doc      *Document
	Score    float64
	Features Features
	Kind     Kind
	Terms    []Weighted // what was looked for, the same for all: with mistyped words corrected, rare ones weighing more
	Beyond   bool       // it stands behind the candidates, in the index's order
}

// Rank answers a question from a scope, best documents first.
func Rank(ctx context.Context, f Finder, m *Model, q Question, o Options) ([]Ranked, error) {
	s, err := newScene(ctx, f, q, o)
	if err != nil || s == nil {
		return nil, err
	}
	defer s.p.release()
	kind := s.kind()
	w := m.blend(kind)
	measured := len(s.cands)
	cands := append(s.cands, s.beyond...)
	all := make([]float64, len(cands)*NumFeatures)
	out, terms := make([]Ranked, len(cands)), s.p.lookedFor()
	for i, c := range cands {
		x := Features(all[i*NumFeatures : (i+1)*NumFeatures : (i+1)*NumFeatures])
		s.features(c, x)
		out[i] = Ranked{Doc: c.view.doc, Score: w.score(x), Features: x, Kind: kind, Terms: terms, Beyond: i >= measured}
	}
	slices.SortFunc(out[:measured], func(a, b Ranked) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(b.Doc.N, a.Doc.N))
	})
	if o.Limit > 0 {
		out = out[:min(o.Limit, len(out))]
	}
	return out, nil
}

// newScene gathers the candidates of a question; nil if there are none.
func newScene(ctx context.Context, f Finder, q Question, o Options) (*scene, error) {
	p, err := newProbe(ctx, f, q, o.Now)
	if err != nil || p == nil {
		return nil, err
	}
	g := gatherer{ctx: ctx, f: f, p: p, scratch: p.scratch, cosines: o.Cosines}
	s, err := g.scene(q, o)
	if s == nil {
		p.release()
		return nil, err
	}
	s.survey()
	return s, nil
}

// scene gathers the candidates, and what is asked for besides; nil if there are none.
func (g *gatherer) scene(q Question, o Options) (*scene, error) {
	found, err := g.f.Top(g.ctx, g.p.weighted(), firstDepth+o.Beyond)
	if err != nil {
		return nil, err
	}
	if g.named, err = g.p.fromNamedTimes(g.ctx, g.f, o); err != nil || len(found)+len(g.cosines)+len(g.named) == 0 {
		return nil, err
	}
	if err := g.gather(found[:min(firstDepth, len(found))]); err != nil || len(g.cands) == 0 {
		return nil, err
	}
	s := &scene{p: g.p, cands: g.cands}
	if o.Beyond > 0 {
		if s.beyond, err = g.beyond(found); err != nil {
			return nil, err
		}
	}
	if o.Decisions != nil && q.Decided {
		if s.decided, err = o.Decisions(g.ctx, g.chosen()); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// survey computes the values over all candidates that features compare with.
func (s *scene) survey() {
	s.maxLike = 1e-9
	s.oldest, s.latest = s.cands[0].view.doc.Time, s.cands[0].view.doc.Time
	for _, c := range s.cands {
		s.maxLike = max(s.maxLike, c.view.like)
		s.oldest = min(s.oldest, c.view.doc.Time)
		s.latest = max(s.latest, c.view.doc.Time)
	}
	if !s.p.now.IsZero() {
		s.latest = min(s.latest, s.p.now.Unix())
	}
	s.scoreSessions()
}

// scoreSessions sums up, for each session, which terms its candidates have and how
// often.
func (s *scene) scoreSessions() {
	s.sessions = map[uint64]*sessionScore{}
	for _, c := range s.cands {
		sc := s.sessions[c.view.doc.Stream]
		if sc == nil {
			sc = &sessionScore{}
			s.sessions[c.view.doc.Stream] = sc
		}
		sc.add(c.view)
	}
	order := slices.Collect(maps.Values(s.sessions))
	for _, sc := range order {
		for i, t := range s.p.terms {
			sc.score += t.idf * sc.texts[i] / (sc.texts[i] + wholeK1) / s.p.mass
		}
	}
	slices.SortFunc(order, func(a, b *sessionScore) int { return cmp.Compare(b.score, a.score) })
	for i, sc := range order {
		sc.rank = i
		if i > 0 && sc.score == order[i-1].score {
			sc.rank = order[i-1].rank
		}
	}
}

func (sc *sessionScore) add(v *view) {
	sc.has |= v.has
	sc.best = max(sc.best, v.best)
	for m := v.has; m != 0; m &= m - 1 {
		sc.texts[trailing(m)]++
	}
}

// guess is a first estimate of a candidate's score from its text and its neighbours.
func (c *candidate) guess() float64 {
	return c.view.best + 0.3*max(bestOf(c.prev1), bestOf(c.next1)) + 0.15*max(bestOf(c.prev2), bestOf(c.next2)) + c.vector
}

// gatherer collects candidates and their neighbours.
type gatherer struct {
	ctx context.Context
	f   Finder
	p   *probe
	*scratch
	cands   []*candidate
	cosines map[int64]float64
	named   []int64 // documents of the times that the question names
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
	}
	ns, err := g.addNear(ns)
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
	joined := slices.DeleteFunc(sorted(append(around, further...)), func(n int64) bool { _, known := g.ranks[n]; return known })
	admitted, err := g.f.Admits(g.ctx, joined)
	for i, ok := range admitted {
		if ok {
			g.ranks[joined[i]] = -1
			ns = append(ns, joined[i])
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
	var missing []int64
	for _, h := range found {
		if g.views[h.N] == nil {
			missing = append(missing, h.N)
		}
	}
	if err := g.load(missing); err != nil {
		return nil, err
	}
	for i, h := range found {
		if v := g.views[h.N]; v != nil && !chosen[h.N] {
			g.p.measureFully(v)
			out = append(out, &candidate{view: v, place: i})
		}
	}
	return out, nil
}

// addNear adds the documents whose embeddings are close to the question's, and those of
// the times it names.
func (g *gatherer) addNear(ns []int64) ([]int64, error) {
	near := sorted(append(slices.Collect(maps.Keys(g.cosines)), g.named...))
	admitted, err := g.f.Admits(g.ctx, near)
	for i, ok := range admitted {
		if _, known := g.ranks[near[i]]; ok && !known {
			g.ranks[near[i]] = -1
			ns = append(ns, near[i])
		}
	}
	return ns, err
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
	c := candidate{view: v, place: place, vector: g.cosines[v.doc.N]}
	if c.prev1 = g.views[v.doc.Prev]; c.prev1 != nil {
		c.prev2 = g.views[c.prev1.doc.Prev]
	}
	if c.next1 = g.views[g.next[v.doc.N]]; c.next1 != nil {
		c.next2 = g.views[g.next[c.next1.doc.N]]
	}
	c.promise = c.guess() + g.p.dateMatch(v.doc.Time)*datePromise
	if g.p.q.Request && v.doc.instructs() {
		c.promise += standingPromise
	}
	return c
}
