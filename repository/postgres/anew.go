package postgres

import (
	"context"
	"database/sql"
	"time"

	"github.com/jackc/pgx/v5/stdlib"

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

// How long a connection may lie idle and still be trusted, and how long another one may
// take to answer before it is used again.
const (
	trusted    = time.Second
	answerTime = 5 * time.Second
)

// isForgotten reports whether an idle connection leads nowhere, as after a change of
// networks: by itself the system would wait a quarter of an hour for an answer. A
// connection that does not answer is closed, which the driver finds when it asks again.
func isForgotten(ctx context.Context, idle stdlib.ShouldPingParams) bool {
	if idle.IdleDuration <= trusted {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	return idle.Conn.Ping(ctx) != nil
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
