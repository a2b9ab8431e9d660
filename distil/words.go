package distil

import (
	"strings"
	"unicode"
)

// wordSet returns the distinguishing words of a text, without plural s. Chinese and
// Japanese, which are written without spaces, contribute each pair of characters.
func wordSet(text string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' }) {
		if isUnspacedScript(w) {
			runes := []rune(w)
			for i := range len(runes) - 1 {
				set[string(runes[i:i+2])] = true
			}
			continue
		}
		if distinguishes(w) {
			set[singular(w)] = true
		}
	}
	return set
}

// distinguishes reports whether a word says what a text is about: it is not among the
// common ones, and has three bytes or, like s3, a letter and a digit.
func distinguishes(word string) bool {
	return (len(word) > 2 || len(word) == 2 && word[0] > '9' && word[1] <= '9') && !strings.Contains(commonWords, " "+word+" ")
}

const commonWords = " please the and for that this with from have has had are was were will would not but you your our they their its it's let lets use using used because since when then than into also can now all one any out get got just instead decision decided root cause fixed fix "

func singular(word string) string {
	if len(word) > 3 && !strings.HasSuffix(word, "ss") {
		return strings.TrimSuffix(word, "s")
	}
	return word
}

// isUnspacedScript reports whether the word is in a script without spaces between
// words.
func isUnspacedScript(word string) bool {
	return strings.ContainsFunc(word, func(r rune) bool { return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) })
}

func common(a, b map[string]bool) int {
	n := 0
	for w := range a {
		if b[w] {
			n++
		}
	}
	return n
}

// Alike reports whether [Session] takes two texts for the same.
func Alike(a, b string) bool { return similarity(wordSet(a), wordSet(b)) >= nearDuplicate }

// similarity returns the share of common words, from 0 to 1.
func similarity(a, b map[string]bool) float64 {
	both := common(a, b)
	if both == 0 {
		return 0
	}
	return float64(both) / float64(len(a)+len(b)-both)
}
