package domain_test

import (
	"strings"
	"testing"
	"unicode/utf8"

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
			len(head) > max(n, 0) || head != text && len(head)+next <= n {
			t.Errorf("the head of %q in %d bytes is %q", text, n, head)
		}
		clipped, ok := strings.CutSuffix(domain.Clip(text, n), "…")
		switch whole := utf8.RuneCountInString(text); {
		case n >= whole || n < 1:
			if got := domain.Clip(text, n); got != text && got != "" {
				t.Errorf("%q, clipped to %d characters, is %q", text, n, got)
			}
		case !ok || !strings.HasPrefix(text, clipped) || utf8.RuneCountInString(clipped) != n-1:
			t.Errorf("%q, clipped to %d characters, is %q", text, n, domain.Clip(text, n))
		}
	})
}
