package sqlstore

import (
	"context"
	"database/sql"

	"wake/domain"
)

// ContextsAfter implements [repository.Dumper].
func (r reads) ContextsAfter(ctx context.Context, n int64, limit int) ([]domain.ContextSnapshot, error) {
	return askAll(ctx, r, scanContext, selectContexts(true)+`WHERE c.n > $1 ORDER BY c.n`+limitTo(limit), n)
}

// LinkHistory implements [repository.Dumper].
func (r reads) LinkHistory(ctx context.Context, from []string) ([]domain.Link, error) {
	return ask(ctx, r, func(q Querier) ([]domain.Link, error) {
		links, err := collectIn(ctx, q, scanLink, from, func(a *Args, some []string) string {
			return `SELECT l.n, ` + linkColumns + ` FROM context_links l WHERE l.from_id IN ` + addList(a, some) + ` ORDER BY l.n`
		})
		return bareLinks(links), err
	})
}

// ErasedContexts implements [repository.Dumper].
func (r reads) ErasedContexts(ctx context.Context, ids []string) ([]string, error) {
	return ask(ctx, r, func(q Querier) ([]string, error) {
		return collectIn(ctx, q, Scalar[string], ids, func(a *Args, some []string) string {
			return `SELECT id FROM tombstones WHERE id IN ` + addList(a, some) + ` ORDER BY n`
		})
	})
}

// TagHistory implements [repository.Dumper].
func (r reads) TagHistory(ctx context.Context, ids []string) (map[string][]domain.TagSpan, error) {
	return ask(ctx, r, func(q Querier) (map[string][]domain.TagSpan, error) {
		spans, err := collectIn(ctx, q, scanTagSpan, ids, func(a *Args, some []string) string {
			return `SELECT c.id, t.tag, t.added_at, t.removed_at
				FROM context_tags t JOIN context_snapshots c ON c.n = t.context_n
				WHERE c.id IN ` + addList(a, some) + ` ORDER BY t.added_at, t.tag`
		})
		out := make(map[string][]domain.TagSpan, len(ids))
		for _, s := range spans {
			out[s.id] = append(out[s.id], s.TagSpan)
		}
		return out, err
	})
}

// tagSpan is a span with the id of its context.
type tagSpan struct {
	id string
	domain.TagSpan
}

func scanTagSpan(rows *sql.Rows, s *tagSpan) error {
	return rows.Scan(&s.id, &s.Tag, toTime(&s.AddedAt), toTime(&s.RemovedAt))
}

// VectorsOf implements [repository.Dumper].
func (r reads) VectorsOf(ctx context.Context, ids []string) (map[string][]domain.Embedding, error) {
	return ask(ctx, r, func(q Querier) (map[string][]domain.Embedding, error) {
		vectors, err := collectIn(ctx, q, scanEmbedding, ids, func(a *Args, some []string) string {
			return `SELECT c.id, 0, e.model, e.vector
				FROM embeddings e JOIN context_snapshots c ON c.n = e.context_n
				WHERE c.id IN ` + addList(a, some) + ` ORDER BY e.model`
		})
		out := make(map[string][]domain.Embedding, len(ids))
		for _, v := range vectors {
			out[v.ContextID] = append(out[v.ContextID], v)
		}
		return out, err
	})
}

// ScanEvents implements [repository.Dumper]. No index is of the expressions that it compares. A
// blob that cannot be read costs its own event alone.
func (r reads) ScanEvents(ctx context.Context, sessionID string, after, until int64) (out []domain.Event, err error) {
	err = r.view(ctx, func(q Querier) error {
		var rows []eventRow
		failed := eachRow(ctx, q, func(row *sql.Rows) error {
			var e eventRow
			if err := scanEvent(row, &e); err != nil {
				return damagedRow(row, err)
			}
			rows = append(rows, e)
			return nil
		}, `SELECT `+eventColumns+`, 0 FROM events WHERE session_id || '' = $1 AND seq + 0 > $2 AND seq + 0 <= $3`, sessionID, after, until)
		for i := range rows {
			if err := loadBlobs(ctx, q, rows[i:i+1]); err != nil {
				failed = err
				continue
			}
			out = append(out, rows[i].Event)
		}
		return failed
	})
	return out, err
}

// Tombstones implements [repository.Dumper].
func (r reads) Tombstones(ctx context.Context, project string, n int64, limit int) ([]domain.Tombstone, error) {
	return askAll(ctx, r, scanTombstone, `SELECT n, id, project, content_hash, erased_at FROM tombstones
		WHERE n > $1 AND ($2 = '' OR project = $2) ORDER BY n`+limitTo(limit), n, project)
}

func scanTombstone(rows *sql.Rows, s *domain.Tombstone) error {
	return rows.Scan(&s.N, &s.ID, &s.Project, &s.ContentHash, toTime(&s.ErasedAt))
}
