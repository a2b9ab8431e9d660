package files

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"
)

// A file that somebody has open for a moment is renamed, replaced and deleted all the
// same.
func TestFileThatIsOpenForAMoment(t *testing.T) {
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	write(t, a, "new")
	write(t, b, "old")
	for _, path := range []string{a, b} {
		openForAMoment(t, path)
	}
	if err := Rename(a, b); err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(b); err != nil || string(data) != "new" {
		t.Errorf("there is %q: %v", data, err)
	}
	openForAMoment(t, b)
	if err := Remove(b); err != nil {
		t.Error(err)
	}
}

// A file that stays open is said to be open, where that prevents anything.
func TestFileThatStaysOpen(t *testing.T) {
	a := filepath.Join(t.TempDir(), "a")
	write(t, a, "x")
	f, err := os.Open(a)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := Remove(a); (err != nil) != (runtime.GOOS == "windows") || IsOpen(err) != (err != nil) {
		t.Errorf("deleting an open file: %v", err)
	}
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func openForAMoment(t *testing.T, path string) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(50*time.Millisecond, func() { _ = f.Close() })
}

// Others can rename and delete a file that is only read, such as a transcript.
func TestOpenIsInNobodysWay(t *testing.T) {
	dir := t.TempDir()
	path, other := filepath.Join(dir, "transcript"), filepath.Join(dir, "other")
	write(t, path, "said")
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := os.Rename(path, other); err != nil {
		t.Error(err)
	}
	if err := os.Remove(other); err != nil {
		t.Error(err)
	}
	if text, err := io.ReadAll(f); err != nil || string(text) != "said" {
		t.Errorf("read %q, %v", text, err)
	}
	if _, err := Open(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is gone: %v", err)
	}
}
