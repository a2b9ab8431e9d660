package postgres

import (
	"context"
	"database/sql"
	"slices"
	"strings"
	"unicode/utf8"

	"wake/repository/internal/sqlstore"
)

// plain puts U+FFFD in the place of what PostgreSQL takes in no text: NUL bytes
// and broken UTF-8, which folders and other products have in their names. The
// server would fail the statement, and its transaction with it; so nothing is
// found under such an id, and what has such a name is kept.
type plain struct{ sqlstore.Querier }

// ExecContext implements [sqlstore.Querier].
func (p plain) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	return p.Querier.ExecContext(ctx, query, plainArgs(args)...)
}

// QueryContext implements [sqlstore.Querier].
func (p plain) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	return p.Querier.QueryContext(ctx, query, plainArgs(args)...)
}

// QueryRowContext implements [sqlstore.Querier].
func (p plain) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	return p.Querier.QueryRowContext(ctx, query, plainArgs(args)...)
}

// transaction is a [sqlstore.Transaction] of plain texts.
type transaction struct {
	plain
	ending
}

type ending interface {
	Commit() error
	Rollback() error
}

func inTransaction(t *sql.Tx) sqlstore.Transaction { return transaction{plain{t}, t} }

func plainArgs(args []any) []any {
	odd := func(arg any) bool {
		text, ok := arg.(string)
		return ok && (strings.IndexByte(text, 0) >= 0 || !utf8.ValidString(text))
	}
	if !slices.ContainsFunc(args, odd) {
		return args
	}
	args = slices.Clone(args)
	for i, arg := range args {
		if odd(arg) {
			args[i] = strings.ToValidUTF8(strings.ReplaceAll(arg.(string), "\x00", "\uFFFD"), "\uFFFD")
		}
	}
	return args
}
