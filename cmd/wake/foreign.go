package main

import (
	"context"
	"database/sql"
	"errors"
	"iter"
	"net/url"
	"strings"
	"time"

	"wake/domain"
	"wake/repository/sqlite"
	"wake/transcript"
)

// openForeign opens another product's SQLite file read-only.
func openForeign(path string) (*sql.DB, error) {
	address := sqlite.FileURL(path, url.Values{"mode": {"ro"}, "_busy_timeout": {"5000"}, "_query_only": {"1"}})
	db, err := sql.Open("sqlite", address)
	if err != nil {
		return nil, domain.Invalid("%s cannot be opened: %v", path, err)
	}
	return db, nil
}

// foreignRows yields the rows of a table in the order in which they were written. A
// missing table has no rows.
func foreignRows(ctx context.Context, db *sql.DB, table string) iter.Seq2[transcript.Row, error] {
	return func(yield func(transcript.Row, error) bool) {
		err := eachForeign(ctx, db, table, func(row transcript.Row) bool { return yield(row, nil) })
		if err != nil {
			yield(nil, err)
		}
	}
}

// eachForeign calls use with each row of a table until it returns false.
func eachForeign(ctx context.Context, db *sql.DB, table string, use func(transcript.Row) bool) error {
	conn, err := db.Conn(ctx)
	if err != nil {
		return domain.Invalid("the database cannot be read: %v", err)
	}
	defer conn.Close()
	has, err := hasTable(ctx, conn, table)
	if err = errors.Join(err, sqlite.LimitValues(conn, maxRead)); err != nil {
		return domain.Invalid("the database cannot be read: %v", err)
	}
	if !has {
		return nil
	}
	rows, err := conn.QueryContext(ctx, `SELECT * FROM "`+strings.ReplaceAll(table, `"`, `""`)+`" ORDER BY rowid`)
	if err != nil {
		return domain.Invalid("table %s cannot be read: %v", table, err)
	}
	defer rows.Close()
	for rows.Next() {
		row, err := foreignRow(rows)
		if err != nil || !use(row) {
			return err
		}
	}
	if err := rows.Err(); err != nil {
		return domain.Invalid("table %s cannot be read to its end: %v", table, err)
	}
	return nil
}

func hasTable(ctx context.Context, conn *sql.Conn, table string) (has bool, err error) {
	err = conn.QueryRowContext(ctx, `SELECT count(*) > 0 FROM sqlite_master WHERE type = 'table' AND name = $1`, table).Scan(&has)
	return has, err
}

func foreignRow(rows *sql.Rows) (transcript.Row, error) {
	columns, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	values, into := make([]any, len(columns)), make([]any, len(columns))
	for i := range values {
		into[i] = &values[i]
	}
	if err := rows.Scan(into...); err != nil {
		return nil, err
	}
	row := make(transcript.Row, len(columns))
	for i, c := range columns {
		if at, ok := values[i].(time.Time); ok { // the driver converts columns declared as times
			values[i] = domain.FormatTime(at)
		}
		row[c] = values[i]
	}
	return row, nil
}
