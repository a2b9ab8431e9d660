package transcript

import (
	"strings"
	"unicode"
)

// Sentences shorter or longer than these, in bytes, are no statement worth
// keeping.
const (
	minSentence = 20
	maxSentence = 400
)

// splitSentences cuts Markdown prose into sentences. Code, tables, headings,
// quotations and tags are left out; list marks and emphasis are stripped.
func splitSentences(text string) []string {
	var all []string
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

// proseLines are the lines that hold prose.
func proseLines(text string) []string {
	var lines []string
	fenced, quoted := false, false
	for line := range strings.SplitSeq(text, "\n") {
		trimmed := strings.TrimSpace(line)
		if strings.HasPrefix(trimmed, "```") || strings.HasPrefix(trimmed, "~~~") {
			fenced = !fenced
			continue
		}
		if strings.HasPrefix(trimmed, "<") && strings.HasSuffix(trimmed, ">") {
			quoted = strings.Count(trimmed, "</") == 0 && !quoted
			continue
		}
		code := strings.HasPrefix(line, "    ") || strings.HasPrefix(line, "\t")
		if fenced || quoted || code || trimmed == "" || strings.ContainsAny(trimmed[:1], "#|>{[<+=") {
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
// question or exclamation mark before a capital or the line's end.
func sentenceEnd(line string) int {
	for i := 0; i < len(line); i++ {
		if line[i] != '.' && line[i] != '!' && line[i] != '?' {
			continue
		}
		rest := line[i+1:]
		trimmed := strings.TrimLeft(rest, " ")
		if trimmed == "" {
			return len(line)
		}
		if trimmed != rest && startsUpper(trimmed) {
			return i + 1
		}
	}
	return len(line)
}

func startsUpper(s string) bool {
	for _, r := range s {
		return unicode.IsUpper(r) || unicode.IsDigit(r) || strings.ContainsRune("`\"'(", r)
	}
	return false
}

// wordSet is the words of a text that tell it from others.
func wordSet(text string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' }) {
		if len(w) > 2 && !strings.Contains(commonWords, " "+w+" ") {
			set[w] = true
		}
	}
	return set
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
