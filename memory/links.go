package memory

import (
	"context"
	"slices"
	"time"

	"wake/domain"
	"wake/repository"
)

// setCause replaces the cause of a context; "" removes it.
func setCause(ctx context.Context, tx repository.Tx, id, cause string, now time.Time) error {
	if err := endLinks(ctx, tx, now, func(l domain.Link) bool { return l.From == id && l.Kind == domain.Cause }, id); err != nil {
		return err
	}
	if cause == "" {
		return nil
	}
	return addLink(ctx, tx, id, cause, domain.Cause, now)
}

// setSuperseded sets which context replaced id; "" removes that.
func setSuperseded(ctx context.Context, tx repository.Tx, id, by string, now time.Time) error {
	if by == id {
		return domain.Invalid("a context cannot supersede itself; superseded_by takes the id of the one that replaced it")
	}
	if err := endLinks(ctx, tx, now, func(l domain.Link) bool { return l.To == id && l.Kind == domain.Supersedes }, id); err != nil {
		return err
	}
	if by == "" {
		return nil
	}
	circle, err := succeeds(ctx, tx, id, by)
	if err != nil {
		return err
	}
	if circle {
		return domain.Invalid("%s was itself replaced by %s, so it cannot replace it: first undo that with superseded_by none", by, id)
	}
	return tx.AddLinks(ctx, []domain.Link{domain.NewLink(by, id, domain.Supersedes, now)})
}

// succeeds reports whether id is old, its successor, or a later one.
func succeeds(ctx context.Context, r repository.Reader, id, old string) (bool, error) {
	line, err := successors(ctx, r, old)
	return old == id || slices.Contains(line, id), err
}

// successors returns the successor of old, the successor's successor, and so on.
func successors(ctx context.Context, r repository.Reader, old string) (line []string, err error) {
	for old != "" {
		found, err := r.ContextsByID(ctx, []string{old}, false)
		if err != nil || len(found) == 0 {
			return line, err
		}
		if old = found[0].SupersededBy; old == "" || slices.Contains(line, old) {
			return line, nil
		}
		line = append(line, old)
	}
	return line, nil
}

// lastSuccessor returns the context that holds today in place of old; "" if that is
// old itself.
func lastSuccessor(ctx context.Context, r repository.Reader, old string) (string, error) {
	line, err := successors(ctx, r, old)
	if err != nil || len(line) == 0 {
		return "", err
	}
	return line[len(line)-1], nil
}

// replaced reports whether a later context superseded this one.
func replaced(c domain.ContextSnapshot) bool { return c.SupersededBy != "" }

// holding returns the first contexts that match q and still hold, at most most of them.
// What was replaced is passed over, however much that is.
func holding(ctx context.Context, r repository.Reader, q domain.ContextQuery, most int) ([]domain.ContextSnapshot, error) {
	return holdingOf(ctx, r, q, most, func(domain.ContextSnapshot) bool { return true })
}

// holdingOf is [holding] of those contexts that take takes.
func holdingOf(ctx context.Context, r repository.Reader, q domain.ContextQuery, most int, take func(domain.ContextSnapshot) bool) (hold []domain.ContextSnapshot, err error) {
	for q.Limit = most; ; q.Limit *= 4 {
		list, err := r.Contexts(ctx, q)
		if err != nil {
			return nil, err
		}
		for _, c := range list {
			if !replaced(c) && take(c) {
				hold = append(hold, c)
			}
		}
		if len(hold) >= most || len(list) < q.Limit {
			return hold[:min(most, len(hold))], nil
		}
		after := position(list[len(list)-1], q.Order)
		q.After = &after
	}
}

func endLinks(ctx context.Context, tx repository.Tx, now time.Time, which func(domain.Link) bool, id string) error {
	live, err := tx.Links(ctx, []string{id}, time.Time{})
	if err != nil {
		return err
	}
	ended := slices.DeleteFunc(live, func(l domain.Link) bool { return !which(l) })
	if len(ended) == 0 {
		return nil
	}
	return tx.RemoveLinks(ctx, ended, now)
}

// addLink adds an explicit link unless it would close a cycle.
func addLink(ctx context.Context, tx repository.Tx, from, to string, kind domain.LinkKind, now time.Time) error {
	if from == to {
		return domain.Invalid("a context cannot be its own %s; name another one", kind)
	}
	circle, err := tx.Reaches(ctx, to, from)
	if err != nil {
		return err
	}
	if circle {
		return domain.Invalid("%s already builds on %s, so it cannot be its %s: that would close a cycle", to, from, kind)
	}
	return tx.AddLinks(ctx, []domain.Link{domain.NewLink(from, to, kind, now)})
}

// linksFrom groups links by the contexts that they begin at.
func linksFrom(links []domain.Link) map[string][]domain.Link {
	from := map[string][]domain.Link{}
	for _, l := range links {
		from[l.From] = append(from[l.From], l)
	}
	return from
}
