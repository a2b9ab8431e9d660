package distil

import "wake/domain"

// rootCauses selects why something went wrong, told as the cause.
func rootCauses() rule {
	return rule{name: ruleRootCause, action: domain.Research, weight: 4,
		user: anyOf(`\broot cause\b.{0,20}\b(is|was|:)`, `\b(was|is|were|got) caused by\b`, `\bthe `+failure+` (turned out to be|(was|is) (because|due to)|`+
			`comes from|came from)\b`, `\bthe (problem|issue|bug|reason|error|cause) was (that|in|the|an?|our|my)\b`,
			`\bturn(s|ed) out (that )?(the|we|our|it)\b`, `^no,? .*\bit's (the|our|a|an) \S+`, otherLanguageCause),
		assistant: anyOf(
			`\b(root cause|culprit|(the|real|actual|true) cause|underlying (problem|issue|cause))\b.{0,30}?(\bis\b|\bwas\b|:)`,
			`\bthe `+failure+`( here)? (is|was|(?:is|was) (?:just|simply|only|actually)|comes?|came|happen(s|ed)|occur(s|red)|is being|was being) (caused by|because|due to|from|between|that)\b`,
			`\bthe (bug|problem|issue|crash|failure|reason) (was (in|the|an?)|(was|is) that)\b`,
			`\bturn(s|ed) out (that )?the\b`,
			`\b(fail(s|ed|ing)?|crash(es|ed)?|hangs?|hung|flaky|rejected|refused|leak(s|ed)?|breaks?|broke|broken|timed? out|lost|panics?|panicked)( \S+){0,5} (because|due to)\b`,
			`\b((found|see) (it|the (\S+ )?(issue|bug|problem|cause|reason)( (at|in|on|with) [^:—–]{2,40})?)|that explains (it|why[^:]*)|here's (why|the problem|the cause|what (happened|happens|`+
				`goes wrong))|(is|what's) happening)(\s*[:—–]| -)\s*\S.{15}`, `^the (reason|cause|problem|issue|bug)\s*[:—–]\s*\S.{15}`, `^(cause|(the )?actual bug)\s*[:—–]\s*\S.{15}`, otherLanguageCause),
		refuse: anyOf(
			`^(now )?let me\b`, `\blikely\b`, `\b(for some reason|somehow)\b`, `\b(will|would) (\w+ )?(fail|crash|break|hang)( \S+){0,5} (because|due to)\b`,
			`\bnot (yet )?(entirely |fully |completely )?(clear|known|found|certain|obvious|understood)\b`, `\b(is|was|remains) (still )?(unclear|unknown|invisible|hidden|lost)\b`,
			`\bwhat (we|i) (need|have|want)\b`, `\b(identify|understand|find|address|discuss|determine|name) the (root )?cause\b`,
			`\b(if|whether) (the|it|this|there)\b`, `\b(not|n't) (actually |really )?(caused by|the (root )?cause|because)\b`,
			`\b(bug|problem|issue|error|failure|crash|cause) (is|was) not (in|on|at|with|from|about|an?|the|this|that|it|here|there|yours?|ours?|its|related) ?([^,;—–b]|b[^u]|bu[^t])*$`, `\bit was caused by (this|that|it)\b`, `[:—–] ?(it's|it is|this is|that's|they're) not\b`, `^the others?\b`, `\bmay (not |also |still )?(be|have)\b`, `\b(is|are|was|were|be) either\b`),
	}
}

// fixes selects what was done about a fault.
func fixes() rule {
	return rule{name: ruleFix, action: domain.FileEdit, weight: 3,
		user: anyOf(`^((that was it|yes|yep|great|ok)[,.! ]+)*(i )?\w+ed .*\b(no more \S+|works? (now|again|fine)|it works|fixed it|solved it|is gone)\b`,
			`^((ok|nvm|nevermind|that was it)[,.! ]+)*(i )?(fixed|solved) (the |my |our )?\S+ .*[,:] `),
		assistant: anyOf(
			`\b(i|we)('ve| have)? (now )?(fixed|resolved|solved|corrected)\b.*\b(by|so that|which|that|where)\b`, `\bthe fix (is|was)( simply| just)? (to|that|an?|\w+ing)\b`, `\bthe fix (is|was) [^.:?]{3,60}: \S`, `\bthe \S.* (fix|change) (resolved|solved|fixed|cured) (it|this|that|the)\b`,
			`^(the )?((cleanest|simplest|right|proper|real|correct|better|best|actual) )?fix:`, `^(fixed|resolved|solved) (the |a |an )?.*\b(by \w+ing|so that)\b`, `\b(is|was|are|were|been) fixed by\b`, `\b(fixes|resolves) the \S+.*\bby\b`),
		refuse: anyOf(`\bthe fix (is|was) (pending|missing|coming|holding|working([.,;:!]|$| (now|as|fine|well|again|properly|correctly|great|on|in)\b))`, `\b(will|to|needs? to|should|can|must) (be )?fix(ed)?\b`, `^if\b`, `\b(should|needs?( to)?|could) \S`),
	}
}

// failure matches what went wrong, as stated with its cause.
const failure = `(\S+ ){0,3}(bug|crash|failures?|errors?|exception|regression|leak|deadlock|race|outage|problems?|issue|slowdown|latency|timeouts?|` +
	`hang|loop|mismatch|delay|warnings?|flakiness|corruption|conflict|duplicates?|flicker|[45]\d\d)`

// otherLanguageCause matches causes in German, French, Spanish, Chinese and Japanese.
const otherLanguageCause = `\bdie (eigentliche )?ursache\b.*\b(war|ist|liegt|lag)\b|\b(das problem|der fehler|der grund) (war|ist|lag|liegt|kam|kommt) |\bes lag an\b|` +
	`\b(la|cette) cause (était|est|réelle)\s|\ble (problème|bug) (venait|vient|provient|provenait|était|est) |\bla causa (raíz )?(era|fue|es)\s|` +
	`\bel (problema|error|fallo) (era|fue|es|estaba|está|venía|viene) (que|de|en|el|la|un)|(根本)?原因(是|：|:)|原因は`
