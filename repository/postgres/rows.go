package postgres

import (
	"database/sql/driver"
	"io"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
)

// rows are what a question found that was sent with what waited.
type rows struct {
	found   pgx.Rows
	results pgx.BatchResults
	more    bool // whether there is a row that was read already
	begun   bool
}

// Columns implements [driver.Rows].
func (r *rows) Columns() []string {
	fields := r.found.FieldDescriptions()
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.Name
	}
	return names
}

// Close implements [driver.Rows].
func (r *rows) Close() error {
	r.found.Close()
	return r.results.Close()
}

// Next implements [driver.Rows].
func (r *rows) Next(dest []driver.Value) error {
	if r.begun {
		r.more = r.found.Next()
	}
	r.begun = true
	if !r.more {
		if err := r.found.Err(); err != nil {
			return err
		}
		return io.EOF
	}
	into := make([]any, len(dest))
	for i, f := range r.found.FieldDescriptions() {
		into[i] = targetOf(f.DataTypeOID)
	}
	if err := r.found.Scan(into...); err != nil {
		return err
	}
	for i := range dest {
		dest[i] = valueOf(into[i])
	}
	return nil
}

// targetOf is where a column of a type is read to.
func targetOf(oid uint32) any {
	switch oid {
	case pgtype.Int2OID, pgtype.Int4OID, pgtype.Int8OID:
		return new(*int64)
	case pgtype.Float8OID:
		return new(*float64)
	case pgtype.BoolOID:
		return new(*bool)
	case pgtype.ByteaOID:
		return new([]byte)
	default:
		return new(*string)
	}
}

func valueOf(target any) driver.Value {
	switch v := target.(type) {
	case **int64:
		return pointed(*v)
	case **float64:
		return pointed(*v)
	case **bool:
		return pointed(*v)
	case **string:
		return pointed(*v)
	case *[]byte:
		if *v == nil {
			return nil
		}
		return *v
	}
	return nil
}

func pointed[T any](p *T) driver.Value {
	if p == nil {
		return nil
	}
	return *p
}
