package distil

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Sentences shorter or longer than this, in bytes, are not statements worth keeping.
const (
	minSentence = 12
	maxSentence = 400
)

// sentence is one sentence of a message and its surroundings.
type sentence struct {
	text          string
	before, after string // its neighbours in the message
	head          string // the heading directly above it, in lower case
	at            int    // number of sentences before it in the message
	item          bool   // it is part of a list
	flows         bool   // the next one follows in the same paragraph
	listed        string // the list items that it introduces, if any
	quoted        bool   // it is part of a longer quotation
}

// length returns the number of bytes of prose in a message.
func length(said []sentence) (n int) {
	for _, s := range said {
		n += len(s.text)
	}
	return n
}

// small reports whether a sentence is too short or too long to be kept by itself.
func (s sentence) small() bool { return len(s.text) < minSentence || len(s.text) > maxSentence }

// isOwn reports whether a sentence is not, even in part, somebody else's in a quotation.
func (s sentence) isOwn() bool { return !s.quoted && strings.Count(s.text, `"`)%2 == 0 }

// splitSentences splits Markdown prose into sentences. Code, tables, headings,
// quotations and tags are left out; list marks and emphasis are removed.
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

// maxListed is how many bytes of a list are kept with the sentence that introduces it.
const maxListed = 300

// introduced returns the list items after a sentence that ends in a colon, as far as
// they are short enough to be kept with it.
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

// enumerated matches an item of a list written on one line.
var enumerated = lazily(`[ \t](\d)\) `)

// thoughts matches what some models write before their answer.
var thoughts = lazily(`(?s)<think(ing)?>.*?</think(ing)?>`)

// logged matches a line of a log or of a stack trace.
var logged = lazily(`^\[?(\d{4}-\d\d-\d\d[T ]\d\d:|\d\d/\w{3}/\d{4}[: ]\d\d:|\d\d:\d\d:\d\d\b|(TRACE|DEBUG|INFO|WARN|WARNING|ERROR|FATAL|PANIC)\b[\]: ]|Caused by: |at \S+\(|\w+=\S+ ?=|\S+@\S+[$%#] |\S*(Exception|Error|error|fatal): )`)

// stamped returns the position of a log timestamp within a line, or -1.
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

// proseLine is a line with prose, as written.
type proseLine struct {
	text string
	head string // the heading directly above it, in lower case
}

// proseLines returns the lines with prose.
func proseLines(text string) []proseLine {
	if strings.Contains(text, fence) {
		text = fencesApart(text)
	}
	var lines []proseLine
	fenced, tagged, log, head := false, false, false, ""
	for whole := range strings.SplitSeq(text, "\n") {
		line := strings.TrimSpace(whole)
		for strings.HasPrefix(line, "[Image #") {
			_, line, _ = strings.Cut(line, "]") // what is said about pictures follows
			line = strings.TrimSpace(line)
		}
		log = log && line != "" // a blank line ends it
		title, heads := heading(line)
		switch {
		case strings.HasPrefix(line, fence), strings.HasPrefix(line, "~~~"), strings.HasPrefix(line, `"""`):
			fenced = !fenced
		case strings.HasPrefix(line, "<") && strings.HasSuffix(line, ">"):
			tagged = !tagged && !strings.Contains(line, "</")
		case fenced, tagged, line == "", strings.HasPrefix(whole, "    "), strings.HasPrefix(whole, "\t"):
		case heads:
			head = title
		case strings.ContainsAny(line[:1], "|>{<+="), quotation(line):
			// a table, somebody's words, JSON or a difference
		case log, logged().MatchString(line):
			log = true
		case line[0] == '[':
		default:
			if at := stamped(line); at > 0 {
				line, log = line[:at], true // a log begins after the words
			}
			lines, head = append(lines, proseLine{line, head}), ""
		}
	}
	return lines
}

// fence encloses code.
const fence = "```"

// fencesApart puts code fences within a line on lines of their own, because people
// paste code in the middle of a line.
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

// quotation reports whether a whole line is a quotation.
func quotation(line string) bool {
	for _, marks := range [][2]string{{`"`, `"`}, {"“", "”"}, {"„", "“"}, {"«", "»"}} {
		if strings.HasPrefix(line, marks[0]) && strings.HasSuffix(line, marks[1]) {
			return true
		}
	}
	return false
}

// heading returns the text of a heading: a line that is marked as one, or completely in
// bold.
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

// plainProse removes list marks and emphasis.
func plainProse(line string) string {
	line = emphasis.Replace(line)
	line = strings.TrimLeft(line, "-*•– ")
	digits := strings.TrimLeft(line, "0123456789")
	if digits != line && (strings.HasPrefix(digits, ". ") || strings.HasPrefix(digits, ") ")) {
		line = digits[2:]
	}
	return strings.TrimSpace(line)
}

// sentenceEnd returns the end of the first sentence of a line: after a full stop,
// question or exclamation mark followed by a space, or at the end of the line. The next
// sentence may begin in lower case.
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

// dated reports whether a full stop is between a day and its month, as in German.
func dated(before, after string) bool {
	day := before[strings.LastIndexByte(before, ' ')+1:]
	month, _, _ := strings.Cut(strings.ToLower(after), " ")
	return len(day) < 3 && day != "" && strings.Trim(day, "0123456789") == "" &&
		slices.Contains([]string{"januar", "februar", "märz", "april", "mai", "juni", "juli", "august", "september", "oktober", "november", "dezember"}, strings.TrimRight(month, ".,;:!?"))
}

// abbreviated reports whether a full stop after text belongs to its last word.
func abbreviated(text string) bool {
	word := strings.ToLower(text[strings.LastIndexAny(text, " (")+1:])
	return slices.Contains([]string{"e.g", "i.e", "etc", "vs", "cf", "ca", "approx", "resp", "incl", "max", "min", "no", "nr", "dr", "mr", "mrs", "ms", "sr", "jr", "st", "z.b", "d.h", "bzw", "p.ex", "co", "inc", "fig", "al"}, word)
}

// asserted returns a sentence without what its speaker only quotes: three or more words
// in quotation marks or formatted as code.
func asserted(sentence string) string {
	if !strings.ContainsAny(sentence, "\"“„«`") {
		return sentence
	}
	return cited().ReplaceAllStringFunc(sentence, func(span string) string {
		if len(strings.Fields(strings.Trim(span, "«» "))) < 3 {
			return span
		}
		return "“…”"
	})
}

var cited = lazily("\"[^\"]*\"|“[^”]*”|„[^“]*“|«[^»]*»|`[^`]*`")
