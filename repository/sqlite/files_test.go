package sqlite_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"wake/domain"
	"wake/repository"
	"wake/repository/sqlite"
)

// put saves one context durably.
func put(ctx context.Context, s repository.Store, id, content string) error {
	return putAs(ctx, s, repository.Durable, id, content)
}

func putAs(ctx context.Context, s repository.Store, d repository.Durability, id, content string) error {
	c := &domain.ContextSnapshot{
		ID: id, Project: "wake", Content: content, Summary: "about " + id, Source: "test", ContentHash: domain.HashText(content), SummaryBy: domain.ByExtract,
		Memory: domain.Memory{Tier: domain.TierActive}, Kind: domain.Episodic, Origin: domain.FromUser, Tags: []string{"t"},
	}
	c.Timestamp = moment
	c.SavedAt = moment
	return s.Write(ctx, d, func(tx repository.Tx) error {
		if err := tx.InsertContext(ctx, c); err != nil {
			return err
		}
		_, err := tx.PutDocument(ctx, domain.Document{
			DocumentSource: domain.DocumentSource{ContextN: c.N}, Scope: c.Project, Stream: 1, Data: []byte(content),
		})
		return err
	})
}

func mustPut(t testing.TB, s repository.Store, id, content string) {
	t.Helper()
	if err := put(t.Context(), s, id, content); err != nil {
		t.Fatal(err)
	}
}

// count is how many contexts a store has.
func count(t testing.TB, s repository.Store) int {
	t.Helper()
	found, err := s.Contexts(t.Context(), domain.ContextQuery{})
	if err != nil {
		t.Fatal(err)
	}
	return len(found)
}

func wantKind(t testing.TB, err error, kind domain.ErrorKind, says string) {
	t.Helper()
	if domain.KindOf(err) != kind || !strings.Contains(err.Error(), says) {
		t.Fatalf("got %v (kind %q), want kind %q that says %q", err, domain.KindOf(err), kind, says)
	}
}

// movesOpenFiles skips a test that moves or deletes a file that is open.
func movesOpenFiles(t testing.TB) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("this system keeps open files in their places")
	}
}

// tempDir is a folder in which files may still be open at the end, as a brief process
// leaves them.
func tempDir(t testing.TB) string {
	t.Helper()
	if runtime.GOOS != "windows" {
		return t.TempDir()
	}
	dir, err := os.MkdirTemp("", "wake")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) }) // as far as it goes
	return dir
}

// New folders are 0700, files 0600, also -wal and -shm.
func TestPermissions(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there a file has the rights of its folder")
	}
	path := filepath.Join(t.TempDir(), "a", "b", "wake.db")
	s := mustOpen(t, path)
	mustPut(t, s, "1", "x")
	for name, want := range map[string]os.FileMode{
		path: 0o600, path + "-wal": 0o600, path + "-shm": 0o600, filepath.Dir(path): 0o700, filepath.Dir(filepath.Dir(path)): 0o700,
	} {
		st, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := st.Mode().Perm(); got != want {
			t.Errorf("%s is %o, want %o", filepath.Base(name), got, want)
		}
	}
}

// Any path that the file system takes is a path of a database.
func TestOddPaths(t *testing.T) {
	names := []string{"with blank.db", "q?mode=memory", "50%41.db", "#1.db", "ünï.db", "a&_journal_mode=OFF"}
	if runtime.GOOS == "windows" {
		names[1] = "CaSe ; 'quoted' + 日本 {1}.db"
	}
	for _, name := range names {
		path := filepath.Join(t.TempDir(), name)
		mustPut(t, mustOpen(t, path), "1", "x")
		if st, err := os.Stat(path); err != nil || st.Size() == 0 {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// A folder, a file that is none of ours and a broken one are refused in words.
func TestNoDatabase(t *testing.T) {
	dir := t.TempDir()
	text := filepath.Join(dir, "notes.txt")
	write(t, text, strings.Repeat("these are notes\n", 500))
	_, err := sqlite.Open(t.Context(), text, sqlite.Options{})
	wantKind(t, err, domain.KindUnavailable, "not a database") // it may have been one
	refused := map[string]string{dir: "not a file", filepath.Join(text, "x.db"): ""}
	for _, version := range []int{0, 3, 7, 70, -1} { // many programs number their tables as wake does
		foreign := filepath.Join(dir, fmt.Sprintf("foreign%d.db", version))
		execIn(t, foreign, fmt.Sprintf("CREATE TABLE theirs (x); PRAGMA user_version = %d", version))
		refused[foreign] = "another program"
	}
	forged := filepath.Join(dir, "forged.db")
	execIn(t, forged, "CREATE TABLE context_snapshots (x); PRAGMA user_version = -5")
	refused[forged] = "another program"
	for path, says := range refused {
		_, err := sqlite.Open(t.Context(), path, sqlite.Options{})
		kind := domain.KindInvalid
		if says == "" {
			kind = domain.KindUnavailable
		}
		wantKind(t, err, kind, says)
	}
	if b, _ := os.ReadFile(text); len(b) != 16*500 {
		t.Error("the notes were touched")
	}
	if copies, _ := filepath.Glob(filepath.Join(dir, "*.bak*")); len(copies) > 0 {
		t.Errorf("copied %v", copies)
	}
}

// Where the working folder is gone, a path that begins in it is refused by its name.
func TestNoWorkingFolder(t *testing.T) {
	s := mustOpen(t, filepath.Join(t.TempDir(), "wake.db"))
	t.Chdir(t.TempDir())
	gone, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(gone); err != nil {
		t.Skipf("this system keeps the working folder: %v", err)
	}
	_, err = sqlite.Open(t.Context(), "here.db", sqlite.Options{})
	wantKind(t, err, domain.KindInvalid, `"here.db"`)
	wantKind(t, s.Backup(t.Context(), "copy.db", nil), domain.KindInvalid, `"copy.db"`)
}

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// execIn runs a statement on the file, past the store.
func execIn(t testing.TB, path, statement string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec(statement); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// A file that was made empty beforehand is a new database.
func TestEmptyFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "wake.db")
	write(t, path, "")
	mustPut(t, mustOpen(t, path), "1", "x")
}

// On a network file system opening fails and names the remedies.
func TestNetworkFileSystem(t *testing.T) {
	path := filepath.Join(t.TempDir(), "wake.db")
	_, err := sqlite.OpenOn(t.Context(), path, "nfs")
	wantKind(t, err, domain.KindUnavailable, "nfs")
	wantKind(t, err, domain.KindUnavailable, "postgres://")
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Error("a file was made all the same")
	}
	write(t, path, "")
	_, err = sqlite.OpenOn(t.Context(), path, "smb")
	wantKind(t, err, domain.KindUnavailable, "smb")
}

// Damage is an error that names the remedy, and Check tells it.
func TestDamage(t *testing.T) {
	path := filepath.Join(t.TempDir(), "wake.db")
	s := mustOpen(t, path)
	for k := range 200 {
		mustPut(t, s, string(rune('A'+k)), strings.Repeat("word ", 500))
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := 40 * 4096; i < len(raw)-4096; i += 7 * 4096 {
		copy(raw[i:], bytes.Repeat([]byte{0xff}, 2000))
	}
	write(t, path, string(raw))
	s, err = sqlite.Open(t.Context(), path, sqlite.Options{})
	if err == nil {
		defer s.Close()
		var found []repository.Finding
		found, err = s.Check(t.Context(), nil, nil)
		if err == nil && len(found) == 0 {
			t.Error("the damage was not found")
		}
	}
	if err != nil {
		wantKind(t, err, domain.KindUnavailable, "damaged")
	}
}

// What is left of a file that was cut off can be read, but nothing is written to it.
func TestCutOff(t *testing.T) {
	path := filepath.Join(t.TempDir(), "wake.db")
	s := mustOpen(t, path)
	for k := range 300 {
		mustPut(t, s, fmt.Sprint("id", k), strings.Repeat("word ", 500))
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	left := int64(len(whole) * 2 / 3)
	if err := errors.Join(err, os.Truncate(path, left)); err != nil {
		t.Fatal(err)
	}
	_, err = sqlite.Open(t.Context(), path, sqlite.Options{Brief: true})
	if !domain.IsDamaged(err) {
		t.Errorf("a hook opens it: %v", err)
	}
	s = mustOpen(t, path)
	read, lost := 0, 0
	for n := range int64(300) {
		switch found, err := s.ContextsAfter(t.Context(), n, 1); {
		case err == nil && len(found) == 1 && found[0].N == n+1:
			read++
		case domain.IsDamaged(err):
			lost++
		default:
			t.Fatalf("after %d: %v, %v", n, found, err)
		}
	}
	if read < 100 || lost == 0 {
		t.Errorf("%d contexts can be read, %d cannot", read, lost)
	}
	write := func() error {
		return s.Write(t.Context(), repository.Durable, func(repository.Tx) error { return nil })
	}
	err = write()
	if domain.KindOf(err) != domain.KindUnavailable || domain.IsDamaged(err) || !strings.Contains(err.Error(), "wake restore FILE") {
		t.Errorf("written: %v", err) // nothing else can be written either
	}
	if info, err := s.Info(t.Context()); err != nil || !strings.Contains(info.ReadOnly, "cut off") {
		t.Errorf("info: %+v, %v", info, err)
	}
	if now, err := os.Stat(path); err != nil || now.Size() != left {
		t.Errorf("the file was changed: %v, %v", now, err)
	}
	// The end may have been missing only until whoever copies the file has done so.
	later := time.Now().Add(time.Minute)
	if err := errors.Join(os.WriteFile(path, whole, 0o600), os.Chtimes(path, later, later)); err != nil {
		t.Fatal(err)
	}
	if err := write(); domain.KindOf(err) != domain.KindUnavailable || !strings.Contains(err.Error(), "restart wake") {
		t.Errorf("written to the whole file: %v", err)
	}
	if found, err := mustOpen(t, path).ContextsAfter(t.Context(), 299, 1); err != nil || len(found) != 1 {
		t.Errorf("of the whole file: %v, %v", found, err)
	}
}

// A damaged page may be read without an error, as a row of values that wake does not store,
// or longer than SQLite allows.
func TestDamagedRow(t *testing.T) {
	for _, column := range []string{`x'c2129e'`, `CAST(zeroblob(2000000000) AS TEXT)`} {
		path := filepath.Join(t.TempDir(), "wake.db")
		s := mustOpen(t, path)
		mustPut(t, s, "a", "x")
		execIn(t, path, `INSERT INTO context_links (from_id, to_id, kind, origin, confidence, reason, added_at)
			VALUES ('a', 'b', 'dependency', 'auto', 1, '', '2026-05-04T09:00:00.000000Z');
			ALTER TABLE context_links RENAME TO sound;
			CREATE VIEW context_links AS SELECT n, from_id, to_id, kind, origin, confidence, reason, `+column+` AS added_at, removed_at FROM sound`)
		err := s.Write(t.Context(), repository.Relaxed, func(tx repository.Tx) error {
			_, err := tx.LinkHistory(t.Context(), []string{"a"})
			return err
		})
		if !domain.IsDamaged(err) {
			t.Errorf("%s: %v", column, err)
		}
	}
}

// A file whose beginning is overwritten while it is open is damaged. It was a database when
// it was opened, so that what is to be stored is not to blame.
func TestDamageWhileOpen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "wake.db")
	if err := mustOpen(t, path).Close(); err != nil {
		t.Fatal(err)
	}
	s := mustOpen(t, path)
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.WriteAt(bytes.Repeat([]byte{0xff}, 4096), 0)
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	mustPut(t, s, "a", "what others have in memory is old from here on")
	_, err = s.Contexts(t.Context(), domain.ContextQuery{})
	wantKind(t, err, domain.KindUnavailable, "damaged")
	_, err = sqlite.Open(t.Context(), path, sqlite.Options{})
	wantKind(t, err, domain.KindUnavailable, "not a database")
}

// A durable write waits for the disk, a relaxed one does not, whatever was written before.
func TestDurability(t *testing.T) {
	const normal, full = 1, 2
	path := filepath.Join(t.TempDir(), "wake.db")
	mustOpen(t, path)
	got, err := sqlite.SyncsOf(t.Context(), path,
		repository.Relaxed, repository.Durable, repository.Durable, repository.Relaxed, repository.Durable)
	if want := []int{normal, full, full, normal, full}; err != nil || !slices.Equal(got, want) {
		t.Errorf("synchronous is %v, %v; want %v", got, err, want)
	}
}

// What was erased is in no file of the database any more.
func TestErasedBytes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "wake.db")
	s := mustOpen(t, path)
	secret := "hunter2secretword"
	mustPut(t, s, "keep", "other words")
	mustPut(t, s, "gone", strings.Repeat("filler ", 3000)+secret)
	for k := range 50 {
		mustPut(t, s, string(rune('a'+k)), "more words "+strings.Repeat("x ", k*20))
	}
	if !inFiles(t, path, secret) {
		t.Fatal("the test looks in the wrong place")
	}
	ctx := t.Context()
	err := s.Write(ctx, repository.Durable, func(tx repository.Tx) error { return tx.EraseContext(ctx, "gone", moment) })
	if err := errors.Join(err, s.Scrub(ctx)); err != nil {
		t.Fatal(err)
	}
	if inFiles(t, path, secret) {
		t.Error("the erased content can still be read")
	}
}

// So it is in a file that gives no page back, as SQLite's own tools make one anew, and to
// try to make it smaller has an end.
func TestErasedBytesOfFixedFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "wake.db")
	s := mustOpen(t, path)
	secret := "hunter2secretword"
	mustPut(t, s, "keep", "other words")
	mustPut(t, s, "gone", strings.Repeat("filler ", 300_000)+secret)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	execIn(t, path, "PRAGMA journal_mode = delete; PRAGMA auto_vacuum = none; VACUUM")
	s = mustOpen(t, path)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	err := s.Write(ctx, repository.Durable, func(tx repository.Tx) error { return tx.EraseContext(ctx, "gone", moment) })
	if err := errors.Join(err, s.Scrub(ctx)); err != nil {
		t.Fatal(err)
	}
	if inFiles(t, path, secret) {
		t.Error("the erased content can still be read")
	}
}

func inFiles(t testing.TB, path, text string) bool {
	t.Helper()
	files, err := filepath.Glob(path + "*")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if b, err := os.ReadFile(f); err != nil || bytes.Contains(b, []byte(text)) {
			return true
		}
	}
	return false
}

// A backup that was put in the place of a file that is open, or an empty place: what
// would be written then would be lost without a word.
func TestReplacedFile(t *testing.T) {
	movesOpenFiles(t)
	path := filepath.Join(t.TempDir(), "wake.db")
	s := mustOpen(t, path)
	mustPut(t, s, "a", "before")
	if err := s.Backup(t.Context(), path+".bak", func(int, int) {}); err != nil {
		t.Fatal(err)
	}
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if err := os.Rename(path+suffix, path+".away"+suffix); err != nil {
			t.Fatal(err)
		}
	}
	wantKind(t, put(t.Context(), s, "b", "nowhere"), domain.KindUnavailable, "was moved away or deleted")
	if err := os.Rename(path+".bak", path); err != nil {
		t.Fatal(err)
	}
	wantKind(t, put(t.Context(), s, "b", "nowhere"), domain.KindUnavailable, "was replaced by another file")
	_, err := s.Contexts(t.Context(), domain.ContextQuery{})
	wantKind(t, err, domain.KindUnavailable, "was replaced by another file")
	anew := mustOpen(t, path)
	mustPut(t, anew, "c", "in the backup")
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	mustPut(t, anew, "d", "after the old one has closed")
	if got := count(t, mustOpen(t, path)); got != 3 {
		t.Errorf("%d contexts, want 3", got)
	}
}

// A reader that had just found the file in its place does not begin another one there.
func TestReaderOfMovedFile(t *testing.T) {
	movesOpenFiles(t)
	path := filepath.Join(t.TempDir(), "wake.db")
	if err := mustOpen(t, path).Close(); err != nil {
		t.Fatal(err)
	}
	err := sqlite.OpenReaderAfter(t.Context(), path, func() {
		if err := os.Rename(path, path+".away"); err != nil {
			t.Fatal(err)
		}
	})
	wantKind(t, err, domain.KindUnavailable, "was moved away or deleted")
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("there is a file again: %v", err)
	}
}

// Compact gives the room of erased contexts back in small steps.
func TestCompact(t *testing.T) {
	path := filepath.Join(t.TempDir(), "wake.db")
	s := mustOpen(t, path)
	ctx := t.Context()
	var ids []string
	for k := range 60 {
		ids = append(ids, string(rune('a'+k)))
		mustPut(t, s, ids[k], strings.Repeat("x", 100_000))
	}
	before := size(t, s)
	err := s.Write(ctx, repository.Durable, func(tx repository.Tx) error {
		if err := tx.ForgetContexts(ctx, ids, moment); err != nil {
			return err
		}
		_, err := tx.CleanUp(ctx, moment.AddDate(0, 0, 1), moment.AddDate(0, 0, 2), 100)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	steps := 0
	for more := true; more; steps++ {
		if more, err = s.Compact(ctx); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	st, err := os.Stat(path)
	if err != nil || st.Size() > before/4 || steps < 3 {
		t.Errorf("%d bytes of %d left after %d steps (%v)", st.Size(), before, steps, err)
	}
}

func size(t testing.TB, s repository.Store) int64 {
	t.Helper()
	info, err := s.Info(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return info.Size
}
