package sqlstore

import (
	"context"
	"database/sql"

	"wake/domain"
)

// ContextsAfter implements [repository.Dumper].
func (r reads) ContextsAfter(ctx context.Context, n int64, limit int) ([]domain.ContextSnapshot, error) {
	return ask(ctx, r, func(q Querier) ([]domain.ContextSnapshot, error) {
		return Collect(ctx, q, scanContext, selectContexts(true)+`WHERE c.n > $1 ORDER BY c.n LIMIT $2`, n, limit)
	})
}

// LinkHistory implements [repository.Dumper].
func (r reads) LinkHistory(ctx context.Context, from []string) ([]domain.Link, error) {
	return ask(ctx, r, func(q Querier) ([]domain.Link, error) {
		var out []domain.Link
		err := chunks(from, func(some []string) error {
			var a Args
			links, err := Collect(ctx, q, scanLink, `SELECT l.n, `+linkColumns+` FROM context_links l
				WHERE l.from_id IN `+addList(&a, some)+` ORDER BY l.n`, a...)
			for _, l := range links {
				out = append(out, l.Link)
			}
			return err
		})
		return out, err
	})
}

// ErasedContexts implements [repository.Dumper].
func (r reads) ErasedContexts(ctx context.Context, ids []string) ([]string, error) {
	return ask(ctx, r, func(q Querier) ([]string, error) {
		var out []string
		err := chunks(ids, func(some []string) error {
			var a Args
			gone, err := Collect(ctx, q, Scalar[string], `SELECT id FROM tombstones WHERE id IN `+addList(&a, some)+` ORDER BY n`, a...)
			out = append(out, gone...)
			return err
		})
		return out, err
	})
}

// TagHistory implements [repository.Dumper].
func (r reads) TagHistory(ctx context.Context, ids []string) (map[string][]domain.TagSpan, error) {
	return ask(ctx, r, func(q Querier) (map[string][]domain.TagSpan, error) {
		out := make(map[string][]domain.TagSpan, len(ids))
		err := chunks(ids, func(some []string) error {
			var a Args
			spans, err := Collect(ctx, q, scanTagSpan, `SELECT c.id, t.tag, t.added_at, t.removed_at
				FROM context_tags t JOIN context_snapshots c ON c.n = t.context_n
				WHERE c.id IN `+addList(&a, some)+` ORDER BY t.added_at, t.tag`, a...)
			for _, s := range spans {
				out[s.id] = append(out[s.id], s.TagSpan)
			}
			return err
		})
		return out, err
	})
}

// tagSpan is a span with its context's id.
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
		out := make(map[string][]domain.Embedding, len(ids))
		err := chunks(ids, func(some []string) error {
			var a Args
			vectors, err := Collect(ctx, q, scanEmbedding, `SELECT c.id, 0, e.model, e.vector
				FROM embeddings e JOIN context_snapshots c ON c.n = e.context_n
				WHERE c.id IN `+addList(&a, some)+` ORDER BY e.model`, a...)
			for _, v := range vectors {
				out[v.ContextID] = append(out[v.ContextID], v)
			}
			return err
		})
		return out, err
	})
}

// Tombstones implements [repository.Dumper].
func (r reads) Tombstones(ctx context.Context, project string, n int64, limit int) ([]domain.Tombstone, error) {
	return ask(ctx, r, func(q Querier) ([]domain.Tombstone, error) {
		return Collect(ctx, q, scanTombstone, `SELECT n, id, project, content_hash, erased_at FROM tombstones
			WHERE n > $1 AND ($2 = '' OR project = $2) ORDER BY n LIMIT $3`, n, project, limit)
	})
}

func scanTombstone(rows *sql.Rows, s *domain.Tombstone) error {
	return rows.Scan(&s.N, &s.ID, &s.Project, &s.ContentHash, toTime(&s.ErasedAt))
}

// AppendTombstones implements [repository.Adopter].
func (t *tx) AppendTombstones(ctx context.Context, stones []domain.Tombstone) (int, error) {
	added := 0
	err := t.do(func(q Querier) error {
		for _, s := range stones {
			fresh, err := changed(q.ExecContext(ctx, `INSERT INTO tombstones (n, id, project, content_hash, erased_at)
				SELECT `+nextContext+`, $1, $2, $3, $4
				WHERE NOT EXISTS (SELECT 1 FROM context_snapshots c WHERE c.id = $5)
				ON CONFLICT (id) DO NOTHING`, s.ID, s.Project, s.ContentHash, domain.FormatTime(s.ErasedAt), s.ID))
			if err != nil {
				return err
			}
			if fresh {
				added++
			}
		}
		return nil
	})
	return added, err
}

// AdoptContext implements [repository.Adopter].
func (t *tx) AdoptContext(ctx context.Context, c *domain.ContextSnapshot, past domain.ContextHistory) error {
	return t.do(func(q Querier) error {
		c.Tags = without(c.Tags, nil)
		momentize(c)
		if err := checkTags(c.Tags); err != nil {
			return err
		}
		if err := insertRow(ctx, q, c); err != nil {
			return err
		}
		if err := adoptTags(ctx, q, c, past.Tags); err != nil {
			return err
		}
		for _, l := range past.Links {
			if err := insertLinkRow(ctx, q, l); err != nil {
				return err
			}
		}
		for _, e := range past.Embeddings {
			e.ContextID = c.ID
			if err := putEmbedding(ctx, q, e, ``); err != nil {
				return err
			}
		}
		return nil
	})
}

// adoptTags stores the tags' history. Its end is what the context says.
func adoptTags(ctx context.Context, q Querier, c *domain.ContextSnapshot, spans []domain.TagSpan) error {
	for _, s := range spans {
		_, err := q.ExecContext(ctx, `INSERT INTO context_tags (context_n, tag, added_at, removed_at) VALUES ($1, $2, $3, $4)
			ON CONFLICT (context_n, tag, added_at) DO NOTHING`, c.N, s.Tag, domain.FormatTime(s.AddedAt), timeArg(s.RemovedAt))
		if err != nil {
			return err
		}
	}
	return syncTags(ctx, q, c.N, c.Tags, c.SavedAt)
}

// AppendAccesses implements [repository.UsageWriter].
func (t *tx) AppendAccesses(ctx context.Context, accesses []domain.Access) (int, error) {
	added := 0
	err := t.do(func(q Querier) error {
		for _, x := range accesses {
			res, err := q.ExecContext(ctx, `INSERT INTO context_accesses (context_n, project, at, how, via, actor, session_id)
				SELECT c.n, c.project, $1, $2, $3, $4, $5 FROM context_snapshots c
				WHERE c.id = $6 AND NOT EXISTS (SELECT 1 FROM context_accesses o
					WHERE o.context_n = c.n AND o.how = $7 AND o.at = $8 AND o.via = $9 AND o.actor = $10 AND o.session_id = $11)`,
				domain.FormatTime(x.At), string(x.How), x.Via, x.Actor, x.SessionID, x.ContextID,
				string(x.How), domain.FormatTime(x.At), x.Via, x.Actor, x.SessionID)
			if err != nil {
				return err
			}
			n, err := res.RowsAffected()
			if err != nil {
				return err
			}
			added += int(n)
		}
		return nil
	})
	return added, err
}
