package main

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"wake/recall"
)

// brute is a Finder without an index that scores every posting in plain maps. The index
// is compared with it.
type brute struct {
	words    *recall.Vocabulary
	docs     map[int64]*recall.Document
	next     map[int64]int64
	posts    map[string][]post
	terms    int
	passages int
}

type post struct {
	n   int64
	tf  float64
	len float64
}

func newBrute() *brute {
	return &brute{words: recall.NewVocabulary(), docs: map[int64]*recall.Document{}, next: map[int64]int64{}, posts: map[string][]post{}}
}

func (b *brute) add(d *recall.Document) {
	b.docs[d.N] = b.words.Keep(d)
	if d.Prev != 0 {
		b.next[d.Prev] = d.N
	}
	b.terms += len(d.Seq)
	b.passages += len(d.Passages)
	terms, counts := d.Counts()
	for i, t := range terms {
		b.posts[t] = append(b.posts[t], post{d.N, float64(counts[i]), float64(len(d.Seq))})
	}
	for _, t := range d.SpeakerTerms() {
		b.posts[t] = append(b.posts[t], post{d.N, 1, 0})
	}
}

// Stats implements [recall.Finder].
func (b *brute) Stats(_ context.Context, terms []string) (recall.Stats, error) {
	st := recall.Stats{Docs: len(b.docs), DF: make([]int, len(terms))}
	st.MeanTerms = float64(b.terms) / float64(max(1, len(b.docs)))
	st.MeanPassage = float64(b.terms) / float64(max(1, b.passages))
	for i, t := range terms {
		st.DF[i] = len(b.posts[t])
	}
	return st, nil
}

// Frequencies implements [recall.Finder].
func (b *brute) Frequencies(ctx context.Context, terms []string) ([]int, error) {
	st, err := b.Stats(ctx, terms)
	return st.DF, err
}

// Completions implements [recall.Finder].
func (b *brute) Completions(_ context.Context, beginning string, most int) (out []string, err error) {
	for _, t := range slices.Sorted(maps.Keys(b.posts)) {
		if len(t) > len(beginning) && strings.HasPrefix(t, beginning) && len(out) < most {
			out = append(out, t)
		}
	}
	return out, nil
}

const bruteK1, bruteB = 1.2, 0.5 // as in package index

// Top implements [recall.Finder].
func (b *brute) Top(_ context.Context, terms []recall.Weighted, k int) ([]recall.Found, error) {
	mean := float64(b.terms) / float64(max(1, len(b.docs)))
	sums := map[int64]float64{}
	for _, t := range terms {
		for _, p := range b.posts[t.Term] {
			if t.Even {
				sums[p.n] += t.Weight
				continue
			}
			sums[p.n] += t.Weight * p.tf * (bruteK1 + 1) / (p.tf + bruteK1*(1-bruteB+bruteB*p.len/mean))
		}
	}
	out := make([]recall.Found, 0, len(sums))
	for n, s := range sums {
		out = append(out, recall.Found{N: n, Score: s})
	}
	slices.SortFunc(out, func(x, y recall.Found) int {
		return cmp.Or(cmp.Compare(y.Score, x.Score), cmp.Compare(y.N, x.N))
	})
	return out[:min(k, len(out))], nil
}

// TopAmong implements [recall.Finder].
func (b *brute) TopAmong(ctx context.Context, terms []recall.Weighted, ns []int64, k int) ([]recall.Found, error) {
	found, err := b.Top(ctx, terms, len(b.docs))
	found = slices.DeleteFunc(found, func(f recall.Found) bool { return !slices.Contains(ns, f.N) })
	return found[:min(k, len(found))], err
}

// between lists the documents of a period.
func (b *brute) between(_ context.Context, from, to time.Time) (ns []int64, err error) {
	for n, d := range b.docs {
		if d.Time >= from.Unix() && d.Time < to.Unix() {
			ns = append(ns, n)
		}
	}
	slices.Sort(ns)
	return ns, nil
}

// Documents implements [recall.Finder].
func (b *brute) Documents(_ context.Context, ns []int64) ([]*recall.Document, error) {
	out := make([]*recall.Document, len(ns))
	for i, n := range ns {
		out[i] = b.docs[n]
	}
	return out, nil
}

// Next implements [recall.Finder].
func (b *brute) Next(_ context.Context, ns []int64) ([]int64, error) {
	out := make([]int64, len(ns))
	for i, n := range ns {
		out[i] = b.next[n]
	}
	return out, nil
}

// Admits implements [recall.Finder].
func (b *brute) Admits(_ context.Context, ns []int64) ([]bool, error) {
	out := make([]bool, len(ns))
	for i := range out {
		out[i] = true
	}
	return out, nil
}
