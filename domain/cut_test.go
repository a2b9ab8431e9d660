package domain_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"

	"wake/domain"
)

// A text is cut between two characters, no earlier than it has to be, and says that it
// was clipped.
func TestCuts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text, n := rapid.String().Draw(t, "text"), rapid.IntRange(-1, 40).Draw(t, "n")
		head := domain.Head(text, max(n, 0))
		if _, next := utf8.DecodeRuneInString(text[len(head):]); !strings.HasPrefix(text, head) || !utf8.ValidString(head) ||
			len(head) > max(n, 0) || head != text && len(head)+next <= n && domain.Break(text, len(head)+next) > len(head) {
			t.Errorf("the head of %q in %d bytes is %q", text, n, head)
		}
		clipped, ok := strings.CutSuffix(domain.Clip(text, n), "…")
		switch whole := utf8.RuneCountInString(text); {
		case n < 1 && domain.Clip(text, n) == "", n >= whole && domain.Clip(text, n) == text:
		case !ok || !strings.HasPrefix(text, clipped) || clipped != text[:domain.Break(text, len(string([]rune(text)[:n-1])))]:
			t.Errorf("%q, clipped to %d characters, is %q", text, n, domain.Clip(text, n))
		}
	})
}

// No cut takes an accent from its letter, or a flag, an emoji, a syllable apart.
func TestCutsLeaveCharactersWhole(t *testing.T) {
	for _, c := range []struct {
		text string
		n    int // characters as Unicode counts them, with the ellipsis
		want string
	}{
		{"Me\u0301xico", 3, "M…"},
		{"Me\u0301xico", 4, "Me\u0301…"},
		{"go 👨\u200d👩\u200d👧 home", 5, "go …"},
		{"go 👨\u200d👩\u200d👧 home", 6, "go …"},
		{"go 👨\u200d👩\u200d👧 home", 9, "go 👨\u200d👩\u200d👧…"},
		{"👍🏽👍🏽👍🏽", 4, "👍🏽…"},
		{"🇩🇪🇫🇷🇯🇵", 4, "🇩🇪…"},
		{"🇩🇪🇫🇷🇯🇵", 5, "🇩🇪🇫🇷…"},
		{norm.NFD.String("한국어"), 3, "…"},
		{norm.NFD.String("한국어"), 5, norm.NFD.String("한") + "…"},
		{norm.NFD.String("がぎ"), 2, "…"},
		{"ｶﾞｷﾞ", 2, "…"},
		{"ﾊﾟﾋﾟ", 2, "…"},
		{"🏴\U000E0067\U000E0062\U000E007F 🏴", 4, "…"},
		{"ที่นี่", 3, "…"},
		{"हिन्दी में", 2, "…"},
		{"a" + strings.Repeat("\u0301", 100), 51, "a" + strings.Repeat("\u0301", 49) + "…"}, // no letter
	} {
		if got := domain.Clip(c.text, c.n); got != c.want {
			t.Errorf("%+q, clipped to %d, is %+q, want %+q", c.text, c.n, got, c.want)
		}
		kept := strings.TrimSuffix(c.want, "…")
		if got := domain.Head(c.text, len(string([]rune(c.text)[:c.n-1]))); got != kept {
			t.Errorf("the head of %+q is %+q, want %+q", c.text, got, kept)
		}
	}
}
