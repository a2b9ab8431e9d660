package memory

import (
	"context"

	"wake/domain"
	"wake/session"
)

// Record appends what a client reports to its session, all of it or nothing. It opens
// the session if that is named by the client's own id and not known yet. An event
// whose key was recorded before counts as a repeat (I5).
func (s *Service) Record(ctx context.Context, req RecordRequest) (RecordAnswer, error) {
	if len(req.Events) > domain.MaxBatch {
		return RecordAnswer{}, domain.Invalid("%d events are too many for one call; the limit is %d", len(req.Events), domain.MaxBatch)
	}
	if err := checkOptional("project", req.Ref.Project); err != nil {
		return RecordAnswer{}, err
	}
	if req.Open.ContextLimit < 0 {
		return RecordAnswer{}, domain.Invalid("context_limit is %d; it is a number of tokens, from 0 up", req.Open.ContextLimit)
	}
	events := make([]domain.Event, len(req.Events))
	for i, raw := range req.Events {
		e, err := session.Parse(raw, s.now())
		if err != nil {
			return RecordAnswer{}, domain.Invalid("events[%d]: %v", i, err)
		}
		events[i] = e
	}
	return s.Append(ctx, AppendRequest{By: req.By, Ref: req.Ref, Open: req.Open, Events: events, ExpectedSeq: req.ExpectedSeq})
}

// Append is [Service.Record] for callers that have made the events already: importers
// and hooks. It sets session, sequence number, id and facts of each event.
func (s *Service) Append(ctx context.Context, req AppendRequest) (RecordAnswer, error) {
	if req.Adopt != nil {
		return s.adopt(ctx, req)
	}
	if err := s.prepare(req.Events); err != nil {
		return RecordAnswer{}, err
	}
	a := s.appending(req)
	if err := a.commit(ctx, a.run); err != nil {
		return RecordAnswer{}, err
	}
	a.req.filled.keep(a.session, a.fresh, a.ops)
	return a.answer, nil
}

// prepare checks events and fills in what does not depend on the session.
func (s *Service) prepare(events []domain.Event) error {
	now := s.now()
	for i := range events {
		e := &events[i]
		e.RecordedAt = now
		if e.ID == "" {
			e.ID = s.newEventID()
		}
		if e.At.IsZero() {
			e.At = now
		}
		e.At = domain.Moment(e.At)
		if e.At.After(now.Add(domain.MaxLead)) {
			return domain.Invalid("events[%d]: at %s lies more than a day ahead of this machine's clock", i, shortTime(e.At))
		}
		if e.Light != nil {
			continue // the import has done so while reading
		}
		if err := session.Prepare(e); err != nil {
			return domain.Invalid("events[%d]: %v", i, err)
		}
	}
	return nil
}

// ownEvent makes an event of wake's own, prepared, as a list of one.
func (s *Service) ownEvent(key domain.Key, p domain.Payload) ([]domain.Event, error) {
	e, err := domain.NewEvent(s.now(), key, p)
	if err != nil {
		return nil, err
	}
	events := []domain.Event{e}
	return events, s.prepare(events)
}
