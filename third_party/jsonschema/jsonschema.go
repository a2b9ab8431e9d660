// Package jsonschema stands in for github.com/santhosh-tekuri/jsonschema/v6, which
// mcp-go imports to check arguments and answers, where a server asks it to, against
// their schemas. That package compiles 25 schemas of schemas when a process starts:
// 3 to 4.5 ms and 21,000 allocations that every hook would pay for. wake checks
// arguments itself, in words, so it needs the names to link and little more; they
// are kept here over github.com/google/jsonschema-go, which mcp-go imports anyway
// and which does nothing at start.
//
// It has what mcp-go uses, and that works: should a server of wake ever ask for the
// checks, they are made. The replace directive in wake's go.mod puts it in place.
package jsonschema

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/google/jsonschema-go/jsonschema"
)

// UnmarshalJSON reads one JSON value.
func UnmarshalJSON(r io.Reader) (any, error) {
	d := json.NewDecoder(r)
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("there is something behind the JSON value")
	}
	return v, nil
}

// Compiler makes schemas of documents.
type Compiler struct {
	docs map[string]any
}

// NewCompiler returns a compiler without documents.
func NewCompiler() *Compiler { return &Compiler{docs: map[string]any{}} }

// AddResource names a document.
func (c *Compiler) AddResource(url string, doc any) error {
	if _, taken := c.docs[url]; taken {
		return fmt.Errorf("%s was added before", url)
	}
	c.docs[url] = doc
	return nil
}

// Compile makes a schema of a document that was added.
func (c *Compiler) Compile(url string) (*Schema, error) {
	doc, ok := c.docs[url]
	if !ok {
		return nil, fmt.Errorf("%s was not added", url)
	}
	text, err := json.Marshal(doc)
	if err != nil {
		return nil, err
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(text, &s); err != nil {
		return nil, err
	}
	resolved, err := s.Resolve(nil)
	if err != nil {
		return nil, err
	}
	return &Schema{resolved}, nil
}

// Schema is one that values can be checked against.
type Schema struct {
	resolved *jsonschema.Resolved
}

// Validate returns a [*ValidationError] for a value, as [UnmarshalJSON] reads it,
// that does not fit.
func (s *Schema) Validate(v any) error {
	if err := s.resolved.Validate(v); err != nil {
		return &ValidationError{ErrorKind: err}
	}
	return nil
}

// ValidationError says what does not fit. All of it stands in ErrorKind: there are
// no causes, and the place is part of the text.
type ValidationError struct {
	InstanceLocation []string
	ErrorKind        error
	Causes           []*ValidationError
}

// Error implements error.
func (e *ValidationError) Error() string { return e.ErrorKind.Error() }

// Unwrap returns what does not fit.
func (e *ValidationError) Unwrap() error { return e.ErrorKind }
