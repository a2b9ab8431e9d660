package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"time"

	"wake/domain"
)

// InsertContext implements [repository.ContextWriter].
func (t *tx) InsertContext(ctx context.Context, c *domain.ContextSnapshot) error {
	return t.do(func(q Querier) error { return insertContext(ctx, q, c) })
}

func insertContext(ctx context.Context, q Querier, c *domain.ContextSnapshot) error {
	c.Tags = without(c.Tags, nil)
	truncateTimes(c)
	if err := checkTags(c.Tags); err != nil {
		return err
	}
	if err := insertRow(ctx, q, c); err != nil {
		return err
	}
	if err := addTags(ctx, q, c.N, c.Tags, c.SavedAt); err != nil {
		return err
	}
	for _, l := range linksIn(c, c.SavedAt) {
		if _, err := insertLink(ctx, q, l); err != nil {
			return err
		}
	}
	return nil
}

// nextContext is the number of the next context. Numbers of erased contexts are not
// reused, because indexes outside the tables may still hold them.
const nextContext = `(SELECT 1 + coalesce(max(last.n), 0) FROM (
	SELECT max(n) AS n FROM context_snapshots UNION ALL SELECT max(n) FROM tombstones) AS last)`

// insertRow stores c under the next number.
func insertRow(ctx context.Context, q Querier, c *domain.ContextSnapshot) error {
	values, err := allColumns(c)
	if err != nil {
		return err
	}
	var a Args
	var columns, holders []string
	for _, v := range values {
		columns = append(columns, v.column)
		holders = append(holders, a.Add(v.arg))
	}
	err = q.QueryRowContext(ctx, `INSERT INTO context_snapshots (n, `+strings.Join(columns, ", ")+`)
		VALUES (`+nextContext+`,
			`+strings.Join(holders, ", ")+`)
		ON CONFLICT (id) DO NOTHING RETURNING n`, a...).Scan(&c.N)
	if errors.Is(err, sql.ErrNoRows) {
		return domain.Conflict("a context with the id %q is there already; leave the id out to get a new one", c.ID)
	}
	return err
}

func allColumns(c *domain.ContextSnapshot) ([]value, error) {
	values, err := immutable(c)
	if err != nil {
		return nil, err
	}
	more, err := mutable(c)
	return append(values, more...), err
}

// insertContextRows stores contexts that already have numbers.
func insertContextRows(ctx context.Context, q Querier, list []*domain.ContextSnapshot) error {
	var columns []string
	rows := make([][]any, len(list))
	for i, c := range list {
		values, err := allColumns(c)
		if err != nil {
			return err
		}
		columns, rows[i] = []string{"n"}, []any{c.N}
		for _, v := range values {
			columns, rows[i] = append(columns, v.column), append(rows[i], v.arg)
		}
	}
	_, err := insertRows(ctx, q, `INSERT INTO context_snapshots (`+strings.Join(columns, ", ")+`)`, rows, ``)
	return err
}

// UpdateContext implements [repository.ContextWriter].
func (t *tx) UpdateContext(ctx context.Context, id string, at time.Time, fn func(*domain.ContextSnapshot) error) (domain.ContextSnapshot, error) {
	var out domain.ContextSnapshot
	err := t.do(func(q Querier) error {
		was, err := one(ctx, q, scanContext, unknownContext(id), selectContexts(true)+`WHERE c.id = $1 AND c.deleted_at IS NULL`, id)
		if err != nil {
			return err
		}
		out = clone(was)
		if err := fn(&out); err != nil {
			return err
		}
		return updateContext(ctx, q, &was, &out, at)
	})
	return out, err
}

// clone copies what the callback of UpdateContext may change.
func clone(c domain.ContextSnapshot) domain.ContextSnapshot {
	c.Tags = append([]string{}, c.Tags...)
	if c.Causality != nil {
		cause := *c.Causality
		cause.Dependencies = append([]string{}, cause.Dependencies...)
		c.Causality = &cause
	}
	if c.Propagation != nil {
		next := *c.Propagation
		next.PropagationReason = append([]string{}, next.PropagationReason...)
		c.Propagation = &next
	}
	return c
}

// updateContext stores the differences between was and c.
func updateContext(ctx context.Context, q Querier, was, c *domain.ContextSnapshot, at time.Time) error {
	c.Tags = without(c.Tags, nil)
	truncateTimes(c)
	if err := checkUpdate(was, c); err != nil {
		return err
	}
	if err := updateRow(ctx, q, was, c); err != nil {
		return err
	}
	if !sameSet(was.Tags, c.Tags) {
		if err := syncTags(ctx, q, c.N, c.Tags, at); err != nil {
			return err
		}
	}
	return syncLinks(ctx, q, was, c, at)
}

// checkUpdate refuses changes to immutable fields (002-06).
func checkUpdate(was, c *domain.ContextSnapshot) error {
	same := was.N == c.N && was.ID == c.ID && was.Project == c.Project && was.Content == c.Content &&
		was.Source == c.Source && was.Timestamp.Equal(c.Timestamp)
	if !same {
		return domain.Invalid("id, project, content, source and timestamp of a context never change; save a new one that supersedes it")
	}
	return checkTags(c.Tags)
}

// updateRow writes only the columns that differ, so that only their indexes are
// updated.
func updateRow(ctx context.Context, q Querier, was, c *domain.ContextSnapshot) error {
	old, err := mutable(was)
	if err != nil {
		return err
	}
	now, err := mutable(c)
	if err != nil {
		return err
	}
	var a Args
	var sets []string
	for i, v := range now {
		if v.arg != old[i].arg {
			sets = append(sets, v.column+" = "+a.Add(v.arg))
		}
	}
	if len(sets) == 0 {
		return nil
	}
	return exec(ctx, q, `UPDATE context_snapshots SET `+strings.Join(sets, ", ")+` WHERE n = `+a.Add(c.N), a...)
}

// ForgetContexts implements [repository.ContextWriter].
func (t *tx) ForgetContexts(ctx context.Context, ids []string, at time.Time) error {
	return each(t, ids, func(q Querier, id string) error {
		n, err := first(ctx, q, Scalar[int64], `UPDATE context_snapshots SET deleted_at = $1
			WHERE id = $2 AND deleted_at IS NULL RETURNING n`, domain.FormatTime(at), id)
		if err != nil || n == 0 {
			return err
		}
		return hideContext(ctx, q, n, id, true)
	})
}

// RestoreContext implements [repository.ContextWriter].
func (t *tx) RestoreContext(ctx context.Context, id string) error {
	return t.do(func(q Querier) error {
		n, err := one(ctx, q, Scalar[int64], domain.NotFound("no forgotten context has the id %q", id),
			`UPDATE context_snapshots SET deleted_at = NULL WHERE id = $1 AND deleted_at IS NOT NULL RETURNING n`, id)
		if err != nil {
			return err
		}
		return hideContext(ctx, q, n, id, false)
	})
}

// hideContext updates what depends on whether a context is forgotten: its documents, and
// what it supersedes.
func hideContext(ctx context.Context, q Querier, n int64, id string, gone bool) error {
	if err := hideDocuments(ctx, q, domain.DocumentSource{ContextN: n}, gone); err != nil {
		return err
	}
	old, err := supersedes(ctx, q, id)
	if err != nil {
		return err
	}
	return setSuperseded(ctx, q, old...)
}
