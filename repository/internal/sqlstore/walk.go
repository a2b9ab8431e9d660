package sqlstore

import (
	"cmp"
	"context"
	"database/sql"
	"maps"
	"slices"
	"time"

	"wake/domain"
)

// walkable is the condition that a walk follows link l: only explicit causes and
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
		reached, err := reach(ctx, q, cq, endsOf(d))
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
	if err := rewind(ctx, q, w.Contexts, cq.AsOf); err != nil {
		return w, err
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

// ends are the columns of a link's ends in the direction of a walk.
type ends struct{ near, far string }

func endsOf(d domain.Direction) ends {
	if d == domain.Effects {
		return ends{"to_id", "from_id"}
	}
	return ends{"from_id", "to_id"}
}

// reach returns the ids that can be reached in one direction, nearest first, without
// the start, and at most one more than the limit. Both engines evaluate a recursive
// UNION breadth first, meet each id once (so cycles end) and stop at LIMIT.
func reach(ctx context.Context, q Querier, cq domain.ChainQuery, link ends) ([]string, error) {
	var a Args
	query := walkFrom(&a, cq.ID, link, cq.AsOf) + ` SELECT id FROM walk` + limitTo(cq.Limit+2)
	ids, err := Collect(ctx, q, Scalar[string], query, a...)
	if err == nil && len(ids) > cq.Limit+1 {
		ids, err = nearest(ctx, q, cq, link, ids)
	}
	return without(ids, []string{cq.ID}), err
}

// walkFrom begins a query over walk, the ids that can be reached from an id with the links
// in force at asOf (zero means now).
func walkFrom(a *Args, id string, link ends, asOf time.Time) string {
	return `WITH RECURSIVE walk (id) AS (
			SELECT c.id FROM context_snapshots c WHERE c.id = ` + a.Add(id) + `
			UNION
			SELECT l.` + link.far + ` FROM walk CROSS JOIN context_links l
			WHERE l.` + link.near + ` = walk.id AND ` + walkable + ` AND ` + lastingAt(a, "l", asOf) + `
		)`
}

// nearest cuts a walk at its limit in the same way on every engine; they differ in
// which contexts of the farthest ring they meet first. The inner rings are complete. In
// the farthest, causes come before dependencies, and older links before newer ones.
func nearest(ctx context.Context, q Querier, cq domain.ChainQuery, link ends, reached []string) ([]string, error) {
	steps, err := stepsFrom(ctx, q, cq, link, reached)
	if err != nil {
		return nil, err
	}
	rings := ringsOf(reached, steps)
	last := len(rings) - 1
	within := slices.Concat(rings[:last]...)
	farthest := without(reachedFrom(rings[last-1], steps), within)
	return append(within, farthest[:min(len(farthest), len(reached)-len(within))]...), nil
}

// step is a link in the direction of the walk.
type step struct {
	from, to string
	kind     domain.LinkKind
	n        int64
}

// stepsFrom returns the steps that a walk may take from each of ids, oldest first.
func stepsFrom(ctx context.Context, q Querier, cq domain.ChainQuery, link ends, ids []string) (map[string][]step, error) {
	found, err := collectIn(ctx, q, scanStepOf, ids, func(a *Args, some []string) string {
		return `SELECT l.` + link.near + `, l.` + link.far + `, l.kind, l.n FROM context_links l
			WHERE l.` + link.near + ` IN ` + addList(a, some) + ` AND ` + walkable + ` AND ` + lastingAt(a, "l", cq.AsOf)
	})
	slices.SortFunc(found, func(x, y step) int { return cmp.Compare(x.n, y.n) })
	out := map[string][]step{}
	for _, s := range found {
		out[s.from] = append(out[s.from], s)
	}
	return out, err
}

func scanStepOf(rows *sql.Rows, s *step) error { return rows.Scan(&s.from, &s.to, &s.kind, &s.n) }

// ringsOf groups what a walk reached by distance from its start, reached[0].
func ringsOf(reached []string, steps map[string][]step) [][]string {
	left := make(map[string]bool, len(reached))
	for _, id := range reached[1:] {
		left[id] = true
	}
	rings := [][]string{reached[:1]}
	for {
		var ring []string
		for _, id := range rings[len(rings)-1] {
			for _, s := range steps[id] {
				if left[s.to] {
					delete(left, s.to)
					ring = append(ring, s.to)
				}
			}
		}
		if len(ring) == 0 {
			return rings
		}
		rings = append(rings, ring)
	}
}

// reachedFrom returns where the steps from a ring lead, causes first, then by age of
// the link.
func reachedFrom(ring []string, steps map[string][]step) []string {
	first := map[string]step{}
	for _, id := range ring {
		for _, s := range steps[id] {
			if old, met := first[s.to]; met {
				s.kind, s.n = min(s.kind, old.kind), min(s.n, old.n)
			}
			first[s.to] = s
		}
	}
	return slices.SortedFunc(maps.Keys(first), func(x, y string) int {
		return cmp.Or(cmp.Compare(first[x].kind, first[y].kind), cmp.Compare(first[x].n, first[y].n))
	})
}

// Reaches implements [repository.LinkReader].
func (r reads) Reaches(ctx context.Context, from, to string) (bool, error) {
	if from == to {
		return true, nil
	}
	return askOnce(ctx, r, func(q Querier) (found bool, err error) {
		var a Args
		query := walkFrom(&a, from, endsOf(domain.Causes), time.Time{}) + ` SELECT EXISTS (SELECT 1 FROM walk WHERE id = ` + a.Add(to) + `)`
		err = q.QueryRowContext(ctx, query, a...).Scan(&found)
		return found, err
	})
}
