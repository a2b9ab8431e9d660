package transcript

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"

	"wake/domain"
)

// geminiRow is a row of the newer shape: a message, data about the session, or a change
// of these.
type geminiRow struct {
	ID   string          `json:"id"`
	Type string          `json:"type"`
	Set  json.RawMessage `json:"$set"`
	Back string          `json:"$rewindTo"` // the first message that the user took back
}

// rows reads the newer shape. A message that is written again replaces the earlier one
// with the same id; the file contains both, and what was taken back.
func (g *gemini) rows(doc []byte, out *sink) error {
	s := geminiRows{at: map[string]int{}, again: map[string]bool{}}
	n := 0
	for line := range bytes.Lines(doc) {
		n++
		err := s.row(trimLine(line))
		if err == nil || !bytes.HasSuffix(line, []byte("\n")) { // else the last line is still being written
			continue
		}
		out.begin(n)
		out.skip(err.Error())
		for _, glued := range gluedRows(line, []string{`{"id":`, `{"$set":`}, isGeminiRow) {
			_ = s.row(glued)
		}
	}
	if s.SessionID == "" && len(s.Messages) == 0 {
		return errors.New("it is not a session of Gemini: no row has a sessionId")
	}
	if err := s.read(g, out); err != nil {
		return err
	}
	for _, r := range s.rewound {
		r.Session = s.id(g.name)
		out.rewound(r)
	}
	return nil
}

// geminiRows is a session being read.
type geminiRows struct {
	geminiSession
	at      map[string]int  // place by message id
	again   map[string]bool // ids of copies
	back    string          // the first message taken back since the user's last one
	rewound []Rewound
}

// row takes over what a row says; an error means that it is none.
func (s *geminiRows) row(line []byte) error {
	var row geminiRow
	if line = bytes.TrimSpace(line); len(line) == 0 {
		return nil
	}
	if err := decodeLoose(line, &row); err != nil {
		return fmt.Errorf("it is not JSON: %w", err)
	}
	if line[0] != '{' {
		return errors.New("it is not a row of a session")
	}
	switch {
	case row.Set != nil:
		s.change(row.Set)
	case row.Back != "":
		s.back = row.Back
	case row.Type == "message_update":
		s.update(row.ID, line)
	case row.ID != "":
		_, known := s.at[row.ID]
		s.put(row.ID, bytes.Clone(line))
		if row.Type == "user" && s.back != "" && !known {
			s.rewound, s.back = append(s.rewound, Rewound{From: s.back, Row: row.ID}), ""
		}
	default:
		return decodeLoose(line, &s.geminiSession)
	}
	return nil
}

// isGeminiRow tells a row from some object inside a broken one, such as a call of a tool.
func isGeminiRow(data []byte) bool {
	var row geminiRow
	_ = json.Unmarshal(data, &row)
	return row.ID != "" && row.Type != "" || row.Set != nil
}

func (s *geminiRows) put(id string, message json.RawMessage) {
	if i, known := s.at[id]; known {
		s.Messages[i] = message
		return
	}
	s.at[id] = len(s.Messages)
	s.Messages = append(s.Messages, message)
}

// update adds to a message what a row says of it, such as the tokens that it cost.
func (s *geminiRows) update(id string, row []byte) {
	i, known := s.at[id]
	var message, more map[string]json.RawMessage
	if !known || json.Unmarshal(s.Messages[i], &message) != nil || json.Unmarshal(row, &more) != nil {
		return
	}
	for field, value := range more {
		if field != "type" && field != "timestamp" {
			message[field] = value
		}
	}
	if whole, err := json.Marshal(message); err == nil {
		s.Messages[i] = whole
	}
}

// change applies a row that sets fields anew. Among the messages it lists, some may be
// earlier turns with new ids. Known messages stay as they were: the list differs from
// them only in what was hidden from the model.
func (s *geminiRows) change(set json.RawMessage) {
	var to geminiSession
	if decodeLoose(set, &to) != nil {
		return
	}
	s.Summary = cmp.Or(to.Summary, s.Summary)
	listed := make([]geminiMessage, len(to.Messages))
	kept := map[string]bool{}
	for i, raw := range to.Messages {
		_ = decodeLoose(raw, &listed[i])
		kept[listed[i].ID] = true
	}
	gone := s.gone(kept)
	for i, m := range listed {
		if _, known := s.at[m.ID]; m.ID == "" || known || s.again[m.ID] {
			continue
		}
		copied := m.copied(gone)
		if len(copied) == 0 {
			s.put(m.ID, to.Messages[i])
			continue
		}
		for _, said := range copied {
			gone[said]--
		}
		s.again[m.ID] = true
	}
}

// copied returns the contents that are gone of which a message is a copy: one, or several
// that were said as the user in succession, such as shell lines and the prompt after them.
func (m geminiMessage) copied(gone map[string]int) (of []string) {
	for gone[m.said()] <= 0 {
		if m.Type != "user" || len(m.Content) < 2 {
			return nil
		}
		first := geminiMessage{Type: m.Type, Content: m.Content[:1]}.said()
		if gone[first] <= 0 {
			return nil
		}
		of, m.Content = append(of, first), m.Content[1:]
	}
	return append(of, m.said())
}

// gone counts the contents of messages that are no longer listed.
func (s *geminiRows) gone(kept map[string]bool) map[string]int {
	gone := map[string]int{}
	for _, raw := range s.Messages {
		var m geminiMessage
		if decodeLoose(raw, &m) == nil && !kept[m.ID] {
			gone[m.said()]++
		}
	}
	return gone
}

// said identifies a message by role and text, to recognise copies.
func (m geminiMessage) said() string { return m.Type + ":" + m.Content.words() + m.Parts.words() }

// log reads logs.json, which records what a person typed in all sessions of a project.
// Older versions kept nothing else.
func (g *gemini) log(doc []byte, out *sink) error {
	var rows []struct {
		SessionID string `json:"sessionId"`
		Type      string `json:"type"`
		Message   string `json:"message"`
		Timestamp stamp  `json:"timestamp"`
	}
	if err := decodeLoose(doc, &rows); err != nil {
		return err
	}
	said := map[string]prompts{}
	for i, row := range rows {
		out.begin(i + 1)
		if row.SessionID == "" || row.Type != "user" || row.Message == "" {
			continue
		}
		if said[row.SessionID] == nil {
			said[row.SessionID] = prompts{}
			out.session(&domain.Session{Client: ClientGemini, ClientSessionID: row.SessionID, Provider: "google", StartedAt: row.Timestamp.Time})
		}
		m := domain.Message{Role: domain.RoleUser, Content: row.Message}
		key := said[row.SessionID].key(m.Content, "")
		if isCommand(m.Content) {
			m.Kind, key = domain.CommandMessage, domain.RowKey("gemini log", row.Timestamp.String()+":"+shortHash(m.Content))
		}
		out.event(row.SessionID, row.Timestamp.Time, key, rowRef{}, m)
	}
	if len(said) == 0 {
		return errors.New("it is not a log of Gemini: no row has a sessionId and a message")
	}
	return nil
}
