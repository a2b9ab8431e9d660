package prediction

import (
	"hash/fnv"
	"math"
	"path"
	"slices"
	"strings"
	"unicode"
)

// Place is where an item belongs according to its label. Folders and words are hashes, so that a row stays
// small.
type Place struct {
	Path  []uint32 // folders from the root, then the name
	Stem  uint32   // the name without extension and without "test"
	Kind  uint32   // the extension
	Words []uint32 // words of the label, at most keptWords
}

const (
	keptWords = 12
	keptPath  = 12
)

// placeOf parses a label: a path, or words such as tags.
func placeOf(label string) Place {
	if label == "" {
		return Place{}
	}
	p := Place{Stem: hash32(stem(label)), Kind: hash32(path.Ext(label))}
	for _, part := range strings.Split(label, "/") {
		p.Path = append(p.Path, hash32(part))
	}
	if n := len(p.Path); n > keptPath {
		p.Path = p.Path[n-keptPath:]
	}
	p.Words = words(label)
	return p
}

// folder returns a hash of the path without the name, 0 if there is none.
func (p *Place) folder() uint32 {
	h := uint32(0)
	for _, part := range p.Path[:max(0, len(p.Path)-1)] {
		h = h*16777619 ^ part
	}
	return h
}

// pathSimilarity is the share of the folders that two places have in common, from 0 to 1.
func (p *Place) pathSimilarity(q *Place) float64 {
	a, b := max(0, len(p.Path)-1), max(0, len(q.Path)-1)
	common := 0
	for common < min(a, b) && p.Path[common] == q.Path[common] {
		common++
	}
	return 2 * float64(common) / float64(max(1, a+b))
}

// overlap counts the words that two places share.
func (p *Place) overlap(q *Place) int {
	n := 0
	for _, w := range p.Words {
		if slices.Contains(q.Words, w) {
			n++
		}
	}
	return n
}

// wordSimilarity is the share of the words that two places have in common, from 0 to 1.
func (p *Place) wordSimilarity(q *Place) float64 {
	return float64(p.overlap(q)) / math.Sqrt(float64(1+len(p.Words))*float64(1+len(q.Words)))
}

// stem returns the name that a file and its test have in common.
func stem(label string) string {
	base := path.Base(label)
	if k := strings.IndexByte(base, '.'); k > 0 {
		base = base[:k]
	}
	base = strings.ToLower(base)
	return strings.NewReplacer("_test", "", "test_", "", "-test", "").Replace(base)
}

// words splits a label into words, also at inner capitals, and keeps the last keptWords.
func words(label string) []uint32 {
	var list []uint32
	for _, field := range strings.FieldsFunc(label, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		for _, w := range splitCapitals(field) {
			if h := hash32(strings.ToLower(w)); len(w) > 1 && !slices.Contains(list, h) {
				list = append(list, h)
			}
		}
	}
	return list[max(0, len(list)-keptWords):]
}

func splitCapitals(field string) []string {
	var parts []string
	from, lower := 0, false
	for k, r := range field {
		upper := unicode.IsUpper(r)
		if lower && upper {
			parts = append(parts, field[from:k])
			from = k
		}
		lower = !upper
	}
	return append(parts, field[from:])
}

func hash32(s string) uint32 {
	h := fnv.New32a()
	h.Write([]byte(s))
	return h.Sum32()
}

// hash64 hashes the name of an actor or a session; the empty name is 0.
func hash64(s string) uint64 {
	if s == "" {
		return 0
	}
	h := fnv.New64a()
	h.Write([]byte(s))
	return h.Sum64()
}
