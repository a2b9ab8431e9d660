package mcp

import (
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// inputSchema writes the JSON Schema of a tool's arguments: compact, in the
// order of the struct, and no stricter than the decoder, which does the checking
// and explains itself better.
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

// shaped is a type of argument that writes its schema itself.
type shaped interface{ shape() string }

func (f field) schema() string {
	var b strings.Builder
	b.WriteString(strings.TrimSuffix(f.base(), "}"))
	if f.help != "" {
		b.WriteString(`,"description":` + asJSON(f.help))
	}
	if f.standard != "" {
		b.WriteString(`,"default":` + f.standardJSON())
	}
	b.WriteByte('}')
	return b.String()
}

// base is the schema of the field's type alone.
func (f field) base() string {
	if s, ok := reflect.New(f.typ).Interface().(shaped); ok {
		return s.shape()
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

func (f field) standardJSON() string {
	if f.typ.Kind() == reflect.String || f.typ == reflect.TypeFor[time.Duration]() {
		return strconv.Quote(f.standard)
	}
	return f.standard
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

// outputDepth is how deep an output schema goes: the answer, and the items of
// its lists. What lies below is an object without a schema, since every client
// is sent every schema.
const outputDepth = 2

// outputSchema writes the JSON Schema of an answer: what is always there is
// required, and nothing is ever null.
func outputSchema(t reflect.Type) json.RawMessage {
	return json.RawMessage(answerSchema(t, outputDepth))
}

func answerSchema(t reflect.Type, depth int) string {
	switch {
	case t.Kind() == reflect.Pointer:
		return answerSchema(t.Elem(), depth)
	case t == reflect.TypeFor[time.Time](), t == reflect.TypeFor[time.Duration]():
		return `{"type":"string"}`
	case t == reflect.TypeFor[json.RawMessage](), t.Kind() == reflect.Interface:
		return `{}`
	case t.Kind() == reflect.Slice:
		return `{"type":"array","items":` + answerSchema(t.Elem(), depth) + `}`
	case t.Kind() == reflect.Struct && depth > 0:
		return structSchema(t, depth)
	}
	return `{"type":"` + jsonType(t) + `"}`
}

func structSchema(t reflect.Type, depth int) string {
	var properties, required []string
	for _, sf := range reflect.VisibleFields(t) {
		name, optional, ok := jsonName(sf)
		if !ok {
			continue
		}
		properties = append(properties, strconv.Quote(name)+":"+answerSchema(sf.Type, depth-1))
		if !optional {
			required = append(required, name)
		}
	}
	schema := `{"type":"object","properties":{` + strings.Join(properties, ",") + `}`
	if required != nil {
		schema += `,"required":` + asJSON(required)
	}
	return schema + `}`
}

// jsonName is the name under which encoding/json writes a field, and whether it
// may leave it out.
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

// asJSON writes a value that cannot fail to be written.
func asJSON(v any) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return "null"
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// fillNil gives every nil list and map that v would write as null an empty one,
// because null fits no schema. v is a pointer.
func fillNil(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			fillNil(v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
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
