package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"wake/domain"
	"wake/repository"
	"wake/repository/sqlite"
)

// A writer that waits too long for another gets an Unavailable error, and one whose
// caller gives up stops waiting at once.
func TestBusy(t *testing.T) {
	path := filepath.Join(t.TempDir(), "wake.db")
	holder := mustOpen(t, path)
	hasty, err := sqlite.Open(t.Context(), path, sqlite.Options{BusyTimeout: 50 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	defer hasty.Close()
	patient := mustOpen(t, path)
	err = holder.Write(t.Context(), repository.Durable, func(repository.Tx) error {
		wantKind(t, put(t.Context(), hasty, "1", "x"), domain.KindUnavailable, "try again")
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		if err := put(ctx, patient, "1", "x"); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
		if got := count(t, patient); got != 0 {
			t.Errorf("readers see %d", got)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	mustPut(t, hasty, "1", "x")
}

// Joined writes are committed soon, whether or not others follow them, and another writer
// need not wait longer.
func TestJoinedWritesLetOthersWrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "wake.db")
	joined, other := mustOpen(t, path), mustOpen(t, path)
	joined.JoinWrites()
	for k := range 3 {
		for part := range 3 {
			if err := putAs(t.Context(), joined, repository.Relaxed, fmt.Sprint(k, part), "words"); err != nil {
				t.Fatal(err)
			}
		}
		mustPut(t, other, fmt.Sprint(k), "words")
		if got := count(t, other); got != 4*(k+1) {
			t.Errorf("after write %d there are %d contexts", k, got)
		}
	}
}

// A store that was closed says so, however often it is closed.
func TestClosed(t *testing.T) {
	s := mustOpen(t, filepath.Join(t.TempDir(), "wake.db"))
	for range 2 {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	wantKind(t, put(t.Context(), s, "1", "x"), domain.KindUnavailable, "closed")
	_, err := s.Contexts(t.Context(), domain.ContextQuery{})
	wantKind(t, err, domain.KindUnavailable, "closed")
}
