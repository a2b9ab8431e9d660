package sqlite_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"wake/domain"
	"wake/repository/sqlite"
)

// A database that is open cannot be moved on this system. A restore then says so and
// changes nothing, and works once it is closed.
func TestRestoreWhileOpen(t *testing.T) {
	dir := t.TempDir()
	path, copied := filepath.Join(dir, "wake.db"), filepath.Join(dir, "copy.db")
	s := mustOpen(t, path)
	mustPut(t, s, "1", "x")
	if err := s.Backup(t.Context(), copied, func(done, total int) {}); err != nil {
		t.Fatal(err)
	}
	mustPut(t, s, "2", "y")
	_, err := restore(t.Context(), copied, path)
	wantKind(t, err, domain.KindUnavailable, "a program has it open; nothing was changed")
	mustPut(t, s, "3", "z")
	if got := count(t, s); got != 3 {
		t.Errorf("%d contexts, want 3", got)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	aside, err := restore(t.Context(), copied, path)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]int{path: 1, aside: 3} {
		if got := count(t, mustOpen(t, name)); got != want {
			t.Errorf("%s has %d contexts, want %d", name, got, want)
		}
	}
}

// A file with the read-only attribute can be read, and written again without it.
func TestReadOnlyAttribute(t *testing.T) {
	path := filepath.Join(t.TempDir(), "wake.db")
	s := mustOpen(t, path)
	mustPut(t, s, "1", "x")
	if err := errors.Join(s.Close(), os.Chmod(path, 0o400)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(path, 0o600) })
	s = mustOpen(t, path)
	wantKind(t, put(t.Context(), s, "2", "y"), domain.KindUnavailable, "")
	if got := count(t, s); got != 1 {
		t.Errorf("%d contexts, want 1", got)
	}
	if err := errors.Join(s.Close(), os.Chmod(path, 0o600)); err != nil {
		t.Fatal(err)
	}
	mustPut(t, mustOpen(t, path), "2", "y")
}

// A disk of this machine is no share, whatever way its path is written; a share is.
func TestShares(t *testing.T) {
	dir := t.TempDir()
	for _, path := range []string{dir, `\\?\` + dir, filepath.Join(dir, "wake.db")} {
		if got, _ := sqlite.FileSystem(path); got != "" {
			t.Errorf("%s is taken for %s", path, got)
		}
	}
	share := `\\localhost\` + dir[:1] + "$" + dir[2:]
	if _, err := os.Stat(share); err != nil {
		t.Skipf("no share: %v", err)
	}
	if got, err := sqlite.FileSystem(share); got != `\\localhost\`+dir[:1]+"$" {
		t.Errorf("%s is taken for %q: %v", share, got, err)
	}
}
