package memory

import (
	"context"
	"fmt"
	"time"

	"wake/domain"
	"wake/session"
)

// snapshotFigures returns figures on the state snapshots, with the speed-up if the
// latest one was measured.
func (s *Service) snapshotFigures(ctx context.Context, owner domain.Session) (SnapshotFigures, error) {
	snap, err := s.Store.StateSnapshot(ctx, owner.ID)
	if domain.KindOf(err) == domain.KindNotFound {
		return SnapshotFigures{Tail: owner.LastSeq}, nil
	}
	f := SnapshotFigures{Count: snap.Taken, Bytes: int64(len(snap.State)), Seq: snap.Seq, Tail: owner.LastSeq - snap.Seq}
	s.sessions.mu.Lock()
	defer s.sessions.mu.Unlock()
	if m, ok := s.sessions.measured[owner.ID]; ok && m.Seq == snap.Seq {
		f.ReplayMS, f.SnapshotMS, f.Speedup = m.ReplayMS, m.SnapshotMS, m.Speedup
	}
	return f, err
}

// MeasureSnapshots measures how long it takes to restore a session's state from
// snapshot and tail, and by full replay. It remembers the result for reports (003-16).
func (s *Service) MeasureSnapshots(ctx context.Context, sessionID string) (SnapshotFigures, error) {
	owner, err := s.Store.Session(ctx, sessionID)
	if err != nil {
		return SnapshotFigures{}, err
	}
	figures, err := s.snapshotFigures(ctx, owner)
	if err != nil {
		return SnapshotFigures{}, err
	}
	began := time.Now()
	if _, err := stateAt(ctx, s.Store, owner, owner.LastSeq); err != nil {
		return SnapshotFigures{}, err
	}
	quick := time.Since(began)
	began = time.Now()
	f := folded{State: session.Begin(owner)}
	if err := f.follow(ctx, s.Store, owner.ID, owner.LastSeq); err != nil {
		return SnapshotFigures{}, err
	}
	slow := time.Since(began)
	figures.ReplayMS, figures.SnapshotMS, figures.Speedup = millis(slow), millis(quick), float64(slow)/float64(max(quick, 1))
	s.sessions.mu.Lock()
	defer s.sessions.mu.Unlock()
	if s.sessions.measured == nil {
		s.sessions.measured = map[string]SnapshotFigures{}
	}
	s.sessions.measured[sessionID] = figures
	return figures, nil
}

func millis(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// measuredMost is up to how many events a report replays to measure the speed-up, at
// some 10 µs per event.
const measuredMost = 10_000

// measureOnce measures a snapshot unless it has been measured. Longer sessions are
// only measured by [Service.MeasureSnapshots].
func (s *Service) measureOnce(ctx context.Context, a *ReportAnswer) (err error) {
	if a.Snapshots.Count > 0 && a.Snapshots.Speedup == 0 && a.Session.LastSeq <= measuredMost {
		a.Snapshots, err = s.MeasureSnapshots(ctx, a.ID)
	}
	return err
}

func speedup(f SnapshotFigures) string {
	if f.Speedup == 0 {
		return ""
	}
	return fmt.Sprintf("; resuming from it is %.1f times as fast as replaying the log (%.2f against %.2f ms)", f.Speedup, f.SnapshotMS, f.ReplayMS)
}
