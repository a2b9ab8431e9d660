package recall

import (
	"cmp"
	"context"
	"math"
	"slices"
	"sync"
	"time"
)

// maxProbe is the most terms of a question that are used. Of a longer question, the
// rarest are taken.
const maxProbe = 64

// probe is a question prepared for a scope: its terms with their weights there.
type probe struct {
	q        Question
	now      time.Time // when the question is asked, in the asker's time zone
	dates    []Date    // named by the question
	stats    Stats
	terms    []probeTerm
	place    map[string]int // index in terms by term
	mass     float64        // sum of idf over terms
	speakers []string       // terms of the question that are names of sources
	pairs    [][2]int
	pairMass []float64
	phrases  [][]int
	grams    gramTable
	sieve    sieve
	related  map[string][]likeness
	asked    []Weighted // related words by which candidates are looked for
	names    uint64     // bit set of capitalised terms, except speakers
	rarest   uint64     // bit set of the terms with the highest idf
	*scratch
}

// scratch is the memory needed to look at documents one after the other. It is reused
// from question to question, because it is most of what a question would allocate.
type scratch struct {
	matchers []*matcher // by vocabulary; those from index used on are free
	used     int
	measurer measurer

	views      map[int64]*view // views gathered, by document
	next       map[int64]int64 // the next document in the stream, by document
	ranks      map[int64]int   // rank in the index's order by document, -1 for neighbours
	viewRoom   []view          // backing array of views; a full one is replaced
	candidates []candidate
}

var scratches = sync.Pool{New: func() any {
	return &scratch{views: make(map[int64]*view, usualViews), next: make(map[int64]int64, usualViews), ranks: make(map[int64]int, usualViews)}
}}

// newViews returns n empty views, which are not moved later.
func (r *scratch) newViews(n int) []view {
	if cap(r.viewRoom)-len(r.viewRoom) < n {
		r.viewRoom = make([]view, 0, max(n, usualViews))
	}
	from := len(r.viewRoom)
	r.viewRoom = r.viewRoom[:from+n]
	return r.viewRoom[from:]
}

// reset empties the collected data.
func (r *scratch) reset() {
	clear(r.views)
	clear(r.next)
	clear(r.ranks)
	clear(r.viewRoom)
	clear(r.candidates)
	r.viewRoom, r.candidates = r.viewRoom[:0], r.candidates[:0]
}

// keptMatchers is how many matchers are kept from question to question. An index has
// one vocabulary, or two while replacing it.
const keptMatchers = 2

// release gives the scratch memory back. The probe must not be used afterwards.
func (p *probe) release() {
	for _, r := range p.matchers[:p.used] {
		r.end()
	}
	p.matchers, p.used = p.matchers[:min(keptMatchers, len(p.matchers))], 0
	p.measurer.p, p.measurer.v, p.measurer.words = nil, nil, nil
	p.reset()
	scratches.Put(p.scratch)
	p.scratch = nil
}

// matcher returns the matcher for a vocabulary.
func (p *probe) matcher(v *Vocabulary) *matcher {
	for _, r := range p.matchers[:p.used] {
		if r.of == v {
			if int(v.known.Load()) > r.words.n {
				r.grow(p)
			}
			return r
		}
	}
	if p.used == len(p.matchers) {
		p.matchers = append(p.matchers, new(matcher))
	}
	r := p.matchers[p.used]
	p.used++
	r.begin(v, p)
	return r
}

type probeTerm struct {
	term   string
	idf    float64
	stands []string // related words that count as the term
}

// newProbe looks up the question's terms and drops those that the scope does not
// contain; likeness still tries them. It returns nil for a scope without documents.
func newProbe(ctx context.Context, f Finder, q Question, now time.Time) (*probe, error) {
	words := slices.Concat(q.Terms, q.Wholes)
	asked := slices.Clone(words)
	for _, w := range q.Names {
		asked = append(asked, speakerTerm(w))
	}
	st, err := f.Stats(ctx, asked)
	if err != nil {
		return nil, err
	}
	if st.Docs == 0 {
		return nil, nil
	}
	p := &probe{q: q, now: now, dates: q.dates(now), stats: st, place: map[string]int{}, scratch: scratches.Get().(*scratch)}
	p.takeSpeakers(st.DF[len(words):])
	stands, err := standIns(ctx, f, q, words, st.DF)
	if err != nil {
		return nil, err
	}
	if err := correct(ctx, f, q.Words, words, st.DF); err != nil {
		return nil, err
	}
	p.takeTerms(words, len(q.Terms), stands)
	for i, t := range q.Terms { // a corrected word takes the place of the typed one
		if at, ok := p.place[words[i]]; ok {
			p.place[t] = at
		}
	}
	p.rarest = rarest(p.terms)
	p.takePairs()
	p.grams = newGramTable(p.terms)
	p.takeRelated()
	if p.asked, err = p.chooseRelated(ctx, f); err != nil {
		return nil, err
	}
	p.sieve = newSieve(p.terms, p.related)
	return p, nil
}

// takeSpeakers keeps the names that are names of sources. df gives, for each of the
// question's names, the number of documents with such a source.
func (p *probe) takeSpeakers(df []int) {
	for i, name := range p.q.Names {
		if df[i] > 0 {
			p.speakers = append(p.speakers, name)
		}
	}
}

// takeTerms keeps the content terms. The first of the words, as many as plain says, are
// plain ones, the others joined compounds. Names of speakers count only if nothing else
// is asked.
func (p *probe) takeTerms(words []string, plain int, stands map[string]standIn) {
	p.weigh(words, plain, stands, p.speakers)
	if len(p.terms) == 0 {
		p.weigh(words, plain, stands, nil)
	}
	if len(p.terms) > maxProbe {
		slices.SortStableFunc(p.terms, func(a, b probeTerm) int { return cmp.Compare(b.idf, a.idf) })
		p.terms = p.terms[:maxProbe]
	}
	for i, t := range p.terms {
		p.place[t.term] = i
		for _, k := range t.stands {
			p.place[k] = i
		}
		p.mass += t.idf
	}
	if p.mass == 0 {
		p.mass = 1
	}
}

// weigh adds terms with their weights, without the speakers' names and without joined
// compounds that the scope does not contain.
func (p *probe) weigh(words []string, plain int, stands map[string]standIn, speakers []string) {
	for i, w := range words {
		if slices.Contains(speakers, w) || i >= plain && p.stats.DF[i] == 0 {
			continue
		}
		t := probeTerm{term: w, idf: p.rarity(w, p.stats.DF[i]) * askWeight(w), stands: stands[w].words}
		if t.stands != nil && stands[w].instead {
			t.idf *= relatedWeight
		}
		p.terms = append(p.terms, t)
	}
}

// lookedFor lists the terms that the scope has, with their weights.
func (p *probe) lookedFor() []Weighted {
	out := make([]Weighted, 0, len(p.terms))
	for _, t := range p.terms {
		for _, word := range append([]string{t.term}, t.stands...) {
			out = append(out, Weighted{Term: word, Weight: t.idf})
		}
	}
	return out
}

// rarest returns the bit set of the rarest terms, which may be several of equal rarity.
func rarest(terms []probeTerm) uint64 {
	best, m := 0.0, uint64(0)
	for i, t := range terms {
		switch {
		case t.idf > best+1e-9:
			best, m = t.idf, 1<<i
		case t.idf > best-1e-9 && t.idf > 0:
			m |= 1 << i
		}
	}
	return m
}

// takeRelated collects the words related to the question's terms.
func (p *probe) takeRelated() {
	p.related = map[string][]likeness{}
	for i, t := range p.terms {
		for _, k := range related()[t.term] {
			p.addRelated(k, likeness{i, relatedWeight})
		}
		eachSimilar(t.term, func(word string, like float32) { p.addRelated(word, likeness{i, like}) })
		if slices.Contains(p.q.Names, t.term) {
			p.names |= 1 << i
		}
	}
}

// addRelated records that a word is related to a term. The first value for a pair is
// kept.
func (p *probe) addRelated(word string, l likeness) {
	if _, asked := p.place[word]; asked {
		return
	}
	if !slices.ContainsFunc(p.related[word], func(k likeness) bool { return k.term == l.term }) {
		p.related[word] = append(p.related[word], l)
	}
}

// idf returns 0 for a term that occurs nowhere.
func (p *probe) idf(df int) float64 {
	if df == 0 {
		return 0
	}
	return idf(float64(p.stats.Docs), float64(df))
}

// idf is BM25's weight of a term that occurs in df of n texts.
func idf(n, df float64) float64 { return math.Log(1 + (n-df+0.5)/(df+0.5)) }

func (p *probe) takePairs() {
	for _, pair := range p.q.Pairs {
		a, okA := p.place[pair[0]]
		b, okB := p.place[pair[1]]
		if okA && okB {
			p.pairs = append(p.pairs, [2]int{a, b})
			p.pairMass = append(p.pairMass, p.terms[a].idf+p.terms[b].idf)
		}
	}
	for _, phrase := range p.q.Phrases {
		var ids []int
		for _, t := range phrase {
			if i, ok := p.place[t]; ok {
				ids = append(ids, i)
			}
		}
		if len(ids) > 0 {
			p.phrases = append(p.phrases, ids)
		}
	}
}

// speakerWeight is the weight of being said by the speaker whom the question names,
// about half that of a rare word.
const speakerWeight = 2.75

// weighted returns the terms for the index: the most telling terms, related words, and
// the speaker.
func (p *probe) weighted() []Weighted {
	out := slices.DeleteFunc(p.lookedFor(), func(w Weighted) bool { return w.Weight == 0 })
	slices.SortStableFunc(out, func(a, b Weighted) int { return cmp.Compare(b.Weight, a.Weight) })
	out = append(out[:min(probeTermsAsked, len(out))], p.asked...)
	if len(p.speakers) == 1 && len(out) > 0 {
		out = append(out, Weighted{Term: speakerTerm(p.speakers[0]), Weight: speakerWeight, Even: true})
	}
	return out
}
