package mcp

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"wake/domain"
	"wake/memory"
)

// A text answer is enough to act on by itself and short enough to be read: at
// most maxText characters, of which endRoom are kept for the closing lines.
const (
	maxText = 6000
	endRoom = 700
)

// page writes the text of an answer. Lines are wake's own words; what was stored
// goes through quote, so that no note passes for an instruction.
type page struct {
	b      strings.Builder
	used   int // characters
	quoted bool
	full   bool
}

// line writes one line of wake's own words. Stored values in it (ids, project
// names, tags of errors) are shown plain and on one line.
func (p *page) line(format string, args ...any) {
	p.put(oneLine(fmt.Sprintf(format, args...)) + "\n")
}

// text writes lines that were made by the service, as far as there is room.
func (p *page) text(s string) {
	s = strings.TrimRight(memory.PlainText(s), "\n")
	if s == "" {
		return
	}
	if room := p.room(); utf8.RuneCountInString(s) > room {
		s, p.full = clip(s, room), true
	}
	p.put(s + "\n")
}

// item writes a head line and a quotation below it, shortened to most characters
// or to the room there is. It reports whether there was room for any of it.
func (p *page) item(head string, q quotation, most int) bool {
	frame := utf8.RuneCountInString(head) + 160
	room := p.room() - frame
	if p.full || room < min(120, utf8.RuneCountInString(q.text)) {
		p.full = true
		return false
	}
	if !p.quoted {
		p.put(memory.QuoteNotice + "\n")
		p.quoted = true
	}
	q.text = clip(strings.TrimSpace(q.text), min(most, room))
	p.line("%s", head)
	p.put(memory.Quote(q.id, q.origin, q.saved, q.text) + "\n")
	return true
}

// quotation is a piece of stored text with where it comes from.
type quotation struct {
	id     string
	origin domain.Origin
	saved  time.Time
	text   string
}

// room is how many characters are left before the closing lines.
func (p *page) room() int { return max(maxText-endRoom-p.used, 0) }

func (p *page) put(s string) {
	p.b.WriteString(s)
	p.used += utf8.RuneCountInString(s)
}

// next says which call comes next.
func (p *page) next(tool string, args ...string) {
	p.line("Next: %s", call(tool, args...))
}

// String is the text, never longer than maxText characters.
func (p *page) String() string { return clip(strings.TrimRight(p.b.String(), "\n"), maxText) }

// call writes a call of a tool as a model would make it: name, value, name, value.
func call(tool string, args ...string) string {
	parts := make([]string, 0, len(args)/2)
	for i := 0; i+1 < len(args); i += 2 {
		parts = append(parts, asJSON(args[i])+":"+args[i+1])
	}
	return tool + " {" + strings.Join(parts, ",") + "}"
}

// oneLine is text as part of a line.
func oneLine(s string) string {
	return strings.ReplaceAll(memory.PlainText(s), "\n", " ")
}

// day is a time as a reader of a list needs it.
func day(t time.Time) string {
	if t.IsZero() {
		return "never"
	}
	return t.UTC().Format("2006-01-02 15:04Z")
}
