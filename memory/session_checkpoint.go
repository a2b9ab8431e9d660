package memory

import (
	"context"
	"time"

	"wake/domain"
	"wake/repository"
)

// Checkpoint does one action on checkpoints. It returns NotFound or Expired for what
// does not exist (any more), and Conflict if checkpoints are switched off, or if a
// checkpoint that is pinned or deleted does not allow the action.
func (s *Service) Checkpoint(ctx context.Context, req CheckpointRequest) (CheckpointAnswer, error) {
	if req.Action == "" {
		action, err := guessAction(req)
		if err != nil {
			return CheckpointAnswer{}, err
		}
		req.Action = action
	}
	a, err := s.checkpointAction(ctx, req)
	a.Action = req.Action
	return a, err
}

func (s *Service) checkpointAction(ctx context.Context, req CheckpointRequest) (CheckpointAnswer, error) {
	switch req.Action {
	case CheckpointCreate:
		return s.createCheckpoint(ctx, req)
	case CheckpointList:
		return s.listCheckpoints(ctx, req)
	case CheckpointShow:
		return s.showCheckpoint(ctx, req)
	case CheckpointDiff:
		return s.diffCheckpoints(ctx, req)
	case CheckpointRestore:
		return s.restoreCheckpoint(ctx, req)
	case CheckpointFork:
		return s.forkCheckpoint(ctx, req)
	case CheckpointPin, CheckpointUnpin, CheckpointDelete, CheckpointUndelete:
		return s.changeCheckpoint(ctx, req)
	}
	return CheckpointAnswer{}, domain.Invalid("action %q is not known; it is one of create, list, show, diff, restore, fork, pin, unpin, delete, undelete", req.Action)
}

// guessAction infers the action from the arguments. Restore and delete must be named.
func guessAction(req CheckpointRequest) (CheckpointAction, error) {
	switch {
	case req.ID != "" && req.OtherID != "":
		return CheckpointDiff, nil
	case req.ID != "":
		return CheckpointShow, nil
	case req.Label != "":
		return CheckpointCreate, nil
	case req.OtherID != "":
		return "", domain.Invalid("diff needs id as well as other_id")
	}
	return CheckpointList, nil
}

// checkpointOf loads a checkpoint and its session. The checkpoint must belong to the
// session in ref, if that names one.
func checkpointOf(ctx context.Context, r repository.Reader, id string, ref SessionRef) (domain.Checkpoint, domain.Session, error) {
	if id == "" {
		return domain.Checkpoint{}, domain.Session{}, domain.Advise(domain.Invalid("id is missing"), domain.ListCheckpoints)
	}
	if err := completeID(ctx, &id, r.CheckpointIDsUnder); err != nil {
		return domain.Checkpoint{}, domain.Session{}, err
	}
	c, err := r.Checkpoint(ctx, id)
	if err != nil {
		return c, domain.Session{}, err
	}
	if err := completeID(ctx, &ref.SessionID, r.SessionIDsUnder); err != nil {
		return c, domain.Session{}, err
	}
	if ref.SessionID != "" && ref.SessionID != c.SessionID {
		return c, domain.Session{}, domain.Invalid("checkpoint %s belongs to session %s, not to %s", id, c.SessionID, ref.SessionID)
	}
	found, err := r.Session(ctx, c.SessionID)
	if err != nil {
		return c, found, err
	}
	owner, err := live(&found, nil)
	return c, owner, err
}

func (s *Service) showCheckpoint(ctx context.Context, req CheckpointRequest) (CheckpointAnswer, error) {
	c, owner, err := checkpointOf(ctx, s.Store, req.ID, req.Ref)
	if err != nil {
		return CheckpointAnswer{}, err
	}
	return CheckpointAnswer{ID: c.ID, SessionID: owner.ID, Checkpoint: &c, Text: tellCheckpoint(c)}, nil
}

// changeCheckpoint pins, unpins, deletes and undeletes. Deleting is soft.
func (s *Service) changeCheckpoint(ctx context.Context, req CheckpointRequest) (CheckpointAnswer, error) {
	var a CheckpointAnswer
	err := s.Store.Write(ctx, repository.Durable, func(tx repository.Tx) error {
		c, owner, err := checkpointOf(ctx, tx, req.ID, req.Ref)
		if err != nil {
			return err
		}
		if err := s.applyChange(&c, req.Action); err != nil {
			return err
		}
		a = CheckpointAnswer{ID: c.ID, SessionID: owner.ID, Checkpoint: &c, Text: tellCheckpoint(c)}
		return tx.PutCheckpoint(ctx, c)
	})
	if err == nil {
		s.changes.publish(Change{Kind: SessionChanged, ID: a.SessionID})
	}
	return a, err
}

func (s *Service) applyChange(c *domain.Checkpoint, action CheckpointAction) error {
	switch action {
	case CheckpointPin:
		if !c.DeletedAt.IsZero() {
			return deletedCheckpoint(c.ID)
		}
		c.Pinned = true
	case CheckpointUnpin:
		c.Pinned = false
	case CheckpointDelete:
		if c.Pinned {
			return domain.Conflict("checkpoint %s is pinned; unpin it first", c.ID)
		}
		if c.DeletedAt.IsZero() {
			c.DeletedAt = s.now()
		}
	case CheckpointUndelete:
		if c.DeletedAt.Add(domain.UndoWindow).Before(s.now()) && !c.DeletedAt.IsZero() {
			return domain.Expired("checkpoint %s was deleted more than 30 days ago", c.ID)
		}
		c.DeletedAt = time.Time{}
	}
	return nil
}

// deletedCheckpoint is the error of an action that a deleted checkpoint does not
// allow.
func deletedCheckpoint(id string) error {
	return domain.Advise(domain.Conflict("checkpoint %s is deleted", id), domain.UndeleteCheckpoint)
}
