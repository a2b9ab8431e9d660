package index

import (
	"context"

	"wake/recall"
)

// Stats implements [recall.Finder].
func (s *Scope) Stats(ctx context.Context, terms []string) (recall.Stats, error) {
	s.ix.mu.RLock()
	defer s.ix.mu.RUnlock()
	st := recall.Stats{DF: make([]int, len(terms))}
	words, passages, err := s.countSegments(ctx, terms, &st)
	if err != nil {
		return st, err
	}
	for _, c := range s.count(s.tail()) {
		st.Docs += c.docs
		words += c.terms
		passages += c.passages
		for i, t := range terms {
			st.DF[i] += s.tail().df(c, t)
		}
	}
	st.MeanTerms = float64(words) / float64(max(1, st.Docs))
	st.MeanPassage = float64(words) / float64(max(1, passages))
	return st, nil
}

// count counts what the scope has of a tail. As of an earlier time, that includes what
// was removed since: a word that nothing else has would pass for an unknown one.
func (s *Scope) count(t *tail) (out []counted) {
	var back func(int64) bool
	if s.then {
		back = s.admits
	}
	for _, f := range t.scope(s.project) {
		out = append(out, t.counted(f, back))
	}
	return out
}

func (s *Scope) countSegments(ctx context.Context, terms []string, st *recall.Stats) (words, passages int, err error) {
	if err := s.fetchCounts(ctx, terms); err != nil {
		return 0, 0, err
	}
	for seg, run := range s.ix.runs(s.project) {
		st.Docs += int(run.to - run.from)
		words += int(run.terms)
		passages += int(run.passages)
		for i, t := range terms {
			n, err := seg.df(ctx, t, run)
			if err != nil {
				return 0, 0, err
			}
			st.DF[i] += n
		}
	}
	return words, passages, nil
}

// fetchCounts fetches what counting terms reads.
func (s *Scope) fetchCounts(ctx context.Context, terms []string) error {
	if !s.ix.far {
		return nil
	}
	if err := s.ix.fetchLists(ctx, s.project, terms); err != nil {
		return err
	}
	for seg := range s.ix.runs(s.project) {
		for _, t := range terms {
			if _, err := seg.find(ctx, t); err != nil {
				return err
			}
		}
	}
	return s.ix.fetchEnds(ctx, s.project, terms)
}

// df returns how many documents of a run have a term.
func (s *segment) df(ctx context.Context, term string, run project) (int, error) {
	list, err := s.find(ctx, term)
	if err != nil || list == nil {
		return 0, err
	}
	return s.within(ctx, list, run)
}

// within returns how many of a list's documents are in a run.
func (s *segment) within(ctx context.Context, list *postings, run project) (int, error) {
	if run.from == 0 && run.to == s.head.docs() {
		return list.df, nil
	}
	return newCursor(s, list, recall.Weighted{}, run.from).count(ctx, run.from, run.to)
}
