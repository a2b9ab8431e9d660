package memory

import (
	"cmp"
	"context"

	"wake/domain"
	"wake/repository"
)

// Purge erases a context beyond recovery: its content, everything derived from it, and
// its words in the index. Only a tombstone with its hash remains. It is the one
// exception to "never rewritten".
func (s *Service) Purge(ctx context.Context, id string) (PurgeAnswer, error) {
	c, err := s.Purgeable(ctx, id)
	if err != nil {
		return PurgeAnswer{}, err
	}
	err = s.Store.Write(ctx, repository.Durable, func(tx repository.Tx) error {
		if err := tx.EraseContext(ctx, c.ID, s.now()); err != nil {
			return err
		}
		return tx.OweRewrite(ctx)
	})
	if err != nil {
		return PurgeAnswer{}, err
	}
	s.changes.publish(Change{Kind: ContextGone, ID: c.ID, Project: c.Project})
	if err := s.finishPurges(ctx); err != nil {
		return PurgeAnswer{}, err
	}
	return PurgeAnswer{ID: c.ID, Hash: c.ContentHash, Notes: s.echoes(ctx, c.Content)}, nil
}

// Purgeable returns the context that [Service.Purge] would erase, with its content.
// The context may be a forgotten one. It returns NotFound for an unknown id. If the
// context was purged before, that purge is finished, because a reader may have been in
// the way then.
func (s *Service) Purgeable(ctx context.Context, id string) (domain.ContextSnapshot, error) {
	if err := s.contextID(ctx, &id); err != nil {
		return domain.ContextSnapshot{}, err
	}
	known, err := s.Store.ContextsByID(ctx, []string{id}, true)
	if err != nil {
		return domain.ContextSnapshot{}, err
	}
	if len(known) > 0 {
		return known[0], nil
	}
	c, err := s.forgottenByID(ctx, id)
	if domain.KindOf(err) != domain.KindNotFound {
		return c, err
	}
	erased, erasedErr := s.Store.ErasedContexts(ctx, []string{id})
	if erasedErr != nil || len(erased) == 0 {
		return c, cmp.Or(erasedErr, err)
	}
	if err := s.purgeAgain(ctx); err != nil {
		return c, err
	}
	return c, domain.NotFound("context %s was purged before; nothing of it is left here", id)
}

// purgeAgain finishes what was purged before, even if nothing says that it is unfinished:
// an earlier wake did not note it.
func (s *Service) purgeAgain(ctx context.Context) error {
	err := s.Store.Write(ctx, repository.Durable, func(tx repository.Tx) error { return tx.OweRewrite(ctx) })
	if err != nil {
		return err
	}
	return s.finishPurges(ctx)
}

// purgeTries is how often a purge of the index is retried when another process changes
// the index at the same time.
const purgeTries = 5

// finishPurges removes what was purged from the segments of the index, then from the
// database's files. It does nothing if all purges are finished, also those that were
// killed or had a reader in the way.
func (s *Service) finishPurges(ctx context.Context) error {
	owed, err := s.Store.RewriteOwed(ctx)
	if err != nil || owed == 0 {
		return err
	}
	for _, space := range []domain.SearchSpace{domain.ContextSpace, domain.MessageSpace} {
		if err := s.purgeIndex(ctx, space); err != nil {
			return err
		}
	}
	return s.Store.Rewrite(ctx, owed)
}

func (s *Service) purgeIndex(ctx context.Context, space domain.SearchSpace) (err error) {
	for range purgeTries {
		if err = s.searchIndex(space).Purge(ctx); domain.KindOf(err) != domain.KindConflict {
			break
		}
	}
	return err
}

// forgottenByID returns a forgotten context with its content.
func (s *Service) forgottenByID(ctx context.Context, id string) (domain.ContextSnapshot, error) {
	gone, err := s.Store.Contexts(ctx, domain.ContextQuery{IDs: []string{id}, Forgotten: true, WithContent: true})
	if err != nil {
		return domain.ContextSnapshot{}, err
	}
	if len(gone) == 0 {
		return domain.ContextSnapshot{}, noContext(ctx, s.Store, []string{id})
	}
	return gone[0], nil
}
