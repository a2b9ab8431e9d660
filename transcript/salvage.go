package transcript

import (
	"bytes"
	"encoding/json"
	"errors"
)

// salvage looks for good rows in a bad line: a writer that was killed leaves half a
// row, and the next row is appended directly to it.
func (r *Reader) salvage(line []byte, out *sink, why error) {
	var syntax *json.SyntaxError
	if !errors.As(why, &syntax) {
		out.skip(why.Error())
		return
	}
	before := len(out.items)
	for _, row := range gluedRows(line, rowOpenings(), looksLikeRow) {
		if err := r.rows.decode(row, out); err != nil {
			out.skip(err.Error())
		}
	}
	if len(out.items) == before {
		out.skip("it is not JSON: " + syntax.Error())
	} else {
		out.skip("a part of the line is not JSON; the rest was taken")
	}
}

// gluedRows finds complete rows inside a line that is not one JSON value, by how they may
// start and what is one.
func gluedRows(line []byte, openings []string, isRow func(row []byte) bool) [][]byte {
	var rows [][]byte
	for range maxSalvage {
		i := rowStart(line, openings)
		if i < 0 {
			break
		}
		line = line[i:]
		dec := json.NewDecoder(bytes.NewReader(line))
		var row json.RawMessage
		if dec.Decode(&row) != nil {
			line = line[1:]
			continue
		}
		if line = line[dec.InputOffset():]; isRow(row) && !isInside(line) {
			rows = append(rows, row)
		}
	}
	return rows
}

// isInside reports, from what follows an object, whether it is part of another object,
// such as the message of a sub-agent in a progress row.
func isInside(rest []byte) bool {
	rest = bytes.TrimSpace(rest)
	return len(rest) > 0 && bytes.IndexByte([]byte(",}]"), rest[0]) >= 0
}

// maxSalvage limits the search in a broken line, which may be long.
const maxSalvage = 32

// rowOpenings are how rows of transcripts start: with one of these names.
func rowOpenings() []string {
	return []string{`{"type":`, `{"parentUuid":`, `{"timestamp":`, `{"uuid":`, `{"sessionId":`, `{"isSidechain":`, `{"payload":`}
}

// rowStart finds where a row may begin.
func rowStart(line []byte, openings []string) int {
	at := -1
	for _, open := range openings {
		if i := bytes.Index(line, []byte(open)); i >= 0 && (at < 0 || i < at) {
			at = i
		}
	}
	return at
}

// looksLikeRow distinguishes a row of a transcript from any other object inside a
// broken row.
func looksLikeRow(row []byte) bool {
	var r struct {
		Type      string          `json:"type"`
		Timestamp json.RawMessage `json:"timestamp"`
		UUID      string          `json:"uuid"`
		SessionID string          `json:"sessionId"`
		Payload   json.RawMessage `json:"payload"`
		Message   json.RawMessage `json:"message"`
	}
	_ = json.Unmarshal(row, &r)
	return r.Type != "" && (r.UUID != "" || r.Timestamp != nil && (r.SessionID != "" || r.Payload != nil || r.Message != nil))
}
