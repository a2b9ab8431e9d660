package mcp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"regexp"
	"sync"

	"wake/domain"
)

// frame is one line of input: a message, or what is known of one that was too long.
type frame struct {
	data    []byte
	tooLong bool
	id      json.RawMessage // of a message that was too long; nil if it was not found
}

// isBatch reports whether a frame is a list of messages, which only the protocol of
// March 2025 has.
func (f frame) isBatch() bool { return bytes.HasPrefix(bytes.TrimSpace(f.data), []byte("[")) }

// frameReader splits input into lines. It drops blank lines and does not keep lines
// longer than a message may be.
type frameReader struct {
	in    *bufio.Reader
	limit int
}

// What is kept of a line that is too long, to find its id: clients write it first or
// last.
const (
	headKept = 4 << 10
	tailKept = 512
)

func newFrameReader(in io.Reader) *frameReader {
	return &frameReader{in: bufio.NewReaderSize(in, 64<<10), limit: domain.MaxMessage}
}

// next returns the next line that is not blank. At the end of input it returns
// io.EOF; a last line without a newline counts.
func (r *frameReader) next() (frame, error) {
	for {
		f, err := r.line()
		if f.tooLong || len(bytes.TrimSpace(f.data)) > 0 {
			return f, nil
		}
		if err != nil {
			return frame{}, err
		}
	}
}

// more reports whether more input is already buffered.
func (r *frameReader) more() bool { return r.in.Buffered() > 0 }

func (r *frameReader) line() (frame, error) {
	var data []byte
	for {
		chunk, err := r.in.ReadSlice('\n')
		if len(data)+len(chunk) > r.limit+1 {
			return r.skip(data, chunk, err)
		}
		data = append(data, chunk...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return frame{data: data}, err
		}
	}
}

// skip reads the rest of a line that is too long, keeping only head and tail.
func (r *frameReader) skip(data, chunk []byte, err error) (frame, error) {
	head := append([]byte(nil), data[:min(len(data), headKept)]...)
	tail := lastOf(append([]byte(nil), data[max(len(data)-tailKept, 0):]...), chunk)
	for errors.Is(err, bufio.ErrBufferFull) {
		chunk, err = r.in.ReadSlice('\n')
		tail = lastOf(tail, chunk)
	}
	return frame{tooLong: true, id: findID(head, tail)}, err
}

// lastOf is the end of tail followed by chunk, at most tailKept bytes.
func lastOf(tail, chunk []byte) []byte {
	if len(chunk) >= tailKept {
		return append(tail[:0], chunk[len(chunk)-tailKept:]...)
	}
	tail = append(tail, chunk...)
	return append([]byte(nil), tail[max(len(tail)-tailKept, 0):]...)
}

// lastID matches an id at the end of a message.
var lastID = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`"id"\s*:\s*(-?\d{1,18}|"[^"\\]{0,128}")\s*\}\s*$`) })

// findID looks for the id of a message at its beginning, before the parameters, and at
// its end.
func findID(head, tail []byte) json.RawMessage {
	dec := json.NewDecoder(bytes.NewReader(head))
	if t, err := dec.Token(); err == nil && t == json.Delim('{') {
		if id := firstID(dec); id != nil {
			return id
		}
	}
	if m := lastID().FindSubmatch(tail); m != nil {
		return m[1]
	}
	return nil
}

// firstID reads members of an object up to the id or the parameters.
func firstID(dec *json.Decoder) json.RawMessage {
	for dec.More() {
		key, err := dec.Token()
		if err != nil || key == "params" {
			return nil
		}
		var value json.RawMessage
		if dec.Decode(&value) != nil {
			return nil
		}
		if key == "id" && (value[0] == '"' || value[0] == '-' || value[0] >= '0' && value[0] <= '9') {
			return value
		}
	}
	return nil
}
