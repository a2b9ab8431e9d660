package domain

import (
	"bytes"
	"encoding/json"
)

// Metadata is a JSON object that a caller stores beside the content. Numbers keep all
// digits, because ids of messages or tickets may exceed the precision of float64. A
// number is a float64 if that is exact, else a [json.Number].
type Metadata map[string]any

// UnmarshalJSON decodes an object or null.
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

// shortest converts the numbers in v to float64 if that is exact.
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
