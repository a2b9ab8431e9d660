package recall

import (
	"testing"

	"pgregory.net/rapid"
)

// The short way of saying that a word is like no term never turns away one that is.
func TestMayHaveLikeTurnsNoLikeWordAway(t *testing.T) {
	word := rapid.StringMatching(`[a-d]{1,12}`)
	rapid.Check(t, func(t *rapid.T) {
		var terms []probeTerm
		for _, w := range rapid.SliceOfN(word, 1, 6).Draw(t, "terms") {
			terms = append(terms, probeTerm{term: w})
		}
		table, w := newGramTable(terms), word.Draw(t, "word")
		if found := table.like(nil, w); len(found) > 0 && !table.mayHaveLike(w) {
			t.Fatalf("%q is like %v of %v", w, found, terms)
		}
	})
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
