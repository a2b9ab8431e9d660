package memory

import (
	"context"
	"strconv"
	"strings"

	"wake/domain"
	"wake/recall"
	"wake/repository"
)

// The state of the search index as it is noted in the store: built by which version of
// the analysis, or being built, since which start.
const (
	indexWhole    = "analysis "
	indexUnderWay = "under way"
)

var thisIndex = indexWhole + strconv.Itoa(recall.AnalysisVersion)

// Reindex rebuilds the search index from contexts and messages, in transactions small
// enough for others to work in between. Until it is done, searches find only what it
// has reached and what was saved meanwhile. If it is interrupted, the periodic work
// continues it.
func (s *Service) Reindex(ctx context.Context, progress func(done, total int)) error {
	begun := indexUnderWay + " " + s.newEventID()
	err := s.Store.Write(ctx, repository.Durable, func(tx repository.Tx) error {
		if err := tx.ClearDocuments(ctx); err != nil {
			return err
		}
		return tx.NoteIndexedBy(ctx, begun)
	})
	if err != nil {
		return err
	}
	return s.fillIndex(ctx, begun, progress)
}

// fillIndex adds what is missing in the index since the rebuild began, and notes that
// the index is whole.
func (s *Service) fillIndex(ctx context.Context, begun string, progress func(done, total int)) error {
	if progress == nil {
		progress = func(int, int) {}
	}
	counts, err := s.Store.Counts(ctx, "")
	if err != nil {
		return err
	}
	total := int(counts.Contexts + counts.Forgotten)
	if err := s.reindexContexts(ctx, func(done int) { progress(done, total) }); err != nil {
		return err
	}
	if err := s.reindexSessions(ctx); err != nil {
		return err
	}
	if err := s.noteIndexed(ctx, begun); err != nil {
		return err
	}
	return s.keepIndex(ctx)
}

// noteIndexed notes that the index is whole, unless the note is no longer before: then
// another process has emptied it meanwhile.
func (s *Service) noteIndexed(ctx context.Context, before string) error {
	return s.Store.Write(ctx, repository.Relaxed, func(tx repository.Tx) error {
		if now, err := tx.IndexedBy(ctx); err != nil || now != before {
			return err
		}
		return tx.NoteIndexedBy(ctx, thisIndex)
	})
}

// renewIndex rebuilds the index if an older wake left none or analysed texts
// differently. It also continues an interrupted rebuild.
func (s *Service) renewIndex(ctx context.Context) error {
	by, err := s.Store.IndexedBy(ctx)
	switch {
	case err != nil || by == thisIndex:
		return err
	case strings.HasPrefix(by, indexUnderWay):
		return s.fillIndex(ctx, by, nil)
	}
	missing, err := s.indexMissing(ctx)
	if err != nil {
		return err
	}
	flaws, err := s.indexFlaws(ctx)
	if err != nil {
		return err
	}
	if missing || flaws.Documents > 0 {
		s.Log.Info("the search index of an older wake is built anew")
		return s.Reindex(ctx, nil)
	}
	return s.noteIndexed(ctx, by)
}

// indexMissing reports whether the oldest text is not in the index. Then none was
// built yet, though texts saved since the upgrade may be in it.
func (s *Service) indexMissing(ctx context.Context) (bool, error) {
	contexts, err := s.Store.ContextsAfter(ctx, 0, 1)
	if err != nil {
		return false, err
	}
	if len(contexts) > 0 {
		there, err := s.Store.DocumentOf(ctx, domain.DocumentSource{ContextN: contexts[0].N})
		return there.N == 0, err
	}
	last, _, _, err := s.Store.SearchIndex(domain.MessageSpace).State(ctx)
	if err != nil || last > 0 {
		return false, err
	}
	sessions, err := s.Store.Sessions(ctx, domain.SessionQuery{Forgotten: true, Limit: 1})
	if err != nil || len(sessions) == 0 {
		return false, err
	}
	said, err := s.Store.Events(ctx, domain.EventQuery{SessionID: sessions[0].ID, Human: true, Limit: 1})
	return len(said) > 0, err
}

func (s *Service) reindexContexts(ctx context.Context, progress func(done int)) error {
	last, done := map[int64]int64{}, 0 // last is the newest document of each stream
	for after := int64(0); ; {
		var batch []domain.ContextSnapshot
		err := s.Store.Write(ctx, repository.Relaxed, func(tx repository.Tx) (err error) {
			// Read within the transaction, so that what is purged or forgotten
			// meanwhile does not come back.
			if batch, err = tx.ContextsAfter(ctx, after, stepRows); err != nil {
				return err
			}
			for i := range batch {
				if err := s.indexMissingContext(ctx, tx, &batch[i], last); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil || len(batch) == 0 {
			return err
		}
		after = batch[len(batch)-1].N
		done += len(batch)
		s.indexGrew(ctx, len(batch))
		progress(done)
	}
}

// indexMissingContext puts one context into the index unless it is there, and hides it if it is
// forgotten.
func (s *Service) indexMissingContext(ctx context.Context, tx repository.Tx, c *domain.ContextSnapshot, last map[int64]int64) error {
	of, stream := domain.DocumentSource{ContextN: c.N}, int64(recall.StreamOf(c.Project, c.SessionID))
	there, err := tx.DocumentOf(ctx, of)
	if err != nil {
		return err
	}
	if there.N > 0 {
		last[stream] = there.N
		return nil
	}
	if last[stream], err = tx.PutDocument(ctx, contextDocument(c, s.analyse(c), last[stream])); err != nil {
		return err
	}
	if c.DeletedAt.IsZero() {
		return nil
	}
	return tx.HideDocuments(ctx, of, true)
}

// reindexSessions puts the messages of all sessions into the index; those of forgotten
// sessions are hidden.
func (s *Service) reindexSessions(ctx context.Context) error {
	sessions, err := s.Store.Sessions(ctx, domain.SessionQuery{Forgotten: true})
	if err != nil {
		return err
	}
	for _, owner := range sessions {
		if err := s.reindexSession(ctx, owner.ID); err != nil {
			return err
		}
	}
	return nil
}

func (s *Service) reindexSession(ctx context.Context, id string) error {
	for after := int64(0); ; {
		var events []domain.Event
		err := s.Store.Write(ctx, repository.Relaxed, func(tx repository.Tx) (err error) {
			events, err = tx.Events(ctx, domain.EventQuery{SessionID: id, After: after, Types: []domain.EventType{domain.EventMessage}, Limit: stepRows})
			if err != nil {
				return err
			}
			return s.indexMissingMessages(ctx, tx, id, events)
		})
		if err != nil || len(events) == 0 {
			return err
		}
		after = events[len(events)-1].Seq
		s.indexGrew(ctx, len(events))
	}
}

// indexMissingMessages puts the missing messages of a session into the index, hidden if the
// session is forgotten.
func (s *Service) indexMissingMessages(ctx context.Context, tx repository.Tx, id string, events []domain.Event) error {
	owner, err := tx.Session(ctx, id)
	if err != nil {
		return err
	}
	fresh, err := unindexed(ctx, tx, events)
	if err != nil {
		return err
	}
	if err := s.indexMessages(ctx, tx, owner, fresh, nil); err != nil || owner.DeletedAt.IsZero() {
		return err
	}
	return tx.HideDocuments(ctx, domain.DocumentSource{SessionID: id}, true)
}

// unindexed returns the events that have no document.
func unindexed(ctx context.Context, tx repository.Tx, events []domain.Event) (out []domain.Event, err error) {
	for _, e := range events {
		there, err := tx.DocumentOf(ctx, domain.DocumentSource{SessionID: e.SessionID, Seq: e.Seq})
		if err != nil {
			return nil, err
		}
		if there.N == 0 {
			out = append(out, e)
		}
	}
	return out, nil
}
