package summarizer

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxSentences is the most sentences that are compared with one another.
const maxSentences = 600

// sentence is one sentence of the text, or a heading or line in its place.
type sentence struct {
	kind  kind
	text  string
	words []word
}

var (
	badge       = lazily(`\[!\[[^\]\n]*\](?:\([^)\s]*\)|\[[^\]\n]*\])\](?:\([^)\s]*\)|\[[^\]\n]*\])`) // an image that is a link
	imageOrLink = lazily(`!?\[([^\]\n]*)\]\([^)\s]*\)`)
	emphasis    = lazily("\\*\\*|`+|(^|[\\s(])[*_]([^*_\\s][^*_]*)[*_]([\\s).,:;!?]|$)")
	htmlTag     = lazily(`</?[a-zA-Z][^<>]{0,200}>`)
)

// readSentences splits a text into sentences.
func readSentences(text string) []sentence {
	var all []sentence
	for _, b := range readBlocks(text) {
		for _, s := range blockSentences(b) {
			if len(all) == maxSentences {
				return all
			}
			all = append(all, s)
		}
	}
	return all
}

func blockSentences(b block) []sentence {
	if b.kind == code {
		return []sentence{{code, oneLine(tellingLine(b.text)), readWords(b.text)}}
	}
	text := oneLine(plain(b.text))
	parts := []string{text}
	if b.kind == prose || b.kind == item || b.kind == comment {
		parts = splitSentences(text)
	}
	var out []sentence
	for _, p := range parts {
		if strings.ContainsFunc(p, isWordRune) {
			out = append(out, sentence{b.kind, p, readWords(p)})
		}
	}
	return out
}

// plain removes Markdown from a line and leaves what a reader would see.
func plain(s string) string {
	s = htmlTag().ReplaceAllString(withoutLinks(s), " ")
	return emphasis().ReplaceAllString(s, "$1$2$3")
}

// withoutLinks removes badges and the addresses of links and images.
func withoutLinks(s string) string {
	return imageOrLink().ReplaceAllString(badge().ReplaceAllString(s, ""), "$1")
}

// tellingLine returns the most informative line of a listing: its first declaration or
// query, else its first line with a word.
func tellingLine(listing string) string {
	lines := strings.Split(listing, "\n")
	for _, l := range lines {
		for _, start := range []string{"func ", "def ", "class ", "type ", "fn ", "interface ", "CREATE ", "SELECT ", "export ", "public "} {
			if strings.HasPrefix(l, start) {
				return l
			}
		}
	}
	for _, l := range lines {
		if len(l) > 3 && strings.ContainsFunc(l, unicode.IsLetter) {
			return l
		}
	}
	return listing
}

// splitSentences splits running text into sentences.
func splitSentences(text string) []string {
	var out []string
	start := 0
	for i, r := range text {
		if i < start || !strings.ContainsRune(".!?…。！？｡؟۔।॥", r) {
			continue
		}
		if end := i + utf8.RuneLen(r); sentenceEnds(text, start, i, &end) {
			out = append(out, strings.TrimSpace(text[start:end]))
			start = end
		}
	}
	if rest := strings.TrimSpace(text[start:]); rest != "" {
		out = append(out, rest)
	}
	return out
}

// sentenceEnds reports whether the mark at i ends the sentence that began at start. It
// moves end, the position after the mark, past further marks and closing quotes.
func sentenceEnds(text string, start, i int, end *int) bool {
	mark, _ := utf8.DecodeRuneInString(text[i:])
	*end += len(text[*end:]) - len(strings.TrimLeft(text[*end:], ".!?…。！？"))
	marks := *end
	*end += len(text[*end:]) - len(strings.TrimLeft(text[*end:], "\"'”’»)]」』）】"))
	rest := text[*end:]
	if rest == "" || strings.ContainsRune("。！？｡", mark) {
		return true
	}
	next := strings.TrimLeft(rest, " ")
	if strings.HasPrefix(next, "→") {
		return false // a question and its answer
	}
	if len(next) == len(rest) { // no space follows: 1.2.3, example.com
		return isCJK(firstRune(rest)) && mark != '.'
	}
	writesLower := unicode.IsLower(firstRune(strings.TrimLeft(text[start:i], " ")))
	if unicode.IsLower(firstRune(next)) && !writesLower {
		return false
	}
	return mark != '.' || marks > i+1 || !abbreviated(text[start:i])
}

// abbreviations that do not end a sentence, in lower case and without their last dot.
var abbreviations = stringSet(`e.g i.e vs cf approx dr mr mrs ms prof st no fig eq sec vol pp ed resp inc ltd z.b d.h u.a o.ä bzw ca
nr abs evtl ggf inkl vgl hr fr art p.ex ex mme mlle sr sra ud uds ej núm pág sig dott ing es pag bijv blz dhr mevr т.е т.к т.д
т.п г ул им рис см стр`)

// abbreviated reports whether the text before a dot ends with an abbreviation, an
// initial or a short number, as in "am 3. Mai".
func abbreviated(before string) bool {
	last := before[strings.LastIndexAny(before, " (\"'")+1:]
	if abbreviations[strings.ToLower(last)] {
		return true
	}
	if n := utf8.RuneCountInString(last); n == 1 {
		return unicode.IsUpper(firstRune(last)) || unicode.IsDigit(firstRune(last))
	}
	return len(last) == 2 && last < "32" && unicode.IsDigit(rune(last[0])) && unicode.IsDigit(rune(last[1]))
}

func firstRune(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}

func lastRune(s string) rune {
	r, _ := utf8.DecodeLastRuneInString(s)
	return r
}

func stringSet(list string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(list) {
		set[w] = true
	}
	return set
}
