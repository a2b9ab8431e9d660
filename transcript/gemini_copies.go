package transcript

import (
	"encoding/json"
	"slices"
	"strings"
)

// findCopies finds which of the listed messages are copies. What a compression keeps are the
// latest messages, so of equal ones the latest are looked for first.
func (s *geminiRows) findCopies(listed []geminiMessage, gone goneMessages) {
	for _, m := range slices.Backward(listed) {
		if m.ID == "" || s.knows(m.ID) {
			continue
		}
		for _, said := range slices.Backward(m.copied(gone)) {
			if ids := gone[said]; len(ids) > 0 {
				s.copyOf[m.ID], gone[said] = ids[len(ids)-1], ids[:len(ids)-1]
			}
		}
	}
}

// goneMessages are the ids of messages that are no longer listed, by content and in order.
type goneMessages map[string][]string

// copied returns the contents that are gone of which a message is a copy: one, or several
// that were said as the user in succession, such as shell lines and the prompt after them.
func (m geminiMessage) copied(gone goneMessages) (of []string) {
	for len(gone[m.said()]) == 0 {
		if m.Type != "user" || len(m.Content) < 2 {
			return nil
		}
		first := geminiMessage{Type: m.Type, Content: m.Content[:1]}.said()
		if len(gone[first]) == 0 {
			return nil
		}
		of, m.Content = append(of, first), m.Content[1:]
	}
	return append(of, m.said())
}

// gone finds the messages before a place that are no longer listed, though not taken back.
func (s *geminiRows) gone(place int, kept map[string]bool) goneMessages {
	gone := goneMessages{}
	for _, raw := range s.Messages[:place] {
		var m geminiMessage
		if decodeLoose(raw, &m) == nil && !kept[m.ID] && !s.dropped[m.ID] {
			gone[m.said()] = append(gone[m.said()], m.ID)
		}
	}
	return gone
}

// said identifies a message by role and text, to recognise copies. The client writes the
// model's words without the blanks around them, which its history has.
func (m geminiMessage) said() string {
	return m.Type + ":" + strings.TrimSpace(m.Content.words()+m.Parts.words())
}

// findBrought finds a conversation saved elsewhere that the user went on with, as after
// /chat resume: a history that is listed for the first time, and in whose replies no model of
// this session took part.
func (s *geminiRows) findBrought(history []json.RawMessage) {
	var ids []string
	brought, here := false, false
	for _, listed := range history {
		var row geminiRow
		_ = decodeLoose(listed, &row)
		at, own := s.at[row.ID]
		if !own {
			continue
		}
		var m geminiMessage
		_ = decodeLoose(s.Messages[at], &m)
		asked := m.Tokens != nil || m.Model != ""
		here = here || s.given[m.ID] || asked
		brought = brought || m.Type == "gemini" && !asked && m.said() != "gemini:"+geminiThanks
		s.given[m.ID] = true
		ids = append(ids, m.ID)
	}
	if brought && !here {
		for _, id := range ids {
			s.brought[id] = true
		}
	}
}

// broughtFrom stands for the session that a message came from with a conversation saved there,
// because the client does not name it.
const broughtFrom = "chat"

// copy reads a message that came with a conversation saved elsewhere. It has the form sent to
// the model: calls of tools and their answers are parts of it.
func (r *geminiReader) copy(m geminiMessage) {
	r.out.copied = broughtFrom
	r.say(m)
	r.calls(&m)
}
