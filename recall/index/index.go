package index

import (
	"cmp"
	"context"
	"hash/crc32"
	"iter"
	"maps"
	"slices"
	"sync"

	"wake/recall"
)

// Options limit an index's memory, in bytes; 0 means the default.
type Options struct {
	Blobs     int // chunks of segments, default 48 MB
	Documents int // decoded documents, default 24 MB
	Words     int // words of the decoded documents, default 24 MB
}

// Index answers from a store's segments and from its tail, the documents saved since.
// It is safe for concurrent use.
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
	last       int64  // highest document number reported by the store
	newest     docSum // the newest document read into the tail
	fewUpTo    int64  // value of last when too few documents waited for a segment
	settled    int64  // last removal when segments were loaded and removals applied
	scanned    removalScan
	segs       []*segment
	tail       *tail
	words      *recall.Vocabulary // of the documents in docs and in the tail
	wordsLimit int                // size of words, in bytes, at which they are renewed
	removed    map[int64]string   // project by document number
}

type chunkKey struct{ segment, key int64 }

func (k chunkKey) compare(o chunkKey) int {
	return cmp.Or(cmp.Compare(k.segment, o.segment), cmp.Compare(k.key, o.key))
}

// state holds the counters of [Store.State].
type state struct{ doc, removal, version int64 }

// New returns an index over a store. It reads nothing yet.
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

// refresh applies what has changed in the store since the last call: saves, removals
// and new segments, by this process and others. If tail is false, it does not read the
// rows that are in no segment: maintenance does not need them, and there may be many.
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
	// Another goroutine may have applied a newer state meanwhile, which must not be
	// undone.
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
	same, err := ix.readTail(ctx)
	if err == nil && !same {
		ix.reset()
		if err = ix.catchUp(ctx, now); err == nil {
			_, err = ix.readTail(ctx)
		}
	}
	if err == nil {
		ix.seen.doc = now.doc
	}
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

// runs yields the segments with documents of a scope, with the run of these.
func (ix *Index) runs(scope string) iter.Seq2[*segment, project] {
	return func(yield func(*segment, project) bool) {
		for _, s := range ix.segs {
			if run, ok := s.head.project(scope); ok && !yield(s, run) {
				return
			}
		}
	}
}

// covered returns the number up to which segments hold every document.
func (ix *Index) covered() int64 {
	high := int64(0)
	for _, s := range ix.segs {
		high = max(high, s.head.high-1)
	}
	return high
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

// blobSize is the approximate memory of a cached chunk.
func blobSize(blob []byte) int { return len(blob) + 96 }

// nextSize is the approximate memory of a cached link to the next document.
const nextSize = 120

// footprint is the approximate memory of a decoded document without its words.
func footprint(d *recall.Document) int {
	return 300 + 4*(len(d.Seq)+len(d.Wholes)) + 8*len(d.Passages)
}
