package transcript

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

// rule takes sentences that say one kind of thing.
type rule struct {
	name      string
	action    domain.ActionType
	weight    int     // which stay when there are too many
	user      phrases // how people say it
	assistant phrases
	refuse    phrases // what looks like it and is not
	lasting   bool    // holds whenever its condition comes true, so a condition does not make it unsure
}

// takes reports whether a speaker asserts by a sentence what the rule is for.
func (r *rule) takes(sentence string, by domain.Origin) bool {
	said := r.assistant
	if by == domain.FromUser {
		said = r.user
	}
	return said.in(sentence) && !unsure().in(sentence) && (r.lasting || !conditional().in(sentence)) && !r.refuse.in(sentence)
}

// unsure sentences ask, guess or plan: nothing was settled.
var unsure = sync.OnceValue(func() phrases {
	return anyOf(`[?？][?!]*\s*$`, `吗[。]?$`, `ですか[。]?$`,
		`\b(maybe|perhaps|might|could be|should we|shall we|would you|do you want|i'm not sure|not sure|probably|possibly|one option|another option|alternatively|appears to|seems to|looks like)\b`,
		`\blet me (know|check|look|see|read|run|try|first|start|now)\b`, `\b(can|could) you\b`,
		`\b(what|how) about\b|\bwhy (don't|not)\b`, `\b(undecided|not decided|haven't decided|nothing is decided|decided nothing|torn between|should i|how (can|do|should) i|what are the|what's the best)\b`,
		`\[[a-z ,]+\]([^(]|$)`) // a place held for what is not known yet
})

// conditional sentences say what would hold, or give an example of it.
var conditional = sync.OnceValue(func() phrases {
	return anyOf(`\bexample:`, `\b(for (example|instance)|e\.g\.|suppose|assum(e|ing)|if (you|we|i)|were to|(until|once|when|before|whether|unless) (we|i))\b`)
})

const (
	// opening is what people begin with before they come to the point.
	opening = `^([^:?.!]{1,50}: )?((please|pls|plz|and|also|but|so|then|ok|okay|yes|yeah|no|nope|right|good|great|cool|sure|fine|agreed|well|oh|ah|btw|hm+|actually|sorry|in general|in this (repo|project|codebase))[,.!:]* )*`
	// vague is an object that only its conversation explains.
	vague = `((it|that|this|them|those|these|what|the (same|other|existing|above|attached|new|first|second|third|last|former|latter)( one| option| approach| way)?|your \w+)([.,!;]|$|\s)|(one|both|him|her|\w|(option|approach|number|variant) \S{1,3})([.,!;]|$))`
	// forbidden is what people tell an assistant not to do.
	forbidden = `(use|touch|rename|add|put|mock|edit|modify|change|hard-?code|introduce|import|remove|delete|break|push|force-push|log|write|create|commit|mention|include|install|upgrade|rely|depend|ask|mix|store|send)`
)

// distilRules are tried in this order; the first that takes a sentence has it.
// They are made when they are first needed: most processes never distil, and
// hooks are in a hurry.
var distilRules = sync.OnceValue(func() []rule {
	return []rule{preferences(), reversals(), decisions(), rootCauses(), fixes(), facts()}
})

// ruleNamed is the rule of that name.
func ruleNamed(name string) *rule {
	rules := distilRules()
	return &rules[slices.IndexFunc(rules, func(r rule) bool { return r.name == name })]
}

// preferences are what a person wants whenever it applies: also the conventions
// and limits of a project.
func preferences() rule {
	return rule{name: rulePreference, action: domain.Decision, weight: 6, lasting: true,
		user: anyOf(
			opening+`(always|never|from (now|here|today) on(wards)?|going forward|in (the )?future,|i (really |strongly )?prefer|(don't|do not) ever|make sure (you |to )?(always|never))\b`,
			opening+`((remember|keep in mind|bear in mind) (that|to)\b|(remember|keep in mind|important|note): ?\S)`,
			`^((a )?new |our |house )?(rule|convention|policy|guideline|requirement|constraint|agreement)( is)?: \S`,
			`\b(from (now|here|today) on(wards)?|going forward)\b|, always[.!]*$|\b(every|each) time you\b|\b(before|after) (every|each|any) (commit|push|pr|merge|release|deploy|change|edit)\b`,
			// A prohibition lasts when it says why or where, or names a tool.
			opening+`(don't|dont|do not|never) `+forbidden+`\b.*(\b(ever|again|any ?more|anywhere|without|because|since|unless|before|when|while|during|over|in this (project|repo|codebase))\b|, (they|it|its|it's|we|our|other|others|the|that's|use|i)\b|[;:] )`,
			opening+`(don't|dont|do not) use \S+`,
			opening+`(stop|quit|avoid) (using|adding|writing|putting|generating|asking|committing|creating|explaining|apologi[sz]ing|mentioning|including|mocking|inventing)\b`,
			opening+`(i want|i would like|i'd like) (all|every|any|no|only|answers|your answers)\b`,
			opening+`i (want you to (always|never|stop|not|avoid)|(don't|do not) want (you to|any|to (use|see|have)))\b`,
			opening+`no more \S+( \S+){0,3} (in|for|on|when)\b`,
			opening+`(we|(this|the|our) (repo|project|codebase|team)) (only |always |never |don't |do not )?(uses?|writes?|follows?|requires?|supports?|targets?|deploys? (to|on|with)|runs? on)\b`,
			`\b(our|the) ((\S+ )?(convention|policy|rule|guideline)|naming|standard)( for .{1,40}| on .{1,40})? (is|are)\b`,
			opening+`(we|you) (can't|cannot|can not|must not|mustn't|may not|aren't allowed to|are not allowed to|must (always|never)) `+forbidden+`\b`,
			opening+`(every|each|all|any|no) (\S+ ){1,5}(needs|has to|have to|requires?)\b|^(\S+ ){1,8}must (never|not|always|only|be (able|under|below|above|at (least|most)|in|on|\w+ed)|stay|remain|support|use|work|run|go|finish|fit|match|contain|pass)\b`,
			`\b(client|customers?|legal|security|compliance|management|product|design|ops|marketing|finance|accounting) (team |department )?(insists? on|wants?|requires?|demands?|asked for|doesn't want|won't accept|does not allow|doesn't allow)\b`,
			// German, French, Spanish, Portuguese, Russian, Chinese, Japanese
			`^(bitte |und |also |außerdem |ok,? )*(immer|niemals|nie|künftig|ab (jetzt|sofort)|in zukunft|keine) .*|\bbitte (immer|nie|niemals|keine?n?)\s|\bab (jetzt|sofort) (bitte|immer|nur|keine)\s`,
			`^(stp,? |s'il te plaît,? |et |aussi )*(toujours|ne jamais|désormais|dorénavant|à partir de maintenant)\s`,
			`^(por favor,? |y |e )*(siempre|nunca|sempre|a partir de ahora|a partir de agora|deja de)\s`,
			`^(пожалуйста,? )?(всегда|никогда|впредь|отныне)\s`,
			`每次.{0,12}(都要|必须|都必须)`, `^(请|請)?(以后|以後|今后|从现在起|始终|务必|永远不要|不要再)`, `(今後は|これからは|常に|必ず|絶対に)`),
		refuse: anyOf(
			`^never ?mind\b`, `^never (heard|seen|knew|thought|had|been|said)\b`, `^always (a|the|been|nice|good|great|happy)\b`,
			`\bwants? to (know|see)\b`,
			`\b(yet|for now|right now|this time|at the moment|today|tonight)\b`,
			`\b(don't|dont|do not|never|stop|avoid) (ever )?(\w+ )?`+vague,
			`\b(we|must not|cannot|can't) uses? `+vague+`|\b(we|i) use .*\b(but|and) (it|now)\b.*\b(fails?|crash\w*|errors?|broken?)\b`,
			`\b(to|now|still|why|how) (we|do we) use\b|\bso we (can|could)\b`),
	}
}

func reversals() rule {
	return rule{name: ruleReversal, action: domain.Decision, weight: 5,
		user: anyOf(
			`^(ok(ay)?,? |hm+,? )?(actually|no|wait|hm+|sorry|on second thought|scrap that|forget that)[,.: ]+(.*\b(let's|lets|instead|go with|revert|drop|switch (back )?to|changed my mind|i'd rather|i would rather)\b|use )`,
			`\b(let's|lets|we should|please) (revert|undo|roll back|drop|scrap|ditch|abandon|get rid of|go back to|switch back)\b`,
			`\bchanged (my|our) minds?\b|\bi('d| would) rather (use|keep|have|go|stay)\b`,
			`\bwe('re| are) (no longer|not) (using|going with)\b.*|\bwe no longer (use|want|need)\b`),
		assistant: anyOf(
			`\b(we|i)('ve| have)? (reverted|switched back|went back|rolled back|abandoned|dropped)\b.*\b(because|since|due to|in favou?r of)\b`,
			`\b(we|i)('ve| have)? (decided against)\b`, `\b(we|i) no longer (use|need|keep)\b`),
		refuse: anyOf(`\b(revert|undo|roll back|drop|scrap|ditch|abandon|get rid of|use|go back to|go with|rather (use|keep|have)) `+vague, `\bchanged (my|our) minds?[.!]?$`),
	}
}

func decisions() rule {
	return rule{name: ruleDecision, action: domain.Decision, weight: 4,
		user: anyOf(
			`\b(let's|lets|we'll|we will|we should) (use|go with|go for|stick (with|to)|stay with|keep|adopt|switch to|migrate to|standardi[sz]e on|call it|name it|not (use|add|build|have|introduce|support|do)|(put|store|only|send))\b`,
			`\bi'll (use|go with|go for|stick with)\b`,
			`\b(i|we)('ve| have)? (decided|settled on|agreed|opted for|chose|picked)\b`, `^decision:|\bthe (final )?decision (is|was) (to|that|against|in favou?r)\b`,
			`\bgo(ing)? with\b`, `\b(we're|we are|i'm|i am) (going with|going for|choosing|picking|sticking with|staying with)\b`,
			`\b(we're|we are) (switching|moving|migrating) (to|from|off)\b`,
			`\b(use|take|pick|choose) \S+( \S+){0,4} (instead\b|rather than\b|and not\b)`, `\b(use|using) \S+( \S+){0,4}, not\b`,
			opening+`(switch|migrate|convert|port|move) (\S+ ){0,5}from \S+( \S+){0,3} to \S+`,
			opening+`(call|name) (the|our|this) (\S+ ){1,4}["“'`+"`"+`]`,
			`\bwe (won't|will not|aren't going to|are not going to) (use|support|ship|build|have|add|store|keep|allow|offer|implement|introduce|need)\b`,
			`\bthe reason (why )?we (use|chose|have|went with|keep|don't)\b`, opening+`(stay|stick|staying|sticking) (with|to|on)\b`,
			opening+`use \S+( \S+){0,3} for \S+`, `(^|[,;:] )(\S+ ){1,4}it is[.!]*$`, `\bgoing with \S+`,
			// German, French, Spanish, Portuguese, Italian, Russian, Chinese, Japanese
			`\s(statt|anstatt|anstelle (von|des|der)|au lieu (de|d')|plutôt (que|qu')|en lugar de|en vez de|em vez de|invece (di|del)|вместо)`,
			`\b(wir|ich) (haben|habe)\b.*\b(entschieden|beschlossen)\b`,
			`(on a|nous avons|j'ai) (décidé|choisi)\s|\b(on (va utiliser|utilise|utilisera|part sur)|nous (utilisons|utiliserons|partons sur))\s`,
			`\b(hemos|he) (decidido|elegido)\s|\bdecidimos\s|\bvamos (a )?usar\s|\busaremos\s`, `\b(abbiamo|ho) (deciso|scelto)\s`,
			`决定(用|使用|采用|改用|不用|不再)|我们(不用|用|采用|改用|选)|決定(用|使用|採用)`, `に(決め|決まり)(まし)?た|にしました|を採用し`),
		assistant: anyOf(
			`^(design |key |final )?decision( made)?:`, `\b(we|i)('ve| have)? (decided|agreed|settled) (to|on|that)\b`,
			`\b(we|i)('ve| have)? (chose|chosen|opted for|picked|went with)\b.*\b(because|since|over|instead of|rather than|so that|to avoid)\b`,
			`\b(we|i)('ve| have)? (switched|moved|migrated) from\b.*\b(because|since|so that|to avoid)\b`,
			`\b(we|i)('ll| will) (use|go with|stick with|implement|build|store) .*\b(because|since|instead of|rather than|so that)\b`),
		refuse: anyOf(
			`\b(those|these|that|your|this) (steps|changes|suggestions?|approach|plan|idea|one)\b`, `:\s*["“]`,
			`\b(use|go(ing)? (with|for)|adopt|(stick|stay)(ing)? (with|to|on)|choosing|picking|picked|chose|settled on|switch(ing)? to|(let's|we'll|we should|i'll) keep) `+vague,
			`\b(never|didn't|did not|don't|do not) (say|said|mean|meant)\b`, `\buse (a break|the (time|chance|opportunity))\b`,
			`\b(plan|approach|idea|steps?) (that )?(you|above|from before)\b`, `\bhow \S+ it is\b|\b(what|whatever|as|than|where|wherever|which) it is\b`, `\bkeep (going|working|on|in mind|an eye)\b|\bkeep .* going\b`, `\bthe following\b[^:]*$`,
			`\b(that )?you (provided|suggested|mentioned|proposed|recommended)\b`,
			`\b(decided|chose|chosen|opted|agreed) to (first )?(look|check|start|begin|continue|read|run|proceed|investigate|try|see|search|explore|sleep|wait|think|ask|go (ahead|on))\b`,
			`\b(i|we)('ll| will) use (the )?(\w+ )?(tool|command)\b|\b(i|we)('ll| will) use (grep|rg|find|sed|awk|cat|ls|bash|glob|jq|git (log|grep|diff|status|show|blame))\b`,
			`\b(what|why|how|where|which|who) (\S+ )?(i|we)('ve| have)? (decided|chose|picked|agreed|settled)\b`, `\b(stick|keep) to the (point|plan|topic)\b`),
	}
}

// failure is what went wrong, as its cause is told.
const failure = `(\S+ ){0,3}(bug|crash|failures?|errors?|exception|regression|leak|deadlock|race|outage|problems?|issue|slowdown|latency|timeouts?|hang|loop|mismatch|delay|warnings?|flakiness|corruption|conflict|duplicates?|flicker|[45]\d\d)`

func rootCauses() rule {
	return rule{name: ruleRootCause, action: domain.Research, weight: 4,
		user: anyOf(`\broot cause\b.{0,20}\b(is|was|:)`, `\b(was|is|were|got) caused by\b`, `\bthe `+failure+` (turned out to be|(was|is) (because|due to)|comes from|came from)\b`, `\bthe (problem|issue|bug|reason|error|cause) was (that|in|the|an?|our|my)\b`,
			`\bturns out (that )?(the|we|our|it)\b`, elsewhereCause),
		assistant: anyOf(
			`\b(root cause|culprit|underlying (problem|issue|cause))\b.{0,30}?(\bis\b|\bwas\b|:)`,
			`\bthe `+failure+`( here)? (is|was|comes?|came|happen(s|ed)|occur(s|red)|is being|was being) (caused by|because|due to|from|between|that)\b`,
			`\bthe (bug|problem|issue|crash|failure|reason) was (in|the|an?)\b`,
			`\bturns out (that )?the\b.*\b(because|was|were|is|are|had|did|does)\b`,
			`\b(fail(s|ed|ing)?|crash(es|ed)?|hangs?|hung|flaky|rejected|refused|leak(s|ed)?|breaks?|broke|broken|timed? out|lost|panics?|panicked)( \S+){0,5} (because|due to)\b`,
			`\b((found|see) (it|the (issue|bug|problem|cause))|that explains (it|why[^:]*)|here's (why|the problem|the cause))\s*[:—–]\s*\S.{15}`, elsewhereCause),
		refuse: anyOf(
			`\bnot (yet )?(entirely |fully |completely )?(clear|known|found|certain|obvious|understood)\b`, `\b(is|was|remains) (still )?(unclear|unknown)\b`,
			`\bwhat (we|i) (need|have|want)\b`, `\b(if|whether) (the|it|this|there)\b`, `\b(not|n't) (actually |really )?(caused by|the (root )?cause|because)\b`, `\bit was caused by (this|that|it)\b`),
	}
}

// elsewhereCause is how a cause is named in German, French, Spanish, Chinese and
// Japanese.
const elsewhereCause = `\bdie (eigentliche )?ursache\b.*\b(war|ist)\b|\b(la|cette) cause (était|est|réelle)\s|\bla causa (raíz )?(era|fue|es)\s|(根本)?原因(是|：|:)|原因は`

// retracts is how a diagnosis is taken back, or another put in its place.
var retracts = sync.OnceValue(func() phrases {
	return anyOf(`\b(not|n't) (actually |really )?the (root )?(cause|culprit|problem)\b`, `\bthe (actual|real|true) (root )?(cause|culprit|problem|issue)\b`,
		`\bmy (earlier|previous|initial|first|original) (diagnosis|guess|theory|assumption|analysis|hypothesis)\b.*\b(wrong|incorrect|off|mistaken)\b`)
})

func fixes() rule {
	return rule{name: ruleFix, action: domain.FileEdit, weight: 3,
		assistant: anyOf(
			`\b(i|we)('ve| have)? (now )?(fixed|resolved|solved|corrected)\b.*\b(by|so that|which|that|where)\b`, `\bthe fix (is|was)( simply| just)? (to|that|an?|\w+ing)\b`,
			`^(the )?fix:`, `^(fixed|resolved|solved) (the |a |an )?.*\b(by|so that)\b`, `\b(is|was|are|were|been) fixed by\b`, `\b(fixes|resolves) the \S+.*\bby\b`),
		refuse: anyOf(`\b(will|to|needs? to|should|can|must) (be )?fix(ed)?\b`),
	}
}

// trouble is how people tell that something does not work.
var trouble = sync.OnceValue(func() phrases {
	return anyOf(`\b(why|figure out|find out|for some reason|weird|strange|broken?|broke|fails?|failed|failing|error|crash\w*|bug|wrong|not working|n't work|hangs?|slow|leak\w*|twice|never)\b`)
})

// consequence is how an assistant tells what follows from the fault it found.
var consequence = sync.OnceValue(func() phrases {
	return anyOf(`\S, so (that )?.*\b(never|no longer|not|\w+n't|fail\w*|twice|two|double|always|wrong|stale|lost|crash\w*|hang\w*|times? out|reject\w*|loops?|empty|null|nil|undefined|missing|blocked|stuck)\b`)
})

// mended is how an assistant tells what it did about a cause that it just found.
var mended = sync.OnceValue(func() phrases {
	return anyOf(`^(i|we)('ve| have)? (now )?(added|changed|moved|replaced|removed|pinned|set|switched|made|wrapped|guarded|plugged|froze|corrected|updated|bumped|disabled|enabled|increased|raised|lowered)\b`)
})

// dangling is a deed to something that only the sentence before names.
var dangling = sync.OnceValue(func() phrases {
	return anyOf(`^(i|we)('ve| have)? (now )?\w+ (it|this|that|them|those|these|both|the same)\b`)
})

func facts() rule {
	return rule{name: ruleFact, action: domain.Research, weight: 2,
		user: anyOf(
			`\b(limit|budget|deadline|maximum|minimum|max|min|quota|timeout|retention|sla|target)\b.* (is|of|must be|should be|are|=) .*`+number,
			`\b(budget|port|version|release|launch|freeze|db|database|staging|prod|production|cluster|region|server|host|api|plan|rate|price|vat|etl|backup|nightly|cutoff|window)\b.{0,60}? (is|are|runs?|listens?|must|has to|needs?|allows?|costs?|expires?|ends?|starts?|of|on|at) .{0,60}?`+number,
			changed, `^(heads up|fyi|for the record|for your information|reminder)[:,]? (\S+ ){4}`,
			`\b`+product+` v?\d[\d.]*\b.{0,40}\b(on|in|for) (prod|production|staging|ci|dev|the (server|cluster|cloud))\b`,
			`\b(expires?|times? out|rotates?|goes live|ships|launches|lasts|(alarm|alert|threshold|retry|retries)( \S+)? should \w+) (\S+ ){0,3}`+number, `\b(files?|rows?|payloads?|images?|uploads?|tables?) (are|is|can be|get|grow) (up to|at most|at least|about|around) .*`+number),
		assistant: anyOf(
			changed,
			`\b(peaks? at|limited to|limit is|timeout is) (about |around |roughly |only |up to )?`+number),
		refuse: anyOf(`\bi('m| am) (trying|having|planning|thinking|wondering|worried|considering|feeling)\b|\bi want to\b`, `\b(could|would|estimate\w*|expect\w*|roughly guess|should take)\b`,
			`\b(errors?|fail\w*|broken?|crash\w*|wrong|bug|hangs?|down since|returns?|returning|throws?|again|why|stuck|lines? \d)\b`),
	}
}

// product is what has versions that people speak of.
const product = `(node|python|java|jdk|go|php|ruby|rust|postgres|postgresql|mysql|mariadb|redis|mongo|mongodb|elasticsearch|kafka|ubuntu|debian|alpine|ios|android|macos|react|vue|angular|django|rails|spring|laravel|kubernetes|k8s|terraform)`

// changed is how a measured change is told.
const changed = `\b((measured|dropped|reduced|improved|grew|increased|decreased|went) (from|by|at|to)|(down|up) from) (about |around |roughly |only |over )?(` + quantity + `|~?\d[\d,.]*( \w+)? to .{0,20}` + quantity + `)`

// quantity is a number with a unit.
const quantity = `([$€£~]?\d[\d,.]*\s?(ms|µs|ns|s|sec(onds)?|min(utes)?|h(ours)?|days?|weeks?|months?|years?|%|percent|[kmgt]i?b|bytes|tokens?|rows?|requests?|req/s|qps|users?|usd|eur|dollars?|x|times|lines|am|pm|[kmg]i?)(\W|$)|[$€£]\s?\d)`

// number is a number that says of what it is one: with a unit, a port, a version,
// a date, a time of day, a region of a cloud.
const number = `(` + quantity + `|\bport \d+|\bv?\d+\.\d+|\b` + product + ` v?\d+|\b((mon|tues|wednes|thurs|fri|satur|sun)days?|weekends?)\b|\d{4}-\d\d-\d\d|\b(january|february|march|april|may|june|july|august|september|october|november|december) \d|\b\d{1,2}:\d\d\b|\b[a-z]{2}-(east|west|north|south|central|northeast|southeast)-\d)`
