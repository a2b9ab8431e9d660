package transcript

import (
	"strings"
	"time"
	"unicode/utf8"

	"wake/domain"
)

// importedContext makes a context of a memory that another product kept. Its id is
// derived from its source and content, so that importing it twice makes one context,
// and a memory that was changed makes another. at is when it was learnt, or zero if
// unknown.
func importedContext(format Format, sourceID string, at time.Time, content string) *domain.ContextSnapshot {
	content = strings.ReplaceAll(strings.ToValidUTF8(content, "\uFFFD"), "\x00", "")
	return &domain.ContextSnapshot{
		ID:        domain.DerivedID(string(format), sourceID, content),
		Content:   content,
		Source:    string(format),
		Timestamp: domain.Moment(at),
		Origin:    domain.FromImport,
		Kind:      domain.Episodic,
		Metadata:  map[string]any{"source_id": sourceID},
	}
}

// summarize gives a context the summary that it has in its source, if there is one.
func summarize(c *domain.ContextSnapshot, text string) {
	if text = firstRunes(strings.TrimSpace(text), domain.MaxSummary); text != "" {
		c.Summary, c.SummaryBy = text, domain.ByCaller
	}
}

// firstRunes returns at most n characters from the beginning of a text.
func firstRunes(text string, n int) string {
	if r := []rune(text); len(r) > n {
		return string(r[:n])
	}
	return text
}

// cutName fits a foreign name (of a project, or a tag) into wake's limits; "" if
// nothing usable is left.
func cutName(name string) string {
	name = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == utf8.RuneError {
			return -1
		}
		return r
	}, strings.TrimSpace(name))
	return strings.TrimSpace(firstRunes(name, domain.MaxName))
}

// cutTags fits foreign tags into wake's limits, without repeats. One with commas is
// split.
func cutTags(tags ...string) []string {
	var all []string
	seen := map[string]bool{}
	for t := range strings.SplitSeq(strings.Join(tags, ","), ",") {
		t = strings.ToLower(cutName(t))
		if t != "" && !seen[t] && len(all) < domain.MaxTags {
			seen[t] = true
			all = append(all, t)
		}
	}
	return all
}
