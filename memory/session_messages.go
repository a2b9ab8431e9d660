package memory

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"wake/domain"
	"wake/repository"
	"wake/session"
)

// messagePage is how many messages are read at a time.
const messagePage = 64

// stretch is a part of a log: after from and before to, both exclusive. to 0 means the
// end.
type stretch struct{ from, to int64 }

// backwards visits the events of a query in spans of a log, newest first, until visit
// returns false. It reads q.Limit events at a time.
func backwards(ctx context.Context, r repository.Reader, q domain.EventQuery, spans []session.Span, visit func(domain.Event) bool) error {
	q.Backward = true
	for _, span := range spans {
		q.After, q.Until = span.From-1, span.To
		for q.Until > q.After {
			events, err := r.Events(ctx, q)
			if err != nil {
				return err
			}
			if len(events) == 0 {
				break
			}
			for _, e := range events {
				if !visit(e) {
					return nil
				}
			}
			q.Until = events[len(events)-1].Seq - 1
		}
	}
	return nil
}

// eventAt returns the event with a sequence number, nil if there is none.
func eventAt(ctx context.Context, r repository.Reader, sessionID string, seq int64) (*domain.Event, error) {
	if seq < 1 {
		return nil, nil // (After -1 would mean the whole log)
	}
	found, err := r.Events(ctx, domain.EventQuery{SessionID: sessionID, After: seq - 1, Until: seq})
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return &found[0], nil
}

// reading collects messages, newest first, until they cost more than the budget. A
// damaged message is replaced by a note and reported in alerts.
type reading struct {
	budget      int64
	cost        func(session.Placed) int64
	newestFirst []session.Placed
	alerts      []domain.Alert
}

// take adds the message of an event, and reports whether there is room for more.
func (r *reading) take(e domain.Event) bool {
	m, alert := placed(e)
	if alert != nil {
		r.alerts = append(r.alerts, *alert)
	}
	if m != nil {
		r.newestFirst = append(r.newestFirst, *m)
		r.budget -= r.cost(*m)
	}
	return r.budget >= 0
}

// epochMessages reads the messages of the state's epoch that are within a stretch.
func epochMessages(ctx context.Context, r repository.Reader, sessionID string, s *session.State, in stretch, into *reading) error {
	var spans []session.Span
	for _, span := range s.EpochSpans() {
		span.From = max(span.From, in.from+1)
		if in.to > 0 {
			span.To = min(span.To, in.to-1)
		}
		spans = append(spans, span)
	}
	q := domain.EventQuery{SessionID: sessionID, Types: []domain.EventType{domain.EventMessage, domain.EventCompaction}, Limit: messagePage}
	return backwards(ctx, r, q, spans, into.take)
}

// placed returns the message of an event, or the summary of a compaction; nil if it
// has none.
func placed(e domain.Event) (*session.Placed, *domain.Alert) {
	p := &session.Placed{Seq: e.Seq, At: e.At}
	var err error
	switch {
	case e.Damaged != "":
		p.Role, p.Pointer = cmp.Or(e.Role, domain.RoleSystem), "damaged"
		p.Content = fmt.Sprintf("[event %d cannot be read: %s]", e.Seq, e.Damaged)
		return p, &domain.Alert{Kind: "event_damaged", Subject: fmt.Sprint(e.Seq), Detail: e.Damaged}
	case e.Type == domain.EventCompaction:
		var c domain.Compaction
		if c, err = domain.PayloadAs[domain.Compaction](e); err == nil && c.Summary == "" && !e.Erased {
			return nil, nil
		}
		p.Message = domain.Message{Role: domain.RoleUser, Kind: domain.SummaryMessage, Content: c.Summary}
	default:
		p.Message, err = e.Message()
	}
	if err != nil {
		return nil, &domain.Alert{Kind: "event_damaged", Subject: fmt.Sprint(e.Seq), Detail: err.Error()}
	}
	if e.Erased { // the message still has ids, so that its calls are answered
		p.Content = "[erased]"
	}
	return p, nil
}

// onTimeline reads the events of some types that are in force, oldest first.
func onTimeline(ctx context.Context, r repository.Reader, sessionID string, s *session.State, types ...domain.EventType) ([]domain.Event, error) {
	events, err := r.Events(ctx, domain.EventQuery{SessionID: sessionID, Until: s.LastSeq, Types: types})
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(events, func(e domain.Event) bool { return e.Erased || e.Damaged != "" || !s.Covers(e.Seq) }), nil
}

// payloads decodes events of one type, leaving out those it cannot read.
func payloads[T domain.Payload](events []domain.Event) []T {
	var out []T
	for _, e := range events {
		if p, err := domain.PayloadAs[T](e); err == nil {
			out = append(out, p)
		}
	}
	return out
}

// findings returns the findings in force.
func findings(ctx context.Context, r repository.Reader, sessionID string, s *session.State) ([]domain.Finding, error) {
	if s.Findings.Count == 0 {
		return nil, nil
	}
	events, err := onTimeline(ctx, r, sessionID, s, domain.EventFinding)
	return payloads[domain.Finding](events), err
}

// goals returns the goals in force with their whole texts.
func goals(ctx context.Context, r repository.Reader, sessionID string, s *session.State) ([]domain.Goal, error) {
	out := make([]domain.Goal, 0, len(s.Goals))
	for _, ref := range s.Goals {
		g := domain.Goal{ID: ref.ID, Text: ref.Brief, Status: ref.Status}
		if ref.Cut() {
			e, err := eventAt(ctx, r, sessionID, ref.Seq)
			if err != nil {
				return nil, err
			}
			if e != nil {
				if whole, err := domain.PayloadAs[domain.Goal](*e); err == nil {
					g.Text = whole.Text
				}
			}
		}
		out = append(out, g)
	}
	return out, nil
}

// lastUser returns the newest human message in force, nil if there is none.
func lastUser(ctx context.Context, r repository.Reader, sessionID string, s *session.State) (*session.Placed, error) {
	if s.LastUser == nil {
		return nil, nil
	}
	e, err := eventAt(ctx, r, sessionID, s.LastUser.Seq)
	if err != nil || e == nil {
		return nil, err
	}
	m, _ := placed(*e)
	return m, nil
}

// completedSteps returns the completed steps in force with their outputs, each as it
// was last completed.
func completedSteps(ctx context.Context, r repository.Reader, sessionID string, s *session.State) ([]domain.Step, error) {
	if s.Steps.Count == 0 {
		return nil, nil
	}
	events, err := onTimeline(ctx, r, sessionID, s, domain.EventStep)
	if err != nil {
		return nil, err
	}
	steps := payloads[domain.Step](events)
	var out []domain.Step
	told := make(map[string]bool, len(steps))
	for _, step := range slices.Backward(steps) {
		if step.Status == domain.StepCompleted && !told[step.ID] {
			told[step.ID] = true
			out = append(out, step)
		}
	}
	slices.Reverse(out)
	return out, nil
}
