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

// How much one step of an import commits at most: the pieces that were read while the last
// step was committed, but no more than hold the writer's lock for some 50 ms.
const (
	stepItems = 1600
	stepBytes = 2 << 20 // of payloads and contents
)

// How much is read at once: as much as is worth a commit, and later a sixteenth of what was
// read before, because noting the place takes longer the more was read.
const (
	pieceItems = 200
	pieceBytes = 256 << 10
	pieceShare = 16
)

// sourceStretch is a part of a source that ends between two lines, with the place there.
type sourceStretch struct {
	items  []transcript.Item
	size   int // of payloads and contents, in bytes
	grown  int // items of the last piece
	ready  map[*domain.ContextSnapshot]readyContext
	said   analysed
	cursor *domain.IngestCursor // nil where the place is the one that is kept already
	offset int64
	err    error // the source cannot be read further
	last   bool
}

// stretches reads ahead of the store, in two steps side by side: while one stretch is
// committed, the next is worked out, and what is behind it decoded. The returned function
// is called before the source is closed.
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
		for range decoded { // until the reader has ended
		}
	}()
	return out, func() {
		cancel()
		for range out { // until both have ended
		}
	}
}

// gather works pieces out and hands them on together, as soon as the store asks for more.
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
				return // it was cut off
			}
			im.workOut(&piece)
			part.add(piece)
		case <-ctx.Done():
			return // without this, nothing behind it may come in
		}
	}
}

// full reports whether a stretch takes no further piece, which is about as long as the last.
func (part *sourceStretch) full() bool {
	return part.last || part.err != nil || len(part.items)+part.grown > stepItems || part.size > stepBytes/2
}

// add takes in the piece behind a stretch.
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

// workOut does what needs neither the store nor what stands before in the source.
func (im *importing) workOut(part *sourceStretch) {
	part.ready, part.said = map[*domain.ContextSnapshot]readyContext{}, analysed{}
	for _, item := range part.items {
		switch {
		case item.Context != nil:
			part.ready[item.Context] = im.makeReady(item.Context)
		case item.Event != nil:
			if im.prepare(item.Event) == nil { // what is wrong with it is told when it is appended
				part.said.add(*item.Event)
			}
		}
	}
}

// unbroken are the items of a source up to where reading it panics, which is an error of
// that source alone: a server that reads a hook's transcript, or an import of many, goes on.
func (im *importing) unbroken(items iter.Seq2[transcript.Item, error]) iter.Seq2[transcript.Item, error] {
	return func(yield func(transcript.Item, error) bool) {
		reading := true
		defer func() {
			if r := recover(); r != nil {
				if !reading {
					panic(r) // what is done with an item is not the reading's
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

// cut cuts a source into pieces. One is given when there is something behind it, so that
// the last is known as such.
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

// longEnough reports whether a piece ends behind count items of size bytes.
func (part *sourceStretch) longEnough(count, size int) bool {
	return len(part.items) >= min(max(pieceItems, count/pieceShare), stepItems) ||
		part.size >= min(max(pieceBytes, size/pieceShare), stepBytes/2)
}

// sizeOf is about how many bytes an item holds.
func sizeOf(item transcript.Item) int {
	switch {
	case item.Event != nil:
		return len(item.Event.Payload)
	case item.Context != nil:
		return len(item.Context.Content)
	}
	return 0
}

// prepare checks an event and works out what does not depend on those before it.
func (im *importing) prepare(e *domain.Event) error {
	if im.req.Format == transcript.Wake {
		return prepareAdopted(e)
	}
	return session.Prepare(e)
}

// reach notes the place that a stretch comes to.
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
