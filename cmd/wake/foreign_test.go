package main

import (
	"database/sql"
	"path/filepath"
	"testing"
	"time"

	"wake/domain"
	"wake/memory"
	"wake/transcript"
)

// A local D1 is a SQLite file whose times are in a column declared DATETIME.
func TestImportLocalD1(t *testing.T) {
	path := filepath.Join(t.TempDir(), "d1.sqlite")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	_, err = db.Exec(`CREATE TABLE context_snapshots (id TEXT PRIMARY KEY, project TEXT, summary TEXT, timestamp DATETIME DEFAULT CURRENT_TIMESTAMP);
		INSERT INTO context_snapshots VALUES ('a', 'p', 's', '2025-01-02 03:04:05')`)
	if err != nil || db.Close() != nil {
		t.Fatal(err)
	}
	found, err := sourcesAt(transcript.Auto, path)
	if err != nil || len(found) != 1 || found[0].format != transcript.WakeIQX {
		t.Fatalf("%+v, %v", found, err)
	}
	var req memory.ImportRequest
	closeSource, err := found[0].open(t.Context(), &req)
	if err != nil {
		t.Fatal(err)
	}
	defer closeSource()
	for item, err := range req.Items {
		if err != nil || item.Context == nil || item.Context.Timestamp.Format("2006-01-02 15:04:05") != "2025-01-02 03:04:05" {
			t.Errorf("%+v, %v", item.Context, err)
		}
	}
}

// A database from elsewhere may compute values that no memory can hold. It is refused, and
// what is stored in it is read.
func TestImportRefusesHugeValues(t *testing.T) {
	path := filepath.Join(t.TempDir(), "d1.sqlite")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	_, err = db.Exec(`CREATE TABLE small (a TEXT); INSERT INTO small VALUES ('x');
		CREATE TABLE huge (a TEXT, b TEXT GENERATED ALWAYS AS (hex(zeroblob(40000000))) VIRTUAL); INSERT INTO huge VALUES ('x')`)
	if err != nil || db.Close() != nil {
		t.Fatal(err)
	}
	if db, err = openForeign(path); err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for table, want := range map[string]domain.ErrorKind{"small": "", "huge": domain.KindInvalid} {
		if err := eachForeign(t.Context(), db, table, func(transcript.Row) bool { return true }); domain.KindOf(err) != want {
			t.Errorf("%s: %v", table, err)
		}
	}
}

// Another product can write to its database until its turn in the import comes, however
// long the source before it takes.
func TestImportDoesNotLockOtherDatabases(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	folder := filepath.Join(home, "sessions")
	sessionsIn(t, folder, 1)
	path := filepath.Join(home, "d1.sqlite")
	rival, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer rival.Close()
	if _, err := rival.Exec(`CREATE TABLE context_snapshots (id TEXT PRIMARY KEY, project TEXT, summary TEXT);
		WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9000) INSERT INTO context_snapshots SELECT i, 'p', 'fact ' || i FROM n`); err != nil {
		t.Fatal(err)
	}
	run(t, home, "save", "It is there.")
	lock := writersLock(t, filepath.Join(home, "wake.db"))
	c := command(home, "import", "auto", folder, path)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(time.Second) // the first source waits for the lock
	if _, err := rival.Exec(`INSERT INTO context_snapshots VALUES ('late', 'p', 'a late fact')`); err != nil {
		t.Errorf("the rival cannot write: %v", err)
	}
	if _, err := lock.Exec("ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	if err := c.Wait(); err != nil {
		t.Error(err)
	}
}
