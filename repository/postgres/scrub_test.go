package postgres_test

import (
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"

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
