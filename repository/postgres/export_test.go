package postgres

import (
	"context"
	"database/sql"

	"github.com/jackc/pgx/v5"

	"wake/migrations"
	"wake/repository"
)

// OpenKnowing is Open by a wake that knows other migrations.
func OpenKnowing(ctx context.Context, url string, opts Options, known []migrations.Migration) (repository.Store, error) {
	return open(ctx, url, opts, known)
}

// Dial opens a connection as the store does.
var Dial = dialer().DialContext

// OpenPreparing is Open that prepares every statement at its first use.
func OpenPreparing(ctx context.Context, url string, opts Options) (repository.Store, error) {
	opts.preparedFrom = 1
	return Open(ctx, url, opts)
}

// Pool opens connections as a brief store does.
func Pool(url string) (*sql.DB, error) {
	config, err := pgx.ParseConfig(url)
	if err != nil {
		return nil, err
	}
	config.DefaultQueryExecMode = pgx.QueryExecModeExec
	return pool(config, nil), nil
}
