package sqlite

import (
	"context"
	"errors"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"wake/domain"
	"wake/files"
)

// primary masks an extended result code down to its primary code.
const primary = 0xff

// code returns SQLite's extended result code, or 0 if err is not an SQLite error.
func code(err error) int {
	var e *sqlite.Error
	if errors.As(err, &e) {
		return e.Code()
	}
	return 0
}

func isBusy(err error) bool {
	c := code(err) & primary
	return errors.Is(err, errReaders) || c == sqlite3.SQLITE_BUSY || c == sqlite3.SQLITE_LOCKED
}

// Error implements [sqlstore.Engine].
func (e *engine) Error(err error) error {
	if err == nil || domain.KindOf(err) != "" || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	if noRoomToShare(err) {
		return domain.Unavailable("there is no room beside %s for what its readers share: free some space on its disk or lift the limit on file sizes, then try again (%v)", e.path, err)
	}
	if noRoom(err) {
		return domain.Unavailable("nothing was saved, because there is no room to write %s: free some space on its disk or lift the limit on file sizes, then try again (%v)", e.path, err)
	}
	if e.lacksWAL(err) {
		return domain.Unavailable("%s-wal was moved away or deleted while wake had it open, and with it what was written last; put it back, "+
			"or restart whatever of wake is still running, such as the MCP servers of your assistants (%v)", files.Resolve(e.path), err)
	}
	switch code(err) {
	case sqlite3.SQLITE_IOERR_READ, sqlite3.SQLITE_IOERR_SHORT_READ, sqlite3.SQLITE_IOERR_CORRUPTFS, sqlite3.SQLITE_IOERR_DATA:
		return domain.Damaged("the disk cannot read a part of %s; %s (%v)", e.path, replaceIt, err)
	}
	switch code(err) & primary {
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		return domain.Unavailable("the database %s has been locked by another program for %v; try again (%v)", e.path, e.opts.BusyTimeout, err)
	case sqlite3.SQLITE_IOERR:
		return domain.Unavailable("the disk under %s fails: %v; run wake doctor", e.path, err)
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH:
		return domain.Unavailable("the database %s cannot be written; make the file, the -wal and -shm beside it, and its folder writable (%v)", e.path, err)
	case sqlite3.SQLITE_CANTOPEN:
		return domain.Unavailable("the database %s cannot be opened; check that the file and its folder can be read and written (%v)", e.path, err)
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_TOOBIG: // nothing that wake stores is too big: a row claims it
		return domain.Damaged("the database %s is damaged; %s (%v)", e.path, replaceIt, err)
	case sqlite3.SQLITE_CONSTRAINT:
		return domain.Conflict("it clashes with what is stored (%v)", err)
	}
	return err
}

// lacksWAL reports whether something could not be read because the -wal, of which the -shm
// of other processes tells, was deleted. To SQLite its end came too early.
func (e *engine) lacksWAL(err error) bool {
	return code(err) == sqlite3.SQLITE_IOERR_SHORT_READ && !e.hasWAL()
}

// openError translates an error from opening: a file that is not a database may never
// have been one.
func (e *engine) openError(err error) error {
	if isNoDatabase(err) {
		return domain.Unavailable("%s is not a database; give the path of a database with --db, or of a file that is not there yet; "+
			"if it was one and is damaged, put a backup in its place: wake restore FILE (%v)", e.path, err)
	}
	return e.Error(err)
}

// isNoDatabase reports whether err says that a file is not a database.
func isNoDatabase(err error) bool { return code(err)&primary == sqlite3.SQLITE_NOTADB }

// replaceIt advises what to do about a damaged file.
const replaceIt = "put a backup in its place, such as one that wake backup made: wake restore FILE; " +
	"wake export -o FILE saves what can be read before"

// noRoom reports whether a write failed for lack of space. A file size limit shows as a
// write error, a full disk as FULL.
func noRoom(err error) bool {
	switch code(err) {
	case sqlite3.SQLITE_IOERR_WRITE, sqlite3.SQLITE_IOERR_FSYNC, sqlite3.SQLITE_IOERR_TRUNCATE:
		return true
	}
	return code(err)&primary == sqlite3.SQLITE_FULL || noRoomToShare(err)
}

// noRoomToShare reports whether there was no space for the -shm file, without which
// nobody can even read.
func noRoomToShare(err error) bool {
	c := code(err)
	return c == sqlite3.SQLITE_IOERR_SHMSIZE || c == sqlite3.SQLITE_IOERR_SHMOPEN
}
