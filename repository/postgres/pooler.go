package postgres

import (
	"context"
	"database/sql"
	"strconv"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
)

// connect opens a pool of connections. They prepare their statements and wait for a lock
// no longer than o says, unless the process is too brief to gain by it, the URL leaves no
// room for what is prepared, or a pooler gives the next transaction a connection that
// knows nothing of either.
func connect(ctx context.Context, config *pgx.ConnConfig, o Options) (*sql.DB, error) {
	if config.DefaultQueryExecMode != pgx.QueryExecModeCacheStatement { // the URL says how
		return pool(config), nil
	}
	if !o.Brief && config.StatementCacheCapacity > 0 {
		_, given := config.RuntimeParams[lockTimeout]
		if !given {
			config.RuntimeParams[lockTimeout] = strconv.FormatInt(o.BusyTimeout.Milliseconds(), 10)
		}
		db := pool(config)
		pooled, err := behindPooler(ctx, db)
		refused := isProtocolViolation(err)
		if err != nil && !refused || err == nil && !pooled {
			return db, err
		}
		db.Close()
		if !given {
			delete(config.RuntimeParams, lockTimeout)
		}
	}
	config.DefaultQueryExecMode = pgx.QueryExecModeExec
	return pool(config), nil
}

// lockTimeout is the setting of how long a statement waits for a lock. Writers set their
// own; by that of the server a question would wait for ever where an administrator has
// locked a table.
const lockTimeout = "lock_timeout"

// behindPooler reports whether something like PgBouncer answers in the server's place:
// the process that it names when one connects is then not the one that does the work.
func behindPooler(ctx context.Context, db *sql.DB) (pooled bool, err error) {
	c, err := db.Conn(ctx)
	if err != nil {
		return false, err
	}
	defer c.Close()
	err = c.Raw(func(driver any) error {
		conn := driver.(*stdlib.Conn).Conn()
		var working uint32
		err := conn.QueryRow(ctx, `SELECT pg_backend_pid()`, pgx.QueryExecModeExec).Scan(&working)
		pooled = working != conn.PgConn().PID()
		return err
	})
	return pooled, err
}
