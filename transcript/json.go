package transcript

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
)

// fields are those of a row or of a document.
type fields map[string]json.RawMessage

// has reports whether all of the fields are there.
func (f fields) has(names ...string) bool {
	return !slices.ContainsFunc(names, func(name string) bool { _, ok := f[name]; return !ok })
}

// hasAny reports whether one of the fields is there.
func (f fields) hasAny(names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool { _, ok := f[name]; return ok })
}

// decodeLoose decodes JSON and ignores values of unexpected types.
func decodeLoose(data []byte, v any) error {
	if err := json.Unmarshal(data, v); err != nil && !isMismatch(err) {
		return err
	}
	return nil
}

// isMismatch distinguishes a value of unexpected type, which leaves the rest of the row
// intact, from invalid JSON.
func isMismatch(err error) bool {
	var mismatch *json.UnmarshalTypeError
	return errors.As(err, &mismatch)
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

// jsonInText unwraps an object encoded as a string.
func jsonInText(data json.RawMessage) json.RawMessage {
	var text string
	if json.Unmarshal(data, &text) == nil && strings.HasPrefix(text, "{") && json.Valid([]byte(text)) {
		return json.RawMessage(text)
	}
	return orObject(data)
}

// orObject returns the arguments of a tool call, or {} if they were left out.
func orObject(arguments json.RawMessage) json.RawMessage {
	if len(arguments) == 0 {
		return json.RawMessage("{}")
	}
	return arguments
}

// object returns the JSON, or nil if it is null.
func object(data json.RawMessage) json.RawMessage {
	if string(data) == "null" {
		return nil
	}
	return data
}
