package recall

import (
	"hash/maphash"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// Vocabulary numbers the words of documents. Documents that share one keep each word
// once, and a question compares itself with each word once. A vocabulary only grows; to
// shrink it, start a new one. It is safe for concurrent use.
type Vocabulary struct {
	terms []string // set only in the vocabulary of a single document, which has nothing else

	known atomic.Uint32 // number of words
	size  atomic.Int64  // bytes
	seed  maphash.Seed  // for the hashes of words

	mu     sync.RWMutex // guards what follows
	words  wordList
	slots  []slots           // hash tables of the words, by the first bits of the hash
	others map[string]string // projects and speakers
}

// wordList holds words by number. It grows in pieces, because copying a long list would
// delay a question.
type wordList struct {
	n      int
	terms  [][]string
	prints [][]uint64 // fingerprints of the terms, see printOf
}

const pieceBits = 10 // bits of a number that give the index in a piece

func (w *wordList) term(id uint32) string  { return w.terms[id>>pieceBits][id&(1<<pieceBits-1)] }
func (w *wordList) print(id uint32) uint64 { return w.prints[id>>pieceBits][id&(1<<pieceBits-1)] }

func (w *wordList) add(term string) {
	if w.n>>pieceBits == len(w.terms) {
		w.terms = append(w.terms, make([]string, 1<<pieceBits))
		w.prints = append(w.prints, make([]uint64, 1<<pieceBits))
	}
	w.terms[w.n>>pieceBits][w.n&(1<<pieceBits-1)] = term
	w.prints[w.n>>pieceBits][w.n&(1<<pieceBits-1)] = printOf(term)
	w.n++
}

// slots map the hashes of words to their numbers. Such a table takes a quarter of a
// map's memory and time, most of which is spent when a document is first read. There
// are many small tables that grow one at a time: growing one large table delayed a
// question by 3 ms.
type slots struct {
	table []slot
	used  int
	most  int // how many may be used: between a third and two thirds, a different share in each
}

type slot struct {
	hash uint32
	id   uint32 // the word's number plus 1; 0 in an empty slot
}

const (
	tableBits = 6  // bits of a hash that select its table
	tableSize = 16 // initial slots of each table
)

// NewVocabulary returns an empty vocabulary that documents can share.
func NewVocabulary() *Vocabulary {
	v := &Vocabulary{slots: make([]slots, 1<<tableBits), seed: maphash.MakeSeed(), others: map[string]string{}}
	for i := range v.slots {
		v.slots[i] = slots{table: make([]slot, tableSize), most: tableSize * (1<<tableBits + i) / (3 << tableBits)}
	}
	return v
}

// table returns the table for a hash.
func (v *Vocabulary) table(hash uint32) *slots { return &v.slots[hash>>(32-tableBits)] }

// Size estimates the memory used, in bytes.
func (v *Vocabulary) Size() int { return int(v.size.Load()) }

// wordSize is the approximate memory of a word beside its own bytes: its places in the
// lists and slots.
const wordSize = 64

// numbers writes the numbers of terms into ids and adds new terms. Reading the slots
// and comparing their words are two loops, so that the processor can overlap the cache
// misses of many words.
func (v *Vocabulary) numbers(terms []string, ids []uint32) {
	var room [256]uint32
	hashes := append(room[:0], ids...)
	for i, t := range terms {
		hashes[i] = v.hash(t)
	}
	v.mu.RLock()
	for i, h := range hashes {
		table := v.table(h).table
		if s := table[int(h)&(len(table)-1)]; s.hash == h {
			ids[i] = s.id
		}
	}
	missing := 0
	for i, t := range terms {
		if ids[i] == 0 || v.words.term(ids[i]-1) != t {
			if ids[i] = v.slot(t, hashes[i]).id; ids[i] == 0 {
				missing++
			}
		}
	}
	v.mu.RUnlock()
	if missing > 0 {
		v.add(terms, ids)
	}
	for i := range ids {
		ids[i]--
	}
}

func (v *Vocabulary) hash(term string) uint32 { return uint32(maphash.String(v.seed, term)) }

// slot returns the slot of a word, or the empty one where it would go.
func (v *Vocabulary) slot(term string, hash uint32) *slot {
	table := v.table(hash).table
	mask := len(table) - 1
	for at := int(hash) & mask; ; at = (at + 1) & mask {
		if s := &table[at]; s.id == 0 || s.hash == hash && v.words.term(s.id-1) == term {
			return s
		}
	}
}

// add adds the terms whose ids are 0.
func (v *Vocabulary) add(terms []string, ids []uint32) {
	v.mu.Lock()
	defer v.mu.Unlock()
	var fresh strings.Builder // one string for all new terms
	for i, t := range terms {
		if ids[i] == 0 {
			fresh.WriteString(t)
		}
	}
	letters := fresh.String()
	for i, t := range terms {
		if ids[i] != 0 {
			continue
		}
		own := letters[:len(t)]
		letters = letters[len(t):]
		hash := v.hash(t)
		s := v.slot(t, hash)
		if ids[i] = s.id; ids[i] != 0 {
			continue // another goroutine added it first
		}
		v.words.add(own)
		ids[i] = uint32(v.words.n)
		*s = slot{hash, ids[i]}
		v.table(hash).grow()
		v.size.Add(int64(wordSize + len(t)))
	}
	v.known.Store(uint32(v.words.n))
}

// grow counts one more word, and doubles the table when it is too full.
func (t *slots) grow() {
	if t.used++; t.used <= t.most {
		return
	}
	old := t.table
	t.table, t.most = make([]slot, 2*len(old)), 2*t.most
	mask := len(t.table) - 1
	for _, s := range old {
		if s.id == 0 {
			continue
		}
		at := int(s.hash) & mask
		for t.table[at].id != 0 {
			at = (at + 1) & mask
		}
		t.table[at] = s
	}
}

// Numbers returns the numbers of words and adds new words.
func (v *Vocabulary) Numbers(words []string) []uint32 {
	if len(words) == 0 {
		return nil
	}
	ids := make([]uint32, len(words))
	v.numbers(words, ids)
	return ids
}

// Word returns the word with a number.
func (v *Vocabulary) Word(number uint32) string {
	words := v.list()
	return words.term(number)
}

// Number returns the number of a word; ok is false if the vocabulary does not contain
// it.
func (v *Vocabulary) Number(word string) (id uint32, ok bool) {
	if !v.shared() {
		at := slices.Index(v.terms, word)
		return uint32(at), at >= 0
	}
	v.mu.RLock()
	defer v.mu.RUnlock()
	id = v.slot(word, v.hash(word)).id
	return id - 1, id != 0
}

// intern returns the same string for equal strings.
func (v *Vocabulary) intern(s string) string {
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

// shared reports whether several documents may use the vocabulary.
func (v *Vocabulary) shared() bool { return v.slots != nil }

// list returns all words.
func (v *Vocabulary) list() wordList {
	if !v.shared() {
		var own wordList
		for _, t := range v.terms {
			own.add(t)
		}
		return own
	}
	v.mu.RLock()
	defer v.mu.RUnlock()
	return v.words
}

// Keep returns the document with words numbered by this vocabulary.
func (v *Vocabulary) Keep(d *Document) *Document {
	if d.In == v {
		return d
	}
	d = d.standalone()
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
func (d *Document) Terms() []string { return d.standalone().In.terms }

// has reports whether a term is among [Document.Terms].
func (d *Document) has(term string) bool {
	id, ok := d.In.Number(term)
	return ok && (slices.Contains(d.Seq, id) || slices.Contains(d.Wholes, id))
}

// Counts returns how often each of [Document.Terms] occurs in the document.
func (d *Document) Counts() (terms []string, counts []int) {
	d = d.standalone()
	counts = make([]int, len(d.In.terms))
	for _, at := range d.Seq {
		counts[at]++
	}
	for _, at := range d.Wholes {
		counts[at]++
	}
	return d.In.terms, counts
}

// standalone returns the document with a vocabulary of its own words alone.
func (d *Document) standalone() *Document {
	if !d.In.shared() {
		return d
	}
	own, places := *d, map[uint32]uint32{}
	words := d.In.list()
	own.In = &Vocabulary{}
	take := func(ids []uint32) []uint32 {
		out := make([]uint32, len(ids))
		for i, id := range ids {
			place, known := places[id]
			if !known {
				place = uint32(len(own.In.terms))
				places[id] = place
				own.In.terms = append(own.In.terms, words.term(id))
			}
			out[i] = place
		}
		return out
	}
	own.Seq, own.Wholes = take(d.Seq), take(d.Wholes)
	return &own
}
