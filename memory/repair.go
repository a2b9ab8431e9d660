package memory

import (
	"context"

	"wake/domain"
	"wake/repository"
)

// Check looks for damage in every table and index; each finding names its remedy.
// It changes nothing.
func (s *Service) Check(ctx context.Context, progress func(done, total int)) ([]repository.Finding, error) {
	said := func(e domain.Event) bool {
		_, ok := messageEntry(domain.Session{ID: e.SessionID}, e)
		return ok
	}
	return s.Store.Check(ctx, said, progress)
}

// Repair rebuilds what is derived: link rows, tags, the search index. Contexts
// and events themselves are never changed.
func (s *Service) Repair(ctx context.Context, progress func(done, total int)) error {
	if err := s.Store.Repair(ctx, progress); err != nil {
		return err
	}
	return s.Reindex(ctx, progress)
}
