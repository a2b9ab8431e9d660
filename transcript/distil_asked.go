package transcript

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// What an assistant asks at the end of a message is what a person's next words answer.

// question is what a message asks in the end, in the words that say most; "" where it
// asks nothing but for a yes.
func (t turned) question() (best string) {
	most := 2
	for _, s := range t.closing() {
		text := numbered().ReplaceAllString(s.text, "")
		if words := len(wordSet(text)); strings.HasSuffix(text, "?") && !s.item && len(text) <= maxLead && words > most && !leaveAsked().in(strings.ToLower(text)) {
			best, most = text, words
		}
	}
	return best
}

// leavesChoice reports whether a message ends by asking which of several things to take.
func (t turned) leavesChoice() bool {
	all := t.closing()
	return len(all) > 0 && (asksChoice(all) || len(t.options()) > 1)
}

// asksChoice reports whether one of the sentences asks which of several things to take.
func asksChoice(all []sentence) bool {
	return slices.ContainsFunc(all, func(s sentence) bool {
		lower := strings.ToLower(s.text)
		return strings.HasSuffix(lower, "?") && (alternatives().in(lower) || agreed().in(lower))
	})
}

// closing are the sentences of a message that ends with a question, headings too.
func (t turned) closing() []sentence {
	if len(t.text) > maxAsking || !strings.HasSuffix(strings.TrimRight(t.text, " \n*_"), "?") {
		return nil
	}
	return splitSentences(emphasis.Replace(t.text))
}

// maxAsking is the longest message, in bytes, that is read for what it asks in the end.
const maxAsking = 4000

var (
	numbered = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?i:(question|q|decision) ?\d+ ?[:.)–—-]) *`) })
	agreed   = sync.OnceValue(func() phrases {
		return anyOf(`\b(do you|would you|you) agree\b|\bwhat (\S+ ){1,3}(should|shall|do you want)\b|^agreed\b|\bwhat's your (preference|pick|choice)\b|\bwhat do you think\b`)
	})
	leaveAsked = sync.OnceValue(func() phrases {
		return anyOf(`\b(want me to|would you like me to|do you agree|(should|shall) i (proceed|go ahead|continue|start|do)|does (that|this|it) (match|look|sound|work|make))\b`)
	})
)
