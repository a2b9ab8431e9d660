package memory

import (
	"cmp"
	"context"
	"errors"
	"time"

	"wake/domain"
	"wake/repository"
	"wake/session"
)

// eraseStep is how many events are erased in one transaction, so that the writer
// is held only shortly.
const eraseStep = 200

// ForgetSession hides a session. For 30 days Undo brings it back; then its texts are
// erased and places and hashes stay, so that the sequence has no gap. With DryRun it
// only tells what would go, or come back.
func (s *Service) ForgetSession(ctx context.Context, req ForgetSessionRequest) (ForgetSessionAnswer, error) {
	a := ForgetSessionAnswer{SessionID: req.SessionID, DryRun: req.DryRun}
	err := s.inTurn(ctx, req.DryRun, func(r repository.Reader, tx repository.Tx) error {
		owner, err := sessionByID(ctx, r, req.SessionID)
		if err != nil {
			return err
		}
		a.SessionID = owner.ID
		children, err := r.Sessions(ctx, domain.SessionQuery{ParentID: owner.ID})
		if err != nil {
			return err
		}
		for _, c := range children {
			a.Children = append(a.Children, c.ID)
		}
		a.Events, a.Bytes = owner.LastSeq, owner.Bytes
		if err := forgetOrBack(&owner, req.Undo, s.now(), &a); err != nil || tx == nil {
			return err
		}
		if err := tx.HideDocuments(ctx, domain.DocumentSource{SessionID: owner.ID}, !req.Undo); err != nil {
			return err
		}
		return tx.SaveSession(ctx, owner)
	})
	if err == nil && !a.DryRun {
		s.changes.publish(Change{Kind: SessionChanged, ID: a.SessionID})
	}
	return a, err
}

// forgetOrBack makes a session what it is once it is forgotten, or back.
func forgetOrBack(owner *domain.Session, undo bool, now time.Time, a *ForgetSessionAnswer) error {
	switch {
	case undo && owner.DeletedAt.IsZero():
		return domain.Conflict("session %s is not forgotten; there is nothing to undo", owner.ID)
	case undo && now.After(owner.DeletedAt.Add(domain.UndoWindow)):
		return domain.Expired("session %s was forgotten more than 30 days ago; its texts are gone", owner.ID)
	case undo:
		a.Undone = true
		bringBack(owner)
	case owner.DeletedAt.IsZero():
		owner.DeletedAt, owner.Status = now, domain.SessionForgotten
	}
	if !owner.DeletedAt.IsZero() {
		a.UndoUntil = owner.DeletedAt.Add(domain.UndoWindow)
	}
	return nil
}

// bringBack makes a forgotten session what it was before.
func bringBack(owner *domain.Session) {
	owner.DeletedAt, owner.Status = time.Time{}, domain.SessionActive
	if !owner.EndedAt.IsZero() {
		owner.Status = domain.SessionEnded
	}
}

// CleanSessions does what time has made due: it erases sessions whose undo time is over,
// removes checkpoints that were deleted that long ago, and hand-offs that expired. It
// works in small steps and may be stopped anywhere (I22). A session that cannot be erased
// does not stop others from being erased.
func (s *Service) CleanSessions(ctx context.Context) error {
	cut := s.now().Add(-domain.UndoWindow)
	err := s.Store.Write(ctx, repository.Relaxed, func(tx repository.Tx) error {
		if err := tx.DropHandoffs(ctx, s.now().Add(-domain.ImportantTTL)); err != nil {
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
		if ctx.Err() == nil && g.DeletedAt.Before(cut) && g.Bytes > 0 {
			err = errors.Join(err, s.eraseSession(ctx, g.ID))
		}
	}
	return cmp.Or(err, ctx.Err())
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
