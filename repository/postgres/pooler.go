package postgres

import (
	"cmp"
	"context"
	"database/sql"
	"strconv"
	"sync/atomic"

	"github.com/jackc/pgx/v5"
)

// connect opens a pool of connections that wait for locks at most o.BusyTimeout, and
// prepare statements that come often. They do without both if the process is too brief to
// gain from them, if the URL disables prepared statements, or if a pooler refuses the
// setting.
func connect(ctx context.Context, config *pgx.ConnConfig, o Options) (*sql.DB, error) {
	if config.DefaultQueryExecMode != pgx.QueryExecModeCacheStatement { // the URL chooses the mode
		return pool(config, nil), nil
	}
	config.DefaultQueryExecMode = pgx.QueryExecModeExec
	if o.Brief || config.StatementCacheCapacity == 0 {
		return pool(config, nil), nil
	}
	_, given := config.RuntimeParams[lockTimeout]
	if !given {
		config.RuntimeParams[lockTimeout] = strconv.FormatInt(o.BusyTimeout.Milliseconds(), 10)
	}
	db := pool(config, &prepares{from: cmp.Or(o.preparedFrom, preparedFrom)})
	c, err := db.Conn(ctx)
	if err == nil {
		return db, c.Close()
	}
	if !isProtocolViolation(err) {
		return db, err
	}
	db.Close()
	if !given {
		delete(config.RuntimeParams, lockTimeout)
	}
	return pool(config, nil), nil
}

// lockTimeout limits how long a statement waits for a lock. Writers set their own
// limit. By default a read would wait forever for a table that an administrator has
// locked.
const lockTimeout = "lock_timeout"

// prepares says when connections prepare statements. A nil one says never.
type prepares struct {
	from   int         // the use from which a statement is prepared
	asked  atomic.Bool // whether there is a pooler
	pooled atomic.Bool
}

// A statement is prepared at its fifth use on a connection, as Java's driver does too:
// preparing takes a round trip, which most statements of a command are not worth. Of others
// than the first thousands, whose texts differ by the number of their arguments, it is
// forgotten how often they came.
const (
	preparedFrom = 5
	mostCounted  = 4096
	mostPrepared = 512
)

// prepare prepares a statement that comes often. Statements sent later are then run by it.
func (c *conn) prepare(ctx context.Context, query string) error {
	if c.prepares == nil || c.prepares.pooled.Load() || c.prepared >= mostPrepared {
		return nil
	}
	if len(c.uses) >= mostCounted || c.uses == nil {
		c.uses = map[string]int{}
	}
	c.uses[query]++
	if c.uses[query] != c.prepares.from {
		return nil
	}
	if pooled, err := c.behindPooler(ctx); pooled || err != nil {
		return err
	}
	c.prepared++
	_, err := c.Conn.Conn().Prepare(ctx, query, query)
	return err
}

// behindPooler reports whether something like PgBouncer stands between wake and the server,
// which may run each transaction on another connection: then the backend process named on
// connecting is not the one that runs the statements.
func (c *conn) behindPooler(ctx context.Context) (bool, error) {
	if c.prepares.asked.Load() {
		return c.prepares.pooled.Load(), nil
	}
	var working uint32
	if err := c.Conn.Conn().QueryRow(ctx, `SELECT pg_backend_pid()`).Scan(&working); err != nil {
		return false, err
	}
	pooled := working != c.Conn.Conn().PgConn().PID()
	c.prepares.pooled.Store(pooled)
	c.prepares.asked.Store(true)
	return pooled, nil
}
