package summarizer

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"wake/domain"
	"wake/secret"
)

// examined is how many bytes of a text are analysed. Its first part shows what it is
// about.
const examined = 64 << 10

// Extractive summarises by selecting the sentences that say most and the words that are
// typical of the text. It is deterministic, works in many languages and takes bounded
// time for any text.
type Extractive struct{}

// Summarize returns the summary and tags of text. The summary consists of whole
// sentences in the text's language, on one line and never empty. Tags are up to
// [MaxTags] keywords, best first; there are none if nothing in the text is suitable.
func (Extractive) Summarize(text string) domain.Summary {
	text = clean(text)
	sentences := readSentences(text)
	said := domain.Clip(summarize(sentences, text), domain.MaxSummary) // accents take no columns, however many they are
	return domain.Summary{Text: said, Tags: findTags(sentences)}
}

// summarize joins the best sentences, or returns the clean text if there are no sentences.
func summarize(sentences []sentence, text string) string {
	if s := joinSentences(pick(sentences)); s != "" {
		return cut(secret.Mask(s), MaxSentence) // again, because cutting may expose a secret
	}
	if s := oneLine(text); s != "" {
		return secret.Mask(cut(s, MaxSummary))
	}
	return "(no text)"
}

// clean returns the first part of text in readable form.
func clean(text string) string { return readable(head(text, examined)) }

// readable returns a text as valid UTF-8, its accents composed, secrets masked, without
// control and direction characters.
func readable(text string) string {
	text = norm.NFC.String(strings.ReplaceAll(strings.ToValidUTF8(text, ""), "\r\n", "\n"))
	text = strings.Map(readableRune, text)
	return secret.Mask(text)
}

// head cuts text after at most n bytes, at a space if there is one nearby. Scripts without
// spaces have none, or far from there.
func head(text string, n int) string {
	if len(text) <= n {
		return text
	}
	text = domain.Head(text, n)
	if blank := strings.LastIndexAny(text, " \n"); blank > len(text)-min(1024, len(text)/4) {
		text = text[:blank]
	}
	return text
}

// readableRune drops characters that are invisible or change the direction of text.
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

// oneLine joins the words of s with single spaces.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// cut shortens s to the given width in columns, at a word if possible, and appends an
// ellipsis.
func cut(s string, columns int) string {
	end, blank, used := 0, 0, 1 // one column for the ellipsis
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

// width returns the number of columns that s takes on a terminal, on which East Asian
// characters take two.
func width(s string) int {
	n := 0
	for _, r := range s {
		n += runeWidth(r)
	}
	return n
}

// narrow reports whether s takes fewer than that many columns. It reads no further.
func narrow(s string, columns int) bool {
	for _, r := range s {
		if columns -= runeWidth(r); columns <= 0 {
			return false
		}
	}
	return columns > 0
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

// isCJK reports whether r belongs to a script without spaces between words.
func isCJK(r rune) bool {
	return r >= 0x2e80 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) || r == 'ー'
}
