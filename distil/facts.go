package distil

import "wake/domain"

func facts() rule {
	return rule{name: ruleFact, action: domain.Research, weight: 2,
		user: anyOf(
			`\b(limit|budget|deadline|maximum|minimum|max|min|quota|timeout|retention|sla|target)\b.* (is|of|must be|should be|are|=) .*`+number,
			`\b(budget|port|version|release|launch|freeze|db|database|staging|prod|production|cluster|region|server|host|api|plan|rate|price|vat|etl|backup|`+
				`nightly|cutoff|window)\b.{0,60}? (is|are|runs?|listens?|must|has to|needs?|allows?|costs?|expires?|ends?|starts?|of|on|at) .{0,60}?`+number,
			opening+factPrefix+`(\S+ ){1,10}?`+declares+` (\S+ ){0,8}?`+coordinate, `\b`+bound+`\b.*\d`, `^(the |our |my )?[^:?.!]{3,60}: (\S+ ){0,8}?`+coordinate, opening+`(we|i) have (\d+|two|three|four|five|`+
				`six) \S+: `,
			`\b(bis|am|ab|spätestens|vor dem) (zum )?\d{1,2}\. ?(januar|februar|märz|april|mai|juni|juli|august|september|oktober|november|dezember)\b`,
			`\b(says?|is|are) max(imum)? (of )?\d`, `(^|[,:;] )(max(imum)?|min(imum)?|limit|timeout|budget|quota|deadline|retention|ttl)( \S+){0,2}[:=]? [$€£]?\d`,
			`\b(keep|bear) (that|this|it) in mind\b`, `(^|[:,] )\S+ = [a-z]+[^=]*, \S+ = [a-z]+`,
			`\b(all|every|each|our|the) (\S+ ){1,8}(is|are) (always |all |kept |stored |sent |given )*in (cents|pennies|pence|utc|local time|(milli|micro|nano)?seconds|minutes|bytes|`+
				`utf-?8|degrees|radians|met(er|re)s|inches|pixels|percent)\b`,
			`\b(due|valid|kept|locked|archived|deleted|retained|paid|cached) (after|for|within) `+quantity,
			changed, `^(heads up|fyi|btw,? (we|our|the)|just so you know|for context|for the record|for your information|reminder)[:,]? (\S+ ){4}`,
			`\b`+product+` v?\d[\d.]*\b.{0,40}\b(on|in|for) (prod|production|staging|ci|dev|the (server|cluster|cloud))\b`,
			`\b(expires?|times? out|rotates?|goes live|ships|launches|lasts|(alarm|alert|threshold|retry|retries)( \S+)? should \w+) (\S+ ){0,3}`+number,
			`\b(files?|rows?|payloads?|images?|uploads?|tables?) (are|is|can be|get|grow) (up to|at most|at least|about|around) .*`+number),
		refuse: fleeting(),
	}
}

// measurements selects what an assistant measured or read. What it says about the
// person, the person said before, or it is an example.
func measurements() rule {
	return rule{name: ruleFact, action: domain.Research, weight: 2,
		assistant: anyOf(
			changed,
			`\b(runs?|scheduled) (daily|hourly|weekly|nightly|monthly|every \S+)\b.*\d`, `\b(kept|retained|stored) for \d`,
			`\b(peaks? at|limited to|limit is|timeout is) (about |around |roughly |only |up to )?`+number),
		refuse: append(anyOf(`\byour\b`, `\(`+changed), fleeting()...),
	}
}

// names selects what a thing is called, where it is and how many there are, which takes
// few words.
func names() rule {
	return rule{name: ruleFact, action: domain.Research, weight: 2, brief: true,
		refuse: append(anyOf(`\bmy name is (in|on|not|wrong|missing|mis\w+|spel\w+|shown|being|still|also|already|too|there|at)\b`), fleeting()...),
		user: anyOf(
			`\b(port|extension)( number| no\.?)? (is|=) :?\d{2,5}\b`, `\b(listens?|runs?|is (running|listening|exposed|reachable|served)) (locally |only )?on (port )?:?\d{4,5}\b`,
			opening+factPrefix+`(the |our |my )(\S+ ){0,2}\S+ (is|are) (called|named) \S`, opening+factPrefix+`(the |our |my )(\S+ ){0,2}\S+ (is|are|lives|sits|runs) (at|on|under) (https?|s3|ssh|redis|postgres\w*)://`,
			opening+factPrefix+`(the |our |my )(\S+ ){0,2}(id|number|ticket|account) is #?([a-z]+-)?\d[\w-]{2,}`, opening+factPrefix+`my name is \S`,
			opening+factPrefix+`(the team|our \S+|we) (is|are|has|have|serves?) (about |around |roughly |over |only |some )?\d[\d,.]*k? (people|persons|members|`+
				`employees|staff|students|customers|clients|users|subscribers|developers|engineers|designers|servers|nodes|machines|sites|offices|branches|stores|warehouses|tenants)\b`),
	}
}

// fleeting matches sentences with numbers that are wishes, guesses, faults, or true
// only now.
var fleeting = phrasing(
	`^((and|so|but|also|ok|well|then|now) )?(i|i'm|i've|i'd|this|that|it|it's|what|when|how|if|can|could|would|deploy|release|ship|run|update|upgrade|`+
		`bump|set|change|fix|add|move|make|schedule|book|write|create|draft|plan|show|give|remind|tell|check|see|use|implement|continue|start|begin|do|`+
		`execute|apply|follow|complete|finish|read|look|find|test|try|build|remove|rename|replace|merge|commit|push|revert|explain|review|compare)\b.*`,
	`\bi('m| am) (trying|having|planning|thinking|wondering|worried|considering|feeling)\b|\bi want to\b`, `\boff by\b|\bis (reached|exceeded|hit)\b|\b(will|has to|to|you (should|must|could)) (decide|choose)\b`,
	`\b(could|would|estimate\w*|expect\w*|roughly guess|should take)\b`,
	`\b(errors?|fail\w*|broken?|crash\w*|wrong|bug|hangs?|down since|returns?|returning|throws?|again|why|stuck|lines? \d)\b`)

// corrections selects what a person sets right: that it is so, and not as one would
// expect.
func corrections() rule {
	return rule{name: ruleFact, action: domain.Research, weight: 2, lasting: true,
		user: anyOf(
			`^(a )?(small |quick |one )?correction( needed)?[:,] (\S+ ){4}`, `\b(is|was) (incorrect|not (right|correct|true)), (the|it|they|we|our|this)\b`,
			`\b(like|as|what|unlike|contrary to) (the )?(docs?|documentation|readme|wiki|spec|manual|comments?) (says?|claims?|states?|tells?|suggests?)\b`,
			`^(no|nope|actually|correction|wait)[,:] (the |our |my )?(\S+ ){1,4}(is|are|was|were|moved|uses|has|have|needs|got) (?:\S+ ){0,3}\S*[\d_-]\S*`,
			`^((no|nope|actually|well)[,.! ]+)*it's (actually |now )?\S*\d\S* (since|now|not|because|these days|by now)\b`,
			`^((no|nope|actually|well|and|also|btw|your \S+ has a mistake)[,.:! ]+)*(the |our |my |\S+ ){1,5}(is|are|was|has|have|gets?|uses|goes|means|stands for|`+
				`belongs? to|runs?|sends?|expects?|returns?|comes?) .{2,80}, not \S+`),
		refuse: anyOf(
			`\b(errors?|fail\w*|broken?|crash\w*|wrong|bug|hangs?|why|stuck|sure|good|bad|nice|great|ready|done|true|right|possible|worth|like (that|` +
				`this))\b, not\b|\b(still|again)\b|^(it|that|this|if|when|what|how|i|i'd|we'd|you|please|make|use|add|write|give|show|return)\b.*, not\b|` +
				`^["“].*, not\b`),
	}
}

// factPrefix matches what a person says before mentioning a fact.
const factPrefix = `((heads up|fyi|btw|note|notes? [^:]{1,40}|before you [^:,]{1,40})[,:]? )?`

// declares matches how something is stated about a thing.
const declares = `(is|are|runs?|listens?|sits|lives|has|have|needs?|wants?|starts?|ends?|closes|opens|goes|moved|moves|stays?|expires?|ships?|` +
	`launches|costs?|must|has to|have to|allows?|supports)`

// coordinate matches a number that locates a thing: an address, a version, a day, a
// time, a price, a ratio.
const coordinate = `(\S*\b(port \d+|\d{1,3}(\.\d{1,3}){3}(:\d+)?|v?\d+\.\d+(\.\d+)*(:1)?|` + product + ` v?\d+|(january|february|march|april|may|` +
	`june|july|august|september|october|november|december|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\.? \d{1,2}(st|nd|rd|th)?|\d{1,2}\. (januar|` +
	`februar|märz|april|mai|juni|juli|august|september|oktober|november|dezember)|the \d{1,2}(st|nd|rd|th)|(mon|tues|wednes|thurs|fri|satur|sun)days?|` +
	`\d{1,2}:\d\d|\d{1,2} ?[ap]m|\d[\d.,]* (until|per|a (month|year|week|day)|each)|(until|since|from|by) 20\d\d|\d[\d.,]*k? ?(euros?|dollars?|usd|eur|` +
	`chf|pounds?)|[a-z]{2}-(east|west|north|south|central)-\d)\b|\b\d{4}-\d\d-\d\d([^-\w]|$)|[$€£]\s?\d)`

// bound matches how a limit is stated.
const bound = `((only|just) (allows?|supports?|accepts?|takes|has)|no (more|longer|less|fewer|later|earlier) than|at (least|most)|capped at|` +
	`limited to|(our|the) (standard|default|usual|normal|target|maximum|minimum|max|min) (\S+ ){1,3}(is|are)|longer than|must (stay|be|fit) (under|` +
	`below|within))`

// product matches products whose versions people mention.
const product = `(node|python|java|jdk|go|php|ruby|rust|postgres|postgresql|mysql|mariadb|redis|mongo|mongodb|elasticsearch|kafka|ubuntu|debian|` +
	`alpine|ios|android|macos|react|vue|angular|django|rails|spring|laravel|kubernetes|k8s|terraform)`

// changed matches how a measured change is stated.
const changed = `\b((measured|dropped|reduced|improved|grew|increased|decreased|went) (from|by|at|to)|(down|up) from) (about |around |roughly |only |` +
	`over )?(` + quantity + `|~?\d[\d,.]*( \w+)? to .{0,20}` + quantity + `)`

// quantity matches a number with a unit.
const quantity = `([$€£~]?\d[\d,.]*\s?(ms|µs|ns|s|sec(onds)?|min(utes)?|h(ours)?|days?|weeks?|months?|years?|%|percent|[kmgt]i?b|bytes|tokens?|rows?|` +
	`requests?|req/s|qps|users?|usd|eur|dollars?|x|times|lines|am|pm|[kmg]i?)(\W|$)|[$€£]\s?\d)`

// number matches a number that says what it counts: with a unit, a port, a version, a
// date, a time of day, a cloud region.
const number = `(` + quantity + `|\bport \d+|\bv?\d+\.\d+|\b` + product + ` v?\d+|\b((mon|tues|wednes|thurs|fri|satur|sun)days?|weekends?)\b|` +
	`\d{4}-\d\d-\d\d|\b(january|february|march|april|may|june|july|august|september|october|november|december) \d|\b\d{1,2}:\d\d\b|\b[a-z]{2}-(east|` +
	`west|north|south|central|northeast|southeast)-\d)`
