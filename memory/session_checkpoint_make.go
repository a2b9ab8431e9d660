package memory

import (
	"cmp"
	"context"

	"wake/domain"
	"wake/repository"
	"wake/session"
)

func (s *Service) createCheckpoint(ctx context.Context, req CheckpointRequest) (CheckpointAnswer, error) {
	config := s.SessionConfig()
	if !config.Enabled {
		return CheckpointAnswer{}, domain.Conflict("checkpoints are switched off; switch them on in the configuration to make one")
	}
	trigger, err := checkCreate(req)
	if err != nil {
		return CheckpointAnswer{}, err
	}
	var a CheckpointAnswer
	err = s.inSession(ctx, req.Ref, req.By, func(tx repository.Tx, owner domain.Session) (err error) {
		a, err = s.checkpointNow(ctx, tx, owner, config, trigger, req.Label)
		return err
	})
	if err == nil {
		s.changes.publish(Change{Kind: SessionChanged, ID: a.SessionID})
	}
	return a, err
}

func checkCreate(req CheckpointRequest) (domain.Trigger, error) {
	if err := checkOptional("label", req.Label); err != nil {
		return "", err
	}
	switch req.Trigger {
	case "":
		return domain.TriggerManual, nil
	case domain.TriggerManual, domain.TriggerPreCompaction, domain.TriggerEmergency, domain.TriggerThreshold, domain.TriggerWarning:
		return req.Trigger, nil
	}
	return "", domain.Invalid("trigger %q cannot be asked for; it is manual, pre_compaction, threshold, warning or emergency", req.Trigger)
}

// checkpointNow makes a checkpoint of the session's present state, and removes surplus
// ones. A manual one is a state snapshot as well (003-10).
func (s *Service) checkpointNow(ctx context.Context, tx repository.Tx, owner domain.Session, config SessionConfig, trigger domain.Trigger, label string) (a CheckpointAnswer, err error) {
	f, err := stateAt(ctx, tx, owner, owner.LastSeq)
	if err != nil {
		return a, err
	}
	c, err := s.putCheckpoint(ctx, tx, owner, &f.State, config.window(&owner).Limit, trigger, label)
	if err != nil {
		return a, err
	}
	if trigger == domain.TriggerManual {
		if err := s.putSnapshot(ctx, tx, &owner, &f.State); err != nil {
			return a, err
		}
		if err := tx.SaveSession(ctx, owner); err != nil {
			return a, err
		}
	}
	a = CheckpointAnswer{ID: c.ID, SessionID: owner.ID, Checkpoint: &c, Text: "Made " + tellCheckpoint(c)}
	if a.Removed, err = s.retain(ctx, tx, owner.ID, f.UndoID, config.Keep); err != nil {
		return a, err
	}
	return a, s.raiseIn(ctx, tx, owner.ID, f.alerts)
}

// inSession runs fn in a transaction on the session that a writing request names.
func (s *Service) inSession(ctx context.Context, ref SessionRef, by Caller, fn func(repository.Tx, domain.Session) error) error {
	return s.Store.Write(ctx, repository.Durable, func(tx repository.Tx) error {
		owner, err := s.writeSession(ctx, tx, ref, by)
		if err != nil {
			return err
		}
		return fn(tx, owner)
	})
}

// putCheckpoint stores a checkpoint of a session at a state, where the window had a limit.
func (s *Service) putCheckpoint(ctx context.Context, tx repository.Tx, owner domain.Session, state *session.State, limit int64, trigger domain.Trigger, label string) (domain.Checkpoint, error) {
	last, err := logAt{tx, owner.ID, state}.lastUser(ctx)
	if err != nil {
		return domain.Checkpoint{}, err
	}
	said := ""
	if last != nil {
		said = PlainText(last.Content)
	}
	described := state.Clone()
	described.Title = session.AllowedTitle(owner, cmp.Or(state.Title, owner.Title))
	described.Model = cmp.Or(state.Model, owner.Opened.Model)
	described.Provider = cmp.Or(state.Provider, owner.Opened.Provider)
	described.Window.Limit = limit
	c := session.NewCheckpoint(s.newEventID(), owner.ID, trigger, label, &described, said, s.now())
	return c, tx.PutCheckpoint(ctx, c)
}

// retain removes the surplus checkpoints and returns their ids.
func (s *Service) retain(ctx context.Context, tx repository.Tx, sessionID, undoID string, keep int) ([]string, error) {
	all, err := tx.Checkpoints(ctx, domain.CheckpointQuery{SessionID: sessionID})
	if err != nil {
		return nil, err
	}
	ids := checkpointIDs(session.Surplus(all, sessionID, keep, undoID, s.now()))
	if len(ids) == 0 {
		return nil, nil
	}
	return ids, tx.DropCheckpoints(ctx, ids)
}

func checkpointIDs(list []domain.Checkpoint) []string {
	return each(list, func(c domain.Checkpoint) string { return c.ID })
}
