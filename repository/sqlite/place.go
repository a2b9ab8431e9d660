package sqlite

import (
	"errors"
	"io/fs"
	"os"

	"wake/domain"
	"wake/files"
)

// openFile is a file that was opened, under the path at which it was then.
type openFile struct {
	path string
	info os.FileInfo
}

// rememberFile records which file was opened.
func (e *engine) rememberFile() (err error) {
	e.file, err = files.Stat(e.path)
	return err
}

// rememberBeside records which -wal and -shm the writer opened. SQLite keeps them until
// the last process has closed the database.
func (e *engine) rememberBeside() {
	for _, suffix := range []string{"-wal", "-shm"} {
		path := files.Resolve(e.path) + suffix
		if info, err := files.Stat(path); err == nil {
			e.beside = append(e.beside, openFile{path, info})
		}
	}
}

// checkInPlace returns an error if an opened file is no longer at its path. Whoever
// put a backup there would not see what is still being written to the old file.
func (e *engine) checkInPlace() error {
	if e.full && e.immutable && e.isWrittenTo() { // with a -shm, reading is safe whoever writes
		return domain.Unavailable("the disk of %s was full when wake opened it, and others have written to it since; restart wake "+
			"(in an assistant, reconnect the MCP server)", e.path)
	}
	if err := (openFile{e.path, e.file}).checkInPlace(); err != nil {
		return err
	}
	if e.damaged && e.isChanged() {
		return domain.Unavailable("the database %s was damaged, or not complete yet, when wake opened it, and others have written to it since; restart wake "+
			"(in an assistant, reconnect the MCP server)", e.path)
	}
	select {
	case <-e.closed: // which has deleted them
		return e.isClosed()
	default:
		return e.checkBeside()
	}
}

// isWrittenTo reports whether others have written to the database since it was opened.
func (e *engine) isWrittenTo() bool { return e.isChanged() || e.hasWAL() }

// isChanged reports whether others have written to the file itself since it was opened.
func (e *engine) isChanged() bool {
	now, err := os.Stat(e.path)
	return err == nil && !now.ModTime().Equal(e.file.ModTime())
}

// checkBeside returns an error if the opened -wal or -shm is no longer at its path, or
// the database was emptied. What is written to a deleted -wal is lost, and beside an empty
// file SQLite deletes it.
func (e *engine) checkBeside() error {
	if len(e.beside) > 0 && isEmpty(e.path) {
		return domain.Unavailable("%s was emptied while wake had it open; nothing was changed: end what has it open, then put a backup in its place, "+
			"such as one that wake backup made: wake restore FILE", e.path)
	}
	for _, f := range e.beside {
		if err := f.checkInPlace(); err != nil {
			return err
		}
	}
	return nil
}

func (f openFile) checkInPlace() error {
	now, err := files.Stat(f.path)
	switch {
	case err == nil && os.SameFile(now, f.info), err != nil && !errors.Is(err, fs.ErrNotExist):
		return nil // other errors affect SQLite too, or do not matter
	case err == nil:
		return domain.Unavailable("%s was replaced by another file while wake had it open; nothing was changed: restart wake "+
			"(in an assistant, reconnect the MCP server)", f.path)
	}
	return domain.Unavailable("%s was moved away or deleted while wake had it open; nothing was changed: put it back, "+
		"or restart wake (in an assistant, reconnect the MCP server)", f.path)
}

// hasWAL reports whether there are writes beside the file.
func (e *engine) hasWAL() bool {
	wal, err := os.Stat(files.Resolve(e.path) + "-wal")
	return err == nil && wal.Size() > 0
}

// checkNoWAL refuses to create a database where another one has left its -wal, because
// SQLite would delete that. It holds what was written last, after a few hooks everything,
// and whoever moved the file without it lacks that.
func checkNoWAL(path string) error {
	if wal, err := os.Stat(path + "-wal"); err != nil || wal.Size() == 0 {
		return nil
	}
	return domain.Unavailable("there is no database at %s any more, but %s-wal, which holds what was written to it last; put the database back, "+
		"or, to begin anew, move %[1]s-wal and %[1]s-shm beside it, under the name that it has now", path, path)
}

// checkNotEmptied refuses an empty file beside which a database has left its -wal: to
// SQLite it is a new database, too. A database that is being begun has no -wal until it
// has a first page.
func checkNotEmptied(path string) error {
	if !isEmpty(path) {
		return nil
	}
	err := checkNoWAL(files.Resolve(path))
	if err != nil && !isEmpty(path) { // another process has begun it since
		return nil
	}
	return err
}

func isEmpty(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Size() == 0
}
