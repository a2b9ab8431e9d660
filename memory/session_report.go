package memory

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"wake/domain"
	"wake/session"
)

// timelineLength is the default length of a timeline.
const timelineLength = 50

// SessionReport describes a session, as text and as data.
func (s *Service) SessionReport(ctx context.Context, req ReportRequest) (ReportAnswer, error) {
	owner, note, err := s.readSession(ctx, req.Ref, req.By)
	if err != nil {
		return ReportAnswer{}, err
	}
	owner.Status = owner.StatusAt(s.now())
	a := ReportAnswer{ID: owner.ID, Format: cmp.Or(req.Format, ReportStatus), Session: owner, Notes: notes(note),
		Pressure: pressure(&owner, s.SessionConfig())}
	if a.Totals, err = s.totals(ctx, owner, 0); err != nil {
		return a, err
	}
	if a.Snapshots, err = s.snapshotFigures(ctx, owner); err != nil {
		return a, err
	}
	if a.Alerts, err = s.Store.Alerts(ctx, owner.ID); err != nil {
		return a, err
	}
	err = s.reportBody(ctx, &a, req)
	return a, err
}

// totals sums up a session and its children without reading operations. The result
// equals that of [session.Tree].
func (s *Service) totals(ctx context.Context, owner domain.Session, depth int) (domain.Totals, error) {
	total := owner.Totals
	if depth >= treeDepth {
		return total, nil
	}
	children, err := s.Store.Sessions(ctx, domain.SessionQuery{ParentID: owner.ID, Forgotten: true})
	if err != nil {
		return total, err
	}
	for _, child := range children {
		sum, err := s.totals(ctx, child, depth+1)
		if err != nil {
			return total, err
		}
		total = total.Plus(sum)
	}
	return total, nil
}

func (s *Service) reportBody(ctx context.Context, a *ReportAnswer, req ReportRequest) error {
	switch a.Format {
	case ReportStatus:
		return s.reportStatus(ctx, a)
	case ReportTimeline:
		return s.reportTimeline(ctx, a, req.Limit)
	case ReportTree:
		return s.reportTree(ctx, a)
	case ReportTotals:
		return s.reportTotals(ctx, a)
	case ReportUsage:
		return s.reportUsage(ctx, a)
	default:
		return domain.Invalid("format %q is not known; it is one of status, timeline, tree, totals, usage", a.Format)
	}
}

func (s *Service) reportStatus(ctx context.Context, a *ReportAnswer) error {
	changes, err := s.transitions(ctx, a.Session)
	if err != nil {
		return err
	}
	for _, t := range session.CountTransitions(changes) {
		a.Transitions = append(a.Transitions, ModeTransition{From: t.From, To: t.To, Count: t.Count, Seconds: t.Average.Seconds()})
	}
	text := session.TellStatus(a.Session, s.SessionConfig().window(&a.Session), a.Totals, s.now())
	if err := s.measureOnce(ctx, a); err != nil {
		return err
	}
	f := a.Snapshots
	if f.Count > 0 {
		text += fmt.Sprintf("state snapshots: %d taken, the latest at event %d of %d bytes, %s since%s\n", f.Count, f.Seq, f.Bytes, domain.Many(f.Tail, "event"), speedup(f))
	}
	for _, t := range a.Transitions {
		text += fmt.Sprintf("mode %s → %s: %s, %.0f s in %s on average\n", cmp.Or(t.From, "start"), t.To, domain.Many(t.Count, "time"), t.Seconds, cmp.Or(t.From, "start"))
	}
	for _, alert := range a.Alerts {
		text += fmt.Sprintf("alert: %s (%s): %s\n", alert.Kind, alert.Subject, alert.Detail)
	}
	a.Text = PlainText(text)
	return nil
}

// transitions returns a session's changes of mode.
func (s *Service) transitions(ctx context.Context, owner domain.Session) ([]session.Transition, error) {
	events, err := s.Store.Events(ctx, domain.EventQuery{SessionID: owner.ID, Light: true,
		Types: []domain.EventType{domain.EventMode, domain.EventRestored}})
	return session.Transitions(owner.Opened.Mode, events), err
}

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

func (s *Service) reportTimeline(ctx context.Context, a *ReportAnswer, limit int) error {
	limit, err := listLimit(limit, timelineLength, domain.MaxBatch)
	if err != nil {
		return err
	}
	events, err := s.Store.Events(ctx, domain.EventQuery{SessionID: a.ID, Backward: true, Limit: limit})
	if err != nil {
		return err
	}
	for i := len(events) - 1; i >= 0; i-- {
		a.Timeline = append(a.Timeline, timelineItem(events[i]))
	}
	if err := s.nameHandoffs(ctx, a); err != nil {
		return err
	}
	var b strings.Builder
	for _, item := range a.Timeline {
		fmt.Fprintf(&b, "%5d %s %s", item.Seq, item.At.UTC().Format("01-02 15:04:05Z"), item.Text)
		if item.Handoff != "" {
			fmt.Fprintf(&b, ", hand-off %s", item.Handoff)
		}
		b.WriteByte('\n')
	}
	a.Text = b.String()
	return nil
}

// nameHandoffs adds to the changes of mode in a timeline the hand-offs that they made,
// so that a transition can be replayed (000-27).
func (s *Service) nameHandoffs(ctx context.Context, a *ReportAnswer) error {
	changes := map[int64]*TimelineItem{}
	for i := range a.Timeline {
		if item := &a.Timeline[i]; item.Type == domain.EventMode {
			changes[item.Seq] = item
		}
	}
	if len(changes) == 0 {
		return nil
	}
	handoffs, err := s.Store.Handoffs(ctx, domain.HandoffQuery{SessionID: a.ID})
	for _, h := range handoffs { // newest first, so the one that the event made itself is the last
		if item := changes[h.Seq]; item != nil {
			item.Handoff = h.ID
		}
	}
	return err
}

func timelineItem(e domain.Event) TimelineItem {
	item := TimelineItem{Seq: e.Seq, At: e.At, Turn: e.Turn, Type: e.Type, Text: PlainText(session.Line(e))}
	if e.Damaged != "" {
		item.Text = string(e.Type) + " (damaged: " + e.Damaged + ")"
	}
	return item
}

func (s *Service) reportTree(ctx context.Context, a *ReportAnswer) error {
	tree, err := s.tree(ctx, a.Session, false, 0)
	if err != nil {
		return err
	}
	a.Tree, a.Text = &tree, PlainText(session.TellTree(tree))
	return nil
}

func (s *Service) reportTotals(ctx context.Context, a *ReportAnswer) error {
	tree, err := s.tree(ctx, a.Session, false, 0)
	if err != nil {
		return err
	}
	ledger, err := s.Store.Ledger(ctx, a.ID)
	if err != nil {
		return err
	}
	a.Ledger, a.ByModel = ledger, map[string]domain.Totals{}
	for _, e := range ledger {
		if e.Type == domain.OpLLM {
			a.ByModel[e.Model] = a.ByModel[e.Model].Plus(session.Sum([]domain.LedgerEntry{e}))
		}
	}
	text := "all: " + session.TellTotals(a.Totals) + "\nthis session alone: " + session.TellTotals(a.Session.Totals) + "\n"
	for _, model := range slices.Sorted(maps.Keys(a.ByModel)) {
		t := a.ByModel[model]
		text += fmt.Sprintf("%s: %d tokens in, %d out, $%s\n", cmp.Or(model, "unknown model"), t.TokensIn, t.TokensOut, t.Cost)
	}
	a.Text = text
	if counted := session.TreeTotals(tree); counted != a.Totals {
		a.Notes = append(a.Notes, fmt.Sprintf("the totals do not match the operations, which come to %s; wake verify says more", session.TellTotals(counted)))
	}
	return nil
}

func (s *Service) reportUsage(ctx context.Context, a *ReportAnswer) error {
	var err error
	if a.Usage, err = s.Store.UsageSamples(ctx, a.ID, 100); err != nil {
		return err
	}
	if a.Firings, err = s.Store.Firings(ctx, a.ID); err != nil {
		return err
	}
	p := a.Pressure
	text := fmt.Sprintf("window: %d of %d tokens (%.1f %%), %s\n", p.Tokens, p.Limit, 100*p.Fraction, p.Level)
	if p.Limit == 0 {
		text = fmt.Sprintf("window: %d tokens; the client's limit is not known\n", p.Tokens)
	}
	for _, f := range a.Firings {
		text += fmt.Sprintf("reached %.0f %% in epoch %d at event %d\n", 100*f.Threshold, f.Epoch, f.Seq)
	}
	for _, u := range a.Usage[max(0, len(a.Usage)-20):] {
		text += fmt.Sprintf("%s event %d, epoch %d: %d tokens\n", u.At.UTC().Format("01-02 15:04:05Z"), u.Seq, u.Epoch, u.Tokens)
	}
	a.Text = text
	return nil
}

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
