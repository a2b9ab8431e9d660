package memory

import (
	"slices"
	"strings"
	"unicode/utf8"

	"wake/domain"
	"wake/secret"
)

// telling is a text being written within a budget of characters.
type telling struct {
	b    strings.Builder
	left int
	end  string
	told bool            // whether an item was written
	ids  map[string]bool // of the contexts written so far
	said []string        // their texts

	contexts []domain.ContextSnapshot // the contexts written so far, in order
}

func newTelling(budget int, head, end string) *telling {
	t := &telling{left: budget - utf8.RuneCountInString(end), end: end, ids: map[string]bool{}}
	t.line(head)
	return t
}

// line writes a line if it fits and reports whether it did.
func (t *telling) line(text string) bool {
	n := utf8.RuneCountInString(text) + 1
	if n > t.left {
		return false
	}
	t.left -= n
	t.b.WriteString(text + "\n")
	return true
}

// within is section with at most `most` characters of the room.
func (t *telling) within(most int, heading string, contexts []domain.ContextSnapshot) {
	rest := max(t.left-most, 0)
	t.left -= rest
	t.section(heading, contexts)
	t.left += rest
}

// section writes the contexts that fit under a heading, if need be without their
// reasons, skipping those written before.
func (t *telling) section(heading string, contexts []domain.ContextSnapshot) {
	for _, c := range contexts {
		text, why := inBrief(c)
		switch {
		case t.ids[c.ID]:
			continue
		case why == "" && t.says(text):
		case t.item(heading, quoteContext(c, text+why)), t.item(heading, quoteContext(c, text)):
			heading = ""
			t.said = append(t.said, text)
		default:
			continue
		}
		t.ids[c.ID], t.contexts = true, append(t.contexts, c)
	}
}

// says reports whether a context written before has all of the text: a fix repeats its cause.
func (t *telling) says(text string) bool {
	return slices.ContainsFunc(t.said, func(s string) bool { return strings.Contains(s, text) })
}

// item writes a quoted item, under the heading unless that is "", if both fit.
func (t *telling) item(heading, text string) bool {
	if heading != "" {
		text = heading + "\n" + text
	}
	fits := t.line(text)
	t.told = t.told || fits
	return fits
}

// longest writes the longest form of a quoted item that takes at most `most` characters, or
// else the shortest.
func (t *telling) longest(heading string, forms []string, most int) {
	for i, form := range forms {
		if shortest := i == len(forms)-1; shortest || utf8.RuneCountInString(heading+form)+2 <= most {
			t.item(heading, form)
			return
		}
	}
}

// inBrief puts a context into a line, and its reason into another, which may be "".
func inBrief(c domain.ContextSnapshot) (text, why string) {
	const length = 300
	text = domain.Clip(c.Summary, length)
	if why = whyBesides(c, text); why != "" {
		why = "\nwhy: " + domain.Clip(secret.Mask(why), length) // masked first: half of a secret is not recognized
	}
	return text, why
}

// whyBesides returns the reason of a context. That of a distilled one is often part of
// its text, and is not told again.
func whyBesides(c domain.ContextSnapshot, text string) string {
	if c.Causality == nil || strings.Contains(text, c.Causality.Rationale) {
		return ""
	}
	return c.Causality.Rationale
}

// String returns "" if no item was written.
func (t *telling) String() string {
	if !t.told {
		return ""
	}
	return t.b.String() + t.end
}
