// Package sqlite keeps wake's data in one SQLite file. Many processes may share
// it: reads run side by side, writes wait for their turn.
//
// SQLite drops a process's locks on a file when the process closes any handle of
// it, so nothing here opens the database file by other means than SQLite, but to
// create it.
package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"modernc.org/sqlite"

	"wake/domain"
	"wake/migrations"
	"wake/repository"
	"wake/repository/internal/sqlstore"
)

// Options say how a database is opened. The zero value is right for servers.
type Options struct {
	// BusyTimeout is how long a write waits for writers of other processes; 0 is
	// 30 seconds. Hooks, whose client waits, use 2.
	BusyTimeout time.Duration
	// Brief is for a process that makes a few requests and ends right after Close,
	// such as a hook: one connection does everything, and a small -wal stays. A large
	// file of an older wake is not upgraded, but an Unavailable error.
	Brief bool
	// Version is the version of wake, told to older programs that find the
	// database upgraded.
	Version string
}

// defaultBusyTimeout is the wait of a server.
const defaultBusyTimeout = 30 * time.Second

// Open opens the database at path, creates it where there is none and brings its
// tables up to date, after a copy of it was put beside it. A file that cannot be
// written is opened for reading; writes are Unavailable errors then. A path that
// is no database is an Invalid error, a file of a newer wake a Conflict error,
// one on a network file system an Unavailable error, and so is a path at which a
// restore that was killed has left nothing.
func Open(ctx context.Context, path string, opts Options) (repository.Store, error) {
	known, err := migrations.SQLite()
	if err != nil {
		return nil, err
	}
	return open(ctx, path, opts, known, fileSystem)
}

// open is Open with the migrations it knows and its view of file systems.
func open(ctx context.Context, path string, opts Options, known []migrations.Migration, fsType func(string) (string, error)) (repository.Store, error) {
	path, err := absolute(path)
	if err != nil {
		return nil, err
	}
	if opts.BusyTimeout == 0 {
		opts.BusyTimeout = defaultBusyTimeout
	}
	readOnly, err := prepare(path, fsType)
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

// absolute is a path that stays the same where the working folder changes. That it
// cannot be told, as in a folder that was removed, is an Invalid error.
func absolute(path string) (string, error) {
	full, err := filepath.Abs(path)
	if err != nil {
		return "", domain.Invalid("the path %q begins in a working folder that is gone (%v); give one from the root", path, err)
	}
	return full, nil
}

// prepare makes sure that there is a file that SQLite can open at path, and
// reports whether it can only be read.
func prepare(path string, fsType func(string) (string, error)) (readOnly bool, err error) {
	info, err := os.Stat(path)
	switch {
	case err == nil && !info.Mode().IsRegular():
		return false, domain.Invalid("%s is not a file; give the path of the database file, such as %s", path, filepath.Join(path, "wake.db"))
	case err == nil:
		readOnly = !writable(followed(path))
		if !readOnly {
			freeBeside(followed(path), info.Mode().Perm())
		}
		return readOnly, checkLocal(path, fsType)
	case !errors.Is(err, fs.ErrNotExist):
		return false, domain.Unavailable("the database %s cannot be reached: %v", path, err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return false, domain.Unavailable("the folder of the database cannot be made: %v; give another path with --db", err)
	}
	path = followed(path) // SQLite would make the file that a link leads to readable by all
	if err := checkLocal(filepath.Dir(path), fsType); err != nil {
		return false, err
	}
	if err := notBegun(path); err != nil {
		return false, err
	}
	if err := create(path); err != nil {
		return false, domain.Unavailable("the database cannot be created: %v; give another path with --db", err)
	}
	return false, nil
}

// freeBeside lets the -wal and -shm of a file that can be written be written too.
// SQLite gives them the rights of the file: what it made while that was read-only,
// as after a look at a protected copy, keeps every writer out afterwards. Of files
// of another user the error of the first write tells.
func freeBeside(path string, rights fs.FileMode) {
	const ownerWrites = 0o200
	for _, beside := range []string{path + "-wal", path + "-shm"} {
		if info, err := os.Stat(beside); err == nil && rights&^info.Mode().Perm()&ownerWrites != 0 {
			_ = os.Chmod(beside, rights)
		}
	}
}

// create makes an empty file that others cannot read; SQLite gives its -wal and
// -shm the same rights. Another process may be first.
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

// checkLocal refuses network file systems: the shared memory and the locks that
// WAL needs do not work between their clients.
func checkLocal(path string, fsType func(string) (string, error)) error {
	name, err := fsType(path)
	if err != nil || name == "" {
		return nil // unknown is no proof of a network
	}
	return domain.Unavailable("%s is on a network file system (%s), where SQLite can damage its file; "+
		"give a path on a local disk with --db, or share a PostgreSQL database: --db postgres://…", path, name)
}

// dsn is the address that the driver takes, with what every connection needs.
func dsn(path string, params url.Values) string {
	params.Set("_defensive", "1")
	params.Set("_dqs", "0")
	params.Set("_foreign_keys", "1")
	return (&url.URL{Scheme: "file", Path: path, RawQuery: params.Encode()}).String()
}

func (e *engine) writerDSN() string {
	params := url.Values{
		"_busy_timeout": {strconv.FormatInt(busyStep.Milliseconds(), 10)},
		"_journal_mode": {"WAL"},
		"_synchronous":  {"FULL"},
		// Deleted content is zeroed where that costs no extra page; EraseContext
		// does the rest. What a statement of many rows needs to be undone is kept
		// in memory: as a file it is written with two calls for each page.
		"_pragma": {"secure_delete(fast)", "journal_size_limit(16777216)", "cache_size(-16000)", "temp_store(memory)"},
	}
	if info, err := os.Stat(e.path); err == nil && info.Size() == 0 {
		// It holds for the life of the file, and setting it again would cost
		// every start a write to the disk.
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
	if e.immutable {
		params.Set("immutable", "1")
	}
	return dsn(e.path, params)
}

// openDB returns a handle that keeps its connections.
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
