package edit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// JSON edits JSON files, with or without comments and trailing commas.
type JSON struct{}

// Value parses the file; an empty file is an empty object.
func (JSON) Value(text string) (any, error) {
	if strings.TrimSpace(text) == "" {
		return map[string]any{}, nil
	}
	n, err := parse(text)
	if err != nil {
		return nil, err
	}
	return n.decode(text), nil
}

// Put implements [Format].
func (j JSON) Put(text string, e Entry) (string, error) {
	if strings.TrimSpace(text) == "" {
		text = "{}\n"
	}
	root, err := parse(text)
	if err != nil {
		return "", err
	}
	if e.Like != "" && root.walk(e.Path).find(e.Like) >= 0 {
		return j.putMembers(text, e)
	}
	d := document{text: text, unit: unitOf(text)}
	return d.put(root, e.Path, e)
}

// putMembers puts the members of the entry's value one by one, so that others stay.
func (j JSON) putMembers(text string, e Entry) (string, error) {
	raw := render(e.Value, "", "")
	value, err := parse(raw)
	for _, m := range value.members {
		if err == nil {
			member := json.RawMessage(raw[m.value.start:m.value.end])
			text, err = j.Put(text, Entry{Path: append(slices.Clone(e.Path), m.key), Value: member})
		}
	}
	return text, err
}

// Take implements [Format].
func (j JSON) Take(text string, e Entry, kept func([]string) bool) (string, error) {
	out := text
	for {
		shorter, err := j.takeOne(out, e)
		if err != nil {
			return "", err
		}
		if shorter == out {
			break
		}
		out = shorter
	}
	if out == text {
		return text, nil
	}
	return j.prune(out, e, kept)
}

// takeOne removes the entry, or the first matching element of the list.
func (JSON) takeOne(text string, e Entry) (string, error) {
	if strings.TrimSpace(text) == "" {
		return text, nil
	}
	root, err := parse(text)
	if err != nil {
		return "", err
	}
	d := document{text: text}
	if e.Mine == nil {
		parent := root.walk(e.Path[:len(e.Path)-1])
		return d.cut(parent, parent.find(e.Path[len(e.Path)-1])), nil
	}
	list := root.walk(e.Path)
	return d.cut(list, slices.IndexFunc(list.elements, func(x node) bool { return e.Mine(x.decode(text)) })), nil
}

// prune removes empty objects and lists on the path of an entry, innermost first.
func (j JSON) prune(text string, e Entry, kept func([]string) bool) (string, error) {
	path := e.Path
	if e.Mine == nil {
		path = path[:len(path)-1]
	}
	for ; len(path) > 0 && !kept(path); path = path[:len(path)-1] {
		root, err := parse(text)
		if err != nil {
			return "", err
		}
		parent := root.walk(path[:len(path)-1])
		m := parent.members[parent.find(path[len(path)-1])] // it held what was taken
		if len(m.value.members)+len(m.value.elements) > 0 || hasComment(text[m.start:m.value.end]) {
			break
		}
		if text, err = j.takeOne(text, Entry{Path: path}); err != nil {
			return "", err
		}
	}
	return text, nil
}

func hasComment(text string) bool {
	return strings.Contains(text, "//") || strings.Contains(text, "/*")
}

// walk follows a path of keys. The node is empty if there is nothing.
func (n node) walk(path []string) node {
	for _, key := range path {
		i := n.find(key)
		if i < 0 {
			return node{}
		}
		n = n.members[i].value
	}
	return n
}

// document is a text that is edited.
type document struct {
	text string
	unit string // one level of indentation
}

// unitOf returns the indentation of the first indented line.
func unitOf(text string) string {
	for line := range strings.Lines(text) {
		trimmed := strings.TrimLeft(line, " \t")
		if indent := line[:len(line)-len(trimmed)]; indent != "" && strings.TrimSpace(line) != "" {
			return indent
		}
	}
	return "  "
}

func (d document) put(n node, path []string, e Entry) (string, error) {
	if n.kind != '{' {
		return "", fmt.Errorf("%w: %q is not an object", ErrByHand, d.text[n.start:min(n.end, n.start+20)])
	}
	i := n.find(path[0])
	switch {
	case i < 0:
		key, _ := json.Marshal(path[0]) // cannot fail for a string
		return d.insert(n, string(key)+": ", nest(path[1:], e)), nil
	case len(path) > 1:
		return d.put(n.members[i].value, path[1:], e)
	case e.Mine != nil:
		return d.putElement(n.members[i].value, e)
	}
	return d.replace(n.members[i].value, e.Value), nil
}

// nest wraps the entry's value in objects for the rest of its path.
func nest(path []string, e Entry) any {
	v := e.Value
	if e.Mine != nil {
		v = []any{v}
	}
	for i := len(path) - 1; i >= 0; i-- {
		v = map[string]any{path[i]: v}
	}
	return v
}

func (d document) putElement(list node, e Entry) (string, error) {
	if list.kind != '[' {
		return "", fmt.Errorf("%w: %q is not a list", ErrByHand, d.text[list.start:min(list.end, list.start+20)])
	}
	for _, x := range list.elements {
		if e.Mine(x.decode(d.text)) {
			return d.replace(x, e.Value), nil
		}
	}
	return d.insert(list, "", e.Value), nil
}

// replace replaces a value, unless it is equal.
func (d document) replace(n node, v any) string {
	if reflect.DeepEqual(n.decode(d.text), plain(v)) {
		return d.text
	}
	return d.text[:n.start] + render(v, d.indentAt(n.start), d.unit) + d.text[n.end:]
}

// plain returns v as decoding its JSON gives it.
func plain(v any) (out any) {
	text, _ := json.Marshal(v) // checked in apply
	_ = json.Unmarshal(text, &out)
	return out
}

// insert adds an item at the end of an object or a list, in the layout of the
// container.
func (d document) insert(container node, key string, v any) string {
	items := container.items()
	if len(items) == 0 {
		return d.insertFirst(container, key, v)
	}
	last := items[len(items)-1]
	if !strings.Contains(d.text[container.start:last.start], "\n") {
		return d.text[:last.end] + ", " + key + render(v, "", "") + d.text[last.end:]
	}
	inner := d.indentAt(last.start)
	item := "\n" + inner + key + render(v, inner, d.unit)
	if comma := skipBlank(d.text, last.end); d.text[comma] == ',' { // keep a trailing comma
		at := d.lineEnd(comma + 1)
		return d.text[:at] + item + "," + d.text[at:]
	}
	at := d.lineEnd(last.end)
	return d.text[:last.end] + "," + d.text[last.end:at] + item + d.text[at:]
}

// insertFirst fills an empty container; comments in it stay.
func (d document) insertFirst(container node, key string, v any) string {
	outer := d.indentAt(container.start)
	inner := outer + d.unit
	inside := strings.TrimRight(d.text[container.start+1:container.end-1], " \t\r\n")
	return d.text[:container.start+1] + inside + "\n" + inner + key + render(v, inner, d.unit) + "\n" + outer + d.text[container.end-1:]
}

// items returns the positions of a container's items; a member begins at its key.
func (n node) items() []node {
	items := n.elements
	for _, m := range n.members {
		items = append(items, node{start: m.start, end: m.value.end})
	}
	return items
}

// lineEnd returns the end of the line if only a comment follows on it, else at.
func (d document) lineEnd(at int) int {
	end := at + lineLength(d.text[at:])
	rest := strings.TrimSpace(d.text[at:end])
	if rest == "" || strings.HasPrefix(rest, "//") || strings.HasPrefix(rest, "/*") && strings.HasSuffix(rest, "*/") {
		return at + len(strings.TrimRight(d.text[at:end], "\r"))
	}
	return at
}

// indentAt returns the indentation of the line at a position.
func (d document) indentAt(at int) string {
	line := d.text[strings.LastIndexByte(d.text[:at], '\n')+1:]
	return line[:len(line)-len(strings.TrimLeft(line, " \t"))]
}

// cut removes item i from a container, with one comma, and with its lines if nothing
// else is on them. A negative i removes nothing.
func (d document) cut(container node, i int) string {
	if i < 0 {
		return d.text
	}
	items := container.items()
	start, end := items[i].start, items[i].end
	head, tail := d.text[:start], d.text[end:]
	comma := skipBlank(d.text, end)
	followed := d.text[comma] == ','
	if followed {
		tail = d.text[comma+1:]
		if before := d.text[end:comma]; hasComment(before) {
			tail = before + tail
		}
	}
	if line := strings.TrimRight(head, " \t"); strings.HasSuffix(line, "\n") && strings.TrimSpace(tail[:lineLength(tail)]) == "" {
		head, tail = strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r"), strings.TrimPrefix(tail, "\r")
	} else if followed {
		tail = strings.TrimLeft(tail, " \t")
	}
	if !followed && i > 0 {
		head = dropComma(head, items[i-1].end)
	}
	closing := strings.IndexAny(tail, "}]")
	if len(items) == 1 && strings.TrimSpace(head[container.start+1:]+tail[:closing]) == "" { // no comment is left either
		head, tail = head[:container.start+1], tail[closing:]
	}
	return head + tail
}

// dropComma removes the comma after an item, and the spaces after it if nothing else
// follows.
func dropComma(head string, from int) string {
	comma := skipBlank(head, from)
	rest := head[comma+1:]
	if strings.TrimSpace(rest) == "" {
		rest = strings.TrimLeft(rest, " \t")
	}
	return head[:comma] + rest
}

// render writes a value as indented JSON that fits into the text around it, or in one line if
// there is nothing to indent it with.
func render(v any, indent, unit string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent(indent, unit)
	_ = e.Encode(v) // checked in apply
	return strings.TrimSpace(b.String())
}
