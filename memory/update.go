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
	if len(c.Tags) > domain.MaxTags && len(req.AddTags) > 0 {
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
