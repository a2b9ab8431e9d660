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

// wholeDocument is the part of a decoder that documents have no use for: they
// are read anew whenever they changed.
type wholeDocument struct{ name string }

func (wholeDocument) decode([]byte, *sink) error { return nil }
func (wholeDocument) state() any                 { return nil }
func (wholeDocument) restarted()                 {}

// isRows reports whether a text is rows of JSON rather than one document.
func isRows(text []byte) bool {
	first, _, _ := bytes.Cut(bytes.TrimSpace(text), []byte("\n"))
	return bytes.HasPrefix(first, []byte("{")) && json.Valid(first)
}

// eachRow decodes rows that stand in a file which is called a document.
func eachRow(text []byte, out *sink, decode func(row []byte, out *sink) error) {
	n := 0
	for line := range bytes.Lines(text) {
		n++
		if line = trimLine(line); len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		out.begin(n, 0)
		if err := decode(line, out); err != nil {
			out.skip(err.Error())
		}
	}
}

// isOpening reports whether nothing of such a text is there yet but its first bracket.
func isOpening(text []byte) bool {
	text = bytes.TrimSpace(bytes.TrimPrefix(text, byteOrderMark))
	return len(text) == 1 && (text[0] == '{' || text[0] == '[')
}

// isSpread reports whether a text that begins so has rows that are no lines: rows over
// several lines, as tools write them that format JSON, or one list.
func isSpread(head []byte) bool {
	head = bytes.TrimSpace(bytes.TrimPrefix(head, byteOrderMark))
	if list, ok := bytes.CutPrefix(head, []byte("[")); ok {
		return bytes.HasPrefix(bytes.TrimSpace(list), []byte("{"))
	}
	first, _, more := bytes.Cut(head, []byte("\n"))
	return more && string(bytes.TrimSpace(first)) == "{"
}

// spreadRows are the rows of such a text, without blanks, and where each begins. Behind a
// broken one they go on with the next line that begins one.
func spreadRows(text []byte) iter.Seq2[spreadRow, error] {
	return func(yield func(spreadRow, error) bool) {
		for at := 0; at >= 0; {
			if at = goodRows(text, at, yield); at >= 0 {
				at = nextRow(text, at)
			}
		}
	}
}

// goodRows gives the rows from an offset on, up to a broken one, of which it returns the
// place; -1 where none is to be read any more.
func goodRows(text []byte, at int, yield func(spreadRow, error) bool) int {
	dec, begun := json.NewDecoder(bytes.NewReader(text[at:])), int64(at)
	if bytes.HasPrefix(bytes.TrimSpace(text), []byte("[")) {
		if at > 0 {
			dec, begun = json.NewDecoder(io.MultiReader(strings.NewReader("["), bytes.NewReader(text[at:]))), int64(at-1)
		}
		_, _ = dec.Token()
	}
	for dec.More() {
		row := spreadRow{offset: begun + dec.InputOffset()}
		var raw json.RawMessage
		err := dec.Decode(&raw)
		if err == nil {
			var compact bytes.Buffer
			_ = json.Compact(&compact, raw) // it was read just now
			row.data = compact.Bytes()
		}
		if !yield(row, err) {
			return -1
		}
		if err != nil {
			return int(row.offset)
		}
	}
	return -1
}

// nextRow is where a row begins behind the one at an offset, no further in than the first
// one; -1 for nowhere.
func nextRow(text []byte, offset int) int {
	first := text[:max(bytes.IndexByte(text, '{'), 0)]
	deepest := len(first) - len(bytes.TrimRight(first, " \t"))
	rest := bytes.TrimLeft(text[offset:], " \t\r\n,") // the broken one
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

type spreadRow struct {
	data   []byte
	offset int64
}

// eachSpread decodes rows that are no lines.
func eachSpread(text []byte, out *sink, decode func(row []byte, out *sink) error) {
	n := 0
	for row, err := range spreadRows(text) {
		n++
		out.begin(n, row.offset)
		if err == nil {
			err = decode(row.data, out)
		} else {
			err = fmt.Errorf("it is not JSON: %w", err)
		}
		if err != nil {
			out.skip(err.Error())
		}
	}
}

// baseName is the source's file name without folders and endings.
func baseName(name string, endings ...string) string {
	base := path.Base(strings.ReplaceAll(name, `\`, "/"))
	for _, end := range endings {
		base = strings.TrimSuffix(base, end)
	}
	return base
}

// sessionName is the id of a session whose file tells none: the file's name. One without a
// digit, such as full or session, many files have: the two folders above it tell them apart.
func sessionName(name string, endings ...string) string {
	base := baseName(name, endings...)
	if strings.ContainsAny(base, "0123456789") {
		return base
	}
	folders := pathParts(name)
	folders = folders[:len(folders)-1]
	return path.Join(append(folders[max(0, len(folders)-2):], base)...)
}

// pathParts are the folders of a path, of any system, and the name of its file.
func pathParts(name string) []string { return strings.Split(strings.ReplaceAll(name, `\`, "/"), "/") }

// folderID finds, among the folders of a path, what follows a prefix, such as
// the session's id in session-<id>.
func folderID(name, prefix string) string {
	for _, part := range pathParts(name) {
		if id, ok := strings.CutPrefix(part, prefix); ok && !strings.Contains(id, ".") {
			return id
		}
	}
	return ""
}

// rawText is a JSON string's text, or the JSON itself, without blanks, for other
// values.
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

// stamp reads a time of a foreign file: RFC 3339 text, or seconds or
// milliseconds since 1970.
type stamp struct{ time.Time }

// UnmarshalJSON never fails: a time that cannot be read is absent.
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

// rowTime is the time of a row as the row has it, for rows are also told apart by
// it: RFC 3339 text. Seconds or milliseconds since 1970, also as text, become such.
type rowTime string

// UnmarshalJSON never fails: a time that cannot be read is absent.
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

// time is the zero time where the row has none that can be read.
func (r rowTime) time() time.Time {
	t, err := domain.ParseTime(string(r))
	if err != nil {
		return time.Time{}
	}
	return t
}

// epochTime reads seconds or, where the number is too large for them,
// milliseconds.
func epochTime(n float64) time.Time {
	micros := n * 1e6
	if n > 1e11 {
		micros = n * 1e3
	}
	if micros > 253402300799e6 { // past the year 9999
		return time.Time{}
	}
	return time.UnixMicro(int64(math.Round(micros))).UTC()
}

// or is the time, or another where it is absent.
func (s stamp) or(other time.Time) time.Time {
	if s.IsZero() {
		return other
	}
	return s.Time
}
