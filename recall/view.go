package recall

import (
	"math"
	"math/bits"
	"slices"
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
	names    bool    // a speaker whom the question names is in it
	has      uint64  // the question's terms that it has
	head     uint64  // those among its first words
	like     float64 // likeness of the best passage's words, length-normed
	softBest float64 // idf-weighted likeness of the best passage, as a share of the mass
	softCov  float64 // share of the mass that its words have or resemble
	pairs    float64 // share of neighbouring words kept
	phrase   float64 // share of quoted phrases found
}

// measureBriefly measures what a neighbour needs: which terms it has, and its best
// passage by them.
func (p *probe) measureBriefly(v *view, d *Document) {
	v.doc = d
	p.measurer.begin(p, v, false)
	p.measurer.passages()
}

// measureFully measures a candidate that was glanced at.
func (p *probe) measureFully(v *view) {
	d, s := v.doc, &p.measurer
	*v = view{doc: d}
	s.begin(p, v, true)
	s.passages()
	s.adjacent()
	v.whole = s.bm25(&s.total, float64(len(d.Seq)), p.stats.MeanTerms, wholeK1, wholeB) / p.mass
	v.softCov = s.softSum(&s.soft)
}

// measurer is the work of one look. Of its arrays the places of the question's terms
// count.
type measurer struct {
	p             *probe
	v             *view
	words         *matcher
	full          bool // likenesses are measured too
	passageCounts      // of the passage under way
	total         [maxProbe]float64
	soft          [maxProbe]float32
	after         [maxProbe]uint64 // by term those that come right after it
	head          int              // how many of the words stand at the beginning
	last          int              // where in Seq the last term was
	which         int8             // which it was
	places        []uint32         // room for those of a passage
}

// passageCounts is how often the terms are in a passage, and how well they are met.
type passageCounts struct {
	tf  [maxProbe]float64
	met [maxProbe]float32
}

func (s *measurer) begin(p *probe, v *view, full bool) {
	n := len(p.terms)
	s.p, s.v, s.words, s.full = p, v, p.matcher(v.doc.In), full
	clear(s.total[:n])
	if full {
		s.words.measure(p, v.doc)
		clear(s.soft[:n])
		clear(s.after[:n])
	}
	s.last, s.head = -2, 0
	if ps := v.doc.Passages; len(ps) > 0 {
		s.head = min(headTerms, int(ps[0].End))
	}
}

// wholes counts the compounds.
func (s *measurer) wholes() {
	for _, id := range s.v.doc.Wholes {
		m := s.words.match(id)
		if m == nil {
			continue
		}
		s.v.names = s.v.names || m.names
		if m.exact >= 0 {
			s.total[m.exact]++
			s.v.has |= 1 << m.exact
			s.soft[m.exact] = 1
		}
		s.likes(m, &s.soft)
	}
}

// likes raises what words like the terms are worth.
func (s *measurer) likes(m *match, soft *[maxProbe]float32) {
	for _, l := range s.words.likes[m.from:m.to] {
		soft[l.term] = max(soft[l.term], l.value)
	}
}

// passages finds the best passage by BM25 and the best by likeness.
func (s *measurer) passages() {
	d, v, from, n := s.v.doc, s.v, 0, len(s.p.terms)
	s.wholes()
	for i, ps := range d.Passages {
		to := int(ps.End)
		clear(s.tf[:n])
		clear(s.met[:n])
		if i == 0 {
			copy(s.tf[:n], s.total[:n]) // compounds: in short texts there is one passage
		}
		if met := s.count(from, to); met || i == 0 {
			size := float64(to - from)
			if b := s.bm25(&s.tf, size, s.p.stats.MeanPassage, passageK1, passageB) / s.p.mass; b > v.best || i == 0 {
				v.best, v.marks = b, ps.Marks
			}
			if s.full {
				v.like = max(v.like, s.likeness(&s.met, size))
				v.softBest = max(v.softBest, s.softSum(&s.met))
			}
		}
		from = to
	}
}

// count tallies the words of a passage and reports whether any has to do with the
// question.
func (s *measurer) count(from, to int) bool {
	seq := s.v.doc.Seq[from:to]
	places := s.matchPlaces(seq)
	for _, i := range places {
		s.take(s.words.match(seq[i]), from+int(i))
	}
	if len(places) > 0 && s.full {
		for i, v := range s.met[:len(s.p.terms)] {
			s.soft[i] = max(s.soft[i], v)
		}
	}
	return len(places) > 0
}

// matchPlaces lists the places of the words that have to do with the question. It does
// without a branch, since no machine can guess which they are.
func (s *measurer) matchPlaces(seq []uint32) []uint32 {
	s.places = slices.Grow(s.places[:0], len(seq))[:len(seq)]
	n, state := 0, s.words.state
	for i, id := range seq {
		is := 0
		if state[id] >= firstMatch {
			is = 1
		}
		s.places[n] = uint32(i)
		n += is
	}
	return s.places[:n]
}

// take adds a word of the passage, at a place in Seq.
func (s *measurer) take(m *match, at int) {
	s.v.names = s.v.names || m.names
	if e := m.exact; e >= 0 {
		s.tf[e]++
		s.total[e]++
		s.met[e] = 1
		s.v.has |= 1 << e
		if at < s.head {
			s.v.head |= 1 << e
		}
		if s.last == at-1 {
			s.after[s.which] |= 1 << e
		}
		s.last, s.which = at, e
	}
	if s.full {
		s.likes(m, &s.met)
	}
}

func (s *measurer) bm25(tf *[maxProbe]float64, n, mean, k1, b float64) float64 {
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
func (s *measurer) likeness(soft *[maxProbe]float32, n float64) float64 {
	sum := 0.0
	for i := range s.p.terms {
		if v := float64(soft[i]); v > 0 {
			idf := max(s.p.terms[i].idf, 1)
			sum += idf * idf * v
		}
	}
	return sum / math.Sqrt(4+n)
}

func (s *measurer) softSum(soft *[maxProbe]float32) float64 {
	sum := 0.0
	for i, t := range s.p.terms {
		sum += t.idf * float64(soft[i])
	}
	return sum / s.p.mass
}

// adjacent measures which of the question's pairs of words stay together.
func (s *measurer) adjacent() {
	for i, pair := range s.p.pairs {
		if s.after[pair[0]]&(1<<pair[1]) != 0 {
			s.v.pairs += s.p.pairMass[i] / (2 * s.p.mass)
		}
	}
	s.v.phrase = s.phrases()
}

func (s *measurer) phrases() float64 {
	found := 0
	for _, ids := range s.p.phrases {
		ok := s.v.has&(1<<ids[0]) != 0
		for i := 1; i < len(ids) && ok; i++ {
			ok = s.after[ids[i-1]]&(1<<ids[i]) != 0
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
