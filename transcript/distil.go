package transcript

import (
	"slices"
	"sort"
	"strings"

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
	session domain.Session
	all     []candidate
}

// candidate is a sentence that a rule took.
type candidate struct {
	rule  *rule
	text  string
	words map[string]bool
	event domain.Event
	by    domain.Origin
	turn  int64
}

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
		case m.Human():
			d.sentences(e, m.Content, domain.FromUser)
		case m.Role == domain.RoleAssistant:
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
	name := map[domain.FindingKind]string{domain.FindingRootCause: ruleRootCause, domain.FindingFix: ruleFix}[f.Kind]
	rules := distilRules()
	for i := range rules {
		if rules[i].name == name {
			d.add(e, &rules[i], f.Text, domain.FromAssistant)
			return
		}
	}
}

func (d *distiller) sentences(e domain.Event, text string, by domain.Origin) {
	if len(text) > maxDistilled {
		return // a pasted log or document, not somebody's words
	}
	rules := distilRules()
	for _, s := range splitSentences(text) {
		for i := range rules {
			if r := &rules[i]; r.takes(s, by) {
				d.add(e, r, s, by)
				break
			}
		}
	}
}

// maxDistilled is the longest message that is looked into, in bytes.
const maxDistilled = 40 << 10

// add takes a candidate, or joins it with one that says nearly the same: the
// longer wording stays, at the place where it was said first.
func (d *distiller) add(e domain.Event, r *rule, text string, by domain.Origin) {
	c := candidate{rule: r, text: text, words: wordSet(text), event: e, by: by, turn: e.Turn}
	if len(c.words) < 3 {
		return
	}
	for i, old := range d.all {
		if similarity(old.words, c.words) < nearDuplicate {
			continue
		}
		if len(c.text) > len(old.text) && old.rule == c.rule {
			d.all[i].text, d.all[i].words = c.text, c.words
		}
		return
	}
	d.all = append(d.all, c)
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
		Causality: &domain.Causality{ActionType: c.rule.action, Rationale: reasonIn(c.text), Dependencies: []string{}},
	}
}

// causeOf finds, among what came before, why c was done; -1 when nothing shows it.
func causeOf(before []candidate, c candidate) int {
	for i := len(before) - 1; i >= 0; i-- {
		b := before[i]
		near := c.turn-b.turn <= 1
		switch {
		case c.rule.name == ruleFix && b.rule.name == ruleRootCause && near:
			return i
		case c.rule.name == ruleReversal && (b.rule.name == ruleDecision || b.rule.name == ruleReversal) && common(b.words, c.words) >= 2:
			return i
		case c.rule.name == ruleDecision && b.rule.name == ruleRootCause && near && common(b.words, c.words) >= 2:
			return i
		}
	}
	return -1
}

// reasonIn is the part of a sentence that says why.
func reasonIn(text string) string {
	lower := strings.ToLower(text)
	for _, mark := range []string{" because ", " so that ", " since ", " due to "} {
		if i := strings.Index(lower, mark); i >= 0 && len(lower) == len(text) {
			return strings.TrimSpace(text[i+1:])
		}
	}
	return ""
}
