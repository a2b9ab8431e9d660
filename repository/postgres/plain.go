package postgres

import (
	"context"
	"database/sql"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"wake/repository/internal/sqlstore"
)

// plain replaces what PostgreSQL accepts in no text, NUL bytes and invalid UTF-8, by
// U+FFFD. Both occur in names of folders and of other products. The server would fail
// the statement and with it the transaction; now a query for such an id finds nothing,
// and a row with such a name is stored.
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

// transaction is a [sqlstore.Transaction] with plain arguments.
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
		text := textOf(arg)
		return strings.IndexByte(text, 0) >= 0 || !utf8.ValidString(text)
	}
	if !slices.ContainsFunc(args, odd) {
		return args
	}
	args = slices.Clone(args)
	for i, arg := range args {
		if odd(arg) {
			args[i] = strings.ToValidUTF8(strings.ReplaceAll(textOf(arg), "\x00", "\uFFFD"), "\uFFFD")
		}
	}
	return args
}

// textOf returns an argument that is text, also of a type of its own, such as
// [domain.Key]; of any other it returns "".
func textOf(arg any) string {
	if text, ok := arg.(string); ok {
		return text
	}
	if v := reflect.ValueOf(arg); v.Kind() == reflect.String {
		return v.String()
	}
	return ""
}
