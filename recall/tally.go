package recall

import "unsafe"

// TermSet is a set of terms to be counted in encoded documents. It must not be used by
// several goroutines at a time.
type TermSet struct {
	places map[string]int
	heads  [1 << 8]bool // quick test that rules out most words, see headOf
	found  []foundTerm  // in the current document
	tally  Tally
}

// Tally says how often terms occur in a document, and how long it is.
type Tally struct {
	Project  string
	Words    int // without joined compounds
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

// Count counts the terms in what [Document.Encode] wrote, and reads little else:
// decoding takes about four times as long. The tally is valid until the next call, and
// only as long as data does not change.
func (s *TermSet) Count(data []byte) (*Tally, error) {
	if len(data) < 2 || data[0] != documentFormat {
		return nil, ErrIndex
	}
	r := reader{all: unsafe.String(unsafe.SliceData(data), len(data)), at: 2}
	r.number() // number of the previous document
	r.fixed()  // stream
	r.number() // time
	s.tally.Project = r.string()
	for range r.count() {
		r.string() // a term of the speaker
	}
	s.find(&r)
	clear(s.tally.Times)
	s.tally.Words = s.count(&r)
	s.count(&r) // joined compounds
	s.tally.Passages = r.count()
	if r.bad {
		return nil, ErrIndex
	}
	return &s.tally, nil
}

// find records which of the document's words are among the terms.
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

// count counts the terms in a list of word indexes, and returns the list's length.
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
