package sqlite

import (
	"context"
	"fmt"
	"time"

	"wake/domain"
	"wake/repository"
	"wake/repository/internal/sqlstore"
)

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
	if why := e.whyReadOnly(); why != "" {
		return nil, domain.Unavailable("nothing was saved, because %s", why)
	}
	c, err := e.takeWriter(ctx)
	if err != nil {
		return nil, err
	}
	err = c.setSync(ctx, d)
	if err == nil {
		err = e.retryWhileBusy(ctx, c.wait, c.beginImmediate)
	}
	if err != nil {
		e.writer <- c
		return nil, err
	}
	return &transaction{conn: c, pool: e.writer}, nil
}

// whyReadOnly says why nothing can be written, and what to do; "" if something can.
func (e *engine) whyReadOnly() string {
	switch {
	case e.full:
		return fmt.Sprintf("the disk of %s was full when wake opened it; free some space there, then start wake again (in an assistant, reconnect the MCP server)", e.path)
	case e.damaged:
		return fmt.Sprintf("the database %s is damaged, perhaps cut off; %s", e.path, replaceIt)
	case e.readOnly:
		return fmt.Sprintf("the database %s is read-only; make the file and its folder writable, or give another with --db", e.path)
	}
	return ""
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
