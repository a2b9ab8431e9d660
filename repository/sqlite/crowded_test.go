package sqlite_test

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"wake/repository"
)

// Statistics need no second connection beside the one that they read with: as many at once
// as there are connections would otherwise wait for each other for ever.
func TestStatsWithOneConnection(t *testing.T) {
	s := mustOpen(t, filepath.Join(t.TempDir(), "wake.db"))
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	var stats func(free int, r repository.Reader) error
	stats = func(free int, r repository.Reader) error {
		if free > 1 {
			return s.View(ctx, func(r repository.Reader) error { return stats(free-1, r) })
		}
		_, err := s.Stats(ctx, "", moment, nil)
		return err
	}
	if err := stats(4, s); err != nil {
		t.Error(err)
	}
}
