// Package repotest is the suite that every engine of package repository passes,
// and its benchmarks. An engine's own test is a few lines:
//
//	func TestSuite(t *testing.T) { repotest.Run(t, fresh) }
//	func BenchmarkSuite(b *testing.B) { repotest.Bench(b, fresh) }
//
// A change of the contract begins here: extend the suite, then the engines. Each
// area of the contract has its own file.
package repotest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"testing"
	"time"

	"wake/domain"
	"wake/repository"
)

// Open opens one more store on the same database; the test closes it at its end.
type Open func() repository.Store

// Fresh makes an empty database for one test.
type Fresh func(t testing.TB) Open

// Run runs the whole suite.
func Run(t *testing.T, fresh Fresh) {
	areas := map[string]func(*testing.T, Fresh){
		"Contexts":     testContexts,
		"Lists":        testLists,
		"Links":        testLinks,
		"Documents":    testDocuments,
		"Segments":     testSegments,
		"Usage":        testUsage,
		"Prediction":   testPrediction,
		"Forget":       testForget,
		"Jobs":         testJobs,
		"Dump":         testDump,
		"Transactions": testTransactions,
		"Races":        testRaces,
		"Sessions":     testSessions,
		"Maintenance":  testMaintenance,
	}
	for name, area := range areas {
		t.Run(name, func(t *testing.T) { area(t, fresh) })
	}
}

// run runs the tests of an area, each on its own database.
func run(t *testing.T, fresh Fresh, tests map[string]func(*testing.T, repository.Store)) {
	for name, test := range tests {
		t.Run(name, func(t *testing.T) { test(t, fresh(t)()) })
	}
}

// start is the moment at which every test begins.
var start = time.Date(2026, 1, 31, 12, 0, 0, 123456000, time.UTC)

// at is the moment some minutes after start.
func at(minutes int) time.Time { return start.Add(time.Duration(minutes) * time.Minute) }

// id makes a readable id of the shape of a UUID.
func id(k int) string { return fmt.Sprintf("00000000-0000-4000-8000-%012d", k) }

// sample is context k, saved k minutes after start.
func sample(k int) *domain.ContextSnapshot {
	content := fmt.Sprintf("content number %d", k)
	sum := sha256.Sum256([]byte(content))
	return &domain.ContextSnapshot{
		ID: id(k), Project: "wake", Content: content, Summary: fmt.Sprintf("summary %d", k), Tags: []string{"tag"},
		Source: "mcp", Timestamp: at(k), SavedAt: at(k),
		Memory: domain.Memory{Tier: domain.TierActive},
		Kind:   domain.Episodic, Origin: domain.FromAssistant,
		ContentHash: hex.EncodeToString(sum[:]), SummaryBy: domain.ByExtract,
	}
}

// Insert stores a context with a document, as every save does; its bytes mean
// nothing here.
func Insert(ctx context.Context, tx repository.Tx, c *domain.ContextSnapshot) error {
	if err := tx.InsertContext(ctx, c); err != nil {
		return err
	}
	_, err := tx.PutDocument(ctx, document(c))
	return err
}

func document(c *domain.ContextSnapshot) domain.Document {
	return domain.Document{
		DocumentSource: domain.DocumentSource{ContextN: c.N}, Space: domain.ContextSpace, Scope: c.Project,
		Stream: 7, Data: []byte("document of " + c.Content),
	}
}

// do writes, and fails the test when that fails.
func do(t testing.TB, s repository.Store, fn func(context.Context, repository.Tx) error) {
	t.Helper()
	if err := try(t, s, fn); err != nil {
		t.Fatal(err)
	}
}

// try writes and returns the error.
func try(t testing.TB, s repository.Store, fn func(context.Context, repository.Tx) error) error {
	t.Helper()
	return s.Write(t.Context(), repository.Durable, func(tx repository.Tx) error { return fn(t.Context(), tx) })
}

// save stores contexts.
func save(t testing.TB, s repository.Store, contexts ...*domain.ContextSnapshot) {
	t.Helper()
	do(t, s, func(ctx context.Context, tx repository.Tx) error {
		for _, c := range contexts {
			if err := Insert(ctx, tx, c); err != nil {
				return err
			}
		}
		return nil
	})
}

// saveSome stores the sample contexts from 1 to n.
func saveSome(t testing.TB, s repository.Store, n int) {
	t.Helper()
	contexts := make([]*domain.ContextSnapshot, n)
	for k := range contexts {
		contexts[k] = sample(k + 1)
	}
	save(t, s, contexts...)
}

// must returns v, or fails the test.
func must[T any](v T, err error) func(t testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// wantKind fails the test unless err is of the kind.
func wantKind(t testing.TB, err error, kind domain.ErrorKind) {
	t.Helper()
	if domain.KindOf(err) != kind {
		t.Fatalf("got error %v (kind %q), want kind %q", err, domain.KindOf(err), kind)
	}
}

// ids returns the ids of contexts, in order.
func ids(contexts []domain.ContextSnapshot) []string {
	out := make([]string, len(contexts))
	for i, c := range contexts {
		out[i] = c.ID
	}
	return out
}

// idList makes the ids of several sample contexts.
func idList(ks ...int) []string {
	out := make([]string, len(ks))
	for i, k := range ks {
		out[i] = id(k)
	}
	return out
}
