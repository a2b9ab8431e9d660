package distil

import (
	"slices"
	"strings"
	"sync"

	"wake/domain"
)

// drafts matches how people ask for a text.
var drafts = phrasing(
	`^((please|pls|now|ok|and),? |can you |could you )*(write|draft|translate|rephrase|reword|proofread|summari[sz]e|compose|shorten)\b.*\b(blog|post|` +
		`e-?mail|letter|article|story|essay|poem|announcement|speech|tweet|text|page|paragraph|newsletter|to (english|german|french|spanish))\b`)

// lesson matches a general question, whose answer decides nothing.
var lesson = phrasing(`^((so|and|ok|hm+|hey|hi)[,! ]+)*(how (does|is|are)|what('s| is| are| does| do)|explain|describe|tell me (about|how|what|why))\b`)

// play matches how people start a role play, and playOver how they end it.
var (
	play     = phrasing(`\b(role-? ?play|let's play|play a game|quiz me|20 questions|trivia|flash ?cards|pretend (you|to be|we|that)|imagine (you're|you are) (a|an|the))\b`)
	playOver = phrasing(`\b(stop|end|quit|enough|game over|back to (work|the|our)|out of character)\b`)
)

// joking matches how people mark a joke, and quipped what they then do not mean.
var (
	joking  = phrasing(`\b(lol|haha+|lmao|rofl|jk)\b`)
	quipped = phrasing(`\b(let's|lets|we'll|we should|i'm|we're)\b`)
)

// forAnother reports whether a text in lower case is addressed to somebody else and was
// written by an assistant in the person's name: it begins or ends like a letter, or has
// a greeting after its first line.
func forAnother(text string) bool {
	first := true
	for line := range strings.Lines(text) {
		i := strings.IndexFunc(line, func(r rune) bool { return r == '_' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' })
		if i >= 0 && slices.ContainsFunc(letterLines, func(start string) bool { return strings.HasPrefix(line[i:], start) }) {
			return true
		}
		if i >= 0 && !first && line[i] == 'h' && salutation().MatchString(line[i:]) {
			return true
		}
		first = false
	}
	return false
}

var letterLines = []string{"subject: ", "dear ", "best regards", "kind regards", "warm regards", "sincerely", "yours,"}

// salutation matches a line that only greets somebody by name.
var salutation = lazily(`^(hi|hello|hey) \w+,\W*$`)

// injected matches text that nobody writes on their own behalf.
var injected = phrasing(`\b(ignore|disregard|forget) (all |any |the |your )*(previous|prior|above|earlier) (instructions|prompts?|messages|rules)\b`)

// unsure matches sentences that ask, guess or plan, and so settle nothing.
var unsure = phrasing(`[?？][?!]*\s*$`, `吗[。]?$`, `ですか[。]?$`,
	`\b(maybe|perhaps|might|could be|should we|shall we|would you|do you want|i'm not sure|not sure|probably|possibly|one option|another option|`+
		`alternatively|appears to|seems to|looks like)\b`,
	`\b(wonder(ing|ed)?|consider(ing)?) (if|whether)\b`,
	`\blet me (know|check|look|see|read|run|try|first|start|now)\b`, `\b(can|could) you\b`,
	`\b(what|how) about\b|\bwhy (don't|not)\b`,
	`\b(undecided|not decided|haven't (\w+ )?(decided|thought)|nothing is decided|decided nothing|torn between|should i|how (can|do|should) i|what are the|`+
		`what's the best)\b`,
	`\[[a-z ,]+\]([^(]|$)`) // a placeholder

// conditional matches sentences that say what would hold, or give an example.
var conditional = phrasing(`\bexample:|^e\.g\.`, `\b(for (example|instance)|suppose|assum(e|ing)|if (you|we|i)|were to|(until|once|when|before|whether|unless) (we|i))\b`)

// objects matches how a person contradicts what the assistant just did.
var objects = phrasing(`^(no|nope|wrong|nein|non)[,.! ]+(\w+ )*`, `^(not (that|like)|i said|undo|revert|that's (not|wrong)|stop|why did you|don't|dont)\b`)

var pleased = phrasing(`^(no|nope)[,.! ]+(thanks|thank|that's (all|it|fine|ok)|problem|worries|more|need|it's (fine|ok))\b`)

// withoutQuestion returns a sentence without the question or request at its end.
func withoutQuestion(text string) string {
	if i := aside().FindStringIndex(text); i != nil && i[0] >= minSentence {
		return text[:i[0]]
	}
	return text
}

// aside matches where a person who has stated something goes on to ask about it.
var aside = lazily(
	`(?i)[,;.] ?((and|but|so|now|also) )*((can|could|would|will) you|please help|help me|(what|what's|how|should|is|are|was|were|do|does|any|which|where|` +
		`when) [^.]*\?|(i'm|i am|i was) (not sure|unsure|wondering|worried|struggling|trying|having|curious|looking|thinking|torn|hoping)|thinking (of|about)|i('d|` +
		` would) (like|love) (to know|some|your)|do you (think|have)|((it|that|this|does that|does this|does it) )?makes? sense\?|(and |so )?i (just )?want to make sure (that )?i|(ok|okay|alright|please|understood|got it|deal)\?+$)\b?`)

// polite matches a lasting wish that is phrased as a question.
var polite = lazily(
	`(?i)^(?:[^,:?]{1,30}[,:] )?(?:(?:please|and|also|ok|hey|btw)[, ]+)*(?:(?:can|could|would|will) (?:you|u|we)|(?:kannst|könntest|würdest|` +
		`könnt) (?:du|ihr)(?: bitte)?)(?: please| maybe| kindly| from now on)* ((?:always|never|not|stop|avoid|künftig|immer|nie|ab jetzt|in zukunft)\b.*|` +
		`\w+ .*\b(?:from now on|instead of|rather than|every time)\b.*)`)

// withoutPoliteness returns a sentence without the phrases that turn a wish into a
// question.
func withoutPoliteness(text string) string {
	m := polite().FindStringSubmatch(text)
	if m == nil {
		return text
	}
	wish := strings.TrimRight(m[1], "?! ")
	if rest, not := strings.CutPrefix(wish, "not "); not {
		return "Do not " + rest
	}
	return wish
}

// demands matches how a person introduces requirements.
var demands = phrasing(`\b(requirements|constraints|ground rules|principles|conventions)\b[^.?!]*:$`)

// forNow matches a prohibition within an order, which applies only to that order unless
// the person reserves the permission.
var forNow = phrasing(`^(please )?(do not|don't|dont) .* unless (an?|the|it|they|there|\S+ (requires?|demands?|needs?|says?))\b`)

// trailsOff reports whether a sentence was left unfinished.
func trailsOff(text string) bool {
	return strings.HasSuffix(text, "...") || strings.HasSuffix(text, "…")
}

// leaning matches a word that refers to something said before.
var leaning = lazily(
	`\b(it|its|them|they|(this|that|these|those|both|neither|none|the same|there)([.,;!]|$| (is|was|one|way|too|then|again|instead|goes|applies|holds))|` +
		`that's|the (\w+ )?one([.,;!]|$| )|(this|that) into account)\b?`)

// leans reports whether a sentence says too little about its subject: it has at most
// two words of its own, or refers back.
func leans(text string, words map[string]bool) bool {
	return len(words) < 3 && len(text) < 40 || refersBack(text)
}

// refersBack reports whether a sentence refers to something said before, before it names
// anything.
func refersBack(text string) bool {
	at := leaning().FindStringIndex(strings.ToLower(text))
	return at != nil && at[0] < len(text) && len(wordSet(text[:at[0]])) < 2
}

// bare reports whether a person's words are too few to say what they are about.
func bare(text string, words map[string]bool) bool {
	return leans(text, words) || len(words) < 6 && len(text) < 40 && !stated().in(text)
}

// lacksSubject reports whether a sentence is to be kept with what was said before it. A
// preference of few words ("no emojis") is not: it holds whatever is being talked about.
func lacksSubject(r *rule, by domain.Origin, text string, words map[string]bool) bool {
	switch {
	case by != domain.FromUser:
		return leans(text, words)
	case r.name == rulePreference:
		return refersBack(text)
	}
	return bare(text, words)
}

// stated matches what says something about a thing that it names.
var stated = phrasing(`\S ` + declares + ` \S`)

// topic returns what a message is about: its first question, else its first sentence,
// that names a subject.
func (t answerable) topic() string {
	all := splitSentences(t.text)
	telling := func(s sentence) bool {
		return len(s.text) > 8 && len(wordSet(s.text)) > 2 && !leaveAsked().in(s.text)
	}
	i := slices.IndexFunc(all, func(s sentence) bool { return strings.HasSuffix(s.text, "?") && telling(s) })
	if i < 0 {
		i = slices.IndexFunc(all, telling)
	}
	if len(all) == 0 {
		return ""
	}
	return all[max(i, 0)].text
}

// instructs reports whether a sentence tells the assistant to do something.
func instructs(s sentence) bool { return instructed(s.text) }

// instructed reports whether a clause tells the assistant to do something. It is not a
// regular expression, because nearly every clause is tested.
func instructed(clause string) bool {
	clause = strings.ToLower(clause)
	for {
		word, rest := cutWord(clause)
		after := strings.TrimLeft(rest, ", ")
		if after == rest || !slices.Contains([]string{"ok", "okay", "then", "so", "yes", "yeah", "no"}, word) {
			break
		}
		clause = after
	}
	for _, kind := range []string{"please ", "just "} {
		if after, is := strings.CutPrefix(clause, kind); is {
			clause = after
			break
		}
	}
	word, _ := cutWord(clause)
	return instructions()[word]
}

// instructions returns the words of [instructing].
var instructions = sync.OnceValue(func() map[string]bool {
	set := map[string]bool{}
	for word := range strings.SplitSeq(strings.Trim(instructing, "()"), "|") {
		set[word] = true
	}
	return set
})

// cutWord cuts a text after its first word, made of the letters a to z, digits and
// underscores.
func cutWord(text string) (word, rest string) {
	end := 0
	for end < len(text) && (text[end] == '_' || '0' <= text[end] && text[end] <= '9' || 'a' <= text[end] && text[end] <= 'z') {
		end++
	}
	return text[:end], text[end:]
}
