package sqlstore

import (
	"context"
	"time"

	"wake/domain"
)

// EraseContext implements [repository.ContextWriter].
func (t *tx) EraseContext(ctx context.Context, id string, at time.Time) error {
	return t.do(func(q Querier) error {
		c, err := one(ctx, q, scanContext, unknownContext(id), selectContexts(false)+`WHERE c.id = $1`, id)
		if err != nil {
			return err
		}
		return eraseContext(ctx, q, c, at)
	})
}

// eraseContext deletes the row and everything derived from it, and leaves a tombstone.
// Links from the context are deleted too; links to it stay and lead to a lost parent.
// With the last context of a project, its prediction model goes as well.
func eraseContext(ctx context.Context, q Querier, c domain.ContextSnapshot, at time.Time) error {
	if err := dropDocuments(ctx, q, domain.DocumentSource{ContextN: c.N}); err != nil {
		return err
	}
	if err := exec(ctx, q, `INSERT INTO tombstones (n, id, project, content_hash, erased_at)
		VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (id) DO UPDATE SET n = excluded.n, content_hash = excluded.content_hash, erased_at = excluded.erased_at`,
		c.N, c.ID, c.Project, c.ContentHash, domain.FormatTime(at)); err != nil {
		return err
	}
	if err := eraseLinks(ctx, q, c.ID); err != nil {
		return err
	}
	if err := exec(ctx, q, `DELETE FROM context_snapshots WHERE n = $1`, c.N); err != nil { // the rest cascades
		return err
	}
	return exec(ctx, q, `DELETE FROM prediction_models
		WHERE project = $1 AND NOT EXISTS (SELECT 1 FROM context_snapshots WHERE project = $2)`, c.Project, c.Project)
}

// eraseLinks deletes the links from a context, and the reasons of those to it, which may
// quote it. What it superseded is no longer superseded.
func eraseLinks(ctx context.Context, q Querier, id string) error {
	old, err := supersedes(ctx, q, id)
	if err != nil {
		return err
	}
	if err := exec(ctx, q, `DELETE FROM context_links WHERE from_id = $1`, id); err != nil {
		return err
	}
	if err := exec(ctx, q, `UPDATE context_links SET reason = '' WHERE to_id = $1 AND reason <> ''`, id); err != nil {
		return err
	}
	return setSuperseded(ctx, q, old...)
}

// CleanUp implements [repository.JobWriter].
func (t *tx) CleanUp(ctx context.Context, before, at time.Time, limit int) (int, error) {
	gone := 0
	err := t.do(func(q Querier) error {
		due, err := Collect(ctx, q, scanContext, selectContexts(false)+`
			WHERE c.deleted_at < $1 ORDER BY c.deleted_at`+limitTo(limit), domain.FormatTime(before))
		if err != nil {
			return err
		}
		for _, c := range due {
			if err := eraseContext(ctx, q, c, at); err != nil {
				return err
			}
			gone++
		}
		return nil
	})
	return gone, err
}
