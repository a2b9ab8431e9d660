package index

import "context"

// Purge rewrites the segments that hold documents whose rows were dropped, without
// these documents, and deletes every leftover. Afterwards no word of a dropped
// document is in the index. It fails if another process changed the segments
// meanwhile; call it again then.
func (ix *Index) Purge(ctx context.Context) error {
	// What others are writing may hold a dropped document; now it cannot come in.
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

// holdsDropped reports whether a segment has a document that has no row any more.
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

// countRows is how many of the documents still have a row.
func countRows(ctx context.Context, store Store, ns []int64) (n int, err error) {
	err = store.Docs(ctx, ns, func(int64, []byte) error {
		n++
		return nil
	})
	return n, err
}
