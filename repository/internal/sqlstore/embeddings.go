package sqlstore

import (
	"context"
	"database/sql"

	"wake/domain"
)

// Embeddings implements [repository.SearchReader].
func (r reads) Embeddings(ctx context.Context, project, model string, take func(domain.Embedding)) error {
	var e domain.Embedding
	return r.view(ctx, func(q Querier) error {
		return eachRow(ctx, q, func(rows *sql.Rows) error {
			if err := scanEmbedding(rows, &e); err != nil {
				return damagedRow(rows, err)
			}
			take(e)
			return nil
		}, `SELECT c.id, coalesce(d.n, 0), e.model, e.vector
			FROM embeddings e JOIN context_snapshots c ON c.n = e.context_n
			LEFT JOIN search_documents d ON d.context_n = e.context_n
			WHERE e.model = $1 AND ($2 = '' OR c.project = $2) AND c.deleted_at IS NULL
			ORDER BY e.context_n`, model, project)
	})
}

// scanEmbedding reads an embedding. The vector takes the room of the one before.
func scanEmbedding(rows *sql.Rows, e *domain.Embedding) error {
	var raw sql.RawBytes
	err := rows.Scan(&e.ContextID, &e.Document, &e.Model, &raw)
	e.Vector = domain.AppendVector(e.Vector[:0], raw)
	return err
}

// PutEmbeddings implements [repository.UsageWriter].
func (t *tx) PutEmbeddings(ctx context.Context, embeddings []domain.Embedding) error {
	return each(t, embeddings, func(q Querier, e domain.Embedding) error {
		return putEmbedding(ctx, q, e, ` AND c.deleted_at IS NULL`)
	})
}

// putEmbedding stores a vector of a context if condition holds for the context.
func putEmbedding(ctx context.Context, q Querier, e domain.Embedding, condition string) error {
	return exec(ctx, q, `INSERT INTO embeddings (context_n, model, dimension, vector)
		SELECT c.n, $1, $2, $3 FROM context_snapshots c WHERE c.id = $4`+condition+`
		ON CONFLICT (context_n, model) DO UPDATE SET dimension = excluded.dimension, vector = excluded.vector`,
		e.Model, len(e.Vector), e.Bytes(), e.ContextID)
}
