package sqlstore

import (
	"context"
	"database/sql"
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
	if err == nil && len(ids) > cq.Limit+1 {
		ids, err = nearest(ctx, q, cq, ids, here, next)
	}
	return without(ids, []string{cq.ID}), err
}

// nearest is a reach that its limit cut, as every engine would cut it: they differ in what
// they meet first of the farthest ring. The rings within are whole. Of the farthest, causes
// come before dependencies, and what was linked first before what was linked later.
func nearest(ctx context.Context, q Querier, cq domain.ChainQuery, reached []string, here, next string) ([]string, error) {
	rings, err := ringsOf(ctx, q, cq, reached, here, next)
	if err != nil || len(rings) == 1 { // somebody has just removed the links
		return reached, err
	}
	last := len(rings) - 1
	within := slices.Concat(rings[:last]...)
	var a Args
	farthest, err := Collect(ctx, q, Scalar[string], `SELECT l.`+next+` FROM context_links l
		WHERE l.`+here+` IN `+addList(&a, rings[last-1])+` AND l.`+next+` NOT IN `+addList(&a, within)+`
			AND `+walkable+` AND `+lastingAt(&a, "l", cq.AsOf)+`
		GROUP BY l.`+next+` ORDER BY MIN(l.kind), MIN(l.n) LIMIT `+a.Add(len(reached)-len(within)), a...)
	return append(within, farthest...), err
}

// ringsOf sorts what a walk reached by the distance from its start, which is the first.
func ringsOf(ctx context.Context, q Querier, cq domain.ChainQuery, reached []string, here, next string) ([][]string, error) {
	var a Args
	among := addList(&a, reached)
	links, err := Collect(ctx, q, func(rows *sql.Rows, l *[2]string) error { return rows.Scan(&l[0], &l[1]) },
		`SELECT l.`+here+`, l.`+next+` FROM context_links l WHERE l.`+here+` IN `+among+` AND l.`+next+` IN `+among+`
			AND `+walkable+` AND `+lastingAt(&a, "l", cq.AsOf)+` ORDER BY l.n`, a...)
	if err != nil {
		return nil, err
	}
	neighbours := map[string][]string{}
	for _, l := range links {
		neighbours[l[0]] = append(neighbours[l[0]], l[1])
	}
	rings, met := [][]string{reached[:1]}, map[string]bool{reached[0]: true}
	for {
		var ring []string
		for _, id := range rings[len(rings)-1] {
			for _, n := range neighbours[id] {
				if !met[n] {
					met[n], ring = true, append(ring, n)
				}
			}
		}
		if len(ring) == 0 {
			return rings, nil
		}
		rings = append(rings, ring)
	}
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
