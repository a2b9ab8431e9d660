package distil

import (
	"cmp"
	"slices"
	"strings"

	"wake/domain"
)

// Many decisions are answers of a few words: "go with 2", "yes do that", "the second
// one", "sqlite, one box". What was decided is in the message before, so an answer is
// read together with what it answers.

// The longest messages, in bytes (of a client's answer: in characters), that are read as an
// answer, as the answered question and as the offer. A longer offer lists much that nobody
// takes up.
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

// answeredOwnQuestion adds the decision if a person answers their own question, or one
// that leaves a choice.
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

// goAhead matches how a person answers their own question whether to do a thing, and
// willed matches such a question.
var (
	goAhead = phrasing(`\b(let's|lets|we'll|i'll) (just )?(do|go for|try) (it|that)\b`, `^(no,? )?(let's|lets) not\b`,
		`^((ok|okay|then|so|yes|yeah|right|good|great)[, ]+)*(just )?[a-z]+ (it|them|that)( then| out)?[.!]?$`)
	willed = phrasing(`\b(worth|should (we|i)|shall (we|i)|do (we|i) (really )?(need|want)|what if (we|i)|how about|what about|would it make sense)\b.*\?`)
)

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
		if title := d.last.titleOf(asked); title != "" && refersToAny().in(asked) {
			about = title + ": " + asked
		}
	}
	if offered == "" && !alone && asksWhy(about) && common(wordSet(about), wordSet(words)) == 0 {
		return // it answers something else
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
