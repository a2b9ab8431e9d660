package sqlstore

import (
	"context"
	"database/sql"
	"slices"

	"wake/domain"
)

// Births implements [repository.PredictionReader].
func (r reads) Births(ctx context.Context, ns []int64) ([]domain.Birth, error) {
	return ask(ctx, r, func(q Querier) ([]domain.Birth, error) {
		var out []domain.Birth
		err := chunks(ns, func(some []int64) error {
			found, err := births(ctx, q, some)
			out = append(out, found...)
			return err
		})
		return out, err
	})
}

// births selects links and tags by the time they were added: those of the save are not
// later than the context's own time of saving.
func births(ctx context.Context, q Querier, ns []int64) ([]domain.Birth, error) {
	var a Args
	const given = ` WHERE l.from_id = c.id AND l.origin = 'explicit' AND l.added_at <= c.saved_at AND l.kind = `
	list, err := Collect(ctx, q, scanBirth, `SELECT c.n, c.metadata,
			coalesce((SELECT min(p.n) FROM context_links l JOIN context_snapshots p ON p.id = l.to_id AND p.project = c.project`+given+`'cause'), 0),
			(SELECT count(*) FROM context_links l`+given+`'dependency')
		FROM context_snapshots c WHERE c.n IN `+addList(&a, ns), a...)
	if err != nil {
		return nil, err
	}
	byN := make(map[int64]*domain.Birth, len(list))
	for i := range list {
		byN[list[i].ContextN] = &list[i]
	}
	a = nil
	tags, err := Collect(ctx, q, scanTag, `SELECT t.context_n, t.tag FROM context_tags t JOIN context_snapshots c ON c.n = t.context_n
		WHERE t.context_n IN `+addList(&a, ns)+` AND t.added_at <= c.saved_at`, a...)
	for _, t := range tags {
		byN[t.n].Tags = append(byN[t.n].Tags, t.tag)
	}
	for i := range list { // a tag that was removed and added again is listed twice
		slices.Sort(list[i].Tags)
		list[i].Tags = slices.Compact(list[i].Tags)
	}
	return list, err
}

func scanBirth(rows *sql.Rows, b *domain.Birth) error {
	return rows.Scan(&b.ContextN, toJSON(&b.Metadata), &b.CauseN, &b.Dependencies)
}
