package sqlstore

import (
	"context"
	"database/sql"
	"math/bits"
	"strconv"
	"strings"
)

// rowsAtOnce is the most rows that one statement inserts. Fewer statements cost less,
// but beyond some sixty rows there is no further gain.
const rowsAtOnce = 64

// insertRows inserts rows with the same columns and returns the results of its statements.
// into is `INSERT INTO table (columns)`; then is an ON CONFLICT clause or "". The number of
// rows per statement is a power of two, so that few statements have to be kept
// prepared.
func insertRows(ctx context.Context, q Querier, into string, rows [][]any, then string) (results []sql.Result, err error) {
	query, width := "", 0
	var args []any
	for len(rows) > 0 {
		n := min(rowsAtOnce, 1<<(bits.Len(uint(len(rows)))-1))
		if n != width {
			query, width = into+` VALUES `+placeholders(n, len(rows[0]))+` `+then, n
		}
		args = args[:0]
		for _, row := range rows[:n] {
			args = append(args, row...)
		}
		result, err := q.ExecContext(ctx, query, args...)
		if err != nil {
			return nil, err
		}
		results, rows = append(results, result), rows[n:]
	}
	return results, nil
}

// countRows returns how many rows statements changed. Where statements travel, it waits for
// them.
func countRows(results []sql.Result, err error) (int64, error) {
	var sum int64
	for _, r := range results {
		n, err := r.RowsAffected()
		if err != nil {
			return sum, err
		}
		sum += n
	}
	return sum, err
}

// rowsOf returns the rows in which values are stored.
func rowsOf[T any](values []T, row func(T) []any) [][]any {
	rows := make([][]any, len(values))
	for i, v := range values {
		rows[i] = row(v)
	}
	return rows
}

// insert is insertRows in the transaction, with its error translated.
func (t *tx) insert(ctx context.Context, into string, rows [][]any, then string) error {
	return t.do(func(q Querier) error {
		_, err := insertRows(ctx, q, into, rows, then)
		return err
	})
}

// placeholders returns `($1, $2), ($3, $4) …`.
func placeholders(rows, columns int) string {
	var b strings.Builder
	b.Grow(rows * columns * 7)
	for i := range rows * columns {
		switch {
		case i == 0:
			b.WriteString("($")
		case i%columns == 0:
			b.WriteString("), ($")
		default:
			b.WriteString(", $")
		}
		b.WriteString(strconv.Itoa(i + 1))
	}
	return b.String() + ")"
}
