package repotest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"wake/domain"
	"wake/repository"
)

// Bench runs the benchmarks. Those that report medians do all their work in one
// iteration: run them with -benchtime=1x.
func Bench(b *testing.B, fresh Fresh) {
	b.Run("SaveGrowth", func(b *testing.B) { benchSaveGrowth(b, fresh(b)()) })
	b.Run("At10k", func(b *testing.B) {
		s := fresh(b)()
		NewCorpus().Fill(b, s, 10_000)
		b.Run("Walk", func(b *testing.B) { benchWalk(b, s) })
		b.Run("List", func(b *testing.B) { benchList(b, s) })
		b.Run("Stats", func(b *testing.B) { benchStats(b, s) })
		b.Run("Access", func(b *testing.B) { benchAccess(b, s) })
	})
}

// Corpus makes contexts of some 90 words whose frequencies fall as in real text,
// the same ones in every run.
type Corpus struct {
	random *rand.Rand
	words  *rand.Zipf
	made   int
}

// NewCorpus begins anew.
func NewCorpus() *Corpus {
	random := rand.New(rand.NewPCG(1, 2))
	return &Corpus{random: random, words: rand.NewZipf(random, 1.1, 3, 50_000)}
}

// Next makes the next context. Most have the one before as their cause.
func (c *Corpus) Next() *domain.ContextSnapshot {
	c.made++
	terms := make([]string, 60+c.random.IntN(60))
	for i := range terms {
		terms[i] = fmt.Sprintf("w%d", c.words.Uint64())
	}
	s := sample(c.made)
	s.ID = fmt.Sprintf("%08x-0000-4000-8000-%012d", c.random.Uint32(), c.made)
	s.Content = strings.Join(terms, " ")
	sum := sha256.Sum256([]byte(s.Content))
	s.ContentHash = hex.EncodeToString(sum[:])
	s.Tags = []string{terms[0], terms[1], terms[2]}
	s.Causality = &domain.Causality{ActionType: domain.Decision, Rationale: "because " + terms[3]}
	return s
}

// Fill saves contexts until the store has n of them.
func (c *Corpus) Fill(t testing.TB, s repository.Store, n int) {
	t.Helper()
	before := ""
	for c.made < n {
		do(t, s, func(ctx context.Context, tx repository.Tx) error {
			for range min(1000, n-c.made) {
				next := c.Next()
				if c.made%10 != 0 {
					next.Causality.CausedBy = before
				}
				if err := Insert(ctx, tx, next); err != nil {
					return err
				}
				before = next.ID
			}
			return nil
		})
	}
}

// Median times fn k times and returns the middle one.
func Median(k int, fn func()) time.Duration {
	times := make([]time.Duration, k)
	for i := range times {
		begin := time.Now()
		fn()
		times[i] = time.Since(begin)
	}
	slices.Sort(times)
	return times[k/2]
}

// saveNext saves one context durably, as a caller would.
func saveNext(t testing.TB, s repository.Store, c *Corpus) {
	next := c.Next()
	do(t, s, func(ctx context.Context, tx repository.Tx) error { return Insert(ctx, tx, next) })
}

// benchSaveGrowth tells how a save grows with the store.
func benchSaveGrowth(b *testing.B, s repository.Store) {
	for b.Loop() {
		c := NewCorpus()
		medians := map[int]time.Duration{}
		for _, size := range []int{1000, 10_000, 100_000} {
			c.Fill(b, s, size)
			medians[size] = Median(300, func() { saveNext(b, s, c) })
			b.ReportMetric(float64(medians[size].Microseconds()), fmt.Sprintf("µs/save-at-%dk", size/1000))
		}
		b.ReportMetric(float64(medians[100_000])/float64(medians[1000]), "ratio-100k/1k")
		stats := Median(3, func() { must(s.Stats(b.Context(), "wake", at(0), nil))(b) })
		b.ReportMetric(float64(stats.Milliseconds()), "ms/stats-at-100k")
		foreseen := Median(9, func() { must(s.PredictionStats(b.Context(), "wake"))(b) })
		b.ReportMetric(float64(foreseen.Milliseconds()), "ms/prediction-stats-at-100k")
		projects := Median(9, func() { must(s.Projects(b.Context()))(b) })
		b.ReportMetric(float64(projects.Milliseconds()), "ms/projects-at-100k")
	}
}

func benchWalk(b *testing.B, s repository.Store) {
	newest := must(s.Contexts(b.Context(), domain.ContextQuery{Limit: 1}))(b)[0]
	for b.Loop() {
		walk(b, s, domain.ChainQuery{ID: newest.ID, Direction: domain.Causes, Limit: 20})
	}
}

func benchList(b *testing.B, s repository.Store) {
	for b.Loop() {
		list(b, s, domain.ContextQuery{Project: "wake", Order: domain.LeastRecent, Limit: 10})
	}
}

func benchStats(b *testing.B, s repository.Store) {
	for b.Loop() {
		must(s.Stats(b.Context(), "wake", at(0), nil))(b)
	}
}

// benchAccess records what a load of ten contexts does.
func benchAccess(b *testing.B, s repository.Store) {
	found := must(s.Contexts(b.Context(), domain.ContextQuery{}))(b)
	for k := 0; b.Loop(); k++ {
		var batch []domain.Access
		for i := range 10 {
			batch = append(batch, domain.Access{ContextID: found[(k*10+i*7)%len(found)].ID, At: at(20_000 + k), How: domain.Handed, Via: "load_context"})
		}
		err := s.Write(b.Context(), repository.Relaxed, func(tx repository.Tx) error { return tx.RecordAccesses(b.Context(), batch) })
		if err != nil {
			b.Fatal(err)
		}
	}
}
