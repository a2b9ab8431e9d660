package prediction_test

import (
	"strings"
	"testing"

	"wake/prediction"
)

// The model is compared with the best plain rule, and a difference that chance can make is none.
func TestVerdict(t *testing.T) {
	record := func(questions, wake, newest, lru int64) (r prediction.Record) {
		for method, hits := range map[int]int64{prediction.MethodWake: wake, prediction.MethodPrior: questions, prediction.MethodNewest: newest, prediction.MethodLRU: lru} {
			r.Ranks[method] = prediction.Tally{Questions: questions, Hit5: hits}
		}
		return r
	}
	for want, r := range map[string]prediction.Record{
		"nothing to judge by yet": {},
		"only 24 uses so far":     record(24, 24, 0, 0),
		"better than the best plain rule (lru, used last first: 50 %)":       record(100, 90, 20, 50),
		"about as well as the best plain rule (newest, saved last first: 55": record(100, 60, 55, 50),
		"worse than the best plain rule":                                     record(100, 10, 55, 50),
	} {
		if got := strings.Join(r.Verdict(), "; "); !strings.Contains(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
