package mcp

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"wake/domain"
)

// readObject reads an object. Its numbers keep all digits.
func readObject(raw json.RawMessage, into *map[string]any) error {
	dec := json.NewDecoder(bytes.NewReader(unstring(bytes.TrimSpace(raw))))
	dec.UseNumber()
	if dec.Decode(into) != nil {
		return domain.Invalid(`it must be an object, for example {"key":"value"}`)
	}
	return nil
}

// readObjects reads a list of objects; a single object is a list of one.
func readObjects(raw json.RawMessage, into *events) error {
	list, err := objects(raw)
	if err != nil {
		return err
	}
	*into = list
	for i, item := range list {
		if len(item) == 0 || item[0] != '{' {
			return domain.Invalid(`item %d is not an object; an event is like {"type":"message","role":"user","content":"…"}`, i+1)
		}
	}
	return nil
}

// objects reads a list of objects, which may have been sent as strings.
func objects(raw json.RawMessage) ([]json.RawMessage, error) {
	raw = unstring(bytes.TrimSpace(raw))
	if raw[0] == '{' {
		raw = slices.Concat([]byte("["), raw, []byte("]"))
	}
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		return nil, domain.Invalid("it must be a list of objects")
	}
	for i := range list {
		list[i] = unstring(bytes.TrimSpace(list[i]))
	}
	return list, nil
}

// findingKinds are the kinds of finding.
var findingKinds = []string{string(domain.FindingError), string(domain.FindingRootCause), string(domain.FindingFix), string(domain.FindingNote)}

// readFindings reads a list of findings; a text alone is a note.
func readFindings(raw json.RawMessage, into *findings) error {
	if raw = bytes.TrimSpace(raw); unstring(raw)[0] == '"' {
		raw = slices.Concat([]byte("["), raw, []byte("]"))
	}
	list, err := objects(raw)
	if err != nil {
		return err
	}
	for i, item := range list {
		f := domain.Finding{Kind: domain.FindingNote}
		if item[0] == '"' {
			err = json.Unmarshal(item, &f.Text)
		} else {
			err = json.Unmarshal(item, &f)
		}
		if err != nil || strings.TrimSpace(f.Text) == "" {
			return domain.Invalid(`item %d must be like {"kind":"fix","text":"what was found"}`, i+1)
		}
		kind, err := field{enum: findingKinds}.choose(string(f.Kind))
		if err != nil {
			return err
		}
		f.Kind = domain.FindingKind(kind)
		*into = append(*into, f)
	}
	return nil
}
