package mcp

import (
	"reflect"
	"strings"
	"sync"
)

// field is one argument of a tool, described by the tags of its argument struct:
//
//	arg      the name, followed by ",required" if the tool needs it
//	help     what a model needs to know besides the name, in a few words
//	enum     the possible words, separated by "|"
//	also     synonyms of these, as "word=meaning|word=meaning"
//	default  the default value, for the schema only
type field struct {
	name         string
	required     bool
	help         string
	enum         []string
	also         map[string]string
	defaultValue string
	index        []int
	typ          reflect.Type
}

// knownFields caches fieldsOf by type.
var knownFields sync.Map

// fieldsOf lists the arguments of a struct in order, including those of embedded
// structs.
func fieldsOf(t reflect.Type) []field {
	if list, ok := knownFields.Load(t); ok {
		return list.([]field)
	}
	list := readFields(t)
	knownFields.Store(t, list)
	return list
}

func readFields(t reflect.Type) (list []field) {
	for _, sf := range reflect.VisibleFields(t) {
		tag, ok := sf.Tag.Lookup("arg")
		if !ok {
			continue
		}
		name, option, _ := strings.Cut(tag, ",")
		list = append(list, field{
			name: name, required: option == "required",
			help: sf.Tag.Get("help"), defaultValue: sf.Tag.Get("default"),
			enum: words(sf.Tag.Get("enum")), also: pairs(sf.Tag.Get("also")),
			index: sf.Index, typ: sf.Type,
		})
	}
	return list
}

func words(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(s, "|")
}

func pairs(s string) map[string]string {
	m := map[string]string{}
	for _, p := range words(s) {
		word, meaning, _ := strings.Cut(p, "=")
		m[word] = meaning
	}
	return m
}

// names lists the arguments for a message; required ones get an asterisk.
func names(fields []field) string {
	list := make([]string, len(fields))
	for i, f := range fields {
		list[i] = f.name
		if f.required {
			list[i] += "*"
		}
	}
	return strings.Join(list, ", ")
}
