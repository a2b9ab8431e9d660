package main

import (
	"cmp"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"wake/domain"
	"wake/files"
	"wake/memory"
)

// exportFile is an export being written, under another name. A note beside it says how
// much of it is complete, so that an interrupted export can continue there. A
// compressed file is a sequence of gzip members, one per step.
type exportFile struct {
	path, part string
	file       *os.File
	lock       *os.File     // keeps other exports away; nil if there are no locks
	packed     *gzip.Writer // nil if the file is not compressed
	of         exportOf
	mark       memory.ExportMark
	resumed    bool
	noted      bool     // a note exists
	note       *os.File // open from the first time that it is written
}

// exportNote is the content of the note beside an unfinished export.
type exportNote struct {
	Mark memory.ExportMark `json:"mark"`
	Size int64             `json:"size"` // complete bytes
	Of   exportOf          `json:"of"`
}

// exportOf is the source of an export. Only an export of the same source is continued.
type exportOf struct {
	DB        string `json:"db"`
	Project   string `json:"project,omitempty"`
	SessionID string `json:"session_id,omitempty"`
}

func openExport(path string, of exportOf) (*exportFile, error) {
	f := &exportFile{path: path, part: path + ".part", of: of}
	var err error
	if f.file, err = openOwn(f.part); err != nil {
		return nil, cannotWrite(path, err)
	}
	if err := f.claim(); err != nil {
		return nil, errors.Join(err, f.file.Close())
	}
	note := f.readNote()
	f.mark, f.resumed = note.Mark, note.Size > 0
	f.noted = f.resumed
	_, err = f.file.Seek(note.Size, io.SeekStart)
	if err = cmp.Or(err, f.file.Truncate(note.Size)); err != nil {
		f.close()
		return nil, err
	}
	if strings.HasSuffix(path, ".gz") {
		f.packed = gzip.NewWriter(f.file)
	}
	return f, nil
}

// claim makes sure that no other export writes to the file. Another one may have finished
// and renamed it just after it was opened here.
func (f *exportFile) claim() error {
	lock, err := lockFile(f.part)
	if err == nil || errors.Is(err, errors.ErrUnsupported) {
		mine, mineErr := f.file.Stat()
		there, thereErr := os.Stat(f.part)
		if mineErr == nil && thereErr == nil && os.SameFile(mine, there) {
			f.lock = lock
			return nil
		}
	}
	_ = lock.Close() // nil if there is none
	return domain.Conflict("another export is writing %s; wait until it is done, or name another file", f.path)
}

// continuedFor is how long an interrupted export can be continued. It would lack what was
// saved or changed since in the parts that it has.
const continuedFor = 24 * time.Hour

// readNote returns the note of an interrupted export of the same source. Without a
// valid one the export starts from the beginning.
func (f *exportFile) readNote() exportNote {
	var note exportNote
	data, err := os.ReadFile(f.noteName())
	noted, noteErr := os.Lstat(f.noteName())
	info, statErr := f.file.Stat()
	if err = cmp.Or(err, noteErr, statErr); err != nil || !isOwn(noted) || json.Unmarshal(data, &note) != nil || info.Size() < note.Size || note.Of != f.of {
		return exportNote{}
	}
	if time.Since(noted.ModTime()).Abs() > continuedFor { // (a time in the future comes from a clock that was set back)
		return exportNote{}
	}
	return note
}

func (f *exportFile) noteName() string { return f.part + ".json" }

// Write implements [io.Writer].
func (f *exportFile) Write(p []byte) (int, error) {
	if f.packed != nil {
		return f.packed.Write(p)
	}
	return f.file.Write(p)
}

// keep notes that everything up to the mark is in the file.
func (f *exportFile) keep(mark memory.ExportMark) error {
	if err := f.endMember(); err != nil {
		return err
	}
	size, err := f.file.Seek(0, io.SeekCurrent)
	if err != nil {
		return err
	}
	data, err := json.Marshal(exportNote{Mark: mark, Size: size, Of: f.of})
	if err != nil {
		return err
	}
	if f.note == nil { // it stays open: where a share gives files to others, they cannot be told apart later
		if f.note, err = openOwn(f.noteName()); err != nil {
			return err
		}
	}
	f.noted = true
	_, err = f.note.WriteAt(data, 0)
	return errors.Join(err, f.note.Truncate(int64(len(data))))
}

// openOwn opens a file that this user has made, or makes it. In a folder of others,
// something else may wait under its name: a link to a file that would be overwritten, or
// a file that they can read.
func openOwn(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if !errors.Is(err, fs.ErrExist) {
		return f, err
	}
	there, err := os.Lstat(path)
	if err == nil && isOwn(there) {
		if f, err = os.OpenFile(path, os.O_RDWR, 0); err != nil {
			return nil, err
		}
		if opened, err := f.Stat(); err == nil && os.SameFile(there, opened) {
			return f, nil
		}
		_ = f.Close()
	}
	return nil, domain.Conflict("%s, in which the export would grow, is not a file of yours; delete it, or name another file with -o", path)
}

// endMember finishes a gzip member and begins the next.
func (f *exportFile) endMember() error {
	if f.packed == nil {
		return nil
	}
	err := f.packed.Close()
	f.packed.Reset(f.file)
	return err
}

// finish moves the complete file to its place.
func (f *exportFile) finish() error {
	defer f.lock.Close() // once nothing is left to be taken for another's
	var err error
	if f.packed != nil {
		err = f.packed.Close()
	}
	if err := errors.Join(err, f.file.Sync(), f.file.Close(), f.closeNote()); err != nil {
		return err
	}
	if err := files.Rename(f.part, f.path); err != nil {
		return err
	}
	if err := os.Remove(f.noteName()); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// stop ends an unfinished export such that it can be continued.
func (f *exportFile) stop(ctx context.Context, cause error) error {
	f.close()
	if ctx.Err() == nil {
		return cause
	}
	return withHint(domain.Unavailable("the export was stopped; what was written so far is in %s", f.part), "start it again to continue")
}

// close closes the file and keeps it if part of it is noted as complete.
func (f *exportFile) close() {
	defer f.lock.Close()
	_ = f.closeNote()
	if err := f.file.Close(); err == nil && !f.noted {
		_ = os.Remove(f.part)
	}
}

func (f *exportFile) closeNote() error {
	if f.note == nil {
		return nil
	}
	return f.note.Close()
}

// writeWhole writes a document to a file, completely or not at all.
func writeWhole(path string, mayPack bool, write func(io.Writer) error) error {
	file, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*.part") // mode 0600
	if err != nil {
		return cannotWrite(path, err)
	}
	err = cmp.Or(writePacked(file, mayPack && strings.HasSuffix(path, ".gz"), write), file.Sync(), file.Close())
	if err == nil {
		err = files.Rename(file.Name(), path)
	}
	if err != nil {
		_ = os.Remove(file.Name())
		return fmt.Errorf("%s was not written: %w", path, domain.Reason(err))
	}
	return nil
}

// writePacked writes a document, compressed if packed is set.
func writePacked(w io.Writer, packed bool, write func(io.Writer) error) error {
	if !packed {
		return write(w)
	}
	z := gzip.NewWriter(w)
	return errors.Join(write(z), z.Close())
}

// cannotWrite is the error for a path at which an export cannot be written.
func cannotWrite(path string, err error) error {
	if domain.KindOf(err) != "" {
		return err
	}
	return withHint(domain.Unavailable("%s cannot be written: %v", path, domain.Reason(err)), "name another with -o; its folder must be there")
}
