package session

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"wake/domain"
)

// words maps words that models use to the words of our enumerations, by field.
var words = map[string]map[string]string{
	"message.role": {"human": "user", "ai": "assistant", "model": "assistant", "function": "tool"},
	"op.kind":      {"model": "llm", "agent": "session", "subagent": "session"},
	"op.status": {"start": "started", "running": "started", "success": "ok", "succeeded": "ok", "done": "ok", "completed": "ok",
		"error": "failed", "failure": "failed"},
	"goal.status": {"open": "active", "in_progress": "active", "completed": "done", "complete": "done", "achieved": "done",
		"cancelled": "dropped", "canceled": "dropped", "abandoned": "dropped"},
	"finding.kind":       {"bug": "error", "cause": "root_cause", "solution": "fix", "info": "note"},
	"signal.status":      {"timed_out": "timeout"},
	"step.status":        {"start": "started", "running": "started", "in_progress": "started", "done": "completed", "complete": "completed", "ok": "completed", "success": "completed", "error": "failed", "failure": "failed"},
	"compaction.trigger": {"automatic": "auto"},
}

// members are the fields of objects in a field.
type members struct {
	known []string
	also  map[string]string // synonyms; "" is for a field that is ignored, because it follows from the others
	text  string            // the field that a text instead of an object stands for; may be ""
}

// inside describes the objects in fields. An unknown name is refused, because its
// value would be lost silently.
var inside = map[string]members{
	"message.tool_calls": {known: []string{"id", "name", "arguments"},
		also: map[string]string{"args": "arguments", "input": "arguments", "parameters": "arguments", "tool_call_id": "id", "call_id": "id", "tool_name": "name", "type": "", "index": ""}},
	"message.media": {known: []string{"type", "url", "mime", "name", "data"},
		also: map[string]string{"mime_type": "mime", "mimetype": "mime", "media_type": "mime"}, text: "url"},
	"op.usage": {known: []string{"input", "output", "cache_read", "cache_write", "cost_usd"},
		also: map[string]string{"input_tokens": "input", "prompt_tokens": "input", "output_tokens": "output", "completion_tokens": "output",
			"cache_read_input_tokens": "cache_read", "cache_creation_input_tokens": "cache_write", "cost": "cost_usd", "total": "", "total_tokens": "",
			// further counts in the APIs' answers, and parts of the counts above
			"prompt_tokens_details": "", "completion_tokens_details": "", "input_tokens_details": "", "output_tokens_details": "",
			"cache_creation": "", "server_tool_use": "", "service_tier": ""}},
	"op.logs": {known: []string{"at", "severity", "turn", "subturn", "path", "direction", "type", "tool_kind", "remote_identifier", "fatal", "message", "details"},
		also: map[string]string{"text": "message", "level": "severity", "time": "at", "timestamp": "at"}, text: "message"},
}

// readInside reads the object in a field, or a list of objects.
func (m members) readInside(value json.RawMessage) (json.RawMessage, error) {
	value = bytes.TrimSpace(value)
	if len(value) == 0 || value[0] != '[' {
		return m.readOne(value)
	}
	var list []json.RawMessage
	if err := json.Unmarshal(value, &list); err != nil {
		return nil, err
	}
	for i := range list {
		one, err := m.readOne(list[i])
		if err != nil {
			return nil, err
		}
		list[i] = one
	}
	return json.Marshal(list)
}

func (m members) readOne(value json.RawMessage) (json.RawMessage, error) {
	value = bytes.TrimSpace(value)
	if m.text != "" && len(value) > 0 && value[0] == '"' {
		return json.Marshal(map[string]json.RawMessage{m.text: value})
	}
	var given map[string]json.RawMessage
	if json.Unmarshal(value, &given) != nil {
		return nil, domain.Invalid("an object with %s belongs here", strings.Join(m.known, ", "))
	}
	out := map[string]json.RawMessage{}
	given = flat(given)
	for _, name := range sortedKeys(given) {
		known, err := m.name(name)
		if err != nil {
			return nil, err
		}
		if known == name || out[known] == nil { // the real name takes precedence over synonyms
			out[known] = given[name]
		}
	}
	delete(out, "")
	return json.Marshal(out)
}

// flat unpacks a call from the field "function" that OpenAI's API puts it in.
func flat(given map[string]json.RawMessage) map[string]json.RawMessage {
	var call map[string]json.RawMessage
	if json.Unmarshal(given["function"], &call) != nil {
		return given
	}
	delete(given, "function")
	for name, v := range call {
		given[name] = v
	}
	return given
}

func (m members) name(given string) (string, error) {
	word := domain.EnumWord(given)
	if slices.Contains(m.known, word) {
		return word, nil
	}
	if known, ok := m.also[word]; ok {
		return known, nil
	}
	return "", domain.Invalid("there is no %q in it; it has %s", given, strings.Join(m.known, ", "))
}

// unquoteNumbers converts numbers in an object that were written as strings, and rounds
// those that are counts.
func unquoteNumbers(value json.RawMessage) (json.RawMessage, error) {
	var counts map[string]json.RawMessage
	if json.Unmarshal(value, &counts) != nil {
		return value, nil
	}
	for name, v := range counts {
		if absent(asNumber, v) {
			delete(counts, name)
			continue
		}
		if s := strings.TrimSpace(unquote(v)); json.Valid([]byte(s)) {
			counts[name] = json.RawMessage(s)
		}
		if name != "cost_usd" {
			counts[name] = whole(counts[name])
		}
	}
	return json.Marshal(counts)
}
