package transcript

import (
	"encoding/json"
	"strings"

	"wake/domain"
)

// newDecoder returns the decoder of a format, set to where an earlier read left
// it. An Invalid error names formats that are not read as one stream.
func newDecoder(format Format, name string, state json.RawMessage) (decoder, error) {
	switch format {
	case ClaudeCode:
		if strings.HasSuffix(name, ".json") {
			return &claudeDocument{*newClaude(name, nil)}, nil
		}
		return newClaude(name, state), nil
	}
	return nil, domain.Invalid("%s is not read from one stream", format)
}

// load fills v from a remembered state; a damaged one means none.
func load[T any](state json.RawMessage, v *T) {
	if len(state) > 0 && json.Unmarshal(state, v) != nil {
		var zero T
		*v = zero
	}
}
