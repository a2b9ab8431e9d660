package memory

import (
	"encoding/json"
	"maps"

	"wake/domain"
)

// honourMetadata reads arguments from metadata, which is how the seed passes them
// (002-08): actionType, causedBy, rationale, dependencies and sessionId. Real
// arguments take precedence. The metadata is kept as it was sent. An unknown
// actionType is ignored, with a note.
func honourMetadata(req *SaveRequest) (notes []string) {
	if len(req.Metadata) == 0 {
		return nil
	}
	req.Metadata = maps.Clone(req.Metadata)
	text := func(into *string, keys ...string) {
		for _, k := range keys {
			if v, ok := req.Metadata[k].(string); ok && *into == "" && v != "null" {
				*into = v
			}
		}
	}
	text(&req.CausedBy, "causedBy", "caused_by")
	text(&req.Rationale, "rationale")
	text(&req.SessionID, "sessionId", "session_id")
	if req.ActionType == "" {
		var action string
		text(&action, "actionType", "action_type")
		known, err := domain.ParseActionType(action)
		if err != nil && action != "" {
			notes = append(notes, "in the metadata, "+err.Error())
		}
		req.ActionType = known
	}
	if len(req.Dependencies) == 0 {
		req.Dependencies = stringsIn(req.Metadata["dependencies"])
	}
	return notes
}

// checkMetadata refuses metadata that JSON cannot represent, or that is longer as JSON
// than content may be.
func checkMetadata(m map[string]any) error {
	raw, err := json.Marshal(m)
	if err != nil {
		return domain.Invalid("metadata cannot be kept: %v", err)
	}
	if len(raw) > domain.MaxContent {
		return domain.Invalid("metadata is %d bytes; the limit is %d bytes: long texts belong in content", len(raw), domain.MaxContent)
	}
	return nil
}

// stringsIn returns a decoded JSON list of strings, or a single string as a list.
func stringsIn(v any) []string {
	switch v := v.(type) {
	case string:
		if v != "" {
			return []string{v}
		}
	case []string:
		return v
	case []any:
		var out []string
		for _, e := range v {
			if s, ok := e.(string); ok && s != "" {
				out = append(out, s)
			}
		}
		return out
	}
	return nil
}
