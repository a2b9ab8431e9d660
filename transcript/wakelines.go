package transcript

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"time"

	"wake/domain"
)

// LinesVersion is the version of wake's own JSON lines written by [Writer]. A reader
// accepts this and older versions; an older wake refuses a newer file, so that nothing
// in it is lost silently.
//
//	1  contexts with links, accesses, sessions with events and what points into them
//	2  also removed tags, embedding vectors, predictions with their outcomes, and
//	   which contexts were erased
//
// The file does not contain what is derived from these: tiers, the search index, what
// prediction has learnt (a fold of the accesses), state snapshots and projections of
// sessions, alerts, waiting jobs. Nor does it contain what belongs to the machine:
// folders of projects, which an import derives from where the sessions worked, and
// positions in transcripts already read.
const LinesVersion = 2

// errNewer ends the reading: what an upgraded wake will understand must not be marked
// as read.
var errNewer = domain.Conflict("it was written by a newer wake; upgrade this one to read it")

// wakeMark is the field that identifies the first line.
const wakeMark = "wake"

// wakeLine is one line of wake's own format: the header, or one thing.
type wakeLine struct {
	Wake       int                     `json:"wake,omitempty"` // the version, only in the header
	ExportedAt time.Time               `json:"exported_at,omitzero"`
	Session    *domain.Session         `json:"session,omitempty"`
	Event      *wakeEvent              `json:"event,omitempty"`
	Checkpoint *domain.Checkpoint      `json:"checkpoint,omitempty"`
	Handoff    *domain.Handoff         `json:"handoff,omitempty"`
	Firing     *domain.ThresholdFiring `json:"firing,omitempty"`
	Context    *domain.ContextSnapshot `json:"context,omitempty"`
	Links      []domain.Link           `json:"links,omitempty"`   // from the line's context
	Tags       []domain.TagSpan        `json:"tags,omitempty"`    // of the line's context, if they have changed since it was saved
	Vectors    []wakeVector            `json:"vectors,omitempty"` // of the line's context
	Link       *domain.Link            `json:"link,omitempty"`
	Access     *domain.Access          `json:"access,omitempty"`
	Outcome    *domain.Outcome         `json:"outcome,omitempty"`
	Erased     *domain.Tombstone       `json:"erased,omitempty"`
	Blob       *Blob                   `json:"blob,omitempty"`
}

// wakeEvent is an event with its payload. Compact JSON is written as it is, so that the
// file can be searched; any other payload in base64.
type wakeEvent struct {
	domain.Event
	Payload json.RawMessage `json:"payload,omitempty"`
	Bytes   []byte          `json:"payload_base64,omitempty"`
}

// wakeVector is an embedding, in base64.
type wakeVector struct {
	Model string `json:"model"`
	Data  []byte `json:"data"`
}

// Writer writes wake's own JSON lines: everything, exactly. What it wrote reads back
// the same (I18).
type Writer struct {
	enc *json.Encoder
}

// NewWriter starts a file with its header.
func NewWriter(w io.Writer, at time.Time) (*Writer, error) {
	writer := ContinueWriter(w)
	return writer, writer.enc.Encode(wakeLine{Wake: LinesVersion, ExportedAt: at})
}

// ContinueWriter continues a file that already has its header.
func ContinueWriter(w io.Writer) *Writer {
	return &Writer{newEncoder(w)} // payloads must keep their bytes
}

// WriteContext writes a context with its history as one line, so that no reader gets
// one without the other.
func (w *Writer) WriteContext(c domain.ContextSnapshot, past domain.ContextHistory) error {
	line := wakeLine{Context: &c, Links: past.Links, Tags: past.Tags}
	for _, e := range past.Embeddings {
		line.Vectors = append(line.Vectors, wakeVector{e.Model, e.Bytes()})
	}
	return w.enc.Encode(line)
}

// Write writes one item. An item that is empty, or only holds what was skipped, is an
// Invalid error.
func (w *Writer) Write(item Item) error {
	item.Skipped, item.Whole = nil, false
	if item == (Item{}) {
		return domain.Invalid("an item without content cannot be exported")
	}
	line := wakeLine{Session: item.Session, Checkpoint: item.Checkpoint, Handoff: item.Handoff, Firing: item.Firing,
		Context: item.Context, Link: item.Link, Access: item.Access, Outcome: item.Outcome, Erased: item.Tombstone, Blob: item.Blob}
	if item.Event != nil {
		line.Event = newWakeEvent(*item.Event)
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

// wakeState holds the session whose events, checkpoints and hand-offs are being read, so
// that a read that continues in the middle of them can emit it first. Behind the events it
// has no texts any more: no purge reaches what a cursor says, such as a title.
type wakeState struct {
	Version int             `json:"version,omitempty"`
	Session *domain.Session `json:"session,omitempty"`
	told    bool            // the session was emitted in this read
}

func newWakeLines(state json.RawMessage) *wakeLines {
	l := &wakeLines{}
	load(state, &l.wakeState)
	return l
}

func (l *wakeLines) state() any { return &l.wakeState }
func (l *wakeLines) restarted() { l.wakeState = wakeState{} }

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
		return errNewer
	case line.Wake != 0:
		return nil
	}
	item := line.item()
	switch {
	case item == (Item{}):
		return errors.New("the line holds nothing that this wake knows")
	case line.timeless():
		return errors.New("it does not say when it was")
	case line.Event != nil && line.Event.SessionID == "":
		return errors.New("it does not say of which session it is")
	}
	if err := line.checkNames(); err != nil {
		return err
	}
	l.repeatSession(item, out)
	out.add(item)
	for i := range line.Links {
		out.add(Item{Link: &line.Links[i]})
	}
	return nil
}

// timeless reports whether an event lacks its time, without which nothing can be learnt
// from it.
func (line *wakeLine) timeless() bool {
	return line.Access != nil && line.Access.At.IsZero() || line.Outcome != nil && line.Outcome.PredictedAt.IsZero() ||
		line.Erased != nil && line.Erased.ErasedAt.IsZero() || line.Firing != nil && line.Firing.At.IsZero() ||
		slices.ContainsFunc(line.Links, func(l domain.Link) bool { return l.AddedAt.IsZero() }) ||
		slices.ContainsFunc(line.Tags, func(t domain.TagSpan) bool { return t.AddedAt.IsZero() })
}

// checkNames refuses a line with an id or another name that no store can hold, so that
// it does not prevent storing the others. Sessions and their events are checked by the
// caller, which maps them to what is stored.
func (line *wakeLine) checkNames() error {
	if line.Context != nil {
		past := domain.ContextSnapshot{ID: line.Context.ID}
		for _, t := range line.Tags {
			past.Tags = append(past.Tags, t.Tag)
		}
		if err := cmp.Or(line.Context.CheckNames(), past.CheckNames()); err != nil {
			return err
		}
	}
	var names []domain.Named
	name := func(what, value string) { names = append(names, domain.Named{What: what, Value: value}) }
	links := line.Links
	switch {
	case line.Link != nil:
		links = []domain.Link{*line.Link}
	case line.Access != nil:
		name("how", string(line.Access.How))
	case line.Erased != nil:
		name("its id", line.Erased.ID)
	case line.Checkpoint != nil:
		name("its id", line.Checkpoint.ID)
	case line.Handoff != nil:
		name("its id", line.Handoff.ID)
	}
	for _, l := range links {
		name("from", l.From)
		name("to", l.To)
		name("kind", string(l.Kind))
	}
	for _, v := range line.Vectors {
		name("model", v.Model)
	}
	return domain.CheckIDs(names...)
}

func (line *wakeLine) item() Item {
	item := Item{Session: line.Session, Checkpoint: line.Checkpoint, Handoff: line.Handoff, Firing: line.Firing,
		Context: line.Context, Link: line.Link, Access: line.Access, Outcome: line.Outcome, Tombstone: line.Erased, Blob: line.Blob}
	if len(line.Tags)+len(line.Vectors) > 0 {
		item.History = &domain.ContextHistory{Tags: line.Tags}
		for _, v := range line.Vectors {
			item.History.Embeddings = append(item.History.Embeddings, domain.Embedding{Model: v.Model, Vector: domain.VectorOf(v.Data)})
		}
	}
	if e := line.Event; e != nil {
		e.Event.Payload = e.Payload
		if len(e.Bytes) > 0 {
			e.Event.Payload = e.Bytes
		}
		item.Event = &e.Event
	}
	return item
}

// repeatSession emits the session again before the first item of it in this read, and drops
// its texts with its last event.
func (l *wakeLines) repeatSession(item Item, out *sink) {
	if item.Session != nil {
		l.Session, l.told = item.Session, true
	}
	if l.Session == nil || l.Session.ID != sessionOf(item) {
		return
	}
	if !l.told {
		out.session(l.Session)
		l.told = true
	}
	if e := item.Event; e != nil && e.Seq == l.Session.LastSeq {
		l.Session = withoutTexts(*l.Session)
	}
}

// sessionOf returns the id of the session that an event, a checkpoint, a hand-off or a fired
// threshold belongs to; "" for other items.
func sessionOf(item Item) string {
	switch {
	case item.Event != nil:
		return item.Event.SessionID
	case item.Checkpoint != nil:
		return item.Checkpoint.SessionID
	case item.Handoff != nil:
		return item.Handoff.SessionID
	case item.Firing != nil:
		return item.Firing.SessionID
	}
	return ""
}

func withoutTexts(s domain.Session) *domain.Session {
	s.Title, s.Opened.Title, s.Error, s.LatestStatus, s.Attributes = "", "", "", "", nil
	return &s
}
