package edit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// JSON edits JSON files, with or without comments and trailing commas.
type JSON struct{}

// Value parses the file; an empty file is an empty object.
func (JSON) Value(text string) (any, error) {
	if strings.TrimSpace(text) == "" {
		return map[string]any{}, nil
	}
	v, err := parse(text)
	if err != nil {
		return nil, err
	}
	return decode(v), nil
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
	if e.Like != "" && find(walk(root, e.Path), e.Like) >= 0 {
		return j.putMembers(text, e)
	}
	d := document{text: text, unit: unitOf(text)}
	return d.put(root, e.Path, e)
}

// putMembers puts the members of the entry's value one by one, so that others stay.
func (j JSON) putMembers(text string, e Entry) (string, error) {
	raw := render(e.Value, "", "")
	value, err := parse(raw)
	for _, m := range members(value) {
		if err == nil {
			member := json.RawMessage(textOf(m.Value, raw))
			text, err = j.Put(text, Entry{Path: append(slices.Clone(e.Path), keyOf(m)), Value: member})
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
		parent := walk(root, e.Path[:len(e.Path)-1])
		return d.cut(parent, find(parent, e.Path[len(e.Path)-1])), nil
	}
	list := walk(root, e.Path)
	return d.cut(list, slices.IndexFunc(elements(list), func(x hujson.Value) bool { return e.Mine(decode(x)) })), nil
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
		parent := walk(root, path[:len(path)-1])
		m := members(parent)[find(parent, path[len(path)-1])] // it held what was taken
		if len(items(m.Value)) > 0 || hasComment(text[m.Name.StartOffset:m.Value.EndOffset]) {
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

func (d document) put(object hujson.Value, path []string, e Entry) (string, error) {
	if object.Value.Kind() != '{' {
		return "", fmt.Errorf("%w: %q is not an object", ErrByHand, d.begin(object))
	}
	i := find(object, path[0])
	if i < 0 {
		key, _ := json.Marshal(path[0]) // cannot fail for a string
		return d.insert(object, string(key)+": ", nest(path[1:], e)), nil
	}
	switch there := members(object)[i].Value; {
	case len(path) > 1:
		return d.put(there, path[1:], e)
	case e.Mine != nil:
		return d.putElement(there, e)
	default:
		return d.replace(there, e.Value), nil
	}
}

// begin is the beginning of a value, to recognise it by.
func (d document) begin(v hujson.Value) string {
	return d.text[v.StartOffset:min(v.EndOffset, v.StartOffset+20)]
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

func (d document) putElement(list hujson.Value, e Entry) (string, error) {
	if list.Value.Kind() != '[' {
		return "", fmt.Errorf("%w: %q is not a list", ErrByHand, d.begin(list))
	}
	for _, x := range elements(list) {
		if e.Mine(decode(x)) {
			return d.replace(x, e.Value), nil
		}
	}
	return d.insert(list, "", e.Value), nil
}

// replace replaces a value, unless it is equal.
func (d document) replace(old hujson.Value, v any) string {
	if reflect.DeepEqual(decode(old), plain(v)) {
		return d.text
	}
	return d.text[:old.StartOffset] + render(v, d.indentAt(old.StartOffset), d.unit) + d.text[old.EndOffset:]
}

// plain returns v as decoding its JSON gives it.
func plain(v any) (out any) {
	text, _ := json.Marshal(v) // checked in apply
	_ = json.Unmarshal(text, &out)
	return out
}

// insert adds an item at the end of an object or a list, in the layout of the
// container.
func (d document) insert(container hujson.Value, key string, v any) string {
	items := items(container)
	if len(items) == 0 {
		return d.insertFirst(container, key, v)
	}
	last := items[len(items)-1]
	if !strings.Contains(d.text[container.StartOffset:last.start], "\n") {
		return d.text[:last.end] + ", " + key + render(v, "", "") + d.text[last.end:]
	}
	inner := d.indentAt(last.start)
	item := "\n" + inner + key + render(v, inner, d.unit)
	if d.text[last.comma] == ',' { // keep a trailing comma
		at := d.lineEnd(last.comma + 1)
		return d.text[:at] + item + "," + d.text[at:]
	}
	at := d.lineEnd(last.end)
	return d.text[:last.end] + "," + d.text[last.end:at] + item + d.text[at:]
}

// insertFirst fills an empty container; comments in it stay.
func (d document) insertFirst(container hujson.Value, key string, v any) string {
	opening, closing := container.StartOffset, container.EndOffset-1
	outer := d.indentAt(opening)
	inner := outer + d.unit
	inside := strings.TrimRight(d.text[opening+1:closing], " \t\r\n")
	return d.text[:opening+1] + inside + "\n" + inner + key + render(v, inner, d.unit) + "\n" + outer + d.text[closing:]
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
func (d document) cut(container hujson.Value, i int) string {
	if i < 0 {
		return d.text
	}
	items := items(container)
	start, end, comma := items[i].start, items[i].end, items[i].comma
	head, tail := d.text[:start], d.text[end:]
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
		head = dropComma(head, items[i-1].comma)
	}
	closing := strings.IndexAny(tail, "}]")
	if len(items) == 1 && strings.TrimSpace(head[container.StartOffset+1:]+tail[:closing]) == "" { // no comment is left either
		head, tail = head[:container.StartOffset+1], tail[closing:]
	}
	return head + tail
}

// dropComma removes a comma, and the spaces after it if nothing else follows.
func dropComma(head string, comma int) string {
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

// lineLength is the length of the first line without its newline.
func lineLength(text string) int {
	if i := strings.IndexByte(text, '\n'); i >= 0 {
		return i
	}
	return len(text)
}
