package index

import (
	"cmp"
	"context"
	"hash/crc32"
	"maps"
	"slices"

	"wake/recall"
)

// state holds the counters of [Store.State].
type state struct{ doc, removal, version int64 }

// refresh applies what has changed in the store since the last call: saves, removals
// and new segments, by this process and others. If tail is false, it does not read the
// rows that are in no segment: maintenance does not need them, and there may be many.
func (ix *Index) refresh(ctx context.Context, tail bool) error {
	ix.mu.RLock()
	seen, last := ix.seen, ix.last
	ix.mu.RUnlock()
	now, err := ix.state(ctx)
	if err != nil {
		return err
	}
	ix.mu.RLock()
	unchanged := now == ix.seen && ix.words.Size() < ix.wordsLimit
	ix.mu.RUnlock()
	if unchanged {
		return nil
	}
	ix.mu.Lock()
	defer ix.mu.Unlock()
	if ix.seen != seen || ix.last != last { // another goroutine applied a state, which must not be undone if it is newer
		if now, err = ix.state(ctx); err != nil {
			return err
		}
	}
	if ix.words.Size() >= ix.wordsLimit {
		ix.renewWords()
	}
	if now.before(ix.seen) {
		ix.reset()
	}
	ix.last = now.doc
	if err := ix.catchUp(ctx, now); err != nil || !tail {
		return err
	}
	if err := ix.extendTail(ctx, now); err != nil {
		return err
	}
	ix.seen.doc = now.doc
	return nil
}

// extendTail reads what was saved since into the tail. If the newest document is not the one
// that was read, the store has gone back unnoticed, and everything is read anew.
func (ix *Index) extendTail(ctx context.Context, now state) error {
	same, err := ix.readTail(ctx)
	if err != nil || same {
		return err
	}
	ix.reset()
	if err := ix.catchUp(ctx, now); err != nil {
		return err
	}
	_, err = ix.readTail(ctx)
	return err
}

// before reports whether s is older than o. A store goes back when it is replaced by a
// backup, or by a standby that had not received everything.
func (s state) before(o state) bool {
	return s.doc < o.doc || s.removal < o.removal || s.version < o.version
}

// reset forgets everything that was read. In a store that has gone back, numbers are
// assigned again to other documents.
func (ix *Index) reset() {
	ix.segs, ix.removed, ix.tail = nil, map[int64]string{}, newTail(0, ix.words)
	ix.seen, ix.newest, ix.fewUpTo, ix.settled, ix.scanned = state{version: -1}, docSum{}, 0, 0, removalScan{}
	ix.blobs.clear()
	ix.lists.clear()
	ix.docs.clear()
	ix.next.clear()
	ix.numbers.clear()
}

// docSum distinguishes a document from another one with the same number.
type docSum struct {
	n   int64
	sum uint32
}

func (ix *Index) state(ctx context.Context) (now state, err error) {
	now.doc, now.removal, now.version, err = ix.store.State(ctx)
	return now, err
}

// renewWords starts a new vocabulary. It drops all decoded documents, which use the old
// one, except those of the tail.
func (ix *Index) renewWords() {
	ix.words = recall.NewVocabulary()
	ix.docs = newCache[int64, *recall.Document](ix.options.Documents)
	old := ix.tail
	ix.tail = newTail(old.base, ix.words)
	ix.tail.last = old.last
	for _, n := range slices.Sorted(maps.Keys(old.docs)) {
		ix.putInTail(ix.words.Keep(old.docs[n]))
	}
	ix.wordsLimit = ix.words.Size() + ix.options.Words
}

// catchUp applies changes of segments and removals.
func (ix *Index) catchUp(ctx context.Context, now state) error {
	var news []removal
	if now.removal != ix.seen.removal {
		var err error
		if news, err = ix.readRemovals(ctx); err != nil {
			return err
		}
	}
	loads := now.version != ix.seen.version
	if loads {
		if err := ix.loadSegments(ctx); err != nil {
			return err
		}
		if now.removal != ix.settled { // an entry may have been deleted unread, see dropRemovals
			ix.docs.clear()
		}
		ix.seen.version = now.version
	}
	if err := ix.fetchPlaces(ctx, ix.segs, placesOf(news)); err != nil {
		return err
	}
	for _, r := range news {
		if err := ix.take(ctx, r); err != nil {
			return err
		}
	}
	if loads {
		ix.settled = now.removal
	}
	return nil
}

// loadSegments replaces the list of segments. Known segments are kept as they are.
func (ix *Index) loadSegments(ctx context.Context) error {
	ids, heads, err := ix.store.Segments(ctx)
	if err != nil {
		return err
	}
	known := map[int64]*segment{}
	for _, s := range ix.segs {
		known[s.id] = s
	}
	segs := make([]*segment, 0, len(ids))
	for i, id := range ids {
		if s := known[id]; s != nil {
			segs = append(segs, s)
			continue
		}
		h, err := decodeHead(heads[i])
		if err != nil {
			return err
		}
		s := &segment{id: id, head: h, chunk: ix.chunk, fetch: ix.fetch, far: ix.far, lists: ix.lists, numbersCache: ix.numbers}
		if err := ix.fetchPlaces(ctx, []*segment{s}, maps.All(ix.removed)); err != nil {
			return err
		}
		for n, project := range ix.removed {
			if err := s.remove(ctx, n, project, true); err != nil {
				return err
			}
		}
		segs = append(segs, s)
	}
	slices.SortFunc(segs, func(a, b *segment) int { return cmp.Compare(a.head.low, b.head.low) })
	ix.segs = segs
	ix.trimTail()
	return nil
}

// trimTail removes the documents from the tail that segments hold by now.
func (ix *Index) trimTail() {
	old, covered := ix.tail, ix.covered()
	ix.tail = newTail(covered, ix.words)
	if covered < old.base {
		return // the index is being rebuilt: all rows belong to the tail again
	}
	ix.tail.last = max(covered, old.last)
	if covered > old.last { // documents that bypassed the tail may follow the last one known
		ix.next.remove(func(int64) bool { return true })
	}
	var keep []int64
	for n, d := range old.docs {
		if n > covered {
			keep = append(keep, n)
			continue
		}
		ix.docs.put(n, d, footprint(d))
	}
	slices.Sort(keep)
	for _, n := range keep {
		ix.putInTail(old.docs[n])
	}
}

const tailBatch = 1024

// readTail reads what was saved since, and rereads the newest known document: same is
// false if its number now belongs to another document or to none.
func (ix *Index) readTail(ctx context.Context) (same bool, err error) {
	for {
		after, unsure := ix.tail.last, false
		if after > 0 && after == ix.newest.n {
			after, unsure = after-1, true
		}
		rows, err := ix.store.Rows(ctx, after, tailBatch, func(n int64, doc []byte) error {
			read := docSum{n, crc32.ChecksumIEEE(doc)}
			if unsure && read == ix.newest {
				unsure = false
				return nil
			}
			ix.newest = read
			return ix.addToTail(n, doc)
		})
		if err != nil || unsure || rows < tailBatch {
			return !unsure, err
		}
	}
}

func (ix *Index) addToTail(n int64, doc []byte) error {
	d, err := ix.words.Decode(n, doc)
	if err != nil {
		return err
	}
	ix.putInTail(d)
	if d.Prev != 0 {
		ix.next.put(d.Prev, n, nextSize)
	}
	return nil
}

func (ix *Index) putInTail(d *recall.Document) {
	ix.tail.add(d)
	if project, gone := ix.removed[d.N]; gone {
		ix.tail.remove(d.N, project, true)
	}
}
