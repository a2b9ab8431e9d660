package transcript

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"strings"
	"time"

	"wake/domain"
)

// Reader reads one source. It is for one goroutine and one pass.
type Reader struct {
	format  Format
	name    string
	src     io.Reader
	dec     decoder
	offset  int64
	line    int
	head    []byte // the source's first bytes, as far as they were read
	last    lastLine
	restart bool
	doc     string    // hash of the whole document that was read last
	at      time.Time // of the latest row, for rows that have none
}

// lastLine is the last line that was taken. It must still be there when reading
// goes on, or the source was replaced.
type lastLine struct {
	Offset int64  `json:"offset"`
	Hash   string `json:"hash"`
}

// decoder understands one format that is written line by line.
type decoder interface {
	// decode reads one line and hands what it says to out. An error is the
	// reason why the line is no good.
	decode(line []byte, out *sink) error
	// state is what must be remembered between reads; nil for none.
	state() any
	// restarted is told that the source will come from its beginning again.
	restarted()
}

// documentDecoder understands a format whose files are one whole.
type documentDecoder interface {
	document(doc []byte, out *sink) error
}

// readerState is what a cursor remembers beside its offset.
type readerState struct {
	Format Format          `json:"format"`
	Line   int             `json:"line,omitempty"`
	Head   int             `json:"head,omitempty"` // how many bytes the fingerprint covers
	Last   lastLine        `json:"last,omitzero"`
	At     time.Time       `json:"at,omitzero"`
	Doc    string          `json:"doc,omitempty"`
	State  json.RawMessage `json:"state,omitempty"`
}

// headSize is how much of a source's beginning tells whether it is still the
// same one.
const headSize = 4096

// NewReader prepares to read r, which stands at its beginning, from where the
// cursor left off; a zero cursor means all of it. name is the path or name of the
// source: some formats have the session's id there alone. When r is shorter than
// the cursor says or begins otherwise, it was replaced and is read from its
// beginning (see [Reader.Restarted]); the keys of the events make repeats one.
//
// It returns an Invalid error for a format that has no such reader, and for a
// cursor that another format made.
func NewReader(format Format, name string, r io.Reader, from domain.IngestCursor) (*Reader, error) {
	var st readerState
	if len(from.State) > 0 {
		if err := json.Unmarshal(from.State, &st); err != nil || st.Format != format {
			st, from.Offset = readerState{}, 0 // a cursor of another time: begin anew
		}
	}
	dec, err := newDecoder(format, name, st.State)
	if err != nil {
		return nil, err
	}
	rd := &Reader{format: format, name: name, src: r, dec: dec, line: st.Line, doc: st.Doc, last: st.Last, at: st.At}
	if from.Offset > 0 {
		return rd, rd.resume(from, st.Head)
	}
	return rd, nil
}

// resume moves behind what was read before, or decides to begin anew.
func (r *Reader) resume(from domain.IngestCursor, headLen int) error {
	same, err := r.sameSource(from, headLen)
	if err != nil {
		return err
	}
	if same {
		r.offset = from.Offset
		return nil
	}
	seeker, ok := r.src.(io.Seeker)
	if !ok {
		return domain.Invalid("%s was replaced by another file since it was read last; read it again without a cursor", r.name)
	}
	if _, err := seeker.Seek(0, io.SeekStart); err != nil {
		return err
	}
	r.restart, r.line, r.head, r.last, r.doc = true, 0, nil, lastLine{}, ""
	r.dec.restarted()
	return nil
}

// sameSource compares the source's first bytes and the last line taken with what
// they were. When they are the same, the source stands at from.Offset.
func (r *Reader) sameSource(from domain.IngestCursor, headLen int) (bool, error) {
	head := make([]byte, min(max(headLen, 0), headSize))
	if ok, err := readAll(r.src, head); !ok {
		return false, err
	}
	if domain.HashBytes(head) != from.Fingerprint || r.last.Offset < 0 || r.last.Offset > from.Offset {
		return false, nil
	}
	r.head = head
	if r.last.Offset < int64(len(head)) { // it lies in the head, or begins there
		rest := make([]byte, max(from.Offset-int64(len(head)), 0))
		ok, err := readAll(r.src, rest)
		line := append(head[r.last.Offset:len(head):len(head)], rest...)
		return ok && domain.HashBytes(trimLine(line)) == r.last.Hash, err
	}
	if _, err := io.CopyN(io.Discard, r.src, r.last.Offset-int64(len(head))); err != nil {
		return false, notEnd(err)
	}
	line := make([]byte, from.Offset-r.last.Offset)
	ok, err := readAll(r.src, line)
	return ok && domain.HashBytes(trimLine(line)) == r.last.Hash, err
}

// readAll fills buf and reports whether there was enough.
func readAll(r io.Reader, buf []byte) (bool, error) {
	_, err := io.ReadFull(r, buf)
	return err == nil, notEnd(err)
}

// notEnd is err unless it is the end of the source.
func notEnd(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil
	}
	return err
}

// Restarted reports that the source was replaced since the cursor was made, so
// that it is read from its beginning.
func (r *Reader) Restarted() bool { return r.restart }

// Cursor is how far the source was read. It covers whole lines: take it after
// the loop over [Reader.Items] ended by itself, or at an item that is Whole.
func (r *Reader) Cursor() (domain.IngestCursor, error) {
	head := r.head[:min(int64(len(r.head)), r.offset)]
	st := readerState{Format: r.format, Line: r.line, Head: len(head), Last: r.last, At: r.at, Doc: r.doc}
	if s := r.dec.state(); s != nil {
		data, err := json.Marshal(s)
		if err != nil {
			return domain.IngestCursor{}, err
		}
		st.State = data
	}
	data, err := json.Marshal(st)
	return domain.IngestCursor{Source: r.name, Offset: r.offset, Fingerprint: domain.HashBytes(head), State: data}, err
}

// Items reads the source. An error is a source that cannot be read at all, or no
// further; it ends the iteration. Bad lines are items.
func (r *Reader) Items() iter.Seq2[Item, error] {
	if doc, ok := r.dec.(documentDecoder); ok {
		return r.document(doc)
	}
	return r.lines
}

// lines is the loop over a source of lines.
func (r *Reader) lines(yield func(Item, error) bool) {
	src := newLineSource(io.TeeReader(r.src, (*headKeeper)(r)), r.offset)
	out := &sink{source: r.name, last: r.at}
	for {
		line, err := src.next()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			yield(Item{}, err)
			return
		}
		out.begin(r.line+1, line.Offset)
		if r.take(line, out) {
			r.line, r.offset, r.at = r.line+1, line.End, out.last
			r.last = lastLine{Offset: line.Offset, Hash: domain.HashBytes(line.Data)}
		}
		if !out.flush(yield) {
			return
		}
	}
}

// take reads one line into out and reports whether it is done with.
func (r *Reader) take(line sourceLine, out *sink) bool {
	if len(bytes.TrimSpace(line.Data)) == 0 && !line.TooLong {
		return true
	}
	if !line.Finished && (line.Data[0] != '{' || !json.Valid(line.Data)) {
		out.skipUnfinished()
		return false
	}
	if line.TooLong {
		out.skip("the line is longer than 64 MiB")
		return true
	}
	if err := r.dec.decode(line.Data, out); err != nil {
		r.salvage(line.Data, out, err)
	}
	return true
}

// salvage looks for good rows in a line that is no good as a whole: a writer that
// was killed leaves half a row, and the next one is glued behind it.
func (r *Reader) salvage(line []byte, out *sink, why error) {
	var syntax *json.SyntaxError
	if !errors.As(why, &syntax) {
		out.skip(why.Error())
		return
	}
	before := len(out.items)
	for _, row := range gluedRows(line) {
		if err := r.dec.decode(row, out); err != nil {
			out.skip(err.Error())
		}
	}
	if len(out.items) == before {
		out.skip("it is not JSON: " + syntax.Error())
	} else {
		out.skip("a part of the line is not JSON; the rest was taken")
	}
}

// gluedRows finds whole rows inside a line that is not one JSON value.
func gluedRows(line []byte) [][]byte {
	var rows [][]byte
	for tries := 0; tries < maxSalvage; tries++ {
		i := rowStart(line)
		if i < 0 {
			break
		}
		line = line[i:]
		dec := json.NewDecoder(bytes.NewReader(line))
		var row json.RawMessage
		if dec.Decode(&row) == nil && looksLikeRow(row) {
			rows = append(rows, row)
			line = line[dec.InputOffset():]
		} else {
			line = line[1:]
		}
	}
	return rows
}

// maxSalvage bounds the search in a broken line, which may be long.
const maxSalvage = 32

// rowStart finds where a row may begin: rows of transcripts open with one of
// these names.
func rowStart(line []byte) int {
	at := -1
	for _, open := range []string{`{"type":`, `{"parentUuid":`, `{"timestamp":`, `{"uuid":`, `{"sessionId":`, `{"isSidechain":`, `{"payload":`} {
		if i := bytes.Index(line, []byte(open)); i >= 0 && (at < 0 || i < at) {
			at = i
		}
	}
	return at
}

// looksLikeRow tells a row of a transcript from some object inside a broken one.
func looksLikeRow(row []byte) bool {
	var r struct {
		Type      string          `json:"type"`
		Timestamp json.RawMessage `json:"timestamp"`
		UUID      string          `json:"uuid"`
		SessionID string          `json:"sessionId"`
		Payload   json.RawMessage `json:"payload"`
	}
	_ = json.Unmarshal(row, &r)
	return r.Type != "" && (r.UUID != "" || r.Timestamp != nil && (r.SessionID != "" || r.Payload != nil))
}

// document reads a source that is one whole. Unchanged ones yield nothing.
func (r *Reader) document(dec documentDecoder) iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		data, err := io.ReadAll(io.LimitReader(r.src, maxDocument+1))
		if err == nil && len(data) > maxDocument {
			err = domain.Invalid("%s is larger than 1 GiB", r.name)
		}
		if err != nil {
			yield(Item{}, err)
			return
		}
		hash := domain.HashBytes(data)
		if hash == r.doc {
			return
		}
		out := &sink{source: r.name}
		if err := dec.document(data, out); err != nil {
			out.begin(0, 0)
			out.skip(err.Error())
		}
		r.doc = hash
		out.flush(yield)
	}
}

const maxDocument = 1 << 30

// headKeeper keeps a copy of the source's first bytes as they go by.
type headKeeper Reader

func (k *headKeeper) Write(p []byte) (int, error) {
	if room := headSize - len(k.head); room > 0 {
		k.head = append(k.head, p[:min(room, len(p))]...)
	}
	return len(p), nil
}

// sink collects what one line says.
type sink struct {
	source string
	line   int
	offset int64
	block  int64
	last   time.Time // the latest line's time, for lines that have none
	items  []Item
}

func (s *sink) begin(line int, offset int64) {
	s.line, s.offset, s.block, s.items = line, offset, 0, s.items[:0]
}

func (s *sink) skip(reason string) {
	s.items = append(s.items, Item{Skipped: &Skipped{Source: s.source, Line: s.line, Offset: s.offset, Reason: reason}})
}

func (s *sink) skipUnfinished() {
	s.skip("the last line is unfinished; it is left for the next read")
	s.items[len(s.items)-1].Skipped.Unfinished = true
}

// event adds an event. A payload above the limit is reported, not stored.
func (s *sink) event(session string, at time.Time, key domain.Key, row rowRef, p domain.Payload) {
	e, err := domain.NewEvent(at, key, p)
	if err == nil && len(e.Payload) > domain.MaxPayload {
		err = domain.Invalid("the %s has %d bytes; the limit of one event is %d", p.EventType(), len(e.Payload), domain.MaxPayload)
	}
	if err != nil {
		s.skip(err.Error())
		return
	}
	e.SessionID = session
	e.Source = domain.SourcePos{Name: s.source, Pos: int64(s.line)*1000 + min(s.block, 999), ID: row.id, Parent: row.parent}
	s.block++
	s.items = append(s.items, Item{Event: &e})
}

// context adds a memory. One above the limit, or an empty one, is reported.
func (s *sink) context(c *domain.ContextSnapshot) {
	switch {
	case len(c.Content) > domain.MaxContent:
		s.skip("the memory has more than 1 MiB")
	case strings.TrimSpace(c.Content) == "":
		s.skip("the memory is empty")
	default:
		s.items = append(s.items, Item{Context: c})
	}
}

// rowRef is the source's own name of a row and of the one it answers.
type rowRef struct{ id, parent string }

// at reads a time; a row without a good one has the time of the row before it.
func (s *sink) at(text string) time.Time {
	if t, err := domain.ParseTime(text); text != "" && err == nil {
		s.last = t
	}
	return s.last
}

func (s *sink) flush(yield func(Item, error) bool) bool {
	for i, item := range s.items {
		item.Whole = i == len(s.items)-1
		if !yield(item, nil) {
			return false
		}
	}
	s.items = s.items[:0]
	return true
}
