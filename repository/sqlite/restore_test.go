package sqlite_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"wake/domain"
	"wake/migrations"
	"wake/repository/sqlite"
)

func restore(ctx context.Context, from, to string) (string, error) {
	return sqlite.Restore(ctx, from, to, func(done, total int) {})
}

// What was acknowledged before or during a restore is in what was put aside, and what
// comes after it in the restored database alone, though others have the old one open
// and close it later.
func TestRestoreWhileInUse(t *testing.T) {
	movesOpenFiles(t)
	dir := t.TempDir()
	path, copied := filepath.Join(dir, "wake.db"), filepath.Join(dir, "copy.db")
	old := mustOpen(t, path)
	mustPut(t, old, "1", "x")
	if err := old.Backup(t.Context(), copied, func(done, total int) {}); err != nil {
		t.Fatal(err)
	}
	acknowledged, stopped := 1, make(chan error)
	go func() {
		for {
			if err := put(t.Context(), old, fmt.Sprint("later ", acknowledged), "y"); err != nil {
				stopped <- err
				return
			}
			acknowledged++
		}
	}()
	aside, err := restore(t.Context(), copied, path)
	wantKind(t, <-stopped, domain.KindUnavailable, "while wake had it open")
	if err != nil {
		t.Fatal(err)
	}
	now := mustOpen(t, path)
	mustPut(t, now, "after", "z")
	if err := old.Close(); err != nil {
		t.Error(err)
	}
	mustPut(t, mustOpen(t, path), "after that", "z")
	if got := count(t, now); got != 3 {
		t.Errorf("the restored database has %d contexts, want 3", got)
	}
	if got := count(t, mustOpen(t, aside)); got != acknowledged {
		t.Errorf("aside are %d contexts, %d were acknowledged", got, acknowledged)
	}
}

// A damaged database makes room for a copy of an older wake, which is upgraded when it is
// opened. What is left of a database that was moved away does the copy no harm, and is kept:
// it may hold what that one does not.
func TestRestoreOverDamage(t *testing.T) {
	known, err := migrations.SQLite()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	path, older := filepath.Join(dir, "wake.db"), filepath.Join(dir, "older.db")
	upgrade(t, older, known[:len(known)-1]).Close()
	broken := bytes.Repeat([]byte("broken"), 1000)
	for _, name := range []string{path, path + "-wal", path + "-shm"} {
		if err := os.WriteFile(name, broken, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	aside, err := restore(t.Context(), older, path)
	if err != nil {
		t.Fatal(err)
	}
	if kept, err := os.ReadFile(aside); err != nil || !bytes.Equal(kept, broken) {
		t.Errorf("aside are %d bytes: %v", len(kept), err)
	}
	mustPut(t, mustOpen(t, path), "1", "x")

	for _, rest := range []string{"", "emptied"} {
		lone := filepath.Join(dir, "lone"+rest+".db")
		if rest != "" {
			write(t, lone, "")
		}
		if err := os.WriteFile(lone+"-wal", broken, 0o600); err != nil {
			t.Fatal(err)
		}
		if aside, err = restore(t.Context(), older, lone); err != nil {
			t.Fatal(err)
		}
		if kept, err := os.ReadFile(aside + "-wal"); err != nil || !bytes.Equal(kept, broken) {
			t.Errorf("of the -wal that was left %d bytes are kept: %v", len(kept), err)
		}
		mustPut(t, mustOpen(t, lone), "1", "x")
	}
}

// A restore that was killed between its two renames has left no file at the path. Whoever
// opens it then is told where the database is, and no empty one begins in its place.
func TestOpenAfterHalfARestore(t *testing.T) {
	dir := t.TempDir()
	path, copied := filepath.Join(dir, "my[1].db"), filepath.Join(dir, "copy.db")
	s := mustOpen(t, path)
	mustPut(t, s, "1", "x")
	if err := errors.Join(s.Backup(t.Context(), copied, func(done, total int) {}), s.Close()); err != nil {
		t.Fatal(err)
	}
	aside, err := restore(t.Context(), copied, path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	_, err = sqlite.Open(t.Context(), path, sqlite.Options{})
	wantKind(t, err, domain.KindUnavailable, aside)
	if _, err := os.Lstat(path); err == nil {
		t.Error("a new database was begun")
	}
	mustPut(t, mustOpen(t, filepath.Join(dir, "my.db")), "1", "x") // another database is no matter of it
	if _, err := restore(t.Context(), aside, path); err != nil {
		t.Fatal(err)
	}
	if got := count(t, mustOpen(t, path)); got != 1 {
		t.Errorf("%d contexts came back, want 1", got)
	}
}

// A database that was moved by hand without its -wal lacks what that holds, so none begins in
// its place, which would delete it. SQLite takes an empty file for a new database as well, as
// a copy that found no room leaves it.
func TestOpenWhereAWALIsLeft(t *testing.T) {
	for name, leave := range map[string]func(path string){"nothing": func(string) {}, "an empty file": func(path string) { write(t, path, "") }} {
		t.Run(name, func(t *testing.T) {
			movesOpenFiles(t)
			path := filepath.Join(t.TempDir(), "wake.db")
			s, err := sqlite.Open(t.Context(), path, sqlite.Options{Brief: true})
			if err != nil {
				t.Fatal(err)
			}
			mustPut(t, s, "1", "x")
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			if err := os.Rename(path, path+".away"); err != nil {
				t.Fatal(err)
			}
			leave(path)
			_, err = sqlite.Open(t.Context(), path, sqlite.Options{})
			wantKind(t, err, domain.KindUnavailable, path+"-wal, which holds what was written to it last")
			if err := os.Rename(path+".away", path); err != nil {
				t.Fatal(err)
			}
			if got := count(t, mustOpen(t, path)); got != 1 {
				t.Errorf("%d contexts came back, want 1", got)
			}
		})
	}
}

// Nor does a process that has the file open delete the -wal when the file is emptied.
func TestEmptiedWhileOpen(t *testing.T) {
	path := filepath.Join(tempDir(t), "wake.db")
	s := mustOpen(t, path)
	mustPut(t, s, "1", "x")
	if err := os.Truncate(path, 0); err != nil {
		t.Fatal(err)
	}
	_, err := s.Contexts(t.Context(), domain.ContextQuery{})
	wantKind(t, err, domain.KindUnavailable, "was emptied while wake had it open")
	wantKind(t, put(t.Context(), s, "2", "y"), domain.KindUnavailable, "was emptied while wake had it open")
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if wal, err := os.Stat(path + "-wal"); err != nil || wal.Size() == 0 {
		t.Errorf("the -wal did not stay: %v %v", wal, err)
	}
}

// What is refused leaves all as it was.
func TestRestoreRefuses(t *testing.T) {
	dir := t.TempDir()
	path, copied := filepath.Join(dir, "wake.db"), filepath.Join(dir, "copy.db")
	s := mustOpen(t, path)
	for k := range 50 {
		mustPut(t, s, fmt.Sprint(k), strings.Repeat("word ", 1000))
	}
	if err := s.Backup(t.Context(), copied, func(done, total int) {}); err != nil {
		t.Fatal(err)
	}
	damaged, newer, empty := filepath.Join(dir, "damaged.db"), filepath.Join(dir, "newer.db"), filepath.Join(dir, "empty.db")
	data, err := os.ReadFile(copied)
	if err != nil {
		t.Fatal(err)
	}
	upgrade(t, newer, next(t, 0)).Close()
	copy(data[len(data)/2:], bytes.Repeat([]byte{0xff}, 8<<10))
	for name, content := range map[string][]byte{damaged: data, empty: nil} {
		if err := os.WriteFile(name, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	before, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for from, want := range map[string]domain.ErrorKind{
		filepath.Join(dir, "nowhere.db"): domain.KindInvalid,
		dir:                              domain.KindInvalid,
		path:                             domain.KindInvalid,
		empty:                            domain.KindInvalid,
		damaged:                          domain.KindUnavailable,
		newer:                            domain.KindConflict,
	} {
		aside, err := restore(t.Context(), from, path)
		wantKind(t, err, want, "")
		if aside != "" {
			t.Errorf("%s: the database was put aside as %s", from, aside)
		}
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if _, err := restore(stopped, copied, path); err == nil {
		t.Error("a restore that was stopped has no error")
	}
	after, err := os.ReadDir(dir)
	if err != nil || !slices.Equal(names(before), names(after)) {
		t.Errorf("files %v, before %v", after, before)
	}
	mustPut(t, s, "still", "here")
	if got := count(t, s); got != 51 {
		t.Errorf("%d contexts, want 51", got)
	}
}

func names(list []os.DirEntry) (out []string) {
	for _, e := range list {
		out = append(out, e.Name())
	}
	return out
}
