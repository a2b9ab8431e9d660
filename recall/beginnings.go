package recall

import "unicode/utf8"

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
	for form, base := range baseForms {
		if w := []byte(base); terms[string(w[:stem(w)])] != 0 {
			b.add(form)
		}
	}
	for _, form := range changedByStem {
		if w := []byte(form); terms[string(w[:stem(w)])] != 0 {
			b.add(form)
		}
	}
	return b
}

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

// passOver returns the end of the word at i, with all that is joined to it, when its
// parts are plain ones, of ASCII letters with no capital after the first, and none
// of the terms begins like one of them; else i.
func (b *beginnings) passOver(text string, i int) int {
	for start := i; ; {
		end := plainEnd(text, start)
		if end == start || b.mayBegin(text[start:end]) {
			return i
		}
		if end == len(text) || classOf(text[end]) == 0 || endsHere(text, end) {
			return end
		}
		if classOf(text[end]) != joiner || end == i+1 { // after one letter the whole begins with another part's too
			return i
		}
		start = end + 1
	}
}

// plainEnd is the end of the plain word at i, or i.
func plainEnd(text string, i int) int {
	if classOf(text[i])&letter == 0 {
		return i
	}
	for i++; i < len(text) && text[i]-'a' < 26; i++ {
	}
	return i
}

// endsHere says whether nothing follows the joint at i that could be joined by it.
func endsHere(text string, i int) bool {
	return classOf(text[i]) == joiner && (i+1 == len(text) || classOf(text[i+1]) == 0)
}

// classOf is the class of a byte; those of other characters than ASCII may be of any.
func classOf(c byte) byte {
	if c >= utf8.RuneSelf {
		return alnum | joiner
	}
	return classes[c]
}

func (b *beginnings) mayBegin(part string) bool {
	if len(part) == 1 {
		return b.has(lower[part[0]], 0)
	}
	return b.has(lower[part[0]], part[1])
}
