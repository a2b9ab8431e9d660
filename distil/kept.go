package distil

import (
	"cmp"
	"slices"
	"strings"

	"wake/domain"
)

// best selects the strongest candidates of each stretch and makes contexts of them.
func (d *distiller) best(limit int) Kept {
	found := d.understood()
	slices.SortStableFunc(found, func(a, b candidate) int { return cmp.Compare(b.rule.weight, a.rule.weight) })
	var picked []candidate
	inStretch := map[int64]int{}
	for _, c := range found {
		if n := c.event.Turn / stretch; inStretch[n] < limit {
			inStretch[n]++
			picked = append(picked, c)
		}
	}
	slices.SortStableFunc(picked, func(a, b candidate) int { return cmp.Compare(a.event.Seq, b.event.Seq) })
	var out Kept
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

// understood returns the candidates that are certain. A fix is kept only with what it
// mends: its cause, or the fault that it, the sentence before it or the person names. One that
// the client reported as such is taken as it is.
func (d *distiller) understood() (found []candidate) {
	sure := slices.DeleteFunc(slices.Clone(d.all), func(c candidate) bool { return c.doubt > certain || c.slip })
	for i, c := range sure {
		if c.is(ruleFix) && c.by == domain.FromAssistant && c.event.Type != domain.EventFinding && c.lead == "" && causeOf(sure[:i], c) < 0 && !trouble().in(c.text) {
			if c.fault == "" {
				continue
			}
			c.lead, c.with = c.fault, append(c.with, c.reported)
		}
		found = append(found, c)
	}
	return found
}

func (d *distiller) context(c candidate) domain.ContextSnapshot {
	session := cmp.Or(d.session.ID, c.event.SessionID)
	metadata := map[string]any{domain.DistilledBy: c.rule.name}
	if with := c.others(); len(with) > 0 {
		metadata[domain.DistilledWith] = with
	}
	return domain.ContextSnapshot{
		ID:        domain.DerivedID("distilled", session, c.standalone()),
		Project:   d.session.Project,
		Content:   c.standalone(),
		Tags:      []string{"distilled", strings.ReplaceAll(c.rule.name, "_", "-")},
		Source:    cmp.Or(d.session.Client, "session"),
		Timestamp: c.event.At,
		SessionID: session,
		Seq:       c.event.Seq,
		Kind:      domain.Semantic,
		Origin:    c.by,
		Metadata:  metadata,
		Causality: &domain.Causality{ActionType: c.rule.action, Rationale: cmp.Or(reasonIn(c.text), c.why), Dependencies: []string{}},
	}
}

// standalone returns the candidate's text for a reader who knows nothing else of the
// session.
func (c *candidate) standalone() string {
	switch {
	case c.lead == "":
		return c.text
	case strings.ContainsAny(c.lead[len(c.lead)-1:], ".!:;"):
		return c.lead + " " + c.text
	default:
		return c.lead + " → " + c.text
	}
}

// others returns the other events that the words come from.
func (c *candidate) others() []int64 {
	with := slices.Compact(slices.Sorted(slices.Values(c.with)))
	return slices.DeleteFunc(with, func(n int64) bool { return n == c.event.Seq || n == 0 })
}

// causeOf returns the index of the earlier candidate that is the cause of c, or -1 if
// there is none.
func causeOf(before []candidate, c candidate) int {
	for i := len(before) - 1; i >= 0; i-- {
		b := before[i]
		near := c.event.Turn-b.event.Turn <= 1
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

// reasonIn returns the part of a sentence that gives a reason.
func reasonIn(text string) string {
	lower := strings.ToLower(text)
	if len(lower) != len(text) {
		return "" // lower-casing moved its letters
	}
	if i := reasons().FindStringIndex(lower); i != nil {
		return strings.TrimSpace(text[i[0]:])
	}
	return ""
}

// reasons matches the beginning of a reason; "since" may also begin a time.
var reasons = lazily(`\b(because|so that|due to)\s|\bsince (it|they|we|i|the \w+ (is|are|has|have|does|do)|there|our|its|their|all|no|each|every|nobody|only)\s|\s(weil|denn|parce que|porque|perché)\s`)
