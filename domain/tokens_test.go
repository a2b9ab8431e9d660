package domain_test

import (
	"strings"
	"testing"

	"wake/domain"
)

// Known texts keep their estimates, since stored hashes cover them.
func TestTokens(t *testing.T) {
	for text, want := range map[string]int64{
		"": 0, "a": 1, "four": 1, "fiver": 2, "да": 2, "日本語": 3, "né": 2, "\xff\xfe": 2, "🚀 go": 2, strings.Repeat("word ", 80): 100,
	} {
		if got := domain.Tokens(text); got != want {
			t.Errorf("%.20q is %d tokens, want %d", text, got, want)
		}
	}
}
