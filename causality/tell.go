package causality

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"wake/domain"
)

// tellAtMost bounds each list of the told reasoning; what is beyond it is only counted.
const tellAtMost = 40

// Tell recounts why the start of the chain exists: its rationale, its causes
// from the root on, what it depends on, what followed from it and what replaced
// it, each by id. The texts in it are stored text.
func Tell(ch Chain) string {
	t := teller{chain: ch, byID: make(map[string]Node, len(ch.Nodes)), titles: make(map[string]string, len(ch.Named)), told: map[string]bool{}}
	for _, n := range ch.Nodes {
		t.byID[n.Context.ID] = n
	}
	for _, c := range ch.Named {
		t.titles[c.ID] = title(c)
	}
	start := t.byID[ch.Start]
	t.subject(start)
	t.causes(start)
	t.dependencies(start)
	t.effects()
	t.superseded(start)
	t.warnings()
	return strings.TrimRight(t.text.String(), "\n")
}

type teller struct {
	chain  Chain
	byID   map[string]Node
	titles map[string]string // titles of the contexts beside the chain, by id
	told   map[string]bool   // ids of the causes written so far
	text   strings.Builder
}

func (t *teller) line(format string, args ...any) { fmt.Fprintf(&t.text, format+"\n", args...) }

// name is the title of a context, or the id of one that is not known.
func (t *teller) name(id string) string {
	if n, ok := t.byID[id]; ok {
		return title(n.Context)
	}
	return cmp.Or(t.titles[id], id)
}

func (t *teller) subject(start Node) {
	t.line("%s", title(start.Context))
	if why := rationale(start.Context); why != "" {
		t.line("Why: %s", why)
	}
}

// causes follows the line of causes back to its root and tells it from there.
func (t *teller) causes(start Node) {
	line, behind := t.lineage(start)
	switch {
	case slices.Contains(t.chain.Lost, behind):
		t.line("It goes back to %s, which this store does not hold (lost).", behind)
	case len(line) == 0 && behind != "":
		t.line("It was caused by %s", t.name(behind))
	case start.Context.IsRootCause():
		t.line("It is a root: nothing stored caused it.")
	case !start.Context.HasCausality():
		t.line("Nothing is known about why it exists.")
	}
	if len(line) == 0 {
		return
	}
	from := "the root"
	if causedBy(line[len(line)-1].Context) != "" {
		from = "the first step that is shown"
	}
	t.line("How it came about, from %s:", from)
	slices.Reverse(line)
	if between := len(line) - tellAtMost/2 - 1; between > 0 { // the first steps and the last
		t.steps(line[:tellAtMost/2])
		t.line("  … %d more steps …", between)
		line = line[len(line)-1:]
	}
	t.steps(line)
}

// lineage lists the causes of a node, nearest first, up to the root or a cycle. behind is
// the next cause where that is not in the chain: it is lost, was cut off, or causes were
// not asked for. Else it is "".
func (t *teller) lineage(n Node) (line []Node, behind string) {
	seen := map[string]bool{n.Context.ID: true}
	for {
		id := causedBy(n.Context)
		if seen[id] {
			return line, ""
		}
		parent, ok := t.byID[id]
		if !ok {
			return line, id
		}
		seen[id] = true
		line = append(line, parent)
		n = parent
	}
}

func (t *teller) steps(line []Node) {
	for _, n := range line {
		t.line("  - %s", title(n.Context))
		t.told[n.Context.ID] = true
		if why := rationale(n.Context); why != "" {
			t.line("    because %s", withoutBecause(why))
		}
	}
}

// withoutBecause returns a reason without the word that it is told with.
func withoutBecause(why string) string {
	const because = "because "
	if len(why) > len(because) && strings.EqualFold(why[:len(because)], because) {
		return why[len(because):]
	}
	return why
}

// dependencies tells what the start builds on, automatic links with their reason. What was
// told as its cause is not told again, nor is a link that wake found to any of the causes.
func (t *teller) dependencies(start Node) {
	var told []string
	for _, l := range t.edges(start) {
		if l.Kind != domain.Dependency || t.told[l.To] && (l.Origin == domain.Auto || l.To == causedBy(start.Context)) {
			continue
		}
		what := t.name(l.To)
		if l.Origin == domain.Auto {
			what += fmt.Sprintf(" (found by wake, %.0f %%: %s)", l.Confidence*100, l.Reason)
		}
		told = append(told, what)
	}
	t.list("It builds on:", told)
}

// edges lists the links from the start into the chain and to the named contexts beside it.
func (t *teller) edges(start Node) (out []domain.Link) {
	for _, l := range t.chain.Edges {
		if l.From == start.Context.ID {
			out = append(out, l)
		}
	}
	for _, l := range t.chain.Beside {
		if l.From == start.Context.ID && t.titles[l.To] != "" {
			out = append(out, l)
		}
	}
	return out
}

func (t *teller) effects() {
	var told []string
	further := 0
	for _, n := range t.chain.Nodes {
		switch {
		case n.Depth == 1:
			told = append(told, title(n.Context))
		case n.Depth > 1:
			further++
		}
	}
	t.list("What followed from it:", told)
	if further > 0 {
		t.line("  and %d more behind those", further)
	}
}

func (t *teller) superseded(start Node) {
	if by := start.Context.SupersededBy; by != "" {
		t.line("It no longer holds: superseded on %s by %s", start.Context.SupersededAt.Format("2006-01-02"), t.name(by))
	}
	for _, l := range t.edges(start) {
		if l.Kind == domain.Supersedes {
			t.line("It replaced %s", strings.TrimSuffix(t.name(l.To), noLonger)) // which says so already
		}
	}
}

func (t *teller) warnings() {
	for _, c := range t.chain.Cycles {
		t.line("Warning: these lead back to themselves: %s", strings.Join(append(c, c[0]), " → "))
	}
	if t.chain.Truncated {
		t.line("There is more than is shown; raise max_depth or limit.")
	}
}

func (t *teller) list(head string, items []string) {
	if len(items) == 0 {
		return
	}
	t.line("%s", head)
	for i, item := range items {
		if i == tellAtMost {
			t.line("  … %d more", len(items)-i)
			return
		}
		t.line("  - %s", item)
	}
}

// title names a context in one line: what it was, when, what it says, its id, and
// whether it still holds.
func title(c domain.ContextSnapshot) string {
	what := "note"
	if c.Causality != nil {
		what = strings.ReplaceAll(string(c.Causality.ActionType), "_", " ")
	}
	return fmt.Sprintf("%s of %s: %s [%s]%s", what, c.Timestamp.Format("2006-01-02"), oneLine(c.Summary), c.ID, mark(c))
}

// noLonger follows the name of a context that no longer holds.
const noLonger = " (superseded)"

func mark(c domain.ContextSnapshot) string {
	if c.SupersededBy == "" {
		return ""
	}
	return noLonger
}

func rationale(c domain.ContextSnapshot) string {
	if c.Causality == nil {
		return ""
	}
	return c.Causality.Rationale
}

func causedBy(c domain.ContextSnapshot) string {
	if c.Causality == nil {
		return ""
	}
	return c.Causality.CausedBy
}

// oneLine replaces line breaks and other control characters by blanks.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || domain.IsHidden(r) {
			return ' '
		}
		return r
	}, s)
}
