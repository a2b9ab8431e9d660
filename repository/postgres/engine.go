package postgres

import (
	"context"
	"database/sql"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"wake/domain"
	"wake/repository"
	"wake/repository/internal/sqlstore"
)

// engine is one open database.
type engine struct {
	db      *sql.DB
	address string
	opts    Options
	schema  sqlstore.Schema
	place   place
}

// place is the server's schema in which the tables are, or will be made: of those that
// search_path names the one that has them, which need not be the first.
type place struct {
	name string
	turn int32 // the second key of the lock of its writers
}

var _ sqlstore.Engine = (*engine)(nil)

// takeTurn makes writers of one schema wait for each other. SQLite has one writer
// by nature, and the contract leans on what follows from it: numbers are given in
// the order of commits, so that a reader who has seen n has seen all before it,
// and what a transaction has checked stays so until it commits.
const takeTurn = `SELECT pg_advisory_xact_lock(hashtext('wake'), %d)`

// BeginWrite implements [sqlstore.Engine].
func (e *engine) BeginWrite(ctx context.Context, d repository.Durability) (sqlstore.Transaction, error) {
	t, err := e.lock(ctx, d)
	if err != nil {
		return nil, err
	}
	if err := e.checkVersion(ctx, t); err != nil {
		t.Rollback()
		return nil, err
	}
	return inTransaction(t), nil
}

// begin opens a transaction.
func (e *engine) begin(ctx context.Context, o *sql.TxOptions) (t *sql.Tx, err error) {
	err = onceMore(func() error {
		t, err = e.db.BeginTx(ctx, o)
		return err
	})
	return t, err
}

// shortestSleep is for how long at least a writer may be silent in its transaction.
const shortestSleep = time.Second

// lock opens a transaction and waits for its turn; what others have written before it
// is seen, whatever the server's administrator wants of transactions. Others wait for
// theirs meanwhile: a writer that falls silent, as a laptop does whose lid is closed, is
// cut off in half the time that they wait, while the server alone would wait for it for hours.
func (e *engine) lock(ctx context.Context, d repository.Durability) (*sql.Tx, error) {
	t, err := e.begin(ctx, &sql.TxOptions{Isolation: sql.LevelReadCommitted})
	if err != nil {
		return nil, err
	}
	script := fmt.Sprintf("SET LOCAL lock_timeout = %d; SET LOCAL idle_in_transaction_session_timeout = %d; ",
		e.opts.BusyTimeout.Milliseconds(), max(e.opts.BusyTimeout/2, shortestSleep).Milliseconds())
	if d == repository.Relaxed {
		script += "SET LOCAL synchronous_commit = off; "
	}
	if _, err := t.ExecContext(ctx, script+fmt.Sprintf(takeTurn, e.place.turn)); err != nil {
		t.Rollback()
		return nil, err
	}
	return t, nil
}

// checkVersion notices that a newer wake has upgraded the tables.
func (e *engine) checkVersion(ctx context.Context, q sqlstore.Querier) error {
	have, err := version(ctx, q)
	if err != nil || have == e.schema.Latest() {
		return err
	}
	return e.schema.MayWrite(ctx, q, have)
}

// version is the version of the tables.
func version(ctx context.Context, q sqlstore.Querier) (int, error) {
	text, err := sqlstore.Meta(ctx, q, "schema")
	if err != nil {
		return 0, err
	}
	v, err := strconv.Atoi(text)
	if err != nil {
		return 0, foreign(fmt.Errorf("meta tells of no version: %w", err))
	}
	return v, nil
}

// BeginRead implements [sqlstore.Engine].
func (e *engine) BeginRead(ctx context.Context) (sqlstore.Transaction, error) {
	t, err := e.begin(ctx, &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true})
	if err != nil {
		return nil, err
	}
	return inTransaction(t), nil
}

// LookUp implements [sqlstore.Engine].
func (e *engine) LookUp(context.Context) (q sqlstore.Querier, done func(), err error) {
	return plain{anew{e.db}}, func() {}, nil
}

// Far implements [sqlstore.Engine].
func (e *engine) Far() bool { return true }

// migrate brings the tables up to date; when they are, it takes no lock.
func (e *engine) migrate(ctx context.Context) error {
	have, err := e.foundVersion(ctx, e.db)
	if err != nil {
		return err
	}
	if have >= e.schema.Latest() {
		return e.schema.MayOpen(ctx, e.db, have)
	}
	t, err := e.lock(ctx, repository.Durable)
	if err != nil {
		return err
	}
	defer t.Rollback()
	if have, err = e.foundVersion(ctx, t); err != nil || have >= e.schema.Latest() {
		return err // another process was first
	}
	if have == 0 {
		if err := e.checkEncoding(ctx, t); err != nil {
			return err
		}
	}
	if err := e.schema.Apply(ctx, t, have); err != nil {
		return e.notUpgraded(have, err)
	}
	if have > 0 {
		if err := e.shareFresh(ctx, t, have); err != nil {
			return err
		}
	}
	if _, err := t.ExecContext(ctx, `INSERT INTO meta (key, value) VALUES ('schema', $1)
		ON CONFLICT (key) DO UPDATE SET value = excluded.value`, strconv.Itoa(e.schema.Latest())); err != nil {
		return err
	}
	return t.Commit()
}

// checkEncoding refuses to begin in a database that takes the bytes of UTF-8 for
// those of another encoding: its dumps would give back other texts than were saved.
// SQL_ASCII takes bytes for bytes.
func (e *engine) checkEncoding(ctx context.Context, q sqlstore.Querier) error {
	var encoding string
	err := q.QueryRowContext(ctx, `SELECT current_setting('server_encoding')`).Scan(&encoding)
	if err != nil || encoding == "UTF8" || encoding == "SQL_ASCII" {
		return err
	}
	return domain.Unavailable("the database of %s keeps texts as %s, which cannot hold the letters of most languages; "+
		"make one for wake with: CREATE DATABASE wake ENCODING 'UTF8' TEMPLATE template0", e.address, encoding)
}

// foundVersion looks where the tables are, and is their version, 0 where there are none
// yet. It reads the catalogue as any other table: to_regclass goes on saying what the
// connection has once been told, also when it has waited for the process that makes the
// tables.
func (e *engine) foundVersion(ctx context.Context, q sqlstore.Querier) (int, error) {
	var there bool
	err := q.QueryRowContext(ctx, `SELECT there, name, hashtext(name) FROM (
		SELECT count(nspname) > 0 AS there, coalesce(max(nspname::text), current_schema(), '') AS name
		FROM pg_class c JOIN pg_namespace s ON s.oid = c.relnamespace
		WHERE relname = 'meta' AND relkind = 'r' AND pg_table_is_visible(c.oid)) AS found`).Scan(&there, &e.place.name, &e.place.turn)
	if err != nil || !there {
		return 0, err
	}
	return version(ctx, q)
}

// Close implements [sqlstore.Engine].
func (e *engine) Close() error { return e.db.Close() }

// Info implements [sqlstore.Engine].
func (e *engine) Info(ctx context.Context) (repository.Info, error) {
	info := repository.Info{Address: e.address}
	err := anew{e.db}.QueryRowContext(ctx, `SELECT 'postgres ' || current_setting('server_version'),
		coalesce((SELECT sum(pg_total_relation_size(c.oid)) FROM pg_class c
			WHERE c.relkind = 'r' AND c.relnamespace = quote_ident($1)::regnamespace), 0)::bigint`, e.place.name).Scan(&info.Engine, &info.Size)
	if err != nil {
		return info, err
	}
	info.Schema, err = version(ctx, anew{e.db})
	return info, err
}

// Backup implements [sqlstore.Engine]: PostgreSQL has its own tools.
func (e *engine) Backup(ctx context.Context, _ string, _ func(done, total int)) error {
	var schema string
	if err := (anew{e.db}).QueryRowContext(ctx, `SELECT quote_ident($1)`, e.place.name).Scan(&schema); err != nil {
		return err
	}
	return domain.Unavailable("PostgreSQL databases are backed up by its own tools; run: pg_dump --format=custom --schema='%s' --file=wake.dump '%s'",
		inQuotes(schema), inQuotes(toolAddress(e.address)))
}

// Restore returns the error that says how a copy goes back into the database at a URL, for
// which PostgreSQL has its own tools too.
func Restore(raw string) error {
	config, err := pgx.ParseConfig(raw)
	if err != nil {
		return badURL(raw, err)
	}
	return domain.Unavailable("PostgreSQL databases are put back by its own tools; run: pg_restore --clean --if-exists --dbname='%s' wake.dump",
		inQuotes(toolAddress(address(raw, config))))
}

// inQuotes is a text as a shell takes it between single quotes.
func inQuotes(text string) string { return strings.ReplaceAll(text, `'`, `'\''`) }

// Compact implements [sqlstore.Engine]: the server's autovacuum does it.
func (e *engine) Compact(context.Context) (more bool, err error) { return false, nil }

// CheckFiles implements [sqlstore.Engine]: the server looks after its files.
func (e *engine) CheckFiles(context.Context, sqlstore.Querier, func(done, total int)) ([]repository.Finding, error) {
	return nil, nil
}

// Scrub implements [sqlstore.Engine]: room of erased rows is given to the next
// ones, in every table, because what was erased may have left traces in any. What
// pages hold until then, and what the server's log of changes and its backups
// hold, is beyond reach.
func (e *engine) Scrub(ctx context.Context) error {
	_, err := e.db.ExecContext(ctx, `VACUUM `+strings.Join(e.schema.Tables(), ", "))
	return err
}
