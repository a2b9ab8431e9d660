package recall

import (
	"slices"
	"strings"
	"testing"
)

// TestSimilarFile checks what finding a line by halves needs, and that each is
// found.
func TestSimilarFile(t *testing.T) {
	lines := strings.Split(strings.TrimSuffix(similarText, "\n"), "\n")
	if len(lines) < 10_000 || !slices.IsSorted(lines) {
		t.Fatalf("%d lines, sorted: %v", len(lines), slices.IsSorted(lines))
	}
	for _, line := range lines {
		word, rest, _ := strings.Cut(line, " ")
		if got := similarLine(word); got != rest {
			t.Fatalf("%q: got %q, want %q", word, got, rest)
		}
		eachSimilar(word, func(other string, like float32) {
			if other == "" || other == word || like < 0.25 || like >= 1 {
				t.Errorf("%s: %q is %v like it", word, other, like)
			}
		})
	}
}

func TestEachSimilar(t *testing.T) {
	var got []string
	eachSimilar(Analyze("doctors")[0], func(word string, _ float32) { got = append(got, word) })
	if !slices.Contains(got, Analyze("physician")[0]) {
		t.Errorf("words similar to doctors: %q", got)
	}
	for _, unknown := range []string{"", "a", "zzzz", "doctor ", "doctorphysician", "\n", "é"} {
		if line := similarLine(unknown); line != "" {
			t.Errorf("%q has similar words: %q", unknown, line)
		}
	}
}
