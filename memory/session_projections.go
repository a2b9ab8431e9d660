package memory

import (
	"context"

	"wake/domain"
	"wake/repository"
	"wake/session"
)

// charge works out what each event adds to the operations and totals, and stores
// operations and ledger.
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
	book, err := a.openBook(ctx, tx)
	if err != nil {
		return err
	}
	for i := range events {
		for _, r := range reports[i] {
			events[i].Spent = events[i].Spent.Plus(book.report(events[i], r))
			if len(r.Logs) > 0 {
				book.logs = append(book.logs, domain.CompletedStep{ID: r.OpID, Seq: events[i].Seq})
			}
		}
	}
	return book.write(ctx, tx, a.session)
}

// book holds the operations that a batch of events changes.
type book struct {
	ops   map[string]domain.Op
	order []string // ids in order of change, with repeats
	logs  []domain.CompletedStep
}

func (a *appending) openBook(ctx context.Context, tx repository.Tx) (*book, error) {
	b := &book{ops: map[string]domain.Op{}}
	var held []string
	for _, id := range a.ops {
		if a.before.LastSeq > 0 && !a.req.filled.lacks(id) {
			held = append(held, id)
		}
	}
	if len(held) == 0 {
		return b, nil
	}
	known, err := tx.Ops(ctx, a.session.ID, held)
	if err != nil {
		return nil, err
	}
	for _, op := range known {
		b.ops[op.ID] = op
	}
	return b, nil
}

// report applies one report and returns what it adds to the totals.
func (b *book) report(e domain.Event, r domain.OpReport) domain.Totals {
	b.order = append(b.order, r.OpID)
	return charge(b.ops, e, r)
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

func (b *book) write(ctx context.Context, tx repository.Tx, s domain.Session) error {
	var ops []domain.Op
	var ledger []domain.LedgerEntry
	for _, id := range distinct(b.order) {
		op := b.ops[id]
		ops = append(ops, op)
		at := op.EndedAt
		if at.IsZero() {
			at = op.StartedAt
		}
		if entry, ok := session.Entry(op, s.OriginID, at); ok {
			ledger = append(ledger, entry)
		}
	}
	if err := tx.PutOps(ctx, ops); err != nil {
		return err
	}
	for _, l := range b.logs {
		if err := tx.PutOpLog(ctx, s.ID, l.ID, l.Seq); err != nil {
			return err
		}
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
