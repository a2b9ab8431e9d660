package transcript

import (
	"slices"
	"strings"

	"wake/domain"
)

// firstLine returns the beginning of a text, for use as a label.
func firstLine(text string, limit int) string {
	text, _, _ = strings.Cut(strings.TrimSpace(text), "\n")
	return domain.Clip(text, limit)
}

// beginsWith reports whether a text begins with one of some others.
func beginsWith(text string, begins ...string) bool {
	return slices.ContainsFunc(begins, func(b string) bool { return strings.HasPrefix(text, b) })
}

// elementName returns the name of the element at the start of a text, or "".
func elementName(t string) string {
	if !strings.HasPrefix(t, "<") {
		return ""
	}
	end := strings.IndexAny(t, "> \n")
	if end < 0 {
		return ""
	}
	return t[1:end]
}

// insideElement returns the contents of the first element of that name, or "".
func insideElement(text, name string) string {
	_, rest, _ := strings.Cut(text, "<"+name+">")
	inside, _, closed := strings.Cut(rest, "</"+name+">")
	if !closed {
		return ""
	}
	return inside
}
