// Package sqlstore implements the contract of package repository in SQL, with the same
// text for every engine. What differs between engines (locking, errors, backup) is
// behind [Engine]; no query here asks which engine it runs on.
//
// A method of [Store] opens a transaction and delegates to a function that takes a
// [Querier]; methods of a transaction call the same function. Each area of the contract
// (contexts, links, usage, jobs …) has its own files.
package sqlstore

import (
	"cmp"
	"context"
	"database/sql"

	"wake/repository"
)

// Querier runs SQL statements with $1 placeholders.
type Querier interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// Transaction is a Querier whose statements take effect together. Either Commit or
// Rollback must be called exactly once.
type Transaction interface {
	Querier
	Commit() error
	Rollback() error
}

// Engine is what each database product does in its own way.
type Engine interface {
	// BeginWrite waits for its turn as the single writer and opens a transaction. It
	// returns a Conflict error if a newer wake has upgraded the tables beyond what this
	// one may write.
	BeginWrite(ctx context.Context, d repository.Durability) (Transaction, error)
	// BeginRead opens a transaction that sees one state of the database throughout.
	BeginRead(ctx context.Context) (Transaction, error)
	// LookUp returns a Querier for short queries outside a transaction, each of which
	// sees a state of its own; done gives it back. The engine need not check ctx while a
	// query runs.
	LookUp(ctx context.Context) (q Querier, done func(), err error)
	// Far reports whether statements travel to another process, so that a few large
	// queries are better than many small ones.
	Far() bool
	// Behind writes the condition that rows have a value in column key and a greater number
	// than after in column n, and the order of these rows by n, so that the index on both
	// columns is read. value and after are placeholders.
	Behind(key, value, n, after string) (condition, order string)
	// Error turns an error of the driver into a domain error and returns other errors
	// unchanged.
	Error(err error) error
	// Info is that of [repository.Maintenance], as q sees the database.
	Info(ctx context.Context, q Querier) (repository.Info, error)
	// Scrub, Rewrite, Backup and Compact are those of [repository.Maintenance].
	Scrub(ctx context.Context) error
	Rewrite(ctx context.Context) error
	Backup(ctx context.Context, path string, progress func(done, total int)) error
	Compact(ctx context.Context) (more bool, err error)
	// CheckFiles looks for damage below the level of tables.
	CheckFiles(ctx context.Context, q Querier, progress func(done, total int)) ([]repository.Finding, error)
	Close() error
}

// Store is a database accessed through an engine.
type Store struct {
	reads
	joint *joint // nil unless writes are joined
}

var _ repository.Store = (*Store)(nil)

// New returns the store of a database that the engine has opened and migrated.
func New(engine Engine) *Store {
	s := &Store{}
	s.reads = reads{engine: engine, view: s.view, short: s.short}
	return s
}

// Close implements [repository.Store].
func (s *Store) Close() (err error) {
	if s.joint != nil {
		err = s.joint.end()
	}
	return cmp.Or(err, s.engine.Error(s.engine.Close()))
}

// JoinWrites implements [repository.Store].
func (s *Store) JoinWrites() {
	if !s.engine.Far() { // where each statement travels, savepoints cost more than commits
		s.joint = &joint{engine: s.engine}
	}
}

// Pause implements [repository.Store].
func (s *Store) Pause(fn func()) {
	if s.joint != nil {
		s.joint.pause(fn)
	} else {
		fn()
	}
}

// View implements [repository.Store].
func (s *Store) View(ctx context.Context, fn func(repository.Reader) error) error {
	return s.view(ctx, func(q Querier) error { return fn(within(s.engine, q)) })
}

// view runs fn on one state of the database.
func (s *Store) view(ctx context.Context, fn func(Querier) error) (err error) {
	if done, err := s.readJoined(ctx, fn); done {
		return err
	}
	t, err := s.engine.BeginRead(ctx)
	if err != nil {
		return s.engine.Error(err)
	}
	defer func() { // also if fn panics
		if end := t.Rollback(); err == nil {
			err = end
		}
		err = s.engine.Error(err)
	}()
	return fn(t)
}

// short runs fn without a transaction. fn makes one or two queries by key, which need
// not see the same state: beginning and ending a transaction would cost as much as the
// query.
func (s *Store) short(ctx context.Context, fn func(Querier) error) error {
	if done, err := s.readJoined(ctx, fn); done {
		return err
	}
	q, done, err := s.engine.LookUp(ctx)
	if err != nil {
		return s.engine.Error(err)
	}
	defer done()
	return s.engine.Error(fn(q))
}

// readJoined runs fn in the transaction of joined writes and reports whether there is one.
func (s *Store) readJoined(ctx context.Context, fn func(Querier) error) (bool, error) {
	if s.joint == nil || ctx.Err() != nil {
		return false, nil
	}
	return s.joint.read(fn)
}

// Write implements [repository.Store].
func (s *Store) Write(ctx context.Context, d repository.Durability, fn func(repository.Tx) error) error {
	switch {
	case s.joint == nil:
		return s.write(ctx, d, fn)
	case d == repository.Relaxed:
		return s.joint.write(ctx, fn)
	default:
		return s.joint.apart(func() error { return s.write(ctx, d, fn) })
	}
}

// write makes a transaction of its own.
func (s *Store) write(ctx context.Context, d repository.Durability, fn func(repository.Tx) error) error {
	t, err := s.engine.BeginWrite(ctx, d)
	if err != nil {
		return s.engine.Error(err)
	}
	return s.engine.Error(newTx(s.engine, t).run(fn))
}

// tx is one write transaction.
type tx struct {
	reads
	q Transaction
}

var _ repository.Tx = (*tx)(nil)

func newTx(e Engine, t Transaction) *tx { return &tx{q: t, reads: within(e, t)} }

// run calls fn and commits, or rolls back if fn fails or panics.
func (t *tx) run(fn func(repository.Tx) error) error {
	done := false
	defer func() {
		if !done {
			t.q.Rollback()
		}
	}()
	if err := fn(t); err != nil {
		return err
	}
	done = true
	return t.q.Commit()
}

// do calls fn with the transaction and translates its error.
func (t *tx) do(fn func(q Querier) error) error { return t.engine.Error(fn(t.q)) }

// exec runs one statement and translates its error.
func (t *tx) exec(ctx context.Context, query string, args ...any) error {
	return t.engine.Error(exec(ctx, t.q, query, args...))
}

// exec runs a statement, no matter how many rows it changes.
func exec(ctx context.Context, q Querier, query string, args ...any) error {
	_, err := q.ExecContext(ctx, query, args...)
	return err
}

// reads implements all queries. view runs a function within one transaction, short
// without one. Inside a write transaction both use that transaction.
type reads struct {
	engine      Engine
	view, short func(ctx context.Context, fn func(Querier) error) error
}

// within returns reads that run in a transaction.
func within(e Engine, q Querier) reads {
	run := func(_ context.Context, fn func(Querier) error) error { return e.Error(fn(q)) }
	return reads{engine: e, view: run, short: run}
}

// ask runs a query in one transaction and returns its answer.
func ask[T any](ctx context.Context, r reads, fn func(q Querier) (T, error)) (T, error) {
	return answer(ctx, r.view, fn)
}

// askOnce is ask for a query that is one statement, which sees one state by itself. Where
// statements travel, a transaction around it would take two more round trips.
func askOnce[T any](ctx context.Context, r reads, fn func(q Querier) (T, error)) (T, error) {
	if r.engine.Far() {
		return lookUp(ctx, r, fn)
	}
	return ask(ctx, r, fn)
}

// askAll runs one query and returns its rows.
func askAll[T any](ctx context.Context, r reads, scan func(*sql.Rows, *T) error, query string, args ...any) ([]T, error) {
	return askOnce(ctx, r, func(q Querier) ([]T, error) { return Collect(ctx, q, scan, query, args...) })
}

// askOne runs one query and returns its first row, or the error absent if there is none.
func askOne[T any](ctx context.Context, r reads, scan func(*sql.Rows, *T) error, absent error, query string, args ...any) (T, error) {
	return askOnce(ctx, r, func(q Querier) (T, error) { return one(ctx, q, scan, absent, query, args...) })
}

// lookUp is ask for a short query.
func lookUp[T any](ctx context.Context, r reads, fn func(q Querier) (T, error)) (T, error) {
	return answer(ctx, r.short, fn)
}

func answer[T any](ctx context.Context, run func(context.Context, func(Querier) error) error, fn func(q Querier) (T, error)) (T, error) {
	var out T
	err := run(ctx, func(q Querier) (err error) {
		out, err = fn(q)
		return err
	})
	return out, err
}

// each calls fn for each value, in the transaction.
func each[T any](t *tx, values []T, fn func(Querier, T) error) error {
	return t.do(func(q Querier) error {
		for _, v := range values {
			if err := fn(q, v); err != nil {
				return err
			}
		}
		return nil
	})
}

// count calls fn for each value, in the transaction, and counts those for which it
// returns true.
func count[T any](t *tx, values []T, fn func(Querier, T) (bool, error)) (int, error) {
	n := 0
	err := each(t, values, func(q Querier, v T) error {
		done, err := fn(q, v)
		if done {
			n++
		}
		return err
	})
	return n, err
}
