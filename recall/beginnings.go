package recall

import (
	"sync"
	"unicode/utf8"
)

// beginnings tell from the first two letters that a plain word is none of some
// terms, so that most words of a text need not be analysed to find these.
// Stemming leaves the first two letters alone, but for a few exceptions and
// irregular forms.
type beginnings [1 << 16 / 64]uint64

func newBeginnings(terms map[string]float64) *beginnings {
	b := new(beginnings)
	for t := range terms {
		b.add(t)
	}
	for t := range terms {
		for _, form := range unlikeForms()[t] {
			b.add(form)
		}
	}
	return b
}

// unlikeForms are the words that may begin otherwise than their terms, by the terms:
// the irregular ones and [changedByStem].
var unlikeForms = sync.OnceValue(func() map[string][]string {
	forms := make(map[string][]string, len(baseForms))
	add := func(form, word string) {
		w := []byte(word)
		term := string(w[:stem(w)])
		forms[term] = append(forms[term], form)
	}
	for form, base := range baseForms {
		add(form, base)
	}
	for _, form := range changedByStem {
		add(form, form)
	}
	return forms
})

// changedByStem are the words whose second letter stemming changes.
var changedByStem = []string{"dying", "lying", "tying"}

func (b *beginnings) add(word string) {
	var second byte
	if len(word) > 1 {
		second = word[1]
	}
	at := uint16(word[0])<<8 | uint16(second)
	b[at>>6] |= 1 << (at & 63)
}

func (b *beginnings) has(first, second byte) bool {
	at := uint16(first)<<8 | uint16(second)
	return b[at>>6]&(1<<(at&63)) != 0
}

// passOver returns the end of the word at i when it is a plain one, of ASCII
// letters with no capital after the first and nothing joined to it, and none of
// the terms begins like it; else i.
func (b *beginnings) passOver(text string, i int) int {
	end := i + 1
	for end < len(text) && text[end]-'a' < 26 {
		end++
	}
	if end < len(text) && (text[end] >= utf8.RuneSelf || classes[text[end]] != 0) || classes[text[i]]&letter == 0 {
		return i
	}
	second := byte(0)
	if end > i+1 {
		second = text[i+1]
	}
	if b.has(lower[text[i]], second) {
		return i
	}
	return end
}
