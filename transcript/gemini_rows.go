package transcript

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
)

// geminiRow is a row of the newer shape: a message, data about the session, or a change
// of these.
type geminiRow struct {
	ID    string          `json:"id"`
	Type  string          `json:"type"`
	Set   json.RawMessage `json:"$set"`
	Patch *geminiPatch    `json:"$patch"`
	UUID  string          `json:"uuid"`      // only in rows of Qwen Code, which began as a copy of the client
	Back  string          `json:"$rewindTo"` // the first message that the user took back
}

// geminiPatch says which messages the client's history lost, and in which order the last
// ones are now. What it also says of their contents is what was hidden from the model.
type geminiPatch struct {
	Removed []string `json:"removeIds"`
	Order   []string `json:"orderIds"`
}

// readGeminiRows reads the newer shape. A message that is written again replaces the
// earlier one with the same id; the file contains both, and what was taken back.
func readGeminiRows(name string, doc []byte, out *sink) error {
	s := geminiRows{geminiSession: geminiSession{brought: map[string]bool{}}, given: map[string]bool{}, at: map[string]int{}, copyOf: map[string]string{}, dropped: map[string]bool{}, more: map[string]fields{}}
	n := 0
	for line := range bytes.Lines(doc) {
		n++
		err := s.row(trimLine(line))
		if err == nil || !bytes.HasSuffix(line, []byte("\n")) { // else the last line is still being written
			continue
		}
		out.begin(n)
		out.skip(err.Error())
		for _, glued := range gluedRows(line, []string{`{"id":`, `{"$set":`, `{"$patch":`}, isGeminiRow) {
			_ = s.row(glued)
		}
	}
	if s.SessionID == "" && len(s.Messages) == 0 {
		return errors.New("it is not a session of Gemini: no row has a sessionId")
	}
	s.update()
	s.read(name, out)
	for _, r := range s.rewound {
		r.Session = s.id(name)
		out.rewound(r)
	}
	return nil
}

// geminiRows is a session being read.
type geminiRows struct {
	geminiSession
	at      map[string]int    // place by message id
	copyOf  map[string]string // ids of copied messages by those of the copies
	listed  []string          // ids of the messages that the client has
	given   map[string]bool   // ids of those that a history had
	before  int               // how many messages there were before the latest rows if these are new messages, see patch
	dropped map[string]bool   // ids of messages that were taken back
	more    map[string]fields // what rows add to messages, such as the tokens that they cost, until it is put into them
	rewound []Rewound         // those without a Row have no message of the user behind them yet
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
	var err error
	_, known := s.at[row.ID]
	switch {
	case row.Set != nil:
		s.change(row.Set)
	case row.Patch != nil:
		s.patch(*row.Patch)
	case row.Back != "":
		s.goBack(row.Back)
	case row.Type == "message_update":
		s.add(row.ID, line)
	case known:
		s.put(row.ID, bytes.Clone(line))
	case row.ID != "":
		s.put(row.ID, bytes.Clone(line))
		if row.Type == "user" {
			s.goOn(row.ID)
		}
		return nil // see patch
	case row.UUID != "":
		return errors.New("it is not a row of a session of Gemini: it has a uuid, as in chats of Qwen Code")
	default:
		err = s.head(line)
	}
	s.before = len(s.Messages)
	return err
}

// head takes over what a row says of the session as a whole. The messages that it may have
// follow those before.
func (s *geminiRows) head(line []byte) error {
	before := s.Messages
	s.Messages = nil
	err := decodeLoose(line, &s.geminiSession)
	more := s.Messages
	s.Messages = before
	for _, raw := range more {
		var m geminiRow
		if _ = json.Unmarshal(raw, &m); m.ID != "" {
			s.put(m.ID, raw)
		} else {
			s.Messages = append(s.Messages, raw)
		}
	}
	return err
}

// isGeminiRow tells a row from some object inside a broken one, such as a call of a tool.
func isGeminiRow(data []byte) bool {
	var row geminiRow
	_ = json.Unmarshal(data, &row)
	return row.ID != "" && row.Type != "" || row.Set != nil || row.Patch != nil
}

// goBack takes back what was said from a message on. The summary of a compression stands
// before what it kept, though it was written later.
func (s *geminiRows) goBack(to string) {
	from := cmp.Or(s.copyOf[to], to)
	if i := slices.Index(s.listed, from); i >= 0 {
		for _, id := range s.listed[i:] {
			s.dropped[id] = true
			if s.at[id] < s.at[from] {
				from = id
			}
		}
		s.listed = s.listed[:i]
	}
	s.rewound = append(s.rewound, Rewound{ID: "to " + to, From: from})
}

// goOn ends what was taken back before a message of the user.
func (s *geminiRows) goOn(id string) {
	for i := len(s.rewound) - 1; i >= 0 && s.rewound[i].Row == ""; i-- {
		s.rewound[i].Row = id
	}
}

func (s *geminiRows) put(id string, message json.RawMessage) {
	if i, known := s.at[id]; known {
		delete(s.more, id)
		s.Messages[i] = message
		return
	}
	s.at[id] = len(s.Messages)
	s.Messages = append(s.Messages, message)
	s.listed = append(s.listed, id)
}

// add takes in what a row adds to a message.
func (s *geminiRows) add(id string, row []byte) {
	if _, known := s.at[id]; !known {
		return
	}
	if s.more[id] == nil {
		s.more[id] = fields{}
	}
	var more fields
	_ = decodeLoose(row, &more)
	delete(more, "type")
	delete(more, "timestamp")
	maps.Copy(s.more[id], more)
}

// update puts what rows add into the messages: once for each, because a message is long
// and may have many such rows.
func (s *geminiRows) update() {
	for id, more := range s.more {
		var message fields
		if json.Unmarshal(s.Messages[s.at[id]], &message) != nil {
			continue
		}
		maps.Copy(message, more)
		if whole, err := json.Marshal(message); err == nil {
			s.Messages[s.at[id]] = whole
		}
	}
	clear(s.more)
}

// change applies a row that sets fields anew, also the client's history as a whole.
func (s *geminiRows) change(set json.RawMessage) {
	var to geminiSession
	if decodeLoose(set, &to) != nil {
		return
	}
	s.Summary = cmp.Or(to.Summary, s.Summary)
	if len(to.Messages) == 0 {
		return
	}
	if from, anew := s.givenAnew(to.Messages[0]); anew {
		s.relist(from, to.Messages)
	} else {
		s.list(to.Messages)
	}
	s.findBrought(to.Messages)
}

// givenAnew reports whether a history begins with a message that was written as a row of its
// own, but is a copy of what came before, and returns the place of that row. The client gives
// its history anew, in rows with new ids, where every tool that the model asked for was refused.
func (s *geminiRows) givenAnew(first json.RawMessage) (from int, anew bool) {
	var m geminiMessage
	_ = decodeLoose(first, &m)
	from = s.at[m.ID]
	return from, len(m.copied(s.gone(from, nil))) > 0
}

// patch applies what newer versions write instead of the whole history. The turns that it
// has with new ids are in the rows just before.
func (s *geminiRows) patch(p geminiPatch) {
	if len(p.Removed)+len(p.Order) == 0 {
		return
	}
	own := func(id string) string { return cmp.Or(s.copyOf[id], id) }
	elsewhere := map[string]bool{}
	for _, id := range slices.Concat(p.Removed, p.Order) {
		elsewhere[own(id)] = true
	}
	ids := slices.DeleteFunc(slices.Clone(s.listed), func(id string) bool { return elsewhere[id] })
	var history []json.RawMessage
	for _, id := range append(ids, p.Order...) {
		if i, known := s.at[own(id)]; known {
			history = append(history, s.Messages[i])
		}
	}
	s.relist(s.before, history)
	s.findBrought(history)
}

// relist takes over a history whose turns with new ids have rows of their own, from a place on.
func (s *geminiRows) relist(from int, history []json.RawMessage) {
	s.update()
	fresh := slices.Clone(s.Messages[from:])
	s.takeOut(from)
	s.list(history)
	for _, raw := range fresh { // what was said just before, and is removed at once
		var m geminiRow
		if _ = json.Unmarshal(raw, &m); m.ID != "" && !s.knows(m.ID) {
			s.at[m.ID] = len(s.Messages)
			s.Messages = append(s.Messages, raw)
		}
	}
}

// takeOut removes the messages from a place on as if their rows had not come.
func (s *geminiRows) takeOut(from int) {
	maps.DeleteFunc(s.at, func(_ string, at int) bool { return at >= from })
	s.Messages = s.Messages[:from]
	for i, r := range s.rewound {
		if _, known := s.at[r.Row]; !known {
			s.rewound[i].Row = ""
		}
	}
}

// list takes over the client's history. Some of its messages may be earlier turns with new
// ids. Known messages stay as they were: the history differs from them only in what was
// hidden from the model.
func (s *geminiRows) list(history []json.RawMessage) {
	s.update()
	listed := make([]geminiMessage, len(history))
	kept := map[string]bool{}
	for i, raw := range history {
		_ = decodeLoose(raw, &listed[i])
		kept[cmp.Or(s.copyOf[listed[i].ID], listed[i].ID)] = true
	}
	s.findCopies(listed, s.gone(len(s.Messages), kept))
	for i, m := range listed {
		if m.ID != "" && !s.knows(m.ID) {
			s.put(m.ID, history[i])
		}
	}
	s.listed = s.listed[:0]
	for _, m := range listed {
		if m.ID != "" {
			s.listed = append(s.listed, cmp.Or(s.copyOf[m.ID], m.ID))
		}
	}
}

// knows reports whether a message is known, or a copy of one.
func (s *geminiRows) knows(id string) bool {
	_, known := s.at[id]
	_, copied := s.copyOf[id]
	return known || copied
}
