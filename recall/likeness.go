package recall

import "math"

// likeness says how much a word of a text looks like a term of the question,
// from minLike to 1; it forgives typing errors and other forms of a word.
type likeness struct {
	term  int
	value float32
}

const (
	minLike = 0.25
	minGram = 3
	maxGram = 5
)

// gramTable maps character n-grams to the terms of a question that have them.
type gramTable struct {
	grams map[uint32]uint64
	sizes []int
	tried [1 << 10]uint64 // a bit per gram that any term has: most words end here
}

func newGramTable(terms []probeTerm) gramTable {
	t := gramTable{grams: map[uint32]uint64{}, sizes: make([]int, len(terms))}
	for i, term := range terms {
		t.sizes[i] = eachGram(term.term, func(h uint32) {
			t.grams[h] |= 1 << i
			t.tried[h>>6&1023] |= 1 << (h & 63)
		})
	}
	return t
}

// eachGram calls f with a hash of every n-gram of #word# and returns how many
// there are.
func eachGram(word string, f func(uint32)) int {
	n := len(word) + 2
	at := func(i int) uint32 {
		if i == 0 || i == n-1 {
			return '#'
		}
		return uint32(word[i-1])
	}
	count := 0
	for i := 0; i+minGram <= n; i++ {
		h := uint32(2166136261)
		for j := i; j < n && j < i+maxGram; j++ {
			h = (h ^ at(j)) * 16777619
			if j-i+1 >= minGram {
				f(h ^ h>>15)
				count++
			}
		}
	}
	return count
}

// like lists the question's terms that a word resembles without being them.
func (t *gramTable) like(word string) []likeness {
	var counts [maxProbe]uint8
	var hit uint64
	size := eachGram(word, func(h uint32) {
		if t.tried[h>>6&1023]&(1<<(h&63)) == 0 {
			return
		}
		for m := t.grams[h]; m != 0; m &= m - 1 {
			i := trailing(m)
			counts[i]++
			hit |= 1 << i
		}
	})
	var out []likeness
	for ; hit != 0; hit &= hit - 1 {
		i := trailing(hit)
		v := float64(counts[i]) / math.Sqrt(float64(size*t.sizes[i]))
		if v >= minLike {
			out = append(out, likeness{i, float32(min(v, 1))})
		}
	}
	return out
}
