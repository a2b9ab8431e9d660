package sqlite

import (
	"context"
	"database/sql"

	"wake/migrations"
	"wake/repository"
	"wake/repository/internal/sqlstore"
)

// OpenOn is Open on a file system of the given name.
func OpenOn(ctx context.Context, path, fsName string) (repository.Store, error) {
	known, err := migrations.SQLite()
	if err != nil {
		return nil, err
	}
	return open(ctx, path, Options{}, known, func(string) (string, error) { return fsName, nil })
}

// OpenKnowing is Open by a wake that knows other migrations.
func OpenKnowing(ctx context.Context, path string, opts Options, known []migrations.Migration) (repository.Store, error) {
	return open(ctx, path, opts, known, fileSystem)
}

// Statement is a query as it was asked.
type Statement struct {
	Query string
	Args  []any
}

// OpenRecording is Open by a store that notes what it reads.
func OpenRecording(ctx context.Context, path string, into *[]Statement) (repository.Store, error) {
	known, err := migrations.SQLite()
	if err != nil {
		return nil, err
	}
	e := newEngine(path, Options{BusyTimeout: defaultBusyTimeout}, sqlstore.Schema{Migrations: known}, false)
	return sqlstore.New(&recordingEngine{e, into}), e.start(ctx)
}

type recordingEngine struct {
	*engine
	into *[]Statement
}

func (e *recordingEngine) BeginRead(ctx context.Context) (sqlstore.Transaction, error) {
	t, err := e.engine.BeginRead(ctx)
	return &recordingTransaction{t, e.into}, err
}

type recordingTransaction struct {
	sqlstore.Transaction
	into *[]Statement
}

func (t *recordingTransaction) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	*t.into = append(*t.into, Statement{query, args})
	return t.Transaction.QueryContext(ctx, query, args...)
}

func (t *recordingTransaction) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	*t.into = append(*t.into, Statement{query, args})
	return t.Transaction.QueryRowContext(ctx, query, args...)
}
