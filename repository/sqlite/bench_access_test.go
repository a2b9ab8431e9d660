package sqlite_test

import (
	"context"
	"database/sql"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"wake/domain"
	"wake/repository"
	"wake/repository/repotest"
)

// BenchmarkAccessAgainstBare compares accesses, as the service writes them after an
// answer, with a transaction of the same durability that inserts their log rows by a
// prepared statement and nothing else. Run it with -benchtime=1x.
//
// "any" takes contexts at random, so that in the large store nearly every access is
// a context's first; "hot" takes nine of ten from one in a hundred, as work does;
// "cold" takes contexts that periodic work has put into the tier of the old.
//
// What brought it down from 3.0-3.5 times the bare rows: one INSERT for each row
// instead of one for many, no look-up of contexts whose number is known, no
// goroutine of the driver for each statement, statements that need not be written
// anew, the tier in the index that an access moves in place of two indexes of tiers
// (of the old, ten together at 100,000 contexts, a batch writes 43 pages to the log
// instead of 60, the bare rows 18), times written once for a batch. What did not
// help is told in bench/prediction/README.md. What is left is the page of the row
// itself, because last_accessed and access_count are columns of it, and its entry
// in the index that lists by touch.
func BenchmarkAccessAgainstBare(b *testing.B) {
	for _, size := range []int{1000, 100_000} {
		origin := mustOpen(b, filepath.Join(b.TempDir(), "origin.db"))
		repotest.NewCorpus().Fill(b, origin, size)
		anyOne := func(r *rand.Rand) int { return r.IntN(size) }
		b.Run(fmt.Sprintf("any/%d", size), func(b *testing.B) { benchAccess(b, origin, anyOne) })
		b.Run(fmt.Sprintf("hot/%d", size), func(b *testing.B) {
			benchAccess(b, origin, func(r *rand.Rand) int {
				if r.IntN(10) > 0 {
					return 97 * r.IntN(size/100)
				}
				return r.IntN(size)
			})
		})
		expire(b, origin)
		b.Run(fmt.Sprintf("cold/%d", size), func(b *testing.B) { benchAccess(b, origin, anyOne) })
	}
}

// expire stores the tier EXPIRED, as periodic work does.
func expire(b *testing.B, s repository.Store) {
	ever := domain.Span{}
	wrong, err := s.WrongTiers(b.Context(), "", map[domain.Tier]domain.Span{domain.TierExpired: ever}, math.MaxInt32)
	if err != nil {
		b.Fatal(err)
	}
	for some := range slices.Chunk(wrong[domain.TierExpired], 1000) {
		err := s.Write(b.Context(), repository.Relaxed, func(tx repository.Tx) error {
			_, err := tx.SetTier(b.Context(), domain.TierExpired, ever, some)
			return err
		})
		if err != nil {
			b.Fatal(err)
		}
	}
}

func benchAccess(b *testing.B, origin repository.Store, pick func(*rand.Rand) int) {
	for b.Loop() {
		s, bare := copyOf(b, origin), openBare(b, backup(b, origin))
		if _, err := bare.conn.ExecContext(b.Context(), "PRAGMA synchronous = NORMAL"); err != nil {
			b.Fatal(err)
		}
		found, err := s.Contexts(b.Context(), domain.ContextQuery{Order: domain.Oldest})
		if err != nil {
			b.Fatal(err)
		}
		random, k := rand.New(rand.NewPCG(1, 2)), 0
		batch := func(size int) (out []domain.Access) {
			k++
			for range size {
				c := &found[pick(random)]
				out = append(out, domain.Access{ContextN: c.N, ContextID: c.ID, Project: c.Project, At: moment.AddDate(1, 0, 0).Add(time.Duration(k) * time.Minute),
					How: domain.Used, Via: "load_context", Actor: "claude-code"})
			}
			return out
		}
		for _, size := range []int{10, 1} {
			logged, recorded := inTurns(1500, func() { bare.log(b, batch(size)) }, func() { record(b, s, batch(size)) })
			b.ReportMetric(float64(logged.Microseconds()), fmt.Sprintf("µs/bare-%d", size))
			b.ReportMetric(float64(recorded.Microseconds()), fmt.Sprintf("µs/wake-%d", size))
			b.ReportMetric(float64(recorded)/float64(logged), fmt.Sprintf("ratio-%d", size))
		}
	}
}

// backup copies a store to a new file and returns its path.
func backup(b *testing.B, s repository.Store) string {
	path := filepath.Join(b.TempDir(), "copy.db")
	if err := s.Backup(b.Context(), path, nil); err != nil {
		b.Fatal(err)
	}
	return path
}

func copyOf(b *testing.B, s repository.Store) repository.Store { return mustOpen(b, backup(b, s)) }

func record(b *testing.B, s repository.Store, batch []domain.Access) {
	ctx := context.Background() // what the service's queue writes with
	err := s.Write(ctx, repository.Relaxed, func(tx repository.Tx) error { return tx.RecordAccesses(ctx, batch) })
	if err != nil {
		b.Fatal(err)
	}
}

func (d *bareDB) log(b *testing.B, batch []domain.Access) {
	d.inTransaction(b, func(exec func(s *sql.Stmt, args ...any)) {
		for _, x := range batch {
			exec(d.access, x.ContextN, x.Project, domain.FormatTime(x.At), string(x.How), x.Via, x.Actor, x.SessionID)
		}
	})
}
