package memory

import (
	"context"
	"slices"
	"strings"
	"time"

	"wake/domain"
	"wake/transcript"
)

// words are the person's own words in the prompt.
func (h *hooking) words() string { return transcript.Words(h.hook.Client, h.hook.Prompt) }

// prompted records what was typed, unless it is there already.
func (h *hooking) prompted(ctx context.Context, before, after counted) error {
	held, err := h.holdsPrompt(ctx, before, after)
	if err != nil || held {
		return err
	}
	m := domain.Message{Role: domain.RoleUser, Content: h.hook.Prompt}
	switch m.Kind = h.hook.PromptKind(); m.Kind {
	case domain.CommandMessage:
		return h.append(ctx, "", m)
	case domain.MetaMessage:
		return nil // the client's own: the transcript has it as such
	}
	if h.isToldByCall() {
		return h.append(ctx, "", m)
	}
	// The key is the one that the transcript will give it, so that whoever is
	// first, also at the same moment, the prompt is there once.
	return h.append(ctx, domain.HumanKey(h.words(), int(after.prompts)+1), m)
}

// isToldByCall reports whether the id of the call tells the prompt from others of the same
// words: no transcript will have it.
func (h *hooking) isToldByCall() bool { return h.req.ID != "" && !h.transcribed() }

// onePrompt is how near in time two equal prompts are taken for one that came on two ways.
const onePrompt = 10 * time.Second

// holdsPrompt reports whether the prompt is stored already: the tail brought it in just
// now, here or elsewhere, or it comes from the spool and was stored at its time after all.
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

// holdsRow reports whether the newest message of the session is the prompt's row, which
// another hook has just read: one that had waited for the database, or of another process.
// If the row is of the same words said before, the transcript will soon have these again.
func (h *hooking) holdsRow(ctx context.Context) (bool, error) {
	if !h.transcribed() {
		return false, nil
	}
	newest, err := h.s.Store.Events(ctx, domain.EventQuery{SessionID: h.id, Types: []domain.EventType{domain.EventMessage}, Backward: true, Limit: 1})
	if err != nil {
		return false, err
	}
	return slices.ContainsFunc(newest, func(e domain.Event) bool {
		return e.Human && e.Source.Name != "" && h.s.now().Sub(e.RecordedAt).Abs() < onePrompt && h.isPrompt(e)
	}), nil
}

// isPrompt reports whether an event says what the prompt does.
func (h *hooking) isPrompt(e domain.Event) bool {
	m, err := e.Message()
	return err == nil && transcript.Words(h.hook.Client, m.Content) == h.words()
}
