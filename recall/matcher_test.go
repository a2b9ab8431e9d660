package recall

import (
	"fmt"
	"sync"
	"testing"
)

// A word of the question may come into the vocabulary while the question looks for it.
func TestReadingWhileWordsCome(t *testing.T) {
	p := &probe{place: map[string]int{}, scratch: new(scratch)}
	words := make([]string, maxProbe)
	for i := range words {
		words[i] = fmt.Sprintf("word%d", i)
		p.terms = append(p.terms, probeTerm{term: words[i]})
		p.place[words[i]] = i
	}
	p.grams, p.sieve = newGramTable(p.terms), newSieve(p.terms, nil)
	for range 100 {
		v := NewVocabulary()
		var other sync.WaitGroup
		other.Go(func() {
			for _, w := range words {
				v.Numbers([]string{w})
			}
		})
		var r matcher
		for r.begin(v, p); len(r.absent) > 0; {
			r.grow(p)
		}
		other.Wait()
		for _, w := range words {
			id, _ := v.Number(w)
			if m := r.match(id); m == nil || int(m.exact) != p.place[w] {
				t.Fatalf("%q is not met as a word of the question: %v", w, m)
			}
		}
	}
}
