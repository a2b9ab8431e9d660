package memory

import (
	"context"

	"wake/domain"
	"wake/repository"
	"wake/session"
)

// charge works out what each event adds to the operations and totals, and stores
// operations, ledger and which events have logs.
func (a *appending) charge(ctx context.Context, tx repository.Tx, events []domain.Event) error {
	reports := make([][]domain.OpReport, len(events))
	var ids []string
	for i, e := range events {
		var err error
		if reports[i], err = session.Reports(e); err != nil {
			return err
		}
		for _, r := range reports[i] {
			ids = append(ids, r.OpID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	a.ops = distinct(ids)
	ops, err := a.heldOps(ctx, tx)
	if err != nil {
		return err
	}
	for i := range events {
		e := &events[i]
		for _, r := range reports[i] {
			e.Spent = e.Spent.Plus(charge(ops, *e, r))
			if len(r.Logs) == 0 {
				continue
			}
			if err := tx.PutOpLog(ctx, e.SessionID, r.OpID, e.Seq); err != nil {
				return err
			}
		}
	}
	return a.putOps(ctx, tx, ops)
}

// heldOps returns those of the operations in the new events that the session knows, by
// their ids.
func (a *appending) heldOps(ctx context.Context, tx repository.Tx) (map[string]domain.Op, error) {
	ops := map[string]domain.Op{}
	var held []string
	for _, id := range a.ops {
		if a.before.LastSeq > 0 && !a.req.filled.lacks(id) {
			held = append(held, id)
		}
	}
	if len(held) == 0 {
		return ops, nil
	}
	known, err := tx.Ops(ctx, a.session.ID, held)
	for _, op := range known {
		ops[op.ID] = op
	}
	return ops, err
}

// charge applies one report to the operations and returns what it adds to the totals.
func charge(ops map[string]domain.Op, e domain.Event, r domain.OpReport) domain.Totals {
	var known *domain.Op
	if op, ok := ops[r.OpID]; ok {
		known = &op
	}
	op, spent := session.Charge(known, e, r)
	ops[r.OpID] = op
	return spent
}

// putOps stores the operations in the new events, and their ledger.
func (a *appending) putOps(ctx context.Context, tx repository.Tx, byID map[string]domain.Op) error {
	var ops []domain.Op
	var ledger []domain.LedgerEntry
	for _, id := range a.ops {
		op := byID[id]
		ops = append(ops, op)
		at := op.EndedAt
		if at.IsZero() {
			at = op.StartedAt
		}
		if entry, ok := session.Entry(op, a.session.OriginID, at); ok {
			ledger = append(ledger, entry)
		}
	}
	if err := tx.PutOps(ctx, ops); err != nil {
		return err
	}
	return tx.PutLedger(ctx, ledger)
}

// putProjections updates the turns, usage samples and completed steps.
func (a *appending) putProjections(ctx context.Context, tx repository.Tx) error {
	if len(a.fresh) == 0 {
		return nil
	}
	if err := tx.PutTurns(ctx, a.turns()); err != nil {
		return err
	}
	var samples []domain.UsageSample
	for _, g := range a.gauges {
		samples = append(samples, g.UsageSample)
	}
	if err := tx.PutUsageSamples(ctx, samples); err != nil {
		return err
	}
	steps, err := a.completed()
	if err != nil {
		return err
	}
	return tx.PutCompletedSteps(ctx, a.session.ID, steps)
}

// completed returns the steps that the new events complete.
func (a *appending) completed() (list []domain.CompletedStep, err error) {
	for _, e := range a.fresh {
		if e.Type != domain.EventStep {
			continue
		}
		step, err := domain.PayloadAs[domain.Step](e)
		if err != nil {
			return nil, err
		}
		if step.Status == domain.StepCompleted {
			list = append(list, domain.CompletedStep{ID: step.ID, Seq: e.Seq})
		}
	}
	return list, nil
}

// turns returns the turns that the new events belong to.
func (a *appending) turns() []domain.Turn {
	var out []domain.Turn
	for _, e := range a.fresh {
		if n := len(out); n == 0 || out[n-1].Index != e.Turn {
			out = append(out, domain.Turn{SessionID: e.SessionID, Index: e.Turn, FirstSeq: e.Seq, StartedAt: e.At, Label: turnLabel(e)})
		}
		t := &out[len(out)-1]
		t.LastSeq, t.EndedAt = e.Seq, e.At
	}
	return out
}

// turnLabel labels a turn with the beginning of its human message.
func turnLabel(e domain.Event) string {
	if !e.Human {
		return ""
	}
	m, err := e.Message()
	if err != nil {
		return ""
	}
	return session.OneLine(PlainText(m.Content), 100)
}
