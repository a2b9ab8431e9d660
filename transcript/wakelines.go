package transcript

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"time"

	"wake/domain"
)

// LinesVersion is the version of wake's own JSON lines that [Writer] writes. A
// reader takes this and older ones.
const LinesVersion = 1

// wakeMark is the field by which the first line is known.
const wakeMark = "wake"

// wakeLine is one line of wake's own format: the header, or one thing.
type wakeLine struct {
	Wake       int                     `json:"wake,omitempty"` // the version; the header alone has it
	ExportedAt time.Time               `json:"exported_at,omitzero"`
	Session    *domain.Session         `json:"session,omitempty"`
	Event      *wakeEvent              `json:"event,omitempty"`
	Checkpoint *domain.Checkpoint      `json:"checkpoint,omitempty"`
	Handoff    *domain.Handoff         `json:"handoff,omitempty"`
	Context    *domain.ContextSnapshot `json:"context,omitempty"`
	Link       *domain.Link            `json:"link,omitempty"`
	Access     *domain.Access          `json:"access,omitempty"`
	Outcome    *domain.Outcome         `json:"outcome,omitempty"`
	Blob       *Blob                   `json:"blob,omitempty"`
}

// wakeEvent is an event with its payload. A payload that is compact JSON stands
// as it is, so that the file can be searched; any other as base64.
type wakeEvent struct {
	domain.Event
	Payload json.RawMessage `json:"payload,omitempty"`
	Bytes   []byte          `json:"payload_base64,omitempty"`
}

// Writer writes wake's own JSON lines: everything, exactly. What it wrote reads
// back the same (I18).
type Writer struct {
	enc *json.Encoder
}

// NewWriter begins a file with its header.
func NewWriter(w io.Writer, at time.Time) (*Writer, error) {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false) // payloads must keep their bytes
	return &Writer{enc}, enc.Encode(wakeLine{Wake: LinesVersion, ExportedAt: at})
}

// Write adds one thing. An item that holds nothing, or only what was skipped, is
// an Invalid error.
func (w *Writer) Write(item Item) error {
	line := wakeLine{Session: item.Session, Checkpoint: item.Checkpoint, Handoff: item.Handoff, Context: item.Context,
		Link: item.Link, Access: item.Access, Outcome: item.Outcome, Blob: item.Blob}
	if item.Event != nil {
		line.Event = newWakeEvent(*item.Event)
	}
	if line == (wakeLine{}) {
		return domain.Invalid("an item without content cannot be exported")
	}
	return w.enc.Encode(line)
}

func newWakeEvent(e domain.Event) *wakeEvent {
	var compact bytes.Buffer
	if json.Compact(&compact, e.Payload) == nil && bytes.Equal(compact.Bytes(), e.Payload) {
		return &wakeEvent{Event: e, Payload: e.Payload}
	}
	return &wakeEvent{Event: e, Bytes: e.Payload}
}

// wakeLines reads wake's own JSON lines. Ids are wake's own here.
type wakeLines struct {
	wakeState
}

type wakeState struct {
	Version int `json:"version,omitempty"`
}

func newWakeLines(state json.RawMessage) *wakeLines {
	l := &wakeLines{}
	load(state, &l.wakeState)
	return l
}

func (l *wakeLines) state() any { return &l.wakeState }
func (l *wakeLines) restarted() { l.Version = 0 }

func (l *wakeLines) decode(data []byte, out *sink) error {
	var line wakeLine
	if err := json.Unmarshal(data, &line); err != nil {
		return err
	}
	if line.Wake != 0 {
		l.Version = line.Wake
	}
	switch {
	case l.Version == 0:
		return errors.New("the header of wake's export is missing")
	case l.Version > LinesVersion:
		return errors.New("it was written by a newer wake; upgrade this one to read it")
	case line.Wake != 0:
		return nil
	}
	item := Item{Session: line.Session, Checkpoint: line.Checkpoint, Handoff: line.Handoff, Context: line.Context,
		Link: line.Link, Access: line.Access, Outcome: line.Outcome, Blob: line.Blob}
	if e := line.Event; e != nil {
		e.Event.Payload = e.Payload
		if len(e.Bytes) > 0 {
			e.Event.Payload = e.Bytes
		}
		item.Event = &e.Event
	}
	if item == (Item{}) {
		return errors.New("the line holds nothing that this wake knows")
	}
	out.items = append(out.items, item)
	return nil
}
