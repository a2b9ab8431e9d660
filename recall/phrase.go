package recall

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"wake/domain"
)

// Phrase is a question that is looked for word for word, because its terms find nothing
// or it has none. The zero value is in no text.
type Phrase struct {
	words  string // with single spaces; in lower case unless cased
	cased  bool   // capitals count
	within bool   // it may be part of longer words
}

const (
	phraseShort = 3       // characters of a phrase that may be part of longer words
	phraseScan  = 1 << 20 // bytes of a text that are looked through
)

// Phrase returns the question as a phrase. Without terms it consists of stop words or of
// signs; a single stop word is in most texts, so it must be typed with a capital, which
// then counts: IT is not "it".
func (q Question) Phrase() Phrase {
	words := oneLine(strings.TrimSpace(strings.ToValidUTF8(q.Text, "")))
	if plain := strings.TrimFunc(words, func(r rune) bool { return !wordRune(r) }); plain != "" {
		words = plain
	}
	p := Phrase{within: len(q.Terms) > 0}
	p.cased = !p.within && !strings.Contains(words, " ")
	tooShort := p.within && utf8.RuneCountInString(words) < phraseShort
	plainWord := p.cased && words == strings.ToLower(words) && strings.ContainsFunc(words, unicode.IsLetter)
	if tooShort || plainWord {
		return Phrase{}
	}
	p.words = p.fold(words)
	return p
}

// In reports whether a text has the phrase.
func (p Phrase) In(text string) bool {
	return p.words != "" && p.index(oneLine(domain.Head(text, phraseScan))) >= 0
}

// index returns where a text on one line has the phrase, or -1.
func (p Phrase) index(text string) int {
	folded := p.fold(text)
	for from := 0; ; {
		at := strings.Index(folded[from:], p.words)
		if at < 0 {
			return -1
		}
		at += from
		if p.within || p.isWhole(folded, at) {
			return at
		}
		_, size := utf8.DecodeRuneInString(folded[at:])
		from = at + size
	}
}

// isWhole reports whether the phrase at a place does not begin or end inside a word.
func (p Phrase) isWhole(text string, at int) bool {
	end := at + len(p.words)
	before, _ := utf8.DecodeLastRuneInString(text[:at])
	first, _ := utf8.DecodeRuneInString(p.words)
	last, _ := utf8.DecodeLastRuneInString(p.words)
	after, _ := utf8.DecodeRuneInString(text[end:])
	return !(wordRune(before) && wordRune(first)) && !(wordRune(last) && wordRune(after))
}

// fold returns a text in lower case, unless capitals count. No character moves.
func (p Phrase) fold(text string) string {
	if p.cased {
		return text
	}
	return strings.Map(func(r rune) rune {
		if low := unicode.ToLower(r); utf8.RuneLen(low) == utf8.RuneLen(r) {
			return low
		}
		return r
	}, text)
}
