//go:build unix

package main

import (
	"os"
	"path/filepath"
	"testing"

	"wake/domain"
)

// Of two exports to one file at once, the second is refused: it would take the first one's
// part for that of an export which was stopped. Nor does it write into a file that was
// finished just then.
func TestExportsAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "all.jsonl")
	first, err := openExport(path, exportOf{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := openExport(path, exportOf{}); domain.KindOf(err) != domain.KindConflict {
		t.Errorf("the second begins: %v", err)
	}
	late := &exportFile{path: path, part: first.part}
	if late.file, err = os.OpenFile(late.part, os.O_RDWR, 0); err != nil {
		t.Fatal(err)
	}
	defer late.file.Close()
	if _, err := first.Write([]byte("all of it\n")); err != nil {
		t.Fatal(err)
	}
	if err := first.finish(); err != nil {
		t.Fatal(err)
	}
	if err := late.claim(); domain.KindOf(err) != domain.KindConflict {
		t.Errorf("a finished file is claimed: %v", err)
	}
	next, err := openExport(path, exportOf{})
	if err != nil {
		t.Fatal(err)
	}
	if err := late.claim(); domain.KindOf(err) != domain.KindConflict {
		t.Errorf("a finished file is claimed with the next one's lock: %v", err)
	}
	next.close()
	if text, err := os.ReadFile(path); err != nil || string(text) != "all of it\n" {
		t.Errorf("%v: %q", err, text)
	}
	if _, err := os.Stat(next.part); err == nil {
		t.Error("an export that wrote nothing leaves its part behind")
	}
}
