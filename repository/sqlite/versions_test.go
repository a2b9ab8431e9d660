package sqlite_test

import (
	"bytes"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"wake/domain"
	"wake/migrations"
	"wake/repository"
	"wake/repository/sqlite"
)

// next is the migrations of this wake and one more.
func next(t testing.TB, oldestWriter int) []migrations.Migration {
	t.Helper()
	known, err := migrations.SQLite()
	if err != nil {
		t.Fatal(err)
	}
	v := len(known) + 1
	if oldestWriter == 0 {
		oldestWriter = v
	}
	return append(known, migrations.Migration{Version: v, Name: "next", SQL: "CREATE TABLE added (x INTEGER);", OldestWriter: oldestWriter})
}

func upgrade(t testing.TB, path string, known []migrations.Migration) repository.Store {
	t.Helper()
	s, err := sqlite.OpenKnowing(t.Context(), path, sqlite.Options{Version: "9.0"}, known)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// An older wake that is running refuses writes once the file was upgraded, says by
// which version, and goes on reading; it does not open the file anew.
func TestOlderWake(t *testing.T) {
	path := filepath.Join(t.TempDir(), "wake.db")
	old := mustOpen(t, path)
	mustPut(t, old, "1", "x")
	newer := upgrade(t, path, next(t, 0))
	mustPut(t, newer, "2", "y")
	for range 2 {
		err := put(t.Context(), old, "3", "z")
		wantKind(t, err, domain.KindConflict, "wake 9.0")
		wantKind(t, err, domain.KindConflict, "restart")
	}
	if got := count(t, old); got != 2 {
		t.Errorf("the older wake reads %d contexts, want 2", got)
	}
	_, err := sqlite.Open(t.Context(), path, sqlite.Options{})
	wantKind(t, err, domain.KindConflict, "wake 9.0")
	wantKind(t, err, domain.KindConflict, "use the newer wake")
}

// A migration may leave older programs writing.
func TestHarmlessUpgrade(t *testing.T) {
	path := filepath.Join(t.TempDir(), "wake.db")
	old := mustOpen(t, path)
	known := next(t, 1)
	for i := range known {
		known[i].OldestWriter = 1
	}
	upgrade(t, path, known)
	mustPut(t, old, "1", "x")
	mustPut(t, mustOpen(t, path), "2", "y")
}

// Before an upgrade the file is copied beside itself; the last 2 copies are kept.
func TestCopyBeforeUpgrade(t *testing.T) {
	path := filepath.Join(t.TempDir(), "wake.db")
	s := mustOpen(t, path)
	mustPut(t, s, "1", "x")
	known, err := migrations.SQLite()
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		v := len(known) + 1
		known = append(known, migrations.Migration{Version: v, SQL: fmt.Sprintf("CREATE TABLE v%d (x)", v), OldestWriter: v})
		mustPut(t, upgrade(t, path, known), fmt.Sprint(v), "x")
	}
	copies, _ := filepath.Glob(path + ".v*.bak")
	if len(copies) != 2 {
		t.Fatalf("kept %v, want the last 2", copies)
	}
	last, err := sqlite.OpenKnowing(t.Context(), fmt.Sprintf("%s.v%d.bak", path, len(known)-1), sqlite.Options{}, known[:len(known)-1])
	if err != nil {
		t.Fatal(err)
	}
	defer last.Close()
	if got := count(t, last); got != 3 {
		t.Errorf("the last copy has %d contexts, want 3", got)
	}
	if st, err := os.Stat(copies[0]); err != nil || runtime.GOOS != "windows" && st.Mode().Perm() != 0o600 {
		t.Errorf("the copy is %v (%v), want 0600", st.Mode(), err)
	}
}

// The copy before the last stays also where an upgrade went over several versions.
func TestCopiesOverSeveralVersions(t *testing.T) {
	path := filepath.Join(t.TempDir(), "wake.db")
	known, err := migrations.SQLite()
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, v := range []int{1, 2, 4, len(known)} {
		upgrade(t, path, known[:v])
		want = append(want, fmt.Sprintf("%s.v%d.bak", path, v))
	}
	if copies, _ := filepath.Glob(path + ".v*.bak"); !slices.Equal(copies, want[1:3]) {
		t.Errorf("kept %v, want %v", copies, want[1:3])
	}
}

// A brief process, for which a client waits, upgrades a small file, and leaves a large one,
// as it is, to others.
func TestBriefUpgrade(t *testing.T) {
	path := filepath.Join(tempDir(t), "wake.db")
	mustPut(t, mustOpen(t, path), "1", "x")
	brief := sqlite.Options{Brief: true}
	known := next(t, 0)
	s, err := sqlite.OpenKnowing(t.Context(), path, brief, known)
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec("CREATE TABLE filler AS SELECT zeroblob(33 << 20)"); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	v := len(known) + 1
	newer := append(known, migrations.Migration{Version: v, SQL: "CREATE TABLE later (x)", OldestWriter: v})
	_, err = sqlite.OpenKnowing(t.Context(), path, brief, newer)
	wantKind(t, err, domain.KindUnavailable, "wake doctor")
	if copies, _ := filepath.Glob(path + fmt.Sprintf(".v%d.bak*", v-1)); len(copies) > 0 {
		t.Errorf("a brief process made the copies %v", copies)
	}
	mustPut(t, upgrade(t, path, known), "2", "y")
	mustPut(t, upgrade(t, path, newer), "3", "z")
}

// A migration that fails changes nothing, and says so.
func TestFailedUpgrade(t *testing.T) {
	path := filepath.Join(t.TempDir(), "wake.db")
	s := mustOpen(t, path)
	mustPut(t, s, "1", "x")
	broken := next(t, 0)
	broken[len(broken)-1].SQL = "CREATE TABLE half (x); CREATE TABLE context_tags (x);"
	_, err := sqlite.OpenKnowing(t.Context(), path, sqlite.Options{}, broken)
	if err == nil || !strings.Contains(err.Error(), "are as they were") {
		t.Fatalf("the broken migration gave %v", err)
	}
	mustPut(t, s, "2", "y")
	upgrade(t, path, next(t, 0))
}

// A file of an older wake that is damaged in a part is upgraded all the same: else nothing
// of it could be read any more. The copy is as it was.
func TestUpgradeOfDamagedFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "wake.db")
	s := mustOpen(t, path)
	mustPut(t, s, "1", "x")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const page, indexLeaf = 4096, 0x0a
	for at := page; at < len(b); at += page {
		if hash := bytes.Index(b[at:at+page], []byte(domain.HashText("x"))); b[at] == indexLeaf && hash > 0 {
			b[at+hash] ^= 1
		}
	}
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	known := next(t, 0)
	newer := upgrade(t, path, known)
	if got := count(t, newer); got != 1 {
		t.Errorf("%d contexts, want 1", got)
	}
	if found, err := newer.Check(t.Context(), nil, nil); err != nil || len(found) == 0 {
		t.Errorf("the damage is not found: %v", err)
	}
	wantKind(t, newer.Backup(t.Context(), path+".copy", nil), domain.KindUnavailable, "not sound")
	if _, err := os.Stat(fmt.Sprintf("%s.v%d.bak", path, len(known)-1)); err != nil {
		t.Error(err)
	}
}
