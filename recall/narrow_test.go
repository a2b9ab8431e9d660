package recall

import (
	"testing"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"
)

// What is appended as it is would be the same normalised, whatever stands before it.
func TestAppendNarrowNormalises(t *testing.T) {
	for r := range rune(utf8.MaxRune) {
		if isNormal(r) && (norm.NFKC.String(string(r)) != string(r) || norm.NFKC.PropertiesString(string(r)).CCC() != 0) {
			t.Errorf("%U is changed", r)
		}
	}
	char := rapid.RuneFrom([]rune("漢字かがパーｶﾞﾊﾟ한글각ᆨᅡ゙゚กำุู่้ี็์ํແກຸ່①㈱龜"))
	rapid.Check(t, func(t *rapid.T) {
		before, text := rapid.StringOfN(char, 0, 3, -1).Draw(t, "before"), rapid.StringOfN(char, 1, 2, -1).Draw(t, "text")
		want := string(norm.NFKC.AppendString([]byte(before), text))
		if got := string(appendNarrow([]byte(before), text)); got != want {
			t.Fatalf("%q behind %q gives %q, want %q", text, before, got, want)
		}
	})
}
