package transcript

import (
	"slices"
	"strings"
	"time"

	"wake/domain"
)

// promptForm is one of the forms in which a rollout records a prompt: a response item
// and, depending on the version, an event for the screen or a completed item of the
// turn. One prompt may appear up to three times.
type promptForm string

const (
	codexAsked     promptForm = "item" // texts added by Codex have this form too
	codexTyped     promptForm = "event"
	codexCompleted promptForm = "completed"
)

// codexHeard is a prompt emitted since the model last spoke.
type codexHeard struct {
	Hash string       `json:"hash"`
	Ways []promptForm `json:"ways"`
}

// codexHeld is a user's item whose event has not come yet.
type codexHeld struct {
	Message domain.Message `json:"message"`
	Hash    string         `json:"hash"`
	At      time.Time      `json:"at"`
}

// prompt emits what a person typed once, however often the rollout records it. In
// rollouts with events for what people type, an item waits for its event. If none comes
// before the model speaks, the item was either typed while the model worked, for which
// some versions wrote no event, or added by Codex. words is the texts of the message
// joined as in an event.
func (c *codex) prompt(id string, way promptForm, m domain.Message, words string, at time.Time, out *sink) {
	if m.Content == "" && len(m.Media) == 0 {
		return
	}
	hash := shortHash(words)
	told := way != codexAsked
	c.Told = c.Told || told
	for i, h := range c.Heard {
		if h.Hash == hash && !slices.Contains(h.Ways, way) {
			c.Heard[i].Ways = append(h.Ways, way)
			return
		}
	}
	held := slices.IndexFunc(c.Held, func(h codexHeld) bool { return h.Hash == hash })
	switch {
	case told && held >= 0:
		c.Held = slices.Delete(c.Held, held, held+1)
	case told && drop(&c.Guessed, hash):
		return
	case !told && c.Told:
		c.Held = append(c.Held, codexHeld{m, hash, at})
		return
	}
	heard := codexHeard{Hash: hash, Ways: []promptForm{way}}
	if held >= 0 {
		heard.Ways = append(heard.Ways, codexAsked)
	}
	c.Heard = append(c.Heard, heard)
	c.said(id, m, at, out)
}

// said emits a person's message.
func (c *codex) said(id string, m domain.Message, at time.Time, out *sink) {
	m.Kind = c.asked()
	out.event(id, at, c.Typed.key(m.Content, ""), rowRef{}, m)
}

// spoke is called when the model speaks or the turn ends: no event came for the items
// still waiting. If another prompt has come, they were added by Codex, or are that
// prompt in another form.
func (c *codex) spoke(id string, out *sink) {
	told := slices.ContainsFunc(c.Heard, func(h codexHeard) bool {
		return slices.ContainsFunc(h.Ways, func(w promptForm) bool { return w != codexAsked })
	})
	for _, h := range c.Held {
		if !told && !strings.HasPrefix(h.Message.Content, codexWarning) {
			c.Guessed = newest(append(c.Guessed, h.Hash))
			c.said(id, h.Message, h.At, out)
		}
	}
	c.Heard, c.Held, c.Shown = nil, nil, nil
}

// codexWarning begins Codex's notices to the model about its use of tools.
const codexWarning = "Warning: "

// typed reads what a person typed from an event.
func (c *codex) typed(id string, way promptForm, e codexEvent, at time.Time, out *sink) {
	m := domain.Message{Role: domain.RoleUser, Content: e.Message, Media: c.pictures(e)}
	if m.Kind = codexKind(m.Content); !m.Human() {
		out.event(id, at, c.rowKey(out), rowRef{}, m)
		return
	}
	c.prompt(id, way, m, m.Content, at, out)
}

// pictures returns the images of a prompt. The event only names files; the images
// themselves are in the preceding item.
func (c *codex) pictures(e codexEvent) []domain.Media {
	shown, all := c.Shown, append(slices.Clone(e.Images), e.Local...)
	c.Shown = nil
	if len(e.Local) > 0 && len(shown) == len(all) {
		return shown
	}
	var media []domain.Media
	for _, url := range all {
		media = append(media, domain.Media{Type: "image", URL: url})
	}
	return media
}

// codexTurnItem is a completed part of a turn, which newer rollouts have instead of
// most events.
type codexTurnItem struct {
	Type    string `json:"type"`
	Content []struct {
		Text     string `json:"text"`
		ImageURL string `json:"image_url"`
		Path     string `json:"path"`
	} `json:"content"`
}

// event returns the event that would record the same prompt.
func (t codexTurnItem) event() codexEvent {
	var e codexEvent
	for _, part := range t.Content {
		e.Message += part.Text
		if part.ImageURL != "" {
			e.Images = append(e.Images, part.ImageURL)
		}
		if part.Path != "" {
			e.Local = append(e.Local, part.Path)
		}
	}
	return e
}
