package memory

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"wake/domain"
	"wake/repository"
	"wake/session"
)

// appending is one append in its transaction. run leaves out what the session holds;
// append stores the rest, updates what is derived from it, and does what follows from it.
// A restore makes its event itself and only appends; a session of another wake has an
// order of its own, runAdopt.
type appending struct {
	s      *Service
	req    AppendRequest
	config SessionConfig
	answer RecordAnswer

	session domain.Session // with the new events as far as they are placed
	before  domain.Session // as it was when it was locked

	// Of the new events:
	fresh  []domain.Event  // placed and stored
	ops    []string        // ids of operations in them
	gauges []gauge         // one for each usage event
	limits map[int64]int64 // of the window, by seq, where one of them may call for a checkpoint

	// What follows from them:
	state   *folded // folded as far as needed so far
	firings []domain.ThresholdFiring
}

func (s *Service) appending(req AppendRequest) appending {
	return appending{s: s, req: req, config: s.SessionConfig(), limits: map[int64]int64{}}
}

// commit runs an append in a transaction, and informs those who wait for it.
func (a *appending) commit(ctx context.Context, run func(context.Context, repository.Tx) error) error {
	err := a.s.Store.Write(ctx, repository.Durability(!a.req.Relaxed), func(tx repository.Tx) error { return run(ctx, tx) })
	if err == nil {
		a.afterwards(ctx)
	}
	return err
}

func (a *appending) run(ctx context.Context, tx repository.Tx) error {
	if err := a.lock(ctx, tx); err != nil {
		return err
	}
	if err := a.expected(); err != nil {
		return err
	}
	events, err := a.unheld(ctx, tx)
	if err != nil {
		return err
	}
	if events, err = a.announce(events); err != nil {
		return err
	}
	if a.req.Cursor != nil {
		cursor := *a.req.Cursor
		cursor.SessionID, cursor.UpdatedAt = a.session.ID, a.s.now()
		unsayTitles(&cursor, distinct(append(slices.Clip(a.req.purged), a.session.PurgedTitles...)))
		if err := tx.PutCursor(ctx, cursor); err != nil {
			return err
		}
	}
	if err := a.learnLimit(ctx, tx, events); err != nil {
		return err
	}
	return a.append(ctx, tx, events)
}

// append stores events that are known to be new, and does what follows from them.
func (a *appending) append(ctx context.Context, tx repository.Tx, events []domain.Event) error {
	if err := a.place(ctx, tx, events); err != nil {
		return err
	}
	if err := a.s.indexMessages(ctx, tx, a.session, a.fresh, a.req.said); err != nil {
		return err
	}
	if err := a.putProjections(ctx, tx); err != nil {
		return err
	}
	if err := a.consequences(ctx, tx); err != nil {
		return err
	}
	a.finish()
	return a.save(ctx, tx)
}

// lock finds or opens the session. tx holds the writer's lock, so nobody else changes
// it.
func (a *appending) lock(ctx context.Context, tx repository.Tx) (err error) {
	if a.session, err = a.find(ctx, tx); err != nil {
		return err
	}
	a.before = a.session
	a.req.filled.meet(a.session)
	a.answer.SessionID = a.session.ID
	a.describe()
	if err := a.beginEmpty(ctx, tx); err != nil {
		return err
	}
	return a.attach(ctx, tx)
}

// expected refuses to append if the log has events that the caller does not know
// (003-06).
func (a *appending) expected() error {
	if a.req.ExpectedSeq == nil || *a.req.ExpectedSeq == a.session.LastSeq {
		return nil
	}
	return domain.Conflict("the session's last event is %d, not %d; read what came after and try again", a.session.LastSeq, *a.req.ExpectedSeq)
}

// place gives the events their places and costs, and stores them.
func (a *appending) place(ctx context.Context, tx repository.Tx, events []domain.Event) error {
	for i := range events {
		if err := a.modeOfFinding(&events[i]); err != nil {
			return err
		}
		if err := a.allowName(&events[i]); err != nil {
			return err
		}
		session.Place(&a.session, &events[i])
		if err := a.remember(events[i]); err != nil {
			return err
		}
	}
	if err := a.charge(ctx, tx, events); err != nil {
		return err
	}
	for _, e := range events {
		a.session.Totals = a.session.Totals.Plus(e.Spent)
	}
	a.fresh = events
	return tx.AppendEvents(ctx, events)
}

// remember applies an event to the session's row, without its costs, which are not
// known yet.
func (a *appending) remember(e domain.Event) error {
	e.Spent = domain.Totals{}
	if e.Type == domain.EventCompaction { // the next limit is learnt from it
		a.limits[e.Seq-1] = a.config.window(&a.session).Limit
	}
	if err := session.Advance(&a.session, e); err != nil {
		return err
	}
	if e.Type != domain.EventUsage {
		return nil
	}
	a.limits[e.Seq] = a.config.window(&a.session).Limit
	w, err := domain.PayloadAs[domain.Window](e)
	if err != nil {
		return err
	}
	sample := domain.UsageSample{SessionID: e.SessionID, Seq: e.Seq, At: e.At, Epoch: a.session.Epoch, Tokens: w.Tokens, Limit: w.Limit}
	a.gauges = append(a.gauges, gauge{sample, session.Fraction(a.config.window(&a.session))})
	return nil
}

// announce adds an event before the caller's if the caller names another model or
// provider than the session has (I19).
func (a *appending) announce(events []domain.Event) ([]domain.Event, error) {
	about := domain.About{}
	if o := a.req.Open; !a.answer.Opened {
		if o.Model != a.session.Model {
			about.Model = o.Model
		}
		if o.Provider != a.session.Provider {
			about.Provider = o.Provider
		}
	}
	if len(events) == 0 || about.Model == "" && about.Provider == "" {
		return events, nil
	}
	first, err := a.s.ownEvent("", about)
	if err != nil {
		return nil, err
	}
	for i := range a.answer.Seqs {
		if a.answer.Seqs[i] > a.session.LastSeq {
			a.answer.Seqs[i]++
		}
	}
	return append(first, events...), nil
}

// modeOfFinding sets the mode of a finding that names none.
func (a *appending) modeOfFinding(e *domain.Event) error {
	if e.Type != domain.EventFinding || a.session.Mode == "" || e.Source.Copied() {
		return nil
	}
	f, err := domain.PayloadAs[domain.Finding](*e)
	if err != nil || f.Mode != "" {
		return err
	}
	f.Mode = a.session.Mode
	if err := e.SetPayload(f); err != nil {
		return err
	}
	return session.Prepare(e)
}

// finish completes the answer and the session's row.
func (a *appending) finish() {
	a.answer.LastSeq = a.session.LastSeq
	if n := int64(a.answer.Accepted); n > 0 {
		a.answer.FirstSeq = a.session.LastSeq - n + 1 // wake's own event comes before the caller's
	}
	if len(a.fresh) > 0 || a.answer.Opened {
		a.session.UpdatedAt = a.lastActive()
	}
	a.answer.session, a.answer.fresh = a.session, a.fresh
	a.answer.Pressure = pressure(&a.session, a.config)
	a.answer.Notes = append(a.answer.Notes, a.inVain()...)
	told := slices.ContainsFunc(a.fresh, func(e domain.Event) bool { return e.Type == domain.EventUsage })
	if told && a.session.Tokens > 0 && a.answer.Pressure.Limit == 0 { // not again at each other call
		a.answer.Notes = append(a.answer.Notes, "the client's limit is not known, so no threshold can fire; give context_limit, or limit in a usage event, or set sessions.limits in the configuration")
	}
}

// inVain notes arguments that only count when a session is opened.
func (a *appending) inVain() []string {
	var out []string
	if mode := a.req.Open.Mode; !a.answer.Opened && mode != "" && mode != a.session.Mode {
		out = append(out, fmt.Sprintf("mode %q, given beside the events, changes nothing: the session is open already and in mode %q; a mode event switches it and makes the hand-off", mode, a.session.Mode))
	}
	if project := a.req.Ref.Project; project != "" && project != a.session.Project {
		out = append(out, fmt.Sprintf("the session is of project %q, where it was opened, not of %q", a.session.Project, project))
	}
	return out
}

// lastActive is when the session was last active. For an import that is the time of
// its events; otherwise the session imported last would be the newest.
func (a *appending) lastActive() time.Time {
	now := a.s.now()
	if !a.req.Import || a.session.ForkedFrom != "" {
		return now
	}
	last := a.session.StartedAt
	if a.before.LastSeq > 0 {
		last = a.before.UpdatedAt
	}
	for _, e := range a.fresh {
		if e.At.After(last) {
			last = e.At
		}
	}
	if last.After(now) {
		return now
	}
	return last
}

func pressure(s *domain.Session, c SessionConfig) ContextPressure {
	w := c.window(s)
	f := session.Fraction(w)
	return ContextPressure{Tokens: w.Tokens, Limit: w.Limit, Fraction: f, Level: session.Level(f, c.AutoThreshold)}
}

// save stores the session's row if it changed.
func (a *appending) save(ctx context.Context, tx repository.Tx) error {
	was, err := json.Marshal(a.before)
	if err != nil {
		return err
	}
	is, err := json.Marshal(a.session)
	if err != nil || string(was) == string(is) {
		return err
	}
	return tx.SaveSession(ctx, a.session)
}

// afterwards informs subscribers, callbacks and sinks after the commit. It cannot fail
// the append.
func (a *appending) afterwards(ctx context.Context) {
	if len(a.fresh) == 0 && !a.answer.Opened {
		return
	}
	a.s.changes.publish(Change{Kind: SessionChanged, ID: a.session.ID, Project: a.session.Project})
	a.s.fire(a.firings)
	if a.session.Status == domain.SessionEnded && a.before.Status != domain.SessionEnded {
		a.s.giveOut(ctx, a.session)
	}
}
