package memory

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

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
		return s.reportTimeline(ctx, a, req)
	case ReportTree:
		return s.reportTree(ctx, a)
	case ReportTotals:
		return s.reportTotals(ctx, a)
	case ReportUsage:
		return s.reportUsage(ctx, a, req)
	default:
		return domain.Invalid("format %q is not known; it is one of status, timeline, tree, totals, usage", a.Format)
	}
}

func (s *Service) reportStatus(ctx context.Context, a *ReportAnswer) error {
	changes, err := s.transitions(ctx, a.Session)
	if err != nil {
		return err
	}
	counts := session.CountTransitions(changes)
	for _, t := range counts {
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
	for _, t := range counts {
		text += tellChange(t)
	}
	for _, alert := range a.Alerts {
		text += fmt.Sprintf("alert: %s (%s): %s\n", alert.Kind, alert.Subject, alert.Detail)
	}
	a.Text = PlainText(text)
	return nil
}

// tellChange tells how often a mode followed another, and after what time there. How long
// a session was open before its first mode says nothing about a mode.
func tellChange(t session.TransitionCount) string {
	text := fmt.Sprintf("mode %s → %s: %s", cmp.Or(t.From, "start"), t.To, domain.Many(t.Count, "time"))
	switch {
	case t.From == "" || t.Average == 0: // not known
		return text + "\n"
	case t.Count == 1:
		return text + fmt.Sprintf(", after %s in %s\n", session.HowLong(t.Average), t.From)
	}
	return text + fmt.Sprintf(", after %s in %s on average\n", session.HowLong(t.Average), t.From)
}

// transitions returns a session's changes of mode.
func (s *Service) transitions(ctx context.Context, owner domain.Session) ([]session.Transition, error) {
	events, err := s.Store.Events(ctx, domain.EventQuery{SessionID: owner.ID, Light: true,
		Types: []domain.EventType{domain.EventMode, domain.EventRestored}})
	return session.Transitions(owner.Opened.Mode, events), err
}

func (s *Service) reportTimeline(ctx context.Context, a *ReportAnswer, req ReportRequest) error {
	limit, err := bounded("limit", req.Limit, timelineLength, domain.MaxBatch)
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
		fmt.Fprintf(&b, "%5d %s %s", item.Seq, req.clock(item.At), item.Text)
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
		text += fmt.Sprintf("%s: %d tokens in, %d out%s\n", cmp.Or(model, "unknown model"), t.TokensIn, t.TokensOut, session.TellCost(", ", t.Cost))
	}
	a.Text = text
	if counted := session.TreeTotals(tree); counted != a.Totals {
		a.Notes = append(a.Notes, fmt.Sprintf("the totals do not match the operations, which come to %s; wake verify says more", session.TellTotals(counted)))
	}
	return nil
}

func (s *Service) reportUsage(ctx context.Context, a *ReportAnswer, req ReportRequest) error {
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
		text += fmt.Sprintf("%s event %d, epoch %d: %d tokens\n", req.clock(u.At), u.Seq, u.Epoch, u.Tokens)
	}
	a.Text = text
	return nil
}
