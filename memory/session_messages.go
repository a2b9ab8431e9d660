package memory

import (
	"context"
	"fmt"
	"slices"

	"wake/domain"
	"wake/repository"
	"wake/session"
)

// messagePage is how many messages are read at a time.
const messagePage = 64

// stretch is a part of a log: after From and before To, neither included. To 0 is
// the end.
type stretch struct{ from, to int64 }

// epochMessages reads the messages of the state's epoch within a stretch, newest
// first, until they weigh more than budget tokens or there are no more. What is
// damaged is told in alerts and stands in its place as a note.
func epochMessages(ctx context.Context, r repository.Reader, sessionID string, s *session.State, in stretch, budget int64) (newestFirst []session.Placed, alerts []domain.Alert, err error) {
	q := domain.EventQuery{SessionID: sessionID, Backward: true, Limit: messagePage,
		Types: []domain.EventType{domain.EventMessage, domain.EventCompaction}}
	for _, span := range s.EpochSpans() {
		q.After, q.Until = max(span.From-1, in.from), span.To
		if in.to > 0 {
			q.Until = min(q.Until, in.to-1)
		}
		for q.Until > q.After {
			events, err := r.Events(ctx, q)
			if err != nil || len(events) == 0 {
				if err != nil {
					return nil, nil, err
				}
				break
			}
			for _, e := range events {
				m, alert := placed(e)
				if alert != nil {
					alerts = append(alerts, *alert)
				}
				if m == nil {
					continue
				}
				newestFirst = append(newestFirst, *m)
				if budget -= session.Weight(*m); budget < 0 {
					return newestFirst, alerts, nil
				}
			}
			q.Until = events[len(events)-1].Seq - 1
		}
	}
	return newestFirst, alerts, nil
}

// placed is the message that an event holds, or that a compaction left.
func placed(e domain.Event) (*session.Placed, *domain.Alert) {
	p := &session.Placed{Seq: e.Seq, At: e.At}
	var err error
	switch {
	case e.Damaged != "":
		p.Role, p.Pointer = orElse(e.Role, domain.RoleSystem), "damaged"
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
	if e.Erased { // what is left has ids, so that its calls stay answered
		p.Content = "[erased]"
	}
	return p, nil
}

// onTimeline reads events of some types that are in force, oldest first.
func onTimeline(ctx context.Context, r repository.Reader, sessionID string, s *session.State, types ...domain.EventType) ([]domain.Event, error) {
	events, err := r.Events(ctx, domain.EventQuery{SessionID: sessionID, Until: s.LastSeq, Types: types})
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(events, func(e domain.Event) bool { return e.Erased || e.Damaged != "" || !s.Covers(e.Seq) }), nil
}

// payloads decodes events of one type; what cannot be read is left out.
func payloads[T domain.Payload](events []domain.Event) []T {
	var out []T
	for _, e := range events {
		if p, err := domain.PayloadAs[T](e); err == nil {
			out = append(out, p)
		}
	}
	return out
}

// findings are all findings in force.
func findings(ctx context.Context, r repository.Reader, sessionID string, s *session.State) ([]domain.Finding, error) {
	if s.Findings.Count == 0 {
		return nil, nil
	}
	events, err := onTimeline(ctx, r, sessionID, s, domain.EventFinding)
	return payloads[domain.Finding](events), err
}

// goals are the goals in force with their whole texts.
func goals(ctx context.Context, r repository.Reader, sessionID string, s *session.State) ([]domain.Goal, error) {
	out := make([]domain.Goal, 0, len(s.Goals))
	for _, ref := range s.Goals {
		g := domain.Goal{ID: ref.ID, Text: ref.Brief, Status: ref.Status}
		if len(ref.Brief) >= 200 { // the brief may be cut: read the whole
			full, err := r.Events(ctx, domain.EventQuery{SessionID: sessionID, After: ref.Seq - 1, Until: ref.Seq})
			if err != nil {
				return nil, err
			}
			for _, p := range payloads[domain.Goal](full) {
				g.Text = p.Text
			}
		}
		out = append(out, g)
	}
	return out, nil
}

// lastUser is the newest human message in force, nil when there is none.
func lastUser(ctx context.Context, r repository.Reader, sessionID string, s *session.State) (*session.Placed, error) {
	if s.LastUser == nil {
		return nil, nil
	}
	events, err := r.Events(ctx, domain.EventQuery{SessionID: sessionID, After: s.LastUser.Seq - 1, Until: s.LastUser.Seq})
	if err != nil || len(events) == 0 {
		return nil, err
	}
	m, _ := placed(events[0])
	return m, nil
}

// completedSteps are the steps in force that were completed, with their outputs,
// the last completion of each.
func completedSteps(ctx context.Context, r repository.Reader, sessionID string, s *session.State) ([]domain.Step, error) {
	if s.Steps.Count == 0 {
		return nil, nil
	}
	events, err := onTimeline(ctx, r, sessionID, s, domain.EventStep)
	if err != nil {
		return nil, err
	}
	var out []domain.Step
	for _, step := range payloads[domain.Step](events) {
		if step.Status != domain.StepCompleted {
			continue
		}
		out = slices.DeleteFunc(out, func(old domain.Step) bool { return old.ID == step.ID })
		out = append(out, step)
	}
	return out, nil
}
