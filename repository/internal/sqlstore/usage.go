package sqlstore

import (
	"cmp"
	"context"
	"database/sql"
	"maps"
	"slices"
	"strings"
	"time"

	"wake/domain"
)

// Accesses implements [repository.UsageReader].
func (r reads) Accesses(ctx context.Context, ids []string, perContext int) (map[string][]time.Time, error) {
	return ask(ctx, r, func(q Querier) (map[string][]time.Time, error) {
		out := make(map[string][]time.Time, len(ids))
		err := chunks(ids, func(some []string) error {
			var a Args
			list, err := Collect(ctx, q, scanUse, `SELECT id, at FROM (
					SELECT c.id, x.at, x.n, row_number() OVER (PARTITION BY x.context_n ORDER BY x.at DESC, x.n DESC) AS place
					FROM context_snapshots c JOIN context_accesses x ON x.context_n = c.n AND x.how = 'used'
					WHERE c.deleted_at IS NULL AND c.id IN `+addList(&a, some)+`) AS latest
				WHERE place <= `+a.Add(perContext)+` ORDER BY at DESC, n DESC`, a...)
			for _, u := range list {
				out[u.id] = append(out[u.id], u.at)
			}
			return err
		})
		return out, err
	})
}

// use is one access that counts as used.
type use struct {
	id string
	at time.Time
}

func scanUse(rows *sql.Rows, u *use) error { return rows.Scan(&u.id, toTime(&u.at)) }

// LastSeen implements [repository.UsageReader].
func (r reads) LastSeen(ctx context.Context, ids []string) (map[string]time.Time, error) {
	return ask(ctx, r, func(q Querier) (map[string]time.Time, error) {
		out := make(map[string]time.Time, len(ids))
		err := chunks(ids, func(some []string) error {
			var a Args
			seen, err := Collect(ctx, q, scanUse, `SELECT c.id, max(x.at)
				FROM context_snapshots c JOIN context_accesses x ON x.context_n = c.n AND x.how IN ('used', 'handed', 'shown')
				WHERE c.id IN `+addList(&a, some)+` GROUP BY c.id`, a...)
			for _, u := range seen {
				out[u.id] = u.at
			}
			return err
		})
		return out, err
	})
}

// AccessLog implements [repository.UsageReader].
func (r reads) AccessLog(ctx context.Context, project string, after int64, limit int) ([]domain.Access, error) {
	return ask(ctx, r, func(q Querier) ([]domain.Access, error) {
		var a Args
		where := ""
		if project != "" {
			where = "x.project = " + a.Add(project) + " AND "
		}
		return Collect(ctx, q, scanAccess, `SELECT x.n, x.context_n, c.id, x.project, x.at, x.how, x.via, x.actor, x.session_id
			FROM context_accesses x JOIN context_snapshots c ON c.n = x.context_n
			WHERE `+where+`x.n > `+a.Add(after)+` ORDER BY x.n LIMIT `+a.Add(limit), a...)
	})
}

func scanAccess(rows *sql.Rows, x *domain.Access) error {
	return rows.Scan(&x.N, &x.ContextN, &x.ContextID, &x.Project, toTime(&x.At), toText(&x.How), &x.Via, &x.Actor, &x.SessionID)
}

// RecordAccesses implements [repository.UsageWriter].
func (t *tx) RecordAccesses(ctx context.Context, accesses []domain.Access) error {
	return t.do(func(q Querier) error {
		warmed := make(map[place]warmth, len(accesses))
		for _, x := range accesses {
			if at := placeOf(x); x.How.Counts() {
				warmed[at] = warmed[at].plus(x)
			}
		}
		found := make(map[place]bool, len(warmed))
		for _, at := range slices.SortedFunc(maps.Keys(warmed), place.compare) {
			var err error
			if found[at], err = warm(ctx, q, at, warmed[at]); err != nil {
				return err
			}
		}
		for _, x := range accesses {
			if err := insertAccess(ctx, q, x, found[placeOf(x)]); err != nil {
				return err
			}
		}
		return nil
	})
}

// place is where a context is stored: by number too where the caller knows it,
// which spares a look-up; a wrong one does no harm.
type place struct {
	n           int64
	id, project string
}

func placeOf(x domain.Access) place {
	if x.ContextN == 0 {
		return place{id: x.ContextID}
	}
	return place{x.ContextN, x.ContextID, x.Project}
}

func (p place) compare(o place) int { return cmp.Or(cmp.Compare(p.n, o.n), cmp.Compare(p.id, o.id)) }

// insertAccess appends to the log, found says that the context is as the access
// names it. One statement for each row costs less than one for many, whose
// arguments SQLite copies to a table of its own first.
func insertAccess(ctx context.Context, q Querier, x domain.Access, found bool) (err error) {
	const into = `INSERT INTO context_accesses (at, how, via, actor, session_id, context_n, project) `
	at := domain.FormatTime(x.At)
	if found {
		_, err = q.ExecContext(ctx, into+`VALUES ($1, $2, $3, $4, $5, $6, $7)`,
			at, string(x.How), x.Via, x.Actor, x.SessionID, x.ContextN, x.Project)
	} else {
		_, err = q.ExecContext(ctx, into+`SELECT $1, $2, $3, $4, $5, c.n, c.project FROM context_snapshots c WHERE c.deleted_at IS NULL AND c.id = $6`,
			at, string(x.How), x.Via, x.Actor, x.SessionID, x.ContextID)
	}
	return err
}

// warmth is what a batch of accesses does to one context.
type warmth struct {
	last  time.Time
	count int64
	cool  bool // it was not ACTIVE when it was read
}

func (w warmth) plus(x domain.Access) warmth {
	if at := domain.Moment(x.At); at.After(w.last) {
		w.last = at
	}
	w.count++
	w.cool = w.cool || x.Tier != "" && x.Tier != domain.TierActive
	return w
}

// The statements that move the access columns. last_accessed never goes back, and
// with it stays the tier. The first leaves the tier out, because naming it would
// write its indexes again, and holds for what is ACTIVE already.
const (
	warmActive = `UPDATE context_snapshots SET access_count = access_count + $2, last_accessed = $1
		WHERE n = $3 AND id = $4 AND project = $5 AND deleted_at IS NULL AND memory_tier = 'ACTIVE' AND coalesce(last_accessed, '') < $1`
	warmAny = `UPDATE context_snapshots SET access_count = access_count + $2,
		memory_tier = CASE WHEN coalesce(last_accessed, '') < $1 THEN 'ACTIVE' ELSE memory_tier END,
		last_accessed = CASE WHEN coalesce(last_accessed, '') < $1 THEN $1 ELSE last_accessed END
		WHERE `
	warmAnyAt = warmAny + `n = $3 AND id = $4 AND project = $5 AND deleted_at IS NULL`
	warmByID  = warmAny + `id = $3 AND deleted_at IS NULL`
)

// warm moves the access columns; found says that it met the context at its place.
func warm(ctx context.Context, q Querier, p place, w warmth) (found bool, err error) {
	at := domain.FormatTime(w.last)
	if p.n > 0 && !w.cool {
		found, err = changed(q.ExecContext(ctx, warmActive, at, w.count, p.n, p.id, p.project))
	}
	if p.n > 0 && !found && err == nil {
		found, err = changed(q.ExecContext(ctx, warmAnyAt, at, w.count, p.n, p.id, p.project))
	}
	if err == nil && !found {
		_, err = q.ExecContext(ctx, warmByID, at, w.count, p.id)
	}
	return found, err
}

// SetTiers implements [repository.ContextWriter].
func (t *tx) SetTiers(ctx context.Context, project string, tiers map[domain.Tier]domain.Span, limit int) (int, error) {
	changed := 0
	err := t.do(func(q Querier) error {
		for _, right := range domain.Tiers {
			span, ok := tiers[right]
			if !ok || changed >= limit {
				continue
			}
			n, err := setTier(ctx, q, project, right, span, limit-changed)
			if err != nil {
				return err
			}
			changed += n
		}
		return nil
	})
	return changed, err
}

// setTier moves contexts of the other tiers that belong into span. One range of
// the index per other tier holds nothing but those.
func setTier(ctx context.Context, q Querier, project string, right domain.Tier, span domain.Span, limit int) (int, error) {
	var a Args
	var wrong []string
	set := a.Add(string(right))
	for _, other := range domain.Tiers {
		if other == right {
			continue
		}
		// Both are written out, for each index holds some of the tiers alone, and that
		// another one is not ACTIVE SQLite does not infer.
		query := `SELECT c.n FROM context_snapshots c WHERE c.memory_tier = '` + string(other) + `' AND `
		if other != domain.TierActive {
			query += `c.memory_tier <> 'ACTIVE' AND `
		}
		query += inSpan(&a, touched, span) + ` AND c.deleted_at IS NULL`
		if project != "" {
			query += ` AND c.project = ` + a.Add(project)
		}
		wrong = append(wrong, query)
	}
	res, err := q.ExecContext(ctx, `UPDATE context_snapshots SET memory_tier = `+set+` WHERE n IN (
		SELECT wrong.n FROM (`+strings.Join(wrong, " UNION ALL ")+`) AS wrong LIMIT `+a.Add(limit)+`)`, a...)
	if err != nil {
		return 0, err
	}
	n, err := res.RowsAffected()
	return int(n), err
}
