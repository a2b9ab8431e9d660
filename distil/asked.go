package distil

import (
	"slices"
	"strings"
)

// What an assistant asks at the end of a message is what the person's next words
// answer.

// question returns what a message finally asks, in its most specific words, or "" if it
// only asks for a yes.
func (t answerable) question() (best string) {
	most := 2
	for _, s := range t.closing() {
		text := numbered().ReplaceAllString(s.text, "")
		if words := len(wordSet(text)); strings.HasSuffix(text, "?") && !s.item && len(text) <= maxLead && words > most && !leaveAsked().in(text) && !asksPlainly().in(text) {
			best, most = text, words
		}
	}
	return best
}

// asks returns the questions of a message, at most two, that have one of the words.
func (t answerable) asks(words map[string]bool) string {
	var all []string
	for _, s := range splitSentences(t.text) {
		if strings.HasSuffix(s.text, "?") && common(wordSet(s.text), words) > 0 && len(all) < 2 {
			all = append(all, s.text)
		}
	}
	return strings.Join(all, " ")
}

// title returns the heading at the start of a message, or "".
func (t answerable) title() string {
	line, _, _ := strings.Cut(strings.TrimSpace(t.text), "\n")
	if _, is := heading(line); !is {
		return ""
	}
	return strings.Trim(line, "#*: ")
}

// titleOf returns the last heading, or title of a numbered question, before a question.
func (t answerable) titleOf(question string) (title string) {
	for line := range strings.Lines(t.text) {
		line = strings.TrimSpace(line)
		if strings.Contains(line, question) {
			break
		}
		plain := strings.Trim(line, "#*: ")
		if _, is := heading(line); is || numbered().MatchString(plain) && !strings.ContainsAny(plain[len(plain)-1:], ".?!") {
			title = plainProse(numbered().ReplaceAllString(plain, ""))
		}
	}
	return title
}

// refersToAny matches a question that names its subject only by a pronoun.
var refersToAny = phrasing(`\b(this|that|these|those|it|them)\b`)

// leavesChoice reports whether a message ends by asking which of several things to
// take.
func (t answerable) leavesChoice() bool {
	all := t.closing()
	return len(all) > 0 && (asksChoice(slices.DeleteFunc(all, offersWork)) || len(t.options()) > 1)
}

// offersChoice reports whether a message asks anywhere which of several things to take,
// or calls them options.
func (t answerable) offersChoice() bool {
	return t.leavesChoice() || len(t.labelled()) > 1 || len(t.text) <= maxAsking && asksChoice(splitSentences(t.text))
}

// howMuch returns the question at the end of a message that asks for a number to be
// decided.
func (t answerable) howMuch() string {
	all := t.closing()
	if len(all) == 0 {
		return ""
	}
	text := all[len(all)-1].text
	if !asksAmount().in(text) || asksLength().in(text) {
		return ""
	}
	return text
}

var (
	asksAmount = phrasing(`\b(how (long|many|much|often|large|big|far|early|late|old|high)|what|which) .*\b(should|shall|may|must)\b`)
	// asksLength matches a question about how much to write.
	asksLength = phrasing(`\b(i|we) (ask|show|list|give|write|generate|draw|find|suggest|create|look|try|print|tell|read)\b`)
	// amountAlone matches an answer that is a number with its unit and nothing else.
	amountAlone = phrasing(`^((let's say|say|i'd say|ok|about|around|at most|max|up to|every|only|just)[, ]+)*[$€£]?\d[\d,.]*( ?[^\d\s.!?]+){1,2}[.!]*$`)
)

// asksChoice reports whether one of the sentences asks which of several things to take.
func asksChoice(all []sentence) bool {
	return slices.ContainsFunc(all, func(s sentence) bool {
		return strings.HasSuffix(s.text, "?") && (alternatives().in(s.text) || agreed().in(s.text)) && !clarifies().in(s.text)
	})
}

// clarifies matches a question about what the person means.
var clarifies = phrasing(`\bor (something|anything|somewhere|someone|somebody) else( entirely)?\?$`, `\b(do|did) you mean\b`)

// offersTalk reports whether a sentence merely offers to go on talking; accepting that
// decides nothing.
func offersTalk(s sentence) bool { return talks().in(s.text) }

// offersWork reports whether a sentence offers the next step.
func offersWork(s sentence) bool { return nextWork().in(s.text) }

var (
	talks = phrasing(offering+`( \w+)? (explore|discuss|go (over|through|into|deeper)|share|tell|show|explain|describe|dive|talk|hear|learn|know|elaborate|focus|tackle|`+
		`address|practi[sc]e|look (at|into|closer|more)|see)\b`, `\bwould you like (more|some|any|another|help|further|additional|recommendations|tips|examples)\b`)
	nextWork = phrasing(offering + `( \w+)? (check|review|help|run|start|begin|continue|proceed|find|fix|work|try|test|verify|investigate|search|commit|push)\b`)
)

// offering matches how an assistant offers to do something.
const offering = `\b(want (me )?to|would you like( me)? to|do you want me to|shall i|should i)`

// closing returns the sentences, including headings, of a message that ends with a
// question.
func (t answerable) closing() []sentence {
	if len(t.text) > maxAsking || !strings.HasSuffix(strings.TrimRight(t.text, " \n*_"), "?") {
		return nil
	}
	all := splitSentences(emphasis.Replace(t.text))
	if n := len(all); n > 0 && offersTalk(all[n-1]) {
		return nil
	}
	return all
}

// maxAsking is the longest message, in bytes, whose final question is read.
const maxAsking = 4000

var (
	numbered = lazily(`^(?i:(question|q|decision) ?\d+( of \d+)? ?[:.)–—-]) *`)
	agreed   = phrasing(`\b(do you|would you|you) agree\b|\bwhat (\S+ ){1,3}(should|shall|do you want)\b|^agreed\b|\bwhat's your (preference|pick|choice)\b|\bwhat do you think\b`)
	// asksPlainly matches a question that does not say what it is about.
	asksPlainly = phrasing(`^(so,? )?(which|what) (one|option|approach|way|path|route|direction|solution|variant|of (these|those|them|the \w+))? ?(\S+ )?(would|do|should|sounds?|looks?|works?|shall) (you|i|we)( \S+){1,4}\?$`)
	leaveAsked  = phrasing(`\b(ready to (decide|choose|proceed|start|begin|go)|(follow-?up|any|more|other|further) questions|want me to|would you like me to|do you agree|(should|shall) i (proceed|go ahead|continue|start|do)|does (that|this|it) (match|look|sound|work|make))\b`)
)
