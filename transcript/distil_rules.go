package transcript

import (
	"regexp"
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

// rule takes sentences that say one kind of thing.
type rule struct {
	name      string
	action    domain.ActionType
	weight    int            // which stay when there are too many
	user      *regexp.Regexp // how people say it; nil: they do not
	assistant *regexp.Regexp
	refuse    *regexp.Regexp // what looks like it and is not
}

func (r *rule) takes(sentence string, by domain.Origin) bool {
	pattern := r.assistant
	if by == domain.FromUser {
		pattern = r.user
	}
	return pattern != nil && pattern.MatchString(sentence) && !unsure().MatchString(sentence) &&
		(r.refuse == nil || !r.refuse.MatchString(sentence))
}

// unsure sentences ask, guess or plan: nothing was settled.
var unsure = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\?\s*$|\b(maybe|perhaps|might|could be|should we|shall we|would you|do you want|let me (know|check|look|see|read|run|try|first|start|now)|if you('d)? (like|want|prefer)|i'm not sure|not sure|probably|possibly|one option|another option|alternatively|appears to|seems to|looks like|for example|e\.g\.|suppose|assum(e|ing)|if you|if we|were to|can you|could you)\b|\[[a-z ,]+\]([^(]|$)`)
})

// distilRules are tried in this order; the first that takes a sentence has it.
// They are made when they are first needed: most processes never distil, and
// hooks are in a hurry.
var distilRules = sync.OnceValue(func() []rule {
	return []rule{
		{
			name: rulePreference, action: domain.Decision, weight: 6,
			user:   regexp.MustCompile(`(?i)^(please |and |also |but |ok(ay)?,? )*(always|never|from now on|going forward|in (the )?future,|i (really )?(prefer|like|dislike|hate|want you to always)|remember (that|to)|don't ever|do not ever|make sure (you |to )?(always|never))\b|\b(from now on|going forward)\b|^(please )?(don't|do not) (ever |use|add|commit|push|touch|change|write|create)\b.*\b(ever|again|without asking|in this (project|repo|codebase))\b`),
			refuse: regexp.MustCompile(`(?i)^never ?mind\b|\bi('d)? like (it|this|that|the)\b.{0,20}$|^never (heard|seen|knew|thought|had|been|said)\b|^always (a|the|been|nice|good|great|happy)\b|\bi (really )?(like|dislike|hate) (how|what|when|this|that)\b`),
		},
		{
			name: ruleReversal, action: domain.Decision, weight: 5,
			user:      regexp.MustCompile(`(?i)^(actually|no|wait|hmm|sorry|on second thought|scrap that|forget that)[,.: ]+.*\b(let's|use|go with|instead|don't|do not|revert|drop|switch (back )?to)\b|\b(let's|we should|please) (revert|undo|roll back|drop|go back to|switch back)\b`),
			assistant: regexp.MustCompile(`(?i)\b(we|i)('ve| have)? (reverted|switched back|went back|rolled back|abandoned|dropped)\b.*\b(because|since|due to|to|in favou?r of)\b|\bdecided against\b|\b(we|i) no longer (use|need|keep)\b`),
		},
		{
			name: ruleDecision, action: domain.Decision, weight: 4,
			user: regexp.MustCompile(`(?i)\b(let's|we'll|we will|we should) (use|go with|stick (with|to)|keep|adopt|switch to|standardi[sz]e on|call it|name it)\b|\b(i|we)('ve| have)? decided\b|^decision:|\bgo(ing)? with (option|the|your|approach)\b|\b(we're|we are|i'm|i am) going with\b|\buse \S+( \S+){0,4} instead( of)?\b`),
			refuse: regexp.MustCompile(`(?i)\b(those|these|that|your|this) (steps|changes|suggestions?|approach|plan|idea|one)\b|\b(go|going) with (it|that|this|those|these|your)\b|:\s*["“]` +
				`|\b(never|didn't|did not|don't|do not) (say|said|mean|meant)\b|\buse (a break|the (time|chance|opportunity))\b|\b(plan|approach|idea|steps?) (that )?(you|above|from before)\b` +
				`|\b(decided|chose|chosen|opted|agreed) to (first )?(look|check|start|begin|continue|read|run|proceed|investigate|try|see|search|explore|go (ahead|on))\b` +
				`|\b(i|we)('ll| will) use (the )?(\w+ )?(tool|command)\b|\b(i|we)('ll| will) use (grep|rg|find|sed|awk|cat|ls|bash|glob|jq|git (log|grep|diff|status|show|blame))\b`),
			assistant: regexp.MustCompile(`(?i)^(design |key |final )?decision( made)?:|\b(we|i)('ve| have)? (decided|agreed|settled) (to|on|that)\b|\b(we|i)('ve| have)? (chose|chosen|opted for|picked|went with)\b.*\b(because|since|over|instead of|rather than|so that|to avoid)\b|\b(we|i)('ve| have)? (switched|moved|migrated) from\b.*\b(because|since|so that|to avoid)\b|\b(we|i)('ll| will) (use|go with|stick with) .*\b(because|since|instead of|rather than|so that)\b`),
		},
		{
			name: ruleRootCause, action: domain.Research, weight: 4,
			user:      regexp.MustCompile(`(?i)\broot cause\b.{0,20}\b(is|was|:)|\bit was caused by\b`),
			assistant: regexp.MustCompile(`(?i)\b(root cause|culprit|underlying (problem|issue|cause))\b.{0,30}?(\bis\b|\bwas\b|:)|\bthe (bug|crash|failure|error|regression|test failure|leak|deadlock|race)( here)? (is|was|comes?|came|happen(s|ed)|occur(s|red)|is being|was being) (caused by|because|due to|from)\b|\bturns out (that )?the\b.*\b(because|was|were|is|are|had|did|does)\b|\bthe (bug|problem|issue|crash|failure) was (that|in)\b|\bfound the (issue|bug|problem|cause)\s*[:—–]\s*\S.{15}`),
			refuse:    regexp.MustCompile(`(?i)\bnot (yet )?(entirely |fully |completely )?(clear|known|found|certain|obvious|understood)\b|\b(is|was|remains) (still )?(unclear|unknown)\b|\bwhat (we|i) (need|have|want)\b`),
		},
		{
			name: ruleFix, action: domain.FileEdit, weight: 3,
			user:      nil,
			assistant: regexp.MustCompile(`(?i)\b(i|we)('ve| have)? (now )?(fixed|resolved|solved|corrected)\b.*\b(by|so that|which|that|where)\b|\bthe fix (is|was)\b|^(the )?fix:|^(fixed|resolved|solved) (the|a|an)\b.*\b(by|so that)\b|\b(is|was|are|were|been) fixed by\b|\b(fixes|resolves) the \S+.*\bby\b`),
			refuse:    regexp.MustCompile(`(?i)\b(will|to|needs? to|should|can|must) (be )?fix(ed)?\b`),
		},
		{
			name: ruleFact, action: domain.Research, weight: 2,
			user:      regexp.MustCompile(`(?i)\b(limit|budget|deadline|maximum|minimum|quota|timeout|retention|sla|target) (is|of|must be|should be|are)\b.*` + quantity + `|\b(dropped|reduced|improved|grew|increased|decreased|went|down|up) (from |by |to )[^.]*` + quantity),
			assistant: regexp.MustCompile(`(?i)\b(measured|benchmark(s|ed)?|dropped|reduced|improved|grew|increased|decreased|went|down|up) (from |by |at |to )[^.]*` + quantity + `|\b(takes?|took|costs?|peaks? at|limited to|limit is|timeout is) (about |around |roughly |only |up to )?` + quantity),
		},
	}
})

// quantity is a number with a unit.
const quantity = `[$€~]?\d[\d,.]*\s?(ms|µs|ns|s|sec(onds)?|min(utes)?|h(ours)?|days?|weeks?|%|percent|[kmgt]i?b|bytes|tokens?|rows?|requests?|req/s|qps|users?|usd|dollars?|x|times|lines)\b`
