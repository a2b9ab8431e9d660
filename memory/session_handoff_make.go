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
	spoken, err := spokenMessages(ctx, tx, sessionID, h.Before)
	if err != nil {
		return domain.Handoff{}, err
	}
	for _, m := range spoken {
		h.MessageSeqs = append(h.MessageSeqs, m.Seq)
	}
	if h.Findings, err = findings(ctx, tx, sessionID, h.Before); err != nil {
		return domain.Handoff{}, err
	}
	if h.Reasoning, err = lastReasoning(ctx, tx, sessionID, h.Before); err != nil {
		return domain.Handoff{}, err
	}
	out := session.NewHandoff(s.newEventID(), sessionID, seq, h, s.now())
	out.Messages = spoken
	return out, tx.PutHandoff(ctx, out)
}

// spokenMessages returns the last messages that a hand-off carries, oldest first.
func spokenMessages(ctx context.Context, r repository.Reader, sessionID string, state *session.State) ([]domain.HandoffMessage, error) {
	var out []domain.HandoffMessage
	q := domain.EventQuery{SessionID: sessionID, Types: []domain.EventType{domain.EventMessage}, Limit: 4 * domain.HandoffMessages}
	err := backwards(ctx, r, q, state.Spans(), func(e domain.Event) bool {
		if m, ok := spoken(e); ok {
			out = append(out, m)
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

// lastReasoning returns the latest traces of reasoning in force, oldest first.
func lastReasoning(ctx context.Context, r repository.Reader, sessionID string, state *session.State) ([]domain.Reasoning, error) {
	if state.Reasoning.Count == 0 {
		return nil, nil
	}
	var out []domain.Reasoning
	q := domain.EventQuery{SessionID: sessionID, Types: []domain.EventType{domain.EventReasoning}, Limit: 4 * domain.HandoffMessages}
	err := backwards(ctx, r, q, state.Spans(), func(e domain.Event) bool {
		if p, err := domain.PayloadAs[domain.Reasoning](e); err == nil {
			out = append(out, p)
		}
		return len(out) < domain.HandoffMessages
	})
	slices.Reverse(out)
	return out, err
}
