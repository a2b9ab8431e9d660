package recall

import (
	"sync"
	"unicode/utf8"
)

// prefixFilter tells from a plain word's first three letters (the lower five bits of
// each) that it cannot be one of a set of terms, so that most words of a text need not
// be analysed. Stemming keeps the first two letters, and the third if at least four are
// left, with a few exceptions and irregular forms.
type prefixFilter [1 << 15 / 64]uint64

func newPrefixFilter(terms map[string]float64) *prefixFilter {
	b := new(prefixFilter)
	for t := range terms {
		b.add(t)
	}
	for t := range terms {
		for _, form := range formsWithOtherPrefix()[t] {
			b.add(form)
		}
	}
	return b
}

// formsWithOtherPrefix returns, by term, the words that may begin differently from
// their terms: irregular forms and [changedByStem].
var formsWithOtherPrefix = sync.OnceValue(func() map[string][]string {
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

// changedByStem lists the words whose second letter changes in stemming.
var changedByStem = []string{"dying", "lying", "tying"}

// add admits the prefix of a word of four or more letters. The last letter of a shorter
// term may differ from that of the original word, so all letters are admitted from
// there on.
func (b *prefixFilter) add(word string) {
	at, open := prefixIndex(word), uint(1)
	switch len(word) {
	case 1:
		at, open = at&^(1<<10-1), 1<<10
	case 2, 3:
		at, open = at&^(1<<5-1), 1<<5
	}
	for next := range open {
		b.put(at | next)
	}
}

func (b *prefixFilter) put(at uint)      { b[at>>6] |= 1 << (at & 63) }
func (b *prefixFilter) has(at uint) bool { return b[at>>6]&(1<<(at&63)) != 0 }

// prefixIndex packs a word's first three letters; missing letters are 0.
func prefixIndex(word string) uint {
	at := uint(word[0]&31) << 10
	if len(word) > 1 {
		at |= uint(word[1]&31) << 5
	}
	if len(word) > 2 {
		at |= uint(word[2] & 31)
	}
	return at
}

// skipWord returns the end of the word at i if it can be skipped: it consists of ASCII
// letters with no capital after the first, no other word is joined to it, and none of
// the terms begins like it. Otherwise it returns i.
func (b *prefixFilter) skipWord(text string, i int) int {
	end := i + 1
	for end < len(text) && text[end]-'a' < 26 {
		end++
	}
	if classes[text[i]]&letter == 0 || mayContinue(text, end) || b.has(prefixIndex(text[i:end])) {
		return i
	}
	return end
}

// mayContinue reports whether the word that ends at end may be part of a longer one: it
// is not followed by a space or a sign, or by one after which another word begins.
func mayContinue(text string, end int) bool {
	if end == len(text) {
		return false
	}
	if text[end] >= utf8.RuneSelf || classes[text[end]]&alnum != 0 {
		return true
	}
	if classes[text[end]] == 0 || end+1 == len(text) {
		return false
	}
	next := text[end+1]
	return next >= utf8.RuneSelf || classes[next]&alnum != 0 || next == ':'
}
