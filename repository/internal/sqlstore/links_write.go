package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"time"

	"wake/domain"
)

// AddLinks implements [repository.LinkWriter].
func (t *tx) AddLinks(ctx context.Context, links []domain.Link) error {
	return each(t, links, func(q Querier, l domain.Link) error { return addLink(ctx, q, l) })
}

func addLink(ctx context.Context, q Querier, l domain.Link) error {
	if !l.RemovedAt.IsZero() { // it is of the past; what holds now stays as it is
		return insertLinkRows(ctx, q, []domain.Link{l})
	}
	if l.Origin == domain.Auto && l.Kind == domain.Dependency { // it creates no causality, so nothing depends on whether it was new
		return insertAutoLink(ctx, q, l)
	}
	if err := checkCause(ctx, q, l); err != nil {
		return err
	}
	added, err := insertLink(ctx, q, l)
	if err != nil || !added {
		return err
	}
	switch {
	case l.Kind == domain.Supersedes:
		return setSuperseded(ctx, q, l.To)
	case l.Origin != domain.Explicit:
		return nil // automatic links create no causality
	case l.Kind == domain.Cause:
		return setCause(ctx, q, l.From, l.To)
	}
	return editDependencies(ctx, q, l.From, func(deps []string) []string { return append(deps, l.To) })
}

// checkCause refuses a second live cause: a context has at most one.
func checkCause(ctx context.Context, q Querier, l domain.Link) error {
	if l.Kind != domain.Cause {
		return nil
	}
	others, err := Collect(ctx, q, Scalar[string], `SELECT to_id FROM context_links
		WHERE from_id = $1 AND kind = 'cause' AND to_id <> $2 AND removed_at IS NULL`, l.From, l.To)
	if err == nil && len(others) > 0 {
		return domain.Conflict("context %s has the cause %s already; remove that link first", l.From, others[0])
	}
	return err
}

// RemoveLinks implements [repository.LinkWriter].
func (t *tx) RemoveLinks(ctx context.Context, links []domain.Link, at time.Time) error {
	return each(t, links, func(q Querier, l domain.Link) error { return removeLink(ctx, q, l, at) })
}

func removeLink(ctx context.Context, q Querier, l domain.Link, at time.Time) error {
	ended, err := endLink(ctx, q, l, at)
	if err != nil || !ended {
		return err
	}
	switch l.Kind {
	case domain.Supersedes:
		return setSuperseded(ctx, q, l.To)
	case domain.Cause:
		return exec(ctx, q, `UPDATE context_snapshots SET caused_by = NULL
			WHERE id = $1 AND caused_by = $2`, l.From, l.To)
	}
	return editDependencies(ctx, q, l.From, func(deps []string) []string { return without(deps, []string{l.To}) })
}

// setCause writes the column caused_by. A context with a cause has causality, so the
// other columns of causality get their defaults.
func setCause(ctx context.Context, q Querier, id, cause string) error {
	return exec(ctx, q, `UPDATE context_snapshots SET caused_by = $1,
		action_type = coalesce(action_type, 'conversation'), dependencies = coalesce(dependencies, '[]')
		WHERE id = $2`, cause, id)
}

// editDependencies changes the column dependencies. An empty list does not end the
// context's causality.
func editDependencies(ctx context.Context, q Querier, id string, edit func([]string) []string) error {
	c, err := one(ctx, q, scanContext, unknownContext(id), selectContexts(false)+`WHERE c.id = $1`, id)
	if domain.KindOf(err) == domain.KindNotFound {
		return nil // the link of a context that is not stored here has no columns to update
	}
	if err != nil {
		return err
	}
	var was []string
	if c.Causality != nil {
		was = c.Causality.Dependencies
	}
	now := without(edit(slices.Clone(was)), nil)
	if slices.Equal(was, now) {
		return nil
	}
	list, err := jsonArg(now)
	if err != nil {
		return err
	}
	return exec(ctx, q, `UPDATE context_snapshots SET dependencies = $1,
		action_type = coalesce(action_type, 'conversation') WHERE id = $2`, list, id)
}

// setSuperseded sets the superseded columns of each context to the newest live link that
// supersedes it. A forgotten context supersedes nothing.
func setSuperseded(ctx context.Context, q Querier, ids ...string) error {
	for _, id := range ids {
		var by, at any
		var from, added string
		err := q.QueryRowContext(ctx, `SELECT l.from_id, l.added_at FROM context_links l LEFT JOIN context_snapshots c ON c.id = l.from_id
			WHERE l.to_id = $1 AND l.kind = 'supersedes' AND l.removed_at IS NULL AND c.deleted_at IS NULL
			ORDER BY l.added_at DESC, l.n DESC LIMIT 1`, id).Scan(&from, &added)
		if err == nil {
			by, at = from, added
		} else if !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		if err := exec(ctx, q, `UPDATE context_snapshots SET superseded_by = $1, superseded_at = $2 WHERE id = $3`, by, at, id); err != nil {
			return err
		}
	}
	return nil
}

// supersedes returns the ids of the contexts that a context supersedes by live links.
func supersedes(ctx context.Context, q Querier, id string) ([]string, error) {
	return Collect(ctx, q, Scalar[string], `SELECT to_id FROM context_links
		WHERE from_id = $1 AND kind = 'supersedes' AND removed_at IS NULL`, id)
}
