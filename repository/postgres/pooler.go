package postgres

import (
	"context"
	"database/sql"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
)

// connect opens a pool of connections. They prepare their statements, unless the process
// is too brief to gain by it, or a pooler gives the next transaction a connection that
// knows nothing of them.
func connect(ctx context.Context, config *pgx.ConnConfig, brief bool) (*sql.DB, error) {
	if config.DefaultQueryExecMode != pgx.QueryExecModeCacheStatement { // the URL says how
		return pool(config), nil
	}
	if !brief {
		db := pool(config)
		if pooled, err := behindPooler(ctx, db); err != nil || !pooled {
			return db, err
		}
		db.Close()
	}
	config.DefaultQueryExecMode = pgx.QueryExecModeExec
	return pool(config), nil
}

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
