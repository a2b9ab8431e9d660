package sqlstore

import (
	"context"

	"wake/repository"
)

// Repair implements [repository.Maintenance]. It takes the columns of the contexts as
// right and makes the rows that index them agree, in transactions short enough for
// others to write in between.
func (s *Store) Repair(ctx context.Context, progress func(done, total int)) error {
	total, err := ask(ctx, s.reads, func(q Querier) (int, error) { return countContexts(ctx, q) })
	if err != nil {
		return err
	}
	return eachBatch(total, orSilent(progress), func(after int64) (batch []parts, err error) {
		err = s.Write(ctx, repository.Durable, func(t repository.Tx) (err error) {
			batch, err = t.(*tx).repairFrom(ctx, after)
			return err
		})
		return batch, err
	})
}

// repairFrom repairs the next batch of contexts numbered above after.
func (t *tx) repairFrom(ctx context.Context, after int64) ([]parts, error) {
	batch, err := auditFrom(ctx, t.q, after)
	if err != nil {
		return nil, err
	}
	for _, p := range batch {
		if err := repairTags(ctx, t.q, p); err != nil {
			return nil, err
		}
		if err := repairLinks(ctx, t.q, p); err != nil {
			return nil, err
		}
	}
	return batch, nil
}

// repairTags makes the rows agree with the column. A tag that the column does not name
// is treated as never added.
func repairTags(ctx context.Context, q Querier, p parts) error {
	for _, tag := range without(p.tags, p.Tags) {
		err := exec(ctx, q, `UPDATE context_tags SET removed_at = added_at
			WHERE context_n = $1 AND tag = $2 AND removed_at IS NULL`, p.N, tag)
		if err != nil {
			return err
		}
	}
	return addTags(ctx, q, p.N, without(p.Tags, p.tags), p.SavedAt)
}

func repairLinks(ctx context.Context, q Querier, p parts) error {
	for _, l := range p.extraLinks() {
		if _, err := endLink(ctx, q, l, l.AddedAt); err != nil {
			return err
		}
	}
	for _, l := range p.missingLinks() {
		if _, err := insertLink(ctx, q, l); err != nil {
			return err
		}
	}
	return nil
}
