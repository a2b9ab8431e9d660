package mcp

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"wake/domain"
	"wake/memory"
)

// A text answer must be enough to act on and short enough to be read: at most maxText
// characters, of which endRoom are reserved for the closing lines.
const (
	maxText = 6000
	endRoom = 700
)

// page builds the text of an answer. Lines are wake's own words. Stored text is
// quoted, so that no note passes for an instruction.
type page struct {
	b      strings.Builder
	used   int // characters
	quoted bool
	full   bool
}

// line writes one line of wake's own words. Stored values in it (ids, tags of errors)
// are put on one line and made safe; names need [memory.Name].
func (p *page) line(format string, args ...any) {
	p.put(oneLine(fmt.Sprintf(format, args...)) + "\n")
}

// item writes a head line and a quotation below it, shortened to most characters or to
// the room left. It reports whether there was room.
func (p *page) item(head string, q quotation, most int) bool {
	room := p.roomBelow(head)
	if p.full || room < q.marks()+min(worthQuoting, utf8.RuneCountInString(q.text)) {
		p.full = true
		return false
	}
	if !p.quoted {
		p.b.Grow(p.room())
		p.put(memory.QuoteNotice + "\n")
		p.quoted = true
	}
	p.line("%s", head)
	p.put(q.within(room, most) + "\n")
	return true
}

// fits reports whether there is room for a whole item.
func (p *page) fits(head string, q quotation) bool {
	return !p.full && utf8.RuneCountInString(memory.Quote(q.id, q.origin, q.saved, q.text)) <= p.roomBelow(head)
}

// session quotes a text about a session, as many whole lines as fit, and returns these.
func (p *page) session(id string, at time.Time, text string) (kept string) {
	if strings.TrimSpace(text) == "" {
		return ""
	}
	kept = wholeLines(memory.PlainText(text), p.room()-400)
	p.item("From its log:", quotation{id, "session", at, kept}, maxText)
	if len(kept) < len(trimmed(text)) {
		p.line("The rest is in this answer's data.")
	}
	return kept
}

// roomBelow is how many characters are left for a quotation below a head line.
func (p *page) roomBelow(head string) int {
	return p.room() - utf8.RuneCountInString(head) - len(memory.QuoteNotice)
}

// share is how many characters of its text an item may have, if left items, the first of
// them this one, are to share the room.
func (p *page) share(head string, q quotation, left int) int {
	return max(p.room()/left-utf8.RuneCountInString(head)-q.marks(), worthQuoting)
}

// worthQuoting is how many characters of a longer text must fit for it to be quoted.
const worthQuoting = 160

// quotation is a piece of stored text and its origin.
type quotation struct {
	id     string
	origin domain.Origin
	saved  time.Time
	text   string
}

// marks is the length of the marks around the text in characters. Most of it is the
// id, which may have hundreds of characters.
func (q quotation) marks() int {
	return utf8.RuneCountInString(memory.QuotePlain(q.id, q.origin, q.saved, ""))
}

// within quotes at most most characters of the text, and at most room characters with
// marks. Escaping makes a text longer, so it is shortened until it fits.
func (q quotation) within(room, most int) string {
	text := domain.Clip(trimmed(q.text), 4*maxText) // more would not be shown anyway
	text = domain.Clip(memory.PlainText(text), most)
	for {
		quoted := memory.QuotePlain(q.id, q.origin, q.saved, text)
		over := utf8.RuneCountInString(quoted) - room
		if over <= 0 || text == "" {
			return quoted
		}
		text = domain.Clip(text, utf8.RuneCountInString(text)-over)
	}
}

// trimmed is a text without blank lines before it and space behind it. Its first line
// keeps its indentation.
func trimmed(text string) string {
	text = strings.TrimRightFunc(text, unicode.IsSpace)
	blank := len(text) - len(strings.TrimLeftFunc(text, unicode.IsSpace))
	return text[strings.LastIndexByte(text[:blank], '\n')+1:]
}

// wholeLines is as much of text as fits into n characters, ending at the end of a
// line.
func wholeLines(text string, n int) string {
	runes := []rune(trimmed(text))
	if len(runes) <= n {
		return string(runes)
	}
	kept := domain.Head(string(runes), len(string(runes[:max(n, 0)])))
	if at := strings.LastIndexByte(kept, '\n'); at > 0 {
		return kept[:at]
	}
	return domain.Clip(kept, n)
}

// room is how many characters are left before the closing lines.
func (p *page) room() int { return max(maxText-endRoom-p.used, 0) }

func (p *page) put(s string) {
	p.b.WriteString(s)
	p.used += utf8.RuneCountInString(s)
}

// next writes the call that comes next.
func (p *page) next(tool string, args ...string) {
	p.line("Next: %s", call(tool, args...))
}

// more writes the call for the next page of a list.
func more[In any](p *page, tool string, args In, cursor string) {
	p.next(tool, append(repeated(args), "cursor", asJSON(cursor))...)
}

// repeated returns the arguments of a call except its cursor. A cursor is only valid with
// the arguments it was made for.
func repeated[In any](args In) []string {
	var list []string
	v := reflect.ValueOf(args)
	for _, f := range fieldsOf(v.Type()) {
		if value := v.FieldByIndex(f.index); f.name != "cursor" && !value.IsZero() {
			list = append(list, f.name, shorten(json.RawMessage(asJSON(value.Interface()))))
		}
	}
	return list
}

// String returns the text, at most maxText characters.
func (p *page) String() string { return domain.Clip(strings.TrimRight(p.b.String(), "\n"), maxText) }

// call writes a tool call as a model would make it. args are pairs of name and value.
func call(tool string, args ...string) string {
	parts := make([]string, 0, len(args)/2)
	for i := 0; i+1 < len(args); i += 2 {
		parts = append(parts, asJSON(args[i])+":"+args[i+1])
	}
	return tool + " {" + strings.Join(parts, ",") + "}"
}

// oneLine makes stored text safe as part of a line.
func oneLine(s string) string {
	return strings.ReplaceAll(memory.Unquoted(s), "\n", " ")
}

// day writes a time for a list.
func day(t time.Time) string {
	if t.IsZero() {
		return "never"
	}
	return t.UTC().Format("2006-01-02 15:04Z")
}

// prefixed puts prefix before text, unless text is "".
func prefixed(prefix, text string) string {
	if text == "" {
		return ""
	}
	return prefix + text
}
