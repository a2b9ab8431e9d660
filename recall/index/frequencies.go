package index

import (
	"cmp"
	"context"
	"slices"
)

// Frequencies counts, for each of many terms, the scope's documents that have it. It
// reads each dictionary chunk once and caches nothing, because most of the terms occur
// in no document.
func (s *Scope) Frequencies(ctx context.Context, terms []string) ([]int, error) {
	s.ix.mu.RLock()
	defer s.ix.mu.RUnlock()
	counts := make([]int, len(terms))
	for _, c := range s.count(s.ix.tail) {
		for i, t := range terms {
			counts[i] += s.ix.tail.df(c, t)
		}
	}
	if len(s.ix.segs) == 0 {
		return counts, nil
	}
	order := make([]wanted, len(terms))
	for i, t := range terms {
		order[i] = wanted{t, i}
	}
	slices.SortFunc(order, func(a, b wanted) int { return cmp.Compare(a.term, b.term) })
	if err := s.ix.fetchFrequencies(ctx, s.project, terms); err != nil {
		return nil, err
	}
	for seg, run := range s.ix.runs(s.project) {
		if err := seg.frequencies(ctx, order, run, counts); err != nil {
			return nil, err
		}
	}
	return counts, nil
}

// wanted is a term to be counted and its index among the terms asked for.
type wanted struct {
	term string
	at   int
}

// frequencies adds the segment's counts for the terms, which are in byte order.
func (s *segment) frequencies(ctx context.Context, order []wanted, run project, counts []int) error {
	for len(order) > 0 {
		dict, n := s.dictOf(order[0].term), 1
		for n < len(order) && s.dictOf(order[n].term) == dict {
			n++
		}
		if dict >= 0 {
			if err := s.countIn(ctx, int64(dict), order[:n], run, counts); err != nil {
				return err
			}
		}
		order = order[n:]
	}
	return nil
}

// countIn adds the counts for the terms in one dictionary chunk.
func (s *segment) countIn(ctx context.Context, dict int64, order []wanted, run project, counts []int) error {
	blob, err := s.chunk(ctx, s.id, dict)
	if err != nil {
		return err
	}
	var failed error
	ok := eachTerm(blob, func(term []byte, e entry) bool {
		for len(order) > 0 && order[0].term < string(term) {
			order = order[1:]
		}
		if len(order) == 0 || order[0].term != string(term) {
			return len(order) > 0
		}
		var n int
		if n, failed = s.countOf(ctx, e, run); failed != nil {
			return false
		}
		for ; len(order) > 0 && order[0].term == string(term); order = order[1:] {
			counts[order[0].at] += n
		}
		return len(order) > 0
	})
	if failed == nil && !ok {
		failed = errCorrupt
	}
	return failed
}

// countOf returns how many documents of a run have the term of an entry.
func (s *segment) countOf(ctx context.Context, e entry, run project) (int, error) {
	if run.from == 0 && run.to == s.head.docs() {
		return e.df, nil
	}
	list, err := s.open(ctx, e)
	if err != nil {
		return 0, err
	}
	return s.within(ctx, list, run)
}
