package distil

import (
	"slices"
	"strings"
)

// An answer may name one of the things that were open: "sqlite, one box".

// named reports whether an answer names one of the open alternatives: in a few words,
// of which at least one is shared, and about nothing else.
func (d *distiller) named(first string) bool {
	open := wordSet(d.open())
	if concluded := lastClause(first); len(strings.Fields(concluded)) < 6 && !states().in(concluded) && common(wordSet(concluded), open) > 0 {
		return true
	}
	opens := true // preceded by at most a word or two
	for _, clause := range strings.FieldsFunc(first, func(r rune) bool { return strings.ContainsRune(",.;!", r) }) {
		clause = opener().ReplaceAllString(strings.TrimSpace(clause), "")
		if strings.HasPrefix(clause, "@") || nextStep().in(clause) {
			continue // who is addressed, or what to do next
		}
		if judged().in(clause) && strings.Contains(d.asked.text, "?") {
			return true
		}
		words := len(strings.Fields(clause))
		if words <= 8 && !states().in(clause) && (d.resolves(clause, words) || d.takesOne(clause, words, opens, open)) {
			return true
		}
		opens = opens && words < 3
	}
	return false
}

// resolves reports whether a clause answers the person's own question: "the queue
// then", or an order to do what was in question.
func (d *distiller) resolves(clause string, words int) bool {
	about := strings.ToLower(d.asked.text)
	if kept, then := strings.CutSuffix(clause, " then"); then && words < 6 && !later().in(clause) {
		asks := strings.Contains(about, "?") && !diagnostic().in(about)
		if asks && len(wordSet(kept)) > 0 || common(wordSet(kept), wordSet(about)) > 0 {
			return true
		}
	}
	return words < 7 && len(about) <= maxQuestion && willed().in(about) && instructed(clause) && common(wordSet(clause), wordSet(about)) > 0
}

// takesOne reports whether a clause that opens the answer, or concludes it with "so",
// names one of the open alternatives, all or none.
func (d *distiller) takesOne(clause string, words int, opens bool, open map[string]bool) bool {
	concluded, so := strings.CutPrefix(clause, "so ")
	if !opens && !so || len(open) == 0 {
		return false
	}
	if allOrNone().in(clause) || common(wordSet(concluded), open) > 0 {
		return true
	}
	return words == 1 && !slices.Contains([]string{"so", "and", "but", "now", "then", "also", "well"}, clause) && mentions(d.asked.text, clause)
}

// open returns what was left to the person to decide: the person's own question about
// two things, what the assistant listed, or all of its answer to a question of which.
func (d *distiller) open() string {
	choice := d.asked.choice()
	if len(d.asked.text) <= maxQuestion && len(d.last.text) <= maxOffer && which().in(d.asked.text) {
		return choice + " " + d.last.text
	}
	for _, s := range d.last.sentences() {
		if alternatives().in(s.text) && !diagnostic().in(s.text) && !clarifies().in(s.text) && !offersTalk(s) && !offersWork(s) {
			return choice + " " + s.text + " " + strings.Join(d.last.options(), " ")
		}
	}
	return choice
}

// which matches how a person asks for one of many.
var which = phrasing(
	`^((so|and|ok|hm+)[, ]+)*(which|what) (\S+ ){0,4}(should|shall|would you|do you (recommend|suggest|prefer)|can we|could we)\b|` +
		`^which (\S+ ?){1,4}\?|^(pick|choose|recommend|suggest) (a|an|one|the)\b`)

// nextStep matches a clause that says what to do next rather than how.
var nextStep = phrasing(`^(please |just |and |then )*(commit|push|merge|rebase|run|re-?run|test|proceed|continue|go on|start)\b`)

// judged matches how a person accepts a thing by calling it right.
var judged = phrasing(`^(the )?[^ ]*[^a-z ][^ ]* (sounds|looks|seems|is|works) (right|good|fine|best|great|perfect|reasonable)$`)

// opener matches the beginning of a clause that says nothing.
var opener = lazily(`^((ok|okay|great|good|cool|right|well|yes|yeah|alright|hm+)[, ]+)+`)

// states matches clauses that say how things are, or ask for another answer.
var states = phrasing(`\b(sounds|seems|looks)\b`,
	`^((oh|ah|ok|okay|yes|yeah|well|but|and|so)[,. ]+)*(i|i'm|i've|i am|thanks|thank|that|these|those|this|based|it|it's|there)\b`,
	`\b(is|are|was|were|does|doesn't|has|have|why|what|how|show|tell|explain|compare|describe|give|think|thought|mean|means|know|need to|should|must|`+
		`try|both of|mind)\b`)

// later matches a clause that defers something or ends the conversation.
var later = phrasing(`\b(later|tomorrow|monday|next|soon|bye|thanks|never ?mind|fine|great|good|nice|cool|ok|okay|back|well|now|first|what|why|how)\b`)

var allOrNone = phrasing(`^(both|neither|none|none of (them|these))( (then|please|of them))?$`)

// mentions reports whether a text contains a word.
func mentions(text, word string) bool {
	return slices.ContainsFunc(strings.Fields(strings.ToLower(text)), func(w string) bool { return strings.Trim(w, ",.;:!?()") == word })
}
