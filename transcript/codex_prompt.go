package transcript

import (
	"cmp"
	"slices"
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
	Words   string         `json:"words,omitempty"` // those of several texts, as their event would have them
	Hash    string         `json:"hash"`
	At      time.Time      `json:"at"`
	Row     string         `json:"row,omitempty"`
	Line    int            `json:"line,omitempty"` // of the item, in a rollout without events so far
}

// prompt emits each prompt that a person typed, once, however often the rollout records
// it. An item waits for the event of the same prompt. If the model speaks before there is
// one, either Codex added the item, or the person typed it: while the model worked (some
// versions wrote no event then), or in a rollout without such events. words are the
// message's texts, joined as an event joins them.
func (r codexReading) prompt(way promptForm, m domain.Message, words string) {
	if !says(m) {
		return
	}
	hash := shortHash(words)
	r.Told = r.Told || way != codexAsked
	for i, h := range r.Heard {
		if h.Hash == hash && !slices.Contains(h.Ways, way) {
			r.Heard[i].Ways = append(h.Ways, way)
			return
		}
	}
	if way == codexAsked {
		held := codexHeld{Message: m, Hash: hash, At: r.at, Row: r.row()}
		if words != m.Content {
			held.Words = words
		}
		if !r.Told {
			held.Line = r.out.line
		}
		r.Held = append(r.Held, held)
		return
	}
	heard, row := codexHeard{Hash: hash, Ways: []promptForm{way}}, r.row()
	held := slices.IndexFunc(r.Held, func(h codexHeld) bool { return h.Hash == hash })
	switch {
	case held >= 0:
		h := r.Held[held]
		if row = h.Row; h.Line > 0 { // the message is the same if the event is read later
			m, r.at = h.Message, h.At
		}
		r.Held = slices.Delete(r.Held, held, held+1)
		heard.Ways = append(heard.Ways, codexAsked)
	case drop(&r.Guessed, hash):
		return
	}
	r.Heard = append(r.Heard, heard)
	r.said(m, words, row)
}

// ended emits the items that wait in a rollout without events so far: it may be one in
// which none will come.
func (c *codex) ended(out *sink) {
	if c.Told {
		return
	}
	for _, h := range c.Held {
		c.Heard = append(c.Heard, codexHeard{Hash: h.Hash, Ways: []promptForm{codexAsked}})
		r := codexReading{c, h.At, nil, out}
		r.session()
		r.release(h)
	}
	c.Held = nil
}

// release emits an item that has waited. In a rollout without events it stands at its own
// line, so the rows after it have the same keys wherever the reading is divided.
func (r codexReading) release(h codexHeld) {
	line, block := r.out.line, r.out.block
	if h.Line > 0 {
		r.out.line, r.out.block = h.Line, 0
	}
	r.at = h.At
	r.said(h.Message, cmp.Or(h.Words, h.Message.Content), h.Row)
	if h.Line > 0 {
		r.out.line, r.out.block = line, block
	}
}

// said emits a person's message. words are what a hook is told of it, too.
func (r codexReading) said(m domain.Message, words, row string) {
	m.Kind = r.asked()
	r.emit(r.Typed.key(words, ""), row, m)
	if r.Reverted != nil {
		r.out.rewound(*r.Reverted)
		r.Reverted = nil
	}
}

// spoke is called when the model speaks or the turn ends: no event came for the items
// still waiting. If another prompt has come, they were added by Codex, or are that
// prompt in another form, but for answers to questions.
func (r codexReading) spoke() {
	told := slices.ContainsFunc(r.Heard, func(h codexHeard) bool {
		return slices.ContainsFunc(h.Ways, func(w promptForm) bool { return w != codexAsked })
	})
	for _, h := range r.Held {
		if elementName(h.Message.Content) == codexAnswer || !told && !beginsWith(h.Message.Content, codexWarnings()...) {
			if r.Told {
				r.Guessed = newest(append(r.Guessed, h.Hash))
			}
			r.release(h)
		}
	}
	r.Heard, r.Held, r.Shown = nil, nil, nil
}

// typed reads what a person typed from an event.
func (r codexReading) typed(way promptForm, e codexEvent) {
	if r.delegated(e.Message) || r.Imported && claudeTextKind(e.Message) != domain.PlainMessage {
		return // the item of the same prompt says it, as nobody's words
	}
	m := domain.Message{Role: domain.RoleUser, Content: e.Message, Media: r.pictures(e)}
	if m.Kind = codexKind(m.Content); !m.Human() {
		r.emit(r.rowKey(), "", m)
		return
	}
	r.prompt(way, m, m.Content)
}

// pictures returns the images of a prompt. The event only names files; the images
// themselves are in the preceding item.
func (c *codex) pictures(e codexEvent) []domain.Media {
	shown, all := c.Shown, append(slices.Clone(e.Images), e.Local...)
	c.Shown = nil
	if len(e.Local) > 0 && len(shown) == len(all) {
		return shown
	}
	return mediaAt("image", all)
}

// codexTurnItem is a completed part of a turn, which newer rollouts have instead of
// most events.
type codexTurnItem struct {
	Type   string `json:"type"`
	ID     string `json:"id"` // of a tool's call, the call's
	Target struct {
		Instructions string `json:"instructions"`
	} `json:"target"` // of a review
	Content []struct {
		Type     string `json:"type"`
		Text     string `json:"text"`
		ImageURL string `json:"image_url"`
		Path     string `json:"path"` // of a picture, and of a skill or a file that is mentioned
	} `json:"content"`
	Raw []string `json:"raw_content"` // of reasoning
	codexEnded
	codexSpawned
}

// event returns the event that would record the same prompt.
func (t codexTurnItem) event() codexEvent {
	var e codexEvent
	for _, part := range t.Content {
		e.Message += part.Text
		if part.ImageURL != "" {
			e.Images = append(e.Images, part.ImageURL)
		}
		if part.Path != "" && part.Type == "local_image" {
			e.Local = append(e.Local, part.Path)
		}
	}
	return e
}
