package sqlstore

import (
	"context"
	"slices"

	"wake/domain"
)

// walkable is the condition that a walk follows link l: explicit causes and
// dependencies.
const walkable = `l.origin = 'explicit' AND l.kind IN ('cause', 'dependency')`

// Walk implements [repository.LinkReader].
func (r reads) Walk(ctx context.Context, cq domain.ChainQuery) (domain.Walk, error) {
	return ask(ctx, r, func(q Querier) (domain.Walk, error) { return walk(ctx, q, cq) })
}

func walk(ctx context.Context, q Querier, cq domain.ChainQuery) (domain.Walk, error) {
	var w domain.Walk
	ids := []string{cq.ID}
	for _, d := range []domain.Direction{domain.Causes, domain.Effects} {
		if cq.Direction != d && cq.Direction != domain.Both {
			continue
		}
		reached, err := reach(ctx, q, cq, d)
		if err != nil {
			return w, err
		}
		if len(reached) > cq.Limit {
			reached, w.Truncated = reached[:cq.Limit], true
		}
		ids = append(ids, without(reached, ids)...)
	}
	var err error
	if w.Contexts, err = contextsByID(ctx, q, ids, false, cq.AsOf); err != nil {
		return w, err
	}
	if !slices.ContainsFunc(w.Contexts, func(c domain.ContextSnapshot) bool { return c.ID == cq.ID }) {
		return w, unknownContext(cq.ID)
	}
	if !cq.AsOf.IsZero() {
		if err := rewind(ctx, q, w.Contexts, cq.AsOf); err != nil {
			return w, err
		}
	}
	w.Links, err = linksOf(ctx, q, idsOf(w.Contexts), cq.AsOf)
	return w, err
}

func idsOf(contexts []domain.ContextSnapshot) []string {
	out := make([]string, len(contexts))
	for i := range contexts {
		out[i] = contexts[i].ID
	}
	return out
}

// reach returns up to one more than the limit of the ids that can be reached in
// one direction, nearest first, without the start. Both engines work a recursive
// UNION off breadth first, meet each id once (so cycles end) and stop at LIMIT.
func reach(ctx context.Context, q Querier, cq domain.ChainQuery, d domain.Direction) ([]string, error) {
	here, next := "from_id", "to_id"
	if d == domain.Effects {
		here, next = next, here
	}
	var a Args
	query := `WITH RECURSIVE walk (id) AS (
			SELECT c.id FROM context_snapshots c WHERE c.id = ` + a.Add(cq.ID) + `
			UNION
			SELECT l.` + next + ` FROM walk CROSS JOIN context_links l
			WHERE l.` + here + ` = walk.id AND ` + walkable + ` AND ` + lastingAt(&a, "l", cq.AsOf) + `
		)
		SELECT id FROM walk LIMIT ` + a.Add(cq.Limit+2)
	ids, err := Collect(ctx, q, Scalar[string], query, a...)
	if err != nil {
		return nil, err
	}
	return without(ids, []string{cq.ID}), nil
}

// Reaches implements [repository.LinkReader].
func (r reads) Reaches(ctx context.Context, from, to string) (bool, error) {
	if from == to {
		return true, nil
	}
	return ask(ctx, r, func(q Querier) (found bool, err error) {
		err = q.QueryRowContext(ctx, `WITH RECURSIVE walk (id) AS (
				SELECT c.id FROM context_snapshots c WHERE c.id = $1
				UNION
				SELECT l.to_id FROM walk CROSS JOIN context_links l
				WHERE l.from_id = walk.id AND `+walkable+` AND l.removed_at IS NULL
			)
			SELECT EXISTS (SELECT 1 FROM walk WHERE id = $2)`, from, to).Scan(&found)
		return found, err
	})
}
