package distil

import (
	"slices"
	"sync"

	"wake/domain"
)

// The names of the rules.
const (
	rulePreference = "preference"
	ruleDecision   = "decision"
	ruleReversal   = "reversal"
	ruleRootCause  = "root_cause"
	ruleFix        = "fix"
	ruleFact       = "fact"
)

// rule selects sentences that say one kind of thing.
type rule struct {
	name      string
	action    domain.ActionType
	weight    int     // decides which candidates stay if there are too many
	user      phrases // how people say it
	assistant phrases
	refuse    phrases // what looks similar but is not
	lasting   bool    // applies whenever its condition is true, so a condition does not make it unsure
	brief     bool    // a name and a number are enough
}

// takes reports whether a speaker asserts in a sentence what the rule looks for.
func (r *rule) takes(said *wording, by domain.Origin) bool {
	ways := r.assistant
	if by == domain.FromUser {
		ways = r.user
	}
	return said.says(ways) && !said.says(unsure()) && (r.lasting || !said.says(conditional())) && !r.refuses(said, ways)
}

// refuses reports whether a sentence that says it in one of the ways means something else.
// What matters is what goes before its reason: "let's use SQLite because one file is easy to
// copy" is not about a file. Nor is "let's use full text search" about a text.
func (r *rule) refuses(said *wording, ways phrases) bool {
	if !said.says(r.refuse) {
		return false
	}
	text := termsOfArt().ReplaceAllString(said.text, "technique")
	if reason := reasons().FindStringIndex(text); reason != nil {
		text = text[:reason[0]]
	}
	before := worded(text)
	return !before.says(ways) || before.says(r.refuse)
}

// termsOfArt matches techniques that are named after what people edit.
var termsOfArt = lazily(`\b(full|plain|free|rich)[- ]text\b|\btext (search|columns?|embeddings?|index(es)?)\b|\bfile ?(systems?|storage|stores?)\b|` +
	`\bword (embeddings?|vectors?)\b`)

const (
	// opening matches what people say before coming to the point.
	opening = `^([^:?.!]{1,50}: )?((please|pls|plz|and|also|but|so|then|ok|okay|yes|yeah|no|nope|right|good|great|cool|sure|fine|agreed|well|oh|ah|btw|` +
		`hm+|actually|sorry|in general|in this (repo|project|codebase))[,.!:]* )*`
	// vague matches an object that only the conversation explains.
	vague = `((it|that|this|them|those|these|what|the (same|other|existing|above|attached|new|first|second|third|last|former|latter)( one| option|` +
		` approach| way)?|your \w+)([.,!;]|$|\s)|(one|both|him|her|\w|(option|approach|number|variant) \S{1,3})([.,!;]|$))`
)

// distilRules are tried in this order; the first match wins. They are made on first
// use: most processes never distil, and hooks must be fast.
var distilRules = sync.OnceValue(func() []rule {
	return []rule{preferences(), reversals(), decisions(), parameters(), rootCauses(), fixes(), names(), facts(), measurements(), corrections()}
})

// ruleNamed returns the first rule with that name.
func ruleNamed(name string) *rule {
	rules := distilRules()
	return &rules[slices.IndexFunc(rules, func(r rule) bool { return r.name == name })]
}
