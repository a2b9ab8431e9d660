package sqlstore

import (
	"context"
	"slices"

	"wake/domain"
)

// WrongTiers implements [repository.ContextReader].
func (r reads) WrongTiers(ctx context.Context, project string, tiers map[domain.Tier]domain.Span, limit int) (map[domain.Tier][]int64, error) {
	return ask(ctx, r, func(q Querier) (map[domain.Tier][]int64, error) {
		wrong := make(map[domain.Tier][]int64)
		for _, right := range domain.Tiers {
			span, ok := tiers[right]
			if !ok || limit <= 0 {
				continue
			}
			ns, err := inOtherTiers(ctx, q, project, right, span, limit)
			if err != nil {
				return nil, err
			}
			if len(ns) > 0 {
				wrong[right] = ns
			}
			limit -= len(ns)
		}
		return wrong, nil
	})
}

// inOtherTiers finds contexts of other tiers whose last touch lies in span, by index
// alone and project by project. The tier is compared twice: PostgreSQL needs IN to use
// the index, and <> is faster for SQLite.
func inOtherTiers(ctx context.Context, q Querier, project string, right domain.Tier, span domain.Span, limit int) ([]int64, error) {
	var a Args
	from := withNames + ` SELECT c.n FROM names CROSS JOIN context_snapshots c WHERE c.project = names.name`
	if project != "" {
		from = `SELECT c.n FROM context_snapshots c WHERE c.project = ` + a.Add(project)
	}
	others := slices.DeleteFunc(slices.Clone(domain.Tiers), func(t domain.Tier) bool { return t == right })
	return Collect(ctx, q, Scalar[int64], from+` AND `+inSpan(&a, touched, span)+` AND c.deleted_at IS NULL
		AND c.memory_tier <> `+a.Add(string(right))+` AND c.memory_tier IN `+addList(&a, others)+limitTo(limit), a...)
}

// SetTier implements [repository.ContextWriter].
func (t *tx) SetTier(ctx context.Context, right domain.Tier, span domain.Span, ns []int64) (total int, err error) {
	err = t.do(func(q Querier) error {
		return chunks(ns, func(some []int64) error {
			var a Args
			set := a.Add(string(right))
			res, err := q.ExecContext(ctx, `UPDATE context_snapshots AS c SET memory_tier = `+set+` WHERE c.n IN `+addList(&a, some)+`
				AND `+inSpan(&a, touched, span)+` AND c.deleted_at IS NULL AND c.memory_tier <> `+set, a...)
			if err != nil {
				return err
			}
			n, err := res.RowsAffected()
			total += int(n)
			return err
		})
	})
	return total, err
}
