package memory

import (
	"context"
	"slices"

	"wake/domain"
	"wake/recall"
	"wake/recall/index"
	"wake/repository"
)

// searchIndex returns the index of a space. It is created once and loads what it needs
// on demand.
func (s *Service) searchIndex(space domain.SearchSpace) *index.Index {
	s.indexes.once.Do(func() {
		for i := range s.indexes.spaces {
			s.indexes.spaces[i] = index.New(s.Store.SearchIndex(domain.SearchSpace(i)), index.Options{})
		}
	})
	return s.indexes.spaces[space]
}

// indexContext puts a context into the search index.
func (s *Service) indexContext(ctx context.Context, tx repository.Tx, c *domain.ContextSnapshot) error {
	return indexContexts(ctx, tx, []*domain.ContextSnapshot{c}, []*recall.Document{s.analyse(c)})
}

// indexContexts puts contexts with consecutive numbers into the search index. Each is
// linked to the one saved before it in its session, or without a session in its
// project.
func indexContexts(ctx context.Context, tx repository.Tx, list []*domain.ContextSnapshot, documents []*recall.Document) error {
	streams := each(documents, func(d *recall.Document) int64 { return int64(d.Stream) })
	return putDocuments(ctx, tx, streams, func(i int, prev int64) domain.Document { return contextDocument(list[i], documents[i], prev) })
}

// putDocuments stores documents with consecutive numbers, one for each stream named.
// document returns the ith of them, which follows prev in its stream.
func putDocuments(ctx context.Context, tx repository.Tx, streams []int64, document func(i int, prev int64) domain.Document) (err error) {
	last := map[int64]int64{} // by stream
	var first int64
	var rest []domain.Document
	for i, stream := range streams {
		if _, known := last[stream]; !known {
			if last[stream], err = tx.LastInStream(ctx, stream); err != nil {
				return err
			}
		}
		d := document(i, last[stream])
		if i > 0 {
			rest = append(rest, d)
		} else if first, err = tx.PutDocument(ctx, d); err != nil {
			return err
		}
		last[stream] = first + int64(i)
	}
	return tx.PutDocumentsBehind(ctx, first, rest)
}

// contextDocument is the indexed form of a context that follows document prev.
func contextDocument(c *domain.ContextSnapshot, d *recall.Document, prev int64) domain.Document {
	d.Prev = prev
	return domain.Document{DocumentSource: domain.DocumentSource{ContextN: c.N}, Space: domain.ContextSpace, Scope: c.Project,
		Stream: int64(d.Stream), Prev: prev, Data: d.Encode()}
}

// analyse prepares a context for the search index.
func (s *Service) analyse(c *domain.ContextSnapshot) *recall.Document {
	return recall.NewDocument(s.entry(c))
}

// reindexContext replaces the document of a context whose tags changed. The new one follows
// the same document as the old one, but what followed the old one follows nothing now:
// documents are not rewritten.
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

// entry is the part of a context that is searched: what somebody wrote. Extracted
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
		e.Rationale = c.Causality.Rationale
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

// keepIndex builds and merges segments of the search index until it is in shape. It
// stops if another process is doing so.
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

// indexEvery is after how many new texts the index is maintained. Until a text is in a
// segment, every process that searches has to read it into memory.
const indexEvery = 16_384

// indexGrew counts texts that were stored in bulk, and maintains the index when it is
// time.
func (s *Service) indexGrew(ctx context.Context, n int) {
	if s.indexes.grown.Add(int64(n)) >= indexEvery {
		s.keepGrown(ctx)
	}
}

// IndexImports puts imported texts into segments of the search index. It writes
// nothing if nothing was imported.
func (s *Service) IndexImports(ctx context.Context) {
	if s.indexes.grown.Load() > 0 {
		s.keepGrown(ctx)
	}
}

// keepGrown maintains the index. It only logs a failure, because the periodic job will
// do the work.
func (s *Service) keepGrown(ctx context.Context) {
	s.indexes.grown.Store(0)
	if err := s.keepIndex(ctx); err != nil {
		s.Log.Warn("work on the search index is put off", "error", err)
	}
}
