package postgres

import (
	"context"
	"database/sql"
	"slices"
	"strings"
	"unicode/utf8"

	"wake/repository/internal/sqlstore"
)

// asking lets a question name what PostgreSQL takes in no text: NUL bytes and
// broken UTF-8. Nothing has such an id or name, so nothing is found, as in SQLite;
// the server would fail the statement, and its transaction with it. What is to be
// stored goes as it is.
type asking struct{ sqlstore.Querier }

// QueryContext implements [sqlstore.Querier].
func (a asking) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	return a.Querier.QueryContext(ctx, query, askable(query, args)...)
}

// QueryRowContext implements [sqlstore.Querier].
func (a asking) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	return a.Querier.QueryRowContext(ctx, query, askable(query, args)...)
}

// transaction is a [sqlstore.Transaction] that asks so.
type transaction struct {
	asking
	end
}

type end interface {
	Commit() error
	Rollback() error
}

func inTransaction(t *sql.Tx) sqlstore.Transaction { return transaction{asking{t}, t} }

// askable is args as the server takes them in a question.
func askable(query string, args []any) []any {
	if !strings.HasPrefix(query, "SELECT") && !strings.HasPrefix(query, "WITH") {
		return args
	}
	out := args
	for i, arg := range args {
		text, ok := arg.(string)
		if !ok || utf8.ValidString(text) && strings.IndexByte(text, 0) < 0 {
			continue
		}
		if &out[0] == &args[0] {
			out = slices.Clone(args)
		}
		out[i] = strings.ToValidUTF8(strings.ReplaceAll(text, "\x00", "\uFFFD"), "\uFFFD")
	}
	return out
}
