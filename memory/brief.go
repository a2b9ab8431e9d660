package memory

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"wake/domain"
	"wake/recall"
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
	return told.String(), nil
}

// Related brings back, in at most budget characters, contexts that clearly
// belong to a prompt; "" where none does. What session already knows of, because
// it was saved or handed out there, is left out.
func (s *Service) Related(ctx context.Context, by Caller, project, prompt string, budget int) (string, error) {
	if may, err := s.mayBeRelevant(ctx, project, prompt); err != nil || !may {
		return "", err
	}
	a, err := s.Search(ctx, SearchRequest{By: by, Query: prompt, Project: project, In: InContexts, Limit: 5})
	if err != nil {
		return "", err
	}
	var clear []domain.ContextSnapshot
	for _, h := range a.Hits {
		if h.SupersededBy == "" && (h.SessionID == "" || h.SessionID != by.SessionID) && clearlyRelevant(prompt, h) {
			clear = append(clear, domain.ContextSnapshot{ID: h.ID, Summary: orElse(h.Snippet, h.Summary), Timestamp: h.Timestamp, Origin: h.Origin, SavedAt: h.Timestamp})
		}
	}
	if len(clear) == 0 {
		return "", nil
	}
	told := newTelling(budget, "wake remembers what may belong to this. "+QuoteNotice, "")
	told.section("", clear)
	return told.String(), nil
}

// everyday are words that most prompts to an assistant have, whatever they are
// about.
const everyday = `add app break build call change check class code command comment commit correct create data default
	delete describe directory do document edit error example explain fail feature file find fix folder format function give
	go good help implement issue keep last line list look make method model move need new next number output page plan please
	problem project prompt put read refactor remove rename repository request result review run same save set show start
	stop string summary task test text thing time try type update use user value variable version want way word work write`

var everydayTerms = sync.OnceValue(func() []string { return recall.Analyze(everyday) })

// fewestCommon is how many words, beside everyday ones, a context must have in
// common with a prompt that it clearly belongs to.
const fewestCommon = 3

// tellingTerms are the terms of a text, each once, without everyday ones.
func tellingTerms(terms []string) []string {
	return slices.DeleteFunc(distinct(terms), func(t string) bool { return slices.Contains(everydayTerms(), t) })
}

// mayBeRelevant looks, without ranking anything, whether the project's contexts
// know enough words of a prompt for one of them to be clearly relevant.
func (s *Service) mayBeRelevant(ctx context.Context, project, prompt string) (bool, error) {
	telling := tellingTerms(recall.Understand(headOf(prompt, domain.MaxQuery)).Terms)
	if len(telling) < fewestCommon {
		return false, nil
	}
	scope, err := s.searchIndex(domain.ContextSpace).Scope(ctx, s.readProject(project), nil)
	if err != nil {
		return false, err
	}
	known, err := scope.Stats(ctx, telling)
	if err != nil {
		return false, err
	}
	common := 0
	for _, documents := range known.DF {
		common += min(documents, 1)
	}
	return common >= fewestCommon, nil
}

// clearlyRelevant asks for words in common, beside everyday ones, that make up most
// of the shorter side: a prompt that merely touches a subject brings nothing back.
func clearlyRelevant(prompt string, h domain.Hit) bool {
	const share = 0.5
	asked := distinct(recall.Understand(prompt).Terms)
	has := recall.Analyze(h.Snippet + "\n" + h.Summary + "\n" + strings.Join(h.Tags, " "))
	common := 0
	for _, t := range tellingTerms(asked) {
		if slices.Contains(has, t) {
			common++
		}
	}
	return common >= fewestCommon && float64(common) >= share*float64(min(len(asked), len(distinct(has))))
}

// telling is a text under way that keeps to a budget of characters.
type telling struct {
	b    strings.Builder
	left int
	end  string
	ids  map[string]bool // told already
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
		t.ids[c.ID] = t.line(item)
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
