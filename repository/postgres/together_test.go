package postgres_test

import (
	"context"
	"database/sql"
	"errors"
	"testing"
	"time"

	"wake/repository/postgres"
	"wake/repository/postgres/pgtest"
)

// What waited and was not sent is not taken for stored, nor for a change of no rows.
func testUnsent(t *testing.T, server *pgtest.Server) {
	url := server.Schema(t)
	exec(t, url, `CREATE TABLE kept (n BIGINT)`)
	db, err := postgres.Pool(url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	begin := func(ctx context.Context) *sql.Tx {
		tx, err := db.BeginTx(ctx, nil)
		if err == nil {
			_, err = tx.ExecContext(ctx, `INSERT INTO kept (n) VALUES ($1)`, 1)
		}
		if err != nil {
			t.Fatal(err)
		}
		return tx
	}
	question := `SELECT count(*) FROM kept WHERE n > $1`
	for name, spoil := range map[string]func(*sql.Tx) error{
		"Late":  func(tx *sql.Tx) error { return tx.QueryRowContext(&late{Context: t.Context()}, question, 0).Err() },
		"Wrong": func(tx *sql.Tx) error { return tx.QueryRowContext(t.Context(), question, make(chan int)).Err() },
	} {
		tx := begin(t.Context())
		if err := spoil(tx); err == nil {
			t.Fatalf("%s: no error", name)
		}
		if _, err := tx.ExecContext(t.Context(), `INSERT INTO kept (n) VALUES ($1)`, 2); err == nil {
			t.Errorf("%s: a later change is accepted", name)
		}
		if err := tx.Commit(); err == nil {
			t.Errorf("%s: what was not sent is committed", name)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	tx := begin(ctx)
	result, err := tx.ExecContext(ctx, `INSERT INTO kept (n) VALUES ($1)`, 3)
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	for db.Stats().InUse > 0 {
		time.Sleep(time.Millisecond)
	}
	if n, err := result.RowsAffected(); !errors.Is(err, context.Canceled) {
		t.Errorf("after a cancel, a change is told to have changed %d rows, %v", n, err)
	}
	var n int
	if err := db.QueryRowContext(t.Context(), question, 0).Scan(&n); err != nil || n != 0 {
		t.Errorf("%d rows are kept, %v", n, err)
	}
}

// late is a context that ends once it was found to hold.
type late struct {
	context.Context
	asked bool
}

func (l *late) Done() <-chan struct{} {
	done := make(chan struct{})
	if l.asked {
		close(done)
	}
	l.asked = true
	return done
}

func (l *late) Err() error { return context.Canceled }
