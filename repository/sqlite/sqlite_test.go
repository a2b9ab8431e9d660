package sqlite_test

import (
	"path/filepath"
	"testing"
	"time"

	"wake/repository"
	"wake/repository/repotest"
	"wake/repository/sqlite"
)

// moment is when things happen in these tests.
var moment = time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)

func TestSuite(t *testing.T) { repotest.Run(t, fresh) }

// fresh is a database in a folder of the test's own.
func fresh(t testing.TB) repotest.Open {
	path := filepath.Join(t.TempDir(), "wake.db")
	return func() repository.Store { return mustOpen(t, path) }
}

func mustOpen(t testing.TB, path string) repository.Store {
	t.Helper()
	s, err := sqlite.Open(t.Context(), path, sqlite.Options{Version: "test"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("closing: %v", err)
		}
	})
	return s
}
