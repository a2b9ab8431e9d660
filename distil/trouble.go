package distil

import (
	"slices"
	"strings"

	"wake/domain"
)

// What went wrong and what was done about it is rarely called "root cause" and "fix".
// It shows in the order of events: a person reports a fault, the assistant explains it,
// then reports what it changed. Within such a sequence, plainer words are enough.

// doubt says how uncertain it is that a sentence states a cause. Only a certain one is
// kept by itself; others must be confirmed by an action or by the person.
type doubt int

const (
	certain doubt = iota
	likely
	possible
	baseless
)

// openCause returns the cause that the assistant found in this turn or the previous one
// and has not acted on yet, or nil. What the assistant does next is its fix.
func (d *distiller) openCause(turn int64) *candidate {
	for i, c := range slices.Backward(d.all) {
		switch {
		case turn-c.event.Turn > 1 || c.is(ruleFix):
			return nil
		case c.by == domain.FromUser && d.uneasy && !d.troubled:
			return nil // it does what the person decided
		case c.is(ruleRootCause) && c.by == domain.FromAssistant:
			return &d.all[i]
		}
	}
	return nil
}

// actsOn reports whether a sentence that says what was done is about a cause: of the same
// turn, unless it only tells how things are now and names no code, confirmed by the person or
// to be mended for the person, or in one of its words.
func (d *distiller) actsOn(cause *candidate, e domain.Event, s sentence) bool {
	if cause.event.Seq == e.Seq && goesToMend().in(d.closing) {
		return false // it is yet to be mended
	}
	outcome := nowDoes().in(s.text) && !deed().in(s.text) && !particular().MatchString(s.text)
	return !outcome && cause.event.Turn == e.Turn || d.mending || common(cause.words, wordSet(s.text)) > 0
}

// addFix adds the fix of a cause. A fix of "it" is recorded with the cause.
func (d *distiller) addFix(e domain.Event, s sentence, said *wording, cause candidate) {
	c := d.candidate(e, ruleNamed(ruleFix), s, domain.FromAssistant)
	d.confirmCauses(e.Turn, c.words)
	few := len(c.words) < c.minWords()
	if few && !particular().MatchString(s.text) {
		return
	}
	if few || said.says(dangling()) {
		c.lead, c.with = shortened(cause.text), []int64{cause.event.Seq}
	}
	d.join(c)
}

// addCause adds an explanation of a fault; the first of the most certain ones is kept.
func (d *distiller) addCause(e domain.Event, s sentence, doubt doubt) {
	open := func(c candidate) bool { return c.doubt > certain && c.event.Turn == e.Turn }
	if i := slices.IndexFunc(d.all, open); i >= 0 && d.all[i].doubt <= doubt {
		return
	}
	d.all = slices.DeleteFunc(d.all, open)
	c := d.candidate(e, ruleNamed(ruleRootCause), s, domain.FromAssistant)
	c.doubt, c.implied = max(c.doubt, doubt), true
	d.join(c)
	if doubt == certain {
		d.troubled, d.uneasy = false, false
	}
}

// causeNamed is called for a message that names the cause explicitly: its other
// explanations are not causes.
func (d *distiller) causeNamed(e domain.Event) {
	d.troubled, d.uneasy = false, false
	d.all = slices.DeleteFunc(d.all, func(c candidate) bool { return c.implied && c.event.Seq == e.Seq })
	d.supersedeCauses(e)
}

// supersedeCauses removes what the assistant took for the cause before and did not act
// on: while it searches, it names one thing after another.
func (d *distiller) supersedeCauses(e domain.Event) {
	acted := int64(0)
	for _, c := range d.all {
		if c.is(ruleFix) {
			acted = c.event.Seq
		}
	}
	d.all = slices.DeleteFunc(d.all, func(c candidate) bool {
		return c.is(ruleRootCause) && c.by == domain.FromAssistant && acted < c.event.Seq && c.event.Seq < e.Seq && (c.event.Turn == e.Turn || c.doubt > certain)
	})
}

// doubtCause makes the cause that was just found in a message an uncertain one.
func (d *distiller) doubtCause(e domain.Event) {
	if last := len(d.all) - 1; last >= 0 && d.all[last].is(ruleRootCause) && d.all[last].event.Seq == e.Seq {
		d.all[last].doubt = likely
	}
}

// hasCause reports whether a cause was found.
func (d *distiller) hasCause() bool {
	return slices.ContainsFunc(d.all, func(c candidate) bool { return c.is(ruleRootCause) })
}

// confirmCauses confirms the causes of this turn and the previous one, because of what
// the person said about them, or of what was done: then only those that share one of the
// words with it, or that nobody called a cause.
func (d *distiller) confirmCauses(turn int64, done map[string]bool) {
	for i := range d.all {
		if turn-d.all[i].event.Turn <= 1 && (done == nil || d.all[i].implied || common(done, d.all[i].words) > 0) {
			d.all[i].doubt = certain
		}
	}
}

// retractCauses removes the causes that the assistant stated in this turn and the
// previous one, up to a message, and their fixes.
func (d *distiller) retractCauses(turn, until int64) {
	before := len(d.all)
	d.all = slices.DeleteFunc(d.all, func(c candidate) bool {
		return c.is(ruleRootCause, ruleFix) && c.by == domain.FromAssistant && turn-c.event.Turn <= 1 && c.event.Seq <= until
	})
	d.troubled = d.troubled || len(d.all) < before // the fault is unexplained again
}

// recurs reports whether a person complains in the words of what the assistant took for a
// cause or a fix in the previous turn: the fault is still there.
func (d *distiller) recurs(turn int64, complaint string) bool {
	earlier := func(c candidate) bool {
		return c.is(ruleRootCause, ruleFix) && c.by == domain.FromAssistant && turn-c.event.Turn == 1
	}
	if !slices.ContainsFunc(d.all, earlier) || another().in(complaint) {
		return false
	}
	words := wordSet(complaint)
	return slices.ContainsFunc(d.all, func(c candidate) bool { return earlier(c) && common(words, c.words) > 2 })
}

// causeDoubt says how uncertain it is that a sentence of the assistant states the cause
// of an unexplained fault.
func (d *distiller) causeDoubt(s sentence, said *wording) doubt {
	named := aboutCause().in(s.head) || announces().in(s.before)
	asked := d.plainly && (d.complains || d.uneasy) // a short report of a fault asks for its cause
	early := s.at < earlyOn && !s.item && d.brief
	if !named && !(asked && early) || strings.HasSuffix(s.head, "?") && !strings.HasPrefix(s.head, "why") {
		return baseless // true of most sentences, so it is checked first
	}
	if soundAs().in(s.before) || !named && guessed().in(s.after) {
		return baseless
	}
	if told := lookedFirst().ReplaceAllString(said.text, ""); told != said.text {
		rest := worded(told)
		said = &rest
	}
	announced := strings.HasSuffix(said.text, ":") // the cause is yet to follow
	if statesNothing(said) || announced && s.listed == "" {
		return baseless
	}
	strong := said.says(explains()) || aboutProblem().in(s.head)
	exact := particular().MatchString(s.text)
	switch {
	case named && (strong || s.head != "" || said.says(lacks()) || said.says(trouble())):
		return certain
	case !asked || !d.complains && !exact:
		return baseless
	case d.troubled && said.says(blamed()) && !announced:
		return certain
	case d.reports || !strong && !said.says(lacks()):
		return baseless
	case strong:
		return likely
	case d.complains && exact:
		return possible
	default:
		return baseless
	}
}

// statesNothing reports whether a sentence only supposes, says what its speaker did, or
// is too short.
func statesNothing(said *wording) bool {
	return said.says(unsure()) || said.says(conditional()) || said.says(guessed()) || said.says(ownDeed()) || len(wordSet(said.text)) < 3
}

// isFix reports whether a sentence of the assistant says what it did about the cause it
// just found.
func isFix(s sentence, said *wording) bool {
	does := said.says(nowDoes())
	if !aboutFix().in(s.head) && !(said.says(deed()) && !said.says(lookedOnly())) && !(does && !said.says(healed())) {
		return false
	}
	return (!s.item || does || particular().MatchString(s.text)) && !said.says(unsure())
}

// onlyPoints reports whether a sentence merely announces code or a path, which is left out,
// and does not say why something is as it is.
func (s sentence) onlyPoints() bool {
	return s.listed == "" && strings.HasSuffix(s.text, ":") && !explains().in(s.text)
}

// comesToPoint is within how many sentences a person reports a fault; a longer message
// is a reflection.
const comesToPoint = 6

// maxComplaint is the longest message, in bytes of prose, whose answer may state a
// cause that is not called one; a longer message is a discussion.
const maxComplaint = 300

// troubleIn reports whether a message reports a fault, possibly by pasted output.
func troubleIn(message string, said []sentence) bool {
	for _, s := range said[:min(len(said), comesToPoint)] {
		if lower := worded(s.text); lower.says(trouble()) && !lower.says(asksWhether()) && !lower.says(wished()) {
			return true
		}
	}
	written := asWritten(message)
	return written.says(pastedFault())
}

// assentIn reports whether the assistant begins by agreeing with a thought or accepting
// an order: what follows gives reasons for that, not for a fault. "Right" may also
// answer a complaint.
func (d *distiller) assentIn(first string) bool {
	return takesOrder().in(first) || !d.complains && agrees().in(first)
}

// behindCause reports whether the words directly before a sentence announce that the
// cause was found.
func (s sentence) behindCause() bool {
	return s.head != "" && foundCause().in(s.head) || s.before != "" && len(s.before) < 40 && foundCause().in(s.before)
}

// uneasyIn reports whether a message only describes how something is and asks for
// nothing; the assistant's answer may state a cause.
func uneasyIn(said []sentence) bool {
	return len(said) > 0 && !strings.Contains(said[0].text, "?") && tells().in(said[0].text)
}

// earlyOn is within how many sentences an assistant comes to the point; essay is how
// many sentences make an essay, which explains in general.
const (
	earlyOn = 6
	essay   = 16
)

// maxRecognition is the longest message, in bytes, that does nothing but confirm a
// cause.
const maxRecognition = 80
