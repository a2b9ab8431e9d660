package memory

import (
	"context"
	"fmt"

	"wake/domain"
	"wake/repository"
	"wake/session"
)

// foldPage is how many events are read at a time.
const foldPage = 2000

// folded is a state, how it was obtained, and the damage found on the way.
type folded struct {
	session.State
	source ResumeSource
	alerts []domain.Alert
	events int64 // number of events read
	fixed  bool  // the timeline is given, and a restore on it changes nothing
}

// stateAt folds a session up to until, starting from its snapshot if that is intact
// and not later. It fails only if the store does. Damage is skipped and reported in
// alerts (I10).
func stateAt(ctx context.Context, r repository.Reader, s domain.Session, until int64) (folded, error) {
	f := folded{State: session.Begin(s), source: FromReplay}
	snap, err := r.StateSnapshot(ctx, s.ID)
	switch {
	case err == nil && snap.Seq <= until:
		f.start(snap)
	case err != nil && domain.KindOf(err) != domain.KindNotFound:
		return f, err
	case err != nil && s.SnapshotSeq > 0 && s.SnapshotSeq <= until:
		f.alert("snapshot_missing", fmt.Sprint(s.SnapshotSeq), "the state snapshot is gone; the log was folded from its beginning")
	}
	err = f.follow(ctx, r, s.ID, until)
	return f, err
}

// start begins with a snapshot, if it is intact.
func (f *folded) start(snap domain.StateSnapshot) {
	state, err := session.Open(snap)
	if err != nil {
		f.alert("snapshot_damaged", fmt.Sprint(snap.Seq), err.Error()+"; the log was folded from its beginning")
		return
	}
	f.State, f.source = state, FromSnapshot
}

// follow folds the events after the state up to until.
func (f *folded) follow(ctx context.Context, r repository.Reader, sessionID string, until int64) error {
	for f.LastSeq < until {
		events, err := r.Events(ctx, domain.EventQuery{SessionID: sessionID, After: f.LastSeq, Until: until, Limit: foldPage, Light: true})
		if err != nil {
			return err
		}
		if len(events) == 0 {
			f.alert("events_missing", fmt.Sprintf("%d-%d", f.LastSeq+1, until), "these events are gone")
			session.Skip(&f.State, until)
			return nil
		}
		for _, e := range events {
			f.take(e)
		}
	}
	return nil
}

// take folds one event, or skips it if it is damaged.
func (f *folded) take(e domain.Event) {
	f.events++
	if e.Seq > f.LastSeq+1 {
		f.alert("events_missing", fmt.Sprintf("%d-%d", f.LastSeq+1, e.Seq-1), "these events are gone")
		session.Skip(&f.State, e.Seq-1)
	}
	if f.fixed && e.Type == domain.EventRestored {
		session.Skip(&f.State, e.Seq)
		return
	}
	why := e.Damaged
	if why == "" {
		err := session.Fold(&f.State, e)
		if err == nil {
			return
		}
		why = err.Error()
	}
	f.alert("event_damaged", fmt.Sprint(e.Seq), why)
	session.Skip(&f.State, e.Seq)
}

func (f *folded) alert(kind, subject, detail string) {
	f.alerts = append(f.alerts, domain.Alert{Kind: kind, Subject: subject, Detail: detail})
}

// raise stores alerts, each once per session, kind and subject, and logs the new ones.
// It returns no error, since the work that found the damage goes on.
func (s *Service) raise(ctx context.Context, sessionID string, alerts []domain.Alert) {
	if len(alerts) == 0 {
		return
	}
	err := s.Store.Write(ctx, repository.Relaxed, func(tx repository.Tx) error {
		return s.raiseIn(ctx, tx, sessionID, alerts)
	})
	if err != nil {
		s.Log.Warn("alerts could not be kept", "session", sessionID, "error", err)
	}
}

func (s *Service) raiseIn(ctx context.Context, tx repository.Tx, sessionID string, alerts []domain.Alert) error {
	for _, a := range alerts {
		a.ID, a.SessionID, a.At = s.newEventID(), sessionID, s.now()
		fresh, err := tx.PutAlert(ctx, a)
		if err != nil {
			return err
		}
		if fresh {
			s.Log.Warn("a damaged session was worked around", "session", sessionID, "kind", a.Kind, "subject", a.Subject, "detail", a.Detail)
		}
	}
	return nil
}
