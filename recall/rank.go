package recall

import (
	"cmp"
	"context"
	"maps"
	"math/bits"
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
	Now   time.Time // when the question is asked, in the asker's time zone
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
	found, err := g.find(firstDepth + o.Beyond)
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
	s.latest = s.cands[0].view.doc.Time
	for _, c := range s.cands {
		s.maxLike = max(s.maxLike, c.view.like)
		s.maxDate = max(s.maxDate, c.date)
		s.latest = max(s.latest, c.view.doc.Time)
	}
	s.latest = min(s.latest, s.p.now.Unix())
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
		sc.texts[bits.TrailingZeros64(m)]++
	}
}
