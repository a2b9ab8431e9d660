package transcript

import (
	"strings"
)

// People paste whole documents: plans, briefs that a program wrote, the texts of
// commands. These give orders and state rules in dozens, and none is the person's own word.

// handedPlan is the plan with which a client begins a fresh conversation, "" where a
// message is something else. The person approved it before.
func handedPlan(text string) string {
	plan, is := strings.CutPrefix(strings.TrimSpace(text), "Implement the following plan:\n")
	if !is {
		return ""
	}
	plan, _, _ = strings.Cut(plan, "\nIf you need specific details from before exiting plan mode")
	return plan
}

// ownWords is what a person says in a message without the document in it: all up to the
// first heading where there are several, and nothing where most is a long list.
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

// A message of so many bytes with so many points is a brief.
const (
	longBrief  = 1000
	manyPoints = 8
)

var (
	titles = lazily(`(?m)^#{1,6} \S`)
	points = lazily(`(?m)^ *([-*•]|\d{1,2}[.)]) \S`)
)
