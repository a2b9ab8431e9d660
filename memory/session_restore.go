package memory

import (
	"cmp"
	"context"
	"fmt"

	"wake/domain"
	"wake/repository"
	"wake/session"
)

// restoreBudget is how many tokens a restore answers when nothing is said.
const restoreBudget = 25_000

// restoreCheckpoint sets a session back: it makes a pre_restore checkpoint, then
// appends one event that carries the restored state and opens an epoch. Nothing
// is taken out of the log, and nothing outside of it is touched.
func (s *Service) restoreCheckpoint(ctx context.Context, req CheckpointRequest) (CheckpointAnswer, error) {
	c, owner, err := s.checkpointOf(ctx, s.Store, req.ID, req.Ref)
	if err != nil {
		return CheckpointAnswer{}, err
	}
	if !c.DeletedAt.IsZero() {
		return CheckpointAnswer{}, domain.Advise(domain.Conflict("checkpoint %s is deleted", c.ID), domain.UndeleteCheckpoint)
	}
	w := &restoring{appending: appending{s: s, config: s.SessionConfig()}, target: c}
	w.req = AppendRequest{By: req.By, Ref: SessionRef{SessionID: owner.ID}}
	err = s.Store.Write(ctx, repository.Durable, func(tx repository.Tx) error { return w.run(ctx, tx) })
	if err != nil {
		return CheckpointAnswer{}, err
	}
	w.afterwards(ctx)
	restored, err := s.restoration(ctx, w, int64(limitOf(req.TokenBudget, restoreBudget, 1_000_000)))
	a := CheckpointAnswer{ID: c.ID, SessionID: owner.ID, Restored: &restored, Text: restored.Text}
	return a, err
}

// restoring is one restore under way: an append with a checkpoint before it.
type restoring struct {
	appending
	target domain.Checkpoint
	undo   domain.Checkpoint
}

func (w *restoring) run(ctx context.Context, tx repository.Tx) error {
	w.appending = appending{s: w.s, req: w.req, config: w.config}
	if err := w.lock(ctx, tx); err != nil {
		return err
	}
	at, err := stateAt(ctx, tx, w.session, w.target.Seq)
	if err != nil {
		return err
	}
	w.alerts = append(w.alerts, at.alerts...)
	if at.Hash() != w.target.StateHash {
		w.alerts = append(w.alerts, domain.Alert{Kind: "checkpoint_differs", Subject: w.target.ID,
			Detail: "the log folds to another state than when the checkpoint was made: events before it were erased or damaged"})
	}
	if w.undo, err = w.saveForUndo(ctx, tx); err != nil {
		return err
	}
	payload, err := session.RestoreEvent(w.target, w.undo.ID, &at.State)
	if err != nil {
		return err
	}
	e, err := domain.NewEvent(w.s.now(), "", payload)
	if err != nil {
		return err
	}
	events := []domain.Event{e}
	if err := w.s.prepare(events); err != nil {
		return err
	}
	return w.append(ctx, tx, events)
}

// saveForUndo makes the pre_restore checkpoint of where the session stands.
func (w *restoring) saveForUndo(ctx context.Context, tx repository.Tx) (domain.Checkpoint, error) {
	now, err := stateAt(ctx, tx, w.session, w.session.LastSeq)
	if err != nil {
		return domain.Checkpoint{}, err
	}
	c, err := w.s.putCheckpoint(ctx, tx, w.session, &now.State, domain.TriggerPreRestore, "before restoring "+w.target.ID)
	w.made = append(w.made, c) // retention counts it, once the restore names it as its undo
	return c, err
}

// restoration reads what the session was set back to.
func (s *Service) restoration(ctx context.Context, w *restoring, budget int64) (Restoration, error) {
	state := &w.state.State
	out := Restoration{SessionID: w.session.ID, CheckpointID: w.target.ID, UndoID: w.undo.ID, Seq: w.session.LastSeq,
		Epoch: state.Epoch, Mode: state.Mode}
	v := &view{s: s, r: s.Store, owner: w.session, state: state, by: w.req.By, budget: budget, source: "checkpoint " + w.target.ID}
	told, err := v.tell(ctx, FromReplay)
	if err != nil {
		return out, err
	}
	out.Messages, out.Earlier, out.Goals, out.Findings, out.Steps = told.Messages, told.Earlier, told.Goals, told.Findings, told.Steps
	out.Text = fmt.Sprintf("Set back to %s\nUndo: %s\n\n%s", tellCheckpoint(w.target), cmp.Or(s.Words.Say(domain.RestoreCheckpoint, w.undo.ID), w.undo.ID), told.Text)
	s.raise(ctx, w.session.ID, v.alerts)
	return out, nil
}

// forkCheckpoint makes a new session of what is in force at a checkpoint: its
// messages, goals, findings and steps as events of its own. What the original
// spent is not counted again.
func (s *Service) forkCheckpoint(ctx context.Context, req CheckpointRequest) (CheckpointAnswer, error) {
	c, origin, err := s.checkpointOf(ctx, s.Store, req.ID, req.Ref)
	if err != nil {
		return CheckpointAnswer{}, err
	}
	at, err := stateAt(ctx, s.Store, origin, c.Seq)
	if err != nil {
		return CheckpointAnswer{}, err
	}
	fork, err := s.newSession(SessionRef{Project: origin.Project, Client: origin.Client}, SessionOpening{})
	if err != nil {
		return CheckpointAnswer{}, err
	}
	fork.Title, fork.AgentID, fork.OriginID = origin.Title, origin.AgentID, origin.OriginID
	fork.ForkedFrom, fork.ForkedSeq = origin.ID, c.Seq
	fork.Opened, fork.Mode, fork.Model, fork.Provider = origin.Opened, origin.Opened.Mode, origin.Opened.Model, origin.Opened.Provider
	fork.ContextLimit, fork.LearnedLimit = origin.ContextLimit, origin.LearnedLimit
	a := &appending{s: s, config: s.SessionConfig(), req: AppendRequest{By: req.By, Ref: SessionRef{SessionID: fork.ID}, Import: true}}
	err = s.Store.Write(ctx, repository.Durable, func(tx repository.Tx) error {
		*a = appending{s: s, req: a.req, config: a.config}
		if err := tx.OpenSession(ctx, fork); err != nil {
			return err
		}
		if err := a.lock(ctx, tx); err != nil {
			return err
		}
		a.answer.Opened = true
		events, err := s.copies(ctx, tx, origin, &at.State)
		if err != nil {
			return err
		}
		return a.append(ctx, tx, events)
	})
	if err != nil {
		return CheckpointAnswer{}, err
	}
	s.raise(ctx, origin.ID, at.alerts)
	a.afterwards(ctx)
	return CheckpointAnswer{ID: c.ID, SessionID: origin.ID, ForkID: fork.ID, Checkpoint: &c,
		Text: s.Words.Behind(fmt.Sprintf("Forked session %s at event %d into session %s (%s)", origin.ID, c.Seq, fork.ID,
			domain.Many(a.session.LastSeq, "event")), domain.ResumeSession, fork.ID)}, nil
}

// copies are the events in force at a state, made ready for a fork.
func (s *Service) copies(ctx context.Context, r repository.Reader, origin domain.Session, at *session.State) ([]domain.Event, error) {
	events, err := r.Events(ctx, domain.EventQuery{SessionID: origin.ID, Until: at.LastSeq})
	if err != nil {
		return nil, err
	}
	var out []domain.Event
	for _, e := range events {
		if !at.Covers(e.Seq) || e.Damaged != "" || !forks(e.Type) {
			continue
		}
		copied := domain.Event{Key: e.Key, Type: e.Type, At: e.At, Payload: e.Payload,
			Source: domain.SourcePos{Name: session.CopiedFrom(origin.ID), Pos: e.Seq, ID: e.ID}}
		erased := e.Erased
		if err := s.prepareCopy(&copied, e); err != nil {
			return nil, err
		}
		copied.Erased = erased
		out = append(out, copied)
	}
	return out, nil
}

// prepareCopy keeps the facts of the original, which are the erased ones' only trace.
func (s *Service) prepareCopy(copied *domain.Event, original domain.Event) error {
	copied.ID, copied.RecordedAt = s.newEventID(), s.now()
	if original.Erased {
		copied.Facts, copied.Light = original.Facts, original.Payload
		copied.Spent = domain.Totals{}
		return nil
	}
	return session.Prepare(copied)
}

// forks reports whether events of a type go into a fork: what was said and found
// does, what was spent does not.
func forks(t domain.EventType) bool {
	switch t {
	case domain.EventOp, domain.EventUsage, domain.EventEnd, domain.EventRestored:
		return false
	}
	return true
}
