// Package edit changes other programs' configuration files as a careful person
// would: one entry at a time, in the text itself, so that comments, order and
// layout of everything else survive. JSON with comments, TOML and YAML are
// edited; after each edit the file is read again and compared with what it was,
// and an edit that would have changed anything else is refused.
package edit

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// Entry is one thing to be in a file: a member of objects at Path, or, where
// Mine is set, an element of the list at Path.
type Entry struct {
	Path  []string
	Value any // of maps, lists, strings, booleans and numbers
	// Like, where it is set, is a member that an older form of the entry has too: then
	// only the members that Value has are put, and what else somebody put there stays.
	Like string
	// Mine recognises an element that an earlier run put into the list.
	Mine func(element any) bool
}

// Format edits one kind of file. Both functions return the text unchanged where
// there is nothing to do.
type Format interface {
	// Put makes the entry be there, in the place of an older form of it.
	Put(text string, e Entry) (string, error)
	// Take removes the entry, and the objects and lists on the way to it that are
	// empty then, unless kept says that they were there before.
	Take(text string, e Entry, kept func(path []string) bool) (string, error)
	// Value reads the whole file.
	Value(text string) (any, error)
}

// ErrByHand is returned for a file that is written in a way that cannot be
// edited safely.
var ErrByHand = errors.New("the file is written in a way that is not edited automatically")

// Put puts all entries into text.
func Put(f Format, text string, entries []Entry) (string, error) {
	put, err := all(f, text, entries, f.Put)
	if err == nil && !allIn(f, put, entries) {
		return "", fmt.Errorf("%w: it goes on behind its end", ErrByHand)
	}
	return put, err
}

// Take takes all entries out of text. before is the text as it was when they
// were put in, "" if that is not known: where nothing else has changed since,
// exactly that comes back, else what was there before stays.
func Take(f Format, text, before string, entries []Entry) (string, error) {
	if put, err := Put(f, before, entries); err == nil && before != "" && put == text {
		return before, nil
	}
	past, err := f.Value(before)
	if err != nil {
		past = nil
	}
	kept := func(path []string) bool { return at(past, path) != nil }
	return all(f, text, entries, func(text string, e Entry) (string, error) { return f.Take(text, e, kept) })
}

func all(f Format, text string, entries []Entry, do func(string, Entry) (string, error)) (string, error) {
	if lines := strings.Count(text, "\n"); lines > 0 && strings.Count(text, "\r\n") == lines { // as on Windows
		out, err := all(f, strings.ReplaceAll(text, "\r\n", "\n"), entries, do)
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
		if out, err = do(out, e); err != nil {
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

// allIn reports whether each entry can be found, for what stands behind the end of
// a document is not read.
func allIn(f Format, text string, entries []Entry) bool {
	value, err := f.Value(text)
	return err == nil && !slices.ContainsFunc(entries, func(e Entry) bool { return at(value, e.Path) == nil })
}

// at is the value at a path, nil where there is none.
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

// without is a value without the entries and without what is empty then.
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
