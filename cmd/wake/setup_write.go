package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"

	"github.com/rogpeppe/go-internal/diff"

	"wake/cmd/wake/internal/edit"
	"wake/domain"
)

// backupSuffix is behind the name of the copy that setup keeps of a file.
const backupSuffix = ".before-wake"

// change edits one file and reports whether there was anything to do.
func (a *app) change(t target, f setupFlags) (bool, error) {
	path := realPath(t.path) // a link to a file elsewhere stays one
	now, err := readIfThere(path)
	if err != nil {
		return false, err
	}
	before, err := readIfThere(path + backupSuffix)
	if err != nil {
		return false, err
	}
	want, err := t.wanted(now, before, f.remove)
	if errors.Is(err, edit.ErrByHand) {
		return false, withHint(domain.Conflict("%s: %v", path, err), "put this in by hand:\n%s", t.byHand())
	}
	if err != nil {
		return false, domain.Invalid("%s cannot be read: %v; correct it first", path, err)
	}
	change := setupChange{Path: path, Changed: want != now, Diff: string(diff.Diff(path, []byte(now), path+" (new)", []byte(want)))}
	err = one(a, change, func(p *printer, c setupChange) { fmt.Fprint(p.w, printable(c.Diff)) })
	if err != nil || f.print || !change.Changed {
		return change.Changed, err
	}
	return true, t.write(path, now, want, f.remove)
}

// wanted is the text that the file should have, "" for none.
func (t target) wanted(now, before string, remove bool) (string, error) {
	if !remove {
		if now == "" {
			now = t.blank
		}
		return edit.Put(t.format, now, t.entries)
	}
	want, err := edit.Take(t.format, now, before, t.entries)
	if err != nil || want == now || before != "" {
		return want, err
	}
	left, err := t.format.Value(want)
	if blank, _ := t.format.Value(t.blank); err == nil && reflect.DeepEqual(left, blank) {
		return "", nil // the file was ours
	}
	return want, err
}

// byHand is what a person puts in.
func (t target) byHand() string {
	text, err := edit.Put(t.format, t.blank, t.entries)
	if err != nil {
		return err.Error()
	}
	return text
}

// absent reports whether nothing of ours is in the text.
func (t target) absent(text string) bool {
	rest, err := edit.Take(t.format, text, "", t.entries)
	return err == nil && rest == text
}

func readIfThere(path string) (string, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return string(text), err
}

// write puts the new text in place at once. The first change keeps the file as
// it was; taking everything out removes that copy again.
func (t target) write(path, now, want string, remove bool) error {
	backup := path + backupSuffix
	if remove {
		err := os.Remove(backup)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if want == "" && err != nil { // it was not there before
			return os.Remove(path)
		}
		return replaceFile(path, want)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	if fileExists(path) && !fileExists(backup) && t.absent(now) {
		if err := replaceFile(backup, now); err != nil {
			return err
		}
	}
	return replaceFile(path, want)
}

// replaceFile writes a file beside its place and renames it, with the rights
// that the old one has.
func replaceFile(path, text string) (err error) {
	part, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(part.Name()))
		}
	}()
	if _, err = part.WriteString(text); err != nil {
		return errors.Join(err, part.Close())
	}
	if old, statErr := os.Stat(path); statErr == nil {
		if err = part.Chmod(old.Mode().Perm()); err != nil {
			return errors.Join(err, part.Close())
		}
	}
	if err = errors.Join(part.Sync(), part.Close()); err != nil {
		return err
	}
	return os.Rename(part.Name(), path)
}
