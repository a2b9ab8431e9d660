// Package edit adds entries to other programs' configuration files and removes them.
// It edits the text itself, one entry at a time, so that comments, order and layout of
// everything else survive. It supports JSON with comments, TOML and YAML. The result is
// parsed and compared with the original; if anything but the entries would change, the
// edit is refused.
package edit

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// Entry is one value in a file: the object member at Path or, if Mine is set, an
// element of the list at Path.
type Entry struct {
	Path  []string
	Value any // maps, lists, strings, booleans and numbers
	// Like, if set, is a member by which an older form of the entry is recognised. Only
	// the members of Value are then replaced; members that somebody else added stay.
	Like string
	// Mine reports whether a list element was added by an earlier run.
	Mine func(element any) bool
}

// Format edits one kind of file. Put and Take return the text unchanged if there is
// nothing to do.
type Format interface {
	// Put adds the entry, or replaces an older form of it.
	Put(text string, e Entry) (string, error)
	// Take removes the entry, and the objects and lists on its path that are empty
	// afterwards, unless kept reports that they existed before.
	Take(text string, e Entry, kept func(path []string) bool) (string, error)
	// Value parses the whole file.
	Value(text string) (any, error)
}

// ErrByHand is returned for a file that cannot be edited safely.
var ErrByHand = errors.New("the file is written in a way that is not edited automatically")

// Put adds all entries to text.
func Put(f Format, text string, entries []Entry) (string, error) {
	put, err := apply(f, text, entries, f.Put)
	if err == nil && !hasAll(f, put, entries) {
		return "", fmt.Errorf("%w: it goes on behind its end", ErrByHand)
	}
	return put, err
}

// Take removes all entries from text. before is the text from before they were added,
// "" if that is unknown. If nothing else has changed since, Take returns exactly
// before; otherwise the objects and lists that before had stay, even if empty.
func Take(f Format, text, before string, entries []Entry) (string, error) {
	past, err := f.Value(before)
	if err != nil {
		past = nil
	}
	kept := func(path []string) bool { return at(past, path) != nil }
	take := func(text string) (string, error) {
		return apply(f, text, entries, func(text string, e Entry) (string, error) { return f.Take(text, e, kept) })
	}
	left, err := take(text)
	if err != nil || left == text || before == "" {
		return left, err
	}
	// The entries may have had another form when they were added.
	if put, err := Put(f, before, entries); err == nil {
		if undone, err := take(put); err == nil && undone == left {
			return before, nil
		}
	}
	return left, nil
}

// apply edits text for each entry and refuses the result if anything else in it
// would change. A byte order mark and Windows line ends are kept.
func apply(f Format, text string, entries []Entry, edit func(string, Entry) (string, error)) (string, error) {
	if rest, marked := strings.CutPrefix(text, byteOrderMark); marked {
		out, err := apply(f, rest, entries, edit)
		return byteOrderMark + out, err
	}
	if lines := strings.Count(text, "\n"); lines > 0 && strings.Count(text, "\r\n") == lines {
		out, err := apply(f, strings.ReplaceAll(text, "\r\n", "\n"), entries, edit)
		return strings.ReplaceAll(out, "\n", "\r\n"), err
	}
	before, err := f.Value(text)
	if err != nil {
		return "", err
	}
	out := text
	for _, e := range entries {
		if _, err := json.Marshal(e.Value); err != nil {
			return "", err
		}
		if out, err = edit(out, e); err != nil {
			return "", err
		}
	}
	after, err := f.Value(out)
	if err != nil {
		return "", fmt.Errorf("%w (%v)", ErrByHand, err)
	}
	if !reflect.DeepEqual(without(before, entries), without(after, entries)) {
		return "", fmt.Errorf("%w: something else in it would change", ErrByHand)
	}
	return out, nil
}

// hasAll reports whether a parser finds every entry. It does not find what was added
// behind the end of a document.
func hasAll(f Format, text string, entries []Entry) bool {
	value, err := f.Value(text)
	return err == nil && !slices.ContainsFunc(entries, func(e Entry) bool { return at(value, e.Path) == nil })
}

// at returns the value at a path, nil if there is none.
func at(v any, path []string) any {
	for _, key := range path {
		m, ok := v.(map[string]any)
		if !ok {
			return nil
		}
		v = m[key]
	}
	return v
}

// without returns a copy of a value without the entries and without objects and lists
// that are empty then.
func without(v any, entries []Entry) any {
	for _, e := range entries {
		v = drop(v, e)
	}
	return v
}

func drop(v any, e Entry) any {
	if len(e.Path) == 0 {
		if list, ok := v.([]any); ok && e.Mine != nil {
			v = slices.DeleteFunc(slices.Clone(list), e.Mine)
		} else {
			v = nil
		}
		return orNil(v)
	}
	m, ok := v.(map[string]any)
	if !ok {
		return v
	}
	out := make(map[string]any, len(m))
	for key, value := range m {
		if key == e.Path[0] {
			value = drop(value, Entry{Path: e.Path[1:], Mine: e.Mine})
		}
		if value != nil {
			out[key] = value
		}
	}
	return orNil(out)
}

func orNil(v any) any {
	switch v := v.(type) {
	case map[string]any:
		if len(v) == 0 {
			return nil
		}
	case []any:
		if len(v) == 0 {
			return nil
		}
	}
	return v
}
