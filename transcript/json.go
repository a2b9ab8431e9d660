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

// text returns a field that is a text, else "".
func (f fields) text(name string) (text string) {
	_ = json.Unmarshal(f[name], &text) // of another type, it is no text
	return text
}

// beginsJSON reports whether a text begins like a JSON object or a list.
func beginsJSON(text []byte) bool {
	start := bytes.TrimSpace(text)
	return len(start) > 0 && (start[0] == '{' || start[0] == '[')
}

// decodeLoose decodes JSON and ignores values of unexpected types, and numbers that are
// none, which Python writes.
func decodeLoose(data []byte, v any) error {
	err := json.Unmarshal(data, v)
	if err == nil || isMismatch(err) {
		return nil
	}
	if plain := withoutNaN(data); plain != nil {
		if again := json.Unmarshal(plain, v); again == nil || isMismatch(again) {
			return nil
		}
	}
	return err
}

// withoutNaN replaces what Python writes for numbers that are none or infinite; nil if
// there is nothing of that.
func withoutNaN(data []byte) []byte {
	var plain []byte
	from, inText := 0, false
	for i := 0; i < len(data); i++ {
		switch b := data[i]; {
		case inText && b == '\\':
			i++
		case b == '"':
			inText = !inText
		case !inText && (b == 'N' || b == 'I' || b == '-'):
			word := nanWord(data[i:])
			if word == "" {
				continue
			}
			plain = append(append(plain, data[from:i]...), "null"...)
			i += len(word) - 1
			from = i + 1
		}
	}
	if plain == nil {
		return nil
	}
	return append(plain, data[from:]...)
}

// nanWord returns the word for such a number at the beginning of a text, or "".
func nanWord(text []byte) string {
	for _, word := range []string{"NaN", "Infinity", "-Infinity"} {
		if bytes.HasPrefix(text, []byte(word)) {
			return word
		}
	}
	return ""
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

// notNull returns the JSON, or nil if it is null.
func notNull(data json.RawMessage) json.RawMessage {
	if string(data) == "null" {
		return nil
	}
	return data
}
