package sqlite

import (
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
	readers  = 4                      // connections that read at the same time
	busyStep = 250 * time.Millisecond // SQLite's own wait for a lock, between looks at the context
)

// engine is one open file: one connection that writes, because SQLite has one
// writer anyway and waiting in the process is fairer and cheaper than at the
// file's lock, and a few that read.
type engine struct {
	path      string
	file      os.FileInfo // of the file that was opened, see [engine.inPlace]
	opts      Options
	schema    sqlstore.Schema
	readOnly  bool
	immutable bool // nobody can write the file, not even its -shm

	writeDB, readDB *sql.DB
	writer          chan *conn    // holds the writer while nobody writes
	idle            chan *conn    // holds readers that are open
	unopened        chan struct{} // one for each reader that may still be opened
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
	if err := e.patiently(ctx, e.openWriter); err != nil {
		_ = closeDB(e.writeDB) // err says more, and Close must not wait for a writer that never was
		e.writeDB = nil
		return err
	}
	var err error
	if e.readDB, err = openDB(e.readerDSN(), readers); err != nil {
		return err
	}
	return e.migrate(ctx)
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
	return e.remember()
}

// eraseFreed has freed pages zeroed in a file that gives none back, such as one that
// SQLite's own tools have made anew: what was erased would stay in them.
func (c *conn) eraseFreed(ctx context.Context) error {
	var vacuum int
	err := c.raw.QueryRowContext(ctx, "PRAGMA auto_vacuum").Scan(&vacuum)
	if err == nil && vacuum == 0 {
		_, err = c.raw.ExecContext(ctx, "PRAGMA secure_delete = ON")
	}
	return err
}

// patiently tries again while the database is locked, until the time for waiting
// is over. Some locks of SQLite (a switch to WAL, recovery) do not wait by
// themselves, and none looks at the context.
func (e *engine) patiently(ctx context.Context, try func(context.Context) error) error {
	deadline := time.Now().Add(e.opts.BusyTimeout)
	for pause := time.Millisecond; ; pause = min(2*pause, 50*time.Millisecond) {
		err := try(ctx)
		if !isBusy(err) || time.Now().After(deadline) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
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

// lock opens a write transaction. It waits twice: for writers of this process,
// then for those of others.
func (e *engine) lock(ctx context.Context, d repository.Durability) (*transaction, error) {
	if err := e.inPlace(); err != nil {
		return nil, err
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
		err = e.patiently(ctx, c.beginImmediate)
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

// setSync makes the next commit wait for the disk, or not. It can only be set
// outside of a transaction.
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

// checkVersion notices that a newer wake has upgraded the file since it was opened.
func (e *engine) checkVersion(ctx context.Context, q sqlstore.Querier) error {
	have, err := version(context.WithoutCancel(ctx), q)
	if err != nil || have == e.schema.Latest() {
		return err
	}
	return e.schema.MayWrite(ctx, q, have)
}

// version is the version of the tables; 0 is a new file.
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

// takeReader returns a connection to read with and the pool that it goes back to.
// Opening one costs as much as some fifty reads, because each parses the whole
// schema: those that are open come first, in a brief process the writer too.
func (e *engine) takeReader(ctx context.Context) (c *conn, pool chan *conn, err error) {
	if err := e.inPlace(); err != nil {
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
		default: // it writes just now
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
	if c, err = connect(ctx, e.readDB); err != nil {
		e.unopened <- struct{}{}
	}
	return c, e.idle, err
}

func (e *engine) isClosed() error {
	return domain.Unavailable("the database %s has been closed", e.path)
}

// Close implements [sqlstore.Engine]. It waits for what is running. The last one
// to close writes the -wal back and removes it, which waits for the disk several
// times: a brief process leaves that to whoever comes next.
func (e *engine) Close() (err error) {
	e.closeOnce.Do(func() {
		close(e.closed)
		open := e.drain()
		if e.leavesWAL() {
			return
		}
		for _, c := range open {
			c.close()
		}
		err = errors.Join(closeDB(e.readDB), closeDB(e.writeDB))
	})
	return err
}

// briefWAL is how many bytes of -wal a brief process leaves behind, a dozen of
// hooks' worth. Whoever opens the file next, as the only one, reads them all.
const briefWAL = 1 << 20

// leavesWAL reports whether to end without closing, as a process does that is
// killed: the system closes the files, and what was committed stands in the -wal.
// One that has grown is written back, because only an end in order empties it.
func (e *engine) leavesWAL() bool {
	if !e.opts.Brief {
		return false
	}
	wal, err := os.Stat(followed(e.path) + "-wal")
	return err == nil && wal.Size() < briefWAL
}

// drain takes the connections out of their pools for good. A writer that was never
// opened, or hangs, is not waited for without end.
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
		if st, err := os.Stat(followed(e.path) + suffix); err == nil {
			info.Size += st.Size()
		}
	}
	return info, nil
}
