package recall

import "slices"

// reading is what a question makes of the words of one vocabulary. Terms of the
// question are marked before any text is looked at; other words are measured when
// the first candidate has them.
type reading struct {
	of     *Vocabulary
	terms  []string // of the vocabulary as far as it is read
	prints []uint64
	state  []uint16  // by word: unread, foreign, or its place in met and firstMet
	absent []string  // words of the question that the vocabulary does not have yet
	met    []meeting // the words that have to do with the question
	likes  []likeness
}

// States of a word.
const (
	unread   = iota
	foreign  // it has nothing to do with the question
	firstMet // the states from here on are places in met

	mostMet = 1<<16 - firstMet // more words than that are foreign
)

// meeting is what a word of a text is to the question.
type meeting struct {
	exact    int8 // the term that it is, -1 for none
	names    bool // it is a speaker's name
	measured bool // its likenesses are known
	from, to int32
}

// begin prepares for a question in a vocabulary.
func (r *reading) begin(v *Vocabulary, p *probe) {
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

// end makes it ready for another question.
func (r *reading) end() {
	clear(r.state)
	*r = reading{state: r.state[:0], absent: r.absent[:0], met: r.met[:0], likes: r.likes[:0]}
}

// grow takes in the words that the vocabulary has come to have.
func (r *reading) grow(p *probe) {
	r.terms, r.prints = r.of.words()
	r.state = slices.Grow(r.state, len(r.terms)-len(r.state))[:len(r.terms)]
	r.absent = slices.DeleteFunc(r.absent, func(w string) bool {
		id, ok := r.of.find(w)
		if ok {
			r.state[id] = r.meet(p, id)
		}
		return ok
	})
}

// meet says what a word is to the question, likenesses left out.
func (r *reading) meet(p *probe, id uint32) uint16 {
	m := meeting{exact: -1, names: slices.Contains(p.speakers, r.terms[id])}
	if p.sieve.known(r.prints[id]) {
		if at, ok := p.place[r.terms[id]]; ok {
			m.exact = int8(at)
		}
	}
	return r.keep(m)
}

func (r *reading) keep(m meeting) uint16 {
	if len(r.met) == mostMet {
		return foreign
	}
	r.met = append(r.met, m)
	return uint16(len(r.met) - 1 + firstMet)
}

// measure finds out which terms a word is like, and returns its state.
func (r *reading) measure(p *probe, id uint32) uint16 {
	print, from := r.prints[id], int32(len(r.likes))
	if known := p.sieve.known(print); known || p.sieve.like(print) {
		r.likes = p.grams.like(r.likes, r.terms[id])
		if known {
			r.likes = append(r.likes, p.kin[r.terms[id]]...)
		}
	}
	to, state := int32(len(r.likes)), r.state[id]
	switch {
	case state >= firstMet:
		m := &r.met[state-firstMet]
		m.measured, m.from, m.to = true, from, to
	case from == to:
		state = foreign
	default:
		state = r.keep(meeting{exact: -1, measured: true, from: from, to: to})
	}
	r.state[id] = state
	return state
}
