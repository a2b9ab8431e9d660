package mcp

import (
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// inputSchema writes the JSON Schema of a tool's arguments: compact, in the order of
// the struct, and no stricter than the decoder, which does the checking and explains
// errors better.
func inputSchema(fields []field) json.RawMessage {
	var b strings.Builder
	b.WriteString(`{"type":"object","properties":{`)
	var required []string
	for i, f := range fields {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.Quote(f.name) + ":" + f.schema())
		if f.required {
			required = append(required, f.name)
		}
	}
	b.WriteByte('}')
	if required != nil {
		b.WriteString(`,"required":` + asJSON(required))
	}
	b.WriteByte('}')
	return json.RawMessage(b.String())
}

// schemaWriter is implemented by argument types that write their own schema.
type schemaWriter interface{ jsonSchema() string }

func (f field) schema() string {
	var b strings.Builder
	b.WriteString(strings.TrimSuffix(f.base(), "}"))
	if f.help != "" {
		b.WriteString(`,"description":` + asJSON(f.help))
	}
	if f.defaultValue != "" {
		b.WriteString(`,"default":` + f.defaultJSON())
	}
	b.WriteByte('}')
	return b.String()
}

// base is the schema of the field's type.
func (f field) base() string {
	if s, ok := reflect.New(f.typ).Interface().(schemaWriter); ok {
		return s.jsonSchema()
	}
	t := f.typ
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case t == reflect.TypeFor[time.Time](), t == reflect.TypeFor[time.Duration]():
		return `{"type":"string"}`
	case t.Kind() == reflect.Slice:
		return `{"type":"array","items":` + wordSchema(f.enum) + `}`
	case t.Kind() == reflect.String:
		return wordSchema(f.enum)
	}
	return `{"type":"` + jsonType(t) + `"}`
}

func wordSchema(enum []string) string {
	if enum == nil {
		return `{"type":"string"}`
	}
	return `{"type":"string","enum":` + asJSON(enum) + `}`
}

func (f field) defaultJSON() string {
	if f.typ.Kind() == reflect.String || f.typ == reflect.TypeFor[time.Duration]() {
		return strconv.Quote(f.defaultValue)
	}
	return f.defaultValue
}

func jsonType(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Bool:
		return "boolean"
	case reflect.Int, reflect.Int64, reflect.Uint8:
		return "integer"
	case reflect.Float64:
		return "number"
	case reflect.Slice:
		return "array"
	case reflect.String:
		return "string"
	}
	return "object"
}

// outputSchema writes the JSON Schema of an answer. Fields that are always present are
// required, and nothing is null. It describes the answer and the items of its lists.
// Deeper values are just objects, because every client receives every schema.
func outputSchema(t reflect.Type) json.RawMessage {
	properties, required := properties(t, func(t reflect.Type) string {
		if t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Struct {
			items, _ := properties(t.Elem(), flatSchema)
			return `{"type":"array","items":{"type":"object","properties":` + items + `}}`
		}
		return flatSchema(t)
	})
	return json.RawMessage(`{"type":"object","properties":` + properties + `,"required":` + asJSON(required) + `}`)
}

// properties writes the properties that encoding/json gives a struct, and returns
// which of them are always present.
func properties(t reflect.Type, schema func(reflect.Type) string) (object string, required []string) {
	list, required := []string{}, []string{}
	for _, sf := range reflect.VisibleFields(t) {
		name, optional, ok := jsonName(sf)
		if !ok {
			continue
		}
		list = append(list, strconv.Quote(name)+":"+schema(sf.Type))
		if !optional {
			required = append(required, name)
		}
	}
	return "{" + strings.Join(list, ",") + "}", required
}

// flatSchema is the schema of a type without that of its contents.
func flatSchema(t reflect.Type) string {
	switch {
	case t.Kind() == reflect.Pointer:
		return flatSchema(t.Elem())
	case t == reflect.TypeFor[time.Time]():
		return `{"type":"string"}`
	case t == reflect.TypeFor[json.RawMessage](), t.Kind() == reflect.Interface:
		return `{}`
	}
	return `{"type":"` + jsonType(t) + `"}`
}

// jsonName returns the name under which encoding/json writes a field, and whether it
// may be omitted.
func jsonName(sf reflect.StructField) (name string, optional, ok bool) {
	tag := sf.Tag.Get("json")
	if tag == "-" || !sf.IsExported() || sf.Anonymous && tag == "" {
		return "", false, false
	}
	name, options, _ := strings.Cut(tag, ",")
	if name == "" {
		name = sf.Name
	}
	return name, strings.Contains(options, "omit"), true
}

// fillNil replaces nil lists and maps in v by empty ones, because JSON null would not
// match the schema. v is a pointer.
func fillNil(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			fillNil(v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() && !leftOut(f, v.Field(i)) {
				fillNil(v.Field(i))
			}
		}
	case reflect.Map:
		if v.IsNil() && v.CanSet() {
			v.Set(reflect.MakeMap(v.Type()))
		}
	case reflect.Slice:
		fillNilList(v)
	}
}

// leftOut reports whether encoding/json leaves out a field because it is nil, but not
// because it is empty.
func leftOut(f reflect.StructField, v reflect.Value) bool {
	return v.IsZero() && strings.HasSuffix(f.Tag.Get("json"), ",omitzero")
}

func fillNilList(v reflect.Value) {
	if v.Type() == reflect.TypeFor[json.RawMessage]() {
		return
	}
	if v.IsNil() && v.CanSet() {
		v.Set(reflect.MakeSlice(v.Type(), 0, 0))
	}
	for i := range v.Len() {
		fillNil(v.Index(i))
	}
}
