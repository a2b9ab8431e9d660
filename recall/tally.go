package recall

import "unsafe"

// TermSet is a set of terms to be counted in encoded documents. One goroutine uses
// it at a time.
type TermSet struct {
	places map[string]int
	heads  [1 << 8]bool // see headOf: most words of a text end here
	found  []foundTerm  // in the document under way
	tally  Tally
}

// Tally says how often terms occur in a document, and how long it is.
type Tally struct {
	Project  string
	Words    int // compounds left out
	Passages int
	Times    []int // by term
}

type foundTerm struct{ word, term int }

// NewTermSet prepares to count terms, which should be distinct.
func NewTermSet(terms []string) *TermSet {
	s := &TermSet{places: make(map[string]int, len(terms)), tally: Tally{Times: make([]int, len(terms))}}
	for i, t := range terms {
		s.places[t] = i
		s.heads[headOf(t)] = true
	}
	return s
}

func headOf(term string) byte {
	if term == "" {
		return 0
	}
	return term[0] ^ term[len(term)-1]<<3 ^ byte(len(term))<<5
}

// Count reads from what [Document.Encode] wrote how often each term is there, and
// little else: decoding takes about four times as long. The tally is valid until the
// next call, and as long as data does not change.
func (s *TermSet) Count(data []byte) (*Tally, error) {
	if len(data) < 2 || data[0] != documentFormat {
		return nil, ErrIndex
	}
	r := reader{all: unsafe.String(unsafe.SliceData(data), len(data)), at: 2}
	r.number() // the document before it
	r.fixed()  // its stream
	r.number() // its time
	s.tally.Project = r.string()
	for range r.count() {
		r.string() // a name of its speaker
	}
	s.find(&r)
	clear(s.tally.Times)
	s.tally.Words = s.count(&r)
	s.count(&r) // compounds
	s.tally.Passages = r.count()
	if r.bad {
		return nil, ErrIndex
	}
	return &s.tally, nil
}

// find notes which of the document's words are among the terms.
func (s *TermSet) find(r *reader) {
	s.found = s.found[:0]
	for i := range r.count() {
		word := r.string()
		if !s.heads[headOf(word)] {
			continue
		}
		if at, ok := s.places[word]; ok {
			s.found = append(s.found, foundTerm{i, at})
		}
	}
}

// count counts them in a list of places, and returns how long it is.
func (s *TermSet) count(r *reader) int {
	n := r.count()
	for range n {
		word := int(r.number())
		for _, f := range s.found {
			if f.word == word {
				s.tally.Times[f.term]++
			}
		}
	}
	return n
}
