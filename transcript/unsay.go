package transcript

import (
	"bytes"
	"encoding/json"
)

// Unsay empties the texts for which said is true in what a cursor remembers of the rows that
// were read, such as the name of a conversation or a prompt that waits in a queue. It reports
// whether there were any. Ids and where a session works stay, though a text may be the same:
// without them, what follows would not belong to its session, or change it.
func Unsay(cursor []byte, said func(text string) bool) ([]byte, bool) {
	var all map[string]any
	in := json.NewDecoder(bytes.NewReader(cursor))
	in.UseNumber()
	if in.Decode(&all) != nil { // it is of no reader
		return cursor, false
	}
	left, changed := unsaid(all["state"], said)
	if !changed {
		return cursor, false
	}
	all["state"] = left
	out, err := json.Marshal(all)
	return out, err == nil
}

// unsaid returns a JSON value without such texts, and whether it had any.
func unsaid(value any, said func(string) bool) (left any, changed bool) {
	switch v := value.(type) {
	case string:
		if v != "" && said(v) {
			return "", true
		}
	case []any:
		for i := range v {
			var had bool
			v[i], had = unsaid(v[i], said)
			changed = changed || had
		}
	case map[string]any:
		for name := range v {
			if isFact(name, v[name]) {
				continue
			}
			var had bool
			v[name], had = unsaid(v[name], said)
			changed = changed || had
		}
	}
	return value, changed
}

// isFact reports whether a field of a state holds no text of a conversation.
func isFact(name string, value any) bool {
	switch name {
	case "cwd", "branch", "version", "model", "models", "provider", "mode", "agent_id", "project", "client",
		"session", "id", "client_session_id", "parent_id", "parent_op_id", "origin_id", "forked_from", "forked", "last_uuid", "status":
		_, whole := value.(map[string]any)
		return !whole
	}
	return false
}
