package distil

import (
	"slices"
	"strings"

	"wake/domain"
)

// manner describes an assistant's message as a whole.
type manner struct {
	brief      bool       // it is not an essay
	diagnosing bool       // it has a heading that announces the root cause
	reports    bool       // it reports what was done, or asks what to do
	assents    bool       // it begins by agreeing
	closing    string     // its last sentence
	ending     []sentence // its last three
}

// mannerOf describes an assistant's message.
func (d *distiller) mannerOf(all []sentence) manner {
	m := manner{brief: len(all) < essay,
		diagnosing: slices.ContainsFunc(all, func(s sentence) bool { return s.head != "" && foundCause().in(s.head) })}
	if len(all) > 0 {
		first := all[0].text
		m.reports = reported().in(first) || asksChoice(all)
		m.assents = d.assentIn(first)
		m.closing = all[len(all)-1].text
		m.ending = all[max(0, len(all)-3):]
	}
	return m
}

// offersToMend reports whether a message ends by offering to make changes.
func (m *manner) offersToMend() bool {
	return slices.ContainsFunc(m.ending, func(s sentence) bool { return offersMending().in(s.text) })
}

// lastingSentences returns the sentences that a person means for more than the moment,
// without requests at their ends.
func (d *distiller) lastingSentences(all []sentence, whole *wording) (out []sentence) {
	jokes, ordered := whole.says(joking()), len(all) > 1 && errand().in(all[0].text)
	for _, s := range all {
		if jokes && quipped().in(s.text) || d.drafting && drafts().in(s.text) {
			continue
		}
		if s.text = withoutQuestion(withoutPoliteness(s.text)); s.listed != "" && demands().in(s.text) {
			s.text += " " + s.listed
		}
		if trailsOff(s.text) || ordered && s.at > 0 && forNow().in(s.text) {
			continue
		}
		out = append(out, s)
	}
	return out
}

// personSentences adds what a person's sentences say to be kept.
func (d *distiller) personSentences(e domain.Event, all []sentence) {
	for _, s := range all {
		if s.isOwn() && (!s.small() || callMe().in(s.text)) {
			said := worded(asserted(s.text))
			d.personSentence(e, s, &said)
		}
	}
}

func (d *distiller) personSentence(e domain.Event, s sentence, said *wording) {
	r := ruleTaking(said, domain.FromUser, "")
	if r == nil && foundOut().in(s.before) && !said.says(unsure()) && !said.says(ownDeed()) {
		d.add(e, ruleNamed(ruleRootCause), s, domain.FromUser)
	}
	if r != nil && !d.isTaken(e, s.text) { // else it is part of an answer
		d.add(e, r, s, domain.FromUser)
	}
}

// assistantSentences adds what an assistant's sentences say to be kept, by a rule or by
// what came before them.
func (d *distiller) assistantSentences(e domain.Event, all []sentence) {
	d.manner = d.mannerOf(all)
	for _, s := range all {
		if s.isOwn() && !s.small() {
			said := worded(asserted(s.text))
			d.assistantSentence(e, s, &said)
		}
	}
}

func (d *distiller) assistantSentence(e domain.Event, s sentence, said *wording) {
	switch {
	case said.says(retracts()):
		d.retractCauses(e.Turn, e.Seq)
	case said.says(renames()):
		d.retractCauses(e.Turn, e.Seq-1)
	case said.says(suspects()) && !goesToMend().in(d.closing):
		d.supersedeCauses(e)
	}
	but := "" // a rule that is left out
	if d.taught {
		but = ruleDecision
	}
	switch r := ruleTaking(said, domain.FromAssistant, but); {
	case s.onlyPoints(), r != nil && r.name == ruleFix && proposedFix().in(said.text) && d.offersToMend():
		// it states nothing, or is yet to be done
	case r != nil && r.name == ruleRootCause:
		d.causeNamed(e)
		d.add(e, r, s, domain.FromAssistant)
		if !strings.Contains(said.text, "root cause") && goesToCheck().in(d.closing) || d.statesPlainly(e) {
			d.doubtCause(e)
		}
	case r != nil:
		d.add(e, r, s, domain.FromAssistant)
	case isFix(s, said):
		if cause := d.openCause(e.Turn); cause != nil && d.actsOn(cause, e, s) {
			d.addFix(e, s, said, *cause)
		}
	case d.diagnosing && said.says(problemNamed()):
		d.add(e, ruleNamed(ruleRootCause), s, domain.FromAssistant)
	case (d.troubled || d.uneasy) && !d.assents || s.behindCause():
		if doubt := d.causeDoubt(s, said); doubt < baseless {
			d.addCause(e, s, doubt)
		}
	}
}

// ruleTaking returns the first rule that takes a sentence, but for one by name, or nil.
func ruleTaking(said *wording, by domain.Origin, but string) *rule {
	rules := distilRules()
	for i := range rules {
		if rules[i].name != but && rules[i].takes(said, by) {
			return &rules[i]
		}
	}
	return nil
}

// statesPlainly reports whether the cause that was just found in a message only says how
// something is, and not why that breaks something. If a person reported a fault, or if it is
// told as one that is over, it is enough to say what is not as it should be.
func (d *distiller) statesPlainly(e domain.Event) bool {
	last := len(d.all) - 1
	if last < 0 || d.all[last].event.Seq != e.Seq {
		return false
	}
	said := worded(asserted(d.all[last].text))
	faulty := said.says(explains()) || (d.complains || said.says(concluded())) && (said.says(lacks()) || said.says(trouble()))
	return !faulty && !strings.Contains(said.text, "cause") && !inOtherLanguage().in(said.text)
}

// concluded matches how a fault is told that is over.
var concluded = phrasing(`\b(problem|issue|bug|reason|error|failure|crash) was\b|\bturn(s|ed) out\b`)

// inOtherLanguage matches a cause in a language of which these words are not known.
var inOtherLanguage = phrasing(otherLanguageCause)
