package index

import (
	"context"
	"errors"

	"wake/recall"
)

// Flaws counts the damaged parts found by [Index.Check].
type Flaws struct {
	Documents int
	Segments  int
}

// checkTries is how often a check starts over because the segments changed meanwhile.
const checkTries = 3

// Check reads every document and every part of every segment. It changes nothing, and
// continues after parts that cannot be read.
func (ix *Index) Check(ctx context.Context) (Flaws, error) {
	documents, err := ix.unreadable(ctx)
	if err != nil {
		return Flaws{}, err
	}
	for try := 1; ; try++ {
		before, err := ix.state(ctx)
		if err != nil {
			return Flaws{}, err
		}
		segments, err := ix.damagedSegments(ctx)
		if err != nil {
			return Flaws{}, err
		}
		after, err := ix.state(ctx)
		if err != nil {
			return Flaws{}, err
		}
		if segments == 0 || before.version == after.version || try == checkTries {
			return Flaws{documents, segments}, nil
		}
	}
}

// unreadable counts the documents that cannot be decoded.
func (ix *Index) unreadable(ctx context.Context) (bad int, err error) {
	last := int64(0)
	for {
		rows, err := ix.store.Rows(ctx, last, tailBatch, func(n int64, doc []byte) error {
			last = n
			if _, err := recall.DecodeDocument(n, doc); err != nil {
				bad++
			}
			return nil
		})
		if err != nil || rows < tailBatch {
			return bad, err
		}
	}
}

func (ix *Index) damagedSegments(ctx context.Context) (bad int, err error) {
	ids, heads, err := ix.store.Segments(ctx)
	if err != nil {
		return 0, err
	}
	for i, id := range ids {
		if err := ctx.Err(); err != nil {
			return bad, err
		}
		if checkSegment(ctx, ix.store, id, heads[i]) != nil {
			bad++
		}
	}
	return bad, nil
}

// checkSegment reads a whole segment, bypassing the caches.
func checkSegment(ctx context.Context, store Store, id int64, encoded []byte) error {
	h, err := decodeHead(encoded)
	if err != nil {
		return err
	}
	if err := checkNumbers(ctx, store, id, h); err != nil {
		return err
	}
	w := newWalk(ctx, store, id, h)
	for err = w.advance(); err == nil && !w.done; err = w.advance() {
		docs := 0
		err = w.postings(func(posting) { docs++ })
		if err != nil || docs != w.entries[0].df {
			return errors.Join(err, errCorrupt)
		}
	}
	return err
}

// checkNumbers compares the numbers of a segment's documents with its head.
func checkNumbers(ctx context.Context, store Store, id int64, h *head) error {
	docs := 0
	for i, first := range h.numbers {
		blob, err := store.Chunk(ctx, id, numberKeys+int64(i))
		if err != nil {
			return err
		}
		ns, err := decodeNumbers(blob)
		if err != nil || len(ns) == 0 || ns[0] != first {
			return errCorrupt
		}
		docs += len(ns)
	}
	if docs != int(h.docs()) {
		return errCorrupt
	}
	return nil
}
