package recall

import (
	"math"
	"math/bits"
)

// likeness says how similar a word of a text is to a term of the question, from minLike
// to 1. It tolerates typing errors and other forms of a word.
type likeness struct {
	term  int
	value float32
}

const (
	minLike = 0.4
	minGram = 3
	maxGram = 5
)

// What hashes are made with: FNV-1a's numbers, for n-grams, and the golden ratio in 32 and in
// 64 bits, by which a number is multiplied to spread it.
const (
	fnvBasis, fnvPrime = 2166136261, 16777619
	golden32, golden64 = 2654435761, 0x9E3779B97F4A7C15
)

// printOf returns a term's fingerprint, with a bit for each of its trigrams. Similar
// words share bits, so that a few instructions rule out most words of a text.
func printOf(term string) uint64 {
	var m uint64
	a, b := byte('#'), byte('#')
	for i := 0; i <= len(term); i++ {
		c := byte('#')
		if i < len(term) {
			c = term[i]
		}
		h := (uint32(a)<<16 | uint32(b)<<8 | uint32(c)) * golden32
		m |= 1 << (h >> 26)
		a, b = b, c
	}
	return m
}

// sieve passes the words that may be a term of the question or similar to one.
type sieve struct {
	exact [64]uint64 // one bit per hashed fingerprint
	terms []sieveTerm
}

type sieveTerm struct {
	print uint64
	need  int // bits that a similar word must share with the term
}

func newSieve(terms []probeTerm, related map[string][]likeness) sieve {
	s := sieve{}
	for _, t := range terms {
		m := printOf(t.term)
		s.add(m)
		s.terms = append(s.terms, sieveTerm{m, max(2, (bits.OnesCount64(m)+1)/2)})
		for _, k := range t.stands {
			s.add(printOf(k))
		}
	}
	for k := range related {
		s.add(printOf(k))
	}
	return s
}

func (s *sieve) add(print uint64) {
	h := print * golden64 >> 52
	s.exact[h>>6] |= 1 << (h & 63)
}

func (s *sieve) passes(print uint64) bool { return s.known(print) || s.like(print) }

// known reports whether the word may be a term or related to one.
func (s *sieve) known(print uint64) bool {
	h := print * golden64 >> 52
	return s.exact[h>>6]&(1<<(h&63)) != 0
}

// like reports whether the word may be similar to a term: they share half of the bits
// of each.
func (s *sieve) like(print uint64) bool {
	own := bits.OnesCount64(print)
	for _, t := range s.terms {
		if n := bits.OnesCount64(print & t.print); n >= t.need && n*2 >= own {
			return true
		}
	}
	return false
}

// gramTable maps character n-grams to the terms of a question that contain them.
type gramTable struct {
	slots []gramSlot // hash table, at most half full
	sizes []int
	tried [1 << 10]uint64 // one bit per n-gram of any term, which rules out most words
}

type gramSlot struct {
	hash  uint32
	terms uint64 // bit set of terms; 0 in an empty slot
}

func newGramTable(terms []probeTerm) gramTable {
	t, all := gramTable{sizes: make([]int, len(terms))}, 0
	for i, term := range terms {
		t.sizes[i] = gramsOf(len(term.term))
		all += t.sizes[i]
	}
	var room gramRoom
	t.slots = make([]gramSlot, 2<<bits.Len(uint(all)))
	for i, term := range terms {
		for _, h := range appendGrams(room[:0], term.term) {
			s := t.slot(h)
			s.hash, s.terms = h, s.terms|1<<i
			t.tried[h>>6&1023] |= 1 << (h & 63)
		}
	}
	return t
}

// slot returns the slot of an n-gram, or the empty one where it would go.
func (t *gramTable) slot(h uint32) *gramSlot {
	mask := uint32(len(t.slots) - 1)
	for at := h & mask; ; at = (at + 1) & mask {
		if s := &t.slots[at]; s.terms == 0 || s.hash == h {
			return s
		}
	}
}

func (t *gramTable) has(h uint32) bool { return t.tried[h>>6&1023]&(1<<(h&63)) != 0 }

// gramsOf returns the number of n-grams in a word of the given length in bytes.
func gramsOf(size int) int { return max(1, 3*size-3) }

// gramRoom has space for the n-grams of one word.
type gramRoom [3 * (maxTerm + 1)]uint32

// appendGrams appends a hash of every n-gram of a word, with a boundary mark added at
// both ends.
func appendGrams(out []uint32, word string) []uint32 {
	n := len(word) + 2
	for i := 0; i+minGram <= n; i++ {
		h := uint32(fnvBasis)
		for j := i; j < n && j < i+maxGram; j++ {
			h = (h ^ letterOf(word, j)) * fnvPrime
			if j-i+1 >= minGram {
				out = append(out, h^h>>15)
			}
		}
	}
	return out
}

// like appends the terms of the question that are similar to a word. If no term has a
// trigram of the word, none has the longer n-grams that begin with it.
func (t *gramTable) like(out []likeness, word string) []likeness {
	var counts [maxProbe]uint8
	var hit uint64
	n := len(word) + 2
	a, b := uint32('#'), letterOf(word, 1)
	for i := 2; i < n; i++ {
		c := letterOf(word, i)
		h := (((fnvBasis^a)*fnvPrime^b)*fnvPrime ^ c) * fnvPrime
		a, b = b, c
		for j := i + 1; t.has(h ^ h>>15); j++ {
			m := t.slot(h ^ h>>15).terms
			hit |= m
			for ; m != 0; m &= m - 1 {
				counts[bits.TrailingZeros64(m)]++
			}
			if j == n || j == i+1+maxGram-minGram {
				break
			}
			h = (h ^ letterOf(word, j)) * fnvPrime
		}
	}
	own := gramsOf(len(word))
	for ; hit != 0; hit &= hit - 1 {
		i := bits.TrailingZeros64(hit)
		if c, all := int(counts[i]), own*t.sizes[i]; float64(c*c) >= minLike*minLike*float64(all) { // c/√all ≥ minLike, without a root in most cases
			out = append(out, likeness{i, float32(min(float64(c)/math.Sqrt(float64(all)), 1))})
		}
	}
	return out
}

// letterOf returns the word's letter at i-1, or a boundary mark before and after the
// word.
func letterOf(word string, i int) uint32 {
	if i == 0 || i > len(word) {
		return '#'
	}
	return uint32(word[i-1])
}
