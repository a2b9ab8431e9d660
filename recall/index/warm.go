package index

import "context"

// Bounds of reading ahead.
const (
	warmBatch = 64   // documents read at once
	warmSize  = 1100 // bytes that one of about 1 KB of text takes
)

// warm reads the documents of segments ahead when all of them have room in memory.
// It begins with the second question, because who asks twice goes on asking; else
// each of the first hundreds of questions would wait for documents that none before
// it had.
func (ix *Index) warm(ctx context.Context) {
	ix.mu.RLock()
	docs, covered := 0, ix.covered()
	for _, s := range ix.segs {
		docs += int(s.head.docs())
	}
	ix.mu.RUnlock()
	if docs*warmSize > ix.options.Documents {
		return
	}
	for at, more := int64(0), true; more && at < covered; {
		ns, rows, err := ix.store.Rows(ctx, at, warmBatch)
		if err != nil || len(ns) == 0 {
			return // it was only ahead; who needs a document reads it
		}
		at, more = ns[len(ns)-1], ix.takeAhead(ns, rows)
	}
}

// takeAhead keeps documents that nobody asked for yet, and what they come after. It
// returns false when there is no room for more.
func (ix *Index) takeAhead(ns []int64, rows [][]byte) bool {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	for i, n := range ns {
		_, has := ix.docs.get(n)
		_, gone := ix.removed[n]
		if has || gone || ix.tail.docs[n] != nil {
			continue
		}
		d, err := ix.words.Decode(n, rows[i])
		if err != nil {
			return false
		}
		ix.docs.put(n, d, footprint(d))
		if _, known := ix.next.get(d.Prev); d.Prev != 0 && !known {
			ix.next.put(d.Prev, n, nextSize)
		}
	}
	return 4*ix.words.Size() < 3*ix.most
}
