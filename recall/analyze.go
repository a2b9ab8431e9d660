package recall

import (
	"unicode"
	"unicode/utf8"
)

// AnalysisVersion changes whenever [Analyze] returns different terms for some text. An
// index built with another version must be rebuilt. (Words of accents alone once gave an
// empty term. No question has it, so an index with it is as good. Decomposed Korean and
// vowel signs once gave terms of their own, which few texts and questions had.)
const AnalysisVersion = 1

// maxTerm is the longest term in bytes. Longer words (base64, long hashes) are cut, so
// that they still match themselves.
const maxTerm = 64

// Token is a term with the range of bytes it stands for.
type Token struct {
	Term       string
	Start, End int
	// Whole marks the joined form of a compound (`authtoken` for `auth_token`). It
	// follows the parts and does not count in the length of a text.
	Whole bool
}

// Analyze returns the index terms of a text in order of appearance. Content words are
// lower-cased, stripped of accents and stemmed (English); stop words are left out.
// Identifiers, paths and codes appear both in parts and whole. Chinese, Japanese,
// Korean and Thai appear as bigrams and single characters. A term consists of letters
// and digits; a decimal number keeps its points.
func Analyze(text string) []string {
	toks := Tokens(text)
	out := make([]string, len(toks))
	for i, t := range toks {
		out[i] = t.Term
	}
	return out
}

// Tokens is [Analyze] with the position of every term in the text.
func Tokens(text string) []Token {
	a := analyzer{text: text, buf: make([]byte, 0, len(text))}
	a.run()
	return a.tokens()
}

// analyzer scans a text once. It collects the terms in one buffer, so that a text costs
// a handful of allocations however many words it has.
type analyzer struct {
	text  string
	buf   []byte
	spans []span
	marks []mark
	fold  []byte
	seps  []byte
	chars []byte // terms of a run of ideographs

	filter *prefixFilter // if set, words with other prefixes are skipped
}

// span is a term: its end in the buffer (it starts at the end of the previous one) and
// its position in the text.
type span struct {
	end        int32
	start, til int32
	whole      bool
}

// mark is one part of the compound being read.
type mark struct{ start, end int }

func (a *analyzer) tokens() []Token {
	all := string(a.buf)
	out := make([]Token, len(a.spans))
	from := int32(0)
	for i, s := range a.spans {
		out[i] = Token{Term: all[from:s.end], Start: int(s.start), End: int(s.til), Whole: s.whole}
		from = s.end
	}
	return out
}

func (a *analyzer) run() {
	for i := 0; i < len(a.text); {
		c := a.text[i]
		if c < utf8.RuneSelf {
			if classes[c]&alnum == 0 {
				i++
				continue
			}
			if a.filter != nil {
				if end := a.filter.skipWord(a.text, i); end > i {
					i = end
					continue
				}
			}
			i = a.compound(i)
			continue
		}
		r, size := utf8.DecodeRuneInString(a.text[i:])
		switch {
		case ideographic(r):
			i = a.ideographs(i)
		case wordRune(r):
			i = a.compound(i)
		default:
			i += size
		}
	}
}

// compound reads words joined without a space (`a_b`, `a/b.c`, `e-mail`) starting at i,
// adds their terms and returns the end.
func (a *analyzer) compound(i int) int {
	a.marks, a.seps = a.marks[:0], a.seps[:0]
	for {
		end := a.word(i)
		a.marks = append(a.marks, mark{i, end})
		sep := a.joint(end)
		if sep == 0 {
			i = end
			break
		}
		a.seps = append(a.seps, a.text[end])
		i = end + sep
	}
	a.addCompound()
	return i
}

// word returns the end of the run of letters and digits that starts at i.
func (a *analyzer) word(i int) int {
	for i < len(a.text) {
		c := a.text[i]
		if c < utf8.RuneSelf {
			if classes[c]&alnum == 0 {
				return i
			}
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(a.text[i:])
		if !wordRune(r) || ideographic(r) {
			return i
		}
		i += size
	}
	return i
}

// joint returns the length of the separator at i if a word follows it, else 0.
func (a *analyzer) joint(i int) int {
	if i >= len(a.text) || a.text[i] >= utf8.RuneSelf || classes[a.text[i]]&joiner == 0 {
		return 0
	}
	n := 1
	if a.text[i] == ':' {
		if i+2 >= len(a.text) || a.text[i+1] != ':' {
			return 0
		}
		n = 2
	}
	if !a.startsWord(i + n) {
		return 0
	}
	return n
}

// startsWord reports whether a letter or digit is at i.
func (a *analyzer) startsWord(i int) bool {
	if i >= len(a.text) {
		return false
	}
	if c := a.text[i]; c < utf8.RuneSelf {
		return classes[c]&alnum != 0
	}
	r, _ := utf8.DecodeRuneInString(a.text[i:])
	return wordRune(r) && !ideographic(r)
}

// addCompound adds the parts of the compound just read and, if there are several, the
// whole.
func (a *analyzer) addCompound() {
	if a.possessive() || a.number() {
		return
	}
	for _, m := range a.marks {
		a.addWord(m)
	}
	if len(a.marks) > 1 {
		a.addWhole()
	}
}

// possessive handles an apostrophe: "Anna's" becomes anna, "don't" is a stop word,
// "O'Brien" becomes o, brien and obrien.
func (a *analyzer) possessive() bool {
	if len(a.marks) != 2 || a.seps[0] != '\'' {
		return false
	}
	head, tail := a.marks[0], a.marks[1]
	if tail.end-tail.start > 2 || head.end-head.start < 2 {
		return false
	}
	if a.text[tail.start:tail.end] != "t" {
		a.addWord(head)
	}
	return true
}

// number adds "1,000" as 1000 and "1.26.8" whole and in parts.
func (a *analyzer) number() bool {
	if len(a.marks) < 2 {
		return false
	}
	thousands, points := true, true // what separates the digits
	for i, m := range a.marks {
		if !digits(a.text[m.start:m.end]) {
			return false
		}
		if i > 0 {
			thousands = thousands && a.seps[i-1] == ',' && m.end-m.start == 3
			points = points && a.seps[i-1] == '.'
		}
	}
	first, last := a.marks[0].start, a.marks[len(a.marks)-1].end
	switch {
	case thousands:
		a.addDigits(first, last)
	case points:
		for _, m := range a.marks {
			a.addWord(m)
		}
		a.buf = append(a.buf, cut(a.text[first:last])...)
		a.push(first, last, true)
	default:
		return false
	}
	return true
}

func (a *analyzer) addDigits(from, to int) {
	for i := from; i < to; i++ {
		if a.text[i] != ',' {
			a.buf = append(a.buf, a.text[i])
		}
	}
	a.push(from, to, false)
}

// addWord adds one word: the parts of a camelCase or letter-digit word and the whole,
// or the single stemmed term of a plain word.
func (a *analyzer) addWord(m mark) {
	if m.end-m.start > maxTerm {
		a.addPlain(mark{m.start, m.start + len(cut(a.text[m.start:m.end]))}, m.end)
		return
	}
	parts, n := humps(a.text[m.start:m.end])
	if n <= 1 {
		a.addPlain(m, m.end)
		return
	}
	for _, p := range parts[:n] {
		a.addPlain(mark{m.start + p.start, m.start + p.end}, m.start+p.end)
	}
	from := len(a.buf)
	a.squeeze(m.start, m.end)
	a.buf = a.buf[:from+stem(a.buf[from:])]
	a.push(m.start, m.end, true)
}

// addPlain adds the folded and stemmed text[m], unless it is a stop word. til is the
// end of its position in the text.
func (a *analyzer) addPlain(m mark, til int) {
	from := len(a.buf)
	a.squeeze(m.start, m.end)
	w := a.buf[from:]
	if len(w) == 0 || stopWord(w) {
		a.buf = a.buf[:from]
		return
	}
	w = baseForm(w)
	a.buf = append(a.buf[:from], w[:stem(w)]...)
	a.push(m.start, til, false)
}

// addWhole adds all parts of the compound joined as one term.
func (a *analyzer) addWhole() {
	first, last := a.marks[0].start, a.marks[len(a.marks)-1].end
	from := len(a.buf)
	for _, m := range a.marks {
		if len(a.buf)-from > maxTerm {
			break
		}
		a.squeeze(m.start, m.end)
	}
	if w := a.buf[from:]; len(w) > maxTerm {
		a.buf = a.buf[:from+len(cutBytes(w))]
	}
	a.buf = a.buf[:from+stem(a.buf[from:])]
	a.push(first, last, true)
}

// push ends a term. A word of accents alone leaves none.
func (a *analyzer) push(start, end int, whole bool) { a.pushTo(len(a.buf), start, end, whole) }

// pushTo ends a term at a place in the buffer.
func (a *analyzer) pushTo(to, start, end int, whole bool) {
	if n := len(a.spans); to == 0 || n > 0 && int(a.spans[n-1].end) == to {
		return
	}
	a.spans = append(a.spans, span{int32(to), int32(start), int32(end), whole})
}

// squeeze appends text[start:end] lower-cased and without accents.
func (a *analyzer) squeeze(start, end int) {
	for i := start; i < end; i++ {
		c := a.text[i]
		if c >= utf8.RuneSelf {
			a.fold = foldWord(a.fold[:0], a.text[i:end])
			a.buf = append(a.buf, a.fold...)
			return
		}
		a.buf = append(a.buf, lower[c])
	}
}

// ideographs adds the single characters and bigrams of the run of CJK or Thai
// characters at i and returns its end.
func (a *analyzer) ideographs(i int) int {
	prev, from := -1, len(a.buf)
	run := a.chars[:0] // apart from the terms before, whose ends a mark at its beginning would join
	for i < len(a.text) {
		r, size := utf8.DecodeRuneInString(a.text[i:])
		if !ideographic(r) {
			break
		}
		size += composing(a.text[i+size:])
		run = appendNarrow(run, a.text[i:i+size])
		a.pushTo(from+len(run), i, i+size, true)
		if prev >= 0 {
			run = appendNarrow(run, a.text[prev:i+size])
			a.pushTo(from+len(run), prev, i+size, false)
		}
		prev, i = i, i+size
	}
	a.buf, a.chars = append(a.buf, run...), run
	return i
}

// composing returns the length of what a text begins with that belongs to the character
// before it: the vowel and the final consonant of a decomposed Korean syllable, the mark
// of a voiced kana.
func composing(text string) int {
	n := 0
	for n < len(text) && text[n] >= utf8.RuneSelf {
		r, size := utf8.DecodeRuneInString(text[n:])
		if !(r >= 0x1160 && r <= 0x11FF || r == 0x3099 || r == 0x309A || r == 0xFF9E || r == 0xFF9F) {
			break
		}
		n += size
	}
	return n
}

// ideographic reports whether r belongs to a script written without spaces. Korean is
// treated the same way, because its particles attach to words.
func ideographic(r rune) bool {
	switch {
	case r < 0x0E00:
		return false
	case r <= 0x0EFF, r >= 0x1100 && r <= 0x11FF, r >= 0x3040 && r <= 0x30FF, r >= 0x3400 && r <= 0x9FFF, r >= 0xAC00 && r <= 0xD7A3:
		return unicode.IsLetter(r) || unicode.IsMark(r)
	case r >= 0xF900 && r <= 0xFAFF, r >= 0xFF66 && r <= 0xFF9F, r >= 0x20000 && r <= 0x3FFFF:
		return true
	}
	return false
}

// wordRune reports whether r is part of a word.
func wordRune(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
}
