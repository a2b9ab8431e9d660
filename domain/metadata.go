package domain

import (
	"bytes"
	"encoding/json"
)

// Metadata is what a caller keeps beside the content: a JSON object. Its
// numbers keep every digit, because the id of a message or a ticket is often
// longer than a float64 can hold. A number is a float64 if that holds it
// exactly, else a [json.Number].
type Metadata map[string]any

// UnmarshalJSON reads an object, or null.
func (m *Metadata) UnmarshalJSON(data []byte) error {
	var object map[string]any
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	if err := dec.Decode(&object); err != nil {
		return err
	}
	for name, v := range object {
		object[name] = shortest(v)
	}
	*m = object
	return nil
}

// shortest makes floats of the numbers in v that come out the same again.
func shortest(v any) any {
	switch v := v.(type) {
	case json.Number:
		f, err := v.Float64()
		if err != nil {
			return v
		}
		if again, err := json.Marshal(f); err == nil && string(again) == v.String() {
			return f
		}
	case map[string]any:
		for name, inner := range v {
			v[name] = shortest(inner)
		}
	case []any:
		for i, inner := range v {
			v[i] = shortest(inner)
		}
	}
	return v
}
