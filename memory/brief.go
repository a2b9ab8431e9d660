package memory

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"wake/domain"
)

// How many of each a brief looks at; the budget decides how many it tells.
const (
	briefLikely    = 5
	briefDecisions = 5
)

// Brief tells in at most budget characters what matters in a project now: what
// will probably be needed next, and the latest decisions. It is "" where nothing
// is stored. What it tells counts as handed out.
func (s *Service) Brief(ctx context.Context, by Caller, project string, budget int) (string, error) {
	likely, err := s.Load(ctx, LoadRequest{By: by, Project: project, Mode: ModeLikely, Limit: briefLikely})
	if err != nil || len(likely.Contexts) == 0 {
		return "", err
	}
	decided, err := s.Load(ctx, LoadRequest{By: by, Project: project, Limit: briefDecisions,
		Filter: Filter{ActionTypes: []domain.ActionType{domain.Decision}}})
	if err != nil {
		return "", err
	}
	told := newTelling(budget, fmt.Sprintf("wake remembers project %s. %s", orElse(project, s.DefaultProject), QuoteNotice),
		"More: search_context with a question, causal_chain with an id for the why.")
	told.section("Probably needed next:", likely.Contexts)
	told.section("Latest decisions:", decided.Contexts)
	return told.String(), s.markTold(ctx, by.SessionID, told.contexts)
}

// telling is a text under way that keeps to a budget of characters.
type telling struct {
	b    strings.Builder
	left int
	end  string
	ids  map[string]bool // told already

	contexts []domain.ContextSnapshot // the same, in their order
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

// section writes the contexts that fit under a heading, each once.
func (t *telling) section(heading string, contexts []domain.ContextSnapshot) {
	for _, c := range contexts {
		item := Quote(c.ID, c.Origin, c.SavedAt, telltale(c))
		if t.ids[c.ID] || utf8.RuneCountInString(heading)+utf8.RuneCountInString(item)+2 > t.left {
			continue
		}
		if heading != "" {
			t.line(heading)
			heading = ""
		}
		t.line(item)
		t.ids[c.ID], t.contexts = true, append(t.contexts, c)
	}
}

// telltale is one context in a line or two.
func telltale(c domain.ContextSnapshot) string {
	const length = 300
	text := cut(c.Summary, length)
	if c.Causality != nil && c.Causality.Rationale != "" {
		text += "\nwhy: " + cut(c.Causality.Rationale, length)
	}
	return text
}

// String is "" when nothing was told.
func (t *telling) String() string {
	if len(t.ids) == 0 {
		return ""
	}
	return t.b.String() + t.end
}
