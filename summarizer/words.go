package summarizer

import (
	_ "embed"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// word is one word in a sentence.
type word struct {
	text, lower string
	place       int  // index of the word in its sentence, from 0
	spaced      bool // only a space separates it from the previous word
}

// isWordRune reports whether r can be part of a word.
func isWordRune(r rune) bool {
	if r < utf8.RuneSelf {
		return r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
	}
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.M, r) || r == 'ー' || r == '\u200c' || r == '\u200d'
}

// readWords splits a text into words. Identifiers, versions and hyphenated words stay
// whole; in scripts without spaces, each run of the same script is one word. Masked
// secrets, links and addresses yield none.
func readWords(text string) []word {
	var words []word
	end := 0
	for i := 0; i < len(text); {
		if n := skipped(text[i:]); n > 0 {
			i += n
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		if !isWordRune(r) {
			i += size
			continue
		}
		n := wordLength(text[i:])
		w := strings.Trim(withoutArticle(text[i:i+n]), "_-.'’")
		if w != "" {
			words = append(words, word{w, strings.ToLower(w), len(words), end > 0 && text[end:i] == " "})
		}
		i += n
		end = i
	}
	return words
}

// withoutArticle removes the article from French and Italian words: l'équipe,
// d'utiliser, dell'utente.
func withoutArticle(w string) string {
	i := strings.IndexAny(w, "'’")
	if i < 1 || i > 4 || utf8.RuneCountInString(w[i:]) < 4 {
		return w
	}
	_, size := utf8.DecodeRuneInString(w[i:])
	return w[i+size:]
}

// skipped returns the length of a masked secret or an address at the start of s, which
// yields no words.
func skipped(s string) int {
	switch {
	case strings.HasPrefix(s, "[secret:"):
		return max(strings.IndexByte(s, ']')+1, 1)
	case strings.HasPrefix(s, "http://") || strings.HasPrefix(s, "https://"):
		if n := strings.IndexAny(s, " \t\n<>\")"); n > 0 {
			return n
		}
		return len(s)
	}
	return 0
}

// wordLength returns the length of the word at the start of s, in bytes.
func wordLength(s string) int {
	first := script(firstRune(s))
	n := 0
	for n < len(s) {
		r, size := utf8.DecodeRuneInString(s[n:])
		joins := strings.ContainsRune("-.'’", r) && n > 0
		switch {
		case isWordRune(r) && (script(r) == first || unicode.Is(unicode.M, r)):
		case joins && first == spacedScript && joinsWord(s[n+size:]):
		case n == 1 && strings.HasPrefix(s[n:], "++"):
			return n + 2
		case n == 1 && r == '#':
			return n + 1
		default:
			return n
		}
		n += size
	}
	return n
}

func joinsWord(rest string) bool {
	r := firstRune(rest)
	return rest != "" && isWordRune(r) && script(r) == spacedScript
}

// The scripts that are distinguished when splitting words.
const (
	spacedScript = iota
	hanScript
	hiraganaScript
	katakanaScript
	hangulScript
	thaiScript // and Lao, where a run of letters is often a clause
)

func script(r rune) int {
	switch {
	case r >= 0xe00 && r <= 0xeff:
		return thaiScript
	case r < 0x1100:
		return spacedScript
	case unicode.Is(unicode.Han, r):
		return hanScript
	case unicode.Is(unicode.Hiragana, r):
		return hiraganaScript
	case unicode.Is(unicode.Katakana, r) || r == 'ー':
		return katakanaScript
	case unicode.Is(unicode.Hangul, r):
		return hangulScript
	}
	return spacedScript
}

//go:embed stopwords.txt
var stopwordFile string

// languages is a set with a bit for each line of stopwords.txt.
type languages uint16

// stopwordTable maps each stop word to its languages, and tells which bit is English.
type stopwordTable struct {
	words   map[string]languages
	english languages
}

// stopwords is loaded at the first summary.
var stopwords = sync.OnceValue(func() stopwordTable { return readStopwords(stopwordFile) })

func readStopwords(file string) stopwordTable {
	t := stopwordTable{words: map[string]languages{}}
	bit := languages(1)
	for line := range strings.Lines(file) {
		name, list, _ := strings.Cut(line, ":")
		for w := range strings.FieldsSeq(list) {
			t.words[w] |= bit
		}
		if name == "en" {
			t.english = bit
		}
		bit <<= 1
	}
	return t
}

// stops reports whether a word, in lower case, is a stop word of one of the languages: it
// says nothing about the subject of a text.
func (l languages) stops(lower string) bool { return stopwords().words[lower]&l != 0 }

// languagesOf determines the language of a text by its stop words. English always counts
// too, because it is mixed into notes of every language.
func languagesOf(sentences []sentence) languages {
	return stopwords().english | 1<<mostStops(countStops(sentences))
}

// countStops counts the stop words of each language in the sentences.
func countStops(sentences []sentence) (counts [16]int) {
	words := stopwords().words
	for _, s := range sentences {
		if s.kind == code {
			continue
		}
		for _, w := range s.words {
			for bits, i := words[w.lower], 0; bits != 0; bits, i = bits>>1, i+1 {
				counts[i] += int(bits & 1)
			}
		}
	}
	return counts
}

// mostStops returns the language with the most stop words, as a line number of
// stopwords.txt.
func mostStops(counts [16]int) int {
	best := 0
	for i, n := range counts {
		if n > counts[best] {
			best = i
		}
	}
	return best
}
