package postgres

import (
	"context"
	"database/sql"

	"wake/repository/internal/sqlstore"
)

// anew runs queries without a transaction, each on any connection of the pool. A
// server that was started anew has left dead ones there, of which over a network
// only the answer tells: the query goes to the next, until a new one is made.
type anew struct{ db *sql.DB }

var _ sqlstore.Querier = anew{}

// onceMore runs fn again while the server has cut the connection that it was given.
func onceMore(fn func() error) error {
	err := fn()
	for again := 0; again < maxIdle && cut(err); again++ {
		err = fn()
	}
	return err
}

// ExecContext implements [sqlstore.Querier]. What changes something is not run again
// by itself: nobody knows how far it came.
func (a anew) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	return a.db.ExecContext(ctx, query, args...)
}

// QueryContext implements [sqlstore.Querier].
func (a anew) QueryContext(ctx context.Context, query string, args ...any) (rows *sql.Rows, err error) {
	err = onceMore(func() error {
		rows, err = a.db.QueryContext(ctx, query, args...)
		return err
	})
	return rows, err
}

// QueryRowContext implements [sqlstore.Querier].
func (a anew) QueryRowContext(ctx context.Context, query string, args ...any) (row *sql.Row) {
	onceMore(func() error { // the row holds the error
		row = a.db.QueryRowContext(ctx, query, args...)
		return row.Err()
	})
	return row
}
