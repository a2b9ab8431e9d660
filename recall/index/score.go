package index

import (
	"math"

	"wake/recall"
)

// BM25's parameters for whole documents. Ranking considers passages later.
const (
	k1 = 1.2
	b  = 0.5
)

// topImpact is the highest impact that a term can have.
const topImpact = 255

// impactOf is the impact of tf occurrences in a document with the given number of
// terms, if documents have mean terms on average. It is computed when a segment is
// built, so that scoring is a single multiplication.
func impactOf(tf, terms int, mean float64) uint8 {
	f := float64(tf)
	v := f / (f + k1*(1-b+b*float64(terms)/max(mean, 1)))
	return uint8(min(topImpact, max(1, math.Round(v*topImpact))))
}

// scoreOf returns what a term adds to the score of a document that has it: even, plus
// scale times its impact there. One of them is 0.
func scoreOf(w recall.Weighted) (even, scale float32) {
	if w.Even {
		return float32(w.Weight), 0
	}
	return 0, float32(w.Weight * (k1 + 1) / topImpact)
}
