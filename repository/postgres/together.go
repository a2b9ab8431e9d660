package postgres

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
)

// connector opens connections.
type connector struct {
	driver.Connector
	prepares *prepares
}

// Connect implements [driver.Connector].
func (c connector) Connect(ctx context.Context) (driver.Conn, error) {
	opened, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &conn{Conn: opened.(*stdlib.Conn), prepares: c.prepares, used: time.Now()}, nil
}

// conn is a connection. In a write transaction, a change waits until its result is asked
// for, or the transaction's next question or end is sent. So many changes cost one round
// trip. If one fails, or cannot be sent, that statement returns its error, and so do all
// that follow and the commit.
type conn struct {
	*stdlib.Conn
	prepares *prepares
	uses     map[string]int // of statements
	prepared int            // statements
	used     time.Time
	writing  bool
	waiting  []*change
	size     int   // of what waits, in bytes
	failed   error // of a change of the write transaction
}

// ResetSession implements [driver.SessionResetter]. After a change of networks, for
// instance, an idle connection no longer reaches the server; the operating system alone
// would wait a quarter of an hour for an answer. So one that was idle for long is tested
// before it is used again.
func (c *conn) ResetSession(ctx context.Context) error {
	on := c.Conn.Conn().PgConn()
	if on.IsClosed() || on.TxStatus() != 'I' {
		return driver.ErrBadConn
	}
	idle := time.Since(c.used)
	c.used = time.Now()
	if idle <= trusted {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	if on.Ping(ctx) != nil {
		return driver.ErrBadConn
	}
	return nil
}

// mostWaiting is how much may wait, in bytes and in statements, before it is sent.
const (
	mostWaiting = 1 << 20
	mostChanges = 256
)

// change is a statement whose result nobody has asked for yet.
type change struct {
	conn  *conn
	ctx   context.Context
	query string
	args  []any
	sent  bool
	rows  int64
	err   error
}

// LastInsertId implements [driver.Result].
func (c *change) LastInsertId() (int64, error) { return driver.RowsAffected(0).LastInsertId() }

// RowsAffected implements [driver.Result]. It sends the statement if that was not done.
func (c *change) RowsAffected() (int64, error) {
	if !c.sent {
		if err := c.conn.send(c.ctx); err != nil {
			return 0, err
		}
	}
	return c.rows, c.err
}

// BeginTx implements [driver.ConnBeginTx]. The beginning of a write transaction is sent
// with its first question.
func (c *conn) BeginTx(ctx context.Context, o driver.TxOptions) (driver.Tx, error) {
	if o.ReadOnly {
		return c.Conn.BeginTx(ctx, o)
	}
	if c.Conn.Conn().IsClosed() {
		return nil, driver.ErrBadConn
	}
	c.writing, c.failed = true, nil
	c.add(ctx, `BEGIN ISOLATION LEVEL READ COMMITTED`, nil)
	return writing{c, ctx}, nil
}

// add lets a statement wait. Its arguments may be overwritten afterwards.
func (c *conn) add(ctx context.Context, query string, args []any) *change {
	next := &change{conn: c, ctx: ctx, query: query, args: args}
	for i, arg := range args {
		switch arg := arg.(type) {
		case []byte:
			args[i] = bytes.Clone(arg)
			c.size += len(arg)
		case string:
			c.size += len(arg)
		}
	}
	c.waiting = append(c.waiting, next)
	return next
}

// ExecContext implements [driver.ExecerContext]. A script of several statements has no
// arguments, and cannot wait with others.
func (c *conn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	if !c.writing {
		return c.Conn.ExecContext(ctx, query, args)
	}
	if c.failed != nil {
		return nil, c.failed
	}
	if len(args) == 0 {
		if err := c.send(ctx); err != nil {
			return nil, err
		}
		return c.Conn.ExecContext(ctx, query, args)
	}
	if err := c.prepare(ctx, query); err != nil {
		return nil, err
	}
	next := c.add(ctx, query, values(args))
	if c.size > mostWaiting || len(c.waiting) > mostChanges {
		return next, c.send(ctx)
	}
	return next, nil
}

// QueryContext implements [driver.QueryerContext].
func (c *conn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	if c.writing && c.failed != nil {
		return nil, c.failed
	}
	if err := c.prepare(ctx, query); err != nil {
		return nil, err
	}
	if len(c.waiting) == 0 {
		return c.Conn.QueryContext(ctx, query, args)
	}
	results, err := c.sendWith(ctx, query, values(args))
	if err != nil {
		return nil, err
	}
	found, err := results.Query()
	if err != nil {
		results.Close()
		return nil, err
	}
	rows := &rows{found: found, results: results}
	rows.more = found.Next() // only now are the columns known
	if err := found.Err(); err != nil {
		rows.Close()
		return nil, err
	}
	return rows, nil
}

// send sends what waits, and returns the first error.
func (c *conn) send(ctx context.Context) error {
	if len(c.waiting) == 0 {
		return nil
	}
	results, err := c.sendWith(ctx, "", nil)
	if err != nil {
		return err
	}
	return results.Close()
}

// sendWith sends what waits and, unless it is "", another statement, whose result has yet
// to be read.
func (c *conn) sendWith(ctx context.Context, query string, args []any) (pgx.BatchResults, error) {
	if c.failed != nil {
		return nil, c.failed
	}
	if c.Conn.Conn().IsClosed() {
		return nil, driver.ErrBadConn
	}
	waiting := c.waiting
	c.waiting, c.size = nil, 0
	var batch pgx.Batch
	for _, w := range waiting {
		batch.Queue(w.query, w.args...)
	}
	if query != "" {
		batch.Queue(query, args...)
	}
	results := c.Conn.Conn().SendBatch(ctx, &batch)
	for i, w := range waiting {
		tag, err := results.Exec()
		if err != nil {
			results.Close()
			c.failed = err
			drop(waiting[i:], err)
			return nil, err
		}
		w.sent, w.rows = true, tag.RowsAffected()
	}
	return results, nil
}

// drop tells changes that have no result why.
func drop(changes []*change, err error) {
	for _, w := range changes {
		w.sent, w.err = true, err
	}
}

func values(named []driver.NamedValue) []any {
	out := make([]any, len(named))
	for i, v := range named {
		out[i] = v.Value
	}
	return out
}

// writing is a write transaction.
type writing struct {
	conn *conn
	ctx  context.Context
}

// Commit implements [driver.Tx].
func (w writing) Commit() error {
	c := w.conn
	defer func() { c.writing = false }()
	results, err := c.sendWith(w.ctx, `COMMIT`, nil)
	if err == nil {
		tag, failed := results.Exec()
		if err = failed; err == nil && tag.String() == "ROLLBACK" {
			err = pgx.ErrTxCommitRollback
		}
		if closed := results.Close(); err == nil {
			err = closed
		}
	}
	if err != nil {
		_ = w.rollback() // otherwise the connection could not be used again
	}
	return err
}

// Rollback implements [driver.Tx].
func (w writing) Rollback() error {
	defer func() { w.conn.writing = false }()
	return w.rollback()
}

// rollback does not send what waits. A connection that cannot be told to go back is closed,
// because it may hold the writers' lock.
func (w writing) rollback() error {
	c := w.conn
	drop(c.waiting, cmp.Or(w.ctx.Err(), sql.ErrTxDone))
	c.waiting, c.size, c.failed = nil, 0, nil
	if c.Conn.Conn().PgConn().TxStatus() == 'I' { // nothing was sent
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(w.ctx), answerTime)
	defer cancel()
	_, err := c.Conn.Conn().Exec(ctx, `ROLLBACK`)
	if err != nil {
		c.Conn.Close()
	}
	return err
}
