package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"time"

	"wake/recall"
	"wake/recall/index"
	"wake/recall/index/indextest"
)

// speed measures questions against an index in memory at several sizes: what
// the engine adds is measured through the server.
func speed(m *recall.Model, sizes []int) error {
	ctx := context.Background()
	store := indextest.NewMemory()
	ix := index.New(store, index.Options{})
	g := newProse(1)
	saved := 0
	fmt.Printf("%9s %9s %9s %9s %9s %9s | %7s %7s | %s\n", "contexts", "top p50", "top p99", "rank p50", "rank p99", "first", "rows/c", "index/c", "build, heap")
	for _, size := range sizes {
		start := time.Now()
		for ; saved < size; saved++ {
			store.Save(recall.NewDocument(g.entry(int64(saved + 1))))
			if saved%4096 == 0 {
				if err := maintain(ctx, ix); err != nil {
					return err
				}
			}
		}
		if err := maintain(ctx, ix); err != nil {
			return err
		}
		build := time.Since(start)
		if err := askAll(ctx, m, store, g, size, build); err != nil {
			return err
		}
	}
	return nil
}

func maintain(ctx context.Context, ix *index.Index) error {
	for more := true; more; {
		var err error
		if more, err = ix.Maintain(ctx); err != nil {
			return err
		}
	}
	return nil
}

func askAll(ctx context.Context, m *recall.Model, store *indextest.Memory, g *prose, size int, build time.Duration) error {
	ix := index.New(store, index.Options{})
	var tops, ranks []time.Duration
	var first time.Duration
	for i := range 300 {
		q := recall.Understand(g.question())
		start := time.Now()
		scope, err := ix.Scope(ctx, "bench", nil)
		if err != nil {
			return err
		}
		if _, err := recall.Rank(ctx, scope, m, q, recall.Options{Limit: 10}); err != nil {
			return err
		}
		ranks = append(ranks, time.Since(start))
		if i == 0 {
			first = ranks[0]
		}
		var ws []recall.Weighted
		for _, t := range q.Terms {
			ws = append(ws, recall.Weighted{Term: t, Weight: 5})
		}
		start = time.Now()
		if _, err := scope.Top(ctx, ws, 200); err != nil {
			return err
		}
		tops = append(tops, time.Since(start))
	}
	rows, chunks := store.Bytes()
	var ms runtime.MemStats
	runtime.ReadMemStats(&ms)
	fmt.Printf("%9d %9.2f %9.2f %9.2f %9.2f %9.1f | %7.2f %7.2f | %v, %d MB\n", size, ms50(tops, 0.5), ms50(tops, 0.99), ms50(ranks, 0.5), ms50(ranks, 0.99),
		float64(first.Microseconds())/1000, float64(rows)/float64(g.bytes), float64(chunks)/float64(g.bytes), build.Round(time.Millisecond), ms.HeapAlloc>>20)
	return nil
}

func ms50(ds []time.Duration, share float64) float64 {
	ds = slices.Clone(ds)
	slices.Sort(ds)
	return float64(ds[min(len(ds)-1, int(float64(len(ds))*share))].Microseconds()) / 1000
}

// prose makes texts of about 1 KB: function words and content words that are as
// unevenly common as in real prose.
type prose struct {
	rnd   *rand.Rand
	zipf  *rand.Zipf
	words []string
	last  [64][]string
	bytes int
}

func newProse(seed uint64) *prose {
	rnd := rand.New(rand.NewPCG(seed, 3))
	g := &prose{rnd: rnd, zipf: rand.NewZipf(rnd, 1.15, 12, 300_000)}
	var syllables []string
	for _, c := range strings.Fields("b c ch d f g h j l m n p qu r s st sh t tr v w") {
		for _, v := range []string{"a", "e", "i", "o", "u"} {
			syllables = append(syllables, c+v, c+v+"n", c+v+"rt")
		}
	}
	rnd.Shuffle(len(syllables), func(i, j int) { syllables[i], syllables[j] = syllables[j], syllables[i] })
	for i := range 300_001 {
		w := ""
		for n := i + len(syllables); ; n /= len(syllables) {
			w += syllables[n%len(syllables)]
			if n < len(syllables) {
				break
			}
		}
		g.words = append(g.words, w)
	}
	return g
}

func (g *prose) entry(n int64) recall.Entry {
	function := []string{"the", "and", "of", "to", "a", "in", "we", "is", "that", "for"}
	var sb strings.Builder
	var mine []string
	for i := 0; sb.Len() < 1000; i++ {
		if g.rnd.IntN(100) < 42 {
			sb.WriteString(function[g.rnd.IntN(len(function))])
		} else {
			w := g.words[g.zipf.Uint64()]
			mine = append(mine, w)
			sb.WriteString(w)
		}
		if i%12 == 11 {
			sb.WriteString(". ")
		} else {
			sb.WriteByte(' ')
		}
	}
	g.last[g.rnd.IntN(len(g.last))] = mine
	g.bytes += sb.Len()
	e := recall.Entry{N: n, Project: "bench", Content: sb.String(), Source: "mcp", Time: time.Unix(n*60, 0), Session: fmt.Sprint(n / 40)}
	if n%40 != 0 {
		e.Prev = n - 1
	}
	return e
}

func (g *prose) question() string {
	var from []string
	for from == nil {
		from = g.last[g.rnd.IntN(len(g.last))]
	}
	out := []string{"what", "did", "we", "decide", "about", "the"}
	for range 7 {
		out = append(out, from[g.rnd.IntN(len(from))])
	}
	return strings.Join(out, " ") + "?"
}
