package sqlite_test

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"wake/domain"
	"wake/repository"
	"wake/repository/repotest"
)

func BenchmarkSuite(b *testing.B) { repotest.Bench(b, fresh) }

// BenchmarkSaveAgainstBare compares, in turns on two files of the same tables, a
// save with the statements that cannot be left out: the row, its tags and its
// document. Run it with -benchtime=1x.
func BenchmarkSaveAgainstBare(b *testing.B) {
	for b.Loop() {
		s, bare := mustOpen(b, filepath.Join(b.TempDir(), "wake.db")), openBare(b, filepath.Join(b.TempDir(), "bare.db"))
		corpus, twin := repotest.NewCorpus(), repotest.NewCorpus()
		corpus.Fill(b, s, 5000)
		twin.Fill(b, bare.Store, 5000)
		bareSave, save := inTurns(400, func() { bare.save(b, twin) }, func() { saveOne(b, s, corpus) })
		b.ReportMetric(float64(save.Microseconds()), "µs/save")
		b.ReportMetric(float64(bareSave.Microseconds()), "µs/bare-save")
		b.ReportMetric(float64(save)/float64(bareSave), "ratio-save")
	}
}

// inTurns runs two things alternately and returns the median of each.
func inTurns(k int, first, second func()) (a, b time.Duration) {
	var one, other []time.Duration
	for range k {
		one = append(one, repotest.Median(1, first))
		other = append(other, repotest.Median(1, second))
	}
	slices.Sort(one)
	slices.Sort(other)
	return one[k/2], other[k/2]
}

func saveOne(b *testing.B, s repository.Store, corpus *repotest.Corpus) {
	c := corpus.Next()
	err := s.Write(b.Context(), repository.Durable, func(tx repository.Tx) error { return repotest.Insert(b.Context(), tx, c) })
	if err != nil {
		b.Fatal(err)
	}
}

// bareDB is a file of our tables, written by prepared statements and nothing else.
type bareDB struct {
	repository.Store
	conn          *sql.Conn
	row, tag, doc *sql.Stmt
	access        *sql.Stmt
	n             int64
}

func openBare(b *testing.B, path string) *bareDB {
	bare := &bareDB{Store: mustOpen(b, path)}
	db, err := sql.Open("sqlite", "file:"+path+"?_journal_mode=WAL&_synchronous=FULL&_foreign_keys=1&_busy_timeout=5000&_pragma=cache_size(-16000)")
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { db.Close() })
	if bare.conn, err = db.Conn(b.Context()); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { bare.conn.Close() })
	prepare := func(query string) *sql.Stmt {
		s, err := bare.conn.PrepareContext(b.Context(), query)
		if err != nil {
			b.Fatal(err)
		}
		return s
	}
	bare.row = prepare(`INSERT INTO context_snapshots (n, id, project, summary, tags, source, timestamp, action_type, rationale, dependencies,
		memory_tier, kind, origin, content_hash, summary_by, saved_at, content) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)`)
	bare.tag = prepare(`INSERT INTO context_tags (context_n, tag, added_at) VALUES (?, ?, ?)`)
	bare.doc = prepare(`INSERT INTO search_documents (space, scope, context_n, stream, prev, document) VALUES (0, ?, ?, 7, 0, ?)`)
	bare.access = prepare(`INSERT INTO context_accesses (context_n, project, at, how, via, actor, session_id) VALUES (?, ?, ?, ?, ?, ?, ?)`)
	bare.n = 1_000_000
	return bare
}

// inTransaction runs statements between BEGIN and COMMIT.
func (d *bareDB) inTransaction(b *testing.B, fn func(exec func(s *sql.Stmt, args ...any))) {
	ctx := context.Background()
	must := func(_ sql.Result, err error) {
		if err != nil {
			b.Fatal(err)
		}
	}
	must(d.conn.ExecContext(ctx, "BEGIN IMMEDIATE"))
	fn(func(s *sql.Stmt, args ...any) { must(s.ExecContext(ctx, args...)) })
	must(d.conn.ExecContext(ctx, "COMMIT"))
}

func (d *bareDB) save(b *testing.B, corpus *repotest.Corpus) {
	c := corpus.Next()
	d.n++
	at := domain.FormatTime(c.SavedAt)
	d.inTransaction(b, func(exec func(s *sql.Stmt, args ...any)) {
		exec(d.row, d.n, c.ID, c.Project, c.Summary, strings.Join(c.Tags, ","), c.Source, at, "decision", c.Causality.Rationale, "[]",
			"ACTIVE", "episodic", "assistant", c.ContentHash, c.SummaryBy, at, c.Content)
		for i, t := range c.Tags {
			exec(d.tag, d.n, fmt.Sprint(t, i), at)
		}
		exec(d.doc, c.Project, d.n, []byte(c.Content))
	})
}
