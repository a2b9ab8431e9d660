package recall

import (
	"math"
	"math/bits"
)

func trailing(m uint64) int { return bits.TrailingZeros64(m) }

// BM25's parameters for passages and for whole documents.
const (
	passageK1, passageB = 0.9, 0.4
	wholeK1, wholeB     = 1.2, 0.75
)

// view is what a probe sees of one document.
type view struct {
	doc      *Document
	best     float64 // BM25 of the best passage, as a share of the question's mass
	whole    float64 // BM25 of the document, likewise
	marks    Marks   // of the best passage
	has      uint64  // the question's terms that it has
	head     uint64  // those among its first words
	like     float64 // likeness of the best passage's words, length-normed
	softBest float64 // idf-weighted likeness of the best passage, as a share of the mass
	softCov  float64 // share of the mass that its words have or resemble
	pairs    float64 // share of neighbouring words kept
	phrase   float64 // share of quoted phrases found
}

// glance measures what a neighbour needs: which terms it has, and its best
// passage by them.
func (p *probe) glance(d *Document) *view {
	v := &view{doc: d}
	s := newSight(p, v)
	s.matchTerms()
	s.passages()
	return v
}

// lookAt looks at candidates, in room of its own.
func (p *probe) lookAt(cands []candidate) {
	own := *p
	own.room = rooms.Get().(*room)
	defer own.leave()
	for _, c := range cands {
		own.look(c.view)
	}
}

// look measures a candidate that was glanced at.
func (p *probe) look(v *view) {
	d := v.doc
	*v = view{doc: d}
	s := newSight(p, v)
	if cap(p.like) < len(d.Terms) {
		p.like = make([][]likeness, 2*len(d.Terms))
	}
	s.like = p.like[:len(d.Terms)]
	clear(s.like)
	s.matchTerms()
	s.matchLike()
	s.passages()
	s.adjacent()
	s.v.whole = s.bm25(s.total[:], float64(len(d.Seq)), p.stats.MeanTerms, wholeK1, wholeB) / p.mass
	s.v.softCov = s.softSum(&s.soft)
}

// sight is the work of one look.
type sight struct {
	p     *probe
	v     *view
	exact []int8 // per distinct term the place in the probe, -1 for none
	like  [][]likeness
	total [maxProbe]float64
	soft  [maxProbe]float32
}

func newSight(p *probe, v *view) *sight {
	n := len(v.doc.Terms)
	if cap(p.exact) < n {
		p.exact = make([]int8, 2*n)
	}
	return &sight{p: p, v: v, exact: p.exact[:n]}
}

func (s *sight) matchTerms() {
	for i, m := range s.v.doc.prints {
		s.exact[i] = -1
		if !s.p.sieve.known(m) {
			continue
		}
		if at, ok := s.p.place[s.v.doc.Terms[i]]; ok {
			s.exact[i] = int8(at)
			s.v.has |= 1 << at
			s.soft[at] = 1
		}
	}
}

// matchLike finds the words that are like terms or kin to them.
func (s *sight) matchLike() {
	for i, m := range s.v.doc.prints {
		if !s.p.sieve.known(m) && (!s.p.sieve.like(m) || !s.p.grams.mayHaveLike(s.v.doc.Terms[i])) {
			continue
		}
		s.like[i] = s.p.likeTerms(s.v.doc.Terms[i])
		for _, l := range s.like[i] {
			s.soft[l.term] = max(s.soft[l.term], l.value)
		}
	}
}

// likeTerms is like with a memory, because texts share their words.
func (p *probe) likeTerms(t string) []likeness {
	l, ok := p.seen[t]
	if !ok {
		l = append(p.grams.like(t), p.kin[t]...)
		p.seen[t] = l
	}
	return l
}

func (s *sight) wholes() {
	for _, at := range s.v.doc.Wholes {
		if e := s.exact[at]; e >= 0 {
			s.total[e]++
		}
	}
}

// passages finds the best passage by BM25 and the best by likeness.
func (s *sight) passages() {
	d, from := s.v.doc, uint32(0)
	s.wholes()
	for i, ps := range d.Passages {
		t := tally{}
		if i == 0 {
			t.tf = s.total // compounds: in short texts there is one passage
		}
		s.count(&t, d.Seq[from:ps.End], i == 0)
		n := float64(ps.End - from)
		if b := s.bm25(t.tf[:], n, s.p.stats.MeanPassage, passageK1, passageB) / s.p.mass; b > s.v.best || i == 0 {
			s.v.best, s.v.marks = b, ps.Marks
		}
		if s.like != nil {
			s.v.like = max(s.v.like, s.likeness(&t.soft, n))
			s.v.softBest = max(s.v.softBest, s.softSum(&t.soft))
		}
		from = ps.End
	}
}

// tally is how often the terms are in a passage, and how well they are met.
type tally struct {
	tf   [maxProbe]float64
	soft [maxProbe]float32
}

func (s *sight) count(t *tally, seq []uint32, first bool) {
	for i, at := range seq {
		if e := s.exact[at]; e >= 0 {
			t.tf[e]++
			s.total[e]++
			if first && i < headTerms {
				s.v.head |= 1 << e
			}
			t.soft[e] = 1
		}
		if s.like != nil {
			for _, l := range s.like[at] {
				t.soft[l.term] = max(t.soft[l.term], l.value)
			}
		}
	}
}

func (s *sight) bm25(tf []float64, n, mean, k1, b float64) float64 {
	norm, sum := k1*(1-b+b*n/max(mean, 1)), 0.0
	for i := range s.p.terms {
		if f := tf[i]; f > 0 {
			sum += s.p.terms[i].idf * f * (k1 + 1) / (f + norm)
		}
	}
	return sum
}

// likeness is a cosine of sorts: the idf-weighted likeness of the words over
// the root of the passage's length.
func (s *sight) likeness(soft *[maxProbe]float32, n float64) float64 {
	sum := 0.0
	for i := range s.p.terms {
		if v := float64(soft[i]); v > 0 {
			idf := max(s.p.terms[i].idf, 1)
			sum += idf * idf * v
		}
	}
	return sum / math.Sqrt(4+n)
}

func (s *sight) softSum(soft *[maxProbe]float32) float64 {
	sum := 0.0
	for i, t := range s.p.terms {
		sum += t.idf * float64(soft[i])
	}
	return sum / s.p.mass
}

// adjacent measures which of the question's pairs of words stay together.
func (s *sight) adjacent() {
	if len(s.p.pairs) == 0 && len(s.p.phrases) == 0 {
		return
	}
	var seq [maxProbe]uint64
	prev := int8(-1)
	for _, at := range s.v.doc.Seq {
		e := s.exact[at]
		if e >= 0 && prev >= 0 {
			seq[prev] |= 1 << e
		}
		prev = e
	}
	for i, pair := range s.p.pairs {
		if seq[pair[0]]&(1<<pair[1]) != 0 {
			s.v.pairs += s.p.pairMass[i] / (2 * s.p.mass)
		}
	}
	s.v.phrase = s.phrases(&seq)
}

func (s *sight) phrases(seq *[maxProbe]uint64) float64 {
	found := 0
	for _, ids := range s.p.phrases {
		ok := s.v.has&(1<<ids[0]) != 0
		for i := 1; i < len(ids) && ok; i++ {
			ok = seq[ids[i-1]]&(1<<ids[i]) != 0
		}
		if ok {
			found++
		}
	}
	if found == 0 {
		return 0
	}
	return float64(found) / float64(len(s.p.phrases))
}

// coverage is the share of the question's mass that a set of terms has.
func (p *probe) coverage(has uint64) float64 {
	sum := 0.0
	for ; has != 0; has &= has - 1 {
		sum += p.terms[trailing(has)].idf
	}
	return sum / p.mass
}
