package summarizer

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"wake/domain"
)

// examined is how much of a text is looked at, in bytes. What a text is about shows in its first part.
const examined = 64 << 10

// Extractive summarizes by selection: the sentences that say most, the words that are typical of the
// text. It is deterministic, works in many languages and takes bounded time whatever the text.
type Extractive struct{}

// Summarize returns the summary and the tags of text: whole sentences in the text's language, on one line
// and never empty, and up to [MaxTags] keywords, best first, none where nothing in the text would make one.
func (Extractive) Summarize(text string) domain.Summary {
	readable := clean(text)
	sentences := readSentences(readable)
	return domain.Summary{Text: summarize(sentences, readable), Tags: findTags(sentences)}
}

// summarize joins the best sentences, or says what there is where no sentence can be made out.
func summarize(sentences []sentence, readable string) string {
	if s := joinSentences(pick(sentences)); s != "" {
		return cut(domain.MaskSecrets(s), MaxSentence) // again, because cutting may bare what only resembled one
	}
	if s := oneLine(readable); s != "" {
		return domain.MaskSecrets(cut(s, MaxSummary))
	}
	return "(no text)"
}

// clean takes the first part of text in readable form: valid UTF-8, secrets masked, without control and
// direction characters.
func clean(text string) string {
	text = strings.ToValidUTF8(head(text, examined), "")
	text = strings.Map(readableRune, strings.ReplaceAll(text, "\r\n", "\n"))
	return domain.MaskSecrets(text)
}

// head cuts text after at most n bytes, at a blank if there is one nearby.
func head(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	if blank := strings.LastIndexAny(text[:n], " \n"); blank > n-1024 {
		n = max(blank, 0)
	}
	return text[:n]
}

// readableRune drops what does not show or changes the direction of what follows.
func readableRune(r rune) rune {
	switch {
	case r == '\n' || r == '\t':
		return r
	case r == '\r' || r == '\u2028' || r == '\u2029':
		return '\n'
	case r == '\u200c' || r == '\u200d': // joiners are part of Persian and Indic words
		return r
	case unicode.Is(unicode.Cc, r) || unicode.Is(unicode.Cf, r) || r == utf8.RuneError:
		return -1
	case unicode.IsSpace(r):
		return ' '
	}
	return r
}

// oneLine joins the words of s by single blanks.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// cut shortens s to the given width in columns, at a word where it can, and marks the cut.
func cut(s string, columns int) string {
	end, blank, used := 0, 0, 1 // the ellipsis takes one
	for i, r := range s {
		if r == ' ' {
			blank = i
		}
		if used += runeWidth(r); used > columns && !unicode.Is(unicode.M, r) {
			break
		}
		end = i + utf8.RuneLen(r)
	}
	if end == len(s) || used <= columns {
		return s
	}
	if blank > end/2 {
		end = blank
	}
	return strings.TrimRightFunc(s[:end], func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.Is(unicode.M, r) && r != ')' && r != ']'
	}) + "…"
}

// width is the number of columns that s takes on a terminal, where East Asian characters take two.
func width(s string) int {
	n := 0
	for _, r := range s {
		n += runeWidth(r)
	}
	return n
}

func runeWidth(r rune) int {
	switch {
	case r < 0x300:
		return 1
	case unicode.Is(unicode.M, r):
		return 0
	case isCJK(r) || unicode.Is(unicode.Hangul, r) || r >= 0x3000 && r <= 0x303f || r >= 0xff01 && r <= 0xff60:
		return 2
	}
	return 1
}

// isCJK tells the scripts that are written without blanks between words.
func isCJK(r rune) bool {
	return r >= 0x2e80 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) || r == 'ー'
}
