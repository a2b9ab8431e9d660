package mcp

import (
	"bytes"
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"wake/domain"
)

// read decodes one value into a field of the argument struct, according to its type.
func (d *decoder) read(f field, raw json.RawMessage, into reflect.Value) error {
	if into.Kind() == reflect.Pointer {
		into.Set(reflect.New(into.Type().Elem()))
		into = into.Elem()
	}
	switch p := into.Addr().Interface().(type) {
	case *time.Time:
		return set(p, raw, func(s string) (time.Time, error) { return domain.ParseWhen(s, d.now.UTC()) })
	case *time.Duration:
		return set(p, raw, readSpan)
	case *map[string]any:
		return readObject(raw, p)
	case *events:
		return readObjects(raw, p)
	case *findings:
		return readFindings(raw, p)
	}
	switch into.Kind() {
	case reflect.String:
		return readString(f, raw, into)
	case reflect.Int, reflect.Int64:
		return readInteger(raw, into)
	case reflect.Float64:
		return readNumber(raw, into)
	case reflect.Bool:
		return readFlag(raw, into)
	case reflect.Slice:
		return readList(f, raw, into)
	}
	return json.Unmarshal(raw, into.Addr().Interface())
}

// set decodes a value that is written as text or as a number.
func set[T any](into *T, raw json.RawMessage, parse func(string) (T, error)) error {
	s, err := scalar(raw)
	if err != nil {
		return err
	}
	*into, err = parse(s)
	return err
}

// scalar returns a string, number or boolean as text. A list with one item counts as
// that item.
func scalar(raw json.RawMessage) (string, error) {
	raw = bytes.TrimSpace(raw)
	switch raw[0] {
	case '"':
		var s string
		err := json.Unmarshal(raw, &s)
		return s, err
	case '[':
		var items []json.RawMessage
		if json.Unmarshal(raw, &items) == nil && len(items) == 1 && items[0][0] != '[' {
			return scalar(items[0])
		}
		return "", domain.Invalid("it is a list; give one value")
	case '{':
		return "", domain.Invalid("it is an object; give text")
	}
	return string(raw), nil
}

func readSpan(s string) (time.Duration, error) {
	span, ok := domain.ParseSpan(s)
	if !ok {
		return 0, domain.Invalid("%q is not a duration; write it like 24h, 7d or 90m", domain.Clip(s, 60))
	}
	return span, nil
}

func readString(f field, raw json.RawMessage, into reflect.Value) error {
	s, err := scalar(raw)
	if err == nil {
		s, err = f.word(s)
	}
	into.SetString(s)
	return err
}

// word reads a word of an enumeration; other text is returned unchanged.
func (f field) word(s string) (string, error) {
	item := f.typ
	if item.Kind() == reflect.Slice || item.Kind() == reflect.Pointer {
		item = item.Elem()
	}
	switch item {
	case reflect.TypeFor[domain.ActionType]():
		w, err := domain.ParseActionType(s)
		if err == nil {
			return string(w), nil
		}
		if near, ok := domain.Nearest(spelling(s), each(domain.ActionTypes, func(a domain.ActionType) string { return string(a) })); ok {
			return near, nil
		}
		return "", err
	case reflect.TypeFor[domain.Tier]():
		return plain(domain.ParseTier(s))
	case reflect.TypeFor[domain.Kind]():
		return plain(domain.ParseKind(s))
	case reflect.TypeFor[domain.Direction]():
		return plain(domain.ParseDirection(s))
	}
	if f.enum == nil {
		return s, nil
	}
	return f.choose(s)
}

func plain[W ~string](word W, err error) (string, error) { return string(word), err }

// choose finds the word of the enumeration that s means.
func (f field) choose(s string) (string, error) {
	word := spelling(s)
	if slices.Contains(f.enum, word) {
		return word, nil
	}
	if meaning, ok := f.also[word]; ok {
		return meaning, nil
	}
	if w, ok := domain.Nearest(word, f.enum); ok {
		return w, nil
	}
	return "", domain.Invalid("%q is unknown; use one of %s", domain.Clip(s, 60), strings.Join(f.enum, ", "))
}

func readInteger(raw json.RawMessage, into reflect.Value) error {
	n, err := number(raw)
	if err != nil {
		return err
	}
	if n != math.Trunc(n) || math.Abs(n) >= 1<<53 {
		return domain.Invalid("%s is not a whole number, or is too large", domain.Clip(string(raw), 40))
	}
	into.SetInt(int64(n))
	return nil
}

func readNumber(raw json.RawMessage, into reflect.Value) error {
	n, err := number(raw)
	into.SetFloat(n)
	return err
}

// number reads 10, "10", "25,000", "25k" and "85%".
func number(raw json.RawMessage) (float64, error) {
	s, err := scalar(raw)
	if err != nil {
		return 0, err
	}
	word, factor := strings.ToLower(strings.TrimSpace(s)), 1.0
	word = strings.NewReplacer(",", "", "_", "", " ", "").Replace(word)
	if w, ok := strings.CutSuffix(word, "k"); ok {
		word, factor = w, 1e3
	} else if w, ok := strings.CutSuffix(word, "%"); ok {
		word, factor = w, 0.01
	}
	n, err := strconv.ParseFloat(word, 64)
	if err != nil || math.IsNaN(n) || math.IsInf(n, 0) {
		return 0, domain.Invalid("%q is not a number", domain.Clip(s, 40))
	}
	return n * factor, nil
}

func readFlag(raw json.RawMessage, into reflect.Value) error {
	s, err := scalar(raw)
	if err != nil {
		return err
	}
	switch strings.ToLower(strings.TrimSpace(s)) {
	case "true", "yes", "y", "on", "1":
		into.SetBool(true)
	case "false", "no", "n", "off", "0":
		into.SetBool(false)
	default:
		return domain.Invalid("%q is neither true nor false", domain.Clip(s, 40))
	}
	return nil
}

// readList reads a list of words: a JSON list, one word, or words separated by commas.
func readList(f field, raw json.RawMessage, into reflect.Value) error {
	items, err := items(raw)
	if err != nil {
		return err
	}
	list := reflect.MakeSlice(into.Type(), 0, len(items))
	for _, item := range items {
		if absent(item) {
			continue
		}
		s, err := scalar(item)
		if err == nil {
			s, err = f.word(strings.TrimSpace(s))
		}
		if err != nil {
			return err
		}
		list = reflect.Append(list, reflect.ValueOf(s).Convert(into.Type().Elem()))
	}
	into.Set(list)
	return nil
}

func items(raw json.RawMessage) ([]json.RawMessage, error) {
	raw = unstring(bytes.TrimSpace(raw))
	var list []json.RawMessage
	if raw[0] == '[' {
		err := json.Unmarshal(raw, &list)
		return list, err
	}
	s, err := scalar(raw)
	if err != nil {
		return nil, err
	}
	for part := range strings.SplitSeq(s, ",") {
		if part = strings.TrimSpace(part); part != "" {
			list = append(list, json.RawMessage(asJSON(part)))
		}
	}
	return list, nil
}
