//go:build unix

package sqlite_test

import (
	"os"
	"path/filepath"
	"testing"

	"wake/repository/sqlite"
)

// linked is a path in a folder of its own that leads, by another link, to a file that
// is not there yet.
func linked(t *testing.T) (path, file string) {
	t.Helper()
	dir, file := openFolder(t)
	path = filepath.Join(dir, "links", "wake.db")
	for _, folder := range []string{"links", "more"} {
		if err := os.Mkdir(filepath.Join(dir, folder), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{path: "../more/wake.db", filepath.Join(dir, "more", "wake.db"): file} {
		if err := os.Symlink(to, link); err != nil {
			t.Fatal(err)
		}
	}
	return path, file
}

// The file that a link leads to is made as any other, and its -wal stays beside it.
func TestLinkToFile(t *testing.T) {
	path, file := linked(t)
	if err := mustOpen(t, path).Close(); err != nil {
		t.Fatal(err)
	}
	brief := mustOpenBrief(t, path)
	mustPut(t, brief, "1", "x")
	if err := brief.Close(); err != nil {
		t.Fatal(err)
	}
	both := int64(0)
	for _, name := range []string{file, file + "-wal"} {
		st, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := st.Mode().Perm(); got != 0o600 {
			t.Errorf("%s is %o, want 600", name, got)
		}
		both += st.Size()
	}
	if got := size(t, mustOpen(t, path)); got != both {
		t.Errorf("%d bytes, want %d", got, both)
	}
}

// A link that leads to itself, by a folder that is not there, is an error, and no end.
func TestLinkToItself(t *testing.T) {
	path := filepath.Join(t.TempDir(), "wake.db")
	if err := os.Symlink("nowhere/../wake.db", path); err != nil {
		t.Fatal(err)
	}
	if s, err := sqlite.Open(t.Context(), path, sqlite.Options{}); err == nil {
		s.Close()
		t.Error("it was opened")
	}
}

// Whether a file can be written says its own folder, not that of a link to it.
func TestLinkInFolderOfOthers(t *testing.T) {
	path, file := linked(t)
	if err := mustOpen(t, path).Close(); err != nil {
		t.Fatal(err)
	}
	chmod(t, map[string]os.FileMode{file: 0o666, filepath.Dir(file): 0o777, filepath.Dir(path): 0o755})
	c := childOfOther(t, "save", file, "first", "1")
	c.Args[1] = path
	if out, err := c.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}
