package index

import (
	"context"

	"wake/recall"
)

// ScopeOf is [Index.Scope] for a process that searches a few terms and ends. It reads
// each document outside segments once, and only for these terms. Stats and Top are
// valid for these terms only; the other methods ignore documents outside segments.
func (ix *Index) ScopeOf(ctx context.Context, project string, terms []string) (*Scope, error) {
	if err := ix.refresh(ctx, false); err != nil {
		return nil, err
	}
	ix.mu.RLock()
	own := newTail(ix.covered(), recall.NewVocabulary())
	ix.mu.RUnlock()
	set, words := recall.NewTermSet(terms), own.words.Numbers(terms)
	for rows := tailBatch; rows == tailBatch; {
		var err error
		rows, err = ix.store.Rows(ctx, own.last, tailBatch, func(n int64, doc []byte) error {
			own.last = n
			if ix.isRemoved(n) {
				return nil
			}
			tally, err := set.Count(doc)
			if err == nil {
				own.addTally(n, tally, words)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return &Scope{ix: ix, project: project, own: own}, nil
}

func (ix *Index) isRemoved(n int64) bool {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	_, gone := ix.removed[n]
	return gone
}

// tail returns what the scope knows of documents outside segments.
func (s *Scope) tail() *tail {
	if s.own != nil {
		return s.own
	}
	return s.ix.tail
}

// addTally adds what was counted in a document; words are the numbers of the terms.
func (t *tail) addTally(n int64, counted *recall.Tally, words []uint32) {
	list := t.begin(n, counted.Project, counted.Words, counted.Passages)
	for i, times := range counted.Times {
		if times > 0 {
			list(words[i], uint32(times))
		}
	}
}
