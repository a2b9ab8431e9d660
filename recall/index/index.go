package index

import (
	"cmp"
	"context"
	"hash/crc32"
	"maps"
	"slices"
	"sync"

	"wake/recall"
)

// Options bound an index's memory, in bytes; 0 means the default.
type Options struct {
	Blobs     int // of segments, default 48 MB
	Documents int // decoded ones, default 24 MB
	Words     int // that they are made of, default 24 MB
}

// Index answers from a store's segments and the fresh tail. It is safe for use
// by several goroutines.
type Index struct {
	store   Store
	far     bool // see [Store.Far]
	options Options
	blobs   *cache[chunkKey, []byte]
	lists   *cache[listKey, *postings]
	docs    *cache[int64, *recall.Document]
	next    *cache[int64, int64]
	numbers *cache[chunkKey, []int64]

	mu         sync.RWMutex
	seen       state
	last       int64  // highest document number that the store told
	newest     docSum // of the documents that were read into the tail
	fewUpTo    int64  // what last was when too few documents waited for a segment
	settled    int64  // last removal when segments were loaded, and the removals were taken in
	scanned    removalScan
	segs       []*segment
	tail       *tail
	words      *recall.Vocabulary // of the documents in docs and in the tail
	wordsLimit int                // bytes of words from which they begin anew
	removed    map[int64]string   // number to project
}

type chunkKey struct{ segment, key int64 }

func (k chunkKey) compare(o chunkKey) int {
	return cmp.Or(cmp.Compare(k.segment, o.segment), cmp.Compare(k.key, o.key))
}

// state is what [Store.State] told last.
type state struct{ doc, removal, version int64 }

// New makes an index over a store. It reads nothing yet.
func New(store Store, o Options) *Index {
	o.Documents, o.Words = cmp.Or(o.Documents, 24<<20), cmp.Or(o.Words, 24<<20)
	words := recall.NewVocabulary()
	return &Index{
		store: store, far: store.Far(), options: o, tail: newTail(0, words), removed: map[int64]string{}, seen: state{version: -1},
		words: words, wordsLimit: o.Words,
		blobs:   newCache[chunkKey, []byte](cmp.Or(o.Blobs, 48<<20)),
		lists:   newCache[listKey, *postings](8 << 20),
		docs:    newCache[int64, *recall.Document](o.Documents),
		next:    newCache[int64, int64](8 << 20),
		numbers: newCache[chunkKey, []int64](4 << 20),
	}
}

// refresh takes in what changed in the store since the last time: saves, removals
// and new segments, of this process and of others. Without the tail it leaves the
// rows that are in no segment unread, which upkeep has no need of, however many they
// are.
func (ix *Index) refresh(ctx context.Context, tail bool) error {
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
	// Meanwhile another goroutine may have taken in what is newer, and must not find
	// itself back in the past.
	if now, err = ix.state(ctx); err != nil {
		return err
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
	var same bool
	if same, err = ix.readTail(ctx); err == nil && !same {
		ix.reset()
		if err = ix.catchUp(ctx, now); err == nil {
			_, err = ix.readTail(ctx)
		}
	}
	if err != nil {
		return err
	}
	ix.seen.doc = now.doc
	return nil
}

// before reports whether a state was one of the past. A store goes back where a backup
// takes its place, or a standby that had not received all of it.
func (s state) before(o state) bool {
	return s.doc < o.doc || s.removal < o.removal || s.version < o.version
}

// reset forgets all that was read. In a store that has gone back numbers are given a
// second time, to other documents.
func (ix *Index) reset() {
	ix.segs, ix.removed, ix.tail = nil, map[int64]string{}, newTail(0, ix.words)
	ix.seen, ix.newest, ix.fewUpTo, ix.settled, ix.scanned = state{version: -1}, docSum{}, 0, 0, removalScan{}
	ix.blobs.clear()
	ix.lists.clear()
	ix.docs.clear()
	ix.next.clear()
	ix.numbers.clear()
}

// docSum tells a document from another that got its number.
type docSum struct {
	n   int64
	sum uint32
}

func (ix *Index) state(ctx context.Context) (now state, err error) {
	now.doc, now.removal, now.version, err = ix.store.State(ctx)
	return now, err
}

// renewWords begins anew with the words, and with the documents that are made of
// them, but for those of the tail.
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

// catchUp reads what changed of segments and removals.
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
		if now.removal != ix.settled { // one may have left the list unread, see dropRemovals
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

// loadSegments replaces the list of segments; those known stay as they are.
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

// covered is the number up to which segments hold everything.
func (ix *Index) covered() int64 {
	high := int64(0)
	for _, s := range ix.segs {
		high = max(high, s.head.high-1)
	}
	return high
}

// trimTail leaves the documents out of the tail that segments hold by now.
func (ix *Index) trimTail() {
	old, covered := ix.tail, ix.covered()
	ix.tail = newTail(covered, ix.words)
	if covered < old.base {
		return // the index is being built anew: all rows are tail again
	}
	ix.tail.last = max(covered, old.last)
	if covered > old.last { // what has passed by the tail may come behind what was the last
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

// readTail reads what was saved since, and the newest of what is known once more: same
// is false where its number belongs to another one by now, or to none.
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

func (ix *Index) chunk(ctx context.Context, segment, key int64) ([]byte, error) {
	k := chunkKey{segment, key}
	if b, ok := ix.blobs.get(k); ok {
		return b, nil
	}
	b, err := ix.store.Chunk(ctx, segment, key)
	if err != nil {
		return nil, err
	}
	ix.blobs.put(k, b, blobSize(b))
	return b, nil
}

// blobSize is about what a chunk takes in its cache.
func blobSize(blob []byte) int { return len(blob) + 96 }

// nextSize is about what an entry of the cache of links takes.
const nextSize = 120

// footprint is about what a decoded document takes in memory, its words left out.
func footprint(d *recall.Document) int {
	return 300 + 4*(len(d.Seq)+len(d.Wholes)) + 8*len(d.Passages)
}
