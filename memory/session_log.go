package memory

import (
	"context"
	"slices"

	"wake/domain"
	"wake/repository"
	"wake/session"
)

// logAt reads a session's log as it stands at a state: only what is in force there.
type logAt struct {
	r         repository.Reader
	sessionID string
	state     *session.State
}

// backwards visits the events of a query that are in force, newest first, until visit
// returns false. It reads q.Limit events at a time.
func (l logAt) backwards(ctx context.Context, q domain.EventQuery, visit func(domain.Event) bool) error {
	q.SessionID = l.sessionID
	return backwards(ctx, l.r, q, l.state.Spans(), visit)
}

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

// event returns the event with a sequence number, in force or not; nil if there is none.
func (l logAt) event(ctx context.Context, seq int64) (*domain.Event, error) {
	return eventAt(ctx, l.r, l.sessionID, seq)
}

// whole returns an event with its long texts, nil if it is gone. A short one has them.
func (l logAt) whole(ctx context.Context, light domain.Event) (*domain.Event, error) {
	if light.Size <= domain.InlinePayload {
		return &light, nil
	}
	return l.event(ctx, light.Seq)
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

// ofType returns the events of a type that are in force and readable, oldest first.
func (l logAt) ofType(ctx context.Context, t domain.EventType) ([]domain.Event, error) {
	events, err := l.r.Events(ctx, domain.EventQuery{SessionID: l.sessionID, Until: l.state.LastSeq, Types: []domain.EventType{t}})
	return slices.DeleteFunc(events, func(e domain.Event) bool { return e.Erased || e.Damaged != "" || !l.state.Covers(e.Seq) }), err
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

func (l logAt) findings(ctx context.Context) ([]domain.Finding, error) {
	if l.state.Findings.Count == 0 {
		return nil, nil
	}
	events, err := l.ofType(ctx, domain.EventFinding)
	return payloads[domain.Finding](events), err
}

// goals returns the goals with their whole texts.
func (l logAt) goals(ctx context.Context) ([]domain.Goal, error) {
	out := make([]domain.Goal, len(l.state.Goals))
	for i, ref := range l.state.Goals {
		text, err := l.textOf(ctx, ref)
		if err != nil {
			return nil, err
		}
		out[i] = domain.Goal{ID: ref.ID, Text: text, Status: ref.Status}
	}
	return out, nil
}

// textOf returns the whole text of a goal, or its beginning if that is all there is.
func (l logAt) textOf(ctx context.Context, ref session.GoalRef) (string, error) {
	if !ref.Cut() {
		return ref.Brief, nil
	}
	e, err := l.event(ctx, ref.Seq)
	if err != nil || e == nil {
		return ref.Brief, err
	}
	whole, err := domain.PayloadAs[domain.Goal](*e)
	if err != nil { // it is damaged
		return ref.Brief, nil
	}
	return whole.Text, nil
}

// lastUser returns the newest human message, nil if there is none.
func (l logAt) lastUser(ctx context.Context) (*session.Placed, error) {
	if l.state.LastUser == nil {
		return nil, nil
	}
	e, err := l.event(ctx, l.state.LastUser.Seq)
	if err != nil || e == nil {
		return nil, err
	}
	m, _ := placed(*e)
	return m, nil
}

// completedSteps returns the completed steps with their outputs, each as it was last
// completed.
func (l logAt) completedSteps(ctx context.Context) ([]domain.Step, error) {
	if l.state.Steps.Count == 0 {
		return nil, nil
	}
	events, err := l.ofType(ctx, domain.EventStep)
	if err != nil {
		return nil, err
	}
	var out []domain.Step
	told := map[string]bool{}
	for _, step := range slices.Backward(payloads[domain.Step](events)) {
		if step.Status == domain.StepCompleted && !told[step.ID] {
			told[step.ID] = true
			out = append(out, step)
		}
	}
	slices.Reverse(out)
	return out, nil
}

// inForce leaves out what was taken back, by a restore or by going back in the client.
// Nearly always nothing was, and a look for that is much cheaper than folding the log.
func (s *Service) inForce(ctx context.Context, owner domain.Session, events []domain.Event) ([]domain.Event, error) {
	restored, err := s.Store.Events(ctx, domain.EventQuery{SessionID: owner.ID, Types: []domain.EventType{domain.EventRestored}, Limit: 1, Light: true})
	if err != nil || len(restored) == 0 {
		return events, err
	}
	now, err := stateAt(ctx, s.Store, owner, owner.LastSeq)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(events, func(e domain.Event) bool { return !now.Covers(e.Seq) }), nil
}
