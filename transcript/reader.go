package transcript

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"time"

	"wake/domain"
)

// Reader reads one source. It is for one goroutine and one pass.
type Reader struct {
	format   Format
	name     string
	src      io.Reader
	dec      decoder
	offset   int64
	line     int
	head     []byte // the source's first bytes, as far as they were read
	last     lastLine
	lastText []byte    // of the last line, when this reader took it
	good     bool      // something in the source was of its format
	bad      bool      // something was not
	doc      string    // hash of the whole document that was read last
	at       time.Time // of the latest row, for rows that have none
}

// lastLine is the last line that was taken. It must still be there when reading
// goes on, or the source was replaced.
type lastLine struct {
	Offset int64  `json:"offset"`
	End    int64  `json:"end"`
	Hash   string `json:"hash"`
	Open   bool   `json:"open,omitempty"` // it had no newline yet
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
	Good   bool            `json:"good,omitempty"`
	Bad    bool            `json:"bad,omitempty"`
	State  json.RawMessage `json:"state,omitempty"`
}

// headSize is how much of a source's beginning tells whether it is still the
// same one.
const headSize = 4096

// NewReader prepares to read r, which stands at its beginning, from where the
// cursor left off; a zero cursor means all of it. name is the path or name of the
// source: some formats have the session's id there alone. When r is shorter than
// the cursor says or begins otherwise, it was replaced and is read from its
// beginning; the keys of the events make repeats one.
//
// It returns an Invalid error for a format that has no such reader, and for a
// cursor that another format made.
func NewReader(format Format, name string, r io.Reader, from domain.IngestCursor) (*Reader, error) {
	var st readerState
	if len(from.State) > 0 {
		if err := json.Unmarshal(from.State, &st); err != nil || st.Format != format || from.Offset < 0 {
			st, from.Offset = readerState{}, 0 // a cursor of another time: begin anew
		}
	}
	dec, err := newDecoder(format, name, st.State)
	if err != nil {
		return nil, err
	}
	rd := &Reader{format: format, name: name, src: r, dec: dec, line: st.Line, doc: st.Doc, last: st.Last, at: st.At, good: st.Good, bad: st.Bad}
	if from.Offset > 0 {
		return rd, rd.resume(from, st.Head)
	}
	return rd, nil
}

// Strange reports that the source is not empty, but that nothing in it, now or when
// it was read before, is of the format: it is some other kind of file.
func (r *Reader) Strange() bool { return r.bad && !r.good }

// Cursor returns how far the source was read. It covers whole lines: take it
// after the loop over [Reader.Items] has ended by itself, or at an item that is
// Whole.
func (r *Reader) Cursor() (domain.IngestCursor, error) {
	if r.last.Hash == "" && r.last.End > 0 {
		r.last.Hash = domain.HashBytes(r.lastText)
	}
	head := r.head[:min(int64(len(r.head)), r.offset)]
	st := readerState{Format: r.format, Line: r.line, Head: len(head), Last: r.last, At: r.at, Doc: r.doc, Good: r.good, Bad: r.bad}
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

// Items reads the source. An error means that the source cannot be read at all,
// or no further, and ends the iteration. Bad lines are items.
func (r *Reader) Items() iter.Seq2[Item, error] {
	if doc, ok := r.dec.(documentDecoder); ok {
		return r.document(doc.document)
	}
	if r.offset > 0 {
		return r.lines
	}
	in := bufio.NewReader(r.src)
	head, _ := in.Peek(spreadHead)
	r.src = in
	switch {
	case isOpening(head) && len(head) < spreadHead:
		return r.opening
	case !isSpread(head):
		return r.lines
	}
	if r.doc != "" { // what was read before may have changed anywhere
		r.line = 0
		r.dec.restarted()
	}
	return r.document(func(text []byte, out *sink) error {
		eachSpread(text, out, r.dec.decode)
		return nil
	})
}

// opening tells of a source that has only begun to be written: whether its rows are lines
// cannot be seen yet.
func (r *Reader) opening(yield func(Item, error) bool) {
	out := &sink{source: r.name}
	out.begin(1, 0)
	out.skipUnfinished()
	out.flush(yield)
}

// spreadHead is enough of a source to see whether its rows are lines.
const spreadHead = 512

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
		done, err := r.take(line, out)
		if err != nil {
			yield(Item{}, err)
			return
		}
		if done {
			r.took(line, out.last)
		}
		if !out.flush(yield) {
			return
		}
	}
}

// took moves the cursor behind a line. The newline that a line without one got
// later is no line of its own.
func (r *Reader) took(line sourceLine, at time.Time) {
	if !(r.last.Open && len(line.Data) == 0 && line.Offset == r.last.End) {
		r.line++
	}
	r.offset, r.at = line.End, at
	if !line.TooLong {
		r.last = lastLine{Offset: line.Offset, End: line.End, Open: !line.Finished}
		r.lastText = append(r.lastText[:0], line.Data...)
	}
}

// take reads one line into out and reports whether it is done with. An error means that
// the source cannot be read.
func (r *Reader) take(line sourceLine, out *sink) (done bool, err error) {
	if len(bytes.TrimSpace(line.Data)) == 0 && !line.TooLong {
		return true, nil
	}
	switch {
	case !line.Finished && (line.Data[0] != '{' || !json.Valid(line.Data)):
		out.skipUnfinished()
		r.bad = r.bad || line.Data[0] != '{' // else it may be a first row that is still being written
		return false, nil
	case line.TooLong:
		out.skip("the line is longer than 64 MiB")
	default:
		fault := r.dec.decode(line.Data, out)
		if errors.Is(fault, errNewer) {
			return false, fault
		}
		if fault != nil {
			r.salvage(line.Data, out, fault)
		}
		r.good = r.good || fault == nil
	}
	r.judge(out.items)
	return true, nil
}

// judge notes whether what was read holds something good, and something bad.
func (r *Reader) judge(items []Item) {
	for _, item := range items {
		r.bad = r.bad || item.Skipped != nil
		r.good = r.good || item.Skipped == nil
	}
}

// document reads a source that is one whole. Unchanged ones yield nothing. Of one that
// breaks off, as a damaged packing does, what came before is taken.
func (r *Reader) document(read func(text []byte, out *sink) error) iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		data, broke := io.ReadAll(io.LimitReader(r.src, maxDocument+1))
		if broke == nil && len(data) > maxDocument {
			data, broke = nil, domain.Invalid("%s is larger than 1 GiB", r.name)
		}
		if broke != nil && len(data) == 0 {
			yield(Item{}, broke)
			return
		}
		hash := domain.HashBytes(data)
		if hash == r.doc {
			return
		}
		out := &sink{source: r.name}
		if err := read(bytes.TrimPrefix(data, byteOrderMark), out); err != nil {
			out = &sink{source: r.name} // without what it read before
			out.skip(err.Error())
		}
		r.judge(out.items)
		if broke == nil {
			r.doc = hash
		}
		if out.flush(yield) && broke != nil {
			yield(Item{}, broke)
		}
	}
}

const maxDocument = 1 << 30

// byteOrderMark is what some editors of Windows put before a text.
var byteOrderMark = []byte("\xef\xbb\xbf")
