package mcp

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"wake/domain"
)

// decoder reads what a model sent into the argument struct of a tool. It accepts
// everything that has only one meaning, and refuses the rest with words that say how
// to call again.
type decoder struct {
	tool   string
	fields []field
	now    time.Time

	notes []string
	wrong []string
}

// commonNames maps words that models use to our arguments. A word counts only if the
// tool has the argument and it was not given.
var commonNames = map[string][]string{
	"text": {"content", "query", "task"}, "message": {"content"}, "body": {"content"}, "note": {"content", "label"}, "data": {"content", "events"},
	"q": {"query"}, "question": {"query"}, "search": {"query"}, "search_query": {"query"}, "keywords": {"query"}, "prompt": {"query", "system_prompt"},
	"context_id": {"id", "ids", "after"}, "context_ids": {"ids"}, "snapshot_id": {"id"}, "checkpoint_id": {"id"}, "handoff_id": {"id"}, "id": {"ids", "session_id"}, "ids": {"id"},
	"k": {"limit"}, "n": {"limit"}, "top_k": {"limit"}, "count": {"limit"}, "max_results": {"limit"}, "num_results": {"limit"}, "size": {"limit"}, "max_nodes": {"limit"},
	"depth": {"max_depth"}, "workspace": {"project"}, "project_name": {"project"}, "repo": {"project"}, "namespace": {"project"},
	"parent": {"caused_by"}, "parent_id": {"caused_by"}, "cause": {"caused_by"}, "depends_on": {"dependencies", "add_dependencies"}, "related": {"dependencies"},
	"type": {"action_type", "action_types", "kind", "what"}, "action": {"action_type"}, "action_types": {"action_type"}, "reason": {"rationale"}, "why": {"rationale"},
	"tag": {"tags", "add_tags"}, "tags": {"add_tags"}, "tier": {"tiers"}, "replaces": {"supersedes"}, "from": {"from_mode", "since"}, "to": {"to_mode", "until"}, "from_agent": {"from_mode"}, "to_agent": {"to_mode"},
	"start": {"since"}, "after": {"since"}, "start_time": {"since"}, "before": {"until"}, "end": {"until"}, "end_time": {"until"}, "date": {"timestamp"}, "time": {"timestamp"},
	"max_tokens": {"token_budget"}, "budget": {"token_budget"}, "tokens": {"token_budget"}, "session": {"session_id"}, "name": {"label", "project"}, "title": {"label"}, "order": {"mode"},
	"window": {"horizon"}, "pin": {"pinned"}, "event": {"events"}, "messages": {"events"}, "output": {"format"}, "agent": {"agent_id"}, "threshold": {"min_score"},
}

// wrappers are keys in which some models wrap all arguments.
var wrappers = []string{"arguments", "args", "input", "params", "parameters", "request"}

// decode fills the struct that into points to. Its errors are Invalid ones.
func (d *decoder) decode(raw json.RawMessage, into any) error {
	given, err := d.object(raw)
	if err != nil {
		return err
	}
	named, unknown := d.name(given)
	if len(unknown) > 0 {
		return d.refuseUnknown(unknown, named)
	}
	v := reflect.ValueOf(into).Elem()
	for _, f := range d.fields {
		value, ok := named[f.name]
		if !ok || absent(value) {
			if f.required {
				d.wrong = append(d.wrong, f.name+" is missing")
			}
			delete(named, f.name)
			continue
		}
		if err := d.read(f, value, v.FieldByIndex(f.index)); err != nil {
			d.wrong = append(d.wrong, wrongIn(f.name, err))
			delete(named, f.name)
		}
	}
	if len(d.wrong) > 0 {
		return domain.Invalid("%s.\n%s", strings.Join(d.wrong, "; "), d.example(named))
	}
	return nil
}

// wrongIn puts an argument's name before what is wrong with it, unless that begins with
// the name.
func wrongIn(argument string, err error) string {
	if said := err.Error(); strings.HasPrefix(said, strings.TrimSuffix(argument, "s")+" ") {
		return said
	}
	return argument + ": " + err.Error()
}

// object reads the arguments as a JSON object, which may be in a string or wrapped in
// another object.
func (d *decoder) object(raw json.RawMessage) (map[string]json.RawMessage, error) {
	raw = bytes.TrimSpace(raw)
	if absent(raw) {
		return map[string]json.RawMessage{}, nil
	}
	if !utf8.Valid(raw) {
		return nil, domain.Invalid("the arguments of %s are not valid UTF-8; send them again as UTF-8", d.tool)
	}
	var given map[string]json.RawMessage
	if err := json.Unmarshal(unstring(raw), &given); err != nil || given == nil {
		return nil, domain.Invalid("the arguments of %s must be an object.\n%s", d.tool, d.example(nil))
	}
	return d.unwrap(given), nil
}

func (d *decoder) unwrap(given map[string]json.RawMessage) map[string]json.RawMessage {
	if len(given) != 1 {
		return given
	}
	for key, value := range given {
		var inner map[string]json.RawMessage
		if !slices.Contains(wrappers, spelling(key)) || d.has(spelling(key)) || json.Unmarshal(unstring(value), &inner) != nil || inner == nil {
			return given
		}
		return inner
	}
	return given
}

func (d *decoder) has(name string) bool {
	return slices.ContainsFunc(d.fields, func(f field) bool { return f.name == name })
}

// name finds the argument that each given key means. Exact names come first, so that a
// misspelt one never displaces them.
func (d *decoder) name(given map[string]json.RawMessage) (named map[string]json.RawMessage, unknown []string) {
	named = make(map[string]json.RawMessage, len(given))
	var slips []string
	for _, key := range slices.Sorted(maps.Keys(given)) {
		if d.has(key) {
			named[key] = given[key]
		} else {
			slips = append(slips, key)
		}
	}
	for _, key := range slips {
		meant, ok := d.meant(key, named)
		switch {
		case ok:
			named[meant] = given[key]
		case !absent(given[key]):
			unknown = append(unknown, key)
		}
	}
	return named, unknown
}

// meant returns the argument, among those not given yet, that a key is another
// spelling of, a common word for, or a misspelling of. Anything but another spelling
// is noted.
func (d *decoder) meant(key string, named map[string]json.RawMessage) (string, bool) {
	word := spelling(key)
	var free []string
	for _, f := range d.fields {
		if _, taken := named[f.name]; !taken {
			free = append(free, f.name)
		}
	}
	if slices.Contains(free, word) {
		return word, true
	}
	for _, name := range commonNames[word] {
		if slices.Contains(free, name) {
			return d.noteRead(key, name), true
		}
	}
	if name, ok := domain.Nearest(word, free); ok {
		return d.noteRead(key, name), true
	}
	return "", false
}

// spelling turns a name into snake_case: "causedBy", "Caused-By" and "caused by" are
// the same.
func spelling(name string) string {
	var b strings.Builder
	last := '_'
	for _, r := range strings.TrimSpace(name) {
		switch {
		case r == '-' || r == ' ' || r == '_' || r == '.':
			r = '_'
			if last == '_' {
				continue
			}
		case unicode.IsUpper(r):
			if last != '_' && !unicode.IsUpper(last) {
				b.WriteByte('_')
			}
		}
		b.WriteRune(unicode.ToLower(r))
		last = r
	}
	return strings.TrimSuffix(b.String(), "_")
}

func (d *decoder) noteRead(key, name string) string {
	d.notes = append(d.notes, fmt.Sprintf("read argument %q as %s", domain.Clip(key, 40), name))
	return name
}

func (d *decoder) refuseUnknown(unknown []string, named map[string]json.RawMessage) error {
	quoted := make([]string, 0, len(unknown))
	for _, u := range unknown[:min(len(unknown), 10)] {
		quoted = append(quoted, fmt.Sprintf("%q", domain.Clip(u, 40)))
	}
	advice := d.example(named)
	if d.tool == "update_context" && slices.ContainsFunc(unknown, isText) {
		advice = `What a context says is never rewritten. Save what holds now: save_context {"content":"…","supersedes":` + cmp.Or(string(named["id"]), `"…"`) + "}"
	}
	return domain.Invalid("%s has no argument %s. It takes %s (* required).\n%s",
		d.tool, strings.Join(quoted, ", "), names(d.fields), advice)
}

// isText reports whether an argument is of what a context says.
func isText(name string) bool {
	return slices.Contains([]string{"content", "text", "summary", "rationale", "new_content"}, spelling(name))
}

// example is the corrected call: the right arguments, and placeholders for missing
// ones.
func (d *decoder) example(named map[string]json.RawMessage) string {
	var parts []string
	for _, f := range d.fields {
		value, ok := named[f.name]
		switch {
		case ok && !absent(value):
			parts = append(parts, asJSON(f.name)+":"+shorten(value))
		case f.required:
			parts = append(parts, asJSON(f.name)+":"+f.placeholder())
		}
	}
	return fmt.Sprintf("Call it like this: %s {%s}", d.tool, strings.Join(parts, ","))
}

// shorten returns a given value, or a placeholder for a long one.
func shorten(value json.RawMessage) string {
	var b bytes.Buffer
	if len(value) > 200 || json.Compact(&b, value) != nil {
		return `"… as before …"`
	}
	return b.String()
}

func (f field) placeholder() string {
	switch {
	case f.typ.Kind() == reflect.Slice:
		return `["…"]`
	case f.enum != nil:
		return asJSON(f.enum[0])
	}
	return `"…"`
}

// absent reports whether a value means that there is none: null, "" or "null", a list
// of only these, or an empty list.
func absent(raw json.RawMessage) bool {
	switch string(bytes.TrimSpace(raw)) {
	case "null", `""`, `"null"`, "", "[]", "[null]", `[""]`, `["null"]`:
		return true
	}
	return false
}

// unstring unpacks a list or an object that was sent as a string.
func unstring(raw json.RawMessage) json.RawMessage {
	var s string
	if len(raw) == 0 || raw[0] != '"' || json.Unmarshal(raw, &s) != nil {
		return raw
	}
	s = strings.TrimSpace(s)
	if (strings.HasPrefix(s, "{") || strings.HasPrefix(s, "[")) && json.Valid([]byte(s)) {
		return json.RawMessage(s)
	}
	return raw
}
