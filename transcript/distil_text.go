package transcript

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Sentences shorter or longer than these, in bytes, are no statement worth
// keeping.
const (
	minSentence = 12
	maxSentence = 400
)

// sentence is one of a message, and what stands around it.
type sentence struct {
	text          string
	before, after string // its neighbours in the message
	head          string // the heading that it is the first sentence under, in lower case
	at            int    // how many are before it in the message
	item          bool   // it stands in a list
	flows         bool   // the next follows in the same paragraph
	listed        string // the items that it introduces, if it does
	quoted        bool   // it stands within a quotation that holds more
}

// length is how many bytes of prose a message has.
func length(said []sentence) (n int) {
	for _, s := range said {
		n += len(s.text)
	}
	return n
}

// small reports whether a sentence is too short or too long to be a statement worth
// keeping by itself.
func (s sentence) small() bool { return len(s.text) < minSentence || len(s.text) > maxSentence }

// splitSentences cuts Markdown prose into sentences. Code, tables, headings,
// quotations and tags are left out; list marks and emphasis are stripped.
func splitSentences(text string) []sentence {
	var all []sentence
	if strings.Contains(text, "<think") {
		text = thoughts().ReplaceAllString(text, " ")
	}
	if strings.Contains(text, " 1) ") && strings.Contains(text, " 2) ") {
		text = enumerated().ReplaceAllString(text, "\n$1) ")
	}
	for _, line := range proseLines(text) {
		rest, head, item := plainProse(line.text), line.head, listed().MatchString(line.text)
		quoting := false
		for rest != "" {
			end := sentenceEnd(rest)
			opened := quoting
			quoting = quoting != (strings.Count(rest[:end], `"`)%2 == 1)
			one := sentence{text: strings.TrimSpace(rest[:end]), head: head, at: len(all), item: item, flows: strings.TrimSpace(rest[end:]) != "", quoted: opened || quoting}
			if n := len(all); n > 0 {
				one.before, all[n-1].after = all[n-1].text, one.text
			}
			all, head, rest = append(all, one), "", strings.TrimSpace(rest[end:])
		}
	}
	for i := range all {
		all[i].listed = introduced(all[i:])
	}
	return all
}

// maxListed is the most, in bytes, that is told of a list with what introduces it.
const maxListed = 300

// introduced are the items that follow a sentence which ends in a colon, as far as they are
// short enough to be told with it.
func introduced(all []sentence) string {
	if !strings.HasSuffix(all[0].text, ":") || all[0].item {
		return ""
	}
	var items []string
	for size := 0; len(items)+1 < len(all) && all[len(items)+1].item && len(items) < 5; {
		item := all[len(items)+1].text
		if size += len(item); size > maxListed {
			break
		}
		items = append(items, strings.TrimRight(item, ".;,"))
	}
	return strings.Join(items, "; ")
}

// enumerated is a point of a list that is written in one line.
var enumerated = lazily(`[ \t](\d)\) `)

// thoughts are what some models write before they answer.
var thoughts = lazily(`(?s)<think(ing)?>.*?</think(ing)?>`)

// logged is a line of a log or of a stack.
var logged = lazily(`^\[?(\d{4}-\d\d-\d\d[T ]\d\d:|\d\d/\w{3}/\d{4}[: ]\d\d:|\d\d:\d\d:\d\d\b|(TRACE|DEBUG|INFO|WARN|WARNING|ERROR|FATAL|PANIC)\b[\]: ]|Caused by: |at \S+\(|\w+=\S+ ?=|\S+@\S+[$%#] |\S+(Exception|Error): )`)

// stamped is where the time of a log's line stands within a line, -1 where none does.
func stamped(line string) int {
	if strings.Count(line, ":") < 2 {
		return -1
	}
	if at := logTime().FindStringIndex(line); at != nil {
		return at[0]
	}
	return -1
}

var logTime = lazily(` \d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[.,Z]`)

// proseLine is a line that holds prose, as it is written.
type proseLine struct {
	text string
	head string // the heading right above it, in lower case
}

// proseLines are the lines that hold prose.
func proseLines(text string) []proseLine {
	var lines []proseLine
	fenced, quoted, log, head := false, false, false, ""
	if strings.Contains(text, fence) {
		text = fencesApart(text)
	}
	for line := range strings.SplitSeq(text, "\n") {
		trimmed := strings.TrimSpace(line)
		if strings.HasPrefix(trimmed, fence) || strings.HasPrefix(trimmed, "~~~") || strings.HasPrefix(trimmed, `"""`) {
			fenced = !fenced
			continue
		}
		if strings.HasPrefix(trimmed, "<") && strings.HasSuffix(trimmed, ">") {
			quoted = strings.Count(trimmed, "</") == 0 && !quoted
			continue
		}
		code := strings.HasPrefix(line, "    ") || strings.HasPrefix(line, "\t")
		if log = log && trimmed != ""; fenced || quoted || code || trimmed == "" {
			continue
		}
		if title, is := heading(trimmed); is {
			head = title
			continue
		}
		if strings.ContainsAny(trimmed[:1], "|>{<+=") || quotation(trimmed) {
			continue
		}
		if log = log || logged().MatchString(trimmed); log || trimmed[0] == '[' {
			continue
		}
		if at := stamped(trimmed); at > 0 {
			trimmed, log = trimmed[:at], true // a log begins behind the words
		}
		lines, head = append(lines, proseLine{trimmed, head}), ""
	}
	return lines
}

// fence stands before and after code.
const fence = "```"

// fencesApart puts the fences of code that begins or ends within a line on lines of their
// own: people paste so.
func fencesApart(text string) string {
	if strings.Count(text, fence)%2 == 1 {
		return text
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if at := strings.Index(line, fence); strings.Count(line, fence) == 1 && strings.TrimSpace(line[:at]) != "" {
			lines[i] = line[:at] + "\n" + fence + "\n" + line[at+len(fence):]
		} else if strings.Count(line, fence) == 1 && strings.Contains(strings.TrimSpace(line[at+len(fence):]), " ") {
			lines[i] = fence + "\n" + line[at+len(fence):]
		}
	}
	return strings.Join(lines, "\n")
}

// quotation reports whether a line is one as a whole.
func quotation(line string) bool {
	for _, marks := range [][2]string{{`"`, `"`}, {"“", "”"}, {"„", "“"}, {"«", "»"}} {
		if strings.HasPrefix(line, marks[0]) && strings.HasSuffix(line, marks[1]) {
			return true
		}
	}
	return false
}

// heading is the text of a line that is one: marked so, or set in bold as a whole.
func heading(line string) (string, bool) {
	if title, marked := strings.CutPrefix(line, "#"); marked {
		return strings.ToLower(strings.Trim(title, "#*: ")), true
	}
	if len(line) > 4 && len(line) < 64 && strings.HasPrefix(line, "**") && strings.Index(line[2:], "**") == len(line)-4 && line[len(line)-3] != '.' {
		return strings.ToLower(strings.Trim(line, "*: ")), true
	}
	return "", false
}

var emphasis = strings.NewReplacer("**", "", "__", "")

// plainProse strips list marks and emphasis.
func plainProse(line string) string {
	line = emphasis.Replace(line)
	line = strings.TrimLeft(line, "-*•– ")
	digits := strings.TrimLeft(line, "0123456789")
	if digits != line && (strings.HasPrefix(digits, ". ") || strings.HasPrefix(digits, ") ")) {
		line = digits[2:]
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
			if strings.HasPrefix(line[i+1:], " ") && !(r == '.' && (abbreviated(line[:i]) || dated(line[:i], line[i+2:]))) {
				return i + 1
			}
		}
	}
	return len(line)
}

// dated reports whether a full stop stands between a day and its month, as in German.
func dated(before, after string) bool {
	day := before[strings.LastIndexByte(before, ' ')+1:]
	month, _, _ := strings.Cut(strings.ToLower(after), " ")
	return len(day) < 3 && day != "" && strings.Trim(day, "0123456789") == "" &&
		slices.Contains([]string{"januar", "februar", "märz", "april", "mai", "juni", "juli", "august", "september", "oktober", "november", "dezember"}, strings.TrimRight(month, ".,;:!?"))
}

// abbreviated reports whether a full stop behind text belongs to its last word.
func abbreviated(text string) bool {
	word := strings.ToLower(text[strings.LastIndexAny(text, " (")+1:])
	return slices.Contains([]string{"e.g", "i.e", "etc", "vs", "cf", "ca", "approx", "resp", "incl", "max", "min", "no", "nr", "dr", "mr", "mrs", "ms", "sr", "jr", "st", "z.b", "d.h", "bzw", "p.ex", "co", "inc", "fig", "al"}, word)
}

// asserted is a sentence without what its speaker only cites: three words or more
// in quotation marks or set as code; in lower case, as the rules want it.
func asserted(sentence string) string {
	if strings.ContainsAny(sentence, "\"“„«`") {
		sentence = cited().ReplaceAllStringFunc(sentence, func(span string) string {
			if len(strings.Fields(strings.Trim(span, "«» "))) < 3 {
				return span
			}
			return "“…”"
		})
	}
	return strings.ToLower(sentence)
}

var cited = lazily("\"[^\"]*\"|“[^”]*”|„[^“]*“|«[^»]*»|`[^`]*`")

// wordSet is the words of a text that tell it from others, without the s of a
// plural; of Chinese and Japanese, where no blanks part them, each two characters.
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
		if (len(w) > 2 || len(w) == 2 && w[0] > '9' && w[1] <= '9') && !strings.Contains(commonWords, " "+w+" ") {
			if len(w) > 3 && !strings.HasSuffix(w, "ss") {
				w = strings.TrimSuffix(w, "s")
			}
			set[w] = true
		}
	}
	return set
}

// isUnspacedScript reports whether blanks do not part the words of a script.
func isUnspacedScript(word string) bool {
	return strings.ContainsFunc(word, func(r rune) bool { return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) })
}

const commonWords = " please the and for that this with from have has had are was were will would not but you your our they their its it's let lets use using used because since when then than into also can now all one any out get got just instead decision decided root cause fixed fix "

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
