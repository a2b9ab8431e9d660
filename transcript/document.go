package transcript

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"slices"

	"wake/domain"
)

// isRows reports whether a text is rows of JSON rather than one document.
func isRows(text []byte) bool {
	first, _, _ := bytes.Cut(bytes.TrimSpace(text), []byte("\n"))
	return bytes.HasPrefix(first, []byte("{")) && json.Valid(first)
}

// rowFunc decodes one row into out. An error is the reason why the row cannot be used.
type rowFunc func(row []byte, out *sink) error

// at decodes the row at a place, counted from 1. One that cannot be used is skipped.
func (decode rowFunc) at(place int, row []byte, out *sink) {
	out.begin(place)
	if err := decode(row, out); err != nil {
		out.skip(err.Error())
	}
}

// eachRow decodes rows in a file whose name says that it is a document.
func eachRow(text []byte, out *sink, decode rowFunc) {
	n := 0
	for line := range bytes.Lines(text) {
		n++
		if line = trimLine(line); len(bytes.TrimSpace(line)) > 0 {
			decode.at(n, line, out)
		}
	}
}

// decodeRows decodes a text that is rows after all, and reports whether it is.
func decodeRows(text []byte, out *sink, decode rowFunc) bool {
	switch {
	case isRows(text):
		eachRow(text, out, decode)
	case isSpread(text): // as some tools export it
		eachSpread(text, out, decode)
	default:
		return false
	}
	return true
}

// decodeEach decodes rows that are a list of a document.
func decodeEach(rows []json.RawMessage, out *sink, decode rowFunc) {
	for i, row := range rows {
		decode.at(i+1, row, out)
	}
}

// document reads a source that is a single document. An unchanged one yields nothing.
// If it breaks off, as with a damaged archive, what comes before is used.
func (r *Reader) document(read func(text []byte, out *sink) error) iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		data, broke := readWhole(r.src, maxDocument)
		if broke != nil && len(data) == 0 {
			yield(Item{}, broke)
			return
		}
		hash := domain.HashBytes(data)
		if hash == r.doc {
			return
		}
		out := &sink{source: r.name}
		if len(bytes.TrimSpace(data)) == 0 && broke == nil {
			out.leave("it is empty")
			out.flush(yield)
			return
		}
		err := read(bytes.TrimPrefix(data, byteOrderMark), out)
		if errors.Is(err, errTooLarge) {
			yield(Item{}, err)
			return
		}
		if err != nil {
			out = &sink{source: r.name} // without what was read before
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

// errTooLarge ends the reading.
var errTooLarge = domain.Invalid("it is larger than 1 GiB")

// readWhole reads a document of at most most bytes. If it breaks off, what comes before is
// returned too. It is read in parts, because a single slice that grows needs almost three
// times the memory, even for a document that is then refused.
func readWhole(src io.Reader, most int64) ([]byte, error) {
	var read parts
	size, err := io.Copy(&read, io.LimitReader(src, most+1))
	if size > most {
		return nil, errTooLarge
	}
	return slices.Concat(read...), err
}

type parts [][]byte

// Write implements [io.Writer].
func (p *parts) Write(data []byte) (int, error) {
	*p = append(*p, bytes.Clone(data))
	return len(data), nil
}
