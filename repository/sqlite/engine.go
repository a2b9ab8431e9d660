package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"sync"
	"time"

	sqlite3 "modernc.org/sqlite/lib"

	"wake/domain"
	"wake/files"
	"wake/repository"
	"wake/repository/internal/sqlstore"
)

const readers = 4 // number of connections that can read at the same time

// How long SQLite itself waits for others, between checks of the context.
const (
	busyStep    = 5 * time.Millisecond
	upgradeTime = 250 * time.Millisecond // many processes may begin a file at once, and each has to wait for one
	readersTime = 250 * time.Millisecond // for readers of an older state, most of which end at once
)

// engine is one open file, with one connection for writing and a few for reading.
// SQLite allows one writer anyway, and waiting inside the process is fairer and cheaper
// than waiting for the file lock.
type engine struct {
	path      string
	file      os.FileInfo // identifies the opened file, see [engine.checkInPlace]
	beside    []openFile  // the opened -wal and -shm
	opts      Options
	schema    sqlstore.Schema
	readOnly  bool
	immutable bool // nobody can write the file, not even create its -shm
	full      bool // there was no room for that -shm when the file was opened
	damaged   bool // SQLite refuses the file as a whole, so what is left of it is only read

	writeDB, readDB *sql.DB
	writer          chan *conn    // holds the writer's connection while nobody writes
	idle            chan *conn    // holds the open readers that are not in use
	unopened        chan struct{} // one token for each reader that may still be opened
	closed          chan struct{}
	closeOnce       sync.Once
}

var _ sqlstore.Engine = (*engine)(nil)

func newEngine(path string, opts Options, schema sqlstore.Schema, readOnly bool) *engine {
	e := &engine{path: path, opts: opts, schema: schema, readOnly: readOnly, closed: make(chan struct{})}
	e.writer = make(chan *conn, 1)
	e.idle = make(chan *conn, readers)
	e.unopened = make(chan struct{}, readers)
	for range readers {
		e.unopened <- struct{}{}
	}
	return e
}

// start opens the connections and brings the tables up to date.
func (e *engine) start(ctx context.Context) error {
	if e.readOnly {
		return e.startReadOnly(ctx)
	}
	if err := e.retryWhileBusy(ctx, busyStep, e.openWriter); err != nil {
		_ = closeDB(e.writeDB) // the first error matters; Close must not wait for a writer that was never opened
		e.writeDB = nil
		if noRoom(err) && !e.opts.Brief {
			e.readOnly, e.full = true, true
			return e.startReadOnly(ctx)
		}
		if code(err)&primary == sqlite3.SQLITE_CORRUPT && !e.opts.Brief && e.startDamaged(ctx) {
			return nil
		}
		return err
	}
	var err error
	if e.readDB, err = openDB(e.readerDSN(), readers); err != nil {
		return err
	}
	if err = e.migrate(ctx); err == nil {
		e.rememberBeside() // a new file has them from its first tables on
	}
	return err
}

func (e *engine) openWriter(ctx context.Context) error {
	if e.writeDB == nil {
		db, err := openDB(e.writerDSN(), 1)
		if err != nil {
			return err
		}
		e.writeDB = db
	}
	c, err := connect(ctx, e.writeDB)
	if err != nil {
		return err
	}
	if err := c.eraseFreed(ctx); err != nil {
		c.close()
		return err
	}
	c.wait = busyStep
	e.writer <- c
	return e.rememberFile()
}

// eraseFreed makes SQLite zero freed pages in a file without auto_vacuum, such as one
// rewritten by SQLite's own tools. Otherwise erased data would stay in its free pages.
func (c *conn) eraseFreed(ctx context.Context) error {
	var vacuum int
	err := c.raw.QueryRowContext(ctx, "PRAGMA auto_vacuum").Scan(&vacuum)
	if err == nil && vacuum == 0 {
		_, err = c.raw.ExecContext(ctx, "PRAGMA secure_delete = ON")
	}
	return err
}

// retryWhileBusy repeats try while the database is locked, for at most BusyTimeout.
// Some locks of SQLite (switching to WAL, recovery) do not wait by themselves, and no
// lock checks the context. At first it tries so often that it meets each short moment in
// which a large writer lets others go first. What a try takes beyond SQLite's own wait is
// for want of a processor, which the writer needs too: eighty servers that began a file
// together, on two slow processors, otherwise kept it from ending for half a minute.
func (e *engine) retryWhileBusy(ctx context.Context, own time.Duration, try func(context.Context) error) error {
	began := time.Now()
	for {
		tried := time.Now()
		err := try(ctx)
		waited, starved := time.Since(began), max(0, time.Since(tried)-own)
		if !isBusy(err) || waited > e.opts.BusyTimeout {
			return err
		}
		pause := min(max(time.Millisecond, waited/16), 10*time.Millisecond) + min(2*starved, time.Second)
		if err := pauseFor(ctx, pause); err != nil {
			return err
		}
	}
}

func (e *engine) isClosed() error {
	return domain.Unavailable("the database %s has been closed", e.path)
}

// Close implements [sqlstore.Engine]. It waits for what is running. The last process to
// close a file writes the -wal back and removes it, which waits for the disk several
// times; a brief process leaves that to the next one. A -wal that was deleted or replaced
// is not written back: that could damage a copy that was put in the database's place, and
// would delete the -wal of those who have opened it since.
func (e *engine) Close() (err error) {
	e.closeOnce.Do(func() {
		close(e.closed)
		open := e.drain()
		if e.mayLeaveWAL() || e.checkBeside() != nil {
			return
		}
		for _, c := range open {
			c.close()
		}
		err = errors.Join(closeDB(e.readDB), closeDB(e.writeDB))
	})
	return err
}

// briefWAL is the largest -wal, in bytes, that a brief process leaves behind, the
// writes of about a dozen hooks. The next process to open the file alone has to read
// all of it.
const briefWAL = 1 << 20

// mayLeaveWAL reports whether to exit without closing, as a killed process does: the
// system closes the files, and committed data is in the -wal. A larger -wal is written
// back, because only a regular close empties it.
func (e *engine) mayLeaveWAL() bool {
	if !e.opts.Brief {
		return false
	}
	wal, err := os.Stat(files.Resolve(e.path) + "-wal")
	return err == nil && wal.Size() < briefWAL
}

// drain takes the connections out of their pools for good. For a writer that was never
// returned it waits no longer than BusyTimeout.
func (e *engine) drain() (open []*conn) {
	for range readers {
		select {
		case c := <-e.idle:
			open = append(open, c)
		case <-e.unopened:
		}
	}
	if e.writeDB == nil {
		return open
	}
	select {
	case c := <-e.writer:
		open = append(open, c)
	case <-time.After(e.opts.BusyTimeout):
	}
	return open
}

func closeDB(db *sql.DB) error {
	if db == nil {
		return nil
	}
	return db.Close()
}

// Info implements [sqlstore.Engine].
func (e *engine) Info(ctx context.Context, q sqlstore.Querier) (info repository.Info, err error) {
	info.Address, info.ReadOnly = e.path, e.whyReadOnly()
	if err := q.QueryRowContext(ctx, "SELECT 'sqlite ' || sqlite_version()").Scan(&info.Engine); err != nil {
		return info, err
	}
	if info.Schema, err = version(ctx, q); err != nil {
		return info, err
	}
	for _, suffix := range []string{"", "-wal"} {
		if st, err := os.Stat(files.Resolve(e.path) + suffix); err == nil {
			info.Size += st.Size()
		}
	}
	return info, nil
}
