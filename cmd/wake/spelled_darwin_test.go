package main

import (
	"os"
	"path/filepath"
	"testing"
)

// However a folder's name is typed, it is one project's folder.
func TestFolderSpelledOtherwise(t *testing.T) {
	root := realFolder(t.TempDir())
	folder := filepath.Join(root, "Größe") // composed
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, typed := range []string{"Größe", "größe", "gro\u0308ße"} {
		path := filepath.Join(root, typed)
		if _, err := os.Stat(path); err != nil {
			continue // the disk tells these apart
		}
		if got := projectFolder(path, "/nowhere"); got.Path != folder || got.Name != "Größe" {
			t.Errorf("%q is the folder of %q at %q", typed, got.Name, got.Path)
		}
	}
}
