package transcript

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"math"
	"path"
	"strconv"
	"strings"
	"time"

	"wake/domain"
)

// wholeDocument implements the part of a decoder that documents do not need: they are
// read completely whenever they have changed.
type wholeDocument struct{ name string }

func (wholeDocument) decode([]byte, *sink) error { return nil }
func (wholeDocument) state() any                 { return nil }
func (wholeDocument) restarted()                 {}

// isRows reports whether a text is rows of JSON rather than one document.
func isRows(text []byte) bool {
	first, _, _ := bytes.Cut(bytes.TrimSpace(text), []byte("\n"))
	return bytes.HasPrefix(first, []byte("{")) && json.Valid(first)
}

// eachRow decodes rows in a file whose name says that it is a document.
func eachRow(text []byte, out *sink, decode func(row []byte, out *sink) error) {
	n := 0
	for line := range bytes.Lines(text) {
		n++
		if line = trimLine(line); len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		out.begin(n)
		if err := decode(line, out); err != nil {
			out.skip(err.Error())
		}
	}
}

// decodeRows decodes a text that is rows after all, and reports whether it is.
func decodeRows(text []byte, out *sink, decode func(row []byte, out *sink) error) bool {
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
func decodeEach(rows []json.RawMessage, out *sink, decode func(row []byte, out *sink) error) {
	for i, row := range rows {
		out.begin(i + 1)
		if err := decode(row, out); err != nil {
			out.skip(err.Error())
		}
	}
}

// isOpening reports whether a text has no more than blanks and its first bracket so far.
func isOpening(text []byte) bool {
	text = bytes.TrimSpace(bytes.TrimPrefix(text, byteOrderMark))
	return len(text) == 0 || len(text) == 1 && (text[0] == '{' || text[0] == '[')
}

// isSpread reports whether a text with this beginning has rows that are not lines: rows
// formatted over several lines, or one list of rows.
func isSpread(head []byte) bool {
	head = bytes.TrimSpace(bytes.TrimPrefix(head, byteOrderMark))
	if list, ok := bytes.CutPrefix(head, []byte("[")); ok {
		return bytes.HasPrefix(bytes.TrimSpace(list), []byte("{"))
	}
	first, _, more := bytes.Cut(head, []byte("\n"))
	return more && string(bytes.TrimSpace(first)) == "{"
}

// spreadRows yields the rows of such a text in compact form. After a broken
// row it continues with the next line that begins one.
func spreadRows(text []byte) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for at, broken := 0, false; at >= 0; {
			if at, broken = goodRows(text, at, yield); broken {
				at = nextRow(text, at)
			}
		}
	}
}

// betweenRows are the characters that may stand between rows. A closing bracket too many
// is none of a row either.
const betweenRows = " \t\r\n,[]}"

// goodRows yields the rows from an offset on, up to one that cannot be read, whose offset
// it returns; -1 if there is nothing more to read. Only the first row is told broken: a
// later one may just lack the comma before it.
func goodRows(text []byte, at int, yield func([]byte, error) bool) (next int, broken bool) {
	dec, begun := json.NewDecoder(bytes.NewReader(text[at:])), at
	if bytes.HasPrefix(bytes.TrimSpace(text), []byte("[")) {
		if at > 0 {
			dec, begun = json.NewDecoder(io.MultiReader(strings.NewReader("["), bytes.NewReader(text[at:]))), at-1
		}
		_, _ = dec.Token()
	}
	from := begun + int(dec.InputOffset())
	for n := 0; dec.More(); n++ {
		var raw json.RawMessage
		err := dec.Decode(&raw)
		if err != nil && n > 0 {
			break
		}
		var row bytes.Buffer
		if err == nil {
			_ = json.Compact(&row, raw) // it was just decoded
		}
		if !yield(row.Bytes(), err) {
			return -1, false
		}
		if err != nil {
			return from, true
		}
		from = begun + int(dec.InputOffset())
	}
	rest := bytes.TrimLeft(text[from:], betweenRows)
	if len(rest) == 0 {
		return -1, false
	}
	return len(text) - len(rest), false
}

// nextRow returns the offset of the row after the one at an offset, or -1. It must not be
// indented more than the first row.
func nextRow(text []byte, offset int) int {
	first := text[:max(bytes.IndexByte(text, '{'), 0)]
	deepest := len(first) - len(bytes.TrimRight(first, " \t"))
	rest := bytes.TrimLeft(text[offset:], " \t\r\n,") // the broken row
	for {
		i := bytes.IndexByte(rest, '\n')
		if i < 0 {
			return -1
		}
		rest = rest[i+1:]
		if row := bytes.TrimLeft(rest, " \t"); bytes.HasPrefix(row, []byte("{")) && len(rest)-len(row) <= deepest {
			return len(text) - len(rest)
		}
	}
}

// eachSpread decodes rows that are not lines.
func eachSpread(text []byte, out *sink, decode func(row []byte, out *sink) error) {
	n := 0
	for row, err := range spreadRows(text) {
		n++
		out.begin(n)
		if err == nil {
			err = decode(row, out)
		} else {
			err = fmt.Errorf("it is not JSON: %w", err)
		}
		if err != nil {
			out.skip(err.Error())
		}
	}
}

// baseName returns the source's file name without folders and endings.
func baseName(name string, endings ...string) string {
	base := path.Base(strings.ReplaceAll(name, `\`, "/"))
	for _, end := range endings {
		base = strings.TrimSuffix(base, end)
	}
	return base
}

// sessionName returns the id of a session whose file contains none: the file's name. A
// name without a digit, such as full or session, is common to many files, so the two
// folders above it are added.
func sessionName(name string, endings ...string) string {
	base := baseName(name, endings...)
	if strings.ContainsAny(base, "0123456789") {
		return base
	}
	folders := pathParts(name)
	folders = folders[:len(folders)-1]
	return path.Join(append(folders[max(0, len(folders)-2):], base)...)
}

// pathParts splits a path of any operating system into its folders and the file name.
func pathParts(name string) []string { return strings.Split(strings.ReplaceAll(name, `\`, "/"), "/") }

// folderID returns what follows prefix in one of the folders of a path, such as the
// session id in session-<id>.
func folderID(name, prefix string) string {
	for _, part := range pathParts(name) {
		if id, ok := strings.CutPrefix(part, prefix); ok && !strings.Contains(id, ".") {
			return id
		}
	}
	return ""
}

// rawText returns the text of a JSON string, or the compact JSON of any other value.
func rawText(data json.RawMessage) string {
	var text string
	if json.Unmarshal(data, &text) == nil {
		return text
	}
	var compact bytes.Buffer
	if json.Compact(&compact, data) != nil {
		return string(data)
	}
	return compact.String()
}

// orObject returns the arguments of a tool call, or {} if they were left out.
func orObject(arguments json.RawMessage) json.RawMessage {
	if len(arguments) == 0 {
		return json.RawMessage("{}")
	}
	return arguments
}

// stamp is a time in a foreign file: RFC 3339 text, or seconds or milliseconds since
// 1970.
type stamp struct{ time.Time }

// UnmarshalJSON never fails: an unreadable time counts as absent.
func (s *stamp) UnmarshalJSON(data []byte) error {
	var text string
	if json.Unmarshal(data, &text) == nil {
		s.Time, _ = domain.ParseTime(text)
		return nil
	}
	var n float64
	if json.Unmarshal(data, &n) == nil && n > 0 {
		s.Time = epochTime(n)
	}
	return nil
}

// rowTime is the time of a row as written, because rows are also identified by it: RFC
// 3339 text. Seconds or milliseconds since 1970, also as text, are converted to it.
type rowTime string

// UnmarshalJSON never fails: an unreadable time counts as absent.
func (r *rowTime) UnmarshalJSON(data []byte) error {
	if json.Unmarshal(data, (*string)(r)) != nil {
		*r = rowTime(data)
	}
	if n, err := strconv.ParseFloat(string(*r), 64); err == nil && n > 1e8 {
		if *r = ""; !epochTime(n).IsZero() {
			*r = rowTime(domain.FormatTime(epochTime(n)))
		}
	}
	return nil
}

// time returns the zero time if the row has no readable time.
func (r rowTime) time() time.Time {
	t, err := domain.ParseTime(string(r))
	if err != nil {
		return time.Time{}
	}
	return t
}

// epochTime interprets n as seconds or, if it is too large for that, milliseconds.
func epochTime(n float64) time.Time {
	micros := n * 1e6
	if n > 1e11 {
		micros = n * 1e3
	}
	if micros > 253402300799e6 { // after the year 9999
		return time.Time{}
	}
	return time.UnixMicro(int64(math.Round(micros))).UTC()
}

// or returns the time, or other if it is absent.
func (s stamp) or(other time.Time) time.Time {
	if s.IsZero() {
		return other
	}
	return s.Time
}
