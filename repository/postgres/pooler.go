package postgres

import (
	"context"
	"database/sql"
	"strconv"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
)

// connect opens a pool of connections that prepare their statements and wait for locks
// at most o.BusyTimeout. It does without both if the process is too brief to gain from
// them, if the URL disables prepared statements, or if a pooler may run each
// transaction on another connection.
func connect(ctx context.Context, config *pgx.ConnConfig, o Options) (*sql.DB, error) {
	if config.DefaultQueryExecMode != pgx.QueryExecModeCacheStatement { // the URL chooses the mode
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

// lockTimeout limits how long a statement waits for a lock. Writers set their own
// limit. By default a read would wait forever for a table that an administrator has
// locked.
const lockTimeout = "lock_timeout"

// behindPooler reports whether something like PgBouncer stands between wake and the
// server: then the backend process named on connecting is not the one that runs the
// statements.
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
