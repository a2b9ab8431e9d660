package distil

import (
	"strings"

	"wake/domain"
)

// A person may leave a choice to the assistant: "let's take what you recommend".

// advice matches how a person accepts a recommendation without naming it.
var advice = phrasing(
	`^((ok|okay|yes|yeah|sure|fine|great|good|right|then|let's|lets|let us|i'll|we'll|i'd|i|we|just|please|and|so|happy to|going to)[,.! ]+)*`+
		`(take|go with|go for|going with|follow|use|do|adopt|pick|choose|stick (with|to)|trust|accept) (what(ever)? you('d)?|your|the one you|the) `+recommended+endsWithThat,
	`^(ok[, ]+)?(your|the) `+recommended+`( (one|option|approach|way|solution|variant))?( (is|sounds|looks|works) (fine|good|great|ok|okay|right|reasonable)( (to|with|for) me)?)?( then| please)?([,.;!]|$)`,
	`^(ok |gut |dann )*(nimm|nehmen wir|wir nehmen|mach) (deine empfehlung|deinen vorschlag|was du (empfiehlst|vorschlägst))`)

const (
	recommended  = `(recommend(ed|ations?)?|suggest(ed|ions?)?|advi[sc]ed?|propos(e|ed|als?)|prefer(red|ence)?|pick|favou?rite)`
	endsWithThat = `( (one|option|approach|way|solution|variant))?( then| please| here)?([,.;:!]| but | and | since | because |$)`
)

// advises matches how an assistant says which of several things it would take.
var advises = phrasing(`\b(i('d| would)?|we('d| would)?) (strongly |personally |clearly )?(recommend|suggest|advise|propose|go (with|for)|pick|choose|take)\b`,
	`\bmy (\S+ )?(recommendation|suggestion|advice|pick|preference|choice|proposal)( is|:| would be|\?)`, `^(\S+ )?(recommendation|suggestion|advice|proposal)( \([^)]*\))?: `,
	`\b(ich (empfehle|würde .* nehmen)|meine empfehlung|mein vorschlag)\b`)

// The option that an advice names, and the mark of the recommended one.
var (
	advisedOption   = lazily(`(?i)\b(?:option|approach|variant|number|recommendation:) \(?(\d|[a-e])\b|\b(?:go with|pick|take|choose|prefer|default to) (?:\((\d|[a-e])\)|(?-i:([A-E]))\b)|^#?(\d|[a-e])[,.;:) ]`)
	recommendedMark = lazily(`(?i) *[([*_–—-]+ *(?:recommended|my (?:recommendation|pick)|empfohlen)[^)\]]{0,20}[)\]*_]*$`)
)

// advised returns the one thing that a message recommends, or "" if it recommends none
// or several.
func (t answerable) advised() (best string) {
	if len(t.text) > maxAsking {
		return ""
	}
	for _, o := range t.options() {
		plain := recommendedMark().ReplaceAllString(o, "")
		if plain == o {
			continue
		}
		if best != "" {
			return ""
		}
		best = plain
	}
	if best != "" {
		return best
	}
	for _, s := range splitSentences(t.text) {
		thing, is := t.adviceIn(s)
		if !is {
			continue
		}
		if thing == "" || best != "" && best != thing {
			return ""
		}
		best = thing
	}
	return best
}

// adviceIn returns what a sentence recommends, and whether it recommends anything: the
// option that it points at, which is "" if there is none, or all that it says.
func (t answerable) adviceIn(s sentence) (thing string, is bool) {
	said := asserted(s.text)
	under := strings.Contains(s.head, "recommend")
	if !under && !advises().in(said) || against().in(said) || muses().in(said) || strings.HasSuffix(said, "?") {
		return "", false
	}
	if option, points := t.pointedAt(s.text, under); points {
		return option, true
	}
	return s.text, !s.small() && !s.item && !strings.HasSuffix(s.text, ":")
}

// pointedAt returns the option that a sentence of advice names by number or letter, and
// whether it names one. Under a heading that announces advice, a mark at its beginning
// counts too.
func (t answerable) pointedAt(sentence string, under bool) (option string, points bool) {
	m := advisedOption().FindStringSubmatch(sentence)
	if m == nil || m[4] != "" && !under {
		return "", false
	}
	i, _ := pickedOption(strings.ToLower(m[1] + m[2] + m[3] + m[4]))
	return t.option(i), true
}

// takeAdvice adds what the assistant recommended, after the person left the choice to
// it.
func (d *distiller) takeAdvice(e domain.Event, said []sentence) {
	best, words := d.last.advised(), wholeAnswer(said)
	if best == "" {
		return
	}
	d.settle(e, d.last.accepted(shortened(best), words), words, d.asked.text)
}

// Or a person says yes to what was proposed.

// agreement matches how a person agrees to a proposal.
var agreement = phrasing(
	`^((ok|okay|yes|yeah|yep|hm+|well|great|perfect|sure|cool|right|good|nice|thanks|thank you)[,.! ]+)*(yes|yep|yeah|sure|agreed|deal|go ahead|`+
		`go for it|do (it|that|this|so)|let'?s go[.!]*$|let's (do|try|go with|use) (it|that|this)|let's do it your way|please do|fair enough|fine (by|with) me|i'm (sold|`+
		`in|fine with|ok with|happy with)|agree|sold|lgtm|no objections?|be my guest|as you (suggest|say|propose)|ship it|(good|great|perfect|fine|nice|`+
		`cool|ok|okay|love it|i like it)[,.!]* (but|and|just|only|with)|good (idea|point|call)|great idea|sounds? (good|great|right|reasonable|fine|`+
		`like a (\w+ )?plan)|that sounds (good|great|right|reasonable|like a (\w+ )?plan)|love it|love that|works for me|that works|makes sense|i like (it|`+
		`that|the idea)|i agree|absolutely|definitely|exactly|approved)\b`,
	`^(ja|genau|gerne|passt|einverstanden|machen wir|mach das|so machen wir|oui|d'accord|vas-y|sí|si|vale|de acuerdo|hazlo|sim|va bene|да|давай|好的|好|`+
		`可以|はい|お願いします)([,.!。！ ]|$)`)

// reservation matches how a person defers agreement.
var reservation = phrasing(`\b(later|not (yet|now|sure)|but (not|first|let me|i|what|how|why)|wait|maybe|think about|tomorrow|instead|rather)\b`)

// couldDo matches how an assistant says what is possible, and doIt how a person says to
// do it.
var (
	couldDo = phrasing(`\b(you|we|one) could (also |just |simply )?` + changing + `\b`)
	doIt    = phrasing(`\b(do (it|that|so)|go ahead|go for it|let's (do|try) (it|that)|please do|yes please|make it so)\b`)
)
