package recall

import (
	"slices"
	"strings"
	"testing"
)

// TestCommonFile checks what finding a line by halves needs, and that every rank is one.
func TestCommonFile(t *testing.T) {
	lines := strings.Split(strings.TrimSuffix(commonText, "\n"), "\n")
	if len(lines) < 5_000 || !slices.IsSorted(lines) {
		t.Fatalf("%d lines, sorted: %v", len(lines), slices.IsSorted(lines))
	}
	for _, line := range lines {
		term, _, _ := strings.Cut(line, " ")
		if share := inEnglish(term, 10); share <= 0 || share >= 1 {
			t.Errorf("%q: %v of short texts have it", line, share)
		}
	}
}

// A common word tells less than a rare one that as many texts have, and the more so the
// longer the texts are. In a large store, its own texts decide.
func TestRarity(t *testing.T) {
	p := probe{stats: Stats{Docs: 100, MeanTerms: 20}}
	common, rare := p.rarity("leav", 2), p.rarity("stripewebhook", 2)
	if common >= 0.9*rare {
		t.Errorf("leave weighs %v, a rare word %v", common, rare)
	}
	p.stats.MeanTerms = 200
	if long := p.rarity("leav", 2); long >= common {
		t.Errorf("leave weighs %v in long texts, %v in short ones", long, common)
	}
	p.stats.Docs = 1_000_000
	if common, rare := p.rarity("leav", 20_000), p.rarity("stripewebhook", 20_000); common < 0.99*rare {
		t.Errorf("in a million texts leave weighs %v, a rare word %v", common, rare)
	}
	if w := p.rarity("leav", 0); w != 0 {
		t.Errorf("a word that occurs nowhere weighs %v", w)
	}
}
