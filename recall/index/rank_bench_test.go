package index_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"wake/recall"
	"wake/recall/index"
)

// BenchmarkRank asks questions of made texts of 100 words. It tells what ranking
// costs without a database, when the documents are in memory.
func BenchmarkRank(b *testing.B) {
	for _, size := range []int{1000, 10000} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			ctx, w := context.Background(), newWorld(3)
			for range size {
				w.save("p", 100)
			}
			ix := index.New(w.store, index.Options{})
			for more := true; more; {
				more = must[bool](b)(ix.Maintain(ctx))
			}
			m := must[*recall.Model](b)(recall.DefaultModel())
			ask := func(i int) {
				q := recall.Understand(fmt.Sprintf("w%dx w%dx of w%dx and w%dx in w%dx", i%7, i%40, i%300, i%1000, i%2900))
				scope := must[*index.Scope](b)(ix.Scope(ctx, "p", nil))
				must[[]recall.Ranked](b)(recall.Rank(ctx, scope, m, q, recall.Options{Now: time.Now(), Limit: 100}))
			}
			for i := range 300 {
				ask(i)
			}
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				ask(i)
			}
		})
	}
}

// BenchmarkDecode reads documents into a vocabulary that has most of their words.
func BenchmarkDecode(b *testing.B) {
	w := newWorld(4)
	var rows [][]byte
	for range 1000 {
		w.save("p", 100)
		rows = append(rows, w.docs[w.n].Encode())
	}
	words := recall.NewVocabulary()
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if _, err := words.Decode(1, rows[i%len(rows)]); err != nil {
			b.Fatal(err)
		}
	}
}
