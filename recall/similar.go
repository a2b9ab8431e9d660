package recall

import (
	_ "embed"
	"strings"
)

// similarText lists, for the most common English words, which others are used in similar
// ways: a stem, then the stems of similar words, closest first, each followed by its
// similarity in hundredths. Lines are sorted. `go run ./bench/recall similar` wrote it
// from the GloVe vectors (Pennington, Socher and Manning, 2014; public domain);
// bench/recall/README.md says where they are.
//
//go:embed similar.txt
var similarText string

// eachSimilar calls fn for each word that is used like a term. It parses only the line
// it needs, so that a process that searches nothing pays nothing.
func eachSimilar(term string, fn func(word string, like float32)) {
	for field := range strings.FieldsSeq(similarLine(term)) {
		at := len(field) - 2
		fn(field[:at], float32(field[at]-'0')/10+float32(field[at+1]-'0')/100)
	}
}

// isEnglish reports whether a term is one of the most common English words.
func isEnglish(term string) bool { return similarLine(term) != "" }

// similarLine returns the rest of a term's line; "" for an unknown term.
func similarLine(term string) string { return lineOf(similarText, term) }

// lineOf finds, by binary search in sorted lines, the rest of the one that begins with a
// word; "" if none does.
func lineOf(lines, word string) string {
	from, to := 0, len(lines)
	for from < to {
		start := strings.LastIndexByte(lines[:(from+to)/2], '\n') + 1
		line, _, _ := strings.Cut(lines[start:], "\n")
		first, rest, _ := strings.Cut(line, " ")
		switch strings.Compare(first, word) {
		case 0:
			return rest
		case -1:
			from = start + len(line) + 1
		default:
			to = start
		}
	}
	return ""
}
