package sqlstore

import (
	"context"
	"database/sql"
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
		rows, err := rowsOf(ctx, q, accesses, func(x domain.Access) string { return x.ContextID })
		if err != nil {
			return err
		}
		known := accesses[:0:0]
		warmed := make(map[int64]warmth)
		for _, x := range accesses {
			row, ok := rows[x.ContextID]
			if !ok {
				continue
			}
			known = append(known, x)
			if x.How.Counts() {
				warmed[row.n] = warmed[row.n].plus(x.At)
			}
		}
		if err := insertAccesses(ctx, q, rows, known); err != nil {
			return err
		}
		return warm(ctx, q, warmed)
	})
}

// row is where a context is stored.
type row struct {
	n           int64
	id, project string
}

func scanRow(rows *sql.Rows, r *row) error { return rows.Scan(&r.n, &r.id, &r.project) }

// rowsOf finds the live contexts that things belong to.
func rowsOf[T any](ctx context.Context, q Querier, things []T, id func(T) string) (map[string]row, error) {
	var ids []string
	for _, x := range things {
		ids = append(ids, id(x))
	}
	out := make(map[string]row)
	err := chunks(without(ids, nil), func(some []string) error {
		var a Args
		found, err := Collect(ctx, q, scanRow, `SELECT c.n, c.id, c.project FROM context_snapshots c
			WHERE c.id IN `+addList(&a, some)+` AND c.deleted_at IS NULL`, a...)
		for _, r := range found {
			out[r.id] = r
		}
		return err
	})
	return out, err
}

// logBatch is how many rows of the log go into one statement.
const logBatch = 32

// insertAccesses appends to the log.
func insertAccesses(ctx context.Context, q Querier, rows map[string]row, accesses []domain.Access) error {
	for some := range slices.Chunk(accesses, logBatch) {
		var a Args
		var values []string
		for _, x := range some {
			r := rows[x.ContextID]
			values = append(values, a.AddRow(r.n, r.project, domain.FormatTime(x.At), string(x.How), x.Via, x.Actor, x.SessionID))
		}
		_, err := q.ExecContext(ctx, `INSERT INTO context_accesses (context_n, project, at, how, via, actor, session_id)
			VALUES `+strings.Join(values, ", "), a...)
		if err != nil {
			return err
		}
	}
	return nil
}

// warmth is what a batch of accesses does to one context.
type warmth struct {
	last  time.Time
	count int64
}

func (w warmth) plus(at time.Time) warmth {
	if at = domain.Moment(at); at.After(w.last) {
		w.last = at
	}
	w.count++
	return w
}

// warm moves the access columns. Most accesses of a batch do the same to their
// contexts, and go together.
func warm(ctx context.Context, q Querier, warmed map[int64]warmth) error {
	alike := make(map[warmth][]int64)
	for n, w := range warmed {
		alike[w] = append(alike[w], n)
	}
	for w, ns := range alike {
		slices.Sort(ns)
		if err := chunks(ns, func(some []int64) error { return warmAlike(ctx, q, w, some) }); err != nil {
			return err
		}
	}
	return nil
}

// warmAlike changes the tier first, and only where it is another one: last_accessed
// never goes back, and with it stays the tier.
func warmAlike(ctx context.Context, q Querier, w warmth, ns []int64) error {
	at := domain.FormatTime(w.last)
	a := Args{at}
	_, err := q.ExecContext(ctx, `UPDATE context_snapshots SET memory_tier = 'ACTIVE'
		WHERE memory_tier <> 'ACTIVE' AND coalesce(last_accessed, '') < $1 AND n IN `+addList(&a, ns), a...)
	if err != nil {
		return err
	}
	a = Args{at, w.count}
	_, err = q.ExecContext(ctx, `UPDATE context_snapshots SET access_count = access_count + $2,
		last_accessed = CASE WHEN coalesce(last_accessed, '') < $1 THEN $1 ELSE last_accessed END
		WHERE n IN `+addList(&a, ns), a...)
	return err
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
		query := `SELECT c.n FROM context_snapshots c WHERE c.memory_tier = ` + a.Add(string(other)) +
			` AND ` + inSpan(&a, touched, span) + ` AND c.deleted_at IS NULL`
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
