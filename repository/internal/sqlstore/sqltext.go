package sqlstore

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"math/bits"
	"strconv"
	"strings"
	"time"

	"wake/domain"
)

// chunk is the most values in one list of placeholders.
const chunk = 512

// Args collects the arguments of a statement while its text is written.
type Args []any

// Add appends a value and returns its placeholder.
func (a *Args) Add(v any) string {
	*a = append(*a, v)
	return "$" + strconv.Itoa(len(*a))
}

// addList appends at most chunk values and returns `($1, $2 …)`.
func addList[T any](a *Args, values []T) string {
	return "(" + addEach(values, func(v T) string { return a.Add(v) }) + ")"
}

// addEach joins what add returns for each of at most chunk values by commas. The list is
// padded to a power of two, so that few statements have to be kept prepared.
func addEach[T any](values []T, add func(T) string) string {
	var b strings.Builder
	for i := range 1 << bits.Len(uint(len(values)-1)) {
		b.WriteString(", ")
		b.WriteString(add(values[min(i, len(values)-1)]))
	}
	return b.String()[2:]
}

// limitTo returns ` LIMIT n`, or "" for 0: no limit. It is no argument, because SQLite
// prepares a statement anew whenever the argument of a limit is bound, which takes longer
// than to run it.
func limitTo(n int) string {
	if n <= 0 {
		return ""
	}
	return ` LIMIT ` + strconv.Itoa(n)
}

// chunks calls fn with at most chunk values at a time.
func chunks[T any](values []T, fn func([]T) error) error {
	for len(values) > 0 {
		n := min(chunk, len(values))
		if err := fn(values[:n]); err != nil {
			return err
		}
		values = values[n:]
	}
	return nil
}

// Collect runs a query and reads all rows, so that the next statement can run.
func Collect[T any](ctx context.Context, q Querier, scan func(*sql.Rows, *T) error, query string, args ...any) ([]T, error) {
	var out []T
	err := eachRow(ctx, q, func(rows *sql.Rows) error {
		var v T
		if err := scan(rows, &v); err != nil {
			return damagedRow(rows, err)
		}
		out = append(out, v)
		return nil
	}, query, args...)
	if err != nil {
		return nil, err
	}
	return out, nil
}

// damagedRow is the error for a row with values that wake does not store. SQLite returns
// whatever it finds on a damaged page.
func damagedRow(rows *sql.Rows, err error) error {
	if rows.Err() != nil || domain.KindOf(err) != "" {
		return err
	}
	return domain.Damaged("a row of the database is damaged and cannot be read: %v; put a backup of the database in its place", err)
}

// collectIn runs the query that query writes for each chunk of keys, and returns all
// rows.
func collectIn[K, T any](ctx context.Context, q Querier, scan func(*sql.Rows, *T) error, keys []K, query func(a *Args, some []K) string) ([]T, error) {
	var out []T
	err := chunks(keys, func(some []K) error {
		var a Args
		text := query(&a, some)
		found, err := Collect(ctx, q, scan, text, a...)
		out = append(out, found...)
		return err
	})
	return out, err
}

// eachRow runs a query and calls fn for each row. fn must not run another statement.
func eachRow(ctx context.Context, q Querier, fn func(*sql.Rows) error, query string, args ...any) error {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := fn(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// one returns the first row of a query, or the error absent if there is none.
func one[T any](ctx context.Context, q Querier, scan func(*sql.Rows, *T) error, absent error, query string, args ...any) (T, error) {
	list, err := Collect(ctx, q, scan, query, args...)
	if err == nil && len(list) == 0 {
		err = absent
	}
	if err != nil {
		var zero T
		return zero, err
	}
	return list[0], nil
}

// first returns the first row of a query, or the zero value if there is none.
func first[T any](ctx context.Context, q Querier, scan func(*sql.Rows, *T) error, query string, args ...any) (v T, err error) {
	list, err := Collect(ctx, q, scan, query, args...)
	if len(list) > 0 {
		v = list[0]
	}
	return v, err
}

// Scalar scans a row of one column.
func Scalar[T any](rows *sql.Rows, v *T) error { return rows.Scan(v) }

// scanDoc scans a row of one JSON column.
func scanDoc[T any](rows *sql.Rows, v *T) error { return rows.Scan(toJSON(v)) }

// changed reports whether a statement changed any row.
func changed(res sql.Result, err error) (bool, error) {
	if err != nil {
		return false, err
	}
	n, err := res.RowsAffected()
	return n > 0, err
}

// timeArg is NULL for the zero time.
func timeArg(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return domain.FormatTime(t)
}

// textArg is NULL for "".
func textArg(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// plain replaces NUL, which not every engine accepts in text columns. Payloads keep
// theirs, because they are stored as bytes.
func plain(s string) string { return strings.ReplaceAll(s, "\x00", "\uFFFD") }

// jsonArg is v as JSON text.
func jsonArg(v any) (any, error) {
	b, err := json.Marshal(v)
	return string(b), err
}

// column scans one value; NULL leaves the destination unchanged.
type column func(v any) error

// Scan implements [sql.Scanner].
func (c column) Scan(v any) error {
	if v == nil {
		return nil
	}
	return c(v)
}

func textOf(v any) (string, error) {
	switch v := v.(type) {
	case string:
		return v, nil
	case []byte:
		return string(v), nil
	}
	return "", fmt.Errorf("stored value is %T, not text", v)
}

func toText[S ~string](dst *S) column {
	return func(v any) error {
		s, err := textOf(v)
		*dst = S(s)
		return err
	}
}

func toTime(dst *time.Time) column {
	return func(v any) error {
		s, err := textOf(v)
		if err != nil {
			return err
		}
		*dst, err = time.Parse(domain.TimeLayout, s)
		return err
	}
}

func toJSON(dst any) column {
	return func(v any) error {
		s, err := textOf(v)
		if err != nil {
			return err
		}
		return json.Unmarshal([]byte(s), dst)
	}
}

// damagedText is a text column whose value may be of any type.
type damagedText string

// Scan implements [sql.Scanner].
func (d *damagedText) Scan(v any) error {
	*d = damagedText(strings.TrimSpace(fmt.Sprint(v)))
	if b, ok := v.([]byte); ok {
		*d = damagedText(b)
	}
	if v == nil {
		*d = ""
	}
	return nil
}

func (d damagedText) time() (time.Time, error) { return time.Parse(domain.TimeLayout, string(d)) }
