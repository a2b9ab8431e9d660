package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"wake/domain"
)

// Copies of a purged text beside the database are found by its id, also across the
// blocks in which a file is read, and also if the database is reached by a link. The
// database itself and unrelated files are not named.
func TestCopiesBeside(t *testing.T) {
	dir := realPath(t.TempDir())
	const id = "0190d3a4-7c5e-7b1a-9f00-000000000001"
	long := strings.Repeat("i", domain.MaxID)
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("wake.db", id)
	write("wake.db-wal", id)
	write("wake-20260131-120000.db", "page"+id)
	write("wake-20260201-120000.db", "0190d3a4-7c5e-7b1a-9f00-000000000002")
	write("wake.db.v1.backup", strings.Repeat("x", 1<<20-10)+id)
	write("wake.db.v2.backup", strings.Repeat("x", 1<<20-domain.MaxID+1)+long)
	write("other.db", id)
	want := []string{filepath.Join(dir, "wake-20260131-120000.db"), filepath.Join(dir, "wake.db.v1.backup"), filepath.Join(dir, "wake.db.v2.backup")}
	if diff := cmp.Diff(want, copiesBeside(filepath.Join(dir, "wake.db"), []string{"another", id, long})); diff != "" {
		t.Error(diff)
	}
	link := filepath.Join(t.TempDir(), "link.db")
	if err := os.Symlink(filepath.Join(dir, "wake.db"), link); err != nil {
		t.Skip(err)
	}
	if _, err := os.Readlink(link); err != nil {
		t.Skip("links are not kept as links here: ", err)
	}
	if diff := cmp.Diff(want, copiesBeside(link, []string{id, long})); diff != "" {
		t.Error("by a link:", diff)
	}
}
