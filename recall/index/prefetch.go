package index

import (
	"context"
	"iter"
	"slices"

	"wake/recall"
)

// A database on another machine returns many chunks in nearly the time of one. So if a
// store is far, everything that a question is about to read is fetched in one call. The
// reading code then finds it in the cache, and works without it as well.

// fetch loads the chunks that are not in the cache, all at once.
func (ix *Index) fetch(ctx context.Context, keys []chunkKey) error {
	missing := ix.missing(keys)
	if len(missing) < 2 {
		return nil // a single chunk is read where it is needed
	}
	segments, wanted := make([]int64, len(missing)), make([]int64, len(missing))
	for i, k := range missing {
		segments[i], wanted[i] = k.segment, k.key
	}
	return ix.store.Chunks(ctx, segments, wanted, func(segment, key int64, blob []byte) {
		ix.blobs.put(chunkKey{segment, key}, blob, blobSize(blob))
	})
}

// missing returns the chunks that are not in the cache, without repeats.
func (ix *Index) missing(keys []chunkKey) []chunkKey {
	missing := slices.DeleteFunc(keys, ix.blobs.has)
	slices.SortFunc(missing, chunkKey.compare)
	return slices.Compact(missing)
}

// fetchLists fetches what [segment.find] reads for some terms in the segments with
// documents of a scope: dictionary chunks first, then the skip lists they point to.
func (ix *Index) fetchLists(ctx context.Context, scope string, terms []string) error {
	if !ix.far {
		return nil
	}
	return ix.fetchDicts(ctx, ix.dictsOf(scope, terms, func(seg *segment, term string) bool { return ix.lists.has(listKey{seg.id, term}) }), terms)
}

// fetchFrequencies fetches what counting many terms reads. Where dictionary chunks are
// cached already, most of the rest is too, so these are not searched again.
func (ix *Index) fetchFrequencies(ctx context.Context, scope string, terms []string) error {
	if !ix.far {
		return nil
	}
	dicts := ix.dictsOf(scope, terms, func(*segment, string) bool { return false })
	return ix.fetchDicts(ctx, ix.missing(dicts), terms)
}

// dictsOf lists the dictionary chunks that may have terms not known yet.
func (ix *Index) dictsOf(scope string, terms []string, known func(*segment, string) bool) (dicts []chunkKey) {
	for seg := range ix.runs(scope) {
		for _, t := range terms {
			if at := seg.dictOf(t); at >= 0 && !known(seg, t) {
				dicts = append(dicts, chunkKey{seg.id, int64(at)})
			}
		}
	}
	return dicts
}

// fetchDicts fetches dictionary chunks, then the skip lists they point to for some
// terms.
func (ix *Index) fetchDicts(ctx context.Context, dicts []chunkKey, terms []string) error {
	if len(dicts) == 0 {
		return nil
	}
	if err := ix.fetch(ctx, slices.Clone(dicts)); err != nil {
		return err
	}
	return ix.fetch(ctx, ix.skipsOf(dicts, terms))
}

// skipsOf lists the skip lists that cached dictionary chunks point to for some terms.
func (ix *Index) skipsOf(dicts []chunkKey, terms []string) (skips []chunkKey) {
	slices.SortFunc(dicts, chunkKey.compare)
	wanted := setOf(terms)
	for _, k := range slices.Compact(dicts) {
		blob, ok := ix.blobs.get(k)
		if !ok {
			continue
		}
		eachTerm(blob, func(term []byte, e entry) bool {
			if e.skips != 0 && wanted[string(term)] {
				skips = append(skips, chunkKey{k.segment, e.skips})
			}
			return true
		})
	}
	return skips
}

// fetchEnds fetches the blocks at both ends of a scope's runs in the lists of some
// terms, which are read to count a term in a run.
func (ix *Index) fetchEnds(ctx context.Context, scope string, terms []string) error {
	if !ix.far {
		return nil
	}
	var keys []chunkKey
	for seg, run := range ix.runs(scope) {
		if run.from == 0 && run.to == seg.head.docs() {
			continue
		}
		for _, t := range terms {
			if list, _ := seg.lists.get(listKey{seg.id, t}); list != nil {
				keys = list.chunksOf(keys, seg.id, run.from, run.from)
				keys = list.chunksOf(keys, seg.id, run.to-1, run.to-1)
			}
		}
	}
	return ix.fetch(ctx, keys)
}

// chunksOf appends the chunks with the blocks of a list that may hold documents from
// first to last.
func (p *postings) chunksOf(keys []chunkKey, segment int64, first, last uint32) []chunkKey {
	if p.inline != nil {
		return keys
	}
	from, to := p.blockOf(first), p.blockOf(last)
	if from == len(p.blocks) {
		return keys
	}
	to = min(to, len(p.blocks)-1)
	for chunk := p.blocks[from].chunk; chunk <= p.blocks[to].chunk; chunk++ {
		keys = append(keys, chunkKey{segment, p.first + int64(chunk)})
	}
	return keys
}

// fetch fetches what the cursors read for documents from first to last.
func (s *scorer) fetch(seg *segment, cursors []*cursor, first, last uint32) error {
	if !seg.far {
		return nil
	}
	s.keys = s.keys[:0]
	for _, c := range cursors {
		s.keys = c.list.chunksOf(s.keys, seg.id, first, last)
	}
	return seg.fetch(s.ctx, s.keys)
}

// fetchNumbers fetches the numbers of hits.
func (ix *Index) fetchNumbers(ctx context.Context, hits []hit) error {
	if !ix.far {
		return nil
	}
	var keys []chunkKey
	for _, h := range hits {
		if h.seg != nil {
			keys = h.seg.numbersAhead(keys, int(h.doc)/numberSpan)
		}
	}
	return ix.fetch(ctx, keys)
}

// fetchPlaces fetches what [segment.locate] reads for documents of scopes in segments.
func (ix *Index) fetchPlaces(ctx context.Context, segs []*segment, of iter.Seq2[int64, string]) error {
	if !ix.far {
		return nil
	}
	var keys []chunkKey
	for n, scope := range of {
		for _, seg := range segs {
			if !seg.head.covers(n) {
				continue
			}
			for _, p := range seg.head.projectsOf(scope) {
				keys = seg.numbersAhead(keys, seg.numbersOf(p, n))
			}
		}
	}
	return ix.fetch(ctx, keys)
}

// placesOf yields the documents of removals with their projects.
func placesOf(removals []removal) iter.Seq2[int64, string] {
	return func(yield func(int64, string) bool) {
		for _, r := range removals {
			if !yield(r.n, r.project) {
				return
			}
		}
	}
}

// numbersAhead appends a chunk of numbers unless it is decoded already.
func (s *segment) numbersAhead(keys []chunkKey, chunk int) []chunkKey {
	if key := (chunkKey{s.id, numberKeys + int64(chunk)}); !s.numbersCache.has(key) {
		keys = append(keys, key)
	}
	return keys
}

func termsOf(weighted []recall.Weighted) []string {
	terms := make([]string, len(weighted))
	for i, w := range weighted {
		terms[i] = w.Term
	}
	return terms
}
