package edit

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// TOML edits tables of TOML files. An entry's value is a table of texts,
// booleans, numbers and lists of them; its path is the table's name.
type TOML struct{}

// table is the place of a table in a file: its head line up to the last line that
// is not blank or a comment.
type tomlTable struct {
	start, end int
}

var tomlHead = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\s*\[\[?\s*((?:` + tomlQuoted + `|[^\]"'])*?)\s*\]\]?\s*(#.*)?$`)
})

// tomlPart is a part of a dotted key.
var tomlPart = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\s*(?:` + tomlQuoted + `|[^.]+)`)
})

// tomlQuoted is a text in quotes, which may hold what otherwise ends a name.
const tomlQuoted = `"(?:[^"\\]|\\.)*"|'[^']*'`

// Value reads a file as far as edits go: the text of each table by its name, and
// under "" what stands before the first.
func (TOML) Value(text string) (any, error) {
	tables := map[string]any{}
	name := ""
	for line := range tomlLines(text) {
		if line.head != "" {
			name = line.head
		}
		if s := strings.TrimSpace(line.text); s != "" {
			before, _ := tables[name].(string)
			tables[name] = before + s + "\n"
		}
	}
	return nested(tables), nil
}

// nested puts the texts of tables under their names, as [Entry.Path] has them.
func nested(tables map[string]any) map[string]any {
	root := map[string]any{}
	for name, text := range tables {
		at := root
		for _, key := range tomlKey(name) {
			next, ok := at[key].(map[string]any)
			if !ok {
				next = map[string]any{}
				at[key] = next
			}
			at = next
		}
		at[""] = text
	}
	return root
}

// Put implements [Format].
func (TOML) Put(text string, e Entry) (string, error) {
	if err := writtenOtherwise(text, e.Path); err != nil {
		return "", err
	}
	want, err := renderTable(e)
	if err != nil {
		return "", err
	}
	same := func(key []string) bool { return slices.Equal(key, e.Path) }
	if at, ok := findTable(text, same); ok {
		return text[:at.start] + withOthers(want, text[at.start:at.end], e.Like) + text[at.end:], nil
	}
	if text == "" {
		return want + "\n", nil
	}
	gap := "\n"
	if !strings.HasSuffix(text, "\n") {
		gap = "\n\n"
	}
	return text + gap + want + "\n", nil
}

// Take implements [Format]. The tables below the entry's go too, such as a client's
// own notes of what a server may do: without it they would be no server.
func (TOML) Take(text string, e Entry, _ func([]string) bool) (string, error) {
	below := func(key []string) bool { return len(key) >= len(e.Path) && startsAlike(key, e.Path) }
	at, ok := findTable(text, below)
	if !ok {
		return text, writtenOtherwise(text, e.Path)
	}
	for ; ok; at, ok = findTable(text, below) {
		text = withoutTable(text, at)
	}
	return text, nil
}

// withOthers is a table with what an older one has beside its own keys, if that has the
// key like: a line, and those that go on with it.
func withOthers(want, older, like string) string {
	ours := map[string]bool{}
	for line := range strings.Lines(want) {
		ours[lineKey(line)] = true
	}
	others, kept, alike := "", false, false
	for line := range strings.Lines(older) {
		key := lineKey(line)
		if key != "" {
			kept, alike = !ours[key], alike || key == like
		}
		if kept || strings.HasPrefix(strings.TrimSpace(line), "#") {
			others += "\n" + strings.TrimRight(line, "\r\n")
		}
	}
	if like == "" || !alike {
		return want
	}
	return want + others
}

// lineKey is the key that a line gives a value, "" where it gives none.
func lineKey(line string) string {
	key := tomlLineKey().FindStringSubmatch(line)
	if key == nil {
		return ""
	}
	return strings.Join(tomlKey(key[1]), ".")
}

var tomlLineKey = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\s*((?:` + tomlQuoted + `|[\w.\s-])+?)\s*=`)
})

func withoutTable(text string, at tomlTable) string {
	head, tail := text[:at.start], strings.TrimPrefix(strings.TrimPrefix(text[at.end:], "\r"), "\n")
	if strings.HasSuffix(head, "\n\n") { // the gap that Put made
		head = head[:len(head)-1]
	}
	return head + tail
}

// tomlLine is a line with the name of the table that it opens, if it does.
type tomlLine struct {
	text       string
	head       string
	start, end int
}

// tomlLines goes through the lines that are not inside of a long text.
func tomlLines(text string) func(func(tomlLine) bool) {
	return func(yield func(tomlLine) bool) {
		at, quote := 0, ""
		for line := range strings.Lines(text) {
			l := tomlLine{text: strings.TrimRight(line, "\r\n"), start: at}
			l.end = at + len(l.text)
			at += len(line)
			if m := tomlHead().FindStringSubmatch(l.text); m != nil && quote == "" {
				l.head = m[1]
			}
			quote = longText(l.text, quote)
			if !yield(l) {
				return
			}
		}
	}
}

// longText follows where long texts open and close; it is the open one's quote.
func longText(line, open string) string {
	for line != "" {
		switch quote := line[:1]; {
		case open != "":
			i := strings.Index(line, open)
			if i < 0 {
				return open
			}
			line, open = line[i+len(open):], ""
		case quote == "#":
			return ""
		case strings.HasPrefix(line, `"""`), strings.HasPrefix(line, `'''`):
			line, open = line[3:], line[:3]
		case quote == `"`, quote == `'`:
			line = line[len(shortText().FindString(line)):]
		default:
			line = line[1:]
		}
	}
	return open
}

// shortText is a text on one line, closed or not.
var shortText = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:` + tomlQuoted + `|["'])`)
})

// findTable finds the first table whose name is meant.
func findTable(text string, meant func(key []string) bool) (at tomlTable, found bool) {
	for l := range tomlLines(text) {
		switch {
		case l.head != "" && found:
			return at, true
		case l.head != "":
			if meant(tomlKey(l.head)) {
				at, found = tomlTable{l.start, l.end}, true
			}
		case found && strings.TrimSpace(l.text) != "" && !strings.HasPrefix(strings.TrimSpace(l.text), "#"):
			at.end = l.end
		}
	}
	return at, found
}

// tomlKey splits a dotted key and takes quotes off its parts.
func tomlKey(key string) []string {
	var parts []string
	for _, part := range tomlPart().FindAllString(key, -1) {
		parts = append(parts, strings.Trim(strings.TrimSpace(part), `"'`))
	}
	return parts
}

// writtenOtherwise refuses files that have the table in a form that is not
// edited: mcp_servers = { … } or mcp_servers.wake.command = ….
func writtenOtherwise(text string, path []string) error {
	head := []string{}
	for l := range tomlLines(text) {
		if l.head != "" {
			head = tomlKey(l.head)
			continue
		}
		key, _, ok := strings.Cut(l.text, "=")
		if !ok || strings.HasPrefix(strings.TrimSpace(key), "#") {
			continue
		}
		full := slices.Concat(head, tomlKey(key))
		if len(head) < len(path) && len(full) > 0 && startsAlike(full, path) {
			return fmt.Errorf("%w: %s", ErrByHand, strings.TrimSpace(l.text))
		}
	}
	return nil
}

// startsAlike reports whether one of two keys is the beginning of the other.
func startsAlike(a, b []string) bool {
	n := min(len(a), len(b))
	return slices.Equal(a[:n], b[:n])
}

// renderTable writes a table; JSON's texts, numbers and lists are TOML's too.
func renderTable(e Entry) (string, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "[%s]", strings.Join(e.Path, "."))
	raw, err := json.Marshal(e.Value)
	if err != nil {
		return "", err
	}
	root, err := parse(string(raw))
	if err != nil {
		return "", err
	}
	for _, m := range root.members {
		fmt.Fprintf(&b, "\n%s = %s", m.key, strings.ReplaceAll(string(raw[m.value.start:m.value.end]), `","`, `", "`))
	}
	return b.String(), nil
}
