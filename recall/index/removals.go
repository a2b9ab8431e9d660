package index

import (
	"context"
	"math"
)

// removal is an entry of the store's list of removals.
type removal struct {
	id, n   int64
	project string
	gone    bool
}

// readRemovals reads the new entries of the list. An entry that says that the index was
// emptied resets everything known before it.
func (ix *Index) readRemovals(ctx context.Context) ([]removal, error) {
	list, err := ix.removals(ctx, ix.seen.removal, math.MaxInt32)
	if err != nil {
		return nil, err
	}
	var news []removal
	for _, r := range list {
		if r.n == 0 {
			news = nil
			ix.reset()
			ix.seen.removal = r.id
			continue
		}
		news = append(news, r)
	}
	return news, nil
}

// removals returns at most limit entries of the list above after.
func (ix *Index) removals(ctx context.Context, after int64, limit int) (list []removal, err error) {
	err = ix.store.Removals(ctx, after, limit, func(id, n int64, project string, gone bool) {
		list = append(list, removal{id, n, project, gone})
	})
	return list, err
}

// take marks a document as gone or back, wherever it is.
func (ix *Index) take(ctx context.Context, r removal) error {
	if r.gone {
		ix.removed[r.n] = r.project
	} else {
		delete(ix.removed, r.n)
	}
	ix.tail.remove(r.n, r.project, r.gone)
	for _, s := range ix.segs {
		if err := s.remove(ctx, r.n, r.project, r.gone); err != nil {
			return err
		}
	}
	ix.seen.removal = r.id
	return nil
}

// remove marks document n as gone or back if the segment has it.
func (s *segment) remove(ctx context.Context, n int64, project string, gone bool) error {
	doc, ok, err := s.locate(ctx, n, project)
	if err != nil || !ok {
		return err
	}
	if s.gone == nil {
		s.gone = newBitset(s.head.docs())
	}
	s.gone.set(doc, gone)
	return nil
}

// removalScanStep is how many entries of the list of removals one step of maintenance
// examines.
const removalScanStep = 2048

// removalScan records how far maintenance has scanned the list of removals for one
// version of the segments.
type removalScan struct {
	version, removal int64
	done             bool
}

// dropRemovals examines the next entries of the list of removals, deletes those that
// are no longer needed, and reports whether there are more to examine. Once per version
// of the segments is enough, because a document leaves the index only with a new
// segment.
//
// An entry is deleted if its document has no row and is in no active segment, although
// segments hold everything up to its number. The store checks the row and the version
// in the transaction that deletes, so the segments are still those examined here. The
// last entry stays, so that the last id never falls and still shows that something was
// removed. The entry that says that the index was emptied stays too.
//
// From then on no segment can get the document. A segment being written was begun at
// this version, or it fails. If it is a merge, its parts do not have the document; if
// it is built of rows, these have higher numbers. Rows read later do not include the
// document, whatever happens to the segments.
//
// So a process that reads the list for the first time misses nothing. Nor does one that
// has slept since before the removal. The document's row existed until the removal, so
// the segment that covers its number without having it became active afterwards: both
// the version and the last removal have risen since the process last looked. It loads
// the segments, which removes the document from its postings and its tail, and because
// there was a removal since it last did so, [Index.catchUp] drops the decoded documents
// too. Links to the document may stay; they lead to a row that does not exist. Only a
// process that was suspended between reading the state and reading the list may find
// the document in that one question; the next question loads the segments.
//
// An older wake keeps decoded documents and may rank this one as a neighbour of others.
// It does not show it, because whoever shows a result joins it with its row.
func (ix *Index) dropRemovals(ctx context.Context) (more bool, err error) {
	ix.mu.RLock()
	at := ix.scanned
	if at.version != ix.seen.version {
		at = removalScan{version: ix.seen.version}
	}
	ix.mu.RUnlock()
	if at.done {
		return false, nil
	}
	list, err := ix.removals(ctx, at.removal, removalScanStep)
	if err != nil {
		return false, err
	}
	ids, err := ix.droppable(ctx, list)
	if err == nil && len(ids) > 0 {
		err = ix.store.DropRemovals(ctx, at.version, ids)
	}
	if err != nil {
		return false, err
	}
	if at.done = len(list) < removalScanStep; !at.done {
		at.removal = list[len(list)-1].id
	}
	ix.mu.Lock()
	defer ix.mu.Unlock()
	ix.scanned = at
	return !at.done, nil
}

// droppable returns the ids of the removals whose documents are in no segment, although
// segments hold everything up to their numbers.
func (ix *Index) droppable(ctx context.Context, list []removal) (ids []int64, err error) {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	if err := ix.fetchPlaces(ctx, ix.segs, placesOf(list)); err != nil {
		return nil, err
	}
	covered := ix.covered()
	for _, r := range list {
		if r.n == 0 || r.n > covered {
			continue
		}
		held, err := ix.holds(ctx, r)
		if err != nil {
			return nil, err
		}
		if !held {
			ids = append(ids, r.id)
		}
	}
	return ids, nil
}

// holds reports whether a segment has the document of a removal.
func (ix *Index) holds(ctx context.Context, r removal) (bool, error) {
	for _, s := range ix.segs {
		if _, ok, err := s.locate(ctx, r.n, r.project); ok || err != nil {
			return ok, err
		}
	}
	return false, nil
}
