package edit

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/pelletier/go-toml/v2"
)

// TOML edits tables of TOML files. An entry's value is a table of strings, booleans,
// numbers and lists of them; its path is the table's name.
type TOML struct{}

// tomlTable is the position of a table in a file, from its header to its last line that
// is neither blank nor a comment.
type tomlTable struct {
	start, end int
}

// tomlHeader matches the header of a table; its group is the name.
var tomlHeader = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\s*\[\[?\s*((?:` + tomlQuoted + `|[^\]"'])*?)\s*\]\]?\s*(#.*)?$`)
})

// tomlPart matches one part of a dotted key.
var tomlPart = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\s*(?:` + tomlQuoted + `|[^.]+)`)
})

// tomlQuoted matches a quoted string, which may contain dots and brackets.
const tomlQuoted = `"(?:[^"\\]|\\.)*"|'[^']*'`

// looseComments is where [TOML.Value] puts comments. No table has such a name.
const looseComments = "\n#"

// Value returns the text of each table under its name, and the text before the first
// table under "". That is enough to compare files. The comments behind a table's last key
// may be about the next table, so they belong to none. It refuses what no parser reads.
func (TOML) Value(text string) (any, error) {
	if err := checkTOML(text); err != nil {
		return nil, err
	}
	tables := map[string]string{}
	name, behind, loose := "", "", ""
	for line := range tomlLines(text) {
		if line.header != "" {
			name, behind, loose = line.header, "", loose+behind
		}
		switch s := strings.TrimSpace(line.text); {
		case strings.HasPrefix(s, "#"):
			behind += s + "\n"
		case s != "":
			tables[name] += behind + s + "\n"
			behind = ""
		}
	}
	root := nested(tables)
	root[looseComments] = loose + behind
	return root, nil
}

func checkTOML(text string) error {
	_, err := parseTOML(text)
	var wrong *toml.DecodeError
	if errors.As(err, &wrong) {
		line, _ := wrong.Position()
		return fmt.Errorf("line %d: %s", line, strings.TrimPrefix(wrong.Error(), "toml: "))
	}
	return err
}

func parseTOML(text string) (parsed map[string]any, err error) {
	err = toml.Unmarshal([]byte(strings.TrimPrefix(text, byteOrderMark)), &parsed)
	return parsed, err
}

// Settings parses a file into the values that it sets, of TOML too, whose Value is made of
// texts.
func Settings(f Format, text string) (any, error) {
	if _, ok := f.(TOML); ok {
		return parseTOML(text)
	}
	return f.Value(text)
}

// nested turns dotted table names into nested maps, as [Entry.Path] expects them. The
// text of a table is under "".
func nested(tables map[string]string) map[string]any {
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
	if err := refuseInline(text, e.Path); err != nil {
		return "", err
	}
	want, err := renderTable(e)
	if err != nil {
		return "", err
	}
	same := func(key []string) bool { return slices.Equal(key, e.Path) }
	if at, ok := findTable(text, same); ok {
		return text[:at.start] + withOtherKeys(want, text[at.start:at.end], e.Like) + text[at.end:], nil
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

// Take implements [Format]. It also removes the tables below the entry's, such as a
// client's settings for a server: without the entry they would be invalid.
func (TOML) Take(text string, e Entry, _ func([]string) bool) (string, error) {
	below := func(key []string) bool { return len(key) >= len(e.Path) && startsAlike(key, e.Path) }
	at, ok := findTable(text, below)
	if !ok {
		return text, refuseInline(text, e.Path)
	}
	for ; ok; at, ok = findTable(text, below) {
		text = withoutTable(text, at)
	}
	return text, nil
}

// withOtherKeys adds to the table want the other keys and the comments of an older form
// of it, if that has the key like. A key's value may go on in the next lines.
func withOtherKeys(want, older, like string) string {
	ours := map[string]bool{}
	for line := range strings.Lines(want) {
		ours[lineKey(line)] = true
	}
	var others []string
	kept, alike, end := false, false, 0 // end is that of the other keys
	for line := range strings.Lines(older) {
		key, comment := lineKey(line), strings.HasPrefix(strings.TrimSpace(line), "#")
		if key != "" {
			kept, alike = !ours[key], alike || key == like
		}
		if kept || comment {
			others = append(others, strings.TrimRight(line, "\r\n"))
		}
		if kept && !comment {
			end = len(others)
		}
	}
	if !alike {
		return want
	}
	// A comment behind the last key would be one about the next table.
	own := strings.Split(want, "\n")
	if end == 0 {
		return strings.Join(slices.Insert(own, len(own)-1, others...), "\n")
	}
	return strings.Join(slices.Concat(own, others[end:], others[:end]), "\n")
}

// lineKey returns the key that a line assigns a value to, "" if there is none.
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
	if strings.HasSuffix(head, "\n\n") { // the blank line that Put added
		head = head[:len(head)-1]
	}
	return head + tail
}

// tomlLine is a line; header is the name of the table that begins there, if any.
type tomlLine struct {
	text       string
	header     string
	start, end int
}

// tomlLines iterates over the lines. A line inside a multi-line string has no header.
func tomlLines(text string) func(func(tomlLine) bool) {
	return func(yield func(tomlLine) bool) {
		at, quote := 0, ""
		for line := range strings.Lines(text) {
			l := tomlLine{text: strings.TrimRight(line, "\r\n"), start: at}
			l.end = at + len(l.text)
			at += len(line)
			if m := tomlHeader().FindStringSubmatch(l.text); m != nil && quote == "" {
				l.header = m[1]
			}
			quote = openQuote(l.text, quote)
			if !yield(l) {
				return
			}
		}
	}
}

// openQuote returns the quote of the multi-line string that is open at the end of a
// line, "" if none is. open is the one at its beginning.
func openQuote(line, open string) string {
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
			line = line[len(oneLineString().FindString(line)):]
		default:
			line = line[1:]
		}
	}
	return open
}

// oneLineString matches a string that ends on its line, or an unclosed quote.
var oneLineString = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:` + tomlQuoted + `|["'])`)
})

// findTable finds the first table whose name matches.
func findTable(text string, match func(key []string) bool) (at tomlTable, found bool) {
	for l := range tomlLines(text) {
		switch {
		case l.header != "" && found:
			return at, true
		case l.header != "":
			if match(tomlKey(l.header)) {
				at, found = tomlTable{l.start, l.end}, true
			}
		case found && strings.TrimSpace(l.text) != "" && !strings.HasPrefix(strings.TrimSpace(l.text), "#"):
			at.end = l.end
		}
	}
	return at, found
}

// tomlKey splits a dotted key and removes the quotes from its parts.
func tomlKey(key string) []string {
	var parts []string
	for _, part := range tomlPart().FindAllString(key, -1) {
		parts = append(parts, strings.Trim(strings.TrimSpace(part), `"'`))
	}
	return parts
}

// refuseInline refuses files that contain the table in a form that cannot be edited:
// mcp_servers = { … } or mcp_servers.wake.command = ….
func refuseInline(text string, path []string) error {
	head := []string{}
	for l := range tomlLines(text) {
		if l.header != "" {
			head = tomlKey(l.header)
			continue
		}
		key, _, ok := strings.Cut(l.text, "=")
		if !ok {
			continue
		}
		full := slices.Concat(head, tomlKey(key))
		if len(head) < len(path) && len(full) > 0 && startsAlike(full, path) {
			return fmt.Errorf("%w: %s", ErrByHand, strings.TrimSpace(l.text))
		}
	}
	return nil
}

// startsAlike reports whether one of two keys is a prefix of the other.
func startsAlike(a, b []string) bool {
	n := min(len(a), len(b))
	return slices.Equal(a[:n], b[:n])
}

// renderTable writes a table. JSON strings, numbers and lists are valid TOML.
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
	for _, m := range members(root) {
		fmt.Fprintf(&b, "\n%s = %s", keyOf(m), strings.ReplaceAll(textOf(m.Value, string(raw)), `","`, `", "`))
	}
	return b.String(), nil
}
