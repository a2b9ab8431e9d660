package sqlstore

import (
	"context"
	"strconv"

	"wake/repository"
)

// Info implements [repository.Maintenance].
func (s *Store) Info(ctx context.Context) (repository.Info, error) {
	return lookUp(ctx, s.reads, func(q Querier) (repository.Info, error) { return s.engine.Info(ctx, q) })
}

// Backup implements [repository.Maintenance].
func (s *Store) Backup(ctx context.Context, path string, progress func(done, total int)) error {
	return s.engine.Error(s.engine.Backup(ctx, path, orSilent(progress)))
}

// Scrub implements [repository.Maintenance].
func (s *Store) Scrub(ctx context.Context) error { return s.engine.Error(s.engine.Scrub(ctx)) }

// In table meta, owedKey counts the calls of OweRewrite, and rewrittenKey is the highest count
// that a Rewrite was given.
const (
	owedKey      = "rewrites_owed"
	rewrittenKey = "rewritten"
)

// OweRewrite implements [repository.JobWriter].
func (t *tx) OweRewrite(ctx context.Context) error {
	return t.do(func(q Querier) error {
		n, err := metaCount(ctx, q, owedKey)
		if err != nil {
			return err
		}
		return SetMeta(ctx, q, owedKey, strconv.Itoa(n+1))
	})
}

// Rewrite implements [repository.Maintenance].
func (s *Store) Rewrite(ctx context.Context, owed int) error {
	if err := s.engine.Rewrite(ctx); err != nil {
		return s.engine.Error(err)
	}
	return s.Write(ctx, repository.Relaxed, func(t repository.Tx) error {
		q := t.(*tx).q
		known, err := metaCount(ctx, q, rewrittenKey)
		if err != nil || known >= owed {
			return err
		}
		return SetMeta(ctx, q, rewrittenKey, strconv.Itoa(owed))
	})
}

// RewriteOwed implements [repository.Maintenance].
func (s *Store) RewriteOwed(ctx context.Context) (int, error) {
	return ask(ctx, s.reads, func(q Querier) (int, error) {
		owed, err := metaCount(ctx, q, owedKey)
		if err != nil {
			return 0, err
		}
		done, err := metaCount(ctx, q, rewrittenKey)
		if done >= owed {
			return 0, err
		}
		return owed, err
	})
}

// metaCount returns a number of table meta, or 0 if it was never set.
func metaCount(ctx context.Context, q Querier, key string) (int, error) {
	value, err := Meta(ctx, q, key)
	if err != nil || value == "" {
		return 0, err
	}
	return strconv.Atoi(value)
}

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
