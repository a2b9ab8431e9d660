package index

import (
	"context"
	"math/bits"

	"wake/recall"
)

// Sizes of the steps of maintenance.
const (
	flushAt    = 2048 // documents outside segments that justify a new one
	flushMost  = 4096 // most documents in a new segment
	mergeWidth = 4    // neighbouring segments of one size that are merged
	putBytes   = 256 << 10
	sweepMost  = 64 // leftover chunks deleted at a time
)

// Maintain does one step of maintenance and reports whether there is more to do. It
// deletes some leftovers of earlier steps, or merges segments of similar size, or
// builds a segment of the oldest documents that are in none, or deletes removals that
// are no longer needed. If several processes do it at once, one succeeds and the others
// get the store's error; readers do not wait. A long merge writes in batches of
// putBytes, each in a short transaction of its own.
func (ix *Index) Maintain(ctx context.Context) (more bool, err error) {
	if err := ix.refresh(ctx, false); err != nil {
		return false, err
	}
	// Leftovers go first, so that a long run of merges needs little disk space.
	if n, err := ix.store.Sweep(ctx, sweepMost); err != nil || n > 0 {
		return n > 0, err
	}
	ix.mu.RLock()
	group := mergeable(ix.segs)
	ix.mu.RUnlock()
	if group != nil {
		return true, ix.merge(ctx, group)
	}
	docs, version, err := ix.waiting(ctx)
	if err != nil {
		return false, err
	}
	if docs != nil {
		return true, ix.flush(ctx, docs, version)
	}
	return ix.dropRemovals(ctx)
}

// waiting returns the oldest documents that are in no segment, and the version of the
// segments; nil if they are too few for a segment. They are read from the store,
// because after an import they may be more than fits in memory.
func (ix *Index) waiting(ctx context.Context) (docs []*recall.Document, version int64, err error) {
	ix.mu.RLock()
	after, last := ix.covered(), ix.last
	known := last == ix.fewUpTo
	version = ix.seen.version
	ix.mu.RUnlock()
	if known || last-after < flushAt {
		return nil, 0, nil
	}
	rows, err := ix.store.Rows(ctx, after, flushMost, func(n int64, doc []byte) error {
		d, err := recall.DecodeDocument(n, doc)
		docs = append(docs, d)
		return err
	})
	if err != nil {
		return nil, 0, err
	}
	if rows < flushAt { // the other numbers belong to documents of another space
		ix.mu.Lock()
		ix.fewUpTo = last
		ix.mu.Unlock()
		return nil, 0, nil
	}
	return docs, version, nil
}

// flush builds a segment of the documents that follow those in the segments of a
// version.
func (ix *Index) flush(ctx context.Context, docs []*recall.Document, version int64) error {
	out, err := ix.output(ctx, version)
	if err != nil {
		return err
	}
	h, err := build(docs, docs[len(docs)-1].N+1, out.put)
	if err != nil {
		return err
	}
	return ix.finish(ctx, out, h, nil)
}

// output collects the chunks of a new segment and writes them in batches.
type output struct {
	ctx   context.Context
	store Store
	id    int64
	keys  []int64
	blobs [][]byte
	size  int
}

// output begins a segment, provided that the segments still have the given version.
func (ix *Index) output(ctx context.Context, version int64) (*output, error) {
	id, err := ix.store.NewSegment(ctx, version)
	return &output{ctx: ctx, store: ix.store, id: id}, err
}

func (o *output) put(key int64, blob []byte) error {
	o.keys, o.blobs = append(o.keys, key), append(o.blobs, blob)
	if o.size += len(blob); o.size < putBytes {
		return nil
	}
	return o.flush()
}

func (o *output) flush() error {
	if len(o.keys) == 0 {
		return nil
	}
	err := o.store.PutChunks(o.ctx, o.id, o.keys, o.blobs)
	o.keys, o.blobs, o.size = o.keys[:0], o.blobs[:0], 0
	return err
}

// finish activates a complete segment in place of the replaced ones.
func (ix *Index) finish(ctx context.Context, out *output, h *head, replaced []*segment) error {
	if err := out.flush(); err != nil {
		return err
	}
	ids := make([]int64, len(replaced))
	gone := map[int64]bool{}
	for i, s := range replaced {
		ids[i], gone[s.id] = s.id, true
	}
	if err := ix.store.Activate(ctx, out.id, h.encode(), ids); err != nil {
		return err
	}
	ix.blobs.remove(func(k chunkKey) bool { return gone[k.segment] })
	ix.lists.remove(func(k listKey) bool { return gone[k.segment] })
	return ix.refresh(ctx, false)
}

// mergeable finds neighbouring segments of one size class, newest first.
func mergeable(segs []*segment) []*segment {
	for end := len(segs); end >= mergeWidth; end-- {
		group := segs[end-mergeWidth : end]
		if sameSize(group) {
			return group
		}
	}
	return nil
}

// sameSize reports whether no segment is of a higher class than the last one and
// another is of the same class. Otherwise a large segment would be rewritten each time
// for a few small ones. Classes are powers of mergeWidth.
func sameSize(group []*segment) bool {
	class := func(s *segment) int { return bits.Len32(s.head.docs()/flushAt) / 2 }
	last, peers := class(group[len(group)-1]), 0
	for _, s := range group {
		if class(s) > last {
			return false
		}
		if class(s) == last {
			peers++
		}
	}
	return peers > 1
}
