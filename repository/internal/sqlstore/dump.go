package sqlstore

import (
	"context"

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

// AdoptContext implements [repository.Adopter].
func (t *tx) AdoptContext(ctx context.Context, c *domain.ContextSnapshot, links []domain.Link) error {
	return t.do(func(q Querier) error {
		c.Tags = without(c.Tags, nil)
		momentize(c)
		if err := checkTags(c.Tags); err != nil {
			return err
		}
		if err := insertRow(ctx, q, c); err != nil {
			return err
		}
		if err := addTags(ctx, q, c.N, c.Tags, c.SavedAt); err != nil {
			return err
		}
		for _, l := range links {
			if err := insertLinkRow(ctx, q, l); err != nil {
				return err
			}
		}
		return nil
	})
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
				domain.FormatTime(x.At), x.How, x.Via, x.Actor, x.SessionID, x.ContextID,
				x.How, domain.FormatTime(x.At), x.Via, x.Actor, x.SessionID)
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
