package distil

import "strings"

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
// up to the first heading if there are several, or up to a pasted dialogue, and nothing if
// most of it is a long list. A brief in the person's own name has all of its words, a
// pasted dialogue aside.
func ownWords(text string) string {
	if strings.Contains(text, "\n#") {
		if all := titles().FindAllStringIndex(text, 2); len(all) == 2 && !inOwnName(text, all[0][0]) {
			return text[:all[0][0]]
		}
	}
	if at := dialogue(text); at >= 0 {
		return text[:at]
	}
	if len(text) > longBrief {
		if all := points().FindAllStringIndex(text, manyPoints); len(all) == manyPoints && !inOwnName(text, all[0][0]) {
			return ""
		}
	}
	return text
}

// dialogue returns where a dialogue begins in a message: lines that name their speaker, one
// of them more than once, and the person or an assistant among them. It returns -1 if there
// is none.
func dialogue(text string) int {
	if strings.Count(text, ": ") < 3 {
		return -1
	}
	all := spokenBy().FindAllStringSubmatchIndex(text, -1)
	if len(all) < 3 {
		return -1
	}
	times, most, known := map[string]int{}, 0, false
	for _, m := range all {
		name := strings.ToLower(text[m[2]:m[3]])
		times[name]++
		most, known = max(most, times[name]), known || partner().MatchString(name)
	}
	if most < 2 || !known {
		return -1
	}
	return all[0][0]
}

var (
	// spokenBy matches the beginning of a line that names its speaker.
	spokenBy = lazily(`(?m)^[>*_#\s]*([\pL][\pL\d ]{0,19})[*_]*:[*_]* \S`)
	partner  = lazily(`^(you|me|user|human|assistant|ai|bot|agent|claude|chat ?gpt|gpt|gemini|codex|copilot|cursor)$`)
)

// A message with this many bytes and list items is a brief.
const (
	longBrief  = 1000
	manyPoints = 8
)

var (
	titles = lazily(`(?m)^#{1,6} \S`)
	points = lazily(`(?m)^ *([-*•]|\d{1,2}[.)]) \S`)
)

// inOwnName reports whether the document that begins at i was written by the person who sends
// it: it asks to be told something, which a person may do of somebody else's document before
// it, and the message says "I" or "my" besides.
func inOwnName(text string, i int) bool {
	return asksForOwn().MatchString(text[i:]) && len(ownName().FindAllStringIndex(text, 3)) == 3
}

var (
	asksForOwn = lazily(`\b([Tt]ell|[Ss]how|[Aa]sk|[Ww]ait for) (me|my)\b`)
	ownName    = lazily(`\b(I|I['’](ll|m|d|ve)|[Mm]y)\b`)
)
