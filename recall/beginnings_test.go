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
			text += word + rapid.SampledFrom([]string{" ", "-", "_", ".", "'", "/"}).Draw(t, "joint")
		}
		s := NewSnippets(Understand(strings.Join(rapid.SliceOf(rapid.SampledFrom(words)).Draw(t, "question"), " ")))
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
