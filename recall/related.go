package recall

import (
	"cmp"
	"context"
	_ "embed"
	"maps"
	"slices"
	"strings"
	"sync"
)

// relatedText lists words about the same thing, one group per line. A word before a
// colon names a category: asking for it finds its members, but asking for a member does
// not find the others.
//
//go:embed related.txt
var relatedText string

// relatedWeight is the weight of a related word, relative to the word itself.
const relatedWeight = 0.55

// related is built on first use: a process that searches nothing need not wait for it.
var related = sync.OnceValue(func() map[string][]string { return readRelated(relatedText) })

// readRelated maps the stem of a word to the stems of its related words.
func readRelated(list string) map[string][]string {
	out := map[string][]string{}
	for line := range strings.Lines(list) {
		head, members, kind := strings.Cut(line, ":")
		if kind {
			h := Analyze(head)[0]
			out[h] = append(out[h], Analyze(members)...)
			continue
		}
		group := Analyze(line)
		for _, a := range group {
			for _, b := range group {
				if a != b {
					out[a] = append(out[a], b)
				}
			}
		}
	}
	return out
}

// standIns finds, for words that occur nowhere in the scope, related words that do: a
// question about the database finds SQLite. df holds the document frequencies of words;
// an unknown word gets that of its most common stand-in.
func standIns(ctx context.Context, f Finder, words []string, df []int) (map[string][]string, error) {
	out := map[string][]string{}
	for i, w := range words {
		if df[i] > 0 || len(related()[w]) == 0 {
			continue
		}
		st, err := f.Stats(ctx, related()[w])
		if err != nil {
			return nil, err
		}
		for j, n := range st.DF {
			if k := related()[w][j]; n > 0 && !slices.Contains(words, k) && !slices.Contains(out[w], k) {
				out[w] = append(out[w], k)
				df[i] = max(df[i], n)
			}
		}
	}
	return out, nil
}

// Limits of the related words sent to the index.
const (
	relatedShare   = 0.5 // relative to a related word's own weight
	relatedMost    = 32  // words, minus relatedLess for each word of the question: a long one is specific enough
	relatedLess    = 3
	relatedLeast   = 4
	relatedLookups = 4 // how many times as many are looked up to choose from
)

// chooseRelated chooses the related words sent to the index, the rarest first: without
// them, a text that says puppy is not found by a question that says dog. None counts
// more than half of the word it is related to. In long texts, where related words occur
// by chance, they count less.
func (p *probe) chooseRelated(ctx context.Context, f Finder) ([]Weighted, error) {
	most := max(relatedLeast, relatedMost-relatedLess*len(p.terms))
	words := p.closestRelated(relatedLookups * most)
	st, err := f.Stats(ctx, words)
	if err != nil {
		return nil, err
	}
	share := relatedShare * min(1, passageTerms/max(1, p.stats.MeanTerms))
	var out []Weighted
	for i, w := range words {
		if st.DF[i] == 0 {
			continue
		}
		l, weight := p.related[w][0], p.idf(st.DF[i])
		if of := p.terms[l.term]; of.idf > 0 {
			weight = min(weight, of.idf)
		}
		out = append(out, Weighted{Term: w, Weight: share * weight * min(1, float64(l.value)/relatedWeight)})
	}
	slices.SortStableFunc(out, func(a, b Weighted) int { return cmp.Compare(b.Weight, a.Weight) })
	return out[:min(most, len(out))], nil
}

// closestRelated returns the words most closely related to the most telling terms.
func (p *probe) closestRelated(most int) []string {
	words := slices.Sorted(maps.Keys(p.related))
	tells := func(w string) float64 { l := p.related[w][0]; return float64(l.value) * p.terms[l.term].idf }
	slices.SortStableFunc(words, func(a, b string) int { return cmp.Compare(tells(b), tells(a)) })
	return words[:min(most, len(words))]
}
