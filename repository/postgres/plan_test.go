package postgres_test

import (
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"wake/domain"
	"wake/repository"
	"wake/repository/postgres/pgtest"
)

// A question reads the rows of one space, or project, that are behind a number, and not the
// many rows of others that were stored since. The planner does not know that these stand
// together, and would rather walk over all of them in the order of the primary key.
func testRowsBehind(t *testing.T, server *pgtest.Server) {
	const behind, others = 12_000, 12_000
	url := server.Schema(t)
	if err := mustOpen(t, url).Close(); err != nil {
		t.Fatal(err)
	}
	for _, fill := range []string{
		`INSERT INTO search_documents (space, scope, context_n, stream, prev, document) SELECT 0, 'few', i, 1, 0, decode(repeat('ab', 250), 'hex') FROM generate_series(1, 12000) i`,
		`INSERT INTO search_documents (space, scope, session_id, seq, stream, prev, document) SELECT 1, 'many', 's', i, 2, 0, decode(repeat('ab', 250), 'hex') FROM generate_series(1, 12000) i`,
		`INSERT INTO context_snapshots (n, id, project, summary, tags, timestamp, memory_tier, kind, origin, content_hash, summary_by, saved_at, content)
			SELECT i, i::text, 'p', '', '', '', 'ACTIVE', 'episodic', 'user', '', '', '', '' FROM generate_series(1, 10) i`,
		`INSERT INTO context_accesses (context_n, project, at, how, via, actor, session_id)
			SELECT 1 + i % 10, CASE WHEN i <= 12000 AND i % 3 = 0 THEN 'few' ELSE 'many' END, '2026-01-01T00:00:00.000000Z', 'used', '', '', '' FROM generate_series(1, 24000) i`,
		`ANALYZE`,
	} {
		exec(t, url, fill)
	}
	for table, ask := range map[string]func(s repository.Store) error{
		"search_documents": func(s repository.Store) error {
			none := func(int64, []byte) error { t.Error("a document that is not asked for"); return nil }
			_, err := s.SearchIndex(domain.ContextSpace).Rows(t.Context(), behind, 1024, none)
			return err
		},
		"context_accesses": func(s repository.Store) error {
			found, err := s.AccessLog(t.Context(), "few", behind, 1000)
			if len(found) > 0 {
				t.Errorf("%d accesses that are not asked for", len(found))
			}
			return err
		},
	} {
		before := rowsRead(t, url, table)
		s := mustOpen(t, url)
		if err := ask(s); err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil { // the server counts at the latest when a connection ends
			t.Fatal(err)
		}
		after := rowsRead(t, url, table)
		for wait := time.Now().Add(time.Minute); after.scans == before.scans && time.Now().Before(wait); after = rowsRead(t, url, table) {
			time.Sleep(20 * time.Millisecond)
		}
		if after.scans == before.scans {
			t.Errorf("%s: the server counted nothing", table)
		}
		if n := after.rows - before.rows; n > others/10 {
			t.Errorf("%s: %d rows were read to find none", table, n)
		}
	}
}

// reads are the server's counts of scans of a table, and of rows and index entries read by
// them.
type reads struct{ scans, rows int64 }

func rowsRead(t *testing.T, url, table string) (r reads) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	err = conn.QueryRow(t.Context(), `SELECT t.seq_scan + sum(i.idx_scan)::bigint, t.seq_tup_read + sum(i.idx_tup_read)::bigint
		FROM pg_stat_user_tables t JOIN pg_stat_user_indexes i USING (relid)
		WHERE t.schemaname = current_schema() AND t.relname = $1 GROUP BY t.seq_scan, t.seq_tup_read`, table).Scan(&r.scans, &r.rows)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
