package transcript

import (
	"regexp"
	"regexp/syntax"
	"sync"
)

// phrases are ways to say a thing. Most sentences say none of them, so that each is
// looked for only where the texts that it cannot do without are there.
type phrases []phrase

type phrase struct {
	needs   need
	pattern func() *regexp.Regexp
}

// anyOf reads expressions that are matched against text in lower case: to fold each
// letter within them takes twice as long.
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

// phrasing are phrases that are read at their first use: every process of wake has this
// package, and few distil.
func phrasing(expressions ...string) func() phrases {
	return sync.OnceValue(func() phrases { return anyOf(expressions...) })
}

// lazily makes a pattern that is compiled at its first use.
func lazily(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

// in reports whether a text says one of the phrases.
func (p phrases) in(text string) bool {
	w := worded(text)
	return w.says(p)
}

// wording is a text in lower case that is asked for many phrases.
type wording struct {
	text string
	held grams
}

func worded(text string) wording { return wording{text, gramsOf(text)} }

func (w *wording) says(p phrases) bool {
	for i := range p {
		if p[i].needs.metBy(&w.held) && p[i].pattern().MatchString(w.text) {
			return true
		}
	}
	return false
}
