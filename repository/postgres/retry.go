package postgres

import (
	"context"
	"database/sql"
	"time"

	"wake/repository/internal/sqlstore"
)

// retrying runs each query without a transaction on any connection of the pool. After
// the server was restarted, connections in the pool are dead, which over a network
// shows only when they are used: the query is then repeated on the next connection, at
// last on a new one.
type retrying struct{ db *sql.DB }

var _ sqlstore.Querier = retrying{}

// retryWhileCut repeats fn while the server has cut the connection it was given.
func retryWhileCut(fn func() error) error {
	err := fn()
	for again := 0; again < maxIdle && cut(err); again++ {
		err = fn()
	}
	return err
}

// trusted is how long a connection may be idle without being tested before use, and
// answerTime is how long the test waits for an answer.
const (
	trusted    = time.Second
	answerTime = 5 * time.Second
)

// ExecContext implements [sqlstore.Querier]. It is not repeated, because nobody knows
// how far a change got.
func (r retrying) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	return r.db.ExecContext(ctx, query, args...)
}

// QueryContext implements [sqlstore.Querier].
func (r retrying) QueryContext(ctx context.Context, query string, args ...any) (rows *sql.Rows, err error) {
	err = retryWhileCut(func() error {
		rows, err = r.db.QueryContext(ctx, query, args...)
		return err
	})
	return rows, err
}

// QueryRowContext implements [sqlstore.Querier].
func (r retrying) QueryRowContext(ctx context.Context, query string, args ...any) (row *sql.Row) {
	retryWhileCut(func() error { // the row holds the error
		row = r.db.QueryRowContext(ctx, query, args...)
		return row.Err()
	})
	return row
}
