package index

import "context"

// Purge rewrites the segments that hold documents whose rows were deleted, without
// these documents, and deletes all leftovers. Afterwards no word of a deleted document
// is in the index. It fails if another process changed the segments meanwhile; the
// caller then calls it again.
func (ix *Index) Purge(ctx context.Context) error {
	// Segments being written by others may hold a deleted document. This prevents their
	// activation.
	if err := ix.store.Activate(ctx, 0, nil, nil); err != nil {
		return err
	}
	if err := ix.refresh(ctx, true); err != nil {
		return err
	}
	ix.mu.RLock()
	segs := ix.segs
	ix.mu.RUnlock()
	for _, s := range segs {
		holds, err := ix.holdsDropped(ctx, s)
		if err != nil {
			return err
		}
		if holds {
			if err := ix.merge(ctx, []*segment{s}); err != nil {
				return err
			}
		}
	}
	for {
		if n, err := ix.store.Sweep(ctx, sweepMost); err != nil || n == 0 {
			return err
		}
	}
}

// holdsDropped reports whether a segment has a document whose row was deleted.
func (ix *Index) holdsDropped(ctx context.Context, s *segment) (bool, error) {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	var ns []int64
	for n, project := range ix.removed {
		_, has, err := s.locate(ctx, n, project)
		if err != nil {
			return false, err
		}
		if has {
			ns = append(ns, n)
		}
	}
	if len(ns) == 0 {
		return false, nil
	}
	rows, err := countRows(ctx, ix.store, ns)
	return err == nil && rows < len(ns), err
}

// countRows returns how many of the documents still have a row.
func countRows(ctx context.Context, store Store, ns []int64) (n int, err error) {
	err = store.Docs(ctx, ns, func(int64, []byte) error {
		n++
		return nil
	})
	return n, err
}
