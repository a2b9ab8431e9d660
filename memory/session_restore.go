package memory

import (
	"cmp"
	"context"
	"fmt"

	"wake/domain"
	"wake/repository"
	"wake/session"
)

// RestoreBudget is the default budget of a restore, in tokens.
const RestoreBudget = 25_000

// restoreCheckpoint sets a session back. It makes a pre_restore checkpoint, then
// appends one event with the restored state, which begins a new epoch. Nothing is
// removed from the log, and nothing else changes.
func (s *Service) restoreCheckpoint(ctx context.Context, req CheckpointRequest) (CheckpointAnswer, error) {
	budget, err := budgetOf(req.TokenBudget, RestoreBudget)
	if err != nil {
		return CheckpointAnswer{}, err
	}
	c, owner, err := checkpointOf(ctx, s.Store, req.ID, req.Ref)
	if err != nil {
		return CheckpointAnswer{}, err
	}
	if !c.DeletedAt.IsZero() {
		return CheckpointAnswer{}, deletedCheckpoint(c.ID)
	}
	w := &restoring{appending: s.appending(AppendRequest{By: req.By, Ref: SessionRef{SessionID: owner.ID}}), target: c}
	if err := w.commit(ctx, w.run); err != nil {
		return CheckpointAnswer{}, err
	}
	restored, notes, err := s.restoration(ctx, w, budget)
	a := CheckpointAnswer{ID: c.ID, SessionID: owner.ID, Restored: &restored, Text: restored.Text, Notes: notes}
	return a, err
}

// restoring is one restore: an append preceded by a checkpoint.
type restoring struct {
	appending
	target domain.Checkpoint
	undo   domain.Checkpoint
}

func (w *restoring) run(ctx context.Context, tx repository.Tx) error {
	if err := w.lock(ctx, tx); err != nil {
		return err
	}
	at, err := stateAt(ctx, tx, w.session, w.target.Seq)
	if err != nil {
		return err
	}
	if at.Hash() != w.target.StateHash {
		at.alert("checkpoint_differs", w.target.ID, "the log folds to another state than when the checkpoint was made: events before it were erased or damaged")
	}
	if err := w.s.raiseIn(ctx, tx, w.session.ID, at.alerts); err != nil {
		return err
	}
	if w.undo, err = w.saveForUndo(ctx, tx); err != nil {
		return err
	}
	payload, err := session.RestoreEvent(w.target, w.undo.ID, &at.State)
	if err != nil {
		return err
	}
	events, err := w.s.ownEvent("", payload)
	if err != nil {
		return err
	}
	return w.append(ctx, tx, events)
}

// saveForUndo makes the pre_restore checkpoint of the present state.
func (w *restoring) saveForUndo(ctx context.Context, tx repository.Tx) (domain.Checkpoint, error) {
	now, err := stateAt(ctx, tx, w.session, w.session.LastSeq)
	if err != nil {
		return domain.Checkpoint{}, err
	}
	c, err := w.s.putCheckpoint(ctx, tx, w.session, &now.State, w.config.window(&w.session).Limit, domain.TriggerPreRestore, "before restoring "+w.target.ID)
	w.answer.Checkpoints = append(w.answer.Checkpoints, c) // so that retention runs, after the restore has named it as its undo
	return c, err
}

// restoration returns the state that the session was set back to, and notes on what is
// missing from it.
func (s *Service) restoration(ctx context.Context, w *restoring, budget int64) (Restoration, []string, error) {
	state := &w.state.State
	out := Restoration{SessionID: w.session.ID, CheckpointID: w.target.ID, UndoID: w.undo.ID, Seq: w.session.LastSeq,
		Epoch: state.Epoch, Mode: state.Mode}
	v := &view{s: s, logAt: logAt{s.Store, w.session.ID, state}, owner: w.session, by: w.req.By, budget: budget, source: "checkpoint " + w.target.ID}
	told, err := v.tell(ctx, FromReplay)
	if err != nil {
		return out, nil, err
	}
	out.Messages, out.Earlier, out.Goals, out.Findings, out.Steps = told.Messages, told.Earlier, told.Goals, told.Findings, told.Steps
	out.Text = fmt.Sprintf("Set back to %s\nUndo: %s\n\n%s", tellCheckpoint(w.target), cmp.Or(s.Words.Say(domain.RestoreCheckpoint, w.undo.ID), w.undo.ID), told.Text)
	s.raise(ctx, w.session.ID, v.alerts)
	return out, told.Notes, nil
}
