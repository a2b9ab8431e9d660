package transcript

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
)

// How deep the values lie, in brackets, that count as a whole in a damaged document.
const (
	messageDepth = 2 // half a message would be another message
	anyDepth     = math.MaxInt
)

// decodeSaved reads a document. Of one that is damaged or was cut off it takes what is whole
// before that, and says so.
func decodeSaved(doc []byte, deepest int, v any) (damage string, err error) {
	if err = decodeLoose(doc, v); err == nil {
		return "", nil
	}
	whole := decodeLoose(closeAt(doc, deepest), v)
	var wrong *json.SyntaxError
	if whole != nil && errors.As(err, &wrong) && wrong.Offset > 0 { // it is not only cut off
		whole = decodeLoose(closeAt(doc[:wrong.Offset-1], deepest), v)
	}
	if whole != nil {
		return "", err
	}
	return "the document is damaged or ends too early; what is whole before that was taken", nil
}

// closeJSON makes a cut-off document whole: it goes back to the last value that
// is complete and closes what is open there.
func closeJSON(doc []byte) []byte { return closeAt(doc, anyDepth) }

// closeAt is closeJSON, but what lies deeper than some brackets counts as a whole: half of
// it is nothing.
func closeAt(doc []byte, deepest int) []byte {
	var open []byte     // the brackets that are open
	good, depth := 0, 0 // how far the document is good, and how many were open there
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
			open = append(open, b+2) // '}' and ']' come two behind their openers
			if len(open) <= deepest {
				good, depth = i+1, len(open)
			}
		case b == '}' || b == ']':
			if len(open) == 0 {
				return doc[:i]
			}
			open = open[:len(open)-1]
			if len(open) <= deepest {
				good, depth = i+1, len(open)
			}
		case b == ',' && len(open) <= deepest:
			good, depth = i, len(open)
		}
	}
	closed := bytes.Clone(doc[:good])
	for i := min(depth, len(open)) - 1; i >= 0; i-- {
		closed = append(closed, open[i])
	}
	return closed
}
