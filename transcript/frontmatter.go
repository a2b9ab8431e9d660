package transcript

import (
	"encoding/json"
	"strings"
)

// frontMatter splits off the fields between the first two lines of dashes. Only plain
// "name: value" lines are read; nested ones by their last name. What has none is a text
// between two rules.
func frontMatter(text string) (map[string]string, string, bool) {
	rest, ok := strings.CutPrefix(text, "---\n")
	if !ok {
		return nil, text, false
	}
	head, body, ok := strings.Cut("\n"+rest, "\n---")
	if !ok {
		return nil, text, false
	}
	if strings.TrimSpace(head) != "" && !strings.Contains(head, ":") {
		return nil, text, false
	}
	_, body, _ = strings.Cut(body, "\n")
	return matterFields(head), body, true
}

// matterFields parses the fields of front matter. A value may continue on the following
// lines as a list, or as text that is indented deeper than the field.
func matterFields(head string) map[string]string {
	m := matter{fields: map[string]string{}}
	for line := range strings.SplitSeq(head, "\n") {
		text := strings.TrimSpace(line)
		indent := len(line) - len(strings.TrimLeft(line, " "))
		item, isItem := strings.CutPrefix(text, "- ")
		field, value, isField := strings.Cut(text, ":")
		switch {
		case isItem && m.joint == "":
			m.add(unquoted(item), ",")
		case m.joint != "" && indent > m.indent:
			m.add(text, m.joint)
		case isField:
			m.end()
			m.begin(strings.ToLower(strings.TrimSpace(field)), strings.TrimSpace(value))
			m.indent = indent
		}
	}
	m.end()
	return m.fields
}

// matter is front matter as it is read.
type matter struct {
	fields map[string]string
	name   string // the current field
	indent int    // of its first line
	joint  string // what separates its lines; "" if it is a list, or has nested fields
	quotes bool   // quotes around it are not part of it
}

// begin begins a field with what is on the line of its name.
func (m *matter) begin(name, value string) {
	m.name, m.joint, m.quotes = name, " ", false
	switch mark := strings.TrimRight(value, "+-0123456789"); {
	case value == "":
		m.joint = ""
	case mark == "|":
		m.joint = "\n"
	case mark != ">":
		delete(m.fields, name)
		m.add(value, "")
		m.quotes = true
	}
}

// end ends the current field.
func (m *matter) end() {
	if !m.quotes {
		return
	}
	if m.fields[m.name] = unquoted(m.fields[m.name]); m.fields[m.name] == "" {
		delete(m.fields, m.name)
	}
}

// add adds a part to the current field.
func (m *matter) add(part, joint string) {
	if part == "" || m.name == "" {
		return
	}
	if had := m.fields[m.name]; had != "" {
		part = had + joint + part
	}
	m.fields[m.name] = part
}

// unquoted takes off the quotes around a value, and the escapes between them.
func unquoted(value string) string {
	value = strings.TrimSpace(value)
	if len(value) < 2 || value[0] != value[len(value)-1] {
		return value
	}
	var plain string
	inner := value[1 : len(value)-1]
	switch {
	case value[0] == '"' && json.Unmarshal([]byte(value), &plain) == nil:
		return plain
	case value[0] == '"' && !strings.Contains(inner, `"`):
		return inner
	case value[0] == '\'' && !strings.Contains(strings.ReplaceAll(inner, "''", ""), "'"):
		return strings.ReplaceAll(inner, "''", "'")
	}
	return value
}

// listed returns the items of a list that is on one line.
func listed(value string) []string {
	items := strings.Split(strings.Trim(value, "[]"), ",")
	for i, item := range items {
		items[i] = unquoted(item)
	}
	return items
}
