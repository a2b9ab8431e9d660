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
// not find the others. A word before an equals sign is a category whose members are what
// a question like "which database" asks for: they answer it as well as the word itself.
//
//go:embed related.txt
var relatedText string

// relatedWeight is the weight of a related word, relative to the word itself.
const relatedWeight = 0.55

// relations are the related words, and the categories that a question may ask for one
// of. They are built on first use: a process that searches nothing need not wait for it.
var relations = sync.OnceValues(func() (related, kinds map[string][]string) { return readRelated(relatedText) })

func related() map[string][]string { related, _ := relations(); return related }

// readRelated maps the stem of a word to the stems of its related words, and the stem of
// a category that is asked for to those of its members.
func readRelated(list string) (out, kinds map[string][]string) {
	out, kinds = map[string][]string{}, map[string][]string{}
	for line := range strings.Lines(list) {
		if at := strings.IndexAny(line, ":="); at >= 0 {
			head, members := Analyze(line[:at])[0], Analyze(line[at:])
			out[head] = append(out[head], members...)
			if line[at] == '=' {
				kinds[head] = members
			}
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
	return out, kinds
}

// standIn is what stands for a word of a question.
type standIn struct {
	words   []string
	instead bool // the word itself occurs nowhere
}

// standIns finds, for words that occur nowhere in the scope, related words that do, and
// for the kind of thing that the question asks for its members: a question about the
// database finds SQLite. A number also stands with an s, which analysis leaves at it. df
// holds the document frequencies of words; a word gets that of its most common stand-in if
// that is higher.
func standIns(ctx context.Context, f Finder, q Question, words []string, df []int) (map[string]standIn, error) {
	out := map[string]standIn{}
	for i, w := range words {
		s, of := standIn{instead: df[i] == 0}, related()[w]
		if !s.instead {
			of = q.members(w)
		}
		if digits(w) {
			s.instead, of = false, []string{w + "s"} // the 503s, a timeout of 5s
		}
		if len(of) == 0 {
			continue
		}
		st, err := f.Stats(ctx, of)
		if err != nil {
			return nil, err
		}
		for j, n := range st.DF {
			if k := of[j]; n > 0 && !slices.Contains(words, k) && !slices.Contains(s.words, k) {
				s.words = append(s.words, k)
				df[i] = max(df[i], n)
			}
		}
		out[w] = s
	}
	return out, nil
}

// members lists the members of a category if the question asks for one of them, as in
// "which database".
func (q Question) members(category string) []string {
	if !slices.Contains(q.Kinds, category) {
		return nil
	}
	_, kinds := relations()
	return kinds[category]
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
