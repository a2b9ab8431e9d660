package postgres_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"wake/domain"
	"wake/repository"
	"wake/repository/postgres/pgtest"
)

// What is erased leaves every table that may have held some of it.
func testScrub(t *testing.T, server *pgtest.Server) {
	url := server.Schema(t)
	if err := mustOpen(t, url).Scrub(t.Context()); err != nil {
		t.Fatal(err)
	}
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	tables := func(which string) []string {
		rows, err := conn.Query(t.Context(), `SELECT relname FROM pg_stat_user_tables WHERE schemaname = current_schema() AND `+which)
		if err != nil {
			t.Fatal(err)
		}
		names, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			t.Fatal(err)
		}
		return names
	}
	if left := tables(`last_vacuum IS NULL`); len(left) > 0 {
		t.Errorf("not scrubbed: %v", left)
	}
	if all := tables(`true`); !slices.Contains(all, "turns") {
		t.Errorf("the tables are %v", all)
	}
}

// A purge by somebody who may only change rows is unfinished until the owner of the tables
// has finished it: the server only warns that it did not clean them.
func testPurgeByOthers(t *testing.T, server *pgtest.Server) {
	url := server.Schema(t)
	owner := mustOpen(t, url)
	exec(t, url, `CREATE ROLE purger LOGIN; GRANT USAGE ON SCHEMA `+schemaOf(url)+` TO purger;
		GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA `+schemaOf(url)+` TO purger`) // from 17 on, ALL lets one clean too
	exec(t, url, `CREATE ROLE someone; CREATE TABLE foreign_one (x INT); ALTER TABLE foreign_one OWNER TO someone`)
	other := mustOpen(t, strings.Replace(url, "wake@", "purger@", 1))
	err := other.Write(t.Context(), repository.Durable, func(tx repository.Tx) error { return tx.OweRewrite(t.Context()) })
	if err != nil {
		t.Fatal(err)
	}
	wantKind(t, other.Rewrite(t.Context(), 1), domain.KindUnavailable, "owner of its tables, wake")
	if err := other.Scrub(t.Context()); err != nil { // after the undo time, which the server may take longer for
		t.Error(err)
	}
	for _, want := range []int{1, 0} {
		if owed, err := other.RewriteOwed(t.Context()); owed != want || err != nil {
			t.Errorf("%d purges are owed, want %d, %v", owed, want, err)
		}
		if err := owner.Rewrite(t.Context(), 1); err != nil {
			t.Error(err)
		}
	}
}
