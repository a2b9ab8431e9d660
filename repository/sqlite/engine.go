package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"os"
	"sync"
	"time"

	"wake/domain"
	"wake/repository"
	"wake/repository/internal/sqlstore"
)

const (
	readers  = 4                      // number of connections that can read at the same time
	busyStep = 250 * time.Millisecond // SQLite's own wait for a lock, between checks of the context
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
	if err := e.retryWhileBusy(ctx, e.openWriter); err != nil {
		_ = closeDB(e.writeDB) // the first error matters; Close must not wait for a writer that was never opened
		e.writeDB = nil
		if noRoom(err) && !e.opts.Brief {
			e.readOnly, e.full = true, true
			return e.startReadOnly(ctx)
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
// lock checks the context.
func (e *engine) retryWhileBusy(ctx context.Context, try func(context.Context) error) error {
	deadline := time.Now().Add(e.opts.BusyTimeout)
	for pause := time.Millisecond; ; pause = min(2*pause, 50*time.Millisecond) {
		err := try(ctx)
		if !isBusy(err) || time.Now().After(deadline) {
			return err
		}
		if err := pauseFor(ctx, pause); err != nil {
			return err
		}
	}
}

// BeginWrite implements [sqlstore.Engine].
func (e *engine) BeginWrite(ctx context.Context, d repository.Durability) (sqlstore.Transaction, error) {
	t, err := e.lock(ctx, d)
	if err != nil {
		return nil, err
	}
	if err := e.checkVersion(ctx, t); err != nil {
		t.Rollback()
		return nil, err
	}
	return t, nil
}

// lock opens a write transaction. It first waits for writers of this process, then for
// those of others.
func (e *engine) lock(ctx context.Context, d repository.Durability) (*transaction, error) {
	if err := e.checkInPlace(); err != nil {
		return nil, err
	}
	if e.full {
		return nil, domain.Unavailable("nothing was saved, because the disk of %s was full when wake opened it; free some space there, then start wake again "+
			"(in an assistant, reconnect the MCP server)", e.path)
	}
	if e.readOnly {
		return nil, domain.Unavailable("the database %s is read-only; make the file and its folder writable, or give another with --db", e.path)
	}
	c, err := e.takeWriter(ctx)
	if err != nil {
		return nil, err
	}
	err = c.setSync(ctx, d)
	if err == nil {
		err = e.retryWhileBusy(ctx, c.beginImmediate)
	}
	if err != nil {
		e.writer <- c
		return nil, err
	}
	return &transaction{conn: c, pool: e.writer}, nil
}

func (e *engine) takeWriter(ctx context.Context) (*conn, error) {
	timeout := time.NewTimer(e.opts.BusyTimeout)
	defer timeout.Stop()
	select {
	case c := <-e.writer:
		return c, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-e.closed:
		return nil, e.isClosed()
	case <-timeout.C:
		return nil, domain.Unavailable("another write of this process has held the database for %v; try again", e.opts.BusyTimeout)
	}
}

// setSync decides whether the next commit waits for the disk. It must be called outside
// a transaction.
func (c *conn) setSync(ctx context.Context, d repository.Durability) error {
	want := "NORMAL"
	if d == repository.Durable {
		want = "FULL"
	}
	if c.sync == want {
		return nil
	}
	_, err := c.raw.ExecContext(ctx, "PRAGMA synchronous = "+want)
	if err == nil {
		c.sync = want
	}
	return err
}

func (c *conn) beginImmediate(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s, err := c.prepare(ctx, "BEGIN IMMEDIATE")
	if err == nil {
		_, err = s.ExecContext(context.WithoutCancel(ctx)) // as in conn.ExecContext
	}
	return err
}

// checkVersion detects that a newer wake has upgraded the file since it was opened.
func (e *engine) checkVersion(ctx context.Context, q sqlstore.Querier) error {
	have, err := version(context.WithoutCancel(ctx), q)
	if err != nil {
		return err
	}
	return e.schema.MayWrite(ctx, q, have)
}

// version returns the version of the tables; 0 is a new file.
func version(ctx context.Context, q sqlstore.Querier) (v int, err error) {
	err = q.QueryRowContext(ctx, "PRAGMA user_version").Scan(&v)
	return v, err
}

// BeginRead implements [sqlstore.Engine].
func (e *engine) BeginRead(ctx context.Context) (sqlstore.Transaction, error) {
	c, pool, err := e.takeReader(ctx)
	if err != nil {
		return nil, err
	}
	s, err := c.prepare(ctx, "BEGIN")
	if err == nil {
		_, err = s.ExecContext(context.WithoutCancel(ctx)) // as in conn.ExecContext
	}
	if err != nil {
		pool <- c
		return nil, err
	}
	return &transaction{conn: c, pool: pool}, nil
}

// LookUp implements [sqlstore.Engine].
func (e *engine) LookUp(ctx context.Context) (q sqlstore.Querier, done func(), err error) {
	c, pool, err := e.takeReader(ctx)
	if err != nil {
		return nil, nil, err
	}
	return unwatched{c}, func() { pool <- c }, nil
}

// Far implements [sqlstore.Engine].
func (e *engine) Far() bool { return false }

// takeReader returns a connection for reading and the pool to which it must be
// returned. Opening a connection costs as much as some fifty reads, because each parses
// the whole schema. So open connections come first, and a brief process uses its writer
// too.
func (e *engine) takeReader(ctx context.Context) (c *conn, pool chan *conn, err error) {
	if err := e.checkInPlace(); err != nil {
		return nil, nil, err
	}
	select {
	case c := <-e.idle:
		return c, e.idle, nil
	default:
	}
	if e.opts.Brief {
		select {
		case c := <-e.writer:
			return c, e.writer, nil
		default: // it is being used to write
		}
	}
	select {
	case c := <-e.idle:
		return c, e.idle, nil
	case <-e.unopened:
	case <-ctx.Done():
		return nil, nil, ctx.Err()
	case <-e.closed:
		return nil, nil, e.isClosed()
	}
	if c, err = e.openReader(ctx); err != nil {
		e.unopened <- struct{}{}
	}
	return c, e.idle, err
}

// openReader opens a connection for reading. The file may have been moved away since
// it was last looked for.
func (e *engine) openReader(ctx context.Context) (*conn, error) {
	c, err := connect(ctx, e.readDB)
	if err != nil {
		return nil, cmp.Or(e.checkInPlace(), err)
	}
	return c, nil
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
	wal, err := os.Stat(resolveLinks(e.path) + "-wal")
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
func (e *engine) Info(ctx context.Context) (repository.Info, error) {
	info := repository.Info{Address: e.path}
	t, err := e.BeginRead(ctx)
	if err != nil {
		return info, err
	}
	defer t.Rollback()
	if err := t.QueryRowContext(ctx, "SELECT 'sqlite ' || sqlite_version()").Scan(&info.Engine); err != nil {
		return info, err
	}
	if info.Schema, err = version(ctx, t); err != nil {
		return info, err
	}
	for _, suffix := range []string{"", "-wal"} {
		if st, err := os.Stat(resolveLinks(e.path) + suffix); err == nil {
			info.Size += st.Size()
		}
	}
	return info, nil
}
