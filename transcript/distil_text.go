package transcript

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Sentences shorter or longer than these, in bytes, are no statement worth
// keeping.
const (
	minSentence = 12
	maxSentence = 400
)

// splitSentences cuts Markdown prose into sentences. Code, tables, headings,
// quotations and tags are left out; list marks and emphasis are stripped.
func splitSentences(text string) []string {
	var all []string
	if strings.Contains(text, "<think") {
		text = thoughts().ReplaceAllString(text, " ")
	}
	for _, line := range proseLines(text) {
		for line != "" {
			end := sentenceEnd(line)
			s := strings.TrimSpace(line[:end])
			line = strings.TrimSpace(line[end:])
			if len(s) >= minSentence && len(s) <= maxSentence {
				all = append(all, s)
			}
		}
	}
	return all
}

// thoughts are what some models write before they answer.
var thoughts = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?s)<think(ing)?>.*?</think(ing)?>`) })

// logged is a line of a log or of a stack.
var logged = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\[?(\d{4}-\d\d-\d\d[T ]\d\d:|\d\d:\d\d:\d\d\b|(TRACE|DEBUG|INFO|WARN|WARNING|ERROR|FATAL|PANIC)\b[\]: ]|Caused by: |at \S+\(|\S+(Exception|Error): )`)
})

// proseLines are the lines that hold prose.
func proseLines(text string) []string {
	var lines []string
	fenced, quoted := false, false
	for line := range strings.SplitSeq(text, "\n") {
		trimmed := strings.TrimSpace(line)
		if strings.HasPrefix(trimmed, "```") || strings.HasPrefix(trimmed, "~~~") || strings.HasPrefix(trimmed, `"""`) {
			fenced = !fenced
			continue
		}
		if strings.HasPrefix(trimmed, "<") && strings.HasSuffix(trimmed, ">") {
			quoted = strings.Count(trimmed, "</") == 0 && !quoted
			continue
		}
		code := strings.HasPrefix(line, "    ") || strings.HasPrefix(line, "\t")
		if fenced || quoted || code || trimmed == "" || strings.ContainsAny(trimmed[:1], "#|>{[<+=") || logged().MatchString(trimmed) {
			continue
		}
		lines = append(lines, plainProse(trimmed))
	}
	return lines
}

// plainProse strips list marks and emphasis.
func plainProse(line string) string {
	line = strings.NewReplacer("**", "", "__", "").Replace(line)
	line = strings.TrimLeft(line, "-*•– ")
	digits := strings.TrimLeft(line, "0123456789")
	if rest, ok := strings.CutPrefix(digits, ". "); ok && digits != line {
		line = rest
	}
	return strings.TrimSpace(line)
}

// sentenceEnd is where the first sentence of a line ends: behind a full stop,
// question or exclamation mark before a blank, or at the line's end. People who are
// in a hurry begin the next one in lower case.
func sentenceEnd(line string) int {
	for i, r := range line {
		switch r {
		case '。', '！', '？':
			return i + utf8.RuneLen(r)
		case '.', '!', '?':
			if strings.HasPrefix(line[i+1:], " ") && !(r == '.' && abbreviated(line[:i])) {
				return i + 1
			}
		}
	}
	return len(line)
}

// abbreviated reports whether a full stop behind text belongs to its last word.
func abbreviated(text string) bool {
	word := strings.ToLower(text[strings.LastIndexAny(text, " (")+1:])
	return slices.Contains([]string{"e.g", "i.e", "etc", "vs", "cf", "ca", "approx", "resp", "incl", "max", "min", "no", "nr", "dr", "mr", "ms", "st", "z.b", "d.h", "bzw", "p.ex"}, word)
}

// asserted is a sentence without what its speaker only cites: three words or more
// in quotation marks or set as code; in lower case, as the rules want it.
func asserted(sentence string) string {
	if strings.ContainsAny(sentence, "\"“„«`") {
		sentence = cited().ReplaceAllString(sentence, "“…”")
	}
	return strings.ToLower(sentence)
}

var cited = sync.OnceValue(func() *regexp.Regexp {
	words := func(open, shut string) string {
		return open + `[^` + shut + `\s]+(\s+[^` + shut + `\s]+){2,}\s*` + shut
	}
	return regexp.MustCompile(words(`"`, `"`) + "|" + words(`“`, `”`) + "|" + words(`„`, `“`) + "|" + words(`«\s*`, `»`) + "|" + words("`", "`"))
})

// wordSet is the words of a text that tell it from others, without the s of a
// plural; of Chinese and Japanese, where no blanks part them, each two characters.
func wordSet(text string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' }) {
		if unwritten(w) {
			runes := []rune(w)
			for i := range len(runes) - 1 {
				set[string(runes[i:i+2])] = true
			}
			continue
		}
		if len(w) > 2 && !strings.Contains(commonWords, " "+w+" ") {
			if len(w) > 3 && !strings.HasSuffix(w, "ss") {
				w = strings.TrimSuffix(w, "s")
			}
			set[w] = true
		}
	}
	return set
}

// unwritten reports whether blanks do not part the words of a script.
func unwritten(word string) bool {
	return strings.ContainsFunc(word, func(r rune) bool { return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) })
}

const commonWords = " the and for that this with from have has had are was were will would not but you your our they their its it's let lets use using used because since when then than into also can now all one any out get got just instead decision decided root cause fixed fix "

func common(a, b map[string]bool) int {
	n := 0
	for w := range a {
		if b[w] {
			n++
		}
	}
	return n
}

// similarity is the share of common words, 0 to 1.
func similarity(a, b map[string]bool) float64 {
	both := common(a, b)
	if both == 0 {
		return 0
	}
	return float64(both) / float64(len(a)+len(b)-both)
}
