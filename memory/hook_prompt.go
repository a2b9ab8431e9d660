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
	// The key is the one that the transcript will give it, so that whoever is
	// first, also at the same moment, the prompt is there once.
	m := domain.Message{Role: domain.RoleUser, Content: h.hook.Prompt}
	switch m.Kind = transcript.PromptKind(h.hook.Client, m.Content); m.Kind {
	case domain.CommandMessage:
		return h.append(ctx, "", m)
	case domain.MetaMessage:
		return nil // the client's own: the transcript has it as such
	}
	return h.append(ctx, domain.HumanKey(h.words(), int(after.prompts)+1), m)
}

// spooledTwice is how near in time two equal prompts are taken for one that was
// stored just when its hook gave up and spooled it.
const spooledTwice = 10 * time.Second

// holdsPrompt reports whether the prompt is stored already: the tail brought it
// in just now, or it comes from the spool and was stored at its time after all.
func (h *hooking) holdsPrompt(ctx context.Context, before, after counted) (bool, error) {
	if after.prompts > before.prompts || strings.TrimSpace(h.hook.Prompt) == "" {
		return true, nil
	}
	if h.req.At.IsZero() || after.prompts == 0 {
		return false, nil
	}
	said, err := h.s.Store.Events(ctx, domain.EventQuery{SessionID: h.id, Human: true, Backward: true, Limit: 50})
	if err != nil {
		return false, err
	}
	return slices.ContainsFunc(said, func(e domain.Event) bool {
		m, err := e.Message()
		return err == nil && transcript.Words(h.hook.Client, m.Content) == h.words() && e.At.Sub(h.req.At).Abs() < spooledTwice
	}), nil
}
