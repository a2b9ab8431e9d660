//go:build unix

package main

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"wake/domain"
	"wake/memory"
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

// In a folder of others something may wait where an export grows: a link that leads to
// another file of this user's. Nothing is written through it.
func TestExportFollowsNoLinks(t *testing.T) {
	dir := t.TempDir()
	kept, path := filepath.Join(dir, "kept"), filepath.Join(dir, "all.jsonl")
	put := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put(kept, "kept")
	link := func(make func(string, string) error, name string) {
		t.Helper()
		if err := make(kept, name); err != nil {
			t.Fatal(err)
		}
	}
	isKept := func(after string) {
		t.Helper()
		if text, err := os.ReadFile(kept); err != nil || string(text) != "kept" {
			t.Errorf("%s: %v: %q", after, err, text)
		}
	}
	for of, make := range map[string]func(string, string) error{"a link": os.Symlink, "a second name": os.Link} {
		link(make, path+".part")
		if _, err := openExport(path, exportOf{}); domain.KindOf(err) != domain.KindConflict {
			t.Errorf("%s: %v", of, err)
		}
		isKept(of)
		os.Remove(path + ".part")
	}
	file, err := openExport(path, exportOf{})
	if err != nil {
		t.Fatal(err)
	}
	link(os.Symlink, path+".part.json")
	if err := file.keep(memory.ExportMark{}); domain.KindOf(err) != domain.KindConflict {
		t.Errorf("the note: %v", err)
	}
	file.close()
	isKept("the note")
	notes := filepath.Join(dir, "notes.md")
	link(os.Symlink, notes+".part")
	link(os.Symlink, notes)
	if err := writeWhole(notes, false, func(w io.Writer) error { _, err := io.WriteString(w, "new"); return err }); err != nil {
		t.Error(err)
	}
	isKept("a whole document")
}

// A note beside an export that a link leads to, or that others wrote, is not believed.
func TestExportBelievesOnlyItsNote(t *testing.T) {
	path := filepath.Join(t.TempDir(), "all.jsonl")
	if err := os.WriteFile(path+".part", []byte("another text\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path+".forged", []byte(`{"size":8,"of":{"db":""}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(path+".forged", path+".part.json"); err != nil {
		t.Fatal(err)
	}
	file, err := openExport(path, exportOf{})
	if err != nil {
		t.Fatal(err)
	}
	defer file.close()
	if file.resumed {
		t.Error("the export goes on behind a text that is not its own")
	}
}

// On a share, what a user makes may belong to another from then on. An export that began
// there goes on.
func TestExportNotesWhereOthersOwn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "all.jsonl")
	file, err := openExport(path, exportOf{})
	if err != nil {
		t.Fatal(err)
	}
	if err := file.keep(memory.ExportMark{}); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(file.noteName(), 12345, -1); err != nil {
		t.Skip("only root can give files to others: ", err)
	}
	if err := errors.Join(file.keep(memory.ExportMark{}), file.finish()); err != nil {
		t.Error(err)
	}
	if left, _ := filepath.Glob(path + ".*"); len(left) > 0 {
		t.Errorf("it leaves %q", left)
	}
}
