package session

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"strings"
	"time"

	"wake/domain"
)

// fieldKind is how the value of a field is read.
type fieldKind int

const (
	asText   fieldKind = iota
	asSaid             // a text, which may be a list of text parts
	asWord             // an enumerated word in any case, with '-' or blanks
	asNumber           // a number, which may be a string
	asFlag             // true or false, which may be a string
	asWords            // a list of strings, or a single string
	asList             // a list of objects, or a single object
	asObject           // an object
	anyJSON
)

// table is the record tool's table of fields for each type of event.
func table() map[domain.EventType]map[string]fieldKind {
	return map[domain.EventType]map[string]fieldKind{
		domain.EventMessage: {"role": asWord, "content": asSaid, "reasoning": asText, "tool_calls": asList, "tool_call_id": asText,
			"tool_name": asText, "error": asText, "media": asList, "message_id": asText, "block": asNumber, "kind": asWord, "model": asText},
		domain.EventOp: {"op_id": asText, "kind": asWord, "name": asText, "turn": asNumber, "label": asText, "status": asWord,
			"request": anyJSON, "response": anyJSON, "usage": asObject, "latency_ms": asNumber, "provider": asText, "model": asText,
			"logs": asList, "error": asText, "parent_op_id": asText, "child_session_id": asText, "tool_kind": asText,
			"mcp_server": asText, "command": asText, "reasoning": asText},
		domain.EventUsage:      {"tokens": asNumber, "limit": asNumber},
		domain.EventGoal:       {"id": asText, "text": asText, "status": asWord},
		domain.EventReasoning:  {"content": asText, "token_count": asNumber, "duration_ms": asNumber, "complete": asFlag},
		domain.EventMode:       {"to": asText, "skills": asWords, "tools": asWords, "task": asText},
		domain.EventFinding:    {"mode": asText, "kind": asWord, "text": asText},
		domain.EventSignal:     {"name": asText, "status": asWord, "payload": anyJSON},
		domain.EventStep:       {"id": asText, "status": asWord, "output": anyJSON},
		domain.EventCompaction: {"trigger": asWord, "summary": asText, "tokens_before": asNumber, "tokens_after": asNumber},
		domain.EventEnd:        {"success": asFlag, "error": asText},
	}
}

// Parse reads one event of the record tool: a flat JSON object with type, at, key and
// the fields of the type. at defaults to now. It accepts what models write: numbers
// and booleans as strings, a single item instead of a list, enumerated words in any
// case, "" in fields that they leave out. Its Invalid error for an unknown field lists the known ones.
func Parse(raw json.RawMessage, now time.Time) (domain.Event, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(raw, &fields); err != nil {
		return domain.Event{}, domain.Invalid("an event is an object such as {\"type\":\"message\",\"role\":\"user\",\"content\":\"…\"}: %v", err)
	}
	kind := domain.EventType(domain.EnumWord(unquote(fields["type"])))
	known, ok := table()[kind]
	if !ok {
		return domain.Event{}, domain.Invalid("event type %q is not known; the types are %s", kind, typeList())
	}
	e := domain.Event{Type: kind, At: now, Key: domain.ClientKey(unquote(fields["key"]))}
	if at := unquote(fields["at"]); at != "" {
		t, err := domain.ParseTime(at)
		if err != nil {
			return domain.Event{}, err
		}
		e.At = t
	}
	payload, err := payloadOf(kind, fields, known)
	if err != nil {
		return domain.Event{}, err
	}
	e.Payload, err = domain.EncodePayload(payload)
	return e, err
}

// payloadOf makes the payload from the fields.
func payloadOf(t domain.EventType, fields map[string]json.RawMessage, known map[string]fieldKind) (domain.Payload, error) {
	clean := map[string]json.RawMessage{}
	for _, name := range sortedKeys(fields) { // whoever repeats a wrong call gets the same answer
		value := fields[name]
		kind, ok := known[name]
		if name == "type" || name == "at" || name == "key" || absent(kind, value) {
			continue
		}
		if !ok {
			return nil, domain.Invalid("an event of type %s has no field %q; it has %s", t, name, strings.Join(sortedKeys(known), ", "))
		}
		read, err := readField(kind, value)
		if kind == asNumber {
			read = whole(read)
		}
		if err == nil {
			read, err = readMeaning(string(t)+"."+name, read)
		}
		if err != nil {
			return nil, domain.Invalid("%s.%s: %v", t, name, err)
		}
		clean[name] = read
	}
	defaults(t, clean)
	if err := checkGiven(t, clean); err != nil {
		return nil, err
	}
	data, err := json.Marshal(clean)
	if err != nil {
		return nil, domain.Invalid("the %s event cannot be read: %v", t, err)
	}
	p, err := decode(domain.Event{Type: t, Payload: data})
	if err != nil {
		return nil, unfit(t, err)
	}
	return p, nil
}

// absent reports whether a value says that there is none: models fill in fields that they
// have no use for, because the fields of all types are listed as one object.
func absent(kind fieldKind, value json.RawMessage) bool {
	switch string(value) {
	case "null":
		return true
	case `""`:
		return kind != anyJSON
	case `"null"`:
		return kind != anyJSON && kind != asText && kind != asSaid
	}
	return false
}

// checkGiven refuses what only a caller can get wrong: [check] accepts it from transcripts,
// where a client may have words of its own.
func checkGiven(t domain.EventType, fields map[string]json.RawMessage) error {
	switch {
	case t == domain.EventUsage && fields["tokens"] == nil: // 0 would say that the window is empty
		return missing("usage", "tokens")
	case t == domain.EventCompaction && unquote(fields["trigger"]) != "":
		return oneOf("compaction", "trigger", unquote(fields["trigger"]), "manual", "auto")
	}
	return nil
}

// unfit describes a decoding error without Go's terms.
func unfit(t domain.EventType, err error) error {
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) && wrong.Field != "" {
		return domain.Invalid("the %s event cannot be read: no %s belongs in %s; wake://help/record shows what does", t, wrong.Value, wrong.Field)
	}
	return domain.Invalid("the %s event cannot be read: %v", t, detail(err))
}

// readMeaning replaces synonyms of enumerated words, and reads the objects in a field.
func readMeaning(field string, value json.RawMessage) (json.RawMessage, error) {
	if also := words[field]; also != nil {
		if meant, ok := also[unquote(value)]; ok {
			return json.Marshal(meant)
		}
		return value, nil
	}
	m, ok := inside[field]
	if !ok {
		return value, nil
	}
	read, err := m.readInside(value)
	if err != nil || field != "op.usage" {
		return read, err
	}
	return unquoteNumbers(read)
}

// defaults fills in fields whose value is obvious.
func defaults(t domain.EventType, fields map[string]json.RawMessage) {
	set := func(name, value string) {
		if _, ok := fields[name]; !ok {
			fields[name] = json.RawMessage(`"` + value + `"`)
		}
	}
	switch t {
	case domain.EventOp:
		set("status", "ok")
	case domain.EventGoal:
		set("status", "active")
	case domain.EventFinding:
		set("kind", "note")
	case domain.EventMessage:
		if _, ok := fields["tool_call_id"]; ok {
			set("role", "tool")
		}
	}
}

// detail returns the cause of an error, if it has one.
func detail(err error) error {
	if e, ok := err.(*domain.Error); ok && e.Cause != nil {
		return e.Cause
	}
	return err
}

// readField converts what a model wrote into a value for the field.
func readField(kind fieldKind, value json.RawMessage) (json.RawMessage, error) {
	value = bytes.TrimSpace(value)
	if len(value) > 0 && value[0] == '"' {
		return readString(kind, value)
	}
	switch {
	case kind == asList && len(value) > 0 && value[0] == '{':
		return listOf(value), nil
	case kind == asSaid:
		return json.Marshal(partsOf(value))
	case kind == asText:
		return json.Marshal(string(value)) // an object instead of a text: use its JSON
	}
	return value, nil
}

// readString is readField for a value that is a string.
func readString(kind fieldKind, value json.RawMessage) (json.RawMessage, error) {
	s := unquote(value)
	switch {
	case kind == asWord:
		return json.Marshal(domain.EnumWord(s))
	case kind == asWords:
		return readWords(s)
	case kind == asList && !json.Valid([]byte(s)):
		return listOf(value), nil // a single text
	case kind == asList || kind == asNumber || kind == asFlag || kind == asObject:
		return readQuoted(kind, s)
	}
	return value, nil
}

func listOf(value json.RawMessage) json.RawMessage { return json.RawMessage("[" + string(value) + "]") }

// partsOf joins a list of text parts, as in the models' APIs. If there are other
// parts, it returns the JSON of the whole, so that nothing is lost.
func partsOf(value json.RawMessage) string {
	var parts []map[string]any
	if json.Unmarshal(value, &parts) != nil || len(parts) == 0 {
		return string(value)
	}
	var texts []string
	for _, p := range parts {
		text, ok := p["text"].(string)
		if kind, _ := p["type"].(string); !ok || !strings.HasSuffix(kind, "text") {
			return string(value)
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, "\n")
}

var kindNames = map[fieldKind]string{asNumber: "a number", asFlag: "true or false", asList: "a list", asObject: "an object"}

// readQuoted reads a value that was written as a string.
func readQuoted(kind fieldKind, s string) (json.RawMessage, error) {
	s = strings.TrimSpace(s)
	if kind == asFlag {
		s = strings.ToLower(s)
	}
	if !json.Valid([]byte(s)) {
		return nil, domain.Invalid("%q does not belong here; %s does", s, kindNames[kind])
	}
	if kind == asList && strings.HasPrefix(s, "{") {
		s = "[" + s + "]"
	}
	return json.RawMessage(s), nil
}

// whole rounds a number: clocks and estimates give fractions, and some programs write
// whole numbers with a point. It leaves alone what is none, or whole already.
func whole(number json.RawMessage) json.RawMessage {
	const exact = 1 << 53
	f, err := strconv.ParseFloat(string(number), 64)
	if err != nil || math.Abs(f) >= exact || !bytes.ContainsAny(number, ".eE") {
		return number
	}
	return strconv.AppendInt(nil, int64(math.Round(f)), 10)
}

func readWords(s string) (json.RawMessage, error) {
	if trimmed := strings.TrimSpace(s); strings.HasPrefix(trimmed, "[") && json.Valid([]byte(trimmed)) {
		return json.RawMessage(trimmed), nil
	}
	var out []string
	for part := range strings.SplitSeq(s, ",") {
		if part = strings.TrimSpace(part); part != "" {
			out = append(out, part)
		}
	}
	return json.Marshal(out)
}

// unquote returns the string in raw, or raw itself if it is not a string.
func unquote(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}
