package memory_test

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"wake/memory"
	"wake/memory/memorytest"
	"wake/repository/repotest"
)

// BenchmarkPredict asks through the service over a real file what comes next, in
// projects of both sizes, worked in alike. "first" is a new process, which reads
// what is stored. Run it with -benchtime=1x.
func BenchmarkPredict(b *testing.B) {
	times := map[string]time.Duration{}
	for _, size := range []int{1000, 100_000} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			for b.Loop() {
				path := filepath.Join(b.TempDir(), "wake.db")
				s, c := memorytest.OpenFile(b, path)
				c.Pass(memorytest.Crowd(b, s.Store, size, 10_000).Sub(c.Now()) + time.Minute)
				if _, err := s.Recalculate(ctx, memory.RecalculateRequest{Project: "wake", What: "predictions"}); err != nil {
					b.Fatal(err)
				}
				predict := func(s *memory.Service) func() {
					return func() {
						if a, err := s.Predict(ctx, memory.PredictRequest{Project: "wake"}); err != nil || len(a.Predictions) != 5 {
							b.Fatal(a, err)
						}
					}
				}
				times["warm"+b.Name()] = repotest.Median(100, predict(s))
				times["first"+b.Name()] = repotest.Median(20, func() {
					fresh := memory.New(s.Store, s.Extract)
					fresh.Now = c.Now
					predict(fresh)()
				})
				b.ReportMetric(float64(times["warm"+b.Name()].Microseconds()), "µs/predict")
				b.ReportMetric(float64(times["first"+b.Name()].Microseconds()), "µs/first-predict")
			}
		})
	}
	ratio := func(k string) float64 {
		return float64(times[k+"BenchmarkPredict/100000"]) / float64(times[k+"BenchmarkPredict/1000"])
	}
	b.Logf("100k against 1k: %.2f, first %.2f", ratio("warm"), ratio("first"))
}

// BenchmarkRecalculate learns a log of accesses anew.
func BenchmarkRecalculate(b *testing.B) {
	s, c := memorytest.Open(b)
	c.Pass(memorytest.Crowd(b, s.Store, 1000, 5000).Sub(c.Now()))
	for b.Loop() {
		if _, err := s.Recalculate(ctx, memory.RecalculateRequest{Project: "wake", What: "predictions"}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/6000, "µs/access")
}
