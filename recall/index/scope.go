package index

import (
	"context"
	"slices"

	"wake/recall"
)

// Scope is one project of an index, or all projects, as of when it was requested. It
// implements [recall.Finder].
type Scope struct {
	ix      *Index
	project string
	only    map[int64]bool
	own     *tail // replaces the index's tail, see ScopeOf
	sieve   Sieve // a further filter, nil for none
	then    bool  // removals are ignored, see AsThen
	oldest  bool  // see OldestFirst
}

var _ recall.Finder = (*Scope)(nil)

// Scope refreshes the index and returns the scope of a project; the empty name means
// all projects. If only is not nil, only these documents are found.
func (ix *Index) Scope(ctx context.Context, project string, only []int64) (*Scope, error) {
	if err := ix.refresh(ctx, true); err != nil {
		return nil, err
	}
	s := &Scope{ix: ix, project: project}
	if only != nil {
		s.only = setOf(only)
	}
	return s, nil
}

// AsThen makes removed documents findable too, if the scope's list or sieve admits
// them: a question about an earlier time asks for what existed then.
func (s *Scope) AsThen() { s.then = true }

// OldestFirst prefers the oldest of documents with equal scores, as a question about the first
// of them wants, rather than the newest.
func (s *Scope) OldestFirst() { s.oldest = true }

// Top returns the k documents with the highest scores, best first; of equal ones, the
// newest. Whatever k is, the list begins the same.
func (s *Scope) Top(ctx context.Context, terms []recall.Weighted, k int) ([]recall.Found, error) {
	if s.sieve != nil {
		return s.sift(ctx, terms, k)
	}
	return s.top(ctx, terms, k)
}

// TopAmong is Top restricted to the given documents.
func (s *Scope) TopAmong(ctx context.Context, terms []recall.Weighted, ns []int64, k int) ([]recall.Found, error) {
	among := *s
	among.only = setOf(slices.DeleteFunc(slices.Clone(ns), func(n int64) bool { return s.only != nil && !s.only[n] }))
	return among.Top(ctx, terms, k)
}

func (s *Scope) top(ctx context.Context, terms []recall.Weighted, k int) ([]recall.Found, error) {
	s.ix.mu.RLock()
	defer s.ix.mu.RUnlock()
	if err := s.ix.fetchLists(ctx, s.project, termsOf(terms)); err != nil {
		return nil, err
	}
	top := &topHits{k: k, oldest: s.oldest}
	for seg, run := range s.ix.runs(s.project) {
		if err := s.searchSegment(ctx, seg, run, terms, top); err != nil {
			return nil, err
		}
	}
	fresh := s.searchTail(terms, top)
	top.sort()
	if err := s.ix.fetchNumbers(ctx, top.hits); err != nil {
		return nil, err
	}
	out := make([]recall.Found, len(top.hits))
	for i, h := range top.hits {
		n := int64(0)
		var err error
		if h.seg == nil {
			n = fresh[h.doc]
		} else if n, err = h.seg.number(ctx, h.doc); err != nil {
			return nil, err
		}
		out[i] = recall.Found{N: n, Score: float64(h.score)}
	}
	return out, nil
}

// searchTail offers the tail's documents to top and returns their numbers, which the
// hits refer to by index.
func (s *Scope) searchTail(terms []recall.Weighted, top *topHits) []int64 {
	words, docs := 0, 0
	for _, c := range s.count(s.tail()) {
		words += c.terms
		docs += c.docs
	}
	var ns []int64
	mean := float64(words) / float64(max(1, docs))
	s.tail().search(s.tail().scope(s.project), terms, mean, s.admits, func(n int64, score float32) {
		if score >= top.floor() {
			ns = append(ns, n)
			top.offer(hit{doc: uint32(len(ns) - 1), score: score})
		}
	})
	return ns
}

func (s *Scope) admits(n int64) bool {
	if s.only != nil && !s.only[n] {
		return false
	}
	return !s.removed(n)
}

// removed reports whether a document was removed from the scope.
func (s *Scope) removed(n int64) bool {
	_, gone := s.ix.removed[n]
	return gone && !s.then
}

func (s *Scope) searchSegment(ctx context.Context, seg *segment, run project, terms []recall.Weighted, top *topHits) error {
	only, err := s.onlyIn(ctx, seg)
	if err != nil {
		return err
	}
	var cursors []*cursor
	for _, t := range terms {
		list, err := seg.find(ctx, t.Term)
		if err != nil {
			return err
		}
		if list != nil {
			cursors = append(cursors, newCursor(seg, list, t, run.from))
		}
	}
	if len(cursors) == 0 {
		return nil
	}
	gone := seg.gone
	if s.then {
		gone = nil
	}
	scorer := newScorer(ctx, cursors, only, gone, top)
	defer scorer.release()
	return scorer.run(seg, run.from, run.to)
}

// onlyIn returns the documents in s.only by their positions in a segment.
func (s *Scope) onlyIn(ctx context.Context, seg *segment) (bitset, error) {
	if s.only == nil {
		return nil, nil
	}
	if err := s.ix.fetchPlaces(ctx, []*segment{seg}, s.listed); err != nil {
		return nil, err
	}
	set := newBitset(seg.head.docs())
	for n := range s.only {
		doc, ok, err := seg.locate(ctx, n, s.project)
		if err != nil {
			return nil, err
		}
		if ok {
			set.set(doc, true)
		}
	}
	return set, nil
}

// listed yields the documents in s.only with the scope to find them in.
func (s *Scope) listed(yield func(int64, string) bool) {
	for n := range s.only {
		if !yield(n, s.project) {
			return
		}
	}
}

// Documents returns the documents in the order of ns, nil for those that are gone.
func (s *Scope) Documents(ctx context.Context, ns []int64) ([]*recall.Document, error) {
	out := make([]*recall.Document, len(ns))
	var missing []int64
	places := map[int64]int{}
	s.ix.mu.RLock()
	defer s.ix.mu.RUnlock()
	for i, n := range ns {
		if s.removed(n) {
			continue
		}
		if out[i] = s.known(n); out[i] == nil {
			missing, places[n] = append(missing, n), i
		}
	}
	if len(missing) == 0 {
		return out, nil
	}
	err := s.ix.store.Docs(ctx, missing, func(n int64, doc []byte) error {
		d, err := s.ix.words.Decode(n, doc)
		if err == nil {
			s.ix.docs.put(n, d, footprint(d))
			out[places[n]] = d
		}
		return err
	})
	return out, err
}

// known returns a document that was read before, or nil. A question about an earlier time
// may ask for a removed one, but only the store knows whether that can come back or was
// erased.
func (s *Scope) known(n int64) *recall.Document {
	if _, gone := s.ix.removed[n]; gone {
		return nil
	}
	if d := s.ix.tail.docs[n]; d != nil {
		return d
	}
	d, _ := s.ix.docs.get(n)
	return d
}

// Next returns for each document the next one in its stream, or 0. A link never changes
// once set, and new links come through the tail, so links stay cached.
func (s *Scope) Next(ctx context.Context, ns []int64) ([]int64, error) {
	out := make([]int64, len(ns))
	var missing []int64
	var places []int
	for i, n := range ns {
		next, ok := s.ix.next.get(n)
		if !ok {
			missing, places = append(missing, n), append(places, i)
		}
		out[i] = next
	}
	if len(missing) == 0 {
		return out, nil
	}
	s.ix.mu.RLock() // a link that the tail brings meanwhile must not be overwritten
	defer s.ix.mu.RUnlock()
	found, err := s.ix.store.Next(ctx, missing)
	if err != nil {
		return nil, err
	}
	for j, next := range found {
		out[places[j]] = next
		s.ix.next.put(missing[j], next, nextSize)
	}
	return out, nil
}

// Admits reports which of the documents may be found.
func (s *Scope) Admits(ctx context.Context, ns []int64) ([]bool, error) {
	out := make([]bool, len(ns))
	pass := map[int64]bool{}
	if s.sieve != nil && len(ns) > 0 {
		passed, err := s.sieve(ctx, ns)
		if err != nil {
			return nil, err
		}
		pass = setOf(passed)
	}
	s.ix.mu.RLock()
	defer s.ix.mu.RUnlock()
	for i, n := range ns {
		out[i] = s.admits(n) && (s.sieve == nil || pass[n])
	}
	return out, nil
}
