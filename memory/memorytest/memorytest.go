// Package memorytest opens the service over a real new file for the tests of
// the packages that speak for it. Only tests import it.
package memorytest

import (
	"context"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"wake/memory"
	"wake/repository/sqlite"
	"wake/summarizer"
)

// Project is the default project of the services that Open returns.
const Project = "demo"

// Clock is a clock that tests set. It starts on 4 May 2026 at 09:00 UTC and
// stands still between two calls of Pass.
type Clock struct {
	mu  sync.Mutex
	now time.Time
}

// NewClock returns a clock that shows its first time.
func NewClock() *Clock { return &Clock{now: time.Date(2026, 5, 4, 9, 0, 0, 0, time.UTC)} }

// Now returns the time that the clock shows.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Pass moves the clock on; a negative d sets it back.
func (c *Clock) Pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// Open returns a service over a new file, with a clock of its own. Both are
// closed at the end of the test, which fails if they cannot be.
func Open(t testing.TB) (*memory.Service, *Clock) {
	t.Helper()
	return OpenFile(t, filepath.Join(t.TempDir(), "wake.db"))
}

// OpenFile is Open with a file of the caller's.
func OpenFile(t testing.TB, path string) (*memory.Service, *Clock) {
	t.Helper()
	ctx := context.Background()
	store, err := sqlite.Open(ctx, path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	c := NewClock()
	s := memory.New(store, summarizer.Extractive{})
	s.Now, s.DefaultProject = c.Now, Project
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
