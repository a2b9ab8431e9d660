package sqlstore

import (
	"context"

	"wake/repository"
)

// Check implements [repository.Maintenance].
func (s *Store) Check(ctx context.Context, progress func(done, total int)) ([]repository.Finding, error) {
	return nil, nil
}

// Repair implements [repository.Maintenance].
func (s *Store) Repair(ctx context.Context, progress func(done, total int), doc repository.Indexer) error {
	return nil
}
