package transcript

import (
	"cmp"
	"strings"

	"wake/domain"
)

// An item leaves out a thought that came as plain text. The event before it has the text.

// codexThought is what such events say.
type codexThought struct {
	ID    string   `json:"id,omitempty"` // of the item; "" in older rollouts, where it is the next one
	Texts []string `json:"texts,omitempty"`
}

// thought notes what an event says of the item behind it.
func (r codexReading) thought(id string, texts ...string) {
	if r.Thought.ID != id {
		r.Thought = codexThought{ID: id}
	}
	r.Thought.Texts = append(r.Thought.Texts, texts...)
}

// thinks emits what the model thought.
func (r codexReading) thinks(item codexItem, told codexThought) {
	text := cmp.Or(item.Summary.text(), item.Content.text())
	if text == "" && (told.ID == "" || told.ID == item.ID) {
		text = strings.Join(told.Texts, "\n")
	}
	if text != "" {
		r.emit(r.rowKey(), item.ID, domain.Reasoning{Content: text, Complete: true})
	}
}
