package memory

import (
	"cmp"
	"context"

	"wake/domain"
	"wake/repository"
)

// Purge erases a context beyond recovery: its content, everything derived from
// it and its words in the index; a tombstone with its hash stays. It is the one
// exception to "never rewritten", for what must not exist.
func (s *Service) Purge(ctx context.Context, req PurgeRequest) (PurgeAnswer, error) {
	known, err := s.Store.ContextsByID(ctx, []string{req.ID}, false)
	if err != nil {
		return PurgeAnswer{}, err
	}
	if len(known) == 0 {
		if known, err = s.forgottenByID(ctx, req.ID); err != nil {
			return PurgeAnswer{}, err
		}
	}
	err = s.Store.Write(ctx, repository.Durable, func(tx repository.Tx) error { return tx.EraseContext(ctx, req.ID, s.now()) })
	// The error may be of the scrubbing, after the commit: the index is purged all the same.
	if err := cmp.Or(err, s.purgeIndex(ctx, domain.ContextSpace)); err != nil {
		return PurgeAnswer{}, err
	}
	s.changes.publish(Change{Kind: ContextGone, ID: req.ID, Project: known[0].Project})
	return PurgeAnswer{ID: req.ID, Hash: known[0].ContentHash}, nil
}

// purgeTries is how often a purge begins again when another process changes the
// index at the same time: that one gives up the first time.
const purgeTries = 5

// purgeIndex takes the words of dropped documents out of the parts of the index
// that are built of them, and out of the database's files.
func (s *Service) purgeIndex(ctx context.Context, space domain.SearchSpace) error {
	var err error
	for range purgeTries {
		if err = s.searchIndex(space).Purge(ctx); domain.KindOf(err) != domain.KindConflict {
			break
		}
	}
	return cmp.Or(err, s.Store.Scrub(ctx))
}

func (s *Service) forgottenByID(ctx context.Context, id string) ([]domain.ContextSnapshot, error) {
	gone, err := s.Store.Contexts(ctx, domain.ContextQuery{Forgotten: true})
	if err != nil {
		return nil, err
	}
	for _, c := range gone {
		if c.ID == id {
			return []domain.ContextSnapshot{c}, nil
		}
	}
	return nil, noContext([]string{id})
}
