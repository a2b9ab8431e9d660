package session

import (
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"wake/domain"
)

// teller writes the lines of a story as long as there is room.
type teller struct {
	Story
	b    strings.Builder
	left int    // characters
	told []Said // messages of the user that a context has told whole

	small, tight bool // there is little room

	spare int  // characters that the reply may have beyond its share
	given int  // of these, what it took
	cut   bool // the reply was cut
}

// line writes a line if it fits, and reports whether it does. "" is no line.
func (t *teller) line(text string) bool {
	if !t.fits(text) {
		return false
	}
	t.left -= runes(text)
	if text != "" {
		t.b.WriteString(text + "\n")
	}
	return true
}

// fits reports whether there is room for all of the lines.
func (t *teller) fits(lines ...string) bool {
	n := 0
	for _, text := range lines {
		n += runes(text)
	}
	return n <= t.left
}

// runes is the length of a line with its newline in characters, 0 for no line.
func runes(line string) int {
	if line == "" {
		return 0
	}
	return utf8.RuneCountInString(line) + 1
}

// reserve keeps room for a line, until it is written by [teller.reserved].
func (t *teller) reserve(text string) { t.left -= runes(text) }

func (t *teller) reserved(text string) {
	t.left += runes(text)
	t.line(text)
}

// list writes a heading and the items that fit, and the number of the others. It
// returns how many items it wrote.
func (t *teller) list(heading string, items []string, more string) int {
	if len(items) == 0 || !t.fits(heading, items[0]) {
		return 0
	}
	t.line(heading)
	for i, item := range items {
		rest := fmt.Sprintf("- … and %d more: %s", len(items)-i, more)
		last := i == len(items)-1
		if !t.fits(item, rest) && !(last && t.fits(item)) {
			t.line(rest)
			return i
		}
		t.line(item)
	}
	return len(items)
}

// MessageURI is the URI of the resource with a whole message.
func MessageURI(sessionID string, seq int64) string {
	return fmt.Sprintf("wake://sessions/%s/messages/%d", sessionID, seq)
}

// shortURI is the same within a text that names the session's URI at its end.
func shortURI(seq int64) string { return fmt.Sprintf("…/messages/%d", seq) }

// Ago describes a past time by its distance d.
func Ago(d time.Duration) string {
	if d < time.Minute {
		return "just now"
	}
	return HowLong(d) + " ago"
}

// HowLong describes a duration by its largest unit: 40 s, 3 min, 5 h, 7 days.
func HowLong(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h", int(d.Hours()))
	}
	return fmt.Sprintf("%d days", int(d.Hours()/24))
}

// OneLine returns text on one line, cut to at most n characters, for headings and
// lists.
func OneLine(text string, n int) string {
	return domain.Clip(oneLine(text), n)
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// ends tells how a message begins and ends that is too long to be told: its first and last
// line with a word, those of at most n characters. Who pastes a log says before or behind
// it what is wanted.
func ends(text string, n int, indent string) string {
	var first, last string // last is "" if there is only one
	for line := range strings.Lines(text) {
		switch {
		case !strings.ContainsFunc(line, unicode.IsLetter):
		case first == "":
			first = strings.TrimSpace(line)
		default:
			last = strings.TrimSpace(line)
		}
	}
	var out string
	tell := func(what, line string) {
		if line != "" && utf8.RuneCountInString(line) <= n {
			out += "\n" + indent + what + line
		}
	}
	tell("It begins: ", first)
	tell("It ends: ", last)
	return out
}

// ellipsis stands where something was cut.
const ellipsis = "…"

// BothEnds returns text on one line, cut in the middle to at most n characters: what is
// wanted stands before or behind what was pasted.
func BothEnds(text string, n int) string {
	text = oneLine(text)
	if utf8.RuneCountInString(text) <= n {
		return text
	}
	return domain.Clip(text, n-n/2) + lastOf(text, n/2)[len(ellipsis):]
}

// lastOf returns the end of a text on one line, cut to at most n characters.
func lastOf(text string, n int) string {
	text = oneLine(text)
	if utf8.RuneCountInString(text) <= n {
		return text
	}
	start := len(text)
	for range n - 1 {
		_, size := utf8.DecodeLastRuneInString(text[:start])
		start -= size
	}
	for domain.Break(text, start) < start {
		start++
	}
	return ellipsis + text[start:]
}
