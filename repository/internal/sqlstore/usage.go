package sqlstore

import (
	"context"
	"database/sql"
	"slices"
	"time"

	"wake/domain"
)

// Accesses implements [repository.UsageReader].
func (r reads) Accesses(ctx context.Context, ids []string, perContext int) (map[string][]time.Time, error) {
	return ask(ctx, r, func(q Querier) (map[string][]time.Time, error) {
		list, err := collectIn(ctx, q, scanUse, ids, func(a *Args, some []string) string {
			return `SELECT id, at FROM (
					SELECT c.id, x.at, x.n, row_number() OVER (PARTITION BY x.context_n ORDER BY x.at DESC, x.n DESC) AS place
					FROM context_snapshots c JOIN context_accesses x ON x.context_n = c.n AND x.how = 'used'
					WHERE c.deleted_at IS NULL AND c.id IN ` + addList(a, some) + `) AS latest
				WHERE place <= ` + a.Add(perContext) + ` ORDER BY at DESC, n DESC`
		})
		out := make(map[string][]time.Time, len(ids))
		for _, u := range list {
			out[u.id] = append(out[u.id], u.at)
		}
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
		seen, err := collectIn(ctx, q, scanUse, ids, func(a *Args, some []string) string {
			return `SELECT c.id, max(x.at)
				FROM context_snapshots c JOIN context_accesses x ON x.context_n = c.n AND x.how IN ('used', 'handed', 'shown')
				WHERE c.id IN ` + addList(a, some) + ` GROUP BY c.id`
		})
		out := make(map[string]time.Time, len(ids))
		for _, u := range seen {
			out[u.id] = u.at
		}
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
		touches, contexts := touchesOf(accesses)
		for i := range contexts {
			if err := contexts[i].warm(ctx, q); err != nil {
				return err
			}
		}
		for i, x := range accesses {
			if err := insertAccess(ctx, q, x, touches[i].at, contexts[touches[i].of].found); err != nil {
				return err
			}
		}
		return nil
	})
}

// touch is one access: its time as it is stored, and which of the contexts it is of.
type touch struct {
	at string
	of int
}

// touchesOf reads a batch of accesses, whose times are mostly one.
func touchesOf(accesses []domain.Access) ([]touch, []warmth) {
	touches, contexts := make([]touch, len(accesses)), make([]warmth, 0, len(accesses))
	known := make(map[place]int, len(accesses))
	for i, x := range accesses {
		p := placeOf(x)
		of, ok := known[p]
		if !ok {
			of = len(contexts)
			known[p] = of
			contexts = append(contexts, warmth{place: p})
		}
		at := ""
		if i > 0 && x.At.Equal(accesses[i-1].At) {
			at = touches[i-1].at
		} else {
			at = domain.FormatTime(x.At)
		}
		touches[i] = touch{at, of}
		if w := &contexts[of]; x.How.Counts() {
			w.last = max(w.last, at)
			w.count++
		}
	}
	return touches, contexts
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

// insertAccess appends to the log, found says that the context is as the access
// names it. One statement for each row costs no more than one for many, which keeps
// a copy of each page that it changes.
func insertAccess(ctx context.Context, q Querier, x domain.Access, at string, found bool) (err error) {
	const into = `INSERT INTO context_accesses (at, how, via, actor, session_id, context_n, project) `
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
	place
	last  string // the latest of those that count, as it is stored
	count int64
	found bool // the context is at its place
}

// The statements that move the access columns. last_accessed never goes back, and
// with it stays the tier; both lie in the one index that an access moves.
const (
	warmAny = `UPDATE context_snapshots SET access_count = access_count + $2,
		memory_tier = CASE WHEN coalesce(last_accessed, '') < $1 THEN 'ACTIVE' ELSE memory_tier END,
		last_accessed = CASE WHEN coalesce(last_accessed, '') < $1 THEN $1 ELSE last_accessed END
		WHERE `
	warmAt   = warmAny + `n = $3 AND id = $4 AND project = $5 AND deleted_at IS NULL`
	warmByID = warmAny + `id = $3 AND deleted_at IS NULL`
)

// warm moves the access columns.
func (w *warmth) warm(ctx context.Context, q Querier) (err error) {
	if w.count == 0 {
		return nil
	}
	if w.n > 0 {
		w.found, err = changed(q.ExecContext(ctx, warmAt, w.last, w.count, w.n, w.id, w.project))
	}
	if err == nil && !w.found {
		_, err = q.ExecContext(ctx, warmByID, w.last, w.count, w.id)
	}
	return err
}

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

// inOtherTiers finds contexts of the other tiers that belong into span, by the index of
// touches alone, project by project. The tier is compared twice: PostgreSQL looks only
// for what equals something in an index, and what differs is the quicker for SQLite.
func inOtherTiers(ctx context.Context, q Querier, project string, right domain.Tier, span domain.Span, limit int) ([]int64, error) {
	var a Args
	from := withNames + ` SELECT c.n FROM names CROSS JOIN context_snapshots c WHERE c.project = names.name`
	if project != "" {
		from = `SELECT c.n FROM context_snapshots c WHERE c.project = ` + a.Add(project)
	}
	others := slices.DeleteFunc(slices.Clone(domain.Tiers), func(t domain.Tier) bool { return t == right })
	return Collect(ctx, q, Scalar[int64], from+` AND `+inSpan(&a, touched, span)+` AND c.deleted_at IS NULL
		AND c.memory_tier <> `+a.Add(string(right))+` AND c.memory_tier IN `+addList(&a, others)+` LIMIT `+a.Add(limit), a...)
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
