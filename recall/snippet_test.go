package recall

import (
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"
)

// What is left as it is is what joining its words would give.
func TestOneLine(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOf(rapid.SampledFrom([]string{"a", "word", " ", "\n", "\t", "\u00a0", "é", "\x01", "."})).Draw(t, "text"), "")
		if got, want := oneLine(text), strings.Join(strings.FieldsFunc(text, unicode.IsSpace), " "); got != want {
			t.Fatalf("%q becomes %q, want %q", text, got, want)
		}
	})
}
