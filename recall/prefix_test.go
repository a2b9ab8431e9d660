package recall

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// Passing words over by their beginnings finds what analysing all of them finds.
func TestBeginningsPassNoTermOver(t *testing.T) {
	words := slices.Concat(slices.Sorted(maps.Keys(baseForms)), changedByStem,
		strings.Fields("tie go Goes GOING parseHTTPRequest auth_token e-mail don't café Éclair sha256 v1.2.3 running the x 数据库 end."))
	rapid.Check(t, func(t *rapid.T) {
		text := ""
		for _, word := range rapid.SliceOf(rapid.SampledFrom(words)).Draw(t, "text") {
			text += word + rapid.SampledFrom([]string{" ", "-", "_", ".", "'", "/", ". ", ", ", ":", "::", ": ", "é", "."}).Draw(t, "joint")
		}
		s := NewSnippets(Understand(strings.Join(rapid.SliceOf(rapid.SampledFrom(words)).Draw(t, "question"), " ")), nil)
		var want []Token
		for _, token := range Tokens(text) {
			if s.weights[token.Term] != 0 {
				want = append(want, token)
			}
		}
		if diff := cmp.Diff(want, s.find(text, len(text)), cmp.AllowUnexported(Token{})); diff != "" && len(want) > 0 {
			t.Fatalf("-all +found:\n%s", diff)
		}
	})
}

// No ending that stemming takes off or changes hides a word from its term.
func TestBeginningsOutlastStemming(t *testing.T) {
	endings := strings.Fields("s ss es ed eed ing ly y ies ied ied's e tional enci anci abli entli izer ization ational ation ator alism aliti alli " +
		"fulness ousli ousness iveness iviti biliti bli ogi logi fulli lessli li alize icate iciti ical ful ness ative ement ment ent ion sion al er ic able")
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringMatching("[a-z]{1,6}").Draw(t, "word") + strings.Join(rapid.SliceOfN(rapid.SampledFrom(endings), 0, 2).Draw(t, "endings"), "")
		for _, token := range Tokens(word) {
			if end := newPrefixFilter(map[string]float64{token.Term: 1}).skipWord(word, token.Start); end != token.Start {
				t.Fatalf("%q is passed over, though it gives %q", word, token.Term)
			}
		}
	})
}
