package memory

import (
	"context"
	"fmt"
	"strings"
	"time"

	"wake/domain"
	"wake/repository"
	"wake/session"
)

// timelineLength is how many events a timeline tells when nothing is said.
const timelineLength = 50

// SessionReport tells how a session stands: in words, and as data.
func (s *Service) SessionReport(ctx context.Context, req ReportRequest) (ReportAnswer, error) {
	owner, note, err := s.readSession(ctx, s.Store, req.Ref, req.By)
	if err != nil {
		return ReportAnswer{}, err
	}
	a := ReportAnswer{ID: owner.ID, Format: orElse(req.Format, ReportStatus), Session: owner, Notes: notes(note),
		Pressure: pressure(&owner, s.SessionConfig())}
	tree, err := s.tree(ctx, s.Store, owner, false, 0)
	if err != nil {
		return a, err
	}
	a.Totals = tree.Totals
	if a.Snapshots, err = s.snapshotFigures(ctx, owner); err != nil {
		return a, err
	}
	if a.Alerts, err = s.Store.Alerts(ctx, owner.ID); err != nil {
		return a, err
	}
	return a, s.reportBody(ctx, &a, req, tree)
}

func (s *Service) reportBody(ctx context.Context, a *ReportAnswer, req ReportRequest, tree domain.SessionNode) error {
	switch a.Format {
	case ReportStatus:
		return s.reportStatus(ctx, a)
	case ReportTimeline:
		return s.reportTimeline(ctx, a, limitOf(req.Limit, timelineLength, 1000))
	case ReportTree:
		a.Tree, a.Text = &tree, PlainText(session.TellTree(tree))
	case ReportTotals:
		return s.reportTotals(ctx, a, tree)
	case ReportUsage:
		return s.reportUsage(ctx, a)
	default:
		return domain.Invalid("format %q is not known; it is one of status, timeline, tree, totals, usage", a.Format)
	}
	return nil
}

func (s *Service) reportStatus(ctx context.Context, a *ReportAnswer) error {
	modes, err := s.Store.Events(ctx, domain.EventQuery{SessionID: a.ID, Types: []domain.EventType{domain.EventMode}, Light: true})
	if err != nil {
		return err
	}
	for _, t := range session.CountTransitions(session.Transitions(modes)) {
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
		text += fmt.Sprintf("mode %s → %s: %s, %.0f s in %s on average\n", orElse(t.From, "start"), t.To, domain.Many(t.Count, "time"), t.Seconds, orElse(t.From, "start"))
	}
	for _, alert := range a.Alerts {
		text += fmt.Sprintf("alert: %s (%s): %s\n", alert.Kind, alert.Subject, alert.Detail)
	}
	a.Text = PlainText(text)
	return nil
}

// measuredMost is how many events a report replays at most to tell the speed-up,
// at some 10 µs an event.
const measuredMost = 10_000

// measureOnce measures a snapshot that was not measured yet. Of longer sessions a
// report tells what [Service.MeasureSnapshots] found, if it was asked.
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
	events, err := s.Store.Events(ctx, domain.EventQuery{SessionID: a.ID, Backward: true, Limit: limit})
	if err != nil {
		return err
	}
	var b strings.Builder
	for i := len(events) - 1; i >= 0; i-- {
		e := events[i]
		item := TimelineItem{Seq: e.Seq, At: e.At, Turn: e.Turn, Type: e.Type, Text: PlainText(session.Line(e))}
		if e.Damaged != "" {
			item.Text = string(e.Type) + " (damaged: " + e.Damaged + ")"
		}
		a.Timeline = append(a.Timeline, item)
		fmt.Fprintf(&b, "%5d %s %s\n", item.Seq, item.At.UTC().Format("01-02 15:04:05"), item.Text)
	}
	a.Text = b.String()
	return nil
}

func (s *Service) reportTotals(ctx context.Context, a *ReportAnswer, tree domain.SessionNode) error {
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
	text := "all: " + session.TellTotals(tree.Totals) + "\nthis session alone: " + session.TellTotals(a.Session.Totals) + "\n"
	for model, t := range a.ByModel {
		text += fmt.Sprintf("%s: %d tokens in, %d out, $%s\n", orElse(model, "unknown model"), t.TokensIn, t.TokensOut, t.Cost)
	}
	a.Text = text
	if counted := session.TreeTotals(tree); counted != tree.Totals {
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
		text += fmt.Sprintf("%s event %d, epoch %d: %d tokens\n", u.At.UTC().Format("01-02 15:04:05"), u.Seq, u.Epoch, u.Tokens)
	}
	a.Text = text
	return nil
}

// snapshotFigures tells of the state snapshots, with the speed-up where the latest
// one was measured.
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

// MeasureSnapshots times how a session's state comes back, by snapshot and tail
// and by full replay, and remembers it for the reports (003-16).
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

// treeDepth is how deep child sessions are followed: deeper ones than any agent
// runs, and an end to damaged parents that form a ring.
const treeDepth = 50

// tree builds the tree of a session with its children; whole reads requests,
// responses and logs as well.
func (s *Service) tree(ctx context.Context, r repository.Reader, owner domain.Session, whole bool, depth int) (domain.SessionNode, error) {
	turns, err := r.Turns(ctx, owner.ID)
	if err != nil {
		return domain.SessionNode{}, err
	}
	ops, err := r.Ops(ctx, owner.ID, nil)
	if err != nil {
		return domain.SessionNode{}, err
	}
	ledger, err := r.Ledger(ctx, owner.ID)
	if err != nil {
		return domain.SessionNode{}, err
	}
	var children []domain.SessionNode
	if depth < treeDepth {
		if children, err = s.children(ctx, r, owner, whole, depth); err != nil {
			return domain.SessionNode{}, err
		}
	}
	node := session.Tree(owner, turns, ops, ledger, children)
	if whole {
		err = s.fillOps(ctx, r, &node)
	}
	return node, err
}

func (s *Service) children(ctx context.Context, r repository.Reader, owner domain.Session, whole bool, depth int) ([]domain.SessionNode, error) {
	list, err := r.Sessions(ctx, domain.SessionQuery{ParentID: owner.ID})
	if err != nil {
		return nil, err
	}
	var out []domain.SessionNode
	for i := len(list) - 1; i >= 0; i-- { // the oldest first
		node, err := s.tree(ctx, r, list[i], whole, depth+1)
		if err != nil {
			return nil, err
		}
		out = append(out, node)
	}
	return out, nil
}

// fillOps reads requests, responses, reasoning and logs of all operations from
// their events, whole (001-09, 001-10).
func (s *Service) fillOps(ctx context.Context, r repository.Reader, node *domain.SessionNode) error {
	logs, err := r.OpLogs(ctx, node.Session.ID)
	if err != nil {
		return err
	}
	for t := range node.Turns {
		for o := range node.Turns[t].Ops {
			op := &node.Turns[t].Ops[o]
			for _, seq := range distinctSeqs(append([]int64{op.RequestSeq, op.ResponseSeq, op.LastSeq}, logs[op.ID]...)) {
				if err := fillOp(ctx, r, op, seq); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func distinctSeqs(list []int64) []int64 {
	var out []int64
	seen := map[int64]bool{0: true}
	for _, seq := range list {
		if !seen[seq] {
			seen[seq] = true
			out = append(out, seq)
		}
	}
	return out
}

func fillOp(ctx context.Context, r repository.Reader, op *domain.OpNode, seq int64) error {
	events, err := r.Events(ctx, domain.EventQuery{SessionID: op.SessionID, After: seq - 1, Until: seq, Types: []domain.EventType{domain.EventOp}})
	if err != nil {
		return err
	}
	for _, report := range payloads[domain.OpReport](events) {
		if seq == op.RequestSeq {
			op.Request = report.Request
		}
		if seq == op.ResponseSeq {
			op.Response = report.Response
		}
		op.Reasoning = orElse(report.Reasoning, op.Reasoning)
		op.Logs = append(op.Logs, report.Logs...)
	}
	return nil
}

// SessionTree returns a session with its turns, operations, requests, responses,
// logs, ledger rows and child sessions, so that one read gives the whole nesting.
func (s *Service) SessionTree(ctx context.Context, sessionID string) (domain.SessionNode, error) {
	owner, _, err := s.readSession(ctx, s.Store, SessionRef{SessionID: sessionID}, Caller{})
	if err != nil {
		return domain.SessionNode{}, err
	}
	return s.tree(ctx, s.Store, owner, true, 0)
}

// giveOut hands the final tree and the ledger of an ended session to the sinks,
// and to its parent's that a child has finished (001-03, 001-04, 001-16).
func (s *Service) giveOut(ctx context.Context, ended domain.Session) {
	if !s.hasSinks() {
		return
	}
	s.guard("final snapshot", func() error { return s.giveTree(ctx, ended, "final") })
	s.guard("accounting flush", func() error {
		entries, err := s.Store.Ledger(ctx, ended.ID)
		if err != nil || len(entries) == 0 {
			return err
		}
		flush := AccountingFlush{SessionID: ended.ID, OriginID: ended.OriginID, Timestamp: s.now(), Entries: entries}
		s.deliver("accounting sink", ended.ID, func(k SessionSink) error {
			if k.Accounting == nil {
				return nil
			}
			return k.Accounting(flush)
		})
		return nil
	})
	if ended.ParentID == "" {
		return
	}
	s.guard("sub-agent snapshot", func() error {
		parent, err := s.Store.Session(ctx, ended.ParentID)
		if err != nil {
			return err
		}
		return s.giveTree(ctx, parent, "subagent_finish")
	})
}

// treeVersion is the version of the trees that sinks get (001-01).
const treeVersion = 1

func (s *Service) giveTree(ctx context.Context, of domain.Session, reason string) error {
	tree, err := s.tree(ctx, s.Store, of, true, 0)
	if err != nil {
		return err
	}
	p := SessionSnapshotPayload{Reason: reason, SessionID: of.ID, OriginID: of.OriginID, Timestamp: s.now(), Version: treeVersion, Tree: tree}
	s.Log.Debug("session snapshot", "reason", reason, "session", of.ID, "origin", of.OriginID, "bytes", of.Bytes)
	s.deliver("snapshot sink", of.ID, func(k SessionSink) error {
		if k.Snapshot == nil {
			return nil
		}
		return k.Snapshot(p)
	})
	return nil
}
