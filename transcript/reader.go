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

// Reader reads one source in one pass. It is not safe for concurrent use.
type Reader struct {
	format   Format
	name     string
	src      io.Reader
	rows     rowDecoder                        // nil if the source is a single document
	whole    func(doc []byte, out *sink) error // reads that
	offset   int64
	line     int
	head     []byte // the first bytes of the source, as far as they were read
	last     lastLine
	lastText []byte    // of the last line taken by this reader
	good     bool      // something in the source had its format
	bad      bool      // something had not
	doc      string    // hash of the document that was read last
	at       time.Time // time of the latest row, for rows without one
}

// lastLine is the last line that was taken. If it is no longer there when reading
// continues, the source was replaced.
type lastLine struct {
	Offset int64  `json:"offset"`
	End    int64  `json:"end"`
	Hash   string `json:"hash"`
	Open   bool   `json:"open,omitempty"` // it had no newline yet
}

// rowDecoder decodes the rows of one format.
type rowDecoder interface {
	// decode decodes one row into out. An error is the reason why the row cannot be used.
	decode(row []byte, out *sink) error
	// state returns what must be remembered between reads.
	state() any
	// restarted is called when the source will be read from its beginning again.
	restarted()
}

// ender is a decoder that holds things back until it sees what follows them.
type ender interface {
	// ended emits what is held back if nothing follows.
	ended(out *sink)
}

// documentReader reads a source of the given name that is a single document. Such a source
// is read completely whenever it has changed.
type documentReader func(name string, doc []byte, out *sink) error

// readerState is what a cursor remembers beside its offset.
type readerState struct {
	Format Format          `json:"format"`
	Line   int             `json:"line,omitempty"`
	Head   int             `json:"head,omitempty"` // number of bytes covered by the fingerprint
	Last   lastLine        `json:"last,omitzero"`
	At     time.Time       `json:"at,omitzero"`
	Doc    string          `json:"doc,omitempty"`
	Good   bool            `json:"good,omitempty"`
	Bad    bool            `json:"bad,omitempty"`
	State  json.RawMessage `json:"state,omitempty"`
}

// headSize is how many of a source's first bytes identify it.
const headSize = 4096

// NewReader prepares to read r, which must be at its beginning, from where the cursor
// left off; a zero cursor means everything. name is the path or name of the source, in
// which some formats keep the session's id. If r is shorter than the cursor says or
// begins differently, it was replaced and is read from its beginning; repeated events
// are recognised by their keys. A cursor made by another format counts as zero.
//
// It returns an Invalid error for a format that has no such reader.
func NewReader(format Format, name string, r io.Reader, from domain.IngestCursor) (*Reader, error) {
	var st readerState
	if len(from.State) > 0 {
		if err := json.Unmarshal(from.State, &st); err != nil || st.Format != format || from.Offset < 0 {
			st, from.Offset = readerState{}, 0 // a cursor of an older version: start over
		}
	}
	rd := &Reader{format: format, name: name, src: r, line: st.Line, doc: st.Doc, last: st.Last, at: st.At, good: st.Good, bad: st.Bad}
	plain := unpackedName(name)
	if read := documentReaderOf(format, plain); read != nil {
		rd.whole = func(doc []byte, out *sink) error { return read(plain, doc, out) }
		return rd, nil
	}
	if rd.rows = newRowDecoder(format, plain, st.State); rd.rows == nil {
		return nil, domain.Invalid("the format %q cannot be read", format)
	}
	if from.Offset > 0 {
		return rd, rd.resume(from, st.Head)
	}
	return rd, nil
}

// Strange reports that the source is not empty, but nothing in it, now or when it was
// read before, has the format: it is some other kind of file.
func (r *Reader) Strange() bool { return r.bad && !r.good }

// Cursor returns how far the source was read. It covers whole lines: call it after the
// loop over [Reader.Items] has ended by itself, or at an item that is Whole.
func (r *Reader) Cursor() (domain.IngestCursor, error) {
	if r.last.Hash == "" && r.last.End > 0 {
		r.last.Hash = domain.HashBytes(r.lastText)
	}
	head := r.head[:min(int64(len(r.head)), r.offset)]
	st := readerState{Format: r.format, Line: r.line, Head: len(head), Last: r.last, At: r.at, Doc: r.doc, Good: r.good, Bad: r.bad}
	if r.rows != nil {
		var err error
		if st.State, err = json.Marshal(r.rows.state()); err != nil {
			return domain.IngestCursor{}, err
		}
	}
	data, err := json.Marshal(st)
	return domain.IngestCursor{Source: r.name, Offset: r.offset, Fingerprint: domain.HashBytes(head), State: data}, err
}

// Items reads the source. An error means that the source cannot be read, or no further,
// and ends the iteration. Bad lines are items.
func (r *Reader) Items() iter.Seq2[Item, error] {
	if r.whole != nil {
		return r.document(r.whole)
	}
	if r.offset > 0 {
		return r.lines
	}
	in := bufio.NewReader(r.src)
	head, err := in.Peek(spreadHead)
	r.src = in
	switch {
	case err == io.EOF && isOpening(head): // any other error comes out when rows are read
		return r.opening(head)
	case !isSpread(head):
		return r.lines
	}
	if r.doc != "" { // any part of what was read before may have changed
		r.line = 0
		r.rows.restarted()
	}
	return r.document(func(text []byte, out *sink) error {
		eachSpread(text, out, r.rows.decode)
		r.ended(out)
		return nil
	})
}

// ended emits what the decoder has held back.
func (r *Reader) ended(out *sink) {
	if e, ok := r.rows.(ender); ok {
		e.ended(out)
	}
}

// opening tells of a source that has only begun to be written, or not even that: whether
// its rows are lines cannot be seen yet.
func (r *Reader) opening(text []byte) iter.Seq2[Item, error] {
	out := &sink{source: r.name}
	out.begin(1)
	if bytes.ContainsAny(text, "{[") {
		out.skipUnfinished()
	}
	return func(yield func(Item, error) bool) { out.flush(yield) }
}

// lines reads a line-based source.
func (r *Reader) lines(yield func(Item, error) bool) {
	src := newLineSource(io.TeeReader(r.src, (*headKeeper)(r)), r.offset)
	out := &sink{source: r.name, last: r.at}
	for {
		line, err := src.next()
		if errors.Is(err, io.EOF) {
			r.ended(out)
			out.flush(yield)
			return
		}
		if err != nil {
			yield(Item{}, err)
			return
		}
		out.begin(r.line + 1)
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

// took moves the cursor past a line. A newline added later to a line that had none is
// not a line of its own.
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

// take decodes one line into out and reports whether the line is done with. An error
// means that the source cannot be read.
func (r *Reader) take(line sourceLine, out *sink) (done bool, err error) {
	if len(bytes.TrimSpace(line.Data)) == 0 && !line.TooLong {
		return true, nil
	}
	switch {
	case !line.Finished && line.TooLong:
		out.skipUnfinished()
		return false, nil
	case !line.Finished && (line.Data[0] != '{' || !json.Valid(line.Data)):
		out.skipUnfinished()
		r.bad = r.bad || line.Data[0] != '{' // otherwise it may be a first row that is still being written
		return false, nil
	case line.TooLong:
		out.skip("the line is longer than 64 MiB")
	default:
		fault := r.rows.decode(line.Data, out)
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

// judge records whether the items contain something good and something bad.
func (r *Reader) judge(items []Item) {
	for _, item := range items {
		r.bad = r.bad || item.Skipped != nil
		r.good = r.good || item.Skipped == nil
	}
}

// byteOrderMark is what some Windows editors put before a text.
var byteOrderMark = []byte("\xef\xbb\xbf")
