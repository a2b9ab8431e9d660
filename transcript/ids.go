package transcript

import (
	"slices"
	"strings"

	"wake/domain"
)

// shortID returns an id or a name, or of one that is too long to be kept its beginning and a
// hash. Some gateways put kilobytes into the ids of a model's calls, because clients hand
// back nothing else.
func shortID(id string) string {
	if len(id) <= domain.MaxID {
		return id
	}
	return strings.ToValidUTF8(id[:100], "") + "~" + shortHash(id)
}

// withShortIDs returns a payload with ids that can be kept, and the key that goes with them.
func withShortIDs(key domain.Key, payload domain.Payload) (domain.Key, domain.Payload) {
	switch p := payload.(type) {
	case domain.Message:
		if hasLongID(p) {
			return withShortCalls(key, p)
		}
	case domain.OpReport:
		if max(len(p.OpID), len(p.ParentOpID)) > domain.MaxID {
			p.OpID, p.ParentOpID = shortID(p.OpID), shortID(p.ParentOpID)
			return key, p
		}
	case domain.Goal:
		p.ID = shortID(p.ID)
		return key, p
	case domain.Mode:
		p.To = shortID(p.To)
		return key, p
	}
	return key, payload
}

func hasLongID(m domain.Message) bool {
	return len(m.ToolCallID) > domain.MaxID || slices.ContainsFunc(m.ToolCalls, func(c domain.ToolCall) bool {
		return max(len(c.ID), len(c.Name)) > domain.MaxID
	})
}

// withShortCalls is [withShortIDs] for a message. A call's key is that of its short id, which is
// all that a hook has of it.
func withShortCalls(key domain.Key, m domain.Message) (domain.Key, domain.Message) {
	if id := m.ToolCallID; key == domain.ToolResultKey(id) {
		key = domain.ToolResultKey(shortID(id))
	}
	m.ToolCallID, m.ToolCalls = shortID(m.ToolCallID), slices.Clone(m.ToolCalls)
	for i, c := range m.ToolCalls {
		if key == domain.ToolCallKey(c.ID) {
			key = domain.ToolCallKey(shortID(c.ID))
		}
		m.ToolCalls[i].ID, m.ToolCalls[i].Name = shortID(c.ID), shortID(c.Name)
	}
	return key, m
}
