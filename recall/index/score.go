package index

import "math"

// BM25's parameters for whole documents; ranking looks at passages later.
const (
	k1 = 1.2
	b  = 0.5
)

// topImpact is the impact of a term that could not matter more.
const topImpact = 255

// impactOf is how much tf occurrences in a document of so many terms count,
// when documents have mean terms on average. It is fixed when a segment is
// built, so that scoring is one multiplication.
func impactOf(tf, terms int, mean float64) uint8 {
	f := float64(tf)
	v := f / (f + k1*(1-b+b*float64(terms)/max(mean, 1)))
	return uint8(min(topImpact, max(1, math.Round(v*topImpact))))
}

// scale turns impacts of a term of a given weight into scores.
func scale(weight float64) float32 { return float32(weight * (k1 + 1) / topImpact) }
