package memory

import (
	"cmp"
	"context"
	"fmt"

	"wake/domain"
	"wake/session"
)

// messagePage is how many messages are read at a time.
const messagePage = 64

// stretch is a part of a log: after from and before to, both exclusive. to 0 means the
// end.
type stretch struct{ from, to int64 }

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
func (l logAt) epochMessages(ctx context.Context, in stretch, into *reading) error {
	spans := l.state.EpochSpans()
	for i := range spans {
		spans[i].From = max(spans[i].From, in.from+1)
		if in.to > 0 {
			spans[i].To = min(spans[i].To, in.to-1)
		}
	}
	q := domain.EventQuery{SessionID: l.sessionID, Types: []domain.EventType{domain.EventMessage, domain.EventCompaction}, Limit: messagePage}
	return backwards(ctx, l.r, q, spans, into.take)
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
