package edit

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"strings"
	"sync"

	"gopkg.in/yaml.v3"
)

// YAML edits the second level of YAML files in block style: an entry's path is a top
// key and a key below it.
type YAML struct{}

// Value parses the file.
func (YAML) Value(text string) (any, error) {
	var v map[string]any
	if err := yaml.Unmarshal([]byte(text), &v); err != nil {
		return nil, err
	}
	return plain(v), nil
}

// Put implements [Format].
func (y YAML) Put(text string, e Entry) (string, error) {
	value, err := y.Value(text)
	if err != nil {
		return "", err
	}
	if current := at(value, e.Path); current != nil {
		e.Value = withMembers(e, current)
		if fmt.Sprint(current) == fmt.Sprint(plain(e.Value)) {
			return text, nil
		}
		if text, err = y.Take(text, e, func([]string) bool { return true }); err != nil {
			return "", err
		}
	}
	lines := strings.SplitAfter(text, "\n")
	top, from, to := yamlBlock(lines, e.Path[0])
	indent := "  "
	switch {
	case !top && at(value, e.Path[:1]) != nil:
		return "", fmt.Errorf("%w: %s", ErrByHand, e.Path[0])
	case !top:
		return endLine(text) + e.Path[0] + ":\n" + yamlEntry(e, indent), nil
	case from == to: // an empty block
		lines[from-1] = emptyFlow().ReplaceAllString(lines[from-1], ":$1")
		lines[from-1] = endLine(lines[from-1])
	default:
		indent = yamlIndent(lines[from:to])
		lines[to-1] = endLine(lines[to-1])
	}
	return strings.Join(lines[:to], "") + yamlEntry(e, indent) + strings.Join(lines[to:], ""), nil
}

// withMembers returns the entry's value with the other members of an older form, if
// that has the member e.Like.
func withMembers(e Entry, older any) any {
	there, _ := older.(map[string]any)
	if e.Like == "" || there[e.Like] == nil {
		return e.Value
	}
	ours, _ := plain(e.Value).(map[string]any)
	all := maps.Clone(there)
	maps.Copy(all, ours)
	if len(all) == len(ours) {
		return e.Value // keeps the order of its members
	}
	return all
}

// emptyFlow matches an empty map after a key.
var emptyFlow = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`:\s*\{\s*\}(\s*(?:#.*)?\n?)$`)
})

// Take implements [Format].
func (y YAML) Take(text string, e Entry, kept func([]string) bool) (string, error) {
	value, err := y.Value(text)
	if err != nil || at(value, e.Path) == nil {
		return text, err
	}
	lines := strings.SplitAfter(text, "\n")
	top, from, to := yamlBlock(lines, e.Path[0])
	start, end := yamlChild(lines[:to], from, e.Path[1])
	if !top || start == end {
		return "", fmt.Errorf("%w: %s", ErrByHand, strings.Join(e.Path, "."))
	}
	out := append(lines[:start:start], lines[end:]...)
	if from == start && end == to { // it was the only key
		if kept(e.Path[:1]) {
			out[from-1] = strings.TrimRight(out[from-1], "\r\n") + " {}\n"
		} else {
			out = append(lines[:from-1:from-1], lines[end:]...)
		}
	}
	return strings.Join(out, ""), nil
}

// yamlBlock finds the lines of the block below a top key, without blank lines and
// comments at its end. If the block is empty, from == to.
func yamlBlock(lines []string, key string) (found bool, from, to int) {
	for i, line := range lines {
		if !found {
			if isTopKey(line, key) {
				found, from, to = true, i+1, i+1
			}
			continue
		}
		switch {
		case isBlankYAML(line):
		case line[0] == ' ':
			to = i + 1
		default:
			return found, from, to
		}
	}
	return found, from, to
}

// isTopKey reports whether a line is the key, followed by nothing or an empty map.
func isTopKey(line, key string) bool {
	rest, ok := strings.CutPrefix(strings.Replace(line, `"`+key+`"`, key, 1), key)
	if !ok {
		return false
	}
	rest, ok = strings.CutPrefix(strings.TrimLeft(rest, " "), ":")
	rest, _, _ = strings.Cut(strings.TrimSpace(rest), "#")
	rest = strings.ReplaceAll(rest, " ", "")
	return ok && (rest == "" || rest == "{}")
}

// yamlIndent returns the indentation of the first of the lines that is neither blank nor
// a comment.
func yamlIndent(lines []string) string {
	for _, line := range lines {
		if trimmed := strings.TrimLeft(line, " "); !isBlankYAML(trimmed) {
			return line[:len(line)-len(trimmed)]
		}
	}
	return ""
}

// isBlankYAML reports whether a line is blank or a comment.
func isBlankYAML(line string) bool {
	line = strings.TrimSpace(line)
	return line == "" || line[0] == '#'
}

// yamlChild finds the lines of one key in the block that begins at line from.
func yamlChild(lines []string, from int, key string) (start, end int) {
	indent := len(yamlIndent(lines[from:]))
	for i := from; i < len(lines); i++ {
		trimmed := strings.TrimLeft(lines[i], " ")
		depth := len(lines[i]) - len(trimmed)
		switch {
		case isBlankYAML(trimmed):
		case end > start && depth <= indent:
			return start, end
		case end > start:
			end = i + 1
		case depth == indent && isKey(trimmed, key):
			start, end = i, i+1
		}
	}
	return start, end
}

func isKey(line, key string) bool {
	name, _, ok := strings.Cut(line, ":")
	return ok && strings.Trim(strings.TrimSpace(name), `"'`) == key
}

// yamlEntry writes an entry as a block. JSON strings and flat lists are valid YAML.
func yamlEntry(e Entry, indent string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s%s:\n", indent, e.Path[1])
	raw, _ := json.Marshal(e.Value) // checked in apply
	root, _ := parse(string(raw))   // just written
	for _, m := range members(root) {
		fmt.Fprintf(&b, "%s%s%s: %s\n", indent, indent, keyOf(m), textOf(m.Value, string(raw)))
	}
	return b.String()
}

// endLine adds a newline if the last line has none.
func endLine(text string) string {
	if text == "" || strings.HasSuffix(text, "\n") {
		return text
	}
	return text + "\n"
}
