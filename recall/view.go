package recall

import (
	"math"
	"math/bits"
	"slices"
	"strings"
)

// BM25's parameters for passages and for whole documents.
const (
	passageK1, passageB = 0.9, 0.4
	wholeK1, wholeB     = 1.2, 0.75
)

// view holds a question's measurements of one document.
type view struct {
	doc      *Document
	best     float64 // BM25 of the best passage, as a share of the question's mass
	whole    float64 // BM25 of the document, as a share of the question's mass
	marks    Marks   // of the best passage
	names    bool    // it contains the name of a speaker from the question
	has      uint64  // bit set of the question's terms in it
	head     uint64  // bit set of those among its first words
	like     float64 // likeness of the best passage, normalised by length
	softBest float64 // idf-weighted likeness of the best passage, as a share of the mass
	softCov  float64 // share of the mass that its words equal or resemble
	pairs    float64 // share of the question's adjacent words that are adjacent here
	phrase   float64 // share of quoted phrases found
}

// measureBriefly measures what is needed of a neighbour: which terms it has, and its
// best passage.
func (p *probe) measureBriefly(v *view, d *Document) {
	v.doc = d
	p.measurer.begin(p, v, false)
	p.measurer.passages()
}

// measureFully measures a candidate that was measured briefly before.
func (p *probe) measureFully(v *view) {
	d, s := v.doc, &p.measurer
	*v = view{doc: d}
	s.begin(p, v, true)
	s.passages()
	s.adjacent()
	v.whole = s.bm25(&s.total, float64(len(d.Seq)), p.stats.MeanTerms, wholeK1, wholeB) / p.mass
	v.softCov = s.softSum(&s.soft)
}

// measurer measures one document. Its arrays are indexed by term of the question.
type measurer struct {
	p             *probe
	v             *view
	words         *matcher
	full          bool // likenesses are measured too
	passageCounts      // of the current passage
	total         [maxProbe]float64
	soft          [maxProbe]float32
	after         [maxProbe]uint64 // bit set of the terms that directly follow each term
	head          int              // how many words count as the beginning
	last          int              // position in Seq of the last term found
	which         int8             // which term that was
	places        []uint32         // scratch for the positions in a passage
}

// passageCounts says how often each term occurs in a passage, and how well it is
// matched.
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

// wholes counts the joined compounds.
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
			if s.beginsWith(s.words.words.term(id)) {
				s.v.head |= 1 << m.exact
			}
		}
		s.likes(m, &s.soft)
	}
}

// beginsWith reports whether the parts of a compound stand among the words that count as
// the beginning.
func (s *measurer) beginsWith(compound string) bool {
	begin := s.v.doc.Seq[:s.head]
	for i := range begin {
		rest, ok := compound, true
		for j := i; ok && j < len(begin); j++ {
			rest, ok = strings.CutPrefix(rest, s.words.words.term(begin[j]))
			if ok && rest == "" {
				return true
			}
		}
	}
	return false
}

// likes raises the values of terms that a word resembles.
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
			copy(s.tf[:n], s.total[:n]) // include compounds: short texts have one passage
			copy(s.met[:n], s.soft[:n])
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

// count counts the words of a passage and reports whether any is related to the
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

// matchPlaces lists the positions of the words that are related to the question. It
// avoids a branch that the processor could not predict.
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

// take counts a word of the passage at a position in Seq.
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

// likeness is similar to a cosine: the idf-weighted likeness of the words over the root
// of the passage's length.
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

// adjacent measures which of the question's pairs of words are adjacent here too.
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

// coverage is the share of the question's mass in a set of terms.
func (p *probe) coverage(has uint64) float64 {
	sum := 0.0
	for ; has != 0; has &= has - 1 {
		sum += p.terms[bits.TrailingZeros64(has)].idf
	}
	return sum / p.mass
}
