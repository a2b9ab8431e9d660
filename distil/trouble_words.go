package distil

import "strings"

// retracts matches how a diagnosis is withdrawn or replaced by another.
var retracts = phrasing(`\b(not|n't) (actually |really )?the (root )?(cause|culprit|problem)\b`, `\bthe (actual|real|true) (root )?(cause|culprit|problem|issue)\b`,
	`\bmy (earlier|previous|initial|first|original) (diagnosis|guess|theory|assumption|analysis|hypothesis)\b.*\b(wrong|incorrect|off|mistaken)\b`,
	`\bi was (wrong|mistaken) about\b`)

// refutes matches how a person says that what the assistant found or did was not it.
var refutes = phrasing(`^((no|nope|nah|hm+|ugh|ok|well|but|and|sorry)[,.! ]+)*(that's not (it|the (issue|problem|cause|reason))\b|that (isn't|wasn't) (it|the (issue|problem|cause))\b|(it|that|this) (didn't|doesn't|did not|does not) (work|help|fix)\b|(i'm |i am |i )?still (get|see|hav)\w* (the|this|that) (same )?(\S+ )?(error|issue|problem|bug|crash)|same (error|issue|problem|thing|crash)\b)`)

// persists matches how a person says that a fault is still there. What should still be so, or
// may be (wishing), reports none, nor does what is still not wanted (unwilling).
var (
	persists  = phrasing(`^(\S+ ){0,5}still (not|\w+n't|(fail|stay|crash|happen|show|get|giv|say|throw|return|open|clos|miss|hang|break|load)\w*|broken|the same|there|wrong|empty|blank|stuck|red)\b`)
	wishing   = phrasing(`\b(should|must|sure|ensure|check|whether|if)\b`, `^(\w+[!,.]+ )*(and |so )?(can|could|do|does|will|would|is|are|may) `)
	unwilling = phrasing(`^(not|\w+n't) (\w+ )?(want|need|like|sure|decided?|us(e|ing)|know|understand|convinced|support)\b`)
)

// refuted reports whether a person says that what the assistant found or did was not it.
func refuted(said *wording) bool {
	before, after, _ := strings.Cut(said.text, "still ")
	return said.says(refutes()) || said.says(persists()) && (strings.Contains(before, "but") || !wishing().in(before)) && !unwilling().in(after)
}

// renames matches how a diagnosis says that the previous one named the wrong kind of
// fault.
var renames = phrasing(`^((so|then|wait|actually|hm+)[,. ]+)*(it|this|that)(('s| is| was) not|( isn't| wasn't)) (a|an|the|about) [^.!?]{3,60}( [—–-] |[;,] )(it's|this is|it is|it was|but) `)

// suspects matches how an assistant says where it looks for the cause.
var suspects = phrasing(`^((so|but|now|hm+|wait|then)[,. ]+)*the (problem|issue|bug|cause|error) (is (likely|probably|in|at|with)|might|may|could|must) [^:—–;]*$`)

// another matches how a person reports one more fault, beside an earlier one.
var another = phrasing(`\b(another|a different|also)\b|\btoo[,.!]*$`)

// goesToCheck matches how an assistant announces that it checks what it has just said.
var goesToCheck = phrasing(`\b(let me|i'll|i will|i'm going to|i need to|let's) (\w+ ){0,2}(check|verify|confirm|look|see|test|validate|profile|investigate|inspect|trace|make sure|dig)\b`)

// goesToMend matches how an assistant announces that it mends what it has just found.
var goesToMend = phrasing(`\b(let me|i'll|i will|i'm going to|i need to|let's) (\w+ ){0,2}(fix|correct|update|change|add|replace|move|rewrite|adjust|remove|mend|repair|patch)\b`)

// trouble matches how people say that something does not work.
var trouble = phrasing(
	`\b(why (is|are|does|do|did (it|the|this|that|my|our)|isn't|aren't|doesn't|don't|would|the|my|our)|why\W*$|figure out|find out|for some reason|`+
		`weird|strange)\b`,
	`\b(breaks?|broke|broken|fail(s|ed|ing|ures?)?|errors?|crash\w*|bugs?|wrong|incorrect|exception|traceback|panic\w*|corrupt\w*|garbage|unexpected\w*|complain\w*)\b`,
	`\b(los(es|ing)|(is|are) off|[45]\d\d (on|for|when|from|in|at|if|error)|missing|disappear\w*|lost|stuck|flaky|jitter\w*|flicker\w*|bounc\w+|`+
		`duplicate[ds]?|stale|outage|timeouts?|time[sd]? out|reject\w*|refus\w+|dies|died|oom|nan|race|deadlock|blank|blocked|twice|never)\b`,
	`\b(hangs?|hung|freez\w+|slow\w*|leak\w*|(is|are) (red|down)|(is|was|are|were) gone|loops? (forever|endlessly)|in a loop|off by|too (slow|large|big|long|many|much))\b`,
	`\b(it|this|that|\w{4,}) ((doesn|don|isn|aren|won|didn|wasn)'?t|(does|did|is|are|was|were|will) not) \w+`,
	`\b(debug|diagnose|troubleshoot)\b|\bnot (show|updat|load|sav|send|render|sync|fir|match|trigger|respond|display|appear|find|gett)\w*ing\b`,
	`\b(does|do|is|wo|ca|did|was|are|could|would|has|have)(n't|nt) (work|show|load|start|stick|arrive|send|save|update|compile|build|match|find|reach|`+
		`connect|render|fire|run|open|appear|get|go)`,
	`\bnot working\b|\bno way (to|of)\b`, `\b(can't|cant|cannot) (get|make|connect|log|open|reach|build|install|find|start|see|use)\b`,
	`\b(takes?|took|taking) (forever|ages|too long|so long|hours|minutes)\b`,
	`\b(takes?|took|needs?|uses|eats|grows?|grew|costs?) (over |about |around |almost |like |more than )?`+quantity,
	`\bused to (be|take|work)\b|\bafter (i|we|the) (\S+ )?(bump|upgrad|updat|deploy|merg|migrat|switch)\w*`,
	`\b(bricht|stürzt|abgestürzt|fehler|kaputt|hängt|langsam|funktioniert nicht|geht nicht)\b|\b(plante|plantent|erreur|ne (marche|fonctionne|démarre|`+
		`s'affiche))\b|\b(falla|fallan|error|no (funciona|carga|arranca|aparece)|se cae|se cuelga|lento)\b`,
	`(报错|崩溃|失败|不工作|エラー|動かない|落ちる)|\b(ошибк|падает|не работает|зависает)`)

// asksWhether matches a question that names a fault without reporting one.
var asksWhether = phrasing(`^((so|and|ok|hm+|hey)[, ]+)*(do|does|is there|are there|have|has|can (we|i)|what (is|are|does|do|would)|what's|which|who|how (do|does|many|much))\b.*\?`,
	`\bwhy (are|do|did|would|should|is) (you|we|i)\b.*\?`)

// wished matches a request for something new, which may name faults that nothing has.
var wished = phrasing(
	`^((now|then|and|also|ok|okay|so|next)[,. ]+)*(i want (it|the|a|an|all|to (show|display|have|add|see|use|include|be able))|i'd like (a|an|the|to (have|add|show))|` +
		`let's|lets|add (a|an|the)|implement|write|create|make sure)\b`)

// tells matches how a person describes a thing.
var tells = phrasing(
	`^((hm+|ugh|argh|oh|so|ok|hey|hi|and|also|now|sigh)[,! ]+)*(the|our|my|some|all|it|there's|there is|when|whenever|after|since|every|each|users?|` +
		`customers?|people|i (get|see|think|keep|have|can't)|we (get|see|have|keep)|\S+ \w+s|der|die|das|mein|unser|le|la|mon|el|mi)\s`)

// pastedFault matches the output of failing programs.
var pastedFault = phrasing(
	`\b(ERROR|FATAL|ECONN\w+|ENOENT|EACCES|EPERM)\b|Traceback \(most|\bpanic: |[a-z]Exception\b|[a-z]Error: |\berror\[\w+\]|\bFAILED\b|\bE[A-Z]{5,}\b|` +
		`exit code [1-9]`)

// announces matches a sentence that promises the cause without stating it.
var announces = phrasing(
	`^(\S+ ){0,6}?(i )?(found|see|got|know|understand) (it|the (\S+ )?(issue|bug|problem|cause|culprit|reason)|what's (happening|going on|wrong)|`+
		`what (happened|happens))( now)?[.!:]$`,
	`^(that explains (it|a lot|everything)|here's (what|why)( (happened|happens|goes wrong|it fails))?|found|got it|bingo|aha|smoking gun|there it is|`+
		`mystery solved|root cause (found|confirmed)|the (real|actual|true) cause\b[^.]*|(ich )?(hab's|habe (den fehler|das problem|die ursache|es) gefunden)|trouvé|j'ai trouvé( le problème| la cause)?|lo encontré|`+
		`encontré el (problema|error))[.!:]$`)

// foundCause matches a heading or sentence after which the cause is stated, whoever
// reported the fault; it may have been a test.
var foundCause = phrasing(`^(the )?root cause( (found|analysis|confirmed))?\b.{0,14}$`, `^(i )?(have )?(now )?(found (it|the (root cause|culprit|bug|problem|issue))|root cause (found|confirmed))[.!:]$|^smoking gun[.!:]$`)

// problemNamed matches how a diagnosis names what is wrong.
var problemNamed = phrasing(`^(problem|bug|issue)\s*[:—–]\s*\S.{15}`)

// foundOut matches a sentence in which a person announces the cause.
var foundOut = phrasing(`\b(found (it|the (\S+ )?(issue|bug|problem|cause|culprit|reason))|figured (it )?out|solved it|hab's gefunden|trouvé|lo encontré)[.!:]$`)

// aboutCause matches a heading above a cause, aboutProblem one above a possible cause,
// aboutFix one above what was done.
var (
	aboutCause   = phrasing(`^(the )?(root cause|cause|diagnosis|what (happened|went wrong|was wrong)|why it (fails?|failed|happens|happened)|ursache|cause racine|causa)\b.{0,20}$`)
	aboutProblem = phrasing(`^(the )?(problem|issue|bug|reason|why|problème|fehler)$`)
	aboutFix     = phrasing(`^((the )?(fix|fixes|resolution|what i (changed|did|fixed)|changes( made)?|lösung|correction))\b.{0,20}$`)
)

// takesOrder matches how an assistant begins when following an order, and agrees when
// it thinks the same.
var (
	takesOrder = phrasing(`^(agreed|understood|noted|absolutely|perfect|makes sense|great (question|point|idea))\b`)
	agrees     = phrasing(`^(yes|yep|yeah|right|correct|exactly|got it|sure|great|good (question|point|idea|call|catch)|fair)\b`)
)

// explains matches how a sentence says why something is as it is.
var explains = phrasing(`\b(fails?|failed|breaks?|broke|crash(es|ed))\b.*: \S`, `\b(isn't|is not|not) .*[—–,;] it's (that|because) `, `\S, (so|and so|hence|therefore|thus) `,
	`\bwhen(ever)? [^,:]{4,60}, \S`,
	`\bbecause\b|\bdue to\b|\bwhich (means|causes?|makes?|made|is why|leads?|led|breaks?|prevents?)\b|\b(that's|that is|which is|this is) why\b|\bas a result\b|`+
		`\bcaus(es|ed|ing)\b|\bmeans that\b`,
	`\b(while|whereas|although|even though|but|although) (the|a|an|it|they|your|our|this|that|each|every|no|nothing|\S*`+"`"+`)`, `, (which|and|but) (\S+ ){1,8}(never|not|no|nothing|\w+n't|instead|hidden|missing|disabled|empty|unset)\b`,
	`\b(without|instead of) \w+ing\b|\bnever (re|un)?\w+(s|ed)\b|\bstill (points?|uses?|has|only|expects?|refers?|reads?|sends?|calls?|holds?|runs?)\b`,
	`\S: (the|it|there|a|an|both|each|no|only|once|one|`+"`"+`)`, `\b(weil|deshalb|daher|sodass|so dass)\b|\b(parce que|donc|car)\b|\b(porque|por eso|así que)\b`)

// blamed matches how a fault is stated with its nature.
var blamed = phrasing(`\bthe (issue|problem|error|bug|failure|crash) (here )?(is|was) (?:\S+ ){3}\S`)

// soundAs matches a sentence that finds nothing wrong, so that the next one says how it works.
var soundAs = phrasing(`\b(looks?|is|are|seems?) (\w+ )?(correct|right|fine|clean|good|ok(ay)?|intact|healthy|valid|as expected)[.!:]*$`)

// guessed matches a sentence about a diagnosis rather than a fault.
var guessed = phrasing(
	`\b(may (not |also |still )?(be|have)|diagnos\w+|analysis|critiqu\w+|likely|guess|theory|hypothesis|assumption|hard to (say|tell)|difficult to|i (think|guess|suppose|believe)|on purpose|by design|`+
		`as (expected|intended)|it's (important|essential|best|crucial|helpful|wise|better|a good idea) to|a different (problem|matter|question|story|thing))\b`, `\bthe (issue|problem|error|bug|failure|crash) (is|was) (not [^;]*|(in|at|on|with|inside) (\S+ ){0,4}\S+)$`)

// lacks matches how a sentence says what is not as it should be.
var lacks = phrasing(
	`\b(twice|never|no longer|not|isn't|aren't|doesn't|don't|wasn't|missing|full|expired|empty|wrong|too (small|low|short|old|big|large|high|strict)|`+
		`only|still|instead|without|nothing|nobody|none|already|forever|outdated|disabled|blocked|differ(s|ent(ly)?)?|again|slightly|no longer|too|larger|`+
		`smaller|older|newer|needs?|expects?|requires?|overlap\w*|fixed|hard-?coded|shadow\w*|collid\w*|deprecated|unsupported|incompatib\w+|trouble|exhaust\w*|overflow\w*|overwrit\w+|swallow\w*|mismatch\w*|conflict\w*)\b`,
	`\bwhen (there|the|it|they|a|an|one|two|more)\b|, (and|but|yet) (the|your|our|it|its|each|that|yours)\b|; |, and \w+ \w+s |\b(and|,) since `)

// reported matches the beginning of a message about what was made and how it works now.
var reported = phrasing(`^(all )?(done|complete|completed|implemented|created|built|finished)\b.*[.!:]$|^(added|updated|created|wrote) .*|^(i|i've|i have) (created|written|implemented|generated|built|set up|finished|completed) |^here's (a |the )?(summary|what (was|i|changed))\b`)

// ownDeed matches a sentence about what the speaker does, would do or wants done, which
// explains nothing.
var ownDeed = phrasing(
	`^(now|next|also) (re-?)?[a-z]+ing\b|^(checking|looking|searching|re-?running|verifying|investigating|inspecting|digging) `,
	`^((ok|okay|now|then|so|right|good|great|first|next|done|yes|no|sorry|also|and)[,.!: ]+)*(i|i'm|i'll|i'd|i've|we|we'll|we'd|we've|let's|let|`+
		`you (can|could|should|may|might|need|want|must|have to|will|would|probably)|you'll|you're|you'd|try|use|add|remove|set|make|check|run|change|`+
		`replace|move|split|please|look|see|note|notice|consider|here|if|to|for|all|as|this (will|would|should)|that (will|would|should)|it (will|would|should)|ich|wir|j'ai|he|du|sie)\b`,
	`\b(will|i'll|we'll|would|should|you can|you could|you may|you'll|you'd|we can|could|must|recommend\w*|suggest\w*|prefer|going to|need to|wants? to|`+
		`in general|usually|typically|generally|tends? to|often|now (works?|pass\w*|uses?|sends?|returns?|runs?|takes?|loads?))\b`,
	`\b(is|are) now (\w+ed|green|done|gone|ready|clean|fast\w*)\b|\b(so|and|then) (i|we|you) `)

// lookedFirst matches where somebody looked before saying what is there.
var lookedFirst = lazily(`(?i)^(i|we) [^:]{4,60}: `)

// particular matches a word that only occurs in programs.
var particular = lazily("`|\\w_\\w|\\w\\(\\)|\\w\\.(go|py|js|ts|tsx|jsx|rs|java|kt|rb|c|h|cpp|cs|php|sql|ya?ml|json|toml|ini|conf|sh|css|html|env|xml)\\b|\\b[A-Z]{2,}_")

// deed matches how an assistant says what it changed. Merely looking at or running
// something leaves no change.
var deed = phrasing(`^(added|changed|moved|replaced|removed|pinned|switched|wrapped|guarded|updated|bumped|disabled|enabled|increased|raised|lowered|rewrote|converted) [^:]*$`, `^((ok|okay|done|right|yes|sorry|fixed|implemented|and|so|also)[,.!: ]+)*(i|we)('ve| have)? (now |also |just |simply |therefore |then |instead )*(\w+ed|set|put|made|wrote|split|built|took|froze|rewrote|cut|let|bound|hid|held|kept|chose)\b`, `^i (\S+ ){1,12}now\b`, `^i (also )?[a-z]+ .*`+"`",
	`^(ich|wir) (habe|haben) .*\b(um|ein|aus|ab|hinzu|er|ver|be|ge|ent)?(ge)?\w+(t|en)\b`, `\bj'ai \w+(é|i|u|is)\b`, `^(he|hemos) \w+(ado|ido|to|cho)\b`)

// lookedOnly matches an action that changed nothing.
var lookedOnly = phrasing(
	`^i (see|think|believe|found|know|need|want|would|can|can't|could|will|should|don't|suggest|recommend|suspect|guess|have|am|was|understand|expect|`+
		`assume|propose|hope|agree|use|prefer)\b`,
	`^(\S+ )?(i|we)('ve| have)? (now |also |just )*(looked|checked|searched|inspected|examined|reviewed|verified|tested|measured|compared|noticed|`+
		`analy[sz]ed|traced|investigated|confirmed|tried|wanted|needed|assumed|expected|thought|asked|listed|started|opened|reproduced|committed|pushed|`+
		`deployed|ran|watched|read|finished|drafted|missed|misread|misunderstood|suggested|recommended|proposed|reverted|continued|skipped|need|identified|discovered|located|spotted|figured|determined)\b`)

// proposedFix matches a fix that is told as an order, and offersMending how an assistant
// offers to carry it out.
var (
	proposedFix   = phrasing(`^(the )?(\w+ )?fix: (` + instructing + `|change|use|open|prepend|append|edit|update|install|build|replace|insert|extend|configure|upgrade|never|don't|do not)\b`)
	offersMending = phrasing(offering + `( \w+)? (apply|make|implement|fix|change|update|do|patch|push|draft|go ahead)\b.*\?`)
)

// nowDoes matches how a change is stated as the new behaviour of a thing.
var nowDoes = phrasing(`^(the |a |an |your |each |every |all )?(\S+ ){1,4}(is|are) now (\w+ed|only|always)\b.{12}`,
	`^(the |a |an |your |each |every |all )?(\S+ ){1,4}now (also |only |always )?\w+s?\b.{12}`)

// healed matches the outcome of a change, which does not describe the change.
var healed = phrasing(
	`\bnow (also )?(pass\w*|works?|working|starts?|starting|takes?|runs?|running|loads? in|green|faster|fast|gone|ready|finish\w*|compiles?|builds?|` +
		`have|has|in place|shows?|looks?|clean|up|done|returns? [245]\d\d|holds?|fixed|stays?)\b|\((we|i|it|you|which) (now )?(gets?|sees?|shows?|returns?|gives?)\b|^(right|for|by|until|up to) now\b|\b(will|should|can|could) now\b|^(the |your |my )?(\S+ )?(docs?|plan|readme|spec|section|report|changelog|summary|notes?|memory|todo|proposal|design) now\b`)

// dangling matches an action on something that only the cause names.
var dangling = phrasing(`^((i|we)('ve| have)? )?(now )?\w+ (it|this|that|them|those|these|both|the same)\b`)

// recognized matches how a person confirms an explanation.
var recognized = phrasing(
	`\b(nice catch|good catch|good find|nice find|that explains|that was it|that's it|that did it|well spotted|of course|makes sense|argh|ah+|aha|` +
		`oh no|oh nice|good to know|(it|that) works|(works|compiles|builds|passes|runs|starts) now|fixed it|working now)\b`)

// mendIt matches how a person orders the fix of an explained fault.
var mendIt = phrasing(`\b(fix|fix it|fix this|please|pls|so)\b`)
