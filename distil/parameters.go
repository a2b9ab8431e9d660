package distil

import "wake/domain"

// parameters selects numbers that a person fixes, such as limits and timeouts. The
// words before such an order say what it is for, so they are kept with it.
func parameters() rule {
	return rule{name: ruleDecision, action: domain.Decision, weight: 4,
		user: anyOf(
			reaching+`(make|set|change|bump|raise|increase|extend|lower|reduce|decrease|shorten|cut|limit|cap|keep|leave) (the |our |its |all )?((\S+ ){0,3}?`+parameter+
				`|uploads?|downloads?|requests|attachments|(\S+ )?logs?|logins?|sessions|passwords)( (for|of|on|in|per|between) \S+( \S+){0,2}?)? (from \S+ )?((back |down |up )?(to|at|for|under|below|=) ?)?`+amount,
			opening+`set (the |our |its )?(\S+ ){1,4}to \S*\d`, opening+`default to \S{2}`,
			opening+`(use|allow|keep) (only |just |at most |up to )?\d+ (\S+ )?(workers|threads|processes|replicas|instances|retries|attempts|connections|shards|partitions|servers|nodes|cores|columns)\b`,
			`^(the |our )?(\S+ ){0,2}?`+parameter+`( (of|=))?:? `+amount+`( \w+)?[.!]?$`),
		refuse: anyOf(
			`\b(for now|for (this|a|one|the next) (run|test|moment|try|second|minute|time)|temporar\w+|just to|so (that )?(i|we|you) can|this (time|once|run)|once|only while|until|again|experiment\w*|try|let's see|what if|suppose|imagine)\b`,
			`(\band|,|;) (then )?(run|re-?run|try|test|show|tell|see|print|plot|draw|measure|compare)\b`,
			`(\b|\d)(px|pt|rem|em|pixels?|cm|mm)\b|\b(axis|axes|chart|plot|graph|drawing|picture|slider|timer|alarm|volume|brightness|game|line \d|example|questions|sentences|words)\b`,
			`\bset (it|this|that|them|\w) |\b(width|height|radius|font|margin|padding|breakpoint|oven|cursor|clock|date|position)\b`),
	}
}

const (
	// parameter matches what has a number that is fixed once.
	parameter = `(time-?out|limit|retr(y|ies)|attempts|ttl|threshold|interval|retention|delay|back-?off|(max(imum)?|min(imum)?)( [a-z]+){1,2}|connections|workers|replicas|` +
		`concurrency|quota|budget|rate|lifetime|expiry|expiration|deadline|grace period|cut-?off|(page|batch|pool|buffer|chunk|queue|cache|heap|block|window|memory|upload|file) (size|limit))s?`
	// amount matches a number with its suffix.
	amount = `[$€£]?\d[\d,.]*[a-zµ%]{0,7}([ ,;!)]|$)`
	// reaching matches how a sentence leads to an order.
	reaching = `(` + opening + `|[,;:] (so |then |please |and )*)((please|let's) )?`
)
