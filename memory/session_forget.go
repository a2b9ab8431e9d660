package memory

import (
	"cmp"
	"context"
	"time"

	"wake/domain"
	"wake/repository"
	"wake/session"
)

// eraseStep is how many events are erased in one transaction, so that the writer
// is held only shortly.
const eraseStep = 200

// ForgetSession hides a session, or with DryRun says what would go. For 30 days
// Undo brings it back; then its texts are erased and places and hashes stay, so
// that the sequence has no gap.
func (s *Service) ForgetSession(ctx context.Context, req ForgetSessionRequest) (ForgetSessionAnswer, error) {
	a := ForgetSessionAnswer{SessionID: req.SessionID, DryRun: req.DryRun && !req.Undo}
	err := s.Store.Write(ctx, repository.Durable, func(tx repository.Tx) error {
		owner, err := tx.Session(ctx, req.SessionID)
		if err != nil {
			return err
		}
		children, err := tx.Sessions(ctx, domain.SessionQuery{ParentID: owner.ID})
		if err != nil {
			return err
		}
		a.Children = nil
		for _, c := range children {
			a.Children = append(a.Children, c.ID)
		}
		a.Events, a.Bytes = owner.LastSeq, owner.Bytes
		if a.DryRun {
			a.UndoUntil = s.now().Add(domain.UndoWindow)
			return nil
		}
		return s.forgetOrBack(ctx, tx, owner, req.Undo, &a)
	})
	if err == nil && !a.DryRun {
		s.changes.publish(Change{Kind: SessionChanged, ID: req.SessionID})
	}
	return a, err
}

func (s *Service) forgetOrBack(ctx context.Context, tx repository.Tx, owner domain.Session, undo bool, a *ForgetSessionAnswer) error {
	now := s.now()
	switch {
	case undo && owner.DeletedAt.IsZero():
		return domain.Conflict("session %s is not forgotten; there is nothing to undo", owner.ID)
	case undo && now.After(owner.DeletedAt.Add(domain.UndoWindow)):
		return domain.Expired("session %s was forgotten more than 30 days ago; its texts are gone", owner.ID)
	case undo:
		a.Undone = true
		owner.DeletedAt, owner.Status = time.Time{}, domain.SessionActive
		if !owner.EndedAt.IsZero() {
			owner.Status = domain.SessionEnded
		}
	case owner.DeletedAt.IsZero():
		owner.DeletedAt, owner.Status = now, domain.SessionForgotten
	}
	if !owner.DeletedAt.IsZero() {
		a.UndoUntil = owner.DeletedAt.Add(domain.UndoWindow)
	}
	if err := tx.HideDocuments(ctx, domain.DocumentSource{SessionID: owner.ID}, !undo); err != nil {
		return err
	}
	return tx.SaveSession(ctx, owner)
}

// CleanSessions does what time has made due: it erases sessions whose undo time
// is over, removes checkpoints that were deleted that long ago, and hand-offs
// that expired. It works in small steps and may be stopped anywhere (I22).
func (s *Service) CleanSessions(ctx context.Context) error {
	cut := s.now().Add(-domain.UndoWindow)
	err := s.Store.Write(ctx, repository.Relaxed, func(tx repository.Tx) error {
		if _, err := tx.DropHandoffs(ctx, s.now().Add(-domain.ImportantTTL)); err != nil {
			return err
		}
		return dropDeleted(ctx, tx, cut)
	})
	if err != nil {
		return err
	}
	gone, err := s.Store.Sessions(ctx, domain.SessionQuery{Status: domain.SessionForgotten})
	if err != nil {
		return err
	}
	for _, g := range gone {
		if g.DeletedAt.Before(cut) && g.Bytes > 0 {
			if err := s.eraseSession(ctx, g.ID); err != nil {
				return err
			}
		}
	}
	return nil
}

// dropDeleted removes checkpoints that were deleted before cut.
func dropDeleted(ctx context.Context, tx repository.Tx, cut time.Time) error {
	gone, err := tx.Checkpoints(ctx, domain.CheckpointQuery{Deleted: true, DeletedBefore: cut})
	if err != nil {
		return err
	}
	ids := make([]string, len(gone))
	for i, c := range gone {
		ids[i] = c.ID
	}
	return tx.DropCheckpoints(ctx, ids)
}

// eraseSession erases the texts of a session, step by step, then what was made of
// them. That it has no bytes left says that it is done.
func (s *Service) eraseSession(ctx context.Context, id string) error {
	for after := int64(0); ; after += eraseStep {
		last := int64(0)
		err := s.Store.Write(ctx, repository.Durable, func(tx repository.Tx) error {
			owner, err := tx.Session(ctx, id)
			if err != nil {
				return err
			}
			last = owner.LastSeq
			_, err = tx.EraseEvents(ctx, domain.EventQuery{SessionID: id, After: after, Until: after + eraseStep}, bare)
			if err != nil || after+eraseStep < last {
				return err
			}
			owner.Bytes, owner.Title, owner.Error, owner.LatestStatus = 0, "", "", ""
			owner.Opened.Title, owner.Attributes, owner.SnapshotSeq = "", nil, 0
			if err := tx.DropProjections(ctx, id, true); err != nil {
				return err
			}
			return tx.SaveSession(ctx, owner)
		})
		if err != nil || after+eraseStep >= last {
			return err
		}
	}
}

// bare is what is left of an erased event; of one that cannot be read, nothing.
func bare(e domain.Event) []byte {
	left, err := session.Bare(e)
	if err != nil {
		return []byte("{}")
	}
	return left
}

// PurgeEvent erases the text of one event beyond recovery, with everything that
// was made of it: payload and blob, what later restores carried of it, the
// session's snapshot, cached context, hand-offs, turn labels and the quotations in
// checkpoints. The place stays, with the hash of what was there.
func (s *Service) PurgeEvent(ctx context.Context, sessionID string, seq int64) (domain.Event, error) {
	var gone domain.Event
	err := s.Store.Write(ctx, repository.Durable, func(tx repository.Tx) error {
		owner, err := tx.Session(ctx, sessionID)
		if err != nil {
			return err
		}
		n, err := tx.EraseEvents(ctx, domain.EventQuery{SessionID: sessionID, After: seq - 1, Until: seq}, bare)
		if err != nil {
			return err
		}
		if n == 0 {
			return domain.NotFound("session %s has no event %d that is not erased already", sessionID, seq)
		}
		left, err := tx.Events(ctx, domain.EventQuery{SessionID: sessionID, After: seq - 1, Until: seq})
		if err != nil || len(left) == 0 {
			return err
		}
		gone = left[0]
		return s.purgeDerived(ctx, tx, owner, seq)
	})
	s.sessions.mu.Lock()
	s.sessions.handoffs = session.HandoffCache{}
	s.sessions.mu.Unlock()
	if domain.KindOf(err) == domain.KindNotFound {
		return gone, err
	}
	return gone, cmp.Or(err, s.purgeIndex(ctx, domain.MessageSpace)) // another error may be of the scrubbing, after the commit
}

func (s *Service) purgeDerived(ctx context.Context, tx repository.Tx, owner domain.Session, seq int64) error {
	later := domain.EventQuery{SessionID: owner.ID, After: seq, Types: []domain.EventType{domain.EventRestored}}
	if _, err := tx.EraseEvents(ctx, later, bare); err != nil {
		return err
	}
	points, err := tx.Checkpoints(ctx, domain.CheckpointQuery{SessionID: owner.ID, Deleted: true})
	if err != nil {
		return err
	}
	for _, c := range points {
		if c.Seq < seq {
			continue
		}
		c.Manifest.LastUserText, c.Manifest.Task, c.Manifest.Goals, c.Manifest.Title = "", "", nil, ""
		if err := tx.PutCheckpoint(ctx, c); err != nil {
			return err
		}
	}
	owner.SnapshotSeq, owner.Title, owner.Error = 0, "", ""
	if err := tx.DropProjections(ctx, owner.ID, false); err != nil {
		return err
	}
	return tx.SaveSession(ctx, owner)
}
