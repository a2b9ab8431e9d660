package recall_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"wake/recall"
)

// What most prompts say, in whatever language, does not tell one from another. A word of
// another language in an English prompt is a word like others.
func TestTelling(t *testing.T) {
	for prompt, want := range map[string][]string{
		"please fix the error in the login file":      {"login"},
		"why did the pour die in the mould":           {"pour", "die", "mould"},
		"Bitte erkläre mir, warum die Rechnung fehlt": {"rechnung", "fehlt"},
		"请帮我修改登录文件":                                   {"登录"},
		"コードを修正してください":                                nil,
		"go on":                                       nil,
	} {
		got := recall.Understand(prompt).Telling()
		if len(got)+len(want) > 0 && !cmp.Equal(want, got) {
			t.Errorf("%q: %q, want %q", prompt, got, want)
		}
	}
}
