package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"wake/cmd/wake/internal/edit"
	"wake/domain"
	"wake/files"
)

// backupSuffix is the suffix of the copy that setup makes of a file.
const backupSuffix = ".before-wake"

// change is the change to one file: its present text and the new one.
type change struct {
	target
	path, now, want string
}

// setupChange is the change to one file, for output.
type setupChange struct {
	Path    string `json:"path"`
	Changed bool   `json:"changed"`
	Diff    string `json:"diff"`
}

// show works out the change to a file and prints it.
func (a *app) show(t target, f setupFlags) (change, error) {
	c, err := t.change(f.remove)
	if err != nil {
		return change{}, err
	}
	shown := setupChange{Path: c.path, Changed: c.want != c.now, Diff: string(diff.Diff(c.path, []byte(c.now), c.path+" (new)", []byte(c.want)))}
	return c, printOne(a, shown, func(p *printer, c setupChange) { fmt.Fprint(p.w, printable(c.Diff)) })
}

// change works out the change to the file as it is now.
func (t target) change(remove bool) (change, error) {
	path := realPath(t.path) // a link stays a link
	now, err := readIfExists(path)
	before, backupErr := readIfExists(path + backupSuffix)
	if err = cmp.Or(err, backupErr); err != nil {
		return change{}, withHint(domain.Unavailable("%s cannot be read: %v", path, domain.Reason(err)), "make it readable and run this again")
	}
	if !t.absent(before) { // wake was there already, so it does not tell what was before
		before = ""
	}
	want, err := t.wanted(now, before, remove)
	if errors.Is(err, edit.ErrByHand) {
		what := "put this in by hand"
		if remove {
			what = "take out by hand what is like this"
		}
		return change{}, withHint(domain.Conflict("%s: %v", path, err), "%s:\n%s", what, t.manualText())
	}
	if err != nil {
		return change{}, domain.Conflict("%s cannot be read: %v; correct it first", path, err)
	}
	return change{t, path, now, want}, nil
}

// confirmWrite asks the person at the terminal, if there is one, whether to write.
func (a *app) confirmWrite(ctx context.Context, f setupFlags) error {
	if f.yes || a.json || !terminal(a.in) {
		return nil
	}
	answer, err := a.ask(ctx, "Write this? [Y/n] ")
	switch strings.ToLower(answer) {
	case "y", "yes":
		return nil
	case "":
		if err == nil { // the end of input is no consent
			return nil
		}
	}
	return domain.Conflict("nothing was written")
}

// wanted is the text that the file should have; "" means no file.
func (t target) wanted(now, before string, remove bool) (string, error) {
	if t.content != "" {
		return t.wantedContent(now, remove)
	}
	if !remove {
		if now == "" {
			now = t.blank
		}
		now, err := edit.Take(t.format, now, before, t.refused)
		if err != nil {
			return "", err
		}
		return edit.Put(t.format, now, t.entries)
	}
	want, err := edit.Take(t.format, now, before, t.entries)
	if err != nil || want == now || before != "" {
		return want, err
	}
	left, err := t.format.Value(want)
	if blank, _ := t.format.Value(t.blank); err == nil && reflect.DeepEqual(left, blank) && !strings.ContainsAny(want, "#/") {
		return "", nil // the file was created by setup, which writes no comments
	}
	return want, err
}

// wantedContent is wanted for a file that is all wake's. It does not touch a file that
// somebody else wrote.
func (t target) wantedContent(now string, remove bool) (string, error) {
	first, _, _ := strings.Cut(t.content, "\n")
	switch ours := strings.HasPrefix(now, first); {
	case remove && ours:
		return "", nil
	case remove:
		return now, nil
	case now != "" && !ours:
		return "", fmt.Errorf("%w: it is not wake's", edit.ErrByHand)
	}
	return t.content, nil
}

// isComplete reports whether the file has everything it should have.
func (t target) isComplete() bool {
	now, err := readIfExists(t.path)
	if err != nil || now == "" {
		return false
	}
	want, err := t.wanted(now, "", false)
	return err == nil && want == now
}

// isThere reports whether the file has an entry of wake's in any form: one put in by
// hand, for a program elsewhere, or with other settings.
func (t target) isThere() bool {
	now, err := readIfExists(t.path)
	if err != nil || now == "" {
		return false
	}
	rest, err := edit.Take(t.format, now, "", t.entries)
	return err == nil && rest != now
}

// manualText is what a person has to add to the file.
func (t target) manualText() string {
	if t.content != "" {
		return t.content
	}
	text, err := edit.Put(t.format, t.blank, t.entries)
	if err != nil {
		return err.Error()
	}
	return text
}

// absent reports whether the text has nothing of wake's.
func (t target) absent(text string) bool {
	if t.content != "" {
		return false // (such a file only has wake's content)
	}
	rest, err := edit.Take(t.format, text, "", t.entries)
	return err == nil && rest == text
}

func readIfExists(path string) (string, error) {
	text, err := readRegular(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return string(text), err
}

// write makes the change. It works it out again, because the file may have been changed
// while the question was read.
func (c change) write(p places) error {
	c, err := c.target.change(p.remove)
	switch {
	case err != nil || c.want == c.now:
		return err
	case p.remove:
		return c.takeOut(p.home)
	}
	return c.putIn()
}

// putIn writes the file. The first change keeps a copy of it, also of one with entries that
// somebody put in by hand.
func (c change) putIn() error {
	if err := os.MkdirAll(filepath.Dir(c.target.path), 0o700); err != nil {
		return err
	}
	if backup := c.path + backupSuffix; fileExists(c.path) && !fileExists(backup) && c.content == "" {
		if err := replaceFile(backup, c.now); err != nil {
			return err
		}
	}
	return replaceFile(c.path, c.want)
}

// takeOut writes the file without wake's entries, and removes the copy.
func (c change) takeOut(home string) error {
	backup := c.path + backupSuffix
	kept := fileExists(backup)
	before, err := readIfExists(backup)
	without := c.want == "" && (!kept || !c.absent(before)) // there would be no file without wake
	if err == nil && !without {
		err = replaceFile(c.path, c.want)
	}
	if err == nil && kept {
		err = files.Remove(backup)
	}
	if err == nil && without {
		err = c.removeFile(home)
	}
	return err
}

// removeFile removes the file, and the folders below the home folder that are empty then.
func (c change) removeFile(home string) error {
	if err := files.Remove(c.path); err != nil {
		return err
	}
	below := filepath.Clean(home) + string(filepath.Separator)
	for dir := filepath.Dir(c.target.path); strings.HasPrefix(dir, below); dir = filepath.Dir(dir) {
		if found, err := os.Lstat(dir); err != nil || !found.IsDir() || os.Remove(dir) != nil {
			break // it is a link, or not empty
		}
	}
	return nil
}

// replaceFile writes a new file beside the old one and renames it, keeping the old
// one's permissions.
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
	return files.Rename(part.Name(), path)
}
