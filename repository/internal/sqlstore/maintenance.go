package sqlstore

import (
	"context"

	"wake/repository"
)

// Info implements [repository.Maintenance].
func (s *Store) Info(ctx context.Context) (repository.Info, error) {
	info, err := s.engine.Info(ctx)
	return info, s.engine.Error(err)
}

// Backup implements [repository.Maintenance].
func (s *Store) Backup(ctx context.Context, path string, progress func(done, total int)) error {
	return s.engine.Error(s.engine.Backup(ctx, path, orSilent(progress)))
}

// Scrub implements [repository.Maintenance].
func (s *Store) Scrub(ctx context.Context) error { return s.engine.Error(s.engine.Scrub(ctx)) }

// Compact implements [repository.Maintenance].
func (s *Store) Compact(ctx context.Context) (more bool, err error) {
	more, err = s.engine.Compact(ctx)
	return more, s.engine.Error(err)
}

// orSilent replaces a nil progress by one that does nothing.
func orSilent(progress func(done, total int)) func(done, total int) {
	if progress == nil {
		return func(done, total int) {}
	}
	return progress
}
