package sqlite_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"wake/domain"
	"wake/repository"
	"wake/repository/sqlite"
)

// A brief process leaves a small -wal behind, from which the next one reads what it
// committed; a large one is written back.
func TestBrief(t *testing.T) {
	for name, c := range map[string]struct {
		content string
		stays   bool
	}{"small": {"x", true}, "large": {strings.Repeat("x", 1<<20), false}} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(tempDir(t), "wake.db")
			if err := mustOpen(t, path).Close(); err != nil { // made by somebody else
				t.Fatal(err)
			}
			brief := mustOpenBrief(t, path)
			mustPut(t, brief, "1", c.content)
			for range 2 {
				if err := brief.Close(); err != nil {
					t.Error(err)
				}
			}
			_, err := os.Stat(path + "-wal")
			if stays := !errors.Is(err, fs.ErrNotExist); stays != c.stays {
				t.Errorf("the -wal stays: %v, want %v", stays, c.stays)
			}
			wantKind(t, put(t.Context(), brief, "2", "x"), domain.KindUnavailable, "closed")
			if got := count(t, mustOpen(t, path)); got != 1 {
				t.Errorf("the next one sees %d contexts, want 1", got)
			}
		})
	}
}

// The one connection of a brief process reads and writes in turn; who reads while
// it writes gets another.
func TestBriefReadsWhileItWrites(t *testing.T) {
	s := mustOpenBrief(t, filepath.Join(tempDir(t), "wake.db"))
	mustPut(t, s, "1", "x")
	err := s.Write(t.Context(), repository.Durable, func(repository.Tx) error {
		if got := count(t, s); got != 1 {
			t.Errorf("a reader sees %d contexts, want 1", got)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	mustPut(t, s, "2", "y")
	if got := count(t, s); got != 2 {
		t.Errorf("got %d contexts, want 2", got)
	}
}

func mustOpenBrief(t *testing.T, path string) repository.Store {
	t.Helper()
	s, err := sqlite.Open(context.WithoutCancel(t.Context()), path, sqlite.Options{Brief: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}
