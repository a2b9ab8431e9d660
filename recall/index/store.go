// Package index implements the inverted index of package recall: immutable segments of
// postings in small blobs, and in memory the tail of documents saved since. A [Store]
// of plain types keeps the blobs; the same bytes serve every engine and every process.
//
// Each save writes one row, the encoded document. A background job builds segments from
// rows and merges them ([Index.Maintain]). A question reads the segments' postings,
// most telling terms first, and adds the tail, so that it sees what any process has
// saved so far.
package index

import "context"

// Store keeps documents and segments. Its methods must be safe for concurrent use.
// Document numbers must rise in the order in which transactions commit.
type Store interface {
	// State returns three counters that show what changed: the highest document number,
	// the last entry of the list of removals, and a version that rises when segments
	// change. They are 0 if there is nothing.
	State(ctx context.Context) (lastDoc, lastRemoval, version int64, err error)

	// Rows calls take for at most limit documents numbered above after, in order, and
	// returns how many there were. take must not keep a document's bytes after it
	// returns.
	Rows(ctx context.Context, after int64, limit int, take func(n int64, doc []byte) error) (rows int, err error)
	// Docs does the same for the existing documents among ns, in any order.
	Docs(ctx context.Context, ns []int64, take func(n int64, doc []byte) error) error
	// Next returns for each number n the lowest document whose Prev is n, or 0.
	Next(ctx context.Context, ns []int64) (next []int64, err error)
	// Removals calls take for at most limit entries above after of the list of documents
	// that were forgotten (gone) or brought back (not gone), in order, with the document
	// n and its project. An entry for document 0 says that all were deleted permanently.
	Removals(ctx context.Context, after int64, limit int, take func(id, n int64, project string, gone bool)) error
	// DropRemovals deletes those of the entries whose documents have no row, except the
	// last entry of the list and entries for document 0. It returns a Conflict error
	// unless the version is the given one.
	DropRemovals(ctx context.Context, version int64, ids []int64) error

	// Segments returns the heads of the active segments, ordered by id.
	Segments(ctx context.Context) (ids []int64, heads [][]byte, err error)
	// Chunk returns one blob of a segment.
	Chunk(ctx context.Context, segment, key int64) ([]byte, error)

	// Far reports whether each call of the store takes a network round trip. If so, the
	// index fetches what it is about to read in one call of Chunks.
	Far() bool
	// Chunks calls take with many blobs, by segment and key, in any order.
	Chunks(ctx context.Context, segments, keys []int64, take func(segment, key int64, blob []byte)) error

	// NewSegment returns an id that no segment has had. It fails unless the version is
	// the given one, and PutChunks and Activate of the segment fail once the version has
	// risen: another process may have put the same documents into a segment of its own.
	NewSegment(ctx context.Context, version int64) (id int64, err error)
	// PutChunks writes blobs of a segment that is not yet active.
	PutChunks(ctx context.Context, segment int64, keys []int64, blobs [][]byte) error
	// Activate makes a segment visible and hides those that it replaces, in one
	// transaction that raises the version. With an empty head it only hides.
	Activate(ctx context.Context, segment int64, head []byte, replaces []int64) error
	// Sweep deletes up to limit blobs of segments that are not active and can no longer
	// become so, and returns how many it deleted.
	Sweep(ctx context.Context, limit int) (deleted int, err error)
}
