package memory

import (
	"context"
	"slices"
	"unicode/utf8"

	"wake/domain"
	"wake/repository"
	"wake/session"
)

// makeHandoff makes and stores a hand-off, with what was said, found and thought before.
func (s *Service) makeHandoff(ctx context.Context, tx repository.Tx, sessionID string, seq int64, h session.Handed) (domain.Handoff, error) {
	log := logAt{tx, sessionID, h.Before}
	said, err := lastOf(ctx, log, domain.EventMessage, spoken)
	if err != nil {
		return domain.Handoff{}, err
	}
	for _, m := range said {
		h.MessageSeqs = append(h.MessageSeqs, m.Seq)
	}
	if h.Findings, err = log.findings(ctx); err != nil {
		return domain.Handoff{}, err
	}
	if h.Before.Reasoning.Count > 0 {
		if h.Reasoning, err = lastOf(ctx, log, domain.EventReasoning, thought); err != nil {
			return domain.Handoff{}, err
		}
	}
	out := session.NewHandoff(s.newEventID(), sessionID, seq, h, s.now())
	out.Messages = said
	return out, tx.PutHandoff(ctx, out)
}

// lastOf returns what read takes from the newest events of a type, as many items as a
// hand-off carries messages, oldest first.
func lastOf[T any](ctx context.Context, log logAt, t domain.EventType, read func(domain.Event) (T, bool)) ([]T, error) {
	var out []T
	q := domain.EventQuery{Types: []domain.EventType{t}, Limit: 4 * domain.HandoffMessages}
	err := log.backwards(ctx, q, func(e domain.Event) bool {
		if item, ok := read(e); ok {
			out = append(out, item)
		}
		return len(out) < domain.HandoffMessages
	})
	slices.Reverse(out)
	return out, err
}

// handedChars is up to which length a message is handed on as a whole. A long text
// that was pasted once should not fill the window again at each change of mode.
const handedChars = 8_000

// spoken returns the form of a message in a hand-off. It returns false for output of
// tools and messages without text.
func spoken(e domain.Event) (domain.HandoffMessage, bool) {
	m, err := e.Message()
	if err != nil || m.Content == "" || m.Role == domain.RoleTool || m.Kind != domain.PlainMessage {
		return domain.HandoffMessage{}, false
	}
	out := domain.HandoffMessage{Seq: e.Seq, Role: m.Role, Content: m.Content, At: e.At}
	if utf8.RuneCountInString(m.Content) > handedChars {
		out.Content, out.Pointer = "", session.MessageURI(e.SessionID, e.Seq)
	}
	return out, true
}

// thought returns a trace of reasoning. It returns false for one that cannot be read.
func thought(e domain.Event) (domain.Reasoning, bool) {
	r, err := domain.PayloadAs[domain.Reasoning](e)
	return r, err == nil
}
