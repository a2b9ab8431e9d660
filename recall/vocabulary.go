package recall

import (
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// Vocabulary numbers the words of documents. Where documents share one, each word
// is kept once, and a question decides once per word what the word is to it. It
// only grows; who wants a smaller one begins anew. It is safe for use by several
// goroutines.
type Vocabulary struct {
	mu     sync.RWMutex
	known  atomic.Uint32 // how many words there are
	size   atomic.Int64
	terms  []string
	ids    map[string]uint32 // nil in that of a single document
	prints []uint64          // of the terms, see printOf
	others map[string]string // projects and speakers
}

// NewVocabulary returns an empty one, to be shared by documents.
func NewVocabulary() *Vocabulary {
	return &Vocabulary{ids: map[string]uint32{}, others: map[string]string{}}
}

// Size is about how much memory it takes, in bytes.
func (v *Vocabulary) Size() int { return int(v.size.Load()) }

// wordSize is about what a word takes beside its own bytes: its place in the list
// and the map, and its print.
const wordSize = 80

// numbers writes the numbers of terms into ids and adds those that are new.
func (v *Vocabulary) numbers(terms []string, ids []uint32) {
	v.mu.RLock()
	missing := 0
	for i, t := range terms {
		id, ok := v.ids[t]
		if ids[i] = id; !ok {
			ids[i] = noWord
			missing++
		}
	}
	v.mu.RUnlock()
	if missing == 0 {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	for i, t := range terms {
		if ids[i] == noWord {
			ids[i] = v.add(t)
		}
	}
	v.known.Store(uint32(len(v.terms)))
}

const noWord = 1<<32 - 1

func (v *Vocabulary) add(term string) uint32 {
	if id, ok := v.ids[term]; ok {
		return id // another goroutine came first
	}
	id := uint32(len(v.terms))
	term = strings.Clone(term)
	v.terms = append(v.terms, term)
	v.ids[term] = id
	v.prints = append(v.prints, printOf(term))
	v.size.Add(int64(wordSize + len(term)))
	return id
}

// find returns the number of a word.
func (v *Vocabulary) find(word string) (id uint32, ok bool) {
	if !v.shared() {
		at := slices.Index(v.terms, word)
		return uint32(at), at >= 0
	}
	v.mu.RLock()
	defer v.mu.RUnlock()
	id, ok = v.ids[word]
	return id, ok
}

// one returns the same string for the same letters.
func (v *Vocabulary) one(s string) string {
	v.mu.RLock()
	own, ok := v.others[s]
	v.mu.RUnlock()
	if ok {
		return own
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	own = strings.Clone(s)
	v.others[own] = own
	v.size.Add(int64(wordSize + len(s)))
	return own
}

// shared says whether more than one document may have the vocabulary.
func (v *Vocabulary) shared() bool { return v.ids != nil }

// words returns all words by their numbers, and their prints.
func (v *Vocabulary) words() ([]string, []uint64) {
	v.mu.RLock()
	defer v.mu.RUnlock()
	if !v.shared() && v.prints == nil {
		prints := make([]uint64, len(v.terms))
		for i, t := range v.terms {
			prints[i] = printOf(t)
		}
		return v.terms, prints
	}
	return v.terms, v.prints
}

// Keep returns the document in the words of the vocabulary.
func (v *Vocabulary) Keep(d *Document) *Document {
	if d.In == v {
		return d
	}
	d = d.alone()
	ids := make([]uint32, len(d.In.terms))
	v.numbers(d.In.terms, ids)
	own := *d
	own.In, own.Seq, own.Wholes = v, renumbered(d.Seq, ids), renumbered(d.Wholes, ids)
	return &own
}

func renumbered(places, ids []uint32) []uint32 {
	out := make([]uint32, len(places))
	for i, at := range places {
		out[i] = ids[at]
	}
	return out
}

// Terms lists the document's distinct terms.
func (d *Document) Terms() []string { return d.alone().In.terms }

// Counts tells how often each of [Document.Terms] is in the document.
func (d *Document) Counts() (terms []string, counts []int) {
	d = d.alone()
	counts = make([]int, len(d.In.terms))
	for _, at := range d.Seq {
		counts[at]++
	}
	for _, at := range d.Wholes {
		counts[at]++
	}
	return d.In.terms, counts
}

// alone returns the document with a vocabulary of nothing but its own words.
func (d *Document) alone() *Document {
	if !d.In.shared() {
		return d
	}
	own, places := *d, map[uint32]uint32{}
	words, _ := d.In.words()
	own.In = &Vocabulary{}
	take := func(ids []uint32) []uint32 {
		out := make([]uint32, len(ids))
		for i, id := range ids {
			place, known := places[id]
			if !known {
				place = uint32(len(own.In.terms))
				places[id] = place
				own.In.terms = append(own.In.terms, words[id])
			}
			out[i] = place
		}
		return out
	}
	own.Seq, own.Wholes = take(d.Seq), take(d.Wholes)
	return &own
}
