package edit

import (
	"encoding/json"
	"fmt"
	"strings"
)

// node is a JSON value and its position in the text.
type node struct {
	kind       byte // '{', '[', or 'v' for any other value
	start, end int
	members    []member
	elements   []node
}

type member struct {
	key   string
	start int // of the key
	value node
}

// parser reads JSON with comments and trailing commas.
type parser struct {
	text string
	at   int
}

func parse(text string) (node, error) {
	p := &parser{text: text}
	p.blank()
	n, err := p.value()
	if err != nil {
		return node{}, err
	}
	if p.blank(); p.at < len(text) {
		return node{}, p.fail("something follows the value")
	}
	return n, nil
}

func (p *parser) fail(what string) error {
	line := 1 + strings.Count(p.text[:min(p.at, len(p.text))], "\n")
	return fmt.Errorf("line %d: %s", line, what)
}

// blank skips white space and comments.
func (p *parser) blank() {
	p.at = skipBlank(p.text, p.at)
}

func skipBlank(text string, at int) int {
	for at < len(text) {
		rest := text[at:]
		switch {
		case strings.IndexByte(" \t\r\n", rest[0]) >= 0:
			at++
		case strings.HasPrefix(rest, byteOrderMark):
			at += len(byteOrderMark)
		case strings.HasPrefix(rest, "//"):
			at += lineLength(rest)
		case strings.HasPrefix(rest, "/*"):
			end := strings.Index(rest[2:], "*/")
			if end < 0 {
				return len(text)
			}
			at += end + len("/**/")
		default:
			return at
		}
	}
	return at
}

const byteOrderMark = "\ufeff"

// lineLength is the length of the first line without its newline.
func lineLength(text string) int {
	if i := strings.IndexByte(text, '\n'); i >= 0 {
		return i
	}
	return len(text)
}

func (p *parser) peek() byte {
	if p.at < len(p.text) {
		return p.text[p.at]
	}
	return 0
}

func (p *parser) value() (node, error) {
	switch p.peek() {
	case '{':
		return p.object()
	case '[':
		return p.array()
	case '"':
		return p.quoted()
	case 0:
		return node{}, p.fail("a value is missing")
	}
	return p.word()
}

func (p *parser) quoted() (node, error) {
	start := p.at
	for p.at++; p.at < len(p.text) && p.text[p.at] != '"'; p.at++ {
		if p.text[p.at] == '\\' {
			p.at++
		}
	}
	if p.at++; p.at > len(p.text) {
		return node{}, p.fail("a text does not end")
	}
	return p.scalar(start)
}

// word reads a number, true, false or null.
func (p *parser) word() (node, error) {
	start := p.at
	for p.at < len(p.text) && !strings.ContainsRune(" \t\r\n,]}/:\"", rune(p.text[p.at])) {
		p.at++
	}
	return p.scalar(start)
}

func (p *parser) scalar(start int) (node, error) {
	if !json.Valid([]byte(p.text[start:p.at])) {
		p.at = start
		return node{}, p.fail("this is not a JSON value")
	}
	return node{kind: 'v', start: start, end: p.at}, nil
}

func (p *parser) object() (node, error) {
	n := node{kind: '{', start: p.at}
	err := p.items('}', func() error {
		m := member{start: p.at}
		if p.peek() != '"' {
			return p.fail("a key is missing")
		}
		key, err := p.quoted()
		if err != nil {
			return err
		}
		if err := json.Unmarshal([]byte(p.text[key.start:key.end]), &m.key); err != nil {
			return p.fail("this is not a key")
		}
		if p.blank(); p.peek() != ':' {
			return p.fail("a colon is missing")
		}
		p.at++
		p.blank()
		m.value, err = p.value()
		n.members = append(n.members, m)
		return err
	})
	n.end = p.at
	return n, err
}

func (p *parser) array() (node, error) {
	n := node{kind: '[', start: p.at}
	err := p.items(']', func() error {
		element, err := p.value()
		n.elements = append(n.elements, element)
		return err
	})
	n.end = p.at
	return n, err
}

// items reads the items up to the closing bracket, separated by commas. A trailing
// comma is allowed.
func (p *parser) items(closing byte, item func() error) error {
	p.at++
	for {
		if p.blank(); p.peek() == closing {
			p.at++
			return nil
		}
		if err := item(); err != nil {
			return err
		}
		p.blank()
		switch p.peek() {
		case ',':
			p.at++
		case closing:
		default:
			return p.fail("a comma or a closing bracket is missing")
		}
	}
}

// decode returns the value of a node.
func (n node) decode(text string) any {
	switch n.kind {
	case '{':
		m := make(map[string]any, len(n.members))
		for _, x := range n.members {
			m[x.key] = x.value.decode(text)
		}
		return m
	case '[':
		list := make([]any, 0, len(n.elements))
		for _, x := range n.elements {
			list = append(list, x.decode(text))
		}
		return list
	}
	var v any
	_ = json.Unmarshal([]byte(text[n.start:n.end]), &v) // valid, see scalar
	return v
}

// find returns the index of the member with a key, -1 if there is none. Of equal keys
// the last one counts, as in JSON parsers.
func (n node) find(key string) int {
	for i := len(n.members) - 1; i >= 0; i-- {
		if n.members[i].key == key {
			return i
		}
	}
	return -1
}
