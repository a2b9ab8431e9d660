package transcript

import (
	"regexp"
	"slices"
	"sort"
	"strings"
	"sync"

	"wake/domain"
)

// DistilCap is how many contexts [Distil] takes from a session when nothing else
// is asked for: never a flood.
const DistilCap = 12

// Distilled is what is worth keeping of a session beyond its end.
type Distilled struct {
	Contexts []domain.ContextSnapshot
	Links    []domain.Link // a reversal supersedes the decision that it takes back
}

// Distil finds, by rules alone, what a session decided and learnt: explicit
// decisions and their reversals, root causes, fixes, a person's lasting
// preferences, facts with numbers. It prefers leaving something out to keeping
// what nobody will look for. At most limit contexts come back, in the order of
// the log, each with the event it was said in; near-duplicates are one. A fix
// names its root cause as its cause, a reversal the decision before it.
//
// The same events give the same contexts with the same ids, so that a session can
// be distilled again.
func Distil(s domain.Session, events []domain.Event, limit int) Distilled {
	d := &distiller{session: s}
	for _, e := range events {
		d.event(e)
	}
	return d.best(limit)
}

// distiller collects candidates.
type distiller struct {
	session  domain.Session
	all      []candidate
	drafting bool // the person asked for a text: what it says is nobody's word
	troubled bool // the person told of a fault
}

// candidate is a sentence that a rule took.
type candidate struct {
	rule  *rule
	text  string
	words map[string]bool
	event domain.Event
	by    domain.Origin
	turn  int64
	why   string // its reason, where the sentence itself gives none
}

// is reports whether a rule of one of these names took the sentence.
func (c *candidate) is(names ...string) bool { return slices.Contains(names, c.rule.name) }

func (d *distiller) event(e domain.Event) {
	if e.Erased {
		return
	}
	switch e.Type {
	case domain.EventMessage:
		m, err := e.Message()
		if err != nil || m.Kind != domain.PlainMessage {
			return
		}
		switch {
		case m.Human() && d.session.Client == string(SWEAgent):
			// its harness speaks for the person
		case m.Human():
			d.drafting, d.troubled = drafts().in(strings.ToLower(m.Content)), slices.ContainsFunc(proseLines(strings.ToLower(m.Content)), trouble().in)
			d.sentences(e, m.Content, domain.FromUser)
		case m.Role == domain.RoleAssistant && !d.drafting:
			d.sentences(e, m.Content, domain.FromAssistant)
		}
	case domain.EventFinding:
		if f, err := domain.PayloadAs[domain.Finding](e); err == nil {
			d.finding(e, f)
		}
	}
}

// finding takes what a client itself reported as found.
func (d *distiller) finding(e domain.Event, f domain.Finding) {
	name, known := map[domain.FindingKind]string{domain.FindingRootCause: ruleRootCause, domain.FindingFix: ruleFix}[f.Kind]
	if known {
		d.add(e, ruleNamed(name), f.Text, domain.FromAssistant)
	}
}

// drafts is how people ask for a text.
var drafts = sync.OnceValue(func() phrases {
	return anyOf(`^((please|pls|now|ok|and),? |can you |could you )*(write|draft|translate|rephrase|reword|proofread|summari[sz]e|compose|shorten)\b.*\b(blog|post|e-?mail|letter|article|story|essay|poem|announcement|speech|tweet|text|page|paragraph|newsletter|to (english|german|french|spanish))\b`)
})

// letter is how a text for somebody else begins or ends, which an assistant wrote
// in the person's name.
var letter = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?im)^\W*(subject: |dear \S+|(best|kind|warm) regards|sincerely,?|yours,)`)
})

// injected is what nobody writes who speaks for himself.
var injected = sync.OnceValue(func() phrases {
	return anyOf(`\b(ignore|disregard|forget) (all |any |the |your )*(previous|prior|above|earlier) (instructions|prompts?|messages|rules)\b`)
})

func (d *distiller) sentences(e domain.Event, text string, by domain.Origin) {
	if len(text) > maxDistilled || injected().in(strings.ToLower(text)) || by == domain.FromAssistant && letter().MatchString(text) {
		return // a pasted log or document, not somebody's words
	}
	for _, s := range splitSentences(text) {
		d.sentence(e, s, by)
	}
}

func (d *distiller) sentence(e domain.Event, text string, by domain.Origin) {
	said := asserted(text)
	if by == domain.FromAssistant && retracts().in(said) {
		d.retract(e.Turn)
	}
	rules := distilRules()
	for i := range rules {
		if rules[i].takes(said, by) {
			d.add(e, &rules[i], text, by)
			return
		}
	}
	if by == domain.FromUser {
		return
	}
	switch {
	case d.unmended(e.Turn) && mended().in(said) && !dangling().in(said) && !unsure().in(said):
		d.add(e, ruleNamed(ruleFix), text, by)
	case d.troubled && consequence().in(said) && !unsure().in(said):
		d.add(e, ruleNamed(ruleRootCause), text, by)
	}
}

// unmended reports whether the last thing of this turn or the one before is a cause
// that the assistant found: what it then did is the fix.
func (d *distiller) unmended(turn int64) bool {
	if len(d.all) == 0 {
		return false
	}
	last := d.all[len(d.all)-1]
	return last.is(ruleRootCause) && last.by == domain.FromAssistant && turn-last.turn <= 1
}

// retract takes the causes back that the assistant told in this turn and the one
// before, with what it did about them.
func (d *distiller) retract(turn int64) {
	d.all = slices.DeleteFunc(d.all, func(c candidate) bool {
		return c.is(ruleRootCause, ruleFix) && c.by == domain.FromAssistant && turn-c.turn <= 1
	})
}

// maxDistilled is the longest message that is looked into, in bytes.
const maxDistilled = 40 << 10

// add takes a candidate, or joins it with one that says nearly the same: the
// longer wording stays, at the place where it was said first. What an assistant
// answers to a person's decision in the same turn repeats it, and may say why.
func (d *distiller) add(e domain.Event, r *rule, text string, by domain.Origin) {
	c := candidate{rule: r, text: text, words: wordSet(text), event: e, by: by, turn: e.Turn}
	if len(c.words) < c.fewest() {
		return
	}
	for i := range d.all {
		old := &d.all[i]
		if c.echoes(old) {
			old.why = orText(old.why, reasonIn(text))
			return
		}
		if similarity(old.words, c.words) < nearDuplicate {
			continue
		}
		if len(c.text) > len(old.text) && old.rule == c.rule {
			old.text, old.words = c.text, c.words
		}
		return
	}
	d.all = append(d.all, c)
}

// fewest is how many words a candidate must have: a person may settle a thing with
// a word.
func (c *candidate) fewest() int {
	if c.by == domain.FromUser && c.is(ruleDecision, ruleReversal, rulePreference) {
		return 1
	}
	return 3
}

// echoes reports whether an assistant repeats by c what a person just decided.
func (c *candidate) echoes(old *candidate) bool {
	return c.by == domain.FromAssistant && old.by == domain.FromUser && c.turn == old.turn &&
		c.is(ruleDecision, ruleReversal) && old.is(ruleDecision, ruleReversal, rulePreference) && common(old.words, c.words) >= 1
}

// nearDuplicate is the share of common words from which two sentences are one.
const nearDuplicate = 0.6

// best picks the strongest candidates and makes contexts of them.
func (d *distiller) best(limit int) Distilled {
	picked := slices.Clone(d.all)
	sort.SliceStable(picked, func(i, j int) bool { return picked[i].rule.weight > picked[j].rule.weight })
	picked = picked[:min(max(limit, 0), len(picked))]
	sort.SliceStable(picked, func(i, j int) bool { return picked[i].event.Seq < picked[j].event.Seq })
	var out Distilled
	for i, c := range picked {
		context := d.context(c)
		if j := causeOf(picked[:i], c); j >= 0 {
			context.Causality.CausedBy = out.Contexts[j].ID
			if c.rule.name == ruleReversal {
				out.Links = append(out.Links, domain.Link{From: context.ID, To: out.Contexts[j].ID, Kind: domain.Supersedes,
					Origin: domain.Auto, Confidence: 0.7, Reason: "a later decision in the same session takes it back", AddedAt: c.event.At})
			}
		}
		out.Contexts = append(out.Contexts, context)
	}
	return out
}

func (d *distiller) context(c candidate) domain.ContextSnapshot {
	session := orText(d.session.ID, c.event.SessionID)
	return domain.ContextSnapshot{
		ID:        ContextID("distilled", session, c.text),
		Project:   d.session.Project,
		Content:   c.text,
		Tags:      []string{"distilled", strings.ReplaceAll(c.rule.name, "_", "-")},
		Source:    orText(d.session.Client, "session"),
		Timestamp: c.event.At,
		SessionID: session,
		Seq:       c.event.Seq,
		Kind:      domain.Semantic,
		Origin:    c.by,
		Metadata:  map[string]any{"distilled_by": c.rule.name},
		Causality: &domain.Causality{ActionType: c.rule.action, Rationale: orText(reasonIn(c.text), c.why), Dependencies: []string{}},
	}
}

// causeOf finds, among what came before, why c was done; -1 when nothing shows it.
func causeOf(before []candidate, c candidate) int {
	for i := len(before) - 1; i >= 0; i-- {
		b := before[i]
		near := c.turn-b.turn <= 1
		switch {
		case c.is(ruleFix) && b.is(ruleRootCause) && near:
			return i
		case c.is(ruleReversal) && b.is(ruleDecision, ruleReversal) && common(b.words, c.words) >= 2:
			return i
		case c.is(ruleDecision) && b.is(ruleRootCause) && near && common(b.words, c.words) >= 2:
			return i
		}
	}
	return -1
}

// reasons begins a reason; since may also begin a time.
var reasons = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\b(because|so that|due to)\s|\bsince (it|they|we|i|the \w+ (is|are|has|have|does|do)|there|our|its|their|all|no|each|every|nobody|only)\s|\s(weil|denn|parce que|porque|perché)\s`)
})

// reasonIn is the part of a sentence that says why.
func reasonIn(text string) string {
	lower := strings.ToLower(text)
	if len(lower) != len(text) {
		return "" // its letters have other places
	}
	if i := reasons().FindStringIndex(lower); i != nil {
		return strings.TrimSpace(text[i[0]:])
	}
	return ""
}
