package memory

import (
	"context"
	"slices"

	"wake/domain"
	"wake/repository"
	"wake/session"
)

// gauge is a usage event's sample, with the fraction of the context window that was full.
type gauge struct {
	domain.UsageSample
	fraction float64
}

// consequences does what follows from the new events, in the same transaction:
// checkpoints, hand-offs, the state snapshot and the cached working context.
func (a *appending) consequences(ctx context.Context, tx repository.Tx) error {
	if len(a.fresh) == 0 {
		return nil
	}
	if err := a.followEvents(ctx, tx); err != nil {
		return err
	}
	if err := a.snapshot(ctx, tx); err != nil {
		return err
	}
	if err := a.cache(ctx, tx); err != nil {
		return err
	}
	if len(a.answer.Checkpoints) > 0 {
		if err := a.retain(ctx, tx); err != nil {
			return err
		}
	}
	if a.state == nil {
		return nil
	}
	return a.s.raiseIn(ctx, tx, a.session.ID, a.state.alerts)
}

// followEvents handles the new events in order, because some need the state right
// before or after them.
func (a *appending) followEvents(ctx context.Context, tx repository.Tx) error {
	for _, e := range a.fresh {
		var err error
		switch e.Type {
		case domain.EventCompaction:
			err = a.beforeCompaction(ctx, tx, e)
		case domain.EventMode:
			err = a.modeChange(ctx, tx, e)
		case domain.EventUsage:
			err = a.threshold(ctx, tx, e.Seq)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// stateTo folds up to seq, which must not fall from call to call.
func (a *appending) stateTo(ctx context.Context, tx repository.Tx, seq int64) (*session.State, error) {
	if a.state == nil {
		before := a.before
		before.Opened = a.session.Opened // a session without events may have just got it
		f, err := stateAt(ctx, tx, before, min(seq, before.LastSeq))
		if err != nil {
			return nil, err
		}
		a.state = &f
	}
	for _, e := range a.fresh { // no need to read these
		if e.Seq > a.state.LastSeq && e.Seq <= seq {
			a.state.take(session.Light(e))
		}
	}
	return &a.state.State, a.state.follow(ctx, tx, a.session.ID, seq)
}

// beforeCompaction makes a checkpoint of the state before the client's compaction,
// unless a hook has just done so.
func (a *appending) beforeCompaction(ctx context.Context, tx repository.Tx, e domain.Event) error {
	if !a.config.Enabled || !a.config.Auto || e.Seq == 1 || e.Source.Copied() {
		return nil
	}
	last, err := tx.Checkpoints(ctx, domain.CheckpointQuery{SessionID: a.session.ID, Class: domain.ClassAutomatic, Limit: 1})
	if err != nil || len(last) > 0 && last[0].Seq == e.Seq-1 {
		return err
	}
	c, err := domain.PayloadAs[domain.Compaction](e)
	if err != nil {
		return err
	}
	_, err = a.checkpoint(ctx, tx, e.Seq-1, session.TriggerBeforeCompaction(c))
	return err
}

// checkpoint makes a checkpoint at seq and returns its id.
func (a *appending) checkpoint(ctx context.Context, tx repository.Tx, seq int64, trigger domain.Trigger) (string, error) {
	state, err := a.stateTo(ctx, tx, seq)
	if err != nil {
		return "", err
	}
	c, err := a.s.putCheckpoint(ctx, tx, a.session, state, a.limits[seq], trigger, "")
	a.answer.Checkpoints = append(a.answer.Checkpoints, c)
	return c.ID, err
}

// threshold fires the thresholds that were reached at a usage event, each once per
// epoch (I13). It makes one checkpoint, for the highest built-in threshold.
func (a *appending) threshold(ctx context.Context, tx repository.Tx, seq int64) error {
	i := slices.IndexFunc(a.gauges, func(g gauge) bool { return g.Seq == seq })
	if i < 0 || !a.config.Enabled || !a.config.Auto || a.req.Import || a.gauges[i].fraction == 0 {
		return nil
	}
	g := a.gauges[i]
	crossed, err := a.crossed(ctx, tx, g)
	if err != nil || len(crossed) == 0 {
		return err
	}
	checkpointID := ""
	if own := session.Crossed(g.fraction, a.config.builtIn(), nil); slices.ContainsFunc(crossed, among(own)) {
		if checkpointID, err = a.checkpoint(ctx, tx, seq, session.TriggerAt(own[len(own)-1])); err != nil {
			return err
		}
	}
	for _, t := range crossed {
		f := domain.ThresholdFiring{SessionID: a.session.ID, Epoch: g.Epoch, Threshold: t, At: a.s.now(), Seq: seq, CheckpointID: checkpointID}
		first, err := tx.PutFiring(ctx, f)
		if err != nil {
			return err
		}
		if first {
			a.firings = append(a.firings, f)
		}
	}
	return nil
}

func among(list []float64) func(float64) bool {
	return func(t float64) bool {
		return slices.ContainsFunc(list, func(l float64) bool { return session.SameThreshold(l, t) })
	}
}

// crossed returns the reached thresholds that have not fired in this epoch.
func (a *appending) crossed(ctx context.Context, tx repository.Tx, g gauge) ([]float64, error) {
	all := a.s.thresholds(a.config)
	if len(session.Crossed(g.fraction, all, nil)) == 0 {
		return nil, nil
	}
	firings, err := tx.Firings(ctx, a.session.ID)
	if err != nil {
		return nil, err
	}
	var fired []float64
	for _, f := range firings {
		if f.Epoch == g.Epoch {
			fired = append(fired, f.Threshold)
		}
	}
	return session.Crossed(g.fraction, all, fired), nil
}

// modeChange makes the hand-off for a change of mode.
func (a *appending) modeChange(ctx context.Context, tx repository.Tx, e domain.Event) error {
	if a.req.Import || e.Source.Copied() {
		return nil
	}
	m, err := domain.PayloadAs[domain.Mode](e)
	if err != nil {
		return err
	}
	state, err := a.stateTo(ctx, tx, e.Seq-1)
	if err != nil || state.Mode == m.To {
		return err
	}
	given := session.Handed{Mode: m, Before: state}
	if err := a.takePrepared(ctx, tx, &given); err != nil {
		return err
	}
	h, err := a.s.makeHandoff(ctx, tx, a.session.ID, e.Seq, given)
	if err != nil {
		return err
	}
	a.answer.Handoff = &h
	return nil
}

// takePrepared adds what a hand-off says that was made on request for this change of mode,
// since the last change. Otherwise the hand-off made here, which is newer, would hide it.
func (a *appending) takePrepared(ctx context.Context, tx repository.Tx, h *session.Handed) error {
	q := domain.HandoffQuery{SessionID: a.session.ID, ToMode: h.Mode.To, AliveAt: a.s.now(), Limit: 1}
	list, err := tx.Handoffs(ctx, q)
	if err != nil || len(list) == 0 {
		return err
	}
	prepared, err := logAt{tx, a.session.ID, h.Before}.prepared(ctx, list[0])
	if prepared {
		h.Take(list[0])
	}
	return err
}

// snapshot stores the state snapshot if one is due.
func (a *appending) snapshot(ctx context.Context, tx repository.Tx) error {
	if !session.SnapshotDue(a.before.SnapshotSeq, a.session.LastSeq, a.config.SnapshotInterval, a.fresh) {
		return nil
	}
	state, err := a.stateTo(ctx, tx, a.session.LastSeq)
	if err != nil {
		return err
	}
	return a.s.putSnapshot(ctx, tx, &a.session, state)
}

func (s *Service) putSnapshot(ctx context.Context, tx repository.Tx, owner *domain.Session, state *session.State) error {
	snap, err := session.Snapshot(owner.ID, state)
	if err != nil {
		return err
	}
	if len(snap.State) > domain.SnapshotWarning {
		s.Log.Warn("a state snapshot is large", "session", owner.ID, "bytes", len(snap.State), "guidance", domain.SnapshotWarning)
	}
	snap.CreatedAt = s.now()
	owner.SnapshotSeq = snap.Seq
	return tx.PutStateSnapshot(ctx, snap)
}

// cache stores the working context at safe boundaries: the end of an assistant's turn,
// a compaction, a restore (004-11).
func (a *appending) cache(ctx context.Context, tx repository.Tx) error {
	if a.req.Import || !slices.ContainsFunc(a.fresh, opensEpoch) && !endsTurn(a.fresh[len(a.fresh)-1]) {
		return nil
	}
	state, err := a.stateTo(ctx, tx, a.session.LastSeq)
	if err != nil {
		return err
	}
	return a.s.putCache(ctx, tx, a.session, state)
}

func opensEpoch(e domain.Event) bool {
	return e.Type == domain.EventCompaction || e.Type == domain.EventRestored
}

// endsTurn reports whether e is a message of the assistant that calls no tool.
func endsTurn(e domain.Event) bool {
	if e.Type != domain.EventMessage || e.Role != domain.RoleAssistant {
		return false
	}
	m, err := e.Message()
	return err == nil && len(m.ToolCalls) == 0 && m.Content != ""
}

// retain removes the surplus checkpoints (I7).
func (a *appending) retain(ctx context.Context, tx repository.Tx) error {
	state, err := a.stateTo(ctx, tx, a.session.LastSeq)
	if err != nil {
		return err
	}
	_, err = a.s.retain(ctx, tx, a.session.ID, state.UndoID, a.config.Keep)
	return err
}
