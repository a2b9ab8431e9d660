package sqlite_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"wake/domain"
	"wake/repository"
)

// A backup made while others write is complete, sound and readable.
func TestBackup(t *testing.T) {
	dir := t.TempDir()
	s := mustOpen(t, filepath.Join(dir, "wake.db"))
	for k := range 100 {
		mustPut(t, s, string(rune('a'+k)), strings.Repeat("word ", 1000))
	}
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for k := 0; ; k++ {
			select {
			case <-stop:
				return
			default:
				put(t.Context(), s, "later "+string(rune('a'+k)), "more")
			}
		}
	}()
	last, to := 0, filepath.Join(dir, "copy.db")
	err := s.Backup(t.Context(), to, func(done, total int) { last = total - done })
	close(stop)
	<-stopped
	if err != nil || last != 0 {
		t.Fatalf("%v, %d pages left", err, last)
	}
	if left, _ := filepath.Glob(to + "?*"); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	if got := count(t, mustOpen(t, to)); got < 100 {
		t.Errorf("the copy has %d contexts", got)
	}
	wantKind(t, s.Backup(t.Context(), filepath.Join(dir, "wake.db"), nil), domain.KindInvalid, "another path")
	wantKind(t, s.Backup(t.Context(), filepath.Join(dir, "no", "x.db"), nil), domain.KindUnavailable, "")
}

// A backup is not put beside the -wal of a database that was deleted without it: what is in
// there would be read in place of the copy. The copy before an upgrade takes its place.
func TestBackupBesideAWAL(t *testing.T) {
	movesOpenFiles(t)
	dir := t.TempDir()
	path, to, known := filepath.Join(dir, "wake.db"), filepath.Join(dir, "copy.db"), next(t, 0)
	before := fmt.Sprintf("%s.v%d.bak", path, len(known)-1)
	for _, name := range []string{to, before} {
		if err := mustOpen(t, name).Close(); err != nil {
			t.Fatal(err)
		}
		brief := mustOpenBrief(t, name)
		mustPut(t, brief, "old", strings.Repeat("x", 20_000))
		if err := errors.Join(brief.Close(), os.Remove(name), os.Remove(name+"-shm")); err != nil {
			t.Fatal(err)
		}
	}
	s := mustOpen(t, path)
	for k := range 30 {
		mustPut(t, s, fmt.Sprint(k), strings.Repeat("word ", 1000))
	}
	wantKind(t, s.Backup(t.Context(), to, nil), domain.KindConflict, "copy.db-wal")
	if err := os.Remove(to + "-wal"); err != nil {
		t.Fatal(err)
	}
	if err := s.Backup(t.Context(), to, nil); err != nil {
		t.Fatal(err)
	}
	upgrade(t, path, known)
	for _, name := range []string{to, before} {
		if got := count(t, mustOpen(t, name)); got != 30 {
			t.Errorf("%s has %d contexts, want 30", filepath.Base(name), got)
		}
	}
}

// Two backups to one path at once are both complete; the later one stays.
func TestTwoBackups(t *testing.T) {
	path := filepath.Join(t.TempDir(), "wake.db")
	s := mustOpen(t, path)
	for k := range 60 {
		mustPut(t, s, fmt.Sprint(k), strings.Repeat("word ", 50_000))
	}
	to := filepath.Join(t.TempDir(), "copy.db")
	var both sync.WaitGroup
	for _, from := range []repository.Store{s, mustOpen(t, path)} {
		both.Go(func() {
			if err := from.Backup(t.Context(), to, nil); err != nil {
				t.Error(err)
			}
		})
	}
	both.Wait()
	if left, _ := filepath.Glob(to + "?*"); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	if got := count(t, mustOpen(t, to)); got != 60 {
		t.Errorf("the copy has %d contexts, want 60", got)
	}
}

// What a killed backup has left goes with a later one to the same path, what another may
// be writing, or what has only such a name, does not; of copies for an upgrade, which
// wait for each other, all goes at once.
func TestKilledBackup(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "wake.db")
	s := mustOpen(t, path)
	mustPut(t, s, "1", "x")
	to, known := filepath.Join(dir, "copy.db"), next(t, 0)
	before := fmt.Sprintf("%s.v%d.bak", path, len(known)-1)
	for _, name := range []string{to + ".1.part", to + ".1.part-journal", to + ".2.part", to + ".mine.part", before + ".3.part"} {
		write(t, name, "half")
	}
	for _, name := range []string{to + ".1.part", to + ".mine.part"} {
		if err := os.Chtimes(name, time.Time{}, time.Now().AddDate(0, 0, -2)); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Backup(t.Context(), to, nil); err != nil {
		t.Fatal(err)
	}
	if left, _ := filepath.Glob(to + "?*"); !slices.Equal(left, []string{to + ".2.part", to + ".mine.part"}) {
		t.Errorf("beside the backup lie %v", left)
	}
	upgrade(t, path, known)
	if left, _ := filepath.Glob(before + "*"); !slices.Equal(left, []string{before}) {
		t.Errorf("the copies are %v", left)
	}
}
