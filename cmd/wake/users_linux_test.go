package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Another process is found by the file that it has open, by whatever links that is named.
func TestUsersOfALinkedFile(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "real")
	linked := folder + "-link"
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(folder, linked); err != nil {
		t.Fatal(err)
	}
	file, err := os.Create(filepath.Join(folder, "wake.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	other := exec.Command("cat")
	other.ExtraFiles = []*os.File{file}
	ends, err := other.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _, _ = ends.Close(), other.Wait() }()
	for _, path := range []string{file.Name(), filepath.Join(linked, "wake.db")} {
		if users := usersOf(path); !strings.HasPrefix(users, "cat (process ") {
			t.Errorf("%s is used by %q", path, users)
		}
	}
}
