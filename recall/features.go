package recall

import (
	"math"
	"slices"
	"time"
)

// featureNames are the inputs of the linear model, in order. What each means
// stands where it is set, in [scene.features].
var featureNames = []string{
	"turn", "turn2", "whole", "prev1", "next1", "prev2", "next2", "near", "session", "session_rank", "session_cover", "session_best", "many_session",
	"coverage", "coverage_near", "complete", "soft_coverage", "likeness", "head_coverage", "rarest", "names", "soft_turn", "soft_near", "pairs", "phrase",
	"speaker", "other_speaker", "names_speaker", "answers", "asks", "brief", "long",
	"when_time", "count_number", "where_name", "date", "by_me_user", "by_you_assistant", "is_user",
	"recency", "newest", "oldest", "rank", "vector",
}

// NumFeatures is the length of a feature vector.
var NumFeatures = len(featureNames)

// FeatureNames lists the model's inputs in order.
func FeatureNames() []string { return slices.Clone(featureNames) }

// Features is what the model sees of one candidate.
type Features []float64

// candidate is a document in the running with its neighbours, nil where there
// are none.
type candidate struct {
	view                       *view
	prev1, next1, prev2, next2 *view
	place                      int     // in the index's own ranking, -1 for neighbours
	vector                     float64 // cosine of embeddings, 0 where there are none
}

// scene is all candidates of a question together.
type scene struct {
	p        *probe
	now      int64
	cands    []candidate
	sessions map[uint64]*sessionScore
	maxLike  float64
	oldest   int64
	latest   int64
}

type sessionScore struct {
	has   uint64
	best  float64
	score float64
	rank  int
}

// features fills x for one candidate.
func (s *scene) features(c candidate, x Features) {
	p, v, d := s.p, c.view, c.view.doc
	f := filler{x: x}
	// The best passage's BM25 as a share of what the question could reach, and
	// the whole document's.
	f.put("turn", v.best)
	f.put("turn2", v.best*v.best)
	f.put("whole", v.whole)
	// What stands around it in the same session.
	p1, n1, p2, n2 := bestOf(c.prev1), bestOf(c.next1), bestOf(c.prev2), bestOf(c.next2)
	f.put("prev1", p1)
	f.put("next1", n1)
	f.put("prev2", p2)
	f.put("next2", n2)
	f.put("near", max(p1, n1))
	ses := s.sessions[d.Stream]
	f.put("session", ses.score)
	f.put("session_cover", p.coverage(ses.has))
	f.put("session_best", ses.best)
	f.put("many_session", truth(p.q.Many)*ses.best)
	f.put("session_rank", 1/float64(1+ses.rank))
	// Which of the question's words it has.
	cov := p.coverage(v.has)
	f.put("coverage", cov)
	f.put("coverage_near", p.coverage(v.has|hasOf(c.prev1)|hasOf(c.next1)))
	f.put("complete", truth(cov > 0.999))
	f.put("soft_coverage", v.softCov)
	f.put("likeness", v.like/s.maxLike)
	f.put("head_coverage", p.coverage(v.head))
	f.put("rarest", truth(v.has&p.rarest() != 0))
	f.put("names", p.coverage(v.has&p.names))
	f.put("soft_turn", v.softBest)
	f.put("soft_near", max(softOf(c.prev1), softOf(c.next1)))
	f.put("pairs", v.pairs)
	f.put("phrase", v.phrase)
	s.people(&f, c)
	s.shape(&f, c)
	s.times(&f, d)
	f.put("rank", 1/float64(2+max(c.place, 0))*truth(c.place >= 0))
	f.put("vector", c.vector)
}

// people sets who speaks and to whom the question turns.
func (s *scene) people(f *filler, c candidate) {
	d := c.view.doc
	one := len(s.p.speakers) == 1
	says := one && slices.Contains(d.Speaker, s.p.speakers[0])
	f.put("speaker", truth(says))
	f.put("other_speaker", truth(one && !says && d.Role == Other))
	f.put("names_speaker", truth(len(s.p.speakers) > 0 && hasAny(d.Terms, s.p.speakers)))
	f.put("by_me_user", truth(s.p.q.ByMe && d.Role == User))
	f.put("by_you_assistant", truth(s.p.q.ByYou && d.Role == Assistant))
	f.put("is_user", truth(d.Role == User))
}

// shape sets what kind of text it is and whether that is what is asked for.
func (s *scene) shape(f *filler, c candidate) {
	v, d := c.view, c.view.doc
	f.put("answers", bestOf(c.prev1)*truth(c.prev1 != nil && c.prev1.doc.Asks))
	f.put("asks", truth(d.Asks))
	n := float64(len(d.Seq))
	f.put("brief", math.Log(1+min(n, 25))/3.3)
	f.put("long", math.Log(max(1, n/passageTerms)))
	f.put("when_time", truth(s.p.q.When && v.marks&HasTime != 0))
	f.put("count_number", truth(s.p.q.Count && v.marks&HasNumber != 0))
	f.put("where_name", truth(s.p.q.Where && v.marks&HasName != 0))
}

// times sets how the document's time fits the question.
func (s *scene) times(f *filler, d *Document) {
	f.put("date", dateMatch(s.p.q.Dates, d.Time))
	age := float64(max(s.now-d.Time, 0)) / 86400
	f.put("recency", math.Exp2(-age/90))
	place := 0.5
	if s.latest > s.oldest {
		place = float64(d.Time-s.oldest) / float64(s.latest-s.oldest)
	}
	f.put("newest", place*truth(s.p.q.Order == Newest))
	f.put("oldest", (1-place)*truth(s.p.q.Order == Oldest))
}

// dateMatch is 1 for the day (or two beside it), 0.5 for the month, 0.3 for a
// year that was named alone.
func dateMatch(dates []Date, unix int64) float64 {
	if len(dates) == 0 {
		return 0
	}
	t := time.Unix(unix, 0).UTC()
	best := 0.0
	for _, d := range dates {
		switch {
		case d.Year != 0 && d.Year != t.Year():
		case d.Month == 0:
			best = max(best, 0.3)
		case d.Month != int(t.Month()):
		case d.Day != 0 && abs(d.Day-t.Day()) <= 2:
			best = max(best, 1)
		default:
			best = max(best, 0.5)
		}
	}
	return best
}

// filler sets features in the order of their names; a wrong order is a mistake
// in this file and shows at once.
type filler struct {
	x Features
}

func (f *filler) put(name string, v float64) {
	f.x[featurePlace[name]] = v
}

var featurePlace = places(featureNames)

func places(names []string) map[string]int {
	out := map[string]int{}
	for i, n := range names {
		out[n] = i
	}
	return out
}

func (p *probe) rarest() uint64 {
	best, m := 0.0, uint64(0)
	for i, t := range p.terms {
		switch {
		case t.idf > best+1e-9:
			best, m = t.idf, 1<<i
		case t.idf > best-1e-9 && t.idf > 0:
			m |= 1 << i
		}
	}
	return m
}

func hasAny(terms, any []string) bool {
	return slices.ContainsFunc(any, func(a string) bool { return slices.Contains(terms, a) })
}

func bestOf(v *view) float64 {
	if v == nil {
		return 0
	}
	return v.best
}

func softOf(v *view) float64 {
	if v == nil {
		return 0
	}
	return v.softBest
}

func hasOf(v *view) uint64 {
	if v == nil {
		return 0
	}
	return v.has
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func abs(n int) int { return max(n, -n) }
