package memory_test

import (
	"context"
	"testing"

	"wake/domain"
	"wake/memory"
)

var ctx = context.Background()

// save keeps a context or ends the test.
func save(t testing.TB, s *memory.Service, req memory.SaveRequest) memory.SaveAnswer {
	t.Helper()
	a, err := s.Save(ctx, req)
	if err != nil {
		t.Fatalf("save %q: %v", req.Content, err)
	}
	return a
}

// load reads one context by id, content included, without leaving a trace that
// the next line of a test could not see: the access is written at once.
func load(t testing.TB, s *memory.Service, id string) domain.ContextSnapshot {
	t.Helper()
	a, err := s.Load(ctx, memory.LoadRequest{IDs: []string{id}})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Flush(ctx); err != nil {
		t.Fatal(err)
	}
	return a.Contexts[0]
}

// refused checks that err is of the kind.
func refused(t testing.TB, err error, kind domain.ErrorKind) {
	t.Helper()
	if domain.KindOf(err) != kind {
		t.Errorf("error %v of kind %q, want kind %q", err, domain.KindOf(err), kind)
	}
}
