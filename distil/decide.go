package distil

import "wake/domain"

// choosing matches an action that settles how a thing will be.
const choosing = `(use|using|take|go|going|stick|stay|staying|keep|adopt|switch|migrate|move|standardi[sz]e|call it|name it|drop|dropping|skip|cut|` +
	`cancel|remove|replace|rip|get rid|swap|limit|cap|split|merge|self-?host|host|buy|book|rent|hire|postpone|delay|defer|retire|deprecate|support|ship|` +
	`store|put|only|not (use|add|build|have|introduce|support|do|go|store|send|keep|ship|repeat|duplicate|mix|couple|rely|hard-?code|mock|reinvent|over-?\w+)|no longer|raise|lower|reduce|charge|stop|leave|convert|pin|` +
	`require|do|doing|target|write it|build it|send|run it|hold off|freeze|upgrade|downgrade|enable|disable|turn (on|off)|allow|disallow|ban|block|hide|` +
	`bump|expose|restrict|introduce|separate|combine|batch|cache|encrypt|hash|round|default|accept|reject|ignore|treat|assume|launch|release|publish|` +
	`prefer|include|exclude)\b`

// instructing matches the actions that a person tells an assistant to do; with a
// reason, such an order is a decision.
const instructing = `(use|put|make|keep|store|send|return|write|name|call|split|merge|drop|remove|delete|add|leave|move|rename|set|raise|lower|limit|` +
	`cache|show|hide|log|skip|ignore|allow|wrap|sort|group|round|validate|reject|accept|export|import|expose|pin|retry|batch|start|stop|disable|enable|` +
	`include|exclude|format|encode|hash|encrypt|render|load|save|build|ship|deploy|release|order|buy|book|plan|schedule|take|go|do)`

// noMatter matches what "no" may precede without anything being decided.
const noMatter = `(^|\bso )no (problem|idea|need|way|worries|rush|clue|luck|changes?|errors?|one|thanks|difference|reason|matter|time|output|` +
	`response|results?|sign|such|success|effect|wonder|doubt|big deal|pressure|hurry|news|matches|joke|kidding)\b`

// nextTopic matches how people say what to turn to next.
const nextTopic = `\b(let's|lets|let us|we'll|we should|i'll) (first |just |now |then |also )*(start|begin|dive|look|focus|talk|discuss|explore|think|brainstorm|consider|(re-?)?plan|go (over|through|back to)|` +
	`get back|move on|see)\b|\b(let's|lets) ((\S+ ){1,5}first|go next)[.!]*$|` + nextDeed

// nextDeed matches how people say what to do next.
const nextDeed = `\b(let's|lets|let us) (first |just |now |then |also )*(check|review|read|run|list|debug|investigate|verify|analy[sz]e|go ahead( and|[.!]*$)|` +
	`work on|create (a|the) (new )?(branch|plan|pr|pull request|ticket|issue)|do (this|one ?thing|something),)`

// idle matches actions that settle nothing.
const idle = `\b(take (a|another|one more|it (slow|easy)|some time|care|turns|notes?|(our|your|my) time)|(go|going) (ahead|on|through|over|back and|` +
	`step|home|to (bed|sleep|the|a|see|look|try|work|lunch)|with (it|that|this|the flow))|move (on|along|forward|to the next)|keep(ing)? (going|working|discussing|talking|` +
	`on|in mind|an eye|you|it (up|short|simple|coming)|that|this|track|trying|looking|reading|learning|exploring|expanding|celebrating|up)|(doing|` +
	`do) ((it|that|this|both|so) (again|now|later|properly|today|tomorrow|anyway|first|together|too|for|your|my)|great|well|fine|ok|good|some|` +
	`an? (\S+ ){0,3}(quick|small|dry|test|check|review|audit|pass|scan|search|analysis|compari\w+|investigation|experiment|benchmark|walk-?through|deep dive|break|demo|sanity|little|few|lot|bit|commit|push|rebase)|my|more|the (same|rest|next|following)|your|our|step)|stay (positive|` +
	`focused|calm|tuned|in touch|safe|on track|connected)|put (it|that|this) (off|aside)|leave (it|that|this) (at|there|for)|stop (here|there|for|now)|` +
	`skip (ahead|to)|cut to|call it (a (day|night|week)|quits)|send (you|me|it|them|him|her)|run it|not (worry|sure|now|yet)|only (see|know|have|want|` +
	`need))\b|\b(doing|do) (it|that|this|both|so|the (\S+ )?(changes?|fix(es)?|work|job|task|update))([.,!;]|$)|\bkeep .* (going|fun|light|in mind)\b`

// otherLanguageChoice matches decisions in German, French, Spanish, Portuguese,
// Italian, Russian, Chinese and Japanese.
const otherLanguageChoice = `\s(statt|anstatt|anstelle (von|des|der)|au lieu (de|d')|plutôt (que|qu')|en lugar de|en vez de|em vez de|invece (di|del)|вместо)` +
	`|\b(wir|ich) (haben|habe)\b.*\b(entschieden|beschlossen|geeinigt)\b|\b(nehmen|verwenden|benutzen|behalten|bleiben|lassen|streichen|` +
	`verzichten) wir\b|\bwir (nehmen|verwenden|benutzen|behalten|bleiben|wechseln|verzichten|streichen|stellen .* um)\b` +
	`|\b(on a|nous avons|j'ai) (décidé|choisi)\s|\b(on (va (utiliser|prendre|garder)|utilise|utilisera|part sur|garde|prend|passe (à|sur)|reste sur|` +
	`abandonne)|nous (utilisons|utiliserons|partons sur|gardons|prenons))\s|^(gardons|prenons|restons|utilisons)\s` +
	`|\b(hemos|he) (decidido|elegido|optado)\s|\b(decidimos|usaremos|usemos|nos quedamos con|vamos con)\s|\bvamos (a )?usar\s|\b(abbiamo|ho) (deciso|` +
	`scelto)\s|(давай(те)? (лучше )?(оставим|использу|возьм[её]м|перейд)|мы решили|решили)` +
	`|决定(用|使用|采用|改用|不用|不再)|我们(不用|用|采用|改用|选)|(改成|换成|就用)|決定(用|使用|採用)|に(決め|決まり)(まし)?た|に(しました|しましょう|します)|を採用し|でいきましょう`

func reversals() rule {
	return rule{name: ruleReversal, action: domain.Decision, weight: 5,
		user: anyOf(
			`^(ok(ay)?,? |hm+,? )?(actually|no|wait|hm+|sorry|on second thought|scrap that|forget that)[,.: ]+(.*\b((let's|lets) (\w+ (to )?)?`+choosing+`|instead|go with|revert|drop|`+
				`switch (back )?to|changed my mind|i'd rather|i would rather)\b|use )`,
			`\b(let's|lets|we should|please) (revert|undo|roll back|drop|scrap|ditch|abandon|get rid of|go back to|switch back)\b`,
			`\bchanged (my|our) minds?\b|\bi('d| would) rather (use|keep|have|go|stay)\b`,
			`\bscratch that\b.{8}`, opening+`(roll(ing)? back|revert|go(ing)? back|switch(ing)? back|mov(e|ing) back) (\S+ ){0,3}?to \S+|, (roll back|revert|`+
				`go back|switch back) (\S+ ){0,3}?to \S+`,
			`\b(was|were|is) a (bad|terrible|poor|dumb|stupid) (idea|choice|call|decision)\b.*\b(change|switch|use|go|move|make|back|drop|instead)\b`,
			`\bwe('re| are) (no longer|not) (using|going with)\b.*|\bwe no longer (use|want|need)\b`),
		assistant: anyOf(
			`\b(we|i)('ve| have)? (reverted|switched back|went back|rolled back|abandoned|dropped)\b.*\b(because|since|due to|in favou?r of)\b`,
			`\b(we|i)('ve| have)? (decided against)\b`, `\b(we|i) no longer (use|need|keep)\b`),
		refuse: anyOf(`\b(revert|roll back|go back|switch back|undo)\b.*\b((the|this|that|last|previous|your|my) (\S+ )?(commit|branch|tag)|to (head|main|master|(commit|branch|tag) \S+))\b`, `\b(revert|undo|roll back|drop|scrap|ditch|abandon|get rid of|use|go back to|go with|rather (use|keep|have)) `+vague, `\b(let's|lets) (not )?(commit|push|merge|continue|proceed|stop)`, `\bchanged (my|our) minds?[.!]?$`,
			`\b(let's|lets) (do|try|go for) (this|that|it)[.!]*$`),
	}
}

func decisions() rule {
	return rule{name: ruleDecision, action: domain.Decision, weight: 4,
		user: anyOf(
			`\b(let's|lets|let us|we'll|we will|we should|we('re| are) (going to|gonna)|we gonna|i('m| am) (going to|gonna)) (\w+ (to )?)?`+choosing, `\b(let's|lets|we should|we'll) [^.?]{3,40} and (use|switch to|go with|move to) \S+`,
			`\bwe should(n't)? (always |not |never |only )?be (using|leveraging|following|storing|sending|keeping|treating|logging|caching|validating|hashing)\b`,
			opening+`make sure .{5,80} (not|instead of|rather than) (the|an?|any|in|on|with|to) \S+`,
			opening+`(put|store|keep|save) (it|them) (in|into|under) \S+ \S+`,
			`\bi('ll| will) (also |instead |only |just |then )?(take|drop|skip|cut|cancel|switch|replace|book|buy|sell|quit|stop|self-?host|postpone)\b`,
			opening+`(switch|upgrade|downgrade|migrate|move|change over|go back) (everything |it |this |that |us )?to \S+`,
			`\b(i|we)('ve| have)? (just |now |already )?(switched|migrated|upgraded|moved) .*\b(to|from|over)\b`,
			opening+instructing+` .*\b(because|so that|otherwise|to avoid|since (we|it|they|that|our|the|there)|as (we|it|they|our|there))\b`,
			opening+`for \S+( \S+){0,3},? (i|we) (want|take|use|prefer) \w+`, `\bso (we're|we are) (not )?\w+ing\b`, `(^|, )so no \S+`, `\bso (\S+ ){1,6}(please|pls)\b`,
			`^(no+[,. ]+)+(please )?`+instructing+` \S+ \S+`, `\bi want (it|this|the \S+|all \S+|everything) (on|in|as|with|without|to be|to use)\b`,
			`^instead,? (please |just )?(turn|`+instructing+`) \S+ \S+`, `^((so|then|and|but) )*instead of [^,?]{4,80}, (`+instructing+`|implement|create|build|generate|have|let's|we|i want|(you|it) (should|can|could))\b`, `\bshould (always |only )?be [^,?]{3,60}, not \S+`,
			`\bi('m| am) (quite |very |really )?(happy|fine|ok|okay|content) (with )?(staying|sticking|keeping|leaving|using)\b`,
			`\bwe're doing (the|an?) \w+`, `\b(i|we) want .*\b\d+ (\S+ ){1,2}per \w+`,
			`\b(should|must) (not |never |also |only )?[a-z]+ .*\b(because|so (that|we|i|they|it|users?)|to (prevent|avoid|keep))\b`, `\S should only [a-z]+ \S`,
			opening+`\S+( \S+){0,2}, not \S+( \S+){0,2}[.!]?$`,
			`, (so |then )?use \S+( \S+){0,3}[.!]?$|^use \S+( \S+){0,3}, (more|otherwise|or|it|they|that|the)\b`,
			opening+`(so |then |now )?we (go|start|ship|stay|leave|keep|take|drop|skip) (with|without|only|no|it)\b|^(so |then |now |ok )*we (drop|skip|keep|leave|take) the\b`,
			`\b(i|we)( really|'d| would|'ll)? (want|wanna|like|rather|prefer|use|take|do|write|put|make|keep|go|send|store|build|run|host|pay|buy|`+
				`show)\b.*\b(rather than|instead of)\b`,
			opening+`((when|if) [^,]{4,80}, )?(use|take|do|write|put|make|keep|send|store|build|run|host|buy|show|render|return|log|call|name|target|ship|sort|format|cut|`+
				`compress|route|treat|read|fetch|pass|reuse|query|generate|compute|display|handle|create|implement|place|redirect|link|point) .*(\b(rather than|instead of)\b|, not\b)`,
			opening+`(i'd like to |i want to |we'll |i'll )?(replace|swap) (\S+ ){1,4}(with|by|for) \S+`, `\b(rip|throw|kick) out \S+|\b(get rid of|ditch|dump) \S+`,
			opening+`(switch|move|migrate|convert|go|change it|make it) (\S+ )?(to|into) \S+.*\b(because|since|as|so that|too|so we|otherwise)\b`,
			`\bi'll (use|go with|go for|stick with)\b`,
			`\b(i|we)('ve| have)? (also |just |now |finally |already |both |all )*(decided|settled (on|for)|agreed|opted for|chose|chosen|picked|went with|`+
				`ended up (with|picking|choosing|going|using|buying)|committed to|booked|compromised on|finali[sz]ed [^,;]*\b(to|on|as|at|with|for|by|after|and|in))\b`,
			`^(decision|decided):|\b(the team( has)?|it was|it's been) (just |now |already )?decided (to|on|that|against)\b|\bthe (final )?decision (is|was) (to|that|against|in favou?r)\b`,
			`\bgo(ing)? with\b`, `\b(we're|we are|i'm|i am) (going with|going for|choosing|picking|sticking with|staying with)\b`,
			`\b(we're|we are) (switching|moving|migrating) (to|from|off)\b`,
			`\b(use|take|pick|choose) \S+( \S+){0,4} (instead\b|rather than\b|and not\b)`, `\b(use|using) \S+( \S+){0,4}, not\b`,
			opening+`(switch|migrate|convert|port|move) (\S+ ){0,5}from \S+( \S+){0,3} to \S+`,
			opening+`(call|name) (the|our|this) (\S+ ){1,4}["“'`+"`"+`]`,
			`\bwe(('re| are) not (going to|gonna)| won't| will not| aren't going to) (use|support|ship|build|have|add|store|keep|allow|offer|implement|introduce|need)\b`,
			`\bthe reason (why )?we (use|chose|have|went with|keep|don't)\b`, opening+`(stay|stick|staying|sticking) (with|to|on)\b`,
			opening+`use \S+( \S+){0,3} for \S+`, opening+`for [^,.:?]{3,40},? (please )?use \S+`,
			`\bshould(n't| not) be (a )?(part of|included|allowed|exposed|visible|stored|used|required|needed)\b`,
			`\b(will|should) (also |always |only |\w+ly )?be (\w+ly )?(done|made|built|stored|kept|handled|run|written|hosted|served|deployed|integrated|implemented|shown|displayed|computed) (by|with|in|into|on|as|using|via|through|outside|from)\b`, `(^|[,;:] )(so |then )?(\S+ ){1,4}it (is|stays|remains)([.!,]|$| then| because| since)`,
			`\b(is|are) (off the table|out of scope|not an option|a no-?go|a non-?starter|cancel?led|on hold|postponed|ruled out|deprecated|mandatory)\b`,
			`\b(we're|we are|i'm|i am) (also |now |just |only |definitely |finally |still )?(keeping|cancel?ling|dropping|skipping|selling|quitting|replacing|`+
				`turning (it|them|that|down|off|on|the)|retiring|postponing|limiting|hosting|buying|renting|hiring|cutting)\b`, `\bgoing with \S+`,
			`\b(definitely|absolutely) (not|no) \S+`, `\btoo \w+.*, (so )?(we|i) (do|use|take|go|stay|stick|keep|skip)\b`,
			`\bwe (don't|do not|no longer|stopped) \w+ .*\b(any ?more|as of)\b`, opening+`(i think )?we (don't|do not) need (\S+ ){1,5}?(because|since)\b`, otherLanguageChoice),
		assistant: anyOf(
			`^(design |key |final )?decision( made)?:`, `\b(we|i)('ve| have)? (decided|agreed|settled) (to|on|that)\b`,
			`\b(we|i)('ve| have)? (chose|chosen|opted for|picked|went with|kept|left|limited)\b.*\b(because|since|over|instead of|rather than|so that|`+
				`to (avoid|keep|prevent|save|match|stay))\b`,
			`\b(we|i)('ve| have)? (switched|moved|migrated) from\b.*\b(because|since|so that|to avoid)\b`,
			`\b(we|i)('ll| will) (use|go with|stick with|implement|build|store) .*\b(because|since|instead of|rather than|so that)\b`),
		refuse: anyOf(
			`\b(does|do)(n'?t| not) go with\b`, `\bfor (a|one) (moment|sec|bit)\b|\b(forget|ignore|leave|pause|stop|wait|hold (on|off)|think|talk|go|look|step)\b.*\bfor (a|one) (second|minute)\b|\bkeep .*\baside\b`, `\b(go(ing)? with|use|take|pick|choose) the ((simpl|clean|saf|fast|cheap|small|strict|light|smart|quick|short|long|bigg|larg|new|easi|bett)er|(simpl|clean|saf|fast|cheap|small|easi|b)est|simple|clean|safe|fast|quick|easy|smart|right|good|usual|recommended|latter|former) (one|option|approach|way|solution|variant|version)[.!]*$`,
			`^instead of (\w+ing )?(it|this|that|these|those|them)\b`, `\bshould only (be|take|need)\b`, `^(final |key )?decision: (decide|choose|pick|select|based on|you|whether|if)\b`,
			`^deci(sion|ded): ?(still )?(tbd|tba|todo|open|pending|unclear|later|none|nothing( yet)?|not yet)[.!]*$`,
			nextTopic, `^(please |now |then )*(make (a |the )?|create (a |the )?|write (a |the )?)?plan (to|for|how)\b`, `\b(where|how|whether|why) (\S+ ){1,5}(should|shall)\b`, `\bi('m| am) thinking\b`, `\b(left|kept) (it|that|this|those|them)\b`, `\blet'?s (me|you|him|them|people|users?)\b`, `\b(would|'d) (love|like) to (know|hear|see|learn|understand)\b`,
			`\buse \S+( \S+){0,3} (for|as) (the |this |these |your )?(\S+ )?(tasks?|instructions?|reference|context|guidance|input)\b`,
			`^(hm+|no|well|ok|okay|sorry|yes|maybe|great|nice|cool),? not\b`, `\bshould (be (fine|ok|okay|done|ready|good|enough)|work|pass)\b`,
			`\b(those|these|that|your|this) (steps?|changes?|suggestions?|fix|task|approach|plan|idea|one)\b`, `:\s*["“]`,
			`\b(use|go(ing)? (with|for)|adopt|(stick|stay)(ing)? (with|to|on)|choosing|picking|picked|chose|settled on|switch(ing)? to|(let's|we'll|we should|i'll) keep) `+vague,
			`\bto be \w+er[.!]?$`, `\b(with|take|pick|choose|use|do) (option|approach|variant|part|phase|step|stage|task|item|chapter|batch|milestone)[ -]?#?(\d|([a-e]|one|two|three|four|five)\b)`,
			`\b(never|didn't|did not|don't|do not) (say|said|mean|meant)\b|\bpicked (up|out|it up)\b`, idle, noMatter,
			`\b(i|he|she|they|we) (said|told|asked|answered|thought|heard|read)\b|\b(how to|show me|tell me|explain|wonder\w*|curious)\b`,
			`\b(i|we) (want|need) (to (make sure|know|see|ensure|be|learn|understand|improve)|help|you to help)\b`,
			`\bso (we're|we are) (not )?(trying|having|getting|wondering|thinking|looking|working|hoping|asking|seeing|struggling|using|planning|considering|`+
				`feeling|assuming|guessing|missing|running|being|coming|talking|waiting|turning|doing)\b`,
			`\b(switch(ed)?|go|moved?) (back )?to (the |my |your )?(\S+ )?(branch|tab|window|page|next|other|file|screen|chat|topic|question|point|editor)\b|`+
				`\bmoved? .*(files?|functions?|house|here|there)\b`,
			`\b(replace|swap|change|switch|move|put|use|call|name|show|write|make)\b.*\b(readme|line \d+|(file|sentence|title|heading|text|paragraph|word|label|button)s?)\b`,
			`\b(lol|haha+|lmao|rofl|jk)\b|^oh (great|sure|yeah|wow|fantastic|perfect|nice)\b|\bwhat could (possibly )?go wrong\b`,
			`\bstick(ing)? (with|to) (the|this|that|your|our|my) (plan|approach|schedule|routine|strategy)\b`,
			`\buse (a break|the (time|chance|opportunity))\b`,
			`\b(plan|approach|idea|steps?) (that )?(you|above|from before)\b`, `\bhow \S+ it is\b|\b(what|whatever|as|than|where|wherever|which) it is\b`,
			`\bkeep (going|working|on|in mind|an eye)\b|\bkeep .* going\b`, `\bthe following\b[^:]*$`,
			`\b(that )?you (provided|suggested|mentioned|proposed|recommended)\b`,
			`\b(decided|chose|chosen|opted|agreed) to (first )?(look|check|start|begin|continue|read|run|proceed|investigate|try|see|search|explore|sleep|`+
				`wait|think|ask|go (ahead|on))\b`,
			`\b(i|we)('ll| will) use (the |an? )?(\S+ )?(tool|command|skill|(sub)?agents?|mode)\b|\b(i|we)('ll| will) use (grep|rg|find|sed|awk|cat|ls|bash|glob|jq|git (log|grep|diff|status|show|blame))\b`,
			`\b(what|why|how|where|which|who) (\S+ )?(i|we)('ve| have)? (decided|chose|picked|agreed|settled)\b`, `\b(stick|keep) to the (point|plan|topic)\b`),
	}
}
