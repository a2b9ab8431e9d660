package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// keptStatements is how many prepared statements a connection keeps.
const keptStatements = 256

// conn is a connection that keeps its statements prepared, because preparing costs as
// much as running in this driver. Only one goroutine at a time may use it.
type conn struct {
	raw   *sql.Conn
	stmts map[string]*sql.Stmt

	// Of the writer alone:
	sync string        // current value of PRAGMA synchronous
	wait time.Duration // how long SQLite itself waits for others
}

func connect(ctx context.Context, db *sql.DB) (*conn, error) {
	raw, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	return &conn{raw: raw, stmts: make(map[string]*sql.Stmt)}, nil
}

// waitFor sets how long SQLite itself waits for others.
func (c *conn) waitFor(ctx context.Context, d time.Duration) error {
	_, err := c.raw.ExecContext(ctx, fmt.Sprintf("PRAGMA busy_timeout = %d", d.Milliseconds()))
	if err == nil {
		c.wait = d
	}
	return err
}

func (c *conn) prepare(ctx context.Context, query string) (*sql.Stmt, error) {
	if s, ok := c.stmts[query]; ok {
		return s, nil
	}
	if len(c.stmts) >= keptStatements {
		c.forget()
	}
	s, err := c.raw.PrepareContext(ctx, positional(query))
	if err == nil {
		c.stmts[query] = s
	}
	return s, err
}

// positional replaces the placeholders $1, $2, $3 … by question marks if they occur in
// this order, each once. SQLite looks up a numbered placeholder among all earlier ones
// each time it is bound, which is quadratic for statements with a thousand of them.
func positional(query string) string {
	parts := strings.Split(query, "$")
	var b strings.Builder
	b.WriteString(parts[0])
	for i, part := range parts[1:] {
		rest, ok := strings.CutPrefix(part, strconv.Itoa(i+1))
		if !ok || rest != "" && rest[0] >= '0' && rest[0] <= '9' {
			return query
		}
		b.WriteString("?" + rest)
	}
	return b.String()
}

func (c *conn) forget() {
	for _, s := range c.stmts {
		s.Close()
	}
	clear(c.stmts)
}

// ExecContext implements [sqlstore.Querier]. It checks the context before the statement
// and not while it runs: writes are short, and to watch a context the driver starts a
// goroutine per statement, which costs as much as a small statement.
func (c *conn) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	ctx = context.WithoutCancel(ctx)
	if len(args) == 0 {
		return c.raw.ExecContext(ctx, query) // may be a script
	}
	s, err := c.prepare(ctx, query)
	if err != nil {
		return nil, err
	}
	return s.ExecContext(ctx, args...)
}

// QueryContext implements [sqlstore.Querier].
func (c *conn) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	s, err := c.prepare(ctx, query)
	if err != nil {
		return nil, err
	}
	return s.QueryContext(ctx, args...)
}

// QueryRowContext implements [sqlstore.Querier].
func (c *conn) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	s, err := c.prepare(ctx, query)
	if err != nil {
		return c.raw.QueryRowContext(ctx, query, args...) // fails the same way, within a Row
	}
	return s.QueryRowContext(ctx, args...)
}

// unwatched is a connection for short queries. As with writes, the context is checked
// before they start and not while they run.
type unwatched struct{ *conn }

// QueryContext implements [sqlstore.Querier].
func (c unwatched) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return c.conn.QueryContext(context.WithoutCancel(ctx), query, args...)
}

// QueryRowContext implements [sqlstore.Querier].
func (c unwatched) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	if ctx.Err() == nil {
		ctx = context.WithoutCancel(ctx)
	}
	return c.conn.QueryRowContext(ctx, query, args...)
}

func (c *conn) close() {
	c.forget()
	c.raw.Close()
}

// transaction is an open transaction. Its connection returns to the pool at the end.
type transaction struct {
	*conn
	pool chan *conn
}

// Commit implements [sqlstore.Transaction].
func (t *transaction) Commit() error {
	err := t.exec("COMMIT")
	if err != nil {
		t.exec("ROLLBACK")
	}
	t.pool <- t.conn
	return err
}

// Rollback implements [sqlstore.Transaction].
func (t *transaction) Rollback() error {
	err := t.exec("ROLLBACK")
	t.pool <- t.conn
	return err
}

// exec runs a statement that must not be interrupted.
func (t *transaction) exec(query string) error {
	s, err := t.prepare(context.Background(), query)
	if err != nil {
		return err
	}
	_, err = s.Exec()
	return err
}
