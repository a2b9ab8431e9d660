package files

import (
	"os"
	"path/filepath"
	"testing"
)

// What Stat returns stays the identity of the file that was there, whatever is put in
// its place.
func TestStatRemembersTheFile(t *testing.T) {
	dir := t.TempDir()
	path, other := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	for _, name := range []string{path, other} {
		if err := os.WriteFile(name, []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	before, err := Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := Stat(path); err != nil || !os.SameFile(before, again) {
		t.Fatalf("the same file differs: %v", err)
	}
	if err := os.Rename(other, path); err != nil {
		t.Fatal(err)
	}
	if after, err := Stat(path); err != nil || os.SameFile(before, after) {
		t.Fatalf("another file is taken for the first: %v", err)
	}
}
