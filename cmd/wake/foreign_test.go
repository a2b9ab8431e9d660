package main

import (
	"database/sql"
	"path/filepath"
	"testing"

	"wake/memory"
	"wake/transcript"
)

// A local D1 is a SQLite file whose times stand in a column declared DATETIME.
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
