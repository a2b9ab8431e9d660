package distil

import (
	"regexp"
	"regexp/syntax"
	"strings"
	"testing"
	"unicode/utf8"
)

// FuzzNeeds holds that nothing that an expression matches is left unlooked at, whatever
// the two are.
func FuzzNeeds(f *testing.F) {
	for _, expr := range []string{`\bthe (\S+ ){0,3}(bug|crash|failures?)\b`, `[?？][?!]*\s*$`, `^(ok|okay)[,.!: ]+(i|we)('ve| have)? \w+ed\b`, `(?i)Ab|cd`, `a{0,2}b{2}c+`,
		`(x|)y`, `[^ab]z`, `每次.{0,12}(都要|必须)`} {
		for _, text := range []string{"the old bug", "why？", "ok, we tested", "AB", "bbcc", "y", "cz", "每次提交都要测试", ""} {
			f.Add(expr, text)
		}
	}
	f.Fuzz(func(t *testing.T, expr, text string) {
		tree, err := syntax.Parse(expr, syntax.Perl)
		if err != nil || !utf8.ValidString(text) || strings.ContainsRune(expr, utf8.RuneError) {
			return // stored text is valid
		}
		needs, held := needed(tree), gramsOf(text)
		if regexp.MustCompile(expr).MatchString(text) && !needs.metBy(&held) {
			t.Errorf("%q matches in %q, and would not be looked for", expr, text)
		}
	})
}
