package postgres_test

import (
	"net/url"
	"testing"
	"time"

	"wake/domain"
	"wake/repository"
	"wake/repository/postgres"
	"wake/repository/postgres/pgtest"
)

// Tables of another program that have the names of wake's are left alone, and the
// error says where wake's can go.
func testNeighbours(t *testing.T, server *pgtest.Server) {
	for _, table := range []string{
		"CREATE TABLE sessions (name TEXT)",
		"CREATE TABLE meta (name TEXT)",
		"CREATE TABLE meta (key TEXT, value TEXT)",
		"CREATE TABLE meta (key TEXT, value TEXT); INSERT INTO meta VALUES ('schema', 'v2')",
		"CREATE VIEW meta AS SELECT 1 AS key",
	} {
		address := server.Schema(t)
		exec(t, address, table)
		_, err := postgres.Open(t.Context(), address, postgres.Options{})
		wantKind(t, err, domain.KindInvalid, "CREATE SCHEMA wake")
	}
}

// Where search_path names several schemas, that of the tables counts, not the first.
func testTwoSchemas(t *testing.T, server *pgtest.Server) {
	address := server.Schema(t)
	own, other := schemaOf(address), schemaOf(server.Schema(t))
	direct, both := mustOpen(t, address), mustOpen(t, server.URL(other+","+own))
	wantKind(t, both.Backup(t.Context(), "x", nil), domain.KindUnavailable, "--schema='"+own+"'")
	if info, err := both.Info(t.Context()); err != nil || info.Size == 0 {
		t.Errorf("the size of all tables is %d, %v", info.Size, err)
	}
	waited := make(chan error, 1)
	start := time.Now()
	err := direct.Write(t.Context(), repository.Durable, func(tx repository.Tx) error {
		go func() { waited <- claim(t, both, "second") }()
		select {
		case err := <-waited:
			t.Error("two wrote at once")
			waited <- err
		case <-time.After(200 * time.Millisecond):
		}
		return tx.ClaimProject(t.Context(), "first", domain.Place{Path: "/first"}, nil, start)
	})
	if err != nil {
		t.Error(err)
	}
	if err := <-waited; err != nil {
		t.Error(err)
	}
}

// schemaOf is the schema that a URL names.
func schemaOf(address string) string {
	u, _ := url.Parse(address)
	return u.Query().Get("search_path")
}
