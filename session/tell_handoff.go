package session

import (
	"cmp"
	"fmt"
	"strings"
	"unicode/utf8"

	"wake/domain"
)

// handoffRoom is how many characters a told hand-off may have, and leastTold how many each of
// its texts has in any case.
const (
	handoffRoom = 5_000
	leastTold   = 400
)

// TellHandoff describes a hand-off. Where its texts do not fit as a whole, the longer ones are
// cut.
func TellHandoff(h domain.Handoff) string {
	text := tellHandoff(h, leastTold)
	for most := 2 * leastTold; most < 2*handoffRoom; most *= 2 {
		longer := tellHandoff(h, most)
		if utf8.RuneCountInString(longer) > handoffRoom {
			break
		}
		text = longer
	}
	return text
}

// tellHandoff describes a hand-off with at most so many characters of each text.
func tellHandoff(h domain.Handoff, most int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Hand-off %s → %s (%s)\n", cmp.Or(h.FromMode, "start"), h.ToMode, h.ID)
	if h.Task != "" {
		fmt.Fprintf(&b, "Task: %s\n", h.Task)
	}
	if len(h.Skills)+len(h.Tools) > 0 {
		fmt.Fprintf(&b, "Skills: %s. Tools: %s.\n", cmp.Or(strings.Join(h.Skills, ", "), "none"), cmp.Or(strings.Join(h.Tools, ", "), "none"))
	}
	for _, mode := range sortedKeys(h.Findings) {
		tellFindings(&b, mode, h.Findings[mode], most)
	}
	for _, r := range h.Reasoning {
		fmt.Fprintf(&b, "thought: %s\n", short(r.Content, most))
	}
	for _, m := range h.Messages {
		fmt.Fprintf(&b, "[%s %s] %s\n", m.Role, m.At.UTC().Format("2006-01-02 15:04Z"), cmp.Or(m.Pointer, short(m.Content, most)))
	}
	return b.String()
}

func tellFindings(b *strings.Builder, mode string, f domain.ModeFindings, most int) {
	if mode != "" {
		mode += ", "
	}
	for _, e := range f.Errors {
		fmt.Fprintf(b, "%serror: %s\n", mode, short(e, most))
	}
	if f.RootCause != "" {
		fmt.Fprintf(b, "%sroot cause: %s\n", mode, short(f.RootCause, most))
	}
	for _, x := range f.Fixes {
		fmt.Fprintf(b, "%sfix: %s\n", mode, short(x, most))
	}
	for _, n := range f.Notes {
		fmt.Fprintf(b, "%snote: %s\n", mode, short(n, most))
	}
}
