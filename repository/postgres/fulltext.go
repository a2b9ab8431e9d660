package postgres

import (
	"context"
	"crypto/sha256"
	"encoding/hex"

	"wake/domain"
	"wake/repository/internal/sqlstore"
)

// The full-text index is two plain tables, terms and lengths, ranked by BM25 in
// SQL (k1 = 1.2, b = 0.75): to_tsquery would read terms as a language of its own.

// longTerm is from how many bytes on a term is kept as its hash: an index entry
// holds 2,700.
const longTerm = 500

func keys(terms []string) []string {
	out := make([]string, 0, len(terms))
	for _, t := range terms {
		if len(t) > longTerm {
			sum := sha256.Sum256([]byte(t))
			t = "\x01" + hex.EncodeToString(sum[:])
		}
		if t != "" {
			out = append(out, t)
		}
	}
	return out
}

// Index implements [sqlstore.FullText].
func (e *engine) Index(ctx context.Context, q sqlstore.Querier, n int64, project string, doc domain.Document) error {
	if err := e.Unindex(ctx, q, n); err != nil {
		return err
	}
	terms := keys(doc.Terms)
	if _, err := q.ExecContext(ctx, `INSERT INTO context_terms (term, context_n, times)
		SELECT term, $1, count(*) FROM unnest($2::text[]) AS term GROUP BY term`, n, terms); err != nil {
		return err
	}
	_, err := q.ExecContext(ctx, `INSERT INTO context_lengths (context_n, terms) VALUES ($1, $2)`, n, len(terms))
	return err
}

// Unindex implements [sqlstore.FullText].
func (e *engine) Unindex(ctx context.Context, q sqlstore.Querier, n int64) error {
	if _, err := q.ExecContext(ctx, `DELETE FROM context_terms WHERE context_n = $1`, n); err != nil {
		return err
	}
	_, err := q.ExecContext(ctx, `DELETE FROM context_lengths WHERE context_n = $1`, n)
	return err
}

// Search implements [sqlstore.FullText]. Scores are rounded, so that equal
// documents tie whatever the order in which the server adds up.
func (e *engine) Search(ctx context.Context, q sqlstore.Querier, tq domain.TermQuery) ([]domain.Match, error) {
	a := sqlstore.Args{keys(tq.Terms)}
	where := sqlstore.Where(&a, tq.Filters)
	if tq.Project != "" {
		where += ` AND c.project = ` + a.Add(tq.Project)
	}
	query := `WITH asked AS (
			SELECT DISTINCT term COLLATE "C" AS term FROM unnest($1::text[]) AS term
		), total AS (
			SELECT count(*) AS docs, greatest(avg(terms), 1) AS mean FROM context_lengths
		), rarity AS (
			SELECT t.term, ln(1 + (max(total.docs) - count(*) + 0.5) / (count(*) + 0.5)) AS idf
			FROM asked JOIN context_terms t ON t.term = asked.term CROSS JOIN total GROUP BY t.term
		)
		SELECT c.n, round(sum(r.idf * t.times * 2.2 / (t.times + 1.2 * (0.25 + 0.75 * l.terms / total.mean))), 6)::float8 AS score
		FROM rarity r JOIN context_terms t ON t.term = r.term
		JOIN context_lengths l ON l.context_n = t.context_n
		JOIN context_snapshots c ON c.n = t.context_n CROSS JOIN total
		WHERE ` + where + ` GROUP BY c.n ORDER BY score DESC, c.n DESC LIMIT ` + a.Add(tq.Limit)
	return sqlstore.Collect(ctx, q, sqlstore.ScanMatch, query, a...)
}

// Indexed implements [sqlstore.FullText].
func (e *engine) Indexed(ctx context.Context, q sqlstore.Querier) ([]int64, error) {
	return sqlstore.Collect(ctx, q, sqlstore.Scalar[int64], `SELECT context_n FROM context_lengths ORDER BY context_n`)
}

// EmptyIndex implements [sqlstore.FullText].
func (e *engine) EmptyIndex(ctx context.Context, q sqlstore.Querier) error {
	_, err := q.ExecContext(ctx, `DELETE FROM context_terms; DELETE FROM context_lengths`)
	return err
}

// Purge implements [sqlstore.FullText]: [engine.Scrub] does it after the commit.
func (e *engine) Purge(context.Context, sqlstore.Querier) error { return nil }
