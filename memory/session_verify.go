package memory

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"wake/domain"
	"wake/repository"
	"wake/session"
)

// Verify folds a session (every session if sessionID is "") again from its first event
// and reports where stored data differs from what the events say. It changes nothing.
// progress may be nil; it is called after each session.
func (s *Service) Verify(ctx context.Context, sessionID string, progress func(done, total int)) (VerifyAnswer, error) {
	list, err := s.verified(ctx, sessionID)
	if err != nil {
		return VerifyAnswer{}, err
	}
	a := VerifyAnswer{Problems: []VerifyIssue{}}
	for i, id := range list {
		var v *verifier
		err := s.Store.View(ctx, func(r repository.Reader) error { // one view, as the session may grow meanwhile
			owner, err := r.Session(ctx, id)
			if err != nil {
				return err
			}
			v = &verifier{r: r, owner: owner, state: folded{State: session.Begin(owner)}, again: session.AsOpened(owner), ops: map[string]domain.Op{}}
			return v.run(ctx)
		})
		if err != nil {
			return a, err
		}
		a.Sessions++
		a.Events += v.state.events
		a.Problems = append(a.Problems, v.issues...)
		if progress != nil {
			progress(i+1, len(list))
		}
	}
	return a, nil
}

// verified returns the ids of the sessions to verify.
func (s *Service) verified(ctx context.Context, sessionID string) ([]string, error) {
	if sessionID != "" {
		one, err := sessionByID(ctx, s.Store, sessionID)
		return []string{one.ID}, err
	}
	all, err := s.Store.Sessions(ctx, domain.SessionQuery{Forgotten: true})
	return each(all, func(o domain.Session) string { return o.ID }), err
}

// verifier checks one session.
type verifier struct {
	r      repository.Reader
	owner  domain.Session
	again  domain.Session // counted anew from the events
	state  folded
	ops    map[string]domain.Op
	points []domain.Checkpoint // in order, without those already compared
	snap   *domain.StateSnapshot
	erased bool // an event so far is erased or damaged, so hashes may differ
	issues []VerifyIssue
}

func (v *verifier) issue(subject, remedy, detail string, args ...any) {
	v.issues = append(v.issues, VerifyIssue{SessionID: v.owner.ID, Subject: subject, Detail: fmt.Sprintf(detail, args...), Remedy: remedy})
}

const (
	remedyBackup  = "what is whole is still used; restore the file from a backup to get it back"
	remedyRebuilt = "nothing to do: it is built again when it is needed"
)

func (v *verifier) run(ctx context.Context) error {
	if err := v.prepare(ctx); err != nil {
		return err
	}
	v.atPoint()
	for {
		events, err := v.r.Events(ctx, domain.EventQuery{SessionID: v.owner.ID, After: v.state.LastSeq, Limit: foldPage / 4})
		if err != nil {
			return err
		}
		if len(events) == 0 {
			break
		}
		for _, e := range events {
			v.take(e)
		}
	}
	for _, a := range v.state.alerts {
		v.issue("events", remedyBackup, "%s %s: %s", a.Kind, a.Subject, a.Detail)
	}
	if v.state.LastSeq != v.owner.LastSeq {
		v.issue("sequence", remedyBackup, "the log ends at %d, the session says %d", v.state.LastSeq, v.owner.LastSeq)
	}
	return v.compare(ctx)
}

// prepare loads what is compared while folding.
func (v *verifier) prepare(ctx context.Context) error {
	var err error
	v.points, err = v.r.Checkpoints(ctx, domain.CheckpointQuery{SessionID: v.owner.ID, OldestFirst: true, Deleted: true})
	if err != nil {
		return err
	}
	snap, err := v.r.StateSnapshot(ctx, v.owner.ID)
	switch {
	case err == nil:
		v.snap = &snap
	case domain.KindOf(err) != domain.KindNotFound:
		return err
	case v.owner.SnapshotSeq > 0:
		v.issue("snapshot", remedyRebuilt, "the state snapshot at %d is gone", v.owner.SnapshotSeq)
	}
	return nil
}

// take folds one event and compares what points to it.
func (v *verifier) take(e domain.Event) {
	spent := v.charge(e)
	if e.Damaged == "" && spent != e.Spent {
		v.issue("totals", remedyBackup, "event %d says that it added %+v, its operations %+v", e.Seq, e.Spent, spent)
	}
	v.erased = v.erased || e.Erased || e.Damaged != ""
	v.state.take(e)
	v.again.LastSeq = e.Seq - 1
	session.Place(&v.again, &e)
	if e.Damaged == "" {
		if err := session.Advance(&v.again, e); err != nil {
			v.issue("events", remedyBackup, "event %d: %v", e.Seq, err)
		}
	}
	v.atPoint()
}

func (v *verifier) charge(e domain.Event) domain.Totals {
	reports, err := session.Reports(e)
	if e.Damaged != "" || err != nil {
		return e.Spent
	}
	var spent domain.Totals
	for _, r := range reports {
		spent = spent.Plus(charge(v.ops, e, r))
	}
	return spent
}

// atPoint compares the snapshot and the checkpoints that point to the event reached.
func (v *verifier) atPoint() {
	for len(v.points) > 0 && v.points[0].Seq <= v.state.LastSeq {
		c := v.points[0]
		v.points = v.points[1:]
		if c.Seq == v.state.LastSeq && !v.erased && c.StateHash != v.state.Hash() {
			v.issue("checkpoint", "it still points at its place; the log is what counts", "checkpoint %s at %d remembers another state", c.ID, c.Seq)
		}
	}
	if v.snap == nil || v.snap.Seq != v.state.LastSeq {
		return
	}
	if _, err := session.Open(*v.snap); err != nil {
		v.issue("snapshot", remedyRebuilt, "%v", err)
		return
	}
	state, err := json.Marshal(&v.state.State)
	if err == nil && !v.erased && !bytes.Equal(state, v.snap.State) {
		v.issue("snapshot", remedyRebuilt, "the snapshot at %d holds another state than the log folds to", v.snap.Seq)
	}
}

// compare compares the projections after the whole log is folded.
func (v *verifier) compare(ctx context.Context) error {
	v.compareRow()
	for _, c := range v.points {
		v.issue("checkpoint", remedyBackup, "checkpoint %s points at %d, past the end of the log", c.ID, c.Seq)
	}
	if err := v.compareOps(ctx); err != nil {
		return err
	}
	if err := v.compareSteps(ctx); err != nil {
		return err
	}
	cached, err := v.r.CachedContext(ctx, v.owner.ID)
	if domain.KindOf(err) == domain.KindNotFound {
		return nil
	}
	if err != nil {
		return err
	}
	if _, err := session.Deserialize(cached.Payload); err != nil {
		v.issue("working context", remedyRebuilt, "%v", err)
	}
	return nil
}

func (v *verifier) compareRow() {
	a, b := v.again, v.owner
	row := func(s domain.Session) []any {
		return []any{s.Turn, s.Epoch, s.Messages, s.HumanMsgs, s.Mode, s.Totals}
	}
	if !v.erased && !slices.Equal(row(a), row(b)) {
		v.issue("session", remedyBackup, "turn, epoch, messages, user messages, mode and totals are %v, the log says %v", row(b), row(a))
	}
}

func (v *verifier) compareOps(ctx context.Context) error {
	stored, err := v.r.Ops(ctx, v.owner.ID, nil)
	if err != nil {
		return err
	}
	for _, op := range stored {
		again, ok := v.ops[op.ID]
		switch {
		case !ok && !v.erased:
			v.issue("operations", remedyBackup, "operation %s is in no event", op.ID)
		case ok && (again.Status != op.Status || again.Usage != op.Usage || again.Kind != op.Kind):
			v.issue("operations", remedyBackup, "operation %s is %s with %+v, its events say %s with %+v", op.ID, op.Status, op.Usage, again.Status, again.Usage)
		}
		delete(v.ops, op.ID)
	}
	for _, id := range slices.Sorted(maps.Keys(v.ops)) {
		v.issue("operations", remedyBackup, "operation %s of the events is not kept", id)
	}
	ledger, err := v.r.Ledger(ctx, v.owner.ID)
	if err != nil {
		return err
	}
	sum := session.Sum(ledger)
	sum.AgentsRun = 1
	if sum != v.owner.Totals {
		v.issue("ledger", remedyBackup, "the ledger adds up to %+v, the session's totals are %+v", sum, v.owner.Totals)
	}
	return nil
}

func (v *verifier) compareSteps(ctx context.Context) error {
	steps, err := v.r.CompletedSteps(ctx, v.owner.ID)
	if err != nil {
		return err
	}
	inForce := int64(0)
	for _, step := range steps {
		if v.state.Covers(step.Seq) {
			inForce++
		}
	}
	if inForce != v.state.Steps.Count && !v.erased {
		v.issue("steps", remedyBackup, "%d completed steps are kept, the log has %d", inForce, v.state.Steps.Count)
	}
	return nil
}
