package recall

import "slices"

// matcher compares a question with the words of one vocabulary. The question's own
// terms are matched before any text is looked at; another word is compared when the
// first candidate contains it.
type matcher struct {
	of      *Vocabulary
	words   wordList // words of the vocabulary that were read so far
	state   []uint16 // by word: unread, unrelated, or firstMatch plus an index in matches
	absent  []string // words of the question that the vocabulary does not have yet
	matches []match  // words related to the question
	likes   []likeness
	batch   // words being compared
}

// batch is scratch memory for the words of one document.
type batch struct {
	ids    []uint32
	prints []uint64
	terms  []string
}

// States of a word.
const (
	unread     = iota
	unrelated  // the word has nothing to do with the question
	firstMatch // from here on: index in matches

	maxMatches = 1<<16 - firstMatch // words beyond this number count as unrelated
)

// match is what a word of a text means to the question.
type match struct {
	exact    int8  // the term that equals it, -1 for none
	names    bool  // it is the name of a speaker
	from, to int32 // its likenesses in likes
}

// match returns what a word means to the question, nil if nothing.
func (r *matcher) match(id uint32) *match {
	if r.state[id] < firstMatch {
		return nil
	}
	return &r.matches[r.state[id]-firstMatch]
}

// begin prepares for a question over a vocabulary.
func (r *matcher) begin(v *Vocabulary, p *probe) {
	r.of = v
	for w := range p.place {
		r.absent = append(r.absent, w)
	}
	for _, w := range p.speakers {
		if _, asked := p.place[w]; !asked {
			r.absent = append(r.absent, w)
		}
	}
	r.grow(p)
}

// end prepares for reuse by another question.
func (r *matcher) end() {
	clear(r.state)
	clear(r.terms)
	*r = matcher{state: r.state[:0], absent: r.absent[:0], matches: r.matches[:0], likes: r.likes[:0], batch: r.batch}
}

// grow reads the words added to the vocabulary since.
func (r *matcher) grow(p *probe) {
	r.words = r.of.list()
	r.state = slices.Grow(r.state, r.words.n-len(r.state))[:r.words.n]
	r.absent = slices.DeleteFunc(r.absent, func(w string) bool {
		id, ok := r.of.Number(w)
		if ok = ok && int(id) < r.words.n; ok { // a word that was added just now is matched next time
			r.state[id] = r.matchAsked(p, id)
		}
		return ok
	})
}

// matchAsked matches a word of the question itself and returns its state.
func (r *matcher) matchAsked(p *probe, id uint32) uint16 {
	m := match{exact: -1, names: slices.Contains(p.speakers, r.words.term(id))}
	if at, ok := p.place[r.words.term(id)]; ok {
		m.exact = int8(at)
	}
	return r.keep(p, m, r.words.term(id), r.words.print(id))
}

// keep records what a word is similar to and returns its state.
func (r *matcher) keep(p *probe, m match, word string, print uint64) uint16 {
	if len(r.matches) == maxMatches {
		return unrelated
	}
	m.from = int32(len(r.likes))
	r.likes = p.grams.like(r.likes, word)
	if p.sieve.known(print) {
		r.likes = append(r.likes, p.related[word]...)
	}
	m.to = int32(len(r.likes))
	if m.exact < 0 && !m.names && m.from == m.to {
		return unrelated
	}
	r.matches = append(r.matches, m)
	return uint16(len(r.matches) - 1 + firstMatch)
}

// measure compares the words of a document that no earlier document had. Each kind of
// memory access is a loop over all words, so that the processor can overlap the cache
// misses of many words.
func (r *matcher) measure(p *probe, d *Document) {
	b := &r.batch
	b.ids = r.unread(r.unread(b.ids[:0], d.Seq), d.Wholes)
	b.prints = slices.Grow(b.prints[:0], len(b.ids))[:len(b.ids)]
	for i, id := range b.ids {
		b.prints[i] = r.words.print(id)
	}
	n := 0
	for i, print := range b.prints {
		if p.sieve.passes(print) {
			b.ids[n], b.prints[n] = b.ids[i], print
			n++
		}
	}
	b.terms = slices.Grow(b.terms[:0], n)[:n]
	for i, id := range b.ids[:n] {
		b.terms[i] = r.words.term(id)
	}
	for i, id := range b.ids[:n] {
		r.state[id] = r.keep(p, match{exact: -1}, b.terms[i], b.prints[i])
	}
}

// unread appends the words that were not compared yet, without repeats. It avoids a
// branch that the processor could not predict.
func (r *matcher) unread(out, ids []uint32) []uint32 {
	n, state := len(out), r.state
	out = slices.Grow(out, len(ids))[:n+len(ids)]
	for _, id := range ids {
		before, is := state[id], 0
		if before == unread {
			is = 1
		}
		state[id] = before | uint16(is)*unrelated
		out[n] = id
		n += is
	}
	return out[:n]
}
