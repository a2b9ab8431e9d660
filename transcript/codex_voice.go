package transcript

import (
	"strings"

	"wake/domain"
)

// codexSpoken is a row of a conversation by voice, which a model of its own holds: it
// passes on to the thread what is to be done.
type codexSpoken struct {
	Type string `json:"type"`
	ID   string `json:"id"`
	Role string `json:"role"`
	Text string `json:"text"`
}

// spoken reads what a person and the model said.
func (r codexReading) spoken(payload []byte) error {
	var said codexSpoken
	if err := decodeLoose(payload, &said); err != nil {
		return err
	}
	r.Voice = true
	if _, again := r.Segments.get(said.ID); again || said.Type != "transcript_segment" || said.Text == "" {
		return nil
	}
	if said.ID != "" {
		r.Segments.put(said.ID, true, openMessages)
	}
	r.session()
	switch said.Role {
	case "user":
		r.said(domain.Message{Role: domain.RoleUser, Content: said.Text}, said.Text, r.row())
	case "assistant":
		r.emit(r.rowKey(), said.ID, domain.Message{Role: domain.RoleAssistant, MessageID: said.ID, Content: said.Text})
	}
	return nil
}

// delegated reports whether a prompt is what the model that a person talks with passed on.
// Rollouts that do not have the conversation have the person's words only there.
func (c *codex) delegated(prompt string) bool {
	t := strings.TrimSpace(prompt)
	return c.Voice && strings.HasPrefix(t, "<realtime_delegation>") && strings.HasSuffix(t, "</realtime_delegation>")
}
