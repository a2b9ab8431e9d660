package sqlite

import (
	"cmp"
	"context"

	"wake/repository/internal/sqlstore"
)

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

// Behind implements [sqlstore.Engine].
func (e *engine) Behind(key, value, n, after string) (condition, order string) {
	return key + ` = ` + value + ` AND ` + n + ` > ` + after, n
}

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
