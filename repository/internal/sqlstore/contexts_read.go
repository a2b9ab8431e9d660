package sqlstore

import (
	"context"
	"database/sql"
	"strconv"
	"time"

	"wake/domain"
)

// ContextsByID implements [repository.ContextReader].
func (r reads) ContextsByID(ctx context.Context, ids []string, withContent bool) ([]domain.ContextSnapshot, error) {
	return byKeys(ctx, r, ids, func(q Querier) ([]domain.ContextSnapshot, error) {
		return contextsByID(ctx, q, ids, withContent, time.Time{})
	})
}

// ContextsByN implements [repository.ContextReader].
func (r reads) ContextsByN(ctx context.Context, ns []int64, withContent bool, asOf time.Time) ([]domain.ContextSnapshot, error) {
	read := func(q Querier) ([]domain.ContextSnapshot, error) {
		key := func(c *domain.ContextSnapshot) int64 { return c.N }
		found, err := contextsBy(ctx, q, "c.n", key, ns, withContent, asOf)
		if err != nil {
			return nil, err
		}
		return found, rewind(ctx, q, found, asOf)
	}
	if asOf.IsZero() {
		return byKeys(ctx, r, ns, read)
	}
	return ask(ctx, r, read)
}

// byKeys runs fn as a short query if the keys fit into one statement, else in a
// transaction.
func byKeys[K, T any](ctx context.Context, r reads, keys []K, fn func(q Querier) (T, error)) (T, error) {
	if len(keys) <= chunk {
		return lookUp(ctx, r, fn)
	}
	return ask(ctx, r, fn)
}

// ContextIDsUnder implements [repository.ContextReader].
func (r reads) ContextIDsUnder(ctx context.Context, prefix string, limit int) ([]string, error) {
	return idsUnder(ctx, r, "context_snapshots", prefix, limit)
}

// idsUnder returns ids of a table that begin with prefix, in ascending order.
func idsUnder(ctx context.Context, r reads, table, prefix string, limit int) ([]string, error) {
	return lookUp(ctx, r, func(q Querier) ([]string, error) {
		return Collect(ctx, q, Scalar[string], `SELECT id FROM `+table+` WHERE id >= $1 AND id < $2 ORDER BY id`+limitTo(limit), prefix, prefix+lastRune)
	})
}

// ContextsByDocument implements [repository.ContextReader].
func (r reads) ContextsByDocument(ctx context.Context, ns []int64, asOf time.Time) (map[int64]domain.ContextSnapshot, error) {
	return lookUp(ctx, r, func(q Querier) (map[int64]domain.ContextSnapshot, error) {
		out := make(map[int64]domain.ContextSnapshot, len(ns))
		err := chunks(ns, func(some []int64) error {
			var a Args
			list, err := Collect(ctx, q, scanDocumented, `SELECT d.n, c.n, c.id, c.project, c.summary, c.tags, c.timestamp, c.memory_tier, c.last_accessed,
					c.metadata, c.session_id, c.seq, c.origin, c.superseded_by, c.saved_at, c.content,
					c.action_type, c.rationale
				FROM search_documents d JOIN context_snapshots c ON c.n = d.context_n
				WHERE d.n IN `+addList(&a, some)+" AND "+liveAt(&a, asOf), a...)
			if err != nil {
				return err
			}
			contexts := make([]domain.ContextSnapshot, len(list))
			for i := range list {
				contexts[i] = list[i].ContextSnapshot
			}
			err = rewind(ctx, q, contexts, asOf)
			for i, c := range contexts {
				out[list[i].document] = c
			}
			return err
		})
		return out, err
	})
}

// documented is a context with the number of its document.
type documented struct {
	domain.ContextSnapshot
	document int64
}

func scanDocumented(rows *sql.Rows, d *documented) error {
	var tags string
	var cause domain.Causality
	err := rows.Scan(&d.document, &d.N, &d.ID, &d.Project, &d.Summary, &tags, toTime(&d.Timestamp), toText(&d.Memory.Tier), toTime(&d.Memory.LastAccessed),
		toJSON(&d.Metadata), toText(&d.SessionID), &d.Seq, toText(&d.Origin), toText(&d.SupersededBy), toTime(&d.SavedAt), &d.Content,
		toText(&cause.ActionType), toText(&cause.Rationale))
	d.Tags = splitTags(tags)
	if cause.ActionType != "" {
		d.Causality = &cause
	}
	return err
}

// Contexts implements [repository.ContextReader].
func (r reads) Contexts(ctx context.Context, cq domain.ContextQuery) ([]domain.ContextSnapshot, error) {
	if cq.AsOf.IsZero() { // what may come before the list decides only how it is read
		return askOnce(ctx, r, func(q Querier) ([]domain.ContextSnapshot, error) { return listContexts(ctx, q, cq) })
	}
	return ask(ctx, r, func(q Querier) ([]domain.ContextSnapshot, error) {
		found, err := listContexts(ctx, q, cq)
		if err != nil {
			return nil, err
		}
		return found, rewind(ctx, q, found, cq.AsOf)
	})
}

// ContextByHash implements [repository.ContextReader].
func (r reads) ContextByHash(ctx context.Context, project, hash string) (domain.ContextSnapshot, error) {
	return askOne(ctx, r, scanContext, domain.NotFound("no context of project %q has that content", project),
		selectContexts(false)+`
		WHERE c.content_hash = $1 AND c.project = $2 AND c.deleted_at IS NULL
		ORDER BY c.n DESC LIMIT 1`, hash, project)
}

func unknownContext(id string) error {
	return domain.NoContext(strconv.Quote(id), id)
}

// contextsByID returns the contexts known at asOf (zero means now), in the order of
// ids.
func contextsByID(ctx context.Context, q Querier, ids []string, withContent bool, asOf time.Time) ([]domain.ContextSnapshot, error) {
	key := func(c *domain.ContextSnapshot) string { return c.ID }
	return contextsBy(ctx, q, "c.id", key, ids, withContent, asOf)
}

// contextsBy returns the contexts whose column is one of keys, in the order of keys.
func contextsBy[K comparable](ctx context.Context, q Querier, column string, key func(*domain.ContextSnapshot) K, keys []K, withContent bool, asOf time.Time) ([]domain.ContextSnapshot, error) {
	list, err := collectIn(ctx, q, scanContext, keys, func(a *Args, some []K) string {
		return selectContexts(withContent) + "WHERE " + column + " IN " + addList(a, some) + " AND " + liveAt(a, asOf)
	})
	found := make(map[K]domain.ContextSnapshot, len(list))
	for i := range list {
		found[key(&list[i])] = list[i]
	}
	out := make([]domain.ContextSnapshot, 0, len(found))
	for _, k := range keys {
		if c, ok := found[k]; ok {
			out = append(out, c)
			delete(found, k)
		}
	}
	return out, err
}
