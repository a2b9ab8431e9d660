package transcript

import "sync"

// agreement is how a person says yes to what was proposed.
var agreement = sync.OnceValue(func() phrases {
	return anyOf(
		`^((ok|okay|yes|yeah|yep|hm+|well|great|perfect|sure|cool|right|good|nice|thanks|thank you)[,.! ]+)*(yes|yep|yeah|sure|agreed|deal|go ahead|`+
			`go for it|do (it|that|this|so)|let'?s go[.!]*$|let's (do|try|go with|use) (it|that|this)|let's do it your way|please do|fair enough|fine (by|with) me|i'm (sold|`+
			`in|fine with|ok with|happy with)|agree|sold|lgtm|no objections?|be my guest|as you (suggest|say|propose)|ship it|(good|great|perfect|fine|nice|`+
			`cool|ok|okay|love it|i like it)[,.!]* (but|and|just|only|with)|good (idea|point|call)|great idea|sounds? (good|great|right|reasonable|fine|`+
			`like a (\w+ )?plan)|that sounds (good|great|right|reasonable|like a (\w+ )?plan)|love it|love that|works for me|that works|makes sense|i like (it|`+
			`that|the idea)|i agree|absolutely|definitely|exactly|approved)\b`,
		`^(ja|genau|gerne|passt|einverstanden|machen wir|mach das|so machen wir|oui|d'accord|vas-y|sí|si|vale|de acuerdo|hazlo|sim|va bene|да|давай|好的|好|`+
			`可以|はい|お願いします)([,.!。！ ]|$)`)
})

// reservation is how an agreement is put off.
var reservation = sync.OnceValue(func() phrases {
	return anyOf(`\b(later|not (yet|now|sure)|but (not|first|let me|i|what|how|why)|wait|maybe|think about|tomorrow|instead|rather)\b`)
})

// couldDo is how an assistant says what is possible, doIt how a person says to do it.
var (
	couldDo = sync.OnceValue(func() phrases { return anyOf(`\b(you|we|one) could (also |just |simply )?` + changing + `\b`) })
	doIt    = sync.OnceValue(func() phrases {
		return anyOf(`\b(do (it|that|so)|go ahead|go for it|let's (do|try) (it|that)|please do|yes please|make it so)\b`)
	})
)
