package recall

import (
	_ "embed"
	"math"
	"strconv"
)

// commonText lists the most common English words: a stem and the rank of its most common
// form. Lines are sorted. `go run ./bench/recall similar` writes it beside similar.txt.
//
//go:embed common.txt
var commonText string

// A store is a small sample: a word of two of its hundred texts may be everyday English,
// and how often it occurs there says little. So the store's texts are counted together
// with as many of plain English as this, of the same length.
const englishTexts = 300

// By Zipf's law, the r-th most common word is one of 10 r words. Half of all words are
// stop words, which the length of a text does not count. That would be 2 * 0.1. What is
// somewhat more serves questions best (bench/recall/README.md).
const zipf = 5 * 0.1

// rarity is the weight of a term that occurs in df of the store's texts. It is 0 for a
// term that occurs nowhere. Where the question names a speaker, whom the words are
// weighed against, only the store's texts count.
func (p *probe) rarity(term string, df int) float64 {
	if df == 0 || len(p.speakers) > 0 {
		return p.idf(df)
	}
	return idf(float64(p.stats.Docs)+englishTexts, float64(df)+englishTexts*inEnglish(term, p.stats.MeanTerms))
}

// inEnglish returns the share of English texts of a length that contain a term.
func inEnglish(term string, length float64) float64 {
	rank, err := strconv.Atoi(lineOf(commonText, term))
	if err != nil {
		return 0
	}
	return 1 - math.Exp(-length*zipf/float64(rank))
}
