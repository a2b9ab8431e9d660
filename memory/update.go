package memory

import (
	"context"
	"slices"
	"strings"
	"time"

	"wake/domain"
	"wake/repository"
)

// Update changes what can be changed about a context: pin, tags, causes, dependencies
// and supersession, but not its content. It returns NotFound for unknown ids and
// Invalid if a link would close a cycle.
func (s *Service) Update(ctx context.Context, req UpdateRequest) (domain.ContextSnapshot, error) {
	if err := checkTags(slices.Concat(req.AddTags, req.RemoveTags)); err != nil {
		return domain.ContextSnapshot{}, err
	}
	if req.ID == "" {
		return domain.ContextSnapshot{}, domain.Advise(domain.Invalid("id is missing"), domain.FindContexts)
	}
	if req.empty() {
		return domain.ContextSnapshot{}, domain.Invalid("say what to change: pinned, add_tags, remove_tags, caused_by, add_dependencies or superseded_by; none takes a link away")
	}
	if err := s.completeUpdate(ctx, &req); err != nil {
		return domain.ContextSnapshot{}, err
	}
	var changed domain.ContextSnapshot
	err := s.Store.Write(ctx, repository.Durable, func(tx repository.Tx) error {
		now := s.now()
		if err := req.relink(ctx, tx, now); err != nil {
			return err
		}
		var err error
		changed, err = tx.UpdateContext(ctx, req.ID, now, func(c *domain.ContextSnapshot) error { return req.apply(c) })
		if err != nil || len(req.AddTags)+len(req.RemoveTags) == 0 {
			return err
		}
		return s.reindexContext(ctx, tx, &changed)
	})
	if err != nil {
		return domain.ContextSnapshot{}, err
	}
	changed.Memory.Tier = s.Windows.Of(changed.Touched(), s.now())
	s.changes.publish(Change{Kind: ContextChanged, ID: changed.ID, Project: changed.Project})
	return changed, nil
}

// completeUpdate completes shortened ids in a request.
func (s *Service) completeUpdate(ctx context.Context, req *UpdateRequest) (err error) {
	if err := s.contextID(ctx, &req.ID, req.CausedBy, req.SupersededBy); err != nil {
		return err
	}
	req.AddDependencies, err = s.contextIDs(ctx, req.AddDependencies)
	return err
}

// empty reports whether the request changes nothing.
func (req UpdateRequest) empty() bool {
	return req.Pinned == nil && req.CausedBy == nil && req.SupersededBy == nil && len(req.AddTags)+len(req.RemoveTags)+len(req.AddDependencies) == 0
}

// apply changes pin and tags. Links are changed by relink.
func (req UpdateRequest) apply(c *domain.ContextSnapshot) error {
	if req.Pinned != nil {
		c.Pinned = *req.Pinned
		if c.Pinned {
			c.Kind = domain.Semantic
		}
	}
	remove := cleanTags(req.RemoveTags)
	all := distinct(append(c.Tags, cleanTags(req.AddTags)...))
	c.Tags = slices.DeleteFunc(slices.Clone(all), func(t string) bool {
		return slices.ContainsFunc(remove, func(named string) bool {
			return t == named || strings.EqualFold(t, named) && !slices.Contains(all, named)
		})
	})
	if len(c.Tags) > domain.MaxTags {
		return domain.Invalid("that would make %d tags; the limit is %d: remove some with remove_tags", len(c.Tags), domain.MaxTags)
	}
	return nil
}

// relink adds and ends links as requested.
func (req UpdateRequest) relink(ctx context.Context, tx repository.Tx, now time.Time) error {
	targets := distinct(req.AddDependencies)
	for _, id := range []*string{req.CausedBy, req.SupersededBy} {
		if id != nil {
			targets = append(targets, *id)
		}
	}
	if _, err := mustKnow(ctx, tx, distinct(append(targets, req.ID))); err != nil {
		return err
	}
	if req.CausedBy != nil {
		if err := setCause(ctx, tx, req.ID, *req.CausedBy, now); err != nil {
			return err
		}
	}
	for _, id := range distinct(req.AddDependencies) {
		if err := addLink(ctx, tx, req.ID, id, domain.Dependency, now); err != nil {
			return err
		}
	}
	if req.SupersededBy != nil {
		return setSuperseded(ctx, tx, req.ID, *req.SupersededBy, now)
	}
	return nil
}

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
