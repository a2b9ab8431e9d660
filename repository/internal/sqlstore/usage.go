package sqlstore

import (
	"context"
	"database/sql"
	"time"

	"wake/domain"
)

// use is the time of one access.
type use struct {
	id string
	at time.Time
}

func scanUse(rows *sql.Rows, u *use) error { return rows.Scan(&u.id, toTime(&u.at)) }

// LastSeen implements [repository.UsageReader].
func (r reads) LastSeen(ctx context.Context, ids []string) (map[string]time.Time, error) {
	return byKeys(ctx, r, ids, func(q Querier) (map[string]time.Time, error) {
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
	a := Args{after}
	behind, order := "x.n > $1", "x.n"
	if project != "" {
		behind, order = r.engine.Behind("x.project", a.Add(project), "x.n", "$1")
	}
	return askAll(ctx, r, scanAccess, `SELECT x.n, x.context_n, c.id, x.project, x.at, x.how, x.via, x.actor, x.session_id
		FROM context_accesses x JOIN context_snapshots c ON c.n = x.context_n
		WHERE `+behind+` ORDER BY `+order+limitTo(limit), a...)
}

func scanAccess(rows *sql.Rows, x *domain.Access) error {
	return rows.Scan(&x.N, &x.ContextN, &x.ContextID, &x.Project, toTime(&x.At), toText(&x.How), &x.Via, &x.Actor, &x.SessionID)
}

// RecordAccesses implements [repository.UsageWriter].
func (t *tx) RecordAccesses(ctx context.Context, accesses []domain.Access) error {
	return t.do(func(q Querier) error {
		touches, contexts := touchesOf(accesses)
		if err := warm(ctx, q, contexts); err != nil {
			return err
		}
		for i, x := range accesses {
			if err := insertAccess(ctx, q, x, touches[i].at, contexts[touches[i].of].found); err != nil {
				return err
			}
		}
		return nil
	})
}

// touch is one access: its time as stored, and the index of its context.
type touch struct {
	at string
	of int
}

// touchesOf groups a batch of accesses by context. Most accesses of a batch have the
// same time, which is formatted once.
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

// place is where a context is stored. The number is set if the caller knows it, which
// saves a look-up; a wrong one does no harm.
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

// insertAccess appends to the log. found says that the number and project that the
// access names are right. One statement per row costs no more than one for many rows,
// which keeps a copy of each page it changes.
func insertAccess(ctx context.Context, q Querier, x domain.Access, at string, found bool) error {
	const into = `INSERT INTO context_accesses (at, how, via, actor, session_id, context_n, project) `
	if found {
		return exec(ctx, q, into+`VALUES ($1, $2, $3, $4, $5, $6, $7)`,
			at, string(x.How), x.Via, x.Actor, x.SessionID, x.ContextN, x.Project)
	}
	return exec(ctx, q, into+`SELECT $1, $2, $3, $4, $5, c.n, c.project FROM context_snapshots c WHERE c.deleted_at IS NULL AND c.id = $6`,
		at, string(x.How), x.Via, x.Actor, x.SessionID, x.ContextID)
}

// warmth is the effect of a batch of accesses on one context.
type warmth struct {
	place
	last  string // the latest access that counts, as stored
	count int64
	found bool // the context is at its place
}

// Statements that update the access columns. last_accessed never goes back, and the
// tier changes only with it; both are in the one index that an access updates.
const (
	warmAny = `UPDATE context_snapshots SET access_count = access_count + $2,
		memory_tier = CASE WHEN coalesce(last_accessed, '') < $1 THEN 'ACTIVE' ELSE memory_tier END,
		last_accessed = CASE WHEN coalesce(last_accessed, '') < $1 THEN $1 ELSE last_accessed END
		WHERE `
	warmAt   = warmAny + `n = $3 AND id = $4 AND project = $5 AND deleted_at IS NULL`
	warmByID = warmAny + `id = $3 AND deleted_at IS NULL`
)

// warm updates the access columns. Where statements travel, it waits only once for all
// contexts at the places that the accesses name.
func warm(ctx context.Context, q Querier, contexts []warmth) (err error) {
	results := make([]sql.Result, len(contexts))
	for i, w := range contexts {
		if w.count > 0 && w.n > 0 {
			if results[i], err = q.ExecContext(ctx, warmAt, w.last, w.count, w.n, w.id, w.project); err != nil {
				return err
			}
		}
	}
	for i := range contexts {
		w := &contexts[i]
		if results[i] != nil {
			if w.found, err = changed(results[i], nil); err != nil {
				return err
			}
		}
		if w.count > 0 && !w.found {
			if err := exec(ctx, q, warmByID, w.last, w.count, w.id); err != nil {
				return err
			}
		}
	}
	return nil
}
