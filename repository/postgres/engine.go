package postgres

import (
	"context"
	"database/sql"
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

// place is the server's schema that holds the tables, or will hold them. It is the
// schema in search_path that has them, which need not be the first one.
type place struct {
	name string
	turn int32 // the second key of its writers' advisory lock
}

var _ sqlstore.Engine = (*engine)(nil)

// takeTurn makes the writers of one schema wait for each other. SQLite has a single
// writer by nature, and the contract relies on what follows from that: numbers are
// assigned in the order of commits, so a reader that has seen n has seen everything
// before it, and what a transaction has checked stays true until it commits.
const takeTurn = `SELECT pg_advisory_xact_lock(hashtext('wake'), $1)`

// BeginWrite implements [sqlstore.Engine]. All it sends goes together.
func (e *engine) BeginWrite(ctx context.Context, d repository.Durability) (sqlstore.Transaction, error) {
	var t *sql.Tx
	err := retryWhileCut(func() (err error) {
		if t, err = e.lock(ctx, d); err != nil {
			return err
		}
		if err = e.checkVersion(ctx, t); err != nil {
			t.Rollback()
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return inTransaction(t), nil
}

// shortestSleep is the shortest time after which a writer that is silent within its
// transaction is cut off.
const shortestSleep = time.Second

// lock opens a transaction that waits for its turn before its first question. It sets the
// isolation level itself, so that it sees what earlier writers have committed whatever the
// server's default is. Because others wait meanwhile, a writer that falls silent (on a
// laptop whose lid was closed, say) is cut off after half the time that they wait; the
// server's default would be to wait for hours.
func (e *engine) lock(ctx context.Context, d repository.Durability) (*sql.Tx, error) {
	t, err := e.db.BeginTx(ctx, nil)
	if err != nil {
		return nil, err
	}
	for _, set := range e.settings(d) {
		if _, err = t.ExecContext(ctx, `SELECT set_config($1, $2, true)`, set[0], set[1]); err != nil {
			break
		}
	}
	if err == nil {
		_, err = t.ExecContext(ctx, takeTurn, e.place.turn)
	}
	if err != nil {
		t.Rollback()
		return nil, err
	}
	return t, nil
}

// settings are those of a write transaction.
func (e *engine) settings(d repository.Durability) [][2]string {
	milliseconds := func(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) }
	set := [][2]string{
		{lockTimeout, milliseconds(e.opts.BusyTimeout)},
		{"idle_in_transaction_session_timeout", milliseconds(max(e.opts.BusyTimeout/2, shortestSleep))},
	}
	if d == repository.Relaxed {
		set = append(set, [2]string{"synchronous_commit", "off"})
	}
	return set
}

// checkVersion detects that a newer wake has upgraded the tables.
func (e *engine) checkVersion(ctx context.Context, q sqlstore.Querier) error {
	have, err := version(ctx, q)
	if err != nil {
		return err
	}
	return e.schema.MayWrite(ctx, q, have)
}

// BeginRead implements [sqlstore.Engine].
func (e *engine) BeginRead(ctx context.Context) (sqlstore.Transaction, error) {
	var t *sql.Tx
	err := retryWhileCut(func() (err error) {
		t, err = e.db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true})
		return err
	})
	if err != nil {
		return nil, err
	}
	return inTransaction(t), nil
}

// LookUp implements [sqlstore.Engine].
func (e *engine) LookUp(context.Context) (q sqlstore.Querier, done func(), err error) {
	return plain{retrying{e.db}}, func() {}, nil
}

// Far implements [sqlstore.Engine].
func (e *engine) Far() bool { return true }

// Behind implements [sqlstore.Engine]. The planner assumes that the rows of every key are
// spread evenly, and would take the index on n alone: among a million messages stored
// since, it would look for the next context. Pairs of columns can only be compared with the
// help of the index on both.
func (e *engine) Behind(key, value, n, after string) (condition, order string) {
	const last = "9223372036854775807"
	pair := `(` + key + `, ` + n + `)`
	return pair + ` > (` + value + `, ` + after + `) AND ` + pair + ` <= (` + value + `, ` + last + `)`, key + `, ` + n
}

// Close implements [sqlstore.Engine].
func (e *engine) Close() error { return e.db.Close() }

// Info implements [sqlstore.Engine].
func (e *engine) Info(ctx context.Context, q sqlstore.Querier) (repository.Info, error) {
	info := repository.Info{Address: e.address}
	err := q.QueryRowContext(ctx, `SELECT 'postgres ' || current_setting('server_version'), `+sizeOfTables, e.place.name).Scan(&info.Engine, &info.Size)
	if err != nil {
		return info, err
	}
	info.Schema, err = version(ctx, q)
	return info, err
}

// Backup implements [sqlstore.Engine]. It returns the error that names PostgreSQL's own
// tool.
func (e *engine) Backup(ctx context.Context, _ string, _ func(done, total int)) error {
	var schema string
	if err := (retrying{e.db}).QueryRowContext(ctx, `SELECT quote_ident($1)`, e.place.name).Scan(&schema); err != nil {
		return err
	}
	return domain.Unavailable("PostgreSQL databases are backed up by its own tools; run: pg_dump --format=custom --schema='%s' --file=wake.dump '%s'",
		inQuotes(schema), inQuotes(toolAddress(e.address)))
}

// Restore returns the error that names PostgreSQL's own tool for restoring the database
// at a URL.
func Restore(raw string) error {
	config, err := pgx.ParseConfig(raw)
	if err != nil {
		return badURL(raw, err)
	}
	return domain.Unavailable("PostgreSQL databases are put back by its own tools; run: pg_restore --clean --if-exists --dbname='%s' wake.dump",
		inQuotes(toolAddress(address(raw, config))))
}

// inQuotes escapes text for a shell string in single quotes.
func inQuotes(text string) string { return strings.ReplaceAll(text, `'`, `'\''`) }

// Compact implements [sqlstore.Engine]. The server's autovacuum does the work.
func (e *engine) Compact(context.Context) (more bool, err error) { return false, nil }

// CheckFiles implements [sqlstore.Engine]. The server looks after its files.
func (e *engine) CheckFiles(context.Context, sqlstore.Querier, func(done, total int)) ([]repository.Finding, error) {
	return nil, nil
}

// Scrub implements [sqlstore.Engine]. It makes the space of erased rows reusable in
// every table, because erased data may have left traces in any. Data that pages hold
// until they are reused, and data in the server's write-ahead log and backups, is
// beyond reach.
func (e *engine) Scrub(ctx context.Context) error {
	_, err := e.db.ExecContext(ctx, `VACUUM `+strings.Join(e.schema.Tables(), ", "))
	return err
}

// Rewrite implements [sqlstore.Engine]. Files of the server are not ours to write anew. The
// server skips the tables of others with a mere warning.
func (e *engine) Rewrite(ctx context.Context) error {
	if err := e.Scrub(ctx); err != nil {
		return err
	}
	var of sql.NullString
	if err := (retrying{e.db}).QueryRowContext(ctx, otherOwner+`('`+strings.Join(e.schema.Tables(), `', '`)+`')`, e.place.name).Scan(&of); err != nil || !of.Valid {
		return err
	}
	return domain.Unavailable("the texts are erased, but until the server uses their space again, its files still have them. Only the owner of its tables, %s, "+
		"can have that space cleaned now: a server of wake that runs as this user does so by itself, or run as this user: wake doctor --repair", of.String)
}

// otherOwner finds an owner of tables, among those listed behind it, that this user may not clean.
const otherOwner = `SELECT min(c.relowner::regrole::text) FROM pg_class c, pg_database d
	WHERE c.relkind = 'r' AND c.relnamespace = quote_ident($1)::regnamespace AND d.datname = current_database()
		AND NOT pg_has_role(c.relowner, 'USAGE') AND NOT pg_has_role(d.datdba, 'USAGE')
		AND NOT CASE WHEN current_setting('server_version_num')::int >= 170000 THEN has_table_privilege(c.oid, 'MAINTAIN') ELSE false END
		AND c.relname IN `
