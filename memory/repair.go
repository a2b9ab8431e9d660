package memory

import (
	"context"

	"wake/domain"
	"wake/repository"
)

// Check looks for damage in every table and index; each finding names its remedy.
// It changes nothing.
func (s *Service) Check(ctx context.Context, progress func(done, total int)) ([]repository.Finding, error) {
	said := func(e domain.Event) bool {
		_, ok := messageEntry(domain.Session{ID: e.SessionID}, e)
		return ok
	}
	return s.Store.Check(ctx, said, progress)
}

// Repair rebuilds what is derived: link rows, tags, the search index. Contexts
// and events themselves are never changed.
func (s *Service) Repair(ctx context.Context, progress func(done, total int)) error {
	if err := s.Store.Repair(ctx, progress); err != nil {
		return err
	}
	return s.Reindex(ctx, progress)
}

// Reindex builds the search index anew from contexts and messages, in
// transactions small enough for others to work in between. Until it is done,
// searches find only what it has reached.
func (s *Service) Reindex(ctx context.Context, progress func(done, total int)) error {
	if progress == nil {
		progress = func(int, int) {}
	}
	err := s.Store.Write(ctx, repository.Durable, func(tx repository.Tx) error { return tx.ClearDocuments(ctx) })
	if err != nil {
		return err
	}
	stats, err := s.Store.Stats(ctx, "", s.now(), s.Windows.Spans(s.now()))
	if err != nil {
		return err
	}
	total := int(stats.Contexts + stats.Forgotten)
	if err := s.reindexContexts(ctx, func(done int) { progress(done, total) }); err != nil {
		return err
	}
	if err := s.reindexSessions(ctx); err != nil {
		return err
	}
	return s.keepIndex(ctx)
}

func (s *Service) reindexContexts(ctx context.Context, progress func(done int)) error {
	done := 0
	for after := int64(0); ; {
		batch, err := s.Store.ContextsAfter(ctx, after, stepRows)
		if err != nil || len(batch) == 0 {
			return err
		}
		err = s.Store.Write(ctx, repository.Relaxed, func(tx repository.Tx) error {
			for i := range batch {
				if err := s.indexContext(ctx, tx, &batch[i]); err != nil {
					return err
				}
				if batch[i].DeletedAt.IsZero() {
					continue
				}
				if err := tx.HideDocuments(ctx, domain.DocumentSource{ContextN: batch[i].N}, true); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		after = batch[len(batch)-1].N
		done += len(batch)
		progress(done)
	}
}

// reindexSessions makes what was said findable again.
func (s *Service) reindexSessions(ctx context.Context) error {
	sessions, err := s.Store.Sessions(ctx, domain.SessionQuery{})
	if err != nil {
		return err
	}
	for _, owner := range sessions {
		for after := int64(0); ; {
			events, err := s.Store.Events(ctx, domain.EventQuery{SessionID: owner.ID, After: after, Types: []domain.EventType{domain.EventMessage}, Limit: stepRows})
			if err != nil {
				return err
			}
			if len(events) == 0 {
				break
			}
			err = s.Store.Write(ctx, repository.Relaxed, func(tx repository.Tx) error { return s.indexMessages(ctx, tx, owner, events) })
			if err != nil {
				return err
			}
			after = events[len(events)-1].Seq
		}
	}
	return nil
}
