package transcript

import (
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"sync"
)

// phrases are ways to say a thing. Most sentences say none of them, so that each is
// looked for only where a text that it cannot do without is there.
type phrases []phrase

type phrase struct {
	needs   []string // one of these is in all that matches; none: unknown
	pattern func() *regexp.Regexp
}

// anyOf reads expressions that are matched against text in lower case: to fold each
// letter within them takes twice as long.
func anyOf(expressions ...string) phrases {
	all := make(phrases, len(expressions))
	for i, expr := range expressions {
		all[i].pattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
		if tree, err := syntax.Parse(expr, syntax.Perl); err == nil {
			all[i].needs = needed(tree)
		}
	}
	return all
}

// in reports whether a text says one of the phrases.
func (p phrases) in(text string) bool {
	return slices.ContainsFunc(p, func(one phrase) bool {
		there := len(one.needs) == 0 || slices.ContainsFunc(one.needs, func(s string) bool { return strings.Contains(text, s) })
		return there && one.pattern().MatchString(text)
	})
}

// needed are texts of which every match of an expression holds one; nil where that
// cannot be told.
func needed(e *syntax.Regexp) (best []string) {
	switch e.Op {
	case syntax.OpLiteral:
		return []string{string(e.Rune)}
	case syntax.OpCapture, syntax.OpPlus:
		return needed(e.Sub[0])
	case syntax.OpConcat:
		for _, sub := range e.Sub {
			if texts := needed(sub); shortest(texts) > shortest(best) {
				best = texts
			}
		}
	case syntax.OpAlternate:
		for _, sub := range e.Sub {
			texts := needed(sub)
			if texts == nil {
				return nil
			}
			best = append(best, texts...)
		}
	}
	return best
}

// shortest is the length of the shortest text, 0 where there is none.
func shortest(texts []string) int {
	if len(texts) == 0 {
		return 0
	}
	return len(slices.MinFunc(texts, func(a, b string) int { return len(a) - len(b) }))
}
