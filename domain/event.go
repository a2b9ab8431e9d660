package domain

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"
	"unicode/utf8"
)

// Event is one thing that happened in a session. Events are only ever appended:
// Seq runs 1, 2, 3 … in each session without a gap (003-06). Payload is JSON of
// the payload type that belongs to Type.
type Event struct {
	SessionID  string    `json:"session_id"`
	Seq        int64     `json:"seq"` // given when it is appended
	ID         string    `json:"id"`  // UUIDv7
	Key        Key       `json:"key,omitempty"`
	Type       EventType `json:"type"`
	At         time.Time `json:"at"`          // when it happened, by its source's clock; may go back
	RecordedAt time.Time `json:"recorded_at"` // when the store learnt of it
	Source     SourcePos `json:"source,omitzero"`
	Payload    []byte    `json:"-"`                 // change it by SetPayload
	Light      []byte    `json:"-"`                 // a long payload without its long texts, a short one whole, set by session.Prepare; what a fold reads
	Parsed     Payload   `json:"-"`                 // what Payload says, where that is known without reading it; it is never changed
	Damaged    string    `json:"damaged,omitempty"` // why the payload cannot be read, as a reader found

	Facts
}

// Facts are computed from an event when it is appended. They are what a fold
// needs to know about it without its texts.
type Facts struct {
	Turn   int64  `json:"turn"`             // the turn it belongs to; 0 comes before the first human message
	Role   Role   `json:"role,omitempty"`   // of a message
	Human  bool   `json:"human,omitempty"`  // a message that a person wrote
	Tokens int64  `json:"tokens,omitempty"` // estimate of what it takes in a model's window
	Hash   string `json:"hash,omitempty"`   // sha256 of the payload, hex; what remains when the payload is erased
	Size   int64  `json:"size"`             // bytes of the payload
	Spent  Totals `json:"spent,omitzero"`   // what it adds to the session's totals
	Erased bool   `json:"erased,omitempty"` // forgotten or purged: the payload is gone, the place stays
}

// EventType names what an event tells.
type EventType string

// The types that the record tool takes.
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
	EventAbout        EventType = "about"         // something became known of the session: model, title, parent …
	EventContextSaved EventType = "context_saved" // a context was saved in this session
	EventRestored     EventType = "restored"      // the session was set back to a checkpoint
	EventNote         EventType = "note"          // what a client logged that has no type of its own
)

// RecordTypes lists the types that a caller may record.
func RecordTypes() []EventType {
	return []EventType{EventMessage, EventOp, EventUsage, EventGoal, EventReasoning, EventMode,
		EventFinding, EventSignal, EventStep, EventCompaction, EventEnd}
}

// Payload is what an event says; each type of event has one.
type Payload interface{ EventType() EventType }

// NewEvent makes an event of a payload, ready to be appended: without session,
// sequence and id.
func NewEvent(at time.Time, key Key, p Payload) (Event, error) {
	e := Event{Type: p.EventType(), Key: key, At: Moment(at)}
	if err := e.SetPayload(p); err != nil {
		return Event{}, err
	}
	return e, nil
}

// SetPayload makes p the payload of e. Facts that were computed from an earlier
// payload must be computed again.
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

// InlinePayload is the size in bytes up to which a payload is short: it is
// stored in its event's row, and is its own light form.
const InlinePayload = 4 << 10

// PayloadAs reads the payload of e as a T. Of an erased event only ids, names
// and states are left, without any text. It returns an Invalid error when e is
// of another type or does not decode.
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

// SourcePos is where an event stood in the file or stream that it came from. It
// keeps the order of the source; Seq is the order in which wake received the
// events.
type SourcePos struct {
	Name   string `json:"name,omitempty"`   // the source, such as a transcript's session or file name
	Pos    int64  `json:"pos,omitempty"`    // its place there, rising: line number times 1000 plus block, or similar
	ID     string `json:"id,omitempty"`     // the source's own id of the row
	Parent string `json:"parent,omitempty"` // the row that it answers there; may be unknown
}

// forkSource begins the source name of events that a fork copied.
const forkSource = "fork:"

// CopiedFrom is the source name of events copied from a session by a fork.
func CopiedFrom(sessionID string) string { return forkSource + sessionID }

// Copied reports whether a fork copied the event from another session: what it cost was
// spent there.
func (p SourcePos) Copied() bool {
	return len(p.Name) > len(forkSource) && strings.HasPrefix(p.Name, forkSource)
}

// EventPlace is where an event stands: in its session, and in its source where that
// is known.
type EventPlace struct {
	Seq    int64
	Source SourcePos
}
