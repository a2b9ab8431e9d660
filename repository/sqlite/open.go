// Package sqlite keeps wake's data in one SQLite file. Many processes can share it:
// reads run side by side, writes wait for their turn.
//
// SQLite drops a process's locks on a file when the process closes any handle of it. So
// nothing here opens the database file except through SQLite, unless to create it.
package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"time"

	"modernc.org/sqlite"

	"wake/domain"
	"wake/files"
	"wake/migrations"
	"wake/repository"
	"wake/repository/internal/sqlstore"
)

// Options configure how a database is opened. The zero value suits servers.
type Options struct {
	// BusyTimeout is how long a write waits for writers of other processes; 0 means 30
	// seconds. Hooks, whose client waits, set 2 seconds.
	BusyTimeout time.Duration
	// Brief is for a process that makes a few requests and exits right after Close, such
	// as a hook: a single connection does everything, and a small -wal file stays. A
	// large file of an older wake is not upgraded; opening it returns an Unavailable
	// error.
	Brief bool
	// InFolder is for questions about a file that somebody has named: if there is not even
	// its folder, opening it makes none, and returns a NotFound error.
	InFolder bool
	// Held is for a file that another process has open: if it is not there, it was moved
	// away, so opening it begins none, and returns an Unavailable error.
	Held bool
	// Version is wake's version, shown to older programs that find the database
	// upgraded.
	Version string
}

// defaultBusyTimeout suits servers.
const defaultBusyTimeout = 30 * time.Second

// Open opens the database at path, creates it if there is none, and brings its tables
// up to date after copying an older file beside itself. A file that cannot be written
// is opened for reading; writes then return Unavailable errors. So is what is left of one
// that was cut off.
//
// Open returns an Invalid error if path is a folder or another program's database, a Conflict
// error for a file of a newer wake, and an Unavailable error if the file is not a database, or
// not any more, on a network file system, or if a killed restore has left nothing at path, or
// a move by hand only a -wal.
func Open(ctx context.Context, path string, opts Options) (repository.Store, error) {
	known, err := migrations.SQLite()
	if err != nil {
		return nil, err
	}
	return open(ctx, path, opts, known, fileSystem)
}

// open is Open with other migrations and another detection of file systems, for tests.
func open(ctx context.Context, path string, opts Options, known []migrations.Migration, fsType func(string) (string, error)) (repository.Store, error) {
	path, err := absolute(path)
	if err != nil {
		return nil, err
	}
	if opts.BusyTimeout == 0 {
		opts.BusyTimeout = defaultBusyTimeout
	}
	readOnly, err := prepareFile(path, opts, fsType)
	if err != nil {
		return nil, err
	}
	e := newEngine(path, opts, sqlstore.Schema{Migrations: known, Program: opts.Version}, readOnly)
	if err := e.start(ctx); err != nil {
		e.Close()
		return nil, e.openError(err)
	}
	return sqlstore.New(e), nil
}

// absolute returns an absolute path, which stays valid if the working folder changes.
// It returns an Invalid error if the working folder was removed.
func absolute(path string) (string, error) {
	full, err := filepath.Abs(path)
	if err != nil {
		return "", domain.Invalid("the path %q begins in a working folder that is gone; give one from the root", path)
	}
	return full, nil
}

// prepareFile makes sure that there is a file at path that SQLite can open, and reports
// whether it is read-only.
func prepareFile(path string, opts Options, fsType func(string) (string, error)) (readOnly bool, err error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, beginFile(path, opts, fsType)
	case err != nil:
		return false, domain.Unavailable("the database %s cannot be reached: %v; give another path with --db", path, domain.Reason(err))
	case !info.Mode().IsRegular():
		return false, domain.Invalid("%s is not a file; give the path of the database file, such as %s", path, filepath.Join(path, "wake.db"))
	}
	readOnly = !writable(files.Resolve(path))
	if !readOnly {
		unprotectWAL(files.Resolve(path), info.Mode().Perm())
	}
	return readOnly, errors.Join(checkLocal(path, fsType), checkNotEmptied(path))
}

// beginFile creates an empty file at path, and its folder, unless that would hide that the
// database is elsewhere.
func beginFile(path string, opts Options, fsType func(string) (string, error)) error {
	if opts.Held {
		return domain.Unavailable("%s was moved away or deleted while a server of wake had it open; put it back, or restart wake "+
			"(in an assistant, reconnect the MCP server)", path)
	}
	if _, err := os.Stat(filepath.Dir(path)); opts.InFolder && errors.Is(err, fs.ErrNotExist) {
		return domain.NotFound("there is no database at %s, and no such folder; correct the path, or begin one there with wake save or wake import", path)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return domain.Unavailable("the folder of the database %s cannot be made: %v; give another path with --db", path, domain.Reason(err))
	}
	path = files.Resolve(path) // for a link, SQLite would create its target readable by all
	if err := checkLocal(filepath.Dir(path), fsType); err != nil {
		return err
	}
	if err := errors.Join(checkNoRestoreAside(path), checkNoWAL(path)); err != nil {
		if _, absent := os.Stat(path); absent != nil { // else another process has begun it since
			return err
		}
	}
	if err := create(path); err != nil {
		return domain.Unavailable("the database %s cannot be created: %v; give another path with --db", path, domain.Reason(err))
	}
	return nil
}

// unprotectWAL makes the -wal and -shm files of a writable file writable too. SQLite
// creates them with the file's permissions: those created while the file was read-only
// would keep every writer out afterwards. If they belong to another user, the first
// write reports the error.
func unprotectWAL(path string, rights fs.FileMode) {
	const ownerWrites = 0o200
	for _, beside := range []string{path + "-wal", path + "-shm"} {
		if info, err := os.Stat(beside); err == nil && rights&^info.Mode().Perm()&ownerWrites != 0 {
			_ = os.Chmod(beside, rights)
		}
	}
}

// create makes an empty file that others cannot read; SQLite gives its -wal and -shm
// files the same permissions. Another process may create it first.
func create(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return f.Close()
}

// checkLocal refuses network file systems, because the shared memory and locks that WAL
// needs do not work across clients.
func checkLocal(path string, fsType func(string) (string, error)) error {
	name, err := fsType(path)
	if err != nil || name == "" {
		return nil // an unknown file system is taken for a local one
	}
	return domain.Unavailable("%s is on a network file system (%s), where SQLite can damage its file; "+
		"give a path on a local disk with --db, or share a PostgreSQL database: --db postgres://…", path, name)
}

// dsn returns the driver's address for path, with the settings that every connection
// needs. SQLite creates no file, which only [create] does: a connection that is opened
// later would otherwise begin an empty database where one was moved away.
func dsn(path string, params url.Values) string {
	if !params.Has("mode") {
		params.Set("mode", "rw")
	}
	if !params.Has("_defensive") {
		params.Set("_defensive", "1")
	}
	params.Set("_dqs", "0")
	params.Set("_foreign_keys", "1")
	if runtime.GOOS == "windows" {
		path = files.Resolve(path) // there SQLite does not, and would keep the -wal beside the link
	}
	return FileURL(path, params)
}

func (e *engine) writerDSN() string {
	params := url.Values{
		"_busy_timeout": {strconv.FormatInt(busyStep.Milliseconds(), 10)},
		"_journal_mode": {"WAL"},
		"_synchronous":  {"FULL"},
		// Deleted content is zeroed where that costs no extra page; Scrub and Rewrite do
		// the rest. Undo data of large statements is kept in memory: in a file, each page
		// takes two writes.
		"_pragma": {"secure_delete(fast)", "journal_size_limit(16777216)", "cache_size(-16000)", "temp_store(memory)"},
	}
	if runtime.GOOS == "darwin" {
		// There fsync leaves what was written in the drive's own cache.
		params.Add("_pragma", "fullfsync(1)")
	}
	if isEmpty(e.path) {
		// This holds for the life of the file. Setting it again would cost a disk write
		// at each start.
		params.Set("_auto_vacuum", "incremental")
	}
	return dsn(e.path, params)
}

func (e *engine) readerDSN() string {
	params := url.Values{
		"_busy_timeout": {strconv.FormatInt(e.opts.BusyTimeout.Milliseconds(), 10)},
		"_query_only":   {"1"},
		"_pragma":       {"cache_size(-8000)"},
	}
	if e.readOnly {
		params.Set("mode", "ro")
	}
	if e.damaged { // with this SQLite forgives that pages are missing; before it, it would refuse another pragma
		params["_pragma"] = []string{"writable_schema(1)"}
		params.Set("_defensive", "0")
	}
	if e.immutable {
		params.Set("immutable", "1")
	}
	return dsn(e.path, params)
}

// openDB returns a handle that keeps up to conns connections.
func openDB(dsn string, conns int) (*sql.DB, error) {
	connector, err := sqlite.NewConnector(dsn)
	if err != nil {
		return nil, err
	}
	db := sql.OpenDB(connector)
	db.SetMaxOpenConns(conns)
	db.SetMaxIdleConns(conns)
	return db, nil
}
