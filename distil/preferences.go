package distil

import "wake/domain"

// preferences selects what a person wants in general, including the conventions and
// limits of a project.
func preferences() rule {
	return rule{name: rulePreference, action: domain.Decision, weight: 6, lasting: true,
		user: anyOf(
			opening+`(always|never|from (now|here|today) on(wards)?|going forward|in (the )?future,|i (really |strongly )?prefer|(don't|do not) ever|`+
				`make sure (you |to )?(always|never))\b`,
			opening+`((remember|(keep|bear|have) in mind) (that|to)\b|(remember|keep in mind|important|note): ?\S)`,
			`^(\S+ ){0,6}(rule of thumb|house rule|golden rule)\b.*: \S`, opening+`i (really )?(don't|dont|do not) like \S+ \S+`, opening+`we (don't|dont|do not|`+
				`never) \w+ .*\bhere[.!]?$`, `^((ok|okay|then|so|and)[, ]+)+\S+( \S+)? for (all|every|each)\b`, opening+`we (\w+ )?(put|use|write|name|keep|`+
				`prefer|avoid|do) .* (here|around here)[.!]?$`, opening+`i('d| would) (really )?(like|prefer) (it if you|you to (please )?(always|never|not|stop|avoid|only|be|keep|use|answer|reply|respond|speak|talk|call|`+
				`ask|explain|treat|say|write \S+ in|wait|focus on|prefer|stick to))\b`,
			`^((a )?new |our |house )?(rule|convention|policy|guideline|requirement|constraint|agreement)( is)?: \S`,
			`\b(from (now|here|today) on(wards)?|going forward)\b|, always[.!]*$|\b(every|each) time you\b|\b(before|after) (every|each|any) (commit|push|pr|`+
				`merge|release|deploy|change|edit)\b`,
			`, ((but|just|please) )+(don't|dont|do not) (use|give|put|add|write|include|show|make|send|change|touch|create|mention) \S+`,
			`^((no|actually|btw),? )*(i'm|i am|we're|we are|i|we) (using|use|running) \S+( \S+)?[.!]?$`, `^((no|actually|btw),? )*(i'm|i am|we're|we are|i|we) on \S+( \S+)?[.!]?$`,
			`\bunless i (ask|say|tell)\b`, `\b(requirements|constraints|ground rules|principles|conventions)( [^:.?!]{1,60})?: \S`,
			`\b(use|write|put|do|call|name|format|wrap|log|exclude|include|skip|leave|keep|treat|ignore|assume) [^:]*(every ?where|by default|in (all|every|`+
				`each|everything)|any ?more|for good|for next time)\b`,
			opening+`(we|neither,? we|i) (use|write|do|call|name|run|put|keep|avoid|wrap) .* (every ?where|by default|for everything|in (all|every|each)\b.*)`,
			opening+`(keep|make) (your |the |all )?(answers?|repl(y|ies)|responses?|explanations?|summar(y|ies)|commit messages?|messages|comments|`+
				`docstrings?|snippets|diffs|functions|files|prs?|pull requests)\b (\S+ )?(short|shorter|small|brief|concise|under|below|in|to|at|simple|plain|`+
				`formal|informal)\b`,
			opening+`(no|skip the|leave out the|without) (emojis?|comments|docstrings?|fluff|apolog\w+|preambles?|bullet points|theory|explanations?|intros?|jargon|hype)\b`,
			opening+`(answer|reply|respond|write|speak|explain|talk) (to me |everything )?(only |always )?in (english|german|french|spanish|italian|`+
				`portuguese|russian|chinese|japanese|plain|simple|short|bullet|one|two)\b`,
			`\bremember (this|that)( for [^:]{1,30})?: `, `\b(on|every|each) (\S+ )?(mon|tues|wednes|thurs|fri|satur|sun)days\b`,
			`\b(we('re| are)|you('re| are)) (not|never|only) allowed to \w+`,
			opening+`i('m| am)? (use|using|run|running|on|work (on|in|with)|based in|live in) .*, so\b|^(btw|fyi|note)[,:]? i('m| am)? (use|using|run|on|`+
				`work (on|in|with)|based in|live in|a|the|allergic|vegetarian|vegan|\w+ intolerant|colou?r-?blind)\b`,
			opening+`no \S+( \S+){1,8}?,? (ever|at all|anywhere|please)\b`, opening+`(for|in|on) [^:,]{3,40}[:,] .*\b(everywhere|always|never|only)\b`, opening+`(smaller|shorter|fewer|less|`+
				`simpler) \S+.*\b(please|each|per)\b`,
			`\b(i'm|i am|is|are) (\w+ )?(allergic|vegetarian|vegan|(\w+[- ])?intolerant|diabetic|colou?r-?blind|dyslexic|left-handed)\b`,
			`^(bitte )?(merk dir|merke dir|denk daran)\b|^(recuerda|ten en cuenta|souviens-toi|rappelle-toi|retiens)\b|\b(gehen|kommen|werden|wird|sind|ist|`+
				`nutzen|verwenden|schreiben|machen) (wir )?(immer|nie|grundsätzlich|ausschließlich)\b`,
			opening+`i (don't|dont|do not) want \S+ \S+`,
			`^(that|this|the same) (goes|applies|holds) (for|to|in) (all|every|any|each|the (rest|other))\b`, opening+`no \S+( \S+){0,3} (in|for|on|at|from|to|inside|within)\b`,
			// A prohibition lasts if it says why or where, or names a tool.
			opening+`(don't|dont|do not|never) `+forbidden+`\b.*(\b(ever|again|any ?more|anywhere|without|because|since|unless|before|when|while|during|over|`+
				`in this (project|repo|codebase))\b|, (they|it|its|it's|we|our|other|others|the|that's|use|i|you're|this|those|these)\b|[;:] |\b(you're|you are|`+
				`that) not\b|\bnot otherwise\b)`,
			opening+`(don't|dont|do not) use \S+`,
			opening+`(stop|quit|avoid) (using|adding|writing|putting|generating|asking|committing|creating|explaining|apologi[sz]ing|mentioning|including|`+
				`mocking|inventing|saying|calling|showing|repeating|suggesting|telling|starting|ending|answering|wrapping|splitting|guessing|changing|renaming|`+
				`reformatting|importing|pushing|skipping|touching)\b`,
			opening+`(i want|i would like|i'd like) (all|every|any|no|only|answers|your answers)\b`,
			opening+`i (want you to (always|never|stop|not|avoid)|(don't|do not) want (you to|any|to (use|see|have)))\b`,
			opening+`no more \S+( \S+){0,3} (in|for|on|when|to|from|during|without|after|before|than)\b`,
			opening+`(we|(this|the|our) (repo|project|codebase|team)) (only |always |never |don't |do not )?(uses?|writes?|follows?|requires?|supports?|`+
				`targets?|deploys? (to|on|with)|runs? on)\b`,
			`\b(our|the) ((\S+ )?(convention|policy|rule|guideline)|naming|standard)( for .{1,40}| on .{1,40})? (is|are)\b`,
			opening+`(we|you) (can't|cannot|can not|must not|mustn't|may not|aren't allowed to|are not allowed to|must (always|never)) `+forbidden+`\b`,
			opening+`(every|each|all|any|no) (\S+ ){1,5}(needs|has to|have to|requires?)\b|^(\S+ ){1,8}must (never|not|always|only|be (able|under|below|above|`+
				`at (least|most)|in|on|\w+ed)|stay|remain|support|use|work|run|go|finish|fit|match|contain|pass)\b`,
			`\b(client|customers?|legal|security|compliance|management|product|design|ops|marketing|finance|accounting|advisor|professor|boss|manager|cto|ceo|`+
				`teacher|reviewer \d|reviewers?|editor|publisher|dpo|auditors?|supervisor) (team |department )?(insists? on|wants?|requires?|demands?|asked for|`+
				`doesn't want|won't accept|does not allow|doesn't allow)\b`,
			introduces,
			// German, French, Spanish, Portuguese, Russian, Chinese, Japanese
			`^(bitte |und |also |außerdem |ok,? )*(immer|niemals|nie|künftig|ab (jetzt|sofort)|in zukunft|keine) .*|\bbitte (immer|nie|niemals|keine?n?)\s|`+
				`\bab (jetzt|sofort) (bitte|immer|nur|keine)\s`,
			`^(stp,? |s'il te plaît,? |et |aussi )*(toujours|ne jamais|désormais|dorénavant|à partir de maintenant)\s`,
			`^(por favor,? |y |e )*(siempre|nunca|sempre|a partir de ahora|a partir de agora|deja de)\s|^(por favor,? )?(no )?(responde|contesta|escribe|usa|`+
				`utiliza|pon|haz|uses)\s(.*\s)?(siempre|nunca|en español|en inglés)\b|\bno uses\s`,
			`\b(réponds|écris|utilise|mets|fais)\b.*\b(toujours|jamais|partout|en français)\b|\b(schreib|schreibe|verwende|nutze|benutze|antworte|mach|`+
				`nimm)\b.*\b(immer|nie|überall|auf deutsch|grundsätzlich)\b`,
			`^(пожалуйста,? )?(всегда|никогда|впредь|отныне)\s`,
			`每次.{0,12}(都要|必须|都必须)`, `^(请|請)?(以后|以後|今后|从现在起|始终|务必|永远不要|不要再)`, `(今後は|これからは|常に|必ず|絶対に)`),
		refuse: anyOf(
			`\b(call me|i go by|nennt? mich) `+noName, `\b(live|based|located) in (a|an|the|my|our|this|that|fear|hope|peace|constant|denial)\b`,
			`^i('m| am) (\w+ )?trying to (understand|learn|figure|see)\b`,
			`^never ?mind\b|^never \w+s\b`, noMatter,
			`\bwe (always|never|only) (get|got|have|had|see|saw|run into|end up|wanted|thought|knew|tried|did|made|found|need)\b`,
			`\bno more (errors?|questions?|crash\w*|issues?|time|problems?|luck|fail\w*|warnings?|bugs?|ideas?)\b`,
			`\b(shows?|gets?|takes?|loses?|fails?|crash\w*|breaks|freezes|hangs|stops)\b.*\b(before|after) (every|each|any)\b`,
			`^never (heard|seen|knew|thought|had|been|said)\b`, `^always (a|the|been|nice|good|great|happy)\b`,
			`\bthinking (about|of) \w+ing\b|\bi('ll| will| need to| just need to| have to|'m going to| can)\b.*\bgoing forward\b|\bi('ll| will) (also |just |then )?try\b`,
			`\bwants? to (know|see)\b|\bwants? (us|me) to\b`,
			`\bi (don't|dont|do not) want (to (do|go|know|talk|hear|be|think|spend|deal|wait|lose|break|bother|get|trigger|make|sound|seem|miss|feel)|that|`+
				`this|it|you to think|him|her|them)\b`,
			`^i (really )?(don't|dont|do not) (know|think|see|get|understand|have|care|mind|remember|need|believe|feel|even)\b|^i (really )?(don't|dont|`+
				`do not) like (how|that|where)\b`, `\b(i'd|i would) rather\b`,
			`\b(yet|for now|right now|this time|at the moment|today|tonight)\b`,
			`\b(don't|dont|do not|never|stop|avoid) (ever )?(\w+ )?`+vague,
			`\b(we|must not|cannot|can't) uses? `+vague+`|\b(we|i) use .*\b(but|and) (it|now)\b.*\b(fails?|crash\w*|errors?|broken?)\b`,
			`\b(to|now|still|why|how) (we|do we) use\b|\bso we (can|could)\b`),
	}
}

const (
	// introduces matches how people say their name and where they live.
	introduces = opening + `((hi|hello|hey|hallo|by the way)( \w+)?[,.! ]+)?(please )?(((i'm|i am) [^ ,]+( [^ ,]+)?,? (and|but) )?(just |please |you can |everybody |everyone |(most |my )?(people|friends) )*(just )?calls? me \S+( \S+)?( please|,? (btw|thanks))?[.!]*$|` +
		`i go by \S+( \S+)?( instead)?[.!]*$|my pronouns are \S|(bitte )?nennt? mich (bitte )?\S+( bitte)?[.!]*$|i('m| am)? (currently |now )?(live|living|based|located) in \p{L}{3,}( \S+){0,2}?([.!]*$|,))`
	// noName matches what is not a name.
	noName = `(bitte )?(a|an|the|back|again|later|soon|now|when|if|at|on|in|out|by|tomorrow|today|tonight|crazy|mad|stupid|silly|naive|naïve|lazy|old|old-fashioned|` +
		`paranoid|biased|cynical|weird|picky|what|whatever|maybe|anytime|any|names|this|that|my|your|car|bus|bike|train|foot|plane|gut|feel|instinct)\b`
	// forbidden matches what people tell an assistant not to do.
	forbidden = `(use|touch|rename|add|put|mock|edit|modify|change|hard-?code|introduce|import|remove|delete|break|push|force-push|log|write|create|` +
		`commit|mention|include|install|upgrade|rely|depend|ask|mix|store|send|reformat|touch|reorder|refactor|call|return|throw|swallow|retry|cache|` +
		`expose|share|skip|squash|rebase|deploy|merge|ship|publish|assume|guess|invent|change|apologi[sz]e|explain|show|mention|repeat|summari[sz]e|` +
		`translate|generate)`
)

// callMe matches the beginning of the shortest sentence worth keeping.
var callMe = phrasing(`^call me \S{2}`)
