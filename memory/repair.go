package memory

import "context"

// Repair rebuilds what is derived from the contexts: link rows, tags, indexes.
// Contexts themselves are never changed.
func (s *Service) Repair(ctx context.Context, progress func(done, total int)) error {
	return s.Store.Repair(ctx, progress, s.document)
}
