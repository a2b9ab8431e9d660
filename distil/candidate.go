package distil

import (
	"cmp"
	"slices"
	"strings"

	"wake/domain"
)

// candidate is a sentence selected by a rule.
type candidate struct {
	rule     *rule
	text     string
	lead     string // its subject, if the sentence does not name it
	words    map[string]bool
	event    domain.Event
	with     []int64 // other events that its words come from
	by       domain.Origin
	why      string // its reason, if the sentence gives none
	doubt    doubt  // whether it is a cause at all
	implied  bool   // a cause that nobody called one
	slip     bool   // a cause that an assistant seeks in what it did or made itself
	fault    string // what was said to be wrong before a fix, directly or by the person
	reported int64  // the event in which the person said it
}

// spoken is what a person says, to which the rule of that name applies.
func spoken(e domain.Event, rule, text string) candidate {
	return candidate{rule: ruleNamed(rule), text: text, words: wordSet(text), event: e, by: domain.FromUser}
}

// is reports whether one of the named rules selected the sentence.
func (c *candidate) is(names ...string) bool { return slices.Contains(names, c.rule.name) }

// add adds a sentence as a candidate.
func (d *distiller) add(e domain.Event, r *rule, s sentence, by domain.Origin) {
	c := d.candidate(e, r, s, by)
	switch {
	case len(c.words) < c.minWords():
	case by == domain.FromUser && d.continues(c, s.before):
		d.all[len(d.all)-1].extend(c)
	default:
		d.join(c)
	}
	if c.is(ruleFix) {
		d.confirmCauses(e.Turn, c.words)
	}
}

// continues reports whether a person continues what the previous sentence, also a
// candidate, said.
func (d *distiller) continues(c candidate, before string) bool {
	if len(d.all) == 0 {
		return false
	}
	last := d.all[len(d.all)-1]
	return last.event.Seq == c.event.Seq && strings.HasSuffix(last.text, withoutQuestion(before)) && len(last.text)+len(c.text) < maxSentence &&
		(leans(c.text, c.words) || common(last.words, c.words) > 0)
}

// extend merges the following sentence into the candidate.
func (c *candidate) extend(next candidate) {
	c.text += " " + next.text
	c.words = wordSet(c.text)
	if next.rule.weight > c.rule.weight {
		c.rule = next.rule
	}
}

// candidate makes a candidate of a sentence and what it refers to.
func (d *distiller) candidate(e domain.Event, r *rule, s sentence, by domain.Origin) candidate {
	switch {
	case s.listed != "" && (r.action != domain.Decision || by == domain.FromUser && r.name == ruleDecision):
		s.text += " " + s.listed
	case r.name == ruleRootCause && by == domain.FromAssistant && s.unfinished(goesToMend().in(d.closing)):
		s.text += " " + s.after
	}
	c := candidate{rule: r, text: s.text, words: wordSet(s.text), event: e, by: by}
	if c.is(ruleFix) {
		c.fault, c.reported = d.faultBefore(s)
	}
	c.slip = c.is(ruleRootCause) && by == domain.FromAssistant && e.Type != domain.EventFinding && tellsOwnWork(s.text)
	switch {
	case d.isTaken(e, s.before):
	case by == domain.FromUser && !s.item && givesReason(s.before):
		c.lead = s.before
	case !lacksSubject(r, by, s.text, c.words):
	case len(wordSet(s.before)) > 1:
		c.lead = shortened(s.before)
	case d.asked.text != "" && !r.brief:
		if about, seq := d.subject(&c); by != domain.FromUser || !asksWhy(about) {
			c.lead, c.with = shortened(about), []int64{seq}
		}
	}
	return c
}

// faultBefore returns what was said to be wrong before a fix, directly or by the person, and the
// event in which the person said it.
func (d *distiller) faultBefore(s sentence) (fault string, reported int64) {
	switch {
	case namesFault(s.before):
		return s.before, 0
	case d.complains:
		return shortened(d.asked.topic()), d.asked.event.Seq
	}
	return "", 0
}

// tellsOwnWork reports whether an assistant's sentence is about what it did or made itself, and
// not only says that it looked or found something.
func tellsOwnWork(text string) bool {
	said := noticed().ReplaceAllString(asserted(text), "")
	return ownWork().MatchString(lookedFirst().ReplaceAllString(said, ""))
}

// ownWork matches how an assistant speaks of what it did or made (which is neither I/O nor
// a variable), and noticed how it only says that it found something.
var (
	ownWork = lazily(`(^|[\s(—–-])([Mm]y|I([’'](m|ve|d))?)[\s,]`)
	noticed = lazily(`(?i)\bI(['’](m|ve)| have| can| could| now| just| also| don['’]t| do not)* (found|find|see|saw|know|understand|think|confirm\w*|verif\w*|check\w*|reproduc\w*|expect\w*|suspect\w*|sure|certain)\b`)
)

// namesFault reports whether a sentence says what is wrong, or why.
func namesFault(text string) bool {
	said := worded(asserted(text))
	return len(text) <= maxSentence && !strings.HasSuffix(text, ":") && (said.says(explains()) || said.says(trouble())) && !said.says(unsure())
}

// subject returns what a candidate is about, and the event that says it: what the person
// asked, unless only a question of the assistant shares a word with the person's answer.
func (d *distiller) subject(c *candidate) (about string, seq int64) {
	about = d.asked.topic()
	if c.by == domain.FromUser && common(wordSet(about), c.words) == 0 {
		if asked := d.last.asks(c.words); asked != "" {
			return asked, d.last.event.Seq
		}
	}
	return about, d.asked.event.Seq
}

// givesReason reports whether what a person said before a decision probably says what it
// is about or why.
func givesReason(before string) bool {
	return len(wordSet(before)) > 2 && len(before) <= maxLead && !strings.ContainsAny(before[len(before)-1:], "?!") && !pleases().in(before) && !requests().in(before)
}

// requests matches a request, with or without its question mark.
var requests = phrasing(`\b(can|could|will|would) (you|u)\b`)

// pleases matches what a person says out of politeness.
var pleases = phrasing(`^(thanks|thank you|yeah|yes|yep|ok|okay|sure|great|perfect|nice|cool|good|awesome|wow)\b`, `\b(sounds|looks|works) (good|great|fine|solid|like a)\b|\bhelps? a lot\b`)

// unfinished reports whether a short sentence that states a fact is followed by its
// consequence, or, if the message is yet to mend it, by what had been done wrong.
func (s sentence) unfinished(unmended bool) bool {
	after := strings.ToLower(s.after)
	return len(s.text) < shortCause && s.flows && !s.item && !strings.HasSuffix(s.text, ":") && len(after) >= minSentence && len(after) < maxAfter(s.text) && !strings.HasSuffix(after, ":") &&
		(!ownDeed().in(after) || unmended && deed().in(after) && !lookedOnly().in(after)) && !unsure().in(after) && !ruleNamed(ruleFix).assistant.in(after)
}

// maxAfter is the length, in bytes, below which a sentence is kept with the cause before it:
// "a token collision" alone tells nothing.
func maxAfter(cause string) int {
	if len(cause) < shortCause/2 {
		return maxSentence
	}
	return maxLead
}

// shortCause is the length, in bytes, below which a sentence rarely states a whole
// cause.
const shortCause = 90

// isTaken reports whether a sentence of the same message is already a candidate.
func (d *distiller) isTaken(e domain.Event, text string) bool {
	return text != "" && slices.ContainsFunc(d.all, func(c candidate) bool { return c.event.Seq == e.Seq && strings.Contains(c.text, text) })
}

// join adds a candidate, or merges it with one that says nearly the same: the longer
// wording is kept at the place of the first. What a person decides takes the place of
// what the assistant said of it before, which may be doubtful. When an assistant answers a
// person's decision in the same turn, it repeats the decision and may give the reason.
func (d *distiller) join(c candidate) {
	for i := range d.all {
		old := &d.all[i]
		if c.echoes(old) {
			old.takeEcho(c)
			return
		}
		if similarity(old.words, c.words) < nearDuplicate && !c.tellsAgain(old) {
			continue
		}
		if c.by == domain.FromUser && old.by == domain.FromAssistant && c.rule != old.rule && c.is(ruleDecision, ruleReversal, rulePreference) && !old.is(ruleRootCause) {
			*old = c
			return
		}
		old.doubt = min(old.doubt, c.doubt)
		if len(c.text) > len(old.text) && old.rule == c.rule {
			old.text, old.lead, old.words, old.with = c.text, c.lead, c.words, append(c.with, c.event.Seq)
		}
		return
	}
	if c.by == domain.FromAssistant && c.is(ruleDecision) && byItself().in(c.text) && !weighs().in(c.text) {
		return // it says how it goes about its work
	}
	d.all = append(d.all, c)
}

// minWords is how many words a candidate must have: a person may decide something, or
// name a thing, in a single word.
func (c *candidate) minWords() int {
	switch {
	case c.by == domain.FromUser && c.is(ruleDecision, ruleReversal, rulePreference):
		return 1
	case c.rule.brief:
		return 2
	}
	return 3
}

// echoes reports whether c is an assistant's repetition of what a person just decided.
func (c *candidate) echoes(old *candidate) bool {
	return c.by == domain.FromAssistant && old.by == domain.FromUser && c.event.Turn == old.event.Turn &&
		c.is(ruleDecision, ruleReversal) && old.is(ruleDecision, ruleReversal, rulePreference) &&
		common(old.words, c.words) > 0
}

// takeEcho adds to a decision what the assistant's repetition adds: the reason, or the
// rejected alternative.
func (c *candidate) takeEcho(echo candidate) {
	why := reasonIn(echo.text)
	if c.why == "" && why != "" || weighs().in(echo.text) && len(c.text)+len(echo.text) < maxSentence {
		c.text += " — " + echo.text
		c.with = append(c.with, echo.event.Seq)
	}
	c.why = cmp.Or(c.why, why)
}

// byItself matches what an assistant decided alone, and weighs a decision between two
// things.
var (
	byItself = phrasing(`\bi('ve|'ll)?\b`)
	weighs   = phrasing(`\b(rather than|instead of|over|from \S+( \S+)? to)\b`)
)

// tellsAgain reports whether an assistant repeats a cause or a fix of this turn or the
// previous one: half of the words of the shorter one are shared, or, of two causes of one
// turn, a few and a name.
func (c *candidate) tellsAgain(old *candidate) bool {
	late, shared := c.event.Turn-old.event.Turn, common(c.words, old.words)
	if c.rule != old.rule || c.by != domain.FromAssistant || old.by != c.by || !c.is(ruleRootCause, ruleFix) || late > 1 {
		return false
	}
	return 2*shared >= max(6, min(len(c.words), len(old.words))) || c.is(ruleRootCause) && late == 0 && shared > 2 && sharedName(c.words, old.words)
}

// sharedName reports whether two sentences share a word that only a program has.
func sharedName(a, b map[string]bool) bool {
	for w := range a {
		if b[w] && strings.ContainsAny(w, "_0123456789") {
			return true
		}
	}
	return false
}

// nearDuplicate is the share of common words from which two sentences count as one.
const nearDuplicate = 0.6

// maxLead is how much of the question is kept with a decision, in bytes.
const maxLead = 200

// shortened cuts a text at a space before maxLead.
func shortened(text string) string { return shortenedTo(maxLead, text) }

// shortenedTo puts a text in one line and cuts it at a space before the given length in
// bytes.
func shortenedTo(most int, text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if len(text) <= most {
		return text
	}
	text = domain.Head(text, most)
	if blank := strings.LastIndexByte(text, ' '); blank > len(text)/2 {
		text = text[:blank]
	}
	return text + " …"
}
