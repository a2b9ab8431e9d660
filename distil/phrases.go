package distil

import (
	"regexp"
	"regexp/syntax"
	"strings"
	"sync"
)

// phrases is a set of expressions. Most sentences match none of them, so each
// expression is tried only if the text contains the strings that it cannot match
// without.
type phrases []phrase

type phrase struct {
	needs   need
	pattern func() *regexp.Regexp
}

// anyOf compiles expressions in lower case, which is how they are matched.
// Case-insensitive matching would take twice as long.
func anyOf(expressions ...string) phrases {
	all := make(phrases, len(expressions))
	for i, expr := range expressions {
		all[i].pattern = lazily(expr)
		if tree, err := syntax.Parse(expr, syntax.Perl); err == nil {
			all[i].needs = needed(tree)
		}
	}
	return all
}

// phrasing returns phrases that are compiled on first use: every wake process links
// this package, and few distil.
func phrasing(expressions ...string) func() phrases {
	return sync.OnceValue(func() phrases { return anyOf(expressions...) })
}

// lazily returns a pattern that is compiled on first use.
func lazily(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

// in reports whether a text matches one of the phrases.
func (p phrases) in(text string) bool {
	w := worded(text)
	return w.says(p)
}

// wording is a text that is matched against many phrases.
type wording struct {
	text string
	held grams
}

// worded prepares a text, in lower case.
func worded(text string) wording { return asWritten(strings.ToLower(text)) }

// asWritten prepares a text for phrases with capitals.
func asWritten(text string) wording { return wording{text, gramsOf(text)} }

func (w *wording) says(p phrases) bool {
	for i := range p {
		if p[i].needs.metBy(&w.held) && p[i].pattern().MatchString(w.text) {
			return true
		}
	}
	return false
}
