package sqlite

import (
	"context"
	"encoding/hex"
	"strings"

	"wake/domain"
	"wake/repository/internal/sqlstore"
)

// The full-text index is an FTS5 table over the terms that package recall made.
// Its tokenizer splits at every ASCII character but letters, digits, `.` and `_`,
// so a term that holds another one is written in hex behind a `_`: any term finds
// itself, and none is ever read as an operator.

// encodeTerm writes a term so that the tokenizer returns it as it is.
func encodeTerm(term string) string {
	for i := range len(term) {
		c := term[i]
		plain := c >= 0x80 || c == '.' || 'a' <= c && c <= 'z' || '0' <= c && c <= '9'
		if !plain {
			return "_" + hex.EncodeToString([]byte(term))
		}
	}
	return term
}

func encodeTerms(terms []string) string {
	out := make([]string, len(terms))
	for i, t := range terms {
		out[i] = encodeTerm(t)
	}
	return strings.Join(out, " ")
}

// matchExpression asks for any of the terms, in one project if one is named.
func matchExpression(project string, terms []string) string {
	quoted := make([]string, 0, len(terms))
	for _, t := range terms {
		if t != "" {
			quoted = append(quoted, `"`+encodeTerm(t)+`"`)
		}
	}
	if len(quoted) == 0 {
		return `""` // matches nothing
	}
	expr := `terms : (` + strings.Join(quoted, " OR ") + `)`
	if project != "" {
		expr = `project : "` + encodeTerm(project) + `" AND ` + expr
	}
	return expr
}

// Index implements [sqlstore.FullText].
func (e *engine) Index(ctx context.Context, q sqlstore.Querier, n int64, project string, doc domain.Document) error {
	_, err := q.ExecContext(ctx, `INSERT OR REPLACE INTO context_terms (rowid, project, terms) VALUES ($1, $2, $3)`,
		n, encodeTerm(project), encodeTerms(doc.Terms))
	return err
}

// Unindex implements [sqlstore.FullText].
func (e *engine) Unindex(ctx context.Context, q sqlstore.Querier, n int64) error {
	_, err := q.ExecContext(ctx, `DELETE FROM context_terms WHERE rowid = $1`, n)
	return err
}

// Search implements [sqlstore.FullText]. The weights of bm25 count the project for
// nothing.
func (e *engine) Search(ctx context.Context, q sqlstore.Querier, tq domain.TermQuery) ([]domain.Match, error) {
	query, args := searchSQL(tq)
	return sqlstore.Collect(ctx, q, sqlstore.ScanMatch, query, args...)
}

// searchSQL writes the query. CROSS JOIN keeps the full-text side on the outside:
// the other way round SQLite would run MATCH again for each row.
func searchSQL(tq domain.TermQuery) (string, sqlstore.Args) {
	var a sqlstore.Args
	query := `SELECT m.rowid, -bm25(context_terms, 0.0, 1.0) AS score FROM context_terms m `
	match := `WHERE context_terms MATCH ` + a.Add(matchExpression(tq.Project, tq.Terms))
	if sqlstore.Narrows(tq.Filters) {
		query += `CROSS JOIN context_snapshots c ON c.n = m.rowid ` + match + ` AND ` + sqlstore.Where(&a, tq.Filters)
	} else {
		query += match
	}
	return query + ` ORDER BY score DESC, m.rowid DESC LIMIT ` + a.Add(tq.Limit), a
}

// Indexed implements [sqlstore.FullText].
func (e *engine) Indexed(ctx context.Context, q sqlstore.Querier) ([]int64, error) {
	return sqlstore.Collect(ctx, q, sqlstore.Scalar[int64], `SELECT rowid FROM context_terms ORDER BY rowid`)
}

// EmptyIndex implements [sqlstore.FullText].
func (e *engine) EmptyIndex(ctx context.Context, q sqlstore.Querier) error {
	_, err := q.ExecContext(ctx, `INSERT INTO context_terms (context_terms) VALUES ('delete-all')`)
	return err
}

// Purge implements [sqlstore.FullText]. Merging all segments drops the terms of
// deleted documents, which lie in the old ones until then.
func (e *engine) Purge(ctx context.Context, q sqlstore.Querier) error {
	if _, err := q.ExecContext(ctx, `PRAGMA secure_delete = ON`); err != nil {
		return err
	}
	_, err := q.ExecContext(ctx, `INSERT INTO context_terms (context_terms) VALUES ('optimize')`)
	return err
}
