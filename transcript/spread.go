package transcript

import (
	"bytes"
	"encoding/json"
	"io"
	"iter"
	"strings"
)

// spreadHead is enough of a source to see whether its rows are lines.
const spreadHead = 512

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

// isOpening reports whether a text has no more than blanks and its first bracket so far.
func isOpening(text []byte) bool {
	text = bytes.TrimSpace(bytes.TrimPrefix(text, byteOrderMark))
	return len(text) == 0 || len(text) == 1 && (text[0] == '{' || text[0] == '[')
}

// eachSpread decodes rows that are not lines.
func eachSpread(text []byte, out *sink, decode rowFunc) {
	n := 0
	for row, err := range spreadRows(text) {
		n++
		if err != nil {
			out.begin(n)
			out.skip("it is not JSON: " + err.Error())
			continue
		}
		decode.at(n, row, out)
	}
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
