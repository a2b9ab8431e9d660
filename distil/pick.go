package distil

import (
	"slices"
	"strings"
)

// An answer may point at what the assistant listed: "go with 2", "b, please", "the last one".

// picked returns which of the listed options an answer points at, by number, letter,
// place or name, and whether it points at one. The option is "" if that decides
// nothing.
func (d *distiller) picked(answer string) (option string, points bool) {
	if option = d.last.several(answer); option == "" {
		i, by := pickedOption(answer)
		switch {
		case !by:
			option = d.last.begunBy(answer)
		case d.last.letters() || !byLetter(answer):
			option = d.last.option(i)
		}
		points = by
	}
	points = points || option != ""
	if option != "" && (noOption().in(option) || d.isMomentary()) {
		option = ""
	}
	return option, points
}

// pickFirst splits a sentence that picks an option and then requests something: "2 please,
// can you open the issue?".
func pickFirst(said []sentence) []sentence {
	text := said[0].text
	at := alsoRequests().FindStringIndex(text)
	if at == nil {
		return said
	}
	choice := strings.ToLower(text[:at[0]])
	if _, picks := pickedOption(choice); !picks || ranks().MatchString(choice) {
		return said
	}
	request := said[0]
	request.text = strings.TrimLeft(text[at[0]:], ",; ")
	said = slices.Insert(slices.Clone(said), 1, request)
	said[0].text = text[:at[0]]
	return said
}

// alsoRequests matches where a sentence goes on to request something.
var alsoRequests = lazily(`(?i)[,;] ?(?:and |so |but )*\b(?:can|could|will|would) you\b`)

// ranks matches what begins a list of requests ("first, can you check the logs?") or asks which
// option to take.
var ranks = lazily(`^((ok|okay|yes|yeah|so|and|then|well|no)[,.]? )*(first|second|third|fourth|last)$|\bor\b`)

// pick matches how people point at one of several things.
var pick = lazily(
	`^((ok|okay|yes|yeah|yep|yup|sure|great|perfect|agree|hm+|well|so|and|then|let's|lets|i'd|i'll|we'll|we|i|please|think|say|want|prefer|vote|choose|like|go|going|do|take|use|pick|` +
		`try|with|for|choice|solution|method|plan|code|answer|nehmen|nimm|wir|ich|dann|bitte|vamos|con|on|prend|der|die|das|la|le|el|the|it to do|option|options|approach|number|variant|nr|no|` +
		`#)[.,!:]*[\s-]+)*#?` +
		`(\d{1,2}|[a-e]|(?:option|approach|number) (?:one|two|three|four)|first|second|third|fourth|last|former|latter|erste[nrs]?|` +
		`zweite[nrs]?|dritte[nrs]?|primer[oa]?|segund[oa]|tercer[oa]?|premi[eè]re?|` +
		`deuxi[eè]me|seconde|troisi[eè]me)` +
		`( one| option| approach| way| idea)?([.,!;:)]|$|\s+(please|it is|of course|for sure|definitely|obviously|wins|with|without|then|because|since|as|but|and|for now|looks|sounds|is (?:better|best|fine|good|great)|bitte|por favor|weil|parce|porque|-|–|—))`)

// pickedOption returns the place of the option that an answer points at, counted from
// 0.
func pickedOption(answer string) (int, bool) {
	m := pick().FindStringSubmatch(answer)
	if m == nil {
		return 0, false
	}
	word := m[3][strings.LastIndexByte(m[3], ' ')+1:]
	if len(word) == 1 && word[0] >= 'a' {
		return int(word[0] - 'a'), true
	}
	if word[0] <= '9' {
		n := 0
		for _, r := range word {
			n = 10*n + int(r-'0')
		}
		return n - 1, n > 0
	}
	for prefix, i := range ordinals {
		if strings.HasPrefix(word, prefix) {
			return i, true
		}
	}
	return 0, false
}

// ordinals maps words to the places they point at, counted from 0; the last is -1.
var ordinals = map[string]int{"one": 0, "two": 1, "three": 2, "four": 3, "first": 0, "former": 0, "second": 1, "latter": 1, "third": 2, "fourth": 3, "last": -1,
	"erste": 0, "zweite": 1, "dritte": 2, "primer": 0, "segund": 1, "tercer": 2, "premi": 0, "deuxi": 1, "seconde": 1, "troisi": 2}

// counted matches an answer by number alone, which is not a list.
var counted = lazily(`^\d[.)] `)

// recounts reports whether an answer that begins with a number continues counting: then
// it answers several questions.
func recounts(text string) bool {
	_, all := numberedAnswers(text)
	return len(all) > 0
}

// byLetter reports whether an answer points at an option by its letter.
func byLetter(answer string) bool {
	m := pick().FindStringSubmatch(answer)
	return m != nil && len(m[3]) == 1 && m[3][0] >= 'a'
}

// several returns the options that an answer points at if they are more than one.
func (t answerable) several(answer string) string {
	m := severalPicked().FindStringSubmatch(answer)
	if m == nil {
		return ""
	}
	var picked []string
	for _, mark := range onePicked().FindAllString(m[1], -1) {
		i, _ := pickedOption(mark)
		option := t.option(i)
		if option == "" || noOption().in(option) {
			return ""
		}
		picked = append(picked, strings.TrimRight(option, ".; "))
	}
	return strings.Join(picked, "; ")
}

// severalPicked matches how people point at more than one thing.
var severalPicked = lazily(`^(?:(?:ok|okay|yes|yeah|sure|let's|lets|do|take|go|with|i'd|we|use|both|options?|numbers?|please)[,. ]+)*` +
	`((?:\d|[a-e])(?:(?:, ?| ?\+ ?| ?& ?| and | plus | und ),?(?:and )?(?:\d|[a-e]))+)( please| both| then)*([.,;!]|$| but )`)

var onePicked = lazily(`\b(\d|[a-e])\b`)
