package domain

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"
	"unicode/utf8"
)

// Event is one thing that happened in a session. Events are only appended: Seq is 1,
// 2, 3 … in each session without a gap (003-06). Payload is the JSON of the payload
// type for Type.
type Event struct {
	SessionID  string    `json:"session_id"`
	Seq        int64     `json:"seq"` // set when it is appended
	ID         string    `json:"id"`  // UUIDv7
	Key        Key       `json:"key,omitempty"`
	Type       EventType `json:"type"`
	At         time.Time `json:"at"`          // when it happened, by the source's clock; may go backwards
	RecordedAt time.Time `json:"recorded_at"` // when it was stored
	Source     SourcePos `json:"source,omitzero"`
	Payload    []byte    `json:"-"`                 // to be changed with SetPayload
	Light      []byte    `json:"-"`                 // the payload, without its long texts if it is long; set by session.Prepare, read by folds
	Parsed     Payload   `json:"-"`                 // the decoded Payload if already known; never changed
	Damaged    string    `json:"damaged,omitempty"` // why the payload cannot be read; "" if it can

	Facts
}

// Facts are computed from an event when it is appended. They are all that a fold needs
// besides the light payload.
type Facts struct {
	Turn   int64  `json:"turn"`             // the turn it belongs to; 0 is before the first human message
	Role   Role   `json:"role,omitempty"`   // of a message
	Human  bool   `json:"human,omitempty"`  // a message that a person wrote
	Tokens int64  `json:"tokens,omitempty"` // estimated size in a model's window
	Hash   string `json:"hash,omitempty"`   // sha256 of the payload, hex; remains when the payload is erased
	Size   int64  `json:"size"`             // bytes of the payload
	Spent  Totals `json:"spent,omitzero"`   // what it adds to the session's totals
	Erased bool   `json:"erased,omitempty"` // forgotten or purged: the event remains without its payload
}

// EventType is the type of an event.
type EventType string

// The types that the record tool accepts.
const (
	EventMessage    EventType = "message"
	EventOp         EventType = "op"
	EventUsage      EventType = "usage"
	EventGoal       EventType = "goal"
	EventReasoning  EventType = "reasoning"
	EventMode       EventType = "mode"
	EventFinding    EventType = "finding"
	EventSignal     EventType = "signal"
	EventStep       EventType = "step"
	EventCompaction EventType = "compaction"
	EventEnd        EventType = "end"
)

// The types that wake and its importers add.
const (
	EventAbout        EventType = "about"         // a fact about the session: model, title, parent …
	EventContextSaved EventType = "context_saved" // a context was saved in this session
	EventRestored     EventType = "restored"      // the session was set back to a checkpoint
	EventNote         EventType = "note"          // something from a client's log without a type of its own
)

// RecordTypes lists the types that a caller may record.
func RecordTypes() []EventType {
	return []EventType{EventMessage, EventOp, EventUsage, EventGoal, EventReasoning, EventMode,
		EventFinding, EventSignal, EventStep, EventCompaction, EventEnd}
}

// Payload is the content of an event. Each type of event has its own payload type.
type Payload interface{ EventType() EventType }

// NewEvent makes an event from a payload, without session, sequence number and id,
// ready to be appended.
func NewEvent(at time.Time, key Key, p Payload) (Event, error) {
	e := Event{Type: p.EventType(), Key: key, At: Moment(at)}
	if err := e.SetPayload(p); err != nil {
		return Event{}, err
	}
	return e, nil
}

// SetPayload makes p the payload of e. Facts computed from an earlier payload must be
// computed again.
func (e *Event) SetPayload(p Payload) (err error) {
	e.Light, e.Parsed = nil, asRead(p)
	e.Payload, err = EncodePayload(p)
	return err
}

// EncodePayload returns p as compact JSON, in UTF-8.
func EncodePayload(p Payload) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(p); err != nil {
		return nil, Invalid("the %s event cannot be written as JSON: %v", p.EventType(), err)
	}
	data := bytes.TrimSuffix(b.Bytes(), []byte("\n"))
	if !utf8.Valid(data) { // the encoder mends texts, but not JSON that was taken over
		data = []byte(string([]rune(string(data))))
	}
	return data, nil
}

// InlinePayload is up to how many bytes a payload is stored in its event's row and is
// its own light form.
const InlinePayload = 4 << 10

// PayloadAs decodes the payload of e as a T. An erased event only has ids, names and
// states left. It returns an Invalid error if e has another type or cannot be decoded.
func PayloadAs[T Payload](e Event) (T, error) {
	var p T
	if want := p.EventType(); e.Type != want {
		return p, Invalid("event %d of session %s is a %s event, not a %s event", e.Seq, e.SessionID, e.Type, want)
	}
	if known, ok := e.Parsed.(T); ok {
		return known, nil
	}
	if err := json.Unmarshal(e.Payload, &p); err != nil {
		return p, Invalid("event %d of session %s is damaged: %v", e.Seq, e.SessionID, err)
	}
	return p, nil
}

// Message returns the payload of a message event.
func (e Event) Message() (Message, error) { return PayloadAs[Message](e) }

// Op returns the payload of an op event.
func (e Event) Op() (OpReport, error) { return PayloadAs[OpReport](e) }

// SourcePos is the place of an event in the file or stream it came from. It is in the
// order of the source, while Seq is in the order in which wake received the events.
type SourcePos struct {
	Name   string `json:"name,omitempty"`   // of the source, such as a transcript's session or file
	Pos    int64  `json:"pos,omitempty"`    // rising position there: line number times 1000 plus block, or similar
	ID     string `json:"id,omitempty"`     // the source's own id of the row
	Parent string `json:"parent,omitempty"` // id of the row that it answers; may be unknown
}

// forkSource is the prefix of the source name of events that a fork copied.
const forkSource = "fork:"

// CopiedFrom is the source name of events that a fork copied from a session.
func CopiedFrom(sessionID string) string { return forkSource + sessionID }

// Copied reports whether a fork copied the event from another session. Its cost
// belongs to the original.
func (p SourcePos) Copied() bool {
	return len(p.Name) > len(forkSource) && strings.HasPrefix(p.Name, forkSource)
}

// EventPlace is the place of an event in its session, and in its source if known.
type EventPlace struct {
	Seq    int64
	Source SourcePos
}
