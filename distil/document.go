package distil

import (
	"strings"
)

// People paste whole documents: plans, briefs written by programs, texts of commands.
// These contain dozens of orders and rules that are not the person's own words.

// handedPlan returns the plan with which a client begins a fresh conversation, or ""
// for any other message. The person approved it before.
func handedPlan(text string) string {
	plan, is := strings.CutPrefix(strings.TrimSpace(text), "Implement the following plan:\n")
	if !is {
		return ""
	}
	plan, _, _ = strings.Cut(plan, "\nIf you need specific details from before exiting plan mode")
	return plan
}

// ownWords returns a person's words in a message without the document in it: everything
// up to the first heading if there are several, and nothing if most of it is a long
// list.
func ownWords(text string) string {
	if strings.Contains(text, "\n#") {
		if all := titles().FindAllStringIndex(text, 2); len(all) == 2 {
			return text[:all[0][0]]
		}
	}
	if len(text) > longBrief && len(points().FindAllStringIndex(text, manyPoints)) == manyPoints {
		return ""
	}
	return text
}

// A message with this many bytes and list items is a brief.
const (
	longBrief  = 1000
	manyPoints = 8
)

var (
	titles = lazily(`(?m)^#{1,6} \S`)
	points = lazily(`(?m)^ *([-*•]|\d{1,2}[.)]) \S`)
)
