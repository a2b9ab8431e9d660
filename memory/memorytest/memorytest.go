// Package memorytest opens the service over a real new file for the tests of
// the packages that speak for it. Only tests import it.
package memorytest

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"wake/memory"
	"wake/repository"
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
	store, err := Store(path)
	if err != nil {
		t.Fatal(err)
	}
	c := NewClock()
	s := memory.New(store, summarizer.Extractive{})
	s.Now, s.DefaultProject = c.Now, Project
	t.Cleanup(func() {
		if err := s.Close(context.Background()); err != nil {
			t.Error(err)
		}
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	return s, c
}

// Store opens a file. One that is not there is begun as a copy of an empty database:
// making the tables anew takes longer than most tests.
func Store(path string) (repository.Store, error) {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		file, err := empty()
		if err != nil {
			return nil, err
		}
		if err := os.WriteFile(path, file, 0o600); err != nil {
			return nil, err
		}
	}
	store, err := sqlite.Open(context.Background(), path, sqlite.Options{})
	if err != nil {
		return nil, err
	}
	return unsynced{store}, nil
}

// unsynced is a store whose commits do not wait for the disk: no test cuts the power, and
// most would spend most of their time waiting.
type unsynced struct{ repository.Store }

func (u unsynced) Write(ctx context.Context, _ repository.Durability, fn func(repository.Tx) error) error {
	return u.Store.Write(ctx, repository.Relaxed, fn)
}

// empty is the file of a database that holds nothing yet.
var empty = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "empty")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "wake.db")
	store, err := sqlite.Open(context.Background(), path, sqlite.Options{})
	if err != nil {
		return nil, err
	}
	if err := store.Close(); err != nil { // which puts all of the -wal into the file
		return nil, err
	}
	return os.ReadFile(path)
})
