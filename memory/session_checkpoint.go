package memory

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"wake/domain"
	"wake/repository"
	"wake/session"
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
	err = s.inSession(ctx, req.Ref, req.By, func(tx repository.Tx, owner domain.Session) error {
		f, err := stateAt(ctx, tx, owner, owner.LastSeq)
		if err != nil {
			return err
		}
		c, err := s.putCheckpoint(ctx, tx, owner, &f.State, config.window(&owner).Limit, trigger, req.Label)
		if err != nil {
			return err
		}
		if trigger == domain.TriggerManual { // a manual one is a state snapshot as well (003-10)
			if err := s.putSnapshot(ctx, tx, &owner, &f.State); err != nil {
				return err
			}
			if err := tx.SaveSession(ctx, owner); err != nil {
				return err
			}
		}
		removed, err := s.retain(ctx, tx, owner.ID, f.UndoID, config.Keep)
		if err != nil {
			return err
		}
		a = CheckpointAnswer{ID: c.ID, SessionID: owner.ID, Checkpoint: &c, Removed: removed, Text: "Made " + tellCheckpoint(c)}
		return s.raiseIn(ctx, tx, owner.ID, f.alerts)
	})
	if err == nil {
		s.changes.publish(Change{Kind: SessionChanged, ID: a.SessionID})
	}
	return a, err
}

func checkCreate(req CheckpointRequest) (domain.Trigger, error) {
	if req.Label != "" {
		if err := domain.CheckName("label", req.Label); err != nil {
			return "", err
		}
	}
	switch req.Trigger {
	case "":
		return domain.TriggerManual, nil
	case domain.TriggerManual, domain.TriggerPreCompaction, domain.TriggerEmergency, domain.TriggerThreshold, domain.TriggerWarning:
		return req.Trigger, nil
	}
	return "", domain.Invalid("trigger %q cannot be asked for; it is manual, pre_compaction, threshold, warning or emergency", req.Trigger)
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
	text := ""
	last, err := lastUser(ctx, tx, owner.ID, state)
	if err != nil {
		return domain.Checkpoint{}, err
	}
	if last != nil {
		text = PlainText(last.Content)
	}
	described := state.Clone()
	described.Title = cmp.Or(state.Title, owner.Title)
	described.Model = cmp.Or(state.Model, owner.Opened.Model)
	described.Provider = cmp.Or(state.Provider, owner.Opened.Provider)
	described.Window.Limit = limit
	c := session.NewCheckpoint(s.newEventID(), owner.ID, trigger, label, &described, text, s.now())
	return c, tx.PutCheckpoint(ctx, c)
}

// retain removes the surplus checkpoints and returns their ids.
func (s *Service) retain(ctx context.Context, tx repository.Tx, sessionID, undoID string, keep int) ([]string, error) {
	all, err := tx.Checkpoints(ctx, domain.CheckpointQuery{SessionID: sessionID})
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, c := range session.Surplus(all, sessionID, keep, undoID, s.now()) {
		ids = append(ids, c.ID)
	}
	if len(ids) == 0 {
		return nil, nil
	}
	return ids, tx.DropCheckpoints(ctx, ids)
}

func (s *Service) listCheckpoints(ctx context.Context, req CheckpointRequest) (CheckpointAnswer, error) {
	if err := checkTime(req.Since, req.Until); err != nil {
		return CheckpointAnswer{}, err
	}
	limit, err := bounded("limit", req.Limit, sessionList, domain.MaxList)
	if err != nil {
		return CheckpointAnswer{}, err
	}
	q := domain.CheckpointQuery{Trigger: req.Trigger, Since: req.Since, Until: req.Until, MinTokens: req.MinTokens,
		MaxTokens: req.MaxTokens, OldestFirst: req.OldestFirst, Deleted: req.Deleted, Limit: limit + 1}
	if req.Trigger != "" && !slices.Contains(domain.Triggers, req.Trigger) {
		return CheckpointAnswer{}, domain.Invalid("trigger %q is unknown; use manual, threshold, warning, emergency, pre_compaction or pre_restore", req.Trigger)
	}
	owner, note, err := s.readSession(ctx, req.Ref, req.By)
	if err != nil {
		return CheckpointAnswer{}, err
	}
	q.SessionID = owner.ID
	pages := pagesOf("checkpoints", owner.ID, req.Trigger, req.MinTokens, req.MaxTokens, req.OldestFirst, req.Deleted)
	if req.Cursor != "" {
		q.After = &domain.Position{}
		if err := pages.read(req.Cursor, q.After); err != nil {
			return CheckpointAnswer{}, err
		}
	}
	list, err := s.Store.Checkpoints(ctx, q)
	if err != nil {
		return CheckpointAnswer{}, err
	}
	behind := func(c domain.Checkpoint) string {
		return pages.cursor(domain.Position{Key: domain.FormatTime(c.CreatedAt) + " " + c.ID, N: c.Seq})
	}
	a := CheckpointAnswer{SessionID: owner.ID, Checkpoints: list, Notes: notes(note), behind: behind}
	if len(list) == q.Limit {
		a.Checkpoints = list[:limit]
		a.NextCursor = a.CursorBehind(limit)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Checkpoints of session %s: %s\n", owner.ID, howMany(len(a.Checkpoints), a.NextCursor != ""))
	for _, c := range a.Checkpoints {
		fmt.Fprintln(&b, "- "+tellCheckpoint(c))
	}
	a.Text = b.String()
	return a, nil
}

// CursorBehind returns the cursor to what follows the first n checkpoints of a list, at
// least one, for a caller that has no room for the others.
func (a CheckpointAnswer) CursorBehind(n int) string { return a.behind(a.Checkpoints[n-1]) }

// tellCheckpoint describes a checkpoint in one line.
func tellCheckpoint(c domain.Checkpoint) string {
	m := c.Manifest
	text := fmt.Sprintf("%s %s at event %d, turn %d, %s: %s, %s", c.ID, c.Trigger, c.Seq, m.Turn, shortTime(c.CreatedAt),
		domain.Many(m.Messages, "message"), domain.Many(m.TokenCount, "token"))
	for _, part := range []struct{ name, value string }{{"label", c.Label}, {"mode", m.Mode}, {"model", m.Model}, {"last said", m.LastUserText}} {
		if part.value != "" {
			text += fmt.Sprintf(", %s %q", part.name, session.OneLine(PlainText(part.value), 80))
		}
	}
	if c.Pinned {
		text += ", pinned"
	}
	if !c.DeletedAt.IsZero() {
		text += ", deleted"
	}
	return text
}

// checkpointOf loads a checkpoint and its session. The checkpoint must belong to the
// session in ref, if that names one.
func (s *Service) checkpointOf(ctx context.Context, r repository.Reader, id string, ref SessionRef) (domain.Checkpoint, domain.Session, error) {
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
	c, owner, err := s.checkpointOf(ctx, s.Store, req.ID, req.Ref)
	if err != nil {
		return CheckpointAnswer{}, err
	}
	return CheckpointAnswer{ID: c.ID, SessionID: owner.ID, Checkpoint: &c, Text: tellCheckpoint(c)}, nil
}

// changeCheckpoint pins, unpins, deletes and undeletes. Deleting is soft.
func (s *Service) changeCheckpoint(ctx context.Context, req CheckpointRequest) (CheckpointAnswer, error) {
	var a CheckpointAnswer
	err := s.Store.Write(ctx, repository.Durable, func(tx repository.Tx) error {
		c, owner, err := s.checkpointOf(ctx, tx, req.ID, req.Ref)
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
