package recall

import (
	"slices"
	"strings"
	"testing"
)

// TestKindredFile checks what finding a line by halves needs, and that each is
// found.
func TestKindredFile(t *testing.T) {
	lines := strings.Split(strings.TrimSuffix(kindredText, "\n"), "\n")
	if len(lines) < 10_000 || !slices.IsSorted(lines) {
		t.Fatalf("%d lines, sorted: %v", len(lines), slices.IsSorted(lines))
	}
	for _, line := range lines {
		word, rest, _ := strings.Cut(line, " ")
		if got := kindredLine(word); got != rest {
			t.Fatalf("%q: got %q, want %q", word, got, rest)
		}
		kindredOf(word, func(kin string, like float32) {
			if kin == "" || kin == word || like < 0.25 || like >= 1 {
				t.Errorf("%s: %q is %v like it", word, kin, like)
			}
		})
	}
}

func TestKindredOf(t *testing.T) {
	var got []string
	kindredOf(Analyze("doctors")[0], func(word string, _ float32) { got = append(got, word) })
	if !slices.Contains(got, Analyze("physician")[0]) {
		t.Errorf("kindred of doctors: %q", got)
	}
	for _, unknown := range []string{"", "a", "zzzz", "doctor ", "doctorphysician", "\n", "é"} {
		if line := kindredLine(unknown); line != "" {
			t.Errorf("%q has kindred: %q", unknown, line)
		}
	}
}
