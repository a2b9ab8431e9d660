package distil

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"wake/domain"
)

// Many decisions are answers of a few words: "go with 2", "yes do that", "the second
// one", "sqlite, one box". What was decided is in the message before, so an answer is
// read together with what it answers.

// The longest messages, in bytes, that are read as an answer, as the answered question
// and as the offer. A longer offer lists much that nobody takes up.
const (
	maxAnswer   = 600
	maxQuestion = 200
	maxOffer    = 1500
)

// answered adds what a person decides by answering the assistant's offer, or the
// person's own question that the assistant left open. It reports whether there is such
// an answer; the first sentence is then used up.
func (d *distiller) answered(e domain.Event, said []sentence) bool {
	if len(said) == 0 || d.last.text == "" {
		return false
	}
	if len(said) > 1 && filler().in(said[0].text) {
		return d.answered(e, said[1:]) // "Right. The second one."
	}
	said = pickFirst(said)
	first := worded(said[0].text)
	if first.says(unsure()) || strings.Contains(first.text, "?") || first.says(turnsTo()) && len(said) == 1 {
		return false
	}
	if first.says(advice()) {
		d.takeAdvice(e, said)
		return true
	}
	about, words := d.asked.text, wholeAnswer(said)
	if option, points := d.picked(first.text); points {
		if option != "" {
			d.settle(e, shortened(option), words, about)
		}
		return option != ""
	}
	return d.answeredOffer(e, &first, words, about) || d.answeredOwnQuestion(e, &first, words, about)
}

// pickFirst splits a sentence that picks an option and then requests something: "2 please,
// can you open the issue?".
func pickFirst(said []sentence) []sentence {
	text := said[0].text
	at := alsoRequests().FindStringIndex(text)
	if at == nil {
		return said
	}
	choice := strings.ToLower(text[:at[0]])
	if _, picks := pickedOption(choice); !picks || ranks().MatchString(choice) {
		return said
	}
	request := said[0]
	request.text = strings.TrimLeft(text[at[0]:], ",; ")
	said = slices.Insert(slices.Clone(said), 1, request)
	said[0].text = text[:at[0]]
	return said
}

// ranks matches what begins a list of requests ("first, can you check the logs?") or asks which
// option to take.
var ranks = lazily(`^((ok|okay|yes|yeah|so|and|then|well|no)[,.]? )*(first|second|third|fourth|last)$|\bor\b`)

// alsoRequests matches where a sentence goes on to request something.
var alsoRequests = lazily(`(?i)[,;] ?(?:and |so |but )*\b(?:can|could|will|would) you\b`)

// answeredOffer adds the decision if an answer accepts the assistant's offer, or gives a
// number that the assistant asked for.
func (d *distiller) answeredOffer(e domain.Event, first *wording, words, about string) bool {
	if _, is := pickedOption(lastClause(first.text)); is && d.last.sentences() != nil && len(d.last.options()) == 0 {
		d.settle(e, "", words, shortened(d.last.text))
		return true
	}
	if first.says(agreement()) && !reservation().in(words) {
		if proposal := d.last.proposal(first.says(doIt())); proposal != "" {
			d.settle(e, d.last.accepted(proposal, words), words, about)
			return true
		}
	}
	if first.says(amountAlone()) {
		if asked := d.last.howMuch(); asked != "" && !d.isMomentary() {
			d.chosen(e, clientAnswer{asked, words})
			return true
		}
	}
	return false
}

// answeredOwnQuestion adds the decision if a person answers the own question, or one that
// leaves a choice.
func (d *distiller) answeredOwnQuestion(e domain.Event, first *wording, words, about string) bool {
	if d.named(first.text) || first.says(goAhead()) && willed().in(about) && len(about) <= maxQuestion {
		d.settle(e, "", words, cmp.Or(d.asked.choice(), about))
		return true
	}
	if first.says(takes()) && !first.says(routine()) && !first.says(nextUp()) && d.last.leavesChoice() && common(wordSet(words), wordSet(d.last.text)) > 0 {
		d.settle(e, "", words, about)
		return true
	}
	return false
}

// picked returns which of the listed options an answer points at, by number, letter,
// place or name, and whether it points at one. The option is "" if that decides
// nothing.
func (d *distiller) picked(answer string) (option string, points bool) {
	if option = d.last.several(answer); option == "" {
		i, by := pickedOption(answer)
		switch {
		case !by:
			option = d.last.begunBy(answer)
		case d.last.letters() || !byLetter(answer):
			option = d.last.option(i)
		}
		points = by
	}
	points = points || option != ""
	if option != "" && (noOption().in(option) || d.isMomentary()) {
		option = ""
	}
	return option, points
}

// turnsTo matches an answer that only says what to do next.
var turnsTo = phrasing(nextTopic)

var nextUp = phrasing(nextDeed, `\bdo something (else|different|more)\b`)

// takes matches a whole sentence by which a person chooses from what was left open.
var takes = phrasing(
	`^((no|nope|yes|ok|okay|then|well|sure|for now|i think)[,. ]+)*(let's|lets|let us|i want|i'd (like|prefer|rather)|i prefer|i agree|`+
		`we should|we'll|we can|(can|could) we (just |simply )?(use|take|keep|stay)|stay|use|return|keep|make|put|leave)\b`, `^[^:]{3,60} should (always |never |only |not |also )?\w+`)

// lastClause returns the conclusion of an answer that gives its reason first.
func lastClause(answer string) string {
	_, concluded, _ := strings.Cut(answer, " so ")
	return concluded
}

// filler matches the beginning of an answer that answers nothing.
var filler = phrasing(
	`^(right|ok|okay|hm+|fine|true|great|good|cool|nice|got it|i see|alright|thanks|thank you|ah|oh|fair|understood|i'm sold|ich verstehe|verstehe|` +
		`entiendo)[.!]*$`)

// settle adds the decision made by an answer: what was asked, what was offered, and the
// person's words if they say more than yes.
func (d *distiller) settle(e domain.Event, offered, words, about string) {
	if about == d.asked.text && len(about) > maxLead {
		about = d.asked.topic()
	}
	if title := d.last.title(); title != "" && len(wordSet(about)) < 3 {
		about = title
	}
	alone := offered == "" && !bare(words, wordSet(words)) // the answer names its own subject
	if offered == "" && common(wordSet(about), wordSet(words)) == 0 {
		about = cmp.Or(d.last.asks(wordSet(words)), about)
	}
	if asked := d.last.question(); asked != "" && !strings.Contains(offered, asked) && !(alone && common(wordSet(asked), wordSet(words)) == 0) {
		about = asked
	}
	text := offered
	switch {
	case offered == "":
		if text = words; alone && !strings.HasSuffix(about, "?") {
			about = ""
		}
	case tellsMore(words) && !strings.Contains(offered, words):
		text += " — " + words
	}
	c := spoken(e, ruleDecision, text)
	c.lead, c.with = shortened(about), []int64{d.last.event.Seq, d.asked.event.Seq}
	d.join(c)
	if offered != "" {
		d.confirmCauses(e.Turn, nil)
	}
}

// accepted returns what a message proposes with the words that accept it, however few:
// alone, it would read like mere advice. An option is chosen, not advised.
func (t answerable) accepted(proposal, words string) string {
	isOption := slices.ContainsFunc(t.options(), func(option string) bool { return strings.Contains(option, proposal) })
	if isOption || tellsMore(words) { // settle adds words that tell more
		return proposal
	}
	return proposal + " — " + words
}

// tellsMore reports whether an answer says more than yes.
func tellsMore(words string) bool { return len(wordSet(words)) > 2 }

// wholeAnswer returns an answer up to the point where it asks for something else.
func wholeAnswer(said []sentence) string {
	var kept []string
	for i, s := range said {
		if i > 0 && (i > 2 || strings.Contains(s.text, "?") || errand().in(s.text)) {
			break
		}
		kept = append(kept, s.text)
	}
	return strings.Join(kept, " ")
}

// errand matches the beginning of the next task.
var errand = phrasing(`^(now|can|could|please|also|then|next|and|after|run|add|fix|write|update|commit|push|do|go|start|continue|thanks?|great|show|tell|explain|let me|let's)\b`)

// pick matches how people point at one of several things.
var pick = lazily(
	`^((ok|okay|yes|yeah|yep|yup|sure|great|perfect|agree|hm+|well|so|and|then|let's|lets|i'd|i'll|we'll|we|i|please|think|say|want|prefer|vote|choose|like|go|going|do|take|use|pick|` +
		`try|with|for|choice|solution|method|plan|code|answer|nehmen|nimm|wir|ich|dann|bitte|vamos|con|on|prend|der|die|das|la|le|el|the|it to do|option|options|approach|number|variant|nr|no|` +
		`#)[.,!:]*[\s-]+)*#?` +
		`(\d{1,2}|[a-e]|(?:option|approach|number) (?:one|two|three|four)|first|second|third|fourth|last|former|latter|erste[nrs]?|` +
		`zweite[nrs]?|dritte[nrs]?|primer[oa]?|segund[oa]|tercer[oa]?|premi[eè]re?|` +
		`deuxi[eè]me|seconde|troisi[eè]me)` +
		`( one| option| approach| way| idea)?([.,!;:)]|$|\s+(please|it is|of course|for sure|definitely|obviously|wins|with|without|then|because|since|as|but|and|for now|looks|sounds|is (?:better|best|fine|good|great)|bitte|por favor|weil|parce|porque|-|–|—))`)

// counted matches an answer by number alone, which is not a list.
var counted = lazily(`^\d[.)] `)

// recounts reports whether an answer that begins with a number continues counting: then
// it answers several questions.
func recounts(text string) bool {
	_, all := numberedAnswers(text)
	return len(all) > 0
}

// ordinals maps words to the places they point at, counted from 0; the last is -1.
var ordinals = map[string]int{"one": 0, "two": 1, "three": 2, "four": 3, "first": 0, "former": 0, "second": 1, "latter": 1, "third": 2, "fourth": 3, "last": -1,
	"erste": 0, "zweite": 1, "dritte": 2, "primer": 0, "segund": 1, "tercer": 2, "premi": 0, "deuxi": 1, "seconde": 1, "troisi": 2}

// pickedOption returns the place of the option that an answer points at, counted from
// 0.
func pickedOption(answer string) (int, bool) {
	m := pick().FindStringSubmatch(answer)
	if m == nil {
		return 0, false
	}
	word := m[3][strings.LastIndexByte(m[3], ' ')+1:]
	if len(word) == 1 && word[0] >= 'a' {
		return int(word[0] - 'a'), true
	}
	if word[0] <= '9' {
		n := 0
		for _, r := range word {
			n = 10*n + int(r-'0')
		}
		return n - 1, n > 0
	}
	for prefix, i := range ordinals {
		if strings.HasPrefix(word, prefix) {
			return i, true
		}
	}
	return 0, false
}

// goAhead matches how a person answers the own question whether to do a thing, and
// willed matches such a question.
var (
	goAhead = phrasing(`\b(let's|lets|we'll|i'll) (just )?(do|go for|try) (it|that)\b`, `^(no,? )?(let's|lets) not\b`,
		`^((ok|okay|then|so|yes|yeah|right|good|great)[, ]+)*(just )?[a-z]+ (it|them|that)( then| out)?[.!]?$`)
	willed = phrasing(`\b(worth|should (we|i)|shall (we|i)|do (we|i) (really )?(need|want)|what if (we|i)|how about|what about|would it make sense)\b.*\?`)
)

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

// nextStep matches a clause that says what to do next rather than how.
var nextStep = phrasing(`^(please |just |and |then )*(commit|push|merge|rebase|run|re-?run|test|proceed|continue|go on|start)\b`)

// judged matches how a person accepts a thing by calling it right.
var judged = phrasing(`^(the )?[^ ]*[^a-z ][^ ]* (sounds|looks|seems|is|works) (right|good|fine|best|great|perfect|reasonable)$`)

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

// later matches a clause that defers something or ends the conversation.
var later = phrasing(`\b(later|tomorrow|monday|next|soon|bye|thanks|never ?mind|fine|great|good|nice|cool|ok|okay|back|well|now|first|what|why|how)\b`)

// mentions reports whether a text contains a word.
func mentions(text, word string) bool {
	return slices.ContainsFunc(strings.Fields(strings.ToLower(text)), func(w string) bool { return strings.Trim(w, ",.;:!?()") == word })
}

// opener matches the beginning of a clause that says nothing.
var opener = lazily(`^((ok|okay|great|good|cool|right|well|yes|yeah|alright|hm+)[, ]+)+`)

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

// states matches clauses that say how things are, or ask for another answer.
var states = phrasing(`\b(sounds|seems|looks)\b`,
	`^((oh|ah|ok|okay|yes|yeah|well|but|and|so)[,. ]+)*(i|i'm|i've|i am|thanks|thank|that|these|those|this|based|it|it's|there)\b`,
	`\b(is|are|was|were|does|doesn't|has|have|why|what|how|show|tell|explain|compare|describe|give|think|thought|mean|means|know|need to|should|must|`+
		`try|both of|mind)\b`)

var allOrNone = phrasing(`^(both|neither|none|none of (them|these))( (then|please|of them))?$`)
