package memory

import (
	"context"
	"slices"

	"wake/domain"
	"wake/recall"
	"wake/recall/index"
	"wake/repository"
)

// searchIndex returns the index of a space, which is made once and reads what it
// needs as it needs it.
func (s *Service) searchIndex(space domain.SearchSpace) *index.Index {
	s.searching.once.Do(func() {
		for i := range s.searching.spaces {
			s.searching.spaces[i] = index.New(s.Store.SearchIndex(domain.SearchSpace(i)), index.Options{})
		}
	})
	return s.searching.spaces[space]
}

// indexContext puts a context into the search index.
func (s *Service) indexContext(ctx context.Context, tx repository.Tx, c *domain.ContextSnapshot) error {
	return indexContexts(ctx, tx, []*domain.ContextSnapshot{c}, []*recall.Document{s.analyse(c)})
}

// indexContexts puts contexts whose numbers follow one another into the search index,
// each behind the one saved before it in its session, or in its project where it has
// none.
func indexContexts(ctx context.Context, tx repository.Tx, list []*domain.ContextSnapshot, documents []*recall.Document) error {
	last := map[int64]int64{} // by stream
	var first int64
	var rest []domain.Document
	for i, c := range list {
		stream := int64(documents[i].Stream)
		if _, known := last[stream]; !known {
			prev, err := tx.LastInStream(ctx, stream)
			if err != nil {
				return err
			}
			last[stream] = prev
		}
		d := contextDocument(c, documents[i], last[stream])
		if i > 0 {
			rest = append(rest, d)
		} else if n, err := tx.PutDocument(ctx, d); err != nil {
			return err
		} else {
			first = n
		}
		last[stream] = first + int64(i)
	}
	return tx.PutDocumentsBehind(ctx, first, rest)
}

// contextDocument is what the search index keeps of a context behind document prev.
func contextDocument(c *domain.ContextSnapshot, d *recall.Document, prev int64) domain.Document {
	d.Prev = prev
	return domain.Document{DocumentSource: domain.DocumentSource{ContextN: c.N}, Space: domain.ContextSpace, Scope: c.Project,
		Stream: int64(d.Stream), Prev: prev, Data: d.Encode()}
}

// analyse reads a context as a search will need it.
func (s *Service) analyse(c *domain.ContextSnapshot) *recall.Document {
	return recall.NewDocument(s.entry(c))
}

// reindexContext replaces the document of a context whose tags changed; it stays
// in its place among its neighbours.
func (s *Service) reindexContext(ctx context.Context, tx repository.Tx, c *domain.ContextSnapshot) error {
	of := domain.DocumentSource{ContextN: c.N}
	old, err := tx.DocumentOf(ctx, of)
	if err != nil {
		return err
	}
	if err := tx.DropDocuments(ctx, of); err != nil {
		return err
	}
	_, err = tx.PutDocument(ctx, contextDocument(c, s.analyse(c), old.Prev))
	return err
}

// entry is what recall is told of a context: what somebody gave. Extracted
// summaries and tags only repeat the content.
func (s *Service) entry(c *domain.ContextSnapshot) recall.Entry {
	e := recall.Entry{Project: c.Project, Session: c.SessionID, Content: c.Content, Source: c.Source, Time: c.Timestamp}
	if c.SummaryBy == domain.ByCaller {
		e.Summary = c.Summary
	}
	if c.SummaryBy != domain.ByExtract || !slices.Equal(c.Tags, cleanTags(s.Extract.Summarize(c.Content).Tags)) {
		e.Tags = c.Tags
	}
	if c.Causality != nil {
		e.Rationale, e.Action = c.Causality.Rationale, string(c.Causality.ActionType)
	}
	return e
}

// tendIndex is the periodic work on the search index.
func (s *Service) tendIndex(ctx context.Context) error {
	if err := s.renewIndex(ctx); err != nil {
		return err
	}
	return s.keepIndex(ctx)
}

// keepIndex builds and merges segments of the search index until it is in shape,
// or another process is at it.
func (s *Service) keepIndex(ctx context.Context) error {
	for _, space := range []domain.SearchSpace{domain.ContextSpace, domain.MessageSpace} {
		for more := true; more; {
			var err error
			more, err = s.searchIndex(space).Maintain(ctx)
			if domain.KindOf(err) == domain.KindConflict {
				return nil
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// indexEvery is after how many texts taken in at once the index is kept: what is in
// no segment yet is read into memory by whoever asks.
const indexEvery = 16_384

// indexGrew counts texts that were taken in many at a time, from whichever source, and
// keeps the index where it is time.
func (s *Service) indexGrew(ctx context.Context, n int) {
	if s.searching.grown.Add(int64(n)) >= indexEvery {
		s.keepGrown(ctx)
	}
}

// IndexImports puts what imports have brought into segments of the search index: what is
// in none is read by each process that asks, until a server comes to it. Where they brought
// nothing it writes nothing.
func (s *Service) IndexImports(ctx context.Context) {
	if s.searching.grown.Load() > 0 {
		s.keepGrown(ctx)
	}
}

// keepGrown keeps the index. That it could not be kept is no failure of what makes it grow:
// the periodic job comes to it.
func (s *Service) keepGrown(ctx context.Context) {
	s.searching.grown.Store(0)
	if err := s.keepIndex(ctx); err != nil {
		s.Log.Warn("work on the search index is put off", "error", err)
	}
}
