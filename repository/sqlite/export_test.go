package sqlite

import (
	"context"
	"database/sql"
	"errors"

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

// OpenWhile is Open with something that happens when it has found no file.
func OpenWhile(ctx context.Context, path string, happens func()) (repository.Store, error) {
	known, err := migrations.SQLite()
	if err != nil {
		return nil, err
	}
	return open(ctx, path, Options{}, known, func(string) (string, error) { happens(); return "", nil })
}

// OpenKnowing is Open by a wake that knows other migrations.
func OpenKnowing(ctx context.Context, path string, opts Options, known []migrations.Migration) (repository.Store, error) {
	return open(ctx, path, opts, known, fileSystem)
}

// OpenReaderAfter opens a database, and after a change one more connection for reading.
func OpenReaderAfter(ctx context.Context, path string, change func()) error {
	known, err := migrations.SQLite()
	if err != nil {
		return err
	}
	e := newEngine(path, Options{BusyTimeout: defaultBusyTimeout}, sqlstore.Schema{Migrations: known}, false)
	if err := e.start(ctx); err != nil {
		return err
	}
	defer e.Close()
	change()
	_, err = e.openReader(ctx)
	return err
}

// SyncsOf returns what PRAGMA synchronous is during writes of the given durabilities.
func SyncsOf(ctx context.Context, path string, writes ...repository.Durability) (modes []int, err error) {
	known, err := migrations.SQLite()
	if err != nil {
		return nil, err
	}
	e := newEngine(path, Options{BusyTimeout: defaultBusyTimeout}, sqlstore.Schema{Migrations: known}, false)
	if err := e.start(ctx); err != nil {
		return nil, err
	}
	defer e.Close()
	for _, d := range writes {
		t, err := e.BeginWrite(ctx, d)
		if err != nil {
			return modes, err
		}
		var mode int
		err = errors.Join(t.QueryRowContext(ctx, "PRAGMA synchronous").Scan(&mode), t.Rollback())
		if modes = append(modes, mode); err != nil {
			return modes, err
		}
	}
	return modes, nil
}

// Statement is a query as it was asked.
type Statement struct {
	Query string
	Args  []any
}

// OpenRecording is Open by a store that notes what it asks, in writes too.
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
	return &recordingTransaction{recordingQuerier{t, e.into}, t}, err
}

func (e *recordingEngine) BeginWrite(ctx context.Context, d repository.Durability) (sqlstore.Transaction, error) {
	t, err := e.engine.BeginWrite(ctx, d)
	return &recordingTransaction{recordingQuerier{t, e.into}, t}, err
}

func (e *recordingEngine) LookUp(ctx context.Context) (sqlstore.Querier, func(), error) {
	q, done, err := e.engine.LookUp(ctx)
	return &recordingQuerier{q, e.into}, done, err
}

type recordingTransaction struct {
	recordingQuerier
	end sqlstore.Transaction
}

func (t *recordingTransaction) Commit() error   { return t.end.Commit() }
func (t *recordingTransaction) Rollback() error { return t.end.Rollback() }

type recordingQuerier struct {
	sqlstore.Querier
	into *[]Statement
}

func (r *recordingQuerier) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	*r.into = append(*r.into, Statement{query, args})
	return r.Querier.QueryContext(ctx, query, args...)
}

func (r *recordingQuerier) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	*r.into = append(*r.into, Statement{query, args})
	return r.Querier.QueryRowContext(ctx, query, args...)
}

func (r *recordingQuerier) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	*r.into = append(*r.into, Statement{query, args})
	return r.Querier.ExecContext(ctx, query, args...)
}

// FileSystem is fileSystem.
var FileSystem = fileSystem
