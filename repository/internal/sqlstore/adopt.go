package sqlstore

import (
	"context"
	"database/sql"
	"maps"
	"slices"

	"wake/domain"
)

// AppendTombstones implements [repository.Adopter].
func (t *tx) AppendTombstones(ctx context.Context, stones []domain.Tombstone) (int, error) {
	return count(t, stones, func(q Querier, s domain.Tombstone) (bool, error) {
		return changed(q.ExecContext(ctx, `INSERT INTO tombstones (n, id, project, content_hash, erased_at)
			SELECT `+nextContext+`, $1, $2, $3, $4
			WHERE NOT EXISTS (SELECT 1 FROM context_snapshots c WHERE c.id = $5)
			ON CONFLICT (id) DO NOTHING`, s.ID, s.Project, s.ContentHash, domain.FormatTime(s.ErasedAt), s.ID))
	})
}

// AdoptContexts implements [repository.Adopter].
func (t *tx) AdoptContexts(ctx context.Context, list []*domain.ContextSnapshot, past map[string]domain.ContextHistory) error {
	return t.do(func(q Querier) error {
		fresh, err := numberContexts(ctx, q, list)
		if err != nil {
			return err
		}
		if err := insertContextRows(ctx, q, fresh); err != nil {
			return err
		}
		if err := adoptAllTags(ctx, q, fresh, past); err != nil {
			return err
		}
		var links []domain.Link
		for _, c := range fresh {
			links = append(links, past[c.ID].Links...)
			for _, e := range past[c.ID].Embeddings {
				e.ContextID = c.ID
				if err := putEmbedding(ctx, q, e, ``); err != nil {
					return err
				}
			}
		}
		if err := insertLinkRows(ctx, q, links); err != nil {
			return err
		}
		return setSuperseded(ctx, q, replacedBy(links)...)
	})
}

// replacedBy returns the ids of the contexts that live links supersede. Some may have been
// stored here before these links.
func replacedBy(links []domain.Link) (ids []string) {
	for _, l := range links {
		if l.Kind == domain.Supersedes && l.RemovedAt.IsZero() {
			ids = append(ids, l.To)
		}
	}
	return ids
}

// numberContexts numbers the contexts whose id is not taken, and returns them as they
// are to be stored. It warms those that are there.
func numberContexts(ctx context.Context, q Querier, list []*domain.ContextSnapshot) (fresh []*domain.ContextSnapshot, err error) {
	ids := make([]string, len(list))
	for i, c := range list {
		ids[i] = c.ID
	}
	found, err := collectIn(ctx, q, scanLastUse, ids, func(a *Args, some []string) string {
		return `SELECT id, coalesce(last_accessed, ''), access_count FROM context_snapshots WHERE id IN ` + addList(a, some)
	})
	if err != nil {
		return nil, err
	}
	taken := make(map[string]lastUse, len(list))
	for _, u := range found {
		taken[u.id] = u
	}
	next, err := first(ctx, q, Scalar[int64], `SELECT `+nextContext)
	if err != nil {
		return nil, err
	}
	for _, c := range list {
		c.N = 0
		if have, ok := taken[c.ID]; ok {
			if err := have.warm(ctx, q, c); err != nil {
				return nil, err
			}
			continue
		}
		taken[c.ID], c.N = lastUse{id: c.ID}, next+int64(len(fresh))
		fresh = append(fresh, c)
		c.Tags = without(c.Tags, nil)
		truncateTimes(c)
		if err := checkTags(c.Tags); err != nil {
			return nil, err
		}
	}
	return fresh, nil
}

// lastUse is when a stored context was last accessed, "" for never, and how often.
type lastUse struct {
	id, last string
	count    int64
}

func scanLastUse(rows *sql.Rows, u *lastUse) error { return rows.Scan(&u.id, &u.last, &u.count) }

// warm makes a stored context as warm as the other store kept it, if it was accessed
// there later.
func (u lastUse) warm(ctx context.Context, q Querier, c *domain.ContextSnapshot) error {
	if domain.FormatTime(c.Memory.LastAccessed) <= u.last {
		return nil
	}
	return exec(ctx, q, `UPDATE context_snapshots SET memory_tier = $1, last_accessed = $2, access_count = $3 WHERE id = $4 AND deleted_at IS NULL`,
		string(c.Memory.Tier), domain.FormatTime(c.Memory.LastAccessed), max(u.count, c.Memory.AccessCount), c.ID)
}

// adoptAllTags stores the tags of new contexts. Those without a history of tags
// have had theirs since they were saved.
func adoptAllTags(ctx context.Context, q Querier, fresh []*domain.ContextSnapshot, past map[string]domain.ContextHistory) error {
	var rows [][]any
	for _, c := range fresh {
		if spans := past[c.ID].Tags; len(spans) > 0 {
			if err := adoptTags(ctx, q, c, spans); err != nil {
				return err
			}
			continue
		}
		for _, tag := range c.Tags {
			rows = append(rows, []any{c.N, tag, domain.FormatTime(c.SavedAt)})
		}
	}
	_, err := insertRows(ctx, q, `INSERT INTO context_tags (context_n, tag, added_at)`, rows, ``)
	return err
}

// adoptTags stores a history of tags. The context's own tags decide which are live at
// the end.
func adoptTags(ctx context.Context, q Querier, c *domain.ContextSnapshot, spans []domain.TagSpan) error {
	for _, s := range spans {
		err := exec(ctx, q, `INSERT INTO context_tags (context_n, tag, added_at, removed_at) VALUES ($1, $2, $3, $4)
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
		fresh, err := freshAccesses(ctx, q, accesses)
		if err != nil {
			return err
		}
		added = len(fresh)
		_, err = insertRows(ctx, q, `INSERT INTO context_accesses (context_n, project, at, how, via, actor, session_id)`, fresh, ``)
		return err
	})
	return added, err
}

// accessRow identifies an access.
type accessRow struct {
	n                              int64
	at, how, via, actor, sessionID string
}

// freshAccesses returns rows for the accesses to known contexts that the log does not
// hold, without repeats.
func freshAccesses(ctx context.Context, q Querier, accesses []domain.Access) (fresh [][]any, err error) {
	places, err := placesOf(ctx, q, accesses)
	if err != nil {
		return nil, err
	}
	wanted, held := make([]accessRow, len(accesses)), make(map[accessRow]bool, len(accesses))
	for i, x := range accesses {
		wanted[i] = accessRow{places[x.ContextID].n, domain.FormatTime(x.At), string(x.How), x.Via, x.Actor, x.SessionID}
		held[wanted[i]] = places[x.ContextID].n == 0
	}
	if err := markHeld(ctx, q, wanted, held); err != nil {
		return nil, err
	}
	for i, r := range wanted {
		if !held[r] {
			held[r] = true
			fresh = append(fresh, []any{r.n, places[accesses[i].ContextID].project, r.at, r.how, r.via, r.actor, r.sessionID})
		}
	}
	return fresh, nil
}

// placesOf returns the numbers and projects of the contexts that were accessed, by id.
// Most contexts of a log were accessed many times.
func placesOf(ctx context.Context, q Querier, accesses []domain.Access) (map[string]place, error) {
	places := map[string]place{}
	for _, x := range accesses {
		places[x.ContextID] = place{}
	}
	found, err := collectIn(ctx, q, scanContextPlace, slices.Sorted(maps.Keys(places)), func(a *Args, some []string) string {
		return `SELECT n, id, project FROM context_snapshots WHERE id IN ` + addList(a, some)
	})
	for _, p := range found {
		places[p.id] = p
	}
	return places, err
}

func scanContextPlace(rows *sql.Rows, p *place) error { return rows.Scan(&p.n, &p.id, &p.project) }

// markHeld sets held for each of the wanted accesses that the log holds.
func markHeld(ctx context.Context, q Querier, wanted []accessRow, held map[accessRow]bool) error {
	ns, hows := map[int64]bool{}, map[string]bool{}
	first, last := "", ""
	for i, r := range wanted {
		ns[r.n], hows[r.how] = true, true
		if i == 0 || r.at < first {
			first = r.at
		}
		last = max(last, r.at)
	}
	return chunks(slices.Sorted(maps.Keys(ns)), func(some []int64) error {
		var a Args
		query := `SELECT context_n, at, how, via, actor, session_id FROM context_accesses WHERE context_n IN ` + addList(&a, some) +
			` AND how IN ` + addList(&a, slices.Sorted(maps.Keys(hows))) + ` AND at >= ` + a.Add(first) + ` AND at <= ` + a.Add(last)
		return eachRow(ctx, q, func(rows *sql.Rows) error {
			var r accessRow
			err := rows.Scan(&r.n, &r.at, &r.how, &r.via, &r.actor, &r.sessionID)
			if _, ok := held[r]; ok {
				held[r] = true
			}
			return err
		}, query, a...)
	})
}
