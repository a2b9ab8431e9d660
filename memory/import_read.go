package memory

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"iter"
	"maps"
	"runtime/debug"

	"wake/domain"
	"wake/session"
	"wake/transcript"
)

// The most that one step of an import commits: what was read while the last step was
// committed, but not more than holds the writer's lock for some 50 ms.
const (
	stepItems = 1600
	stepBytes = 2 << 20 // of payloads and contents
)

// The size of a piece: enough to be worth a commit, and later a sixteenth of what was
// read before, because storing the cursor takes longer the more was read.
const (
	pieceItems = 200
	pieceBytes = 256 << 10
	pieceShare = 16
)

// sourceStretch is a part of a source that ends between two lines, with the place of
// its end.
type sourceStretch struct {
	items  []transcript.Item
	size   int // bytes of payloads and contents
	grown  int // items of the last piece
	ready  map[*domain.ContextSnapshot]readyContext
	said   analysed
	cursor *domain.IngestCursor // nil if the place is the stored one
	offset int64
	err    error // why the source cannot be read further
	last   bool
}

// stretches reads ahead in two goroutines: while one stretch is committed, the next is
// prepared, and the one after it decoded. The returned function ends both and must be
// called before the source is closed.
func (im *importing) stretches(ctx context.Context, items iter.Seq2[transcript.Item, error]) (<-chan sourceStretch, func()) {
	ctx, cancel := context.WithCancel(ctx)
	decoded, out := make(chan sourceStretch, 1), make(chan sourceStretch)
	go func() {
		defer close(decoded)
		im.cut(im.unbroken(items), func(piece sourceStretch) bool {
			select {
			case decoded <- piece:
				return true
			case <-ctx.Done():
				return false
			}
		})
	}()
	go func() {
		defer close(out)
		im.gather(ctx, decoded, out)
		for range decoded { // until the decoder has ended
		}
	}()
	return out, func() {
		cancel()
		for range out { // until both goroutines have ended
		}
	}
}

// gather prepares pieces and joins them to a stretch until the store asks for one.
func (im *importing) gather(ctx context.Context, decoded <-chan sourceStretch, out chan<- sourceStretch) {
	var part sourceStretch
	for {
		from, to := decoded, out
		if part.full() {
			from = nil
		} else if len(part.items) == 0 {
			to = nil
		}
		select {
		case to <- part:
			if part.last {
				return
			}
			part = sourceStretch{}
		case piece, more := <-from:
			if !more {
				return // the decoder was cancelled
			}
			im.workOut(&piece)
			part.add(piece)
		case <-ctx.Done():
			return // a later piece must not be stored without this one
		}
	}
}

// full reports whether a stretch has no room for another piece, assuming that it is
// about as long as the last.
func (part *sourceStretch) full() bool {
	return part.last || part.err != nil || len(part.items)+part.grown > stepItems || part.size > stepBytes/2
}

// add appends a piece to a stretch.
func (part *sourceStretch) add(piece sourceStretch) {
	piece.grown = len(piece.items)
	if part.items == nil {
		*part = piece
		return
	}
	part.items, part.size = append(part.items, piece.items...), part.size+piece.size
	maps.Copy(part.ready, piece.ready)
	maps.Copy(part.said, piece.said)
	if piece.cursor != nil {
		part.cursor = piece.cursor
	}
	part.grown, part.offset, part.err, part.last = piece.grown, piece.offset, piece.err, piece.last
}

// workOut prepares whatever depends neither on the store nor on earlier items.
func (im *importing) workOut(part *sourceStretch) {
	part.ready, part.said = map[*domain.ContextSnapshot]readyContext{}, analysed{}
	for _, item := range part.items {
		switch {
		case item.Context != nil:
			part.ready[item.Context] = im.makeReady(item.Context)
		case item.Event != nil:
			if im.prepare(item.Event) == nil { // an error is reported when the event is appended
				part.said.add(*item.Event)
			}
		}
	}
}

// unbroken yields the items of a source and turns a panic of its reader into an error,
// so that a server or an import of many sources goes on.
func (im *importing) unbroken(items iter.Seq2[transcript.Item, error]) iter.Seq2[transcript.Item, error] {
	return func(yield func(transcript.Item, error) bool) {
		reading := true
		defer func() {
			if r := recover(); r != nil {
				if !reading {
					panic(r) // it is not from the reader
				}
				im.s.Log.Error("the reading of a source panicked", "source", im.req.Name, "panic", r, "stack", string(debug.Stack()))
				yield(transcript.Item{}, &fs.PathError{Op: "read", Path: im.req.Name, Err: fmt.Errorf("it panicked: %v", r)})
			}
		}()
		for item, err := range items {
			reading = false
			if !yield(item, err) {
				return
			}
			reading = true
		}
	}
}

// cut cuts a source into pieces. It gives a piece when it sees another item after it,
// so that the last one can be marked.
func (im *importing) cut(items iter.Seq2[transcript.Item, error], give func(sourceStretch) bool) {
	var full, part sourceStretch
	count, size := 0, 0 // of what was read
	for item, err := range items {
		if len(full.items) > 0 && !give(full) {
			return
		}
		full = sourceStretch{}
		if err != nil {
			part.err = err
			break
		}
		part.items = append(part.items, item)
		part.size += sizeOf(item)
		if item.Whole && part.longEnough(count, size) {
			im.reach(&part)
			count, size = count+len(part.items), size+part.size
			full, part = part, sourceStretch{}
		}
	}
	if len(full.items) > 0 {
		part = full
	}
	im.reach(&part)
	part.last = true
	give(part)
}

// longEnough reports whether a piece that follows count items of size bytes should
// end.
func (part *sourceStretch) longEnough(count, size int) bool {
	return len(part.items) >= min(max(pieceItems, count/pieceShare), stepItems) ||
		part.size >= min(max(pieceBytes, size/pieceShare), stepBytes/2)
}

// sizeOf is roughly how many bytes an item has.
func sizeOf(item transcript.Item) int {
	switch {
	case item.Event != nil:
		return len(item.Event.Payload)
	case item.Context != nil:
		return len(item.Context.Content)
	}
	return 0
}

// prepare checks an event and does what does not depend on earlier ones.
func (im *importing) prepare(e *domain.Event) error {
	if im.req.Format == transcript.Wake {
		return prepareAdopted(e)
	}
	return session.Prepare(e)
}

// reach sets the cursor of a stretch to the place it ends at.
func (im *importing) reach(part *sourceStretch) {
	if im.reader == nil {
		return
	}
	cursor, err := im.reader.Cursor()
	if err != nil {
		part.err = err
		return
	}
	part.offset = cursor.Offset
	cursor.Source, cursor.UpdatedAt = im.source(), im.s.now()
	if part.cursor != nil || cursor.Offset != im.read.Offset || cursor.Fingerprint != im.read.Fingerprint || !bytes.Equal(cursor.State, im.read.State) {
		part.cursor = &cursor
	}
	im.read = cursor
}
