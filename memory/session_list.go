package memory

import (
	"context"
	"encoding/json"

	"wake/domain"
)

// Sessions lists sessions, most recently active first.
func (s *Service) Sessions(ctx context.Context, req SessionsRequest) (SessionsAnswer, error) {
	switch req.Status {
	case "", domain.SessionActive, domain.SessionEnded, domain.SessionForgotten:
	default:
		return SessionsAnswer{}, domain.Invalid("status %q is unknown; use active, ended or forgotten", req.Status)
	}
	if err := checkTime(req.Since, req.Until); err != nil {
		return SessionsAnswer{}, err
	}
	limit, err := bounded("limit", req.Limit, sessionList, domain.MaxList)
	if err != nil {
		return SessionsAnswer{}, err
	}
	q := domain.SessionQuery{Project: s.readProject(req.Project), Client: req.Client, AgentID: req.AgentID, Status: req.Status, StatusAt: s.now(),
		Since: req.Since, Until: req.Until, Limit: limit + 1}
	pages := pagesOf("sessions", q.Project, q.Client, q.AgentID, q.Status)
	if req.Cursor != "" {
		q.After = &domain.Position{}
		if err := pages.read(req.Cursor, &q.After.Key); err != nil {
			return SessionsAnswer{}, err
		}
	}
	list, err := s.Store.Sessions(ctx, q)
	if err != nil {
		return SessionsAnswer{}, err
	}
	for i := range list {
		list[i].Status = list[i].StatusAt(q.StatusAt)
	}
	a := SessionsAnswer{Sessions: list}
	if len(list) == q.Limit {
		a.Sessions = list[:len(list)-1]
		last := a.Sessions[len(a.Sessions)-1]
		a.NextCursor = pages.cursor(domain.FormatTime(last.UpdatedAt) + " " + last.ID)
	}
	return a, nil
}

// Session returns the session that a reading request names. The note is not empty if
// none was named and it is the newest one.
func (s *Service) Session(ctx context.Context, ref SessionRef, by Caller) (domain.Session, string, error) {
	found, note, err := s.readSession(ctx, ref, by)
	found.Status = found.StatusAt(s.now())
	return found, note, err
}

// UserMessages returns the messages that people wrote in a session, from sequence
// number from on, unchanged and in order (I1), also those that were taken back. The
// newest session is meant by "".
func (s *Service) UserMessages(ctx context.Context, sessionID string, from int64) ([]UserMessage, error) {
	owner, err := s.sessionOrNewest(ctx, sessionID)
	if err != nil {
		return nil, err
	}
	events, err := s.Store.Events(ctx, domain.EventQuery{SessionID: owner.ID, After: max(from-1, 0), Human: true})
	if err != nil {
		return nil, err
	}
	now, err := stateAt(ctx, s.Store, owner, owner.LastSeq)
	if err != nil {
		return nil, err
	}
	out, alerts := make([]UserMessage, 0, len(events)), now.alerts
	for _, e := range events {
		m, alert := placed(e)
		if alert != nil {
			alerts = append(alerts, *alert)
		}
		if m != nil {
			out = append(out, UserMessage{Seq: e.Seq, At: e.At, Content: m.Content, TakenBack: !now.Covers(e.Seq)})
		}
	}
	s.raise(ctx, owner.ID, alerts)
	return out, nil
}

// eventList is the default length of a list of events.
const eventList = 100

// Events returns events of a session with their payloads.
func (s *Service) Events(ctx context.Context, req EventsRequest) ([]EventView, error) {
	limit, err := bounded("limit", req.Limit, eventList, domain.MaxBatch)
	if err != nil {
		return nil, err
	}
	owner, _, err := s.readSession(ctx, req.Ref, req.By)
	if err != nil {
		return nil, err
	}
	events, err := s.Store.Events(ctx, domain.EventQuery{SessionID: owner.ID, After: req.After, Limit: limit})
	if err != nil {
		return nil, err
	}
	out := make([]EventView, len(events))
	for i, e := range events {
		out[i] = EventView{Event: e}
		if json.Valid(e.Payload) {
			out[i].Payload = e.Payload
		}
	}
	return out, nil
}

// SessionMessage returns the whole message, or summary of a compaction, with a sequence
// number. It returns NotFound for any other event. The newest session is meant by "".
func (s *Service) SessionMessage(ctx context.Context, sessionID string, seq int64) (ContextMessage, error) {
	owner, err := s.sessionOrNewest(ctx, sessionID)
	if err != nil {
		return ContextMessage{}, err
	}
	e, err := eventAt(ctx, s.Store, owner.ID, seq)
	if err != nil {
		return ContextMessage{}, err
	}
	if e == nil {
		return ContextMessage{}, domain.NotFound("session %s has no event %d; its last one is %d", owner.ID, seq, owner.LastSeq)
	}
	if e.Type != domain.EventMessage && e.Type != domain.EventCompaction {
		return ContextMessage{}, domain.NotFound("event %d of session %s is a %s event, not a message", seq, owner.ID, e.Type)
	}
	m, alert := placed(*e)
	if alert != nil {
		s.raise(ctx, owner.ID, []domain.Alert{*alert})
	}
	if m == nil {
		return ContextMessage{}, domain.NotFound("event %d of session %s holds no text", seq, owner.ID)
	}
	return ContextMessage{Seq: m.Seq, At: m.At, Message: m.Message}, nil
}
