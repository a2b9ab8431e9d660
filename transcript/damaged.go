package transcript

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"slices"
)

// The depth of nesting, in brackets, up to which a value in a damaged document is taken
// in part. A deeper value must be complete.
const (
	messageDepth = 2 // half a message, row or entity would be a different one
	anyDepth     = math.MaxInt
)

// decodeSaved decodes a document. If it is damaged or truncated, it decodes the intact
// part before the damage and describes it.
func decodeSaved(doc []byte, deepest int, v any) (damage string, err error) {
	if err = decodeLoose(doc, v); err == nil {
		return "", nil
	}
	if plain := withoutNaN(doc); plain != nil { // where the error is would be of another text
		doc, err = plain, decodeLoose(plain, v)
	}
	whole := decodeLoose(closeAt(doc, deepest), v)
	var wrong *json.SyntaxError
	if whole != nil && errors.As(err, &wrong) && wrong.Offset > 0 { // it is not merely truncated
		whole = decodeLoose(closeAt(doc[:wrong.Offset-1], deepest), v)
	}
	if whole != nil {
		return "", err
	}
	return "the document is damaged or ends too early; what is whole before that was taken", nil
}

// closeJSON completes a truncated document: it goes back to the last complete value and
// closes the brackets that are open there.
func closeJSON(doc []byte) []byte { return closeAt(doc, anyDepth) }

// closeAt is closeJSON, except that a value nested deeper than deepest must be
// complete.
func closeAt(doc []byte, deepest int) []byte {
	var open []byte     // the brackets that close the open ones
	good, depth := 0, 0 // end of the good part, and the number of brackets open there
	keep := func(end int) {
		if len(open) <= deepest {
			good, depth = end, len(open)
		}
	}
	inText, escaped := false, false
	for i, b := range doc {
		switch {
		case escaped:
			escaped = false
		case inText:
			escaped = b == '\\'
			inText = b != '"'
		case b == '"':
			inText = true
		case b == '{' || b == '[':
			open = append(open, b+2) // '}' and ']' follow their opening brackets by two
			keep(i + 1)
		case b == '}' || b == ']':
			if len(open) == 0 {
				return doc[:i]
			}
			open = open[:len(open)-1]
			keep(i + 1)
		case b == ',':
			keep(i)
		}
	}
	closed := bytes.Clone(doc[:good])
	for _, bracket := range slices.Backward(open[:depth]) {
		closed = append(closed, bracket)
	}
	return closed
}
