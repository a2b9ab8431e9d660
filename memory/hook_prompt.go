package memory

import (
	"context"
	"slices"
	"strings"
	"time"

	"wake/domain"
	"wake/transcript"
)

// words returns the person's own words in the prompt.
func (h *hooking) words() string { return transcript.Words(h.hook.Client, h.hook.Prompt) }

// prompted records the prompt, unless it is stored already.
func (h *hooking) prompted(ctx context.Context, before, after counted) error {
	held, err := h.holdsPrompt(ctx, before, after)
	if err != nil || held {
		return err
	}
	m := domain.Message{Role: domain.RoleUser, Content: h.hook.Prompt}
	if h.hook.Client == transcript.ClientGemini {
		m.Content = h.words() // it puts in front what hooks have told at the start
	}
	switch m.Kind = h.hook.PromptKind(); m.Kind {
	case domain.CommandMessage:
		return h.append(ctx, "", m)
	case domain.MetaMessage:
		return nil // written by the client; the transcript has it as such
	}
	if h.isToldByCall() {
		return h.append(ctx, "", m)
	}
	if held, err := h.holdBack(ctx); held || err != nil {
		return err
	}
	// The transcript will give the prompt the same key, so it is stored once,
	// whichever comes first.
	return h.append(ctx, domain.HumanKey(h.words(), int(after.prompts)+1), m)
}

// forkPrompt is the kind of the note that holds the first prompt of a fork.
const forkPrompt = "fork_prompt"

// awaitsHistory reports whether a session is a fork whose history its transcript has yet
// to bring.
func (h *hooking) awaitsHistory(o domain.Session) bool {
	return o.Attributes["source"] == startedByFork && o.Messages == 0 && h.transcribed()
}

// holdBack notes the first prompt of a fork that awaits its history, and reports whether
// it did. As a message it would stand before that history. The transcript will have both
// in order. If it has none by the next prompt, there is none to wait for.
func (h *hooking) holdBack(ctx context.Context) (bool, error) {
	if !h.awaitsHistory(h.last) {
		return false, nil
	}
	e, err := domain.NewEvent(h.at(), domain.RowKey("hook", "first prompt of a fork"), domain.Note{Kind: forkPrompt, Text: h.hook.Prompt})
	if err != nil {
		return false, err
	}
	if fresh, err := h.appendTo(ctx, h.id, e); fresh || err != nil {
		return fresh, err
	}
	return false, h.release(ctx, h.id)
}

// release makes a message of the prompt that a session holds back.
func (h *hooking) release(ctx context.Context, sessionID string) error {
	notes, err := h.s.Store.Events(ctx, domain.EventQuery{SessionID: sessionID, Types: []domain.EventType{domain.EventNote}})
	if err != nil {
		return err
	}
	for _, e := range notes {
		held, err := domain.PayloadAs[domain.Note](e)
		if err != nil || held.Kind != forkPrompt {
			continue
		}
		said, err := domain.NewEvent(e.At, domain.HumanKey(transcript.Words(h.hook.Client, held.Text), 1), domain.Message{Role: domain.RoleUser, Content: held.Text})
		if err != nil {
			return err
		}
		if _, err := h.appendTo(ctx, sessionID, said); err != nil {
			return err
		}
	}
	return nil
}

// isToldByCall reports whether the id of the call, and not a count, distinguishes
// equal prompts. It does if no transcript will have them.
func (h *hooking) isToldByCall() bool { return h.req.ID != "" && !h.transcribed() }

// Within onePrompt, two equal prompts count as one that arrived in two ways; within
// oneCall, as one of which a client told twice, because wake's hook is set up twice.
const (
	onePrompt = 10 * time.Second
	oneCall   = 2 * time.Second
)

// holdsPrompt reports whether the prompt is stored already: it was in the transcript's
// new part, another hook stored it, or it comes from the spool and had been stored
// after all.
func (h *hooking) holdsPrompt(ctx context.Context, before, after counted) (bool, error) {
	switch {
	case after.prompts > before.prompts || strings.TrimSpace(h.hook.Prompt) == "":
		return true, nil
	case after.prompts == 0 || h.isToldByCall():
		return false, nil
	case h.req.At.IsZero():
		return h.holdsRow(ctx)
	}
	said, err := h.s.Store.Events(ctx, domain.EventQuery{SessionID: h.id, Human: true, Backward: true, Limit: 50})
	if err != nil {
		return false, err
	}
	return slices.ContainsFunc(said, func(e domain.Event) bool { return h.isPrompt(e) && e.At.Sub(h.req.At).Abs() < onePrompt }), nil
}

// holdsRow reports whether the newest message of the session is the prompt's row of
// the transcript, just read by another hook: one that had waited for the database, or
// one in another process; or the same prompt, just told by another hook. Either could
// also be an earlier prompt in the same words; then the transcript will soon have this
// one too.
func (h *hooking) holdsRow(ctx context.Context) (bool, error) {
	if !h.transcribed() {
		return false, nil
	}
	newest, err := h.s.Store.Events(ctx, domain.EventQuery{SessionID: h.id, Types: []domain.EventType{domain.EventMessage}, Backward: true, Limit: 1})
	if err != nil {
		return false, err
	}
	return slices.ContainsFunc(newest, func(e domain.Event) bool {
		recent := onePrompt
		if e.Source.Name == "" {
			recent = oneCall
		}
		return e.Human && h.s.now().Sub(e.RecordedAt).Abs() < recent && h.isPrompt(e)
	}), nil
}

// isPrompt reports whether an event has the words of the prompt.
func (h *hooking) isPrompt(e domain.Event) bool {
	m, err := e.Message()
	return err == nil && transcript.Words(h.hook.Client, m.Content) == h.words()
}
