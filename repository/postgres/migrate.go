package postgres

import (
	"context"
	"fmt"
	"strconv"

	"wake/domain"
	"wake/repository"
	"wake/repository/internal/sqlstore"
)

// migrate brings the tables up to date. If they are, it takes no lock.
func (e *engine) migrate(ctx context.Context) error {
	var have int
	err := retryWhileCut(func() (err error) {
		have, err = e.look(ctx)
		return err
	})
	if err != nil {
		return err
	}
	if have >= e.schema.Latest() {
		return e.schema.MayOpen(ctx, e.db, have)
	}
	if have > 0 && e.opts.Brief {
		if err := e.mayUpgradeNow(ctx); err != nil {
			return err
		}
	}
	return e.upgrade(ctx)
}

// upgrade creates the tables or brings older ones up to date, in one transaction. It looks
// again which there are, because another process may have done it meanwhile.
func (e *engine) upgrade(ctx context.Context) error {
	t, err := e.lock(ctx, repository.Durable)
	if err != nil {
		return err
	}
	defer t.Rollback()
	have, err := e.foundVersion(ctx, t)
	if err != nil || have >= e.schema.Latest() {
		return err
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
	if err := sqlstore.SetMeta(ctx, t, "schema", strconv.Itoa(e.schema.Latest())); err != nil {
		return err
	}
	return t.Commit()
}

// briefUpgrade is the largest size of the tables, in bytes, that a brief process upgrades. It
// would be broken off by its client, and meanwhile keep all others from reading for nothing.
const briefUpgrade = 32 << 20

// mayUpgradeNow returns an error if the tables are too large to be upgraded by a brief
// process.
func (e *engine) mayUpgradeNow(ctx context.Context) error {
	var size int64
	err := (retrying{e.db}).QueryRowContext(ctx, `SELECT `+sizeOfTables, e.place.name).Scan(&size)
	if err != nil || size <= briefUpgrade {
		return err
	}
	return domain.Unavailable("the database %s is of an older wake, and too large to be upgraded while a client waits; "+
		"a new session's server upgrades it, and so does wake doctor", e.address)
}

// sizeOfTables is the size of all tables of a schema in bytes.
const sizeOfTables = `coalesce((SELECT sum(pg_total_relation_size(c.oid)) FROM pg_class c
	WHERE c.relkind = 'r' AND c.relnamespace = quote_ident($1)::regnamespace), 0)::bigint`

// checkEncoding refuses to create tables in a database whose encoding is neither UTF-8
// nor SQL_ASCII, which stores bytes unchanged. Dumps of a database with another
// encoding would restore different texts.
func (e *engine) checkEncoding(ctx context.Context, q sqlstore.Querier) error {
	var encoding string
	err := q.QueryRowContext(ctx, `SELECT current_setting('server_encoding')`).Scan(&encoding)
	if err != nil || encoding == "UTF8" || encoding == "SQL_ASCII" {
		return err
	}
	return domain.Unavailable("the database of %s keeps texts as %s, which cannot hold the letters of most languages; "+
		"make one for wake with: CREATE DATABASE wake ENCODING 'UTF8' TEMPLATE template0", e.address, encoding)
}

// foundVersion finds the schema of the tables and returns their version, or 0 if there
// are none yet. It queries the catalogue as an ordinary table, because to_regclass
// keeps returning the connection's cached answer even after another process has created
// the tables.
func (e *engine) foundVersion(ctx context.Context, q sqlstore.Querier) (int, error) {
	var there bool
	err := q.QueryRowContext(ctx, findTables).Scan(&there, &e.place.name, &e.place.turn)
	if err != nil || !there {
		return 0, err
	}
	return version(ctx, q)
}

const findTables = `SELECT there, name, hashtext(name) FROM (
		SELECT count(nspname) > 0 AS there, coalesce(max(nspname::text), current_schema(), '') AS name
		FROM pg_class c JOIN pg_namespace s ON s.oid = c.relnamespace
		WHERE relname = 'meta' AND relkind = 'r' AND pg_table_is_visible(c.oid)) AS found`

// look is foundVersion in a single round trip, outside a transaction. Where there are no
// tables, the second query of its script fails.
func (e *engine) look(ctx context.Context) (have int, err error) {
	c, err := e.db.Conn(ctx)
	if err != nil {
		return 0, err
	}
	defer c.Close()
	err = c.Raw(func(driver any) error {
		results, failed := driver.(*conn).Conn.Conn().PgConn().Exec(ctx, findTables+`; SELECT value FROM meta WHERE key = 'schema'`).ReadAll()
		if len(results) == 0 || len(results[0].Rows) == 0 {
			return failed
		}
		found := results[0].Rows[0]
		turn, err := strconv.ParseInt(string(found[2]), 10, 32)
		e.place = place{string(found[1]), int32(turn)}
		if there := string(found[0]) == "t"; err != nil || !there {
			return err
		}
		if failed != nil {
			return failed
		}
		text := ""
		for _, row := range results[1].Rows {
			text = string(row[0])
		}
		have, err = versionIn(text)
		return err
	})
	return have, err
}

// version returns the version of the tables.
func version(ctx context.Context, q sqlstore.Querier) (int, error) {
	text, err := sqlstore.Meta(ctx, q, "schema")
	if err != nil {
		return 0, err
	}
	return versionIn(text)
}

// versionIn reads the version as it is stored.
func versionIn(text string) (int, error) {
	v, err := strconv.Atoi(text)
	if err == nil && v < 0 {
		err = strconv.ErrRange
	}
	if err != nil {
		return 0, foreign(fmt.Errorf("meta tells of no version: %w", err))
	}
	return v, nil
}
