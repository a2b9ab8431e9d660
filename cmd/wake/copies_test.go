package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Copies of a purged text are found beside the database, also across the blocks
// in which a file is read; the database itself and strangers are not named.
func TestCopiesBeside(t *testing.T) {
	dir := t.TempDir()
	secret := strings.Repeat("The launch code is 0000. ", 20)
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("wake.db", secret)
	write("wake.db-wal", secret)
	write("wake-20260131-120000.db", "page"+secret)
	write("wake-20260201-120000.db", "another text altogether")
	write("wake.db.v1.backup", strings.Repeat("x", 1<<20-10)+secret)
	write("other.db", secret)
	want := []string{filepath.Join(dir, "wake-20260131-120000.db"), filepath.Join(dir, "wake.db.v1.backup")}
	if diff := cmp.Diff(want, copiesBeside(filepath.Join(dir, "wake.db"), traceOf(secret))); diff != "" {
		t.Error(diff)
	}
}
