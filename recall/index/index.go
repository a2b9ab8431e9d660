package index

import (
	"cmp"
	"context"
	"iter"
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
	next    *cache[int64, int64]
	numbers *cache[chunkKey, []int64]

	mu         sync.RWMutex // guards what follows
	seen       state
	last       int64  // highest document number reported by the store
	newest     docSum // the newest document read into the tail
	fewUpTo    int64  // value of last when too few documents waited for a segment
	settled    int64  // last removal when segments were loaded and removals applied
	scanned    removalScan
	segs       []*segment
	tail       *tail
	docs       *cache[int64, *recall.Document]
	words      *recall.Vocabulary // of the documents in docs and in the tail
	wordsLimit int                // size of words, in bytes, at which they are renewed
	removed    map[int64]string   // project by document number
}

type chunkKey struct{ segment, key int64 }

func (k chunkKey) compare(o chunkKey) int {
	return cmp.Or(cmp.Compare(k.segment, o.segment), cmp.Compare(k.key, o.key))
}

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
