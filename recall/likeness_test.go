package recall

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// Likeness is the cosine of the n-grams of two words that both have.
func TestLike(t *testing.T) {
	word := rapid.StringMatching(`[a-d]{1,12}`)
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfNDistinct(word, 1, 6, rapid.ID).Draw(t, "terms")
		var terms []probeTerm
		for _, w := range words {
			terms = append(terms, probeTerm{term: w})
		}
		table, w := newGramTable(terms), word.Draw(t, "word")
		var want []likeness
		for i, term := range words {
			common := 0
			for _, g := range gramsIn(w) {
				if slices.Contains(gramsIn(term), g) {
					common++
				}
			}
			if v := float64(common) / math.Sqrt(float64(len(gramsIn(w))*len(gramsIn(term)))); v >= minLike {
				want = append(want, likeness{i, float32(min(v, 1))})
			}
		}
		if got := table.like(nil, w); !slices.Equal(got, want) {
			t.Fatalf("%q is like %v of %v, want %v", w, got, words, want)
		}
	})
}

// gramsIn are a word's n-grams, written out.
func gramsIn(word string) (out []string) {
	word = "#" + word + "#"
	for i := range word {
		for n := minGram; n <= maxGram && i+n <= len(word); n++ {
			out = append(out, word[i:i+n])
		}
	}
	return out
}

// BenchmarkLike measures words against a question.
func BenchmarkLike(b *testing.B) {
	table := newGramTable([]probeTerm{{term: "database"}, {term: "migrat"}, {term: "connect"}, {term: "timeout"}, {term: "postgr"}, {term: "retri"}, {term: "config"}})
	words := []string{"databas", "migration", "disconnect", "kubernet", "configur", "weather", "timestamp", "pool"}
	var out []likeness
	for b.Loop() {
		for _, w := range words {
			out = table.like(out[:0], w)
		}
	}
}
