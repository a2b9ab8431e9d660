package edit

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/tailscale/hujson"
)

const byteOrderMark = "\ufeff"

// parse reads JSON with comments and trailing commas. Offsets in the result are those in text.
func parse(text string) (hujson.Value, error) {
	if rest, marked := strings.CutPrefix(text, byteOrderMark); marked {
		text = strings.Repeat(" ", len(byteOrderMark)) + rest
	}
	if !strings.HasSuffix(text, "\n") { // a comment at the end would not end
		text += "\n"
	}
	v, err := hujson.Parse([]byte(text))
	if err != nil {
		return hujson.Value{}, errors.New(strings.TrimPrefix(err.Error(), "hujson: "))
	}
	return v, nil
}

// decode returns what a value says.
func decode(v hujson.Value) (out any) {
	v = v.Clone()
	v.Standardize()
	_ = json.Unmarshal(v.Pack(), &out) // parsed already
	return out
}

// members are those of an object, elements those of a list; any other value has none.
func members(v hujson.Value) []hujson.ObjectMember {
	if object, ok := v.Value.(*hujson.Object); ok {
		return object.Members
	}
	return nil
}

func elements(v hujson.Value) []hujson.Value {
	if list, ok := v.Value.(*hujson.Array); ok {
		return list.Elements
	}
	return nil
}

func keyOf(m hujson.ObjectMember) string { return m.Name.Value.(hujson.Literal).String() }

// textOf is a value as it stands in the text that it was parsed from.
func textOf(v hujson.Value, text string) string { return text[v.StartOffset:v.EndOffset] }

// find returns the index of the member with a key, -1 if there is none. Of equal keys
// the last one counts, as in JSON parsers.
func find(v hujson.Value, key string) int {
	all := members(v)
	for i := len(all) - 1; i >= 0; i-- {
		if keyOf(all[i]) == key {
			return i
		}
	}
	return -1
}

// walk follows a path of keys. The value is empty if there is nothing.
func walk(v hujson.Value, path []string) hujson.Value {
	for _, key := range path {
		i := find(v, key)
		if i < 0 {
			return hujson.Value{}
		}
		v = members(v)[i].Value
	}
	return v
}

// item is the position of a member, with its key, or of an element.
type item struct {
	start, end int
	comma      int // where its comma is, if it has one
}

func items(container hujson.Value) (all []item) {
	for _, m := range members(container) {
		all = append(all, item{m.Name.StartOffset, m.Value.EndOffset, m.Value.EndOffset + len(m.Value.AfterExtra)})
	}
	for _, x := range elements(container) {
		all = append(all, item{x.StartOffset, x.EndOffset, x.EndOffset + len(x.AfterExtra)})
	}
	return all
}
