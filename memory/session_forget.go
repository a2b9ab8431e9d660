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

// eraseStep is how many events are erased per transaction, so that the writer's lock
// is not held for long.
const eraseStep = 200

// ForgetSession hides a session. For 30 days Undo brings it back. Then its texts are
// erased, but the events keep their places and hashes, so that the sequence has no
// gap. With DryRun it only reports what would be forgotten or brought back. It returns a
// Conflict error for an Undo of a session that is not forgotten.
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
		a.Children = each(children, func(c domain.Session) string { return c.ID })
		if a.Contexts, err = heardIn(ctx, r, owner.ID); err != nil {
			return err
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

// heardIn lists the contexts that were distilled from a session.
func heardIn(ctx context.Context, r repository.Reader, sessionID string) (ids []string, err error) {
	made, err := r.Contexts(ctx, domain.ContextQuery{SessionID: sessionID, Order: domain.Oldest})
	for _, c := range made {
		if c.IsDistilled() {
			ids = append(ids, c.ID)
		}
	}
	return ids, err
}

// forgetOrBack changes a session to forgotten, or back.
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

// bringBack gives a forgotten session its former status.
func bringBack(owner *domain.Session) {
	owner.DeletedAt, owner.Status = time.Time{}, domain.SessionActive
	if !owner.EndedAt.IsZero() {
		owner.Status = domain.SessionEnded
	}
}

// CleanSessions erases the sessions whose undo time is over, and removes the
// checkpoints deleted that long ago and the expired hand-offs. It works in small steps
// and may be interrupted anywhere (I22). A session that cannot be erased does not stop
// the others.
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
		if ctx.Err() == nil && g.DeletedAt.Before(cut) && hasTexts(g) {
			err = errors.Join(err, s.eraseSession(ctx, g.ID))
		}
	}
	return cmp.Or(err, ctx.Err())
}

// hasTexts reports whether a forgotten session is still to be erased.
func hasTexts(o domain.Session) bool { return o.Bytes > 0 || o.Title != "" || len(o.Attributes) > 0 }

// dropDeleted removes checkpoints that were deleted before cut.
func dropDeleted(ctx context.Context, tx repository.Tx, cut time.Time) error {
	gone, err := tx.Checkpoints(ctx, domain.CheckpointQuery{Deleted: true, DeletedBefore: cut})
	if err != nil {
		return err
	}
	return tx.DropCheckpoints(ctx, checkpointIDs(gone))
}

// eraseSession erases the texts of a session step by step, then its projections and what
// its row says. It is done when the row says nothing any more.
func (s *Service) eraseSession(ctx context.Context, id string) error {
	for after, done := int64(0), false; !done; after += eraseStep {
		err := s.Store.Write(ctx, repository.Durable, func(tx repository.Tx) (err error) {
			done, err = eraseAfter(ctx, tx, id, after)
			return err
		})
		if err != nil {
			return err
		}
	}
	return s.Store.Scrub(ctx)
}

// eraseAfter does the step of an erasure that follows an event, and reports whether it was
// the last one.
func eraseAfter(ctx context.Context, tx repository.Tx, id string, after int64) (last bool, err error) {
	owner, err := tx.Session(ctx, id)
	if err != nil {
		return false, err
	}
	until := after + eraseStep
	_, err = tx.EraseEvents(ctx, domain.EventQuery{SessionID: id, After: after, Until: until}, bare)
	if err != nil || until < owner.LastSeq {
		return false, err
	}
	owner.Bytes, owner.Title, owner.Error, owner.LatestStatus = 0, "", "", ""
	owner.Opened.Title, owner.Attributes, owner.SnapshotSeq = "", nil, 0
	if err := tx.DropProjections(ctx, id, true); err != nil {
		return false, err
	}
	return true, tx.SaveSession(ctx, owner)
}

// bare is what remains of an erased event; nothing if it is unreadable.
func bare(e domain.Event) []byte {
	left, err := session.Bare(e)
	if err != nil {
		return []byte("{}")
	}
	return left
}
