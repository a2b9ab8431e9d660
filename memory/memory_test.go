package memory_test

import (
	"context"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"wake/domain"
	"wake/memory"
	"wake/repository/sqlite"
	"wake/summarizer"
)

var ctx = context.Background()

// clock is a clock that tests set.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// open returns a service over a new file, with a clock of its own.
func open(t testing.TB) (*memory.Service, *clock) {
	t.Helper()
	store, err := sqlite.Open(ctx, filepath.Join(t.TempDir(), "wake.db"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	c := &clock{now: time.Date(2026, 5, 4, 9, 0, 0, 0, time.UTC)}
	s := memory.New(store, summarizer.Extractive{})
	s.Now, s.DefaultProject = c.Now, "demo"
	t.Cleanup(func() {
		if err := s.Close(ctx); err != nil {
			t.Error(err)
		}
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	return s, c
}

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

// refused checks that err is of the kind and names what it should.
func refused(t testing.TB, err error, kind domain.ErrorKind) {
	t.Helper()
	if domain.KindOf(err) != kind {
		t.Errorf("error %v of kind %q, want kind %q", err, domain.KindOf(err), kind)
	}
}
