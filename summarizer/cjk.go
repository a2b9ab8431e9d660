package summarizer

import (
	"strings"
	"unicode/utf8"
)

// longestPhrase is the most Chinese characters that are tried as one word.
const longestPhrase = 4

// isJapanese reports whether a text contains Hiragana. If so, its runs of Han
// characters are words as they are.
func isJapanese(sentences []sentence) bool {
	for _, s := range sentences {
		for _, w := range s.words {
			if script(firstRune(w.text)) == hiraganaScript {
				return true
			}
		}
	}
	return false
}

// hanPieces splits a run of Chinese at its stop words, longest first.
func hanPieces(run string) []string {
	var pieces []string
	runes := []rune(run)
	start := 0
	for i := 0; i < len(runes); {
		n := stopLength(runes[i:])
		if n == 0 {
			i++
			continue
		}
		if i-start >= 2 {
			pieces = append(pieces, string(runes[start:i]))
		}
		i += n
		start = i
	}
	if len(runes)-start >= 2 {
		pieces = append(pieces, string(runes[start:]))
	}
	return pieces
}

// stopLength returns the length of the stop word at the start of runes, or 0.
func stopLength(runes []rune) int {
	for n := min(3, len(runes)); n > 0; n-- {
		if stopwords().words[string(runes[:n])] != 0 {
			return n
		}
	}
	return 0
}

// phrase is a run of Chinese that may be a word.
type phrase struct {
	count, first int
	whole        bool // it occurs by itself between stop words
	part         bool // a longer phrase occurs as often
}

// addHanPhrases makes candidates of the runs of Chinese: short ones as a whole, and
// phrases that occur in several of them. A part that occurs no more often than the
// phrase that contains it is left out.
func (t *tagger) addHanPhrases() {
	phrases := map[string]*phrase{}
	for i, piece := range t.han {
		countPhrases(phrases, []rune(piece), i)
	}
	for s, p := range phrases {
		runes := []rune(s)
		for _, part := range []string{string(runes[1:]), string(runes[:len(runes)-1])} {
			if q := phrases[part]; q != nil && q.count <= p.count {
				q.part = true
			}
		}
	}
	for s, p := range phrases {
		if !p.part && (p.whole || p.count > 1) {
			t.seen[s] = &candidate{tag: s, count: float64(p.count), weight: 1, first: p.first}
		}
	}
}

// countPhrases counts a piece's parts of two to four characters, and the piece itself
// if it is short enough to be a word.
func countPhrases(phrases map[string]*phrase, piece []rune, place int) {
	count := func(runes []rune, whole bool) {
		p := phrases[string(runes)]
		if p == nil {
			p = &phrase{first: place}
			phrases[string(runes)] = p
		}
		p.count++
		p.whole = p.whole || whole
	}
	if len(piece) <= longestPhrase+2 {
		count(piece, true)
	}
	for n := 2; n <= longestPhrase && n < len(piece); n++ {
		for i := 0; i+n <= len(piece); i++ {
			count(piece[i:i+n], false)
		}
	}
}

// particles end Korean words; longest first.
var particles = strings.Fields("에서는 으로는 에서 으로 에게 부터 까지 하고 이나 처럼 보다 마다 은 는 이 가 을 를 에 로 와 과 의 도 만")

// koreanStem removes the particle from a word, and returns "" for verbs.
func koreanStem(word string) string {
	for _, ending := range []string{"니다", "다", "요", "하는", "하여", "해서", "하기", "했고", "하고", "되는", "지만", "면서", "하기로", "할", "하게", "되어", "않는"} {
		if strings.HasSuffix(word, ending) {
			return ""
		}
	}
	for _, p := range particles {
		if stem, ok := strings.CutSuffix(word, p); ok && utf8.RuneCountInString(stem) >= 2 {
			return stem
		}
	}
	return word
}
