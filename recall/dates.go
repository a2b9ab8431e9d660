package recall

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

const (
	monthNames = `january|february|march|april|may|june|july|august|september|october|november|december`
	shortNames = `jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec`
)

var months = strings.Split(monthNames, "|")

var (
	isoDate  = lazily(`\b((?:19|20)\d\d)-(\d\d)(?:-(\d\d)(?:t\d\d)?)?\b`)
	yearWord = lazily(`\b(?:19|20)\d\d\b`)
	monthDay = lazily(`\b(` + monthNames + `|` + shortNames + `)\b(?:\s+(\d{1,2})(?:st|nd|rd|th)?\b)?(?:,?\s+((?:19|20)\d\d))?`)
	dayMonth = lazily(`\b(\d{1,2})(?:st|nd|rd|th)?(?:\s+of)?\s+(` + monthNames + `|` + shortNames + `)\b(?:,?\s+((?:19|20)\d\d))?`)
)

// Dates that other languages write in one way and English in another: 23.4.2026, 2026/4/23,
// 4月23日.
var (
	dayFirst  = lazily(`\b(\d{1,2})\.\s?(\d{1,2})\.\s?((?:19|20)\d\d)\b`)
	yearFirst = lazily(`\b((?:19|20)\d\d)(?:/|\.\s)(\d{1,2})(?:/|\.\s)(\d{1,2})\b`)
	namedDay  = lazily(`(?:((?:19|20)\d\d)\s?[年년]\s?)?(\d{1,2})\s?[月월](?:\s?(\d{1,2})\s?[日号號일])?`)
)

// englishDates writes such dates of a lower-cased text in words.
func englishDates(lower string) string {
	if strings.ContainsAny(lower, "月월") {
		lower = rewriteDates(lower, namedDay(), 1, 2, 3)
	}
	if mayHaveDate(lower) && strings.ContainsAny(lower, "./") {
		lower = rewriteDates(rewriteDates(lower, dayFirst(), 3, 2, 1), yearFirst(), 1, 2, 3)
	}
	return lower
}

// rewriteDates writes the dates that a pattern finds in words, if there are such days. The
// numbers are those of its groups.
func rewriteDates(text string, pattern *regexp.Regexp, year, month, day int) string {
	return pattern.ReplaceAllStringFunc(text, func(found string) string {
		part := pattern.FindStringSubmatch(found)
		m, d := number(part[month]), number(part[day])
		if m < 1 || m > len(months) || d > 31 {
			return found
		}
		return " " + part[day] + " of " + months[m-1] + " " + part[year] + " "
	})
}

// lazily compiles a pattern on first use: every wake process links this package, and
// few questions name a date.
func lazily(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

// Days from one to another of a month, and quarters and halves of a year.
var (
	dayRange   = lazily(`\b(\d{1,2})(?:st|nd|rd|th)?(?:\s*-\s*| to | and | until | till | through )(?:the )?(\d{1,2})(?:st|nd|rd|th)?(?: of)? (` + monthNames + `|` + shortNames + `)\b(?:,? ((?:19|20)\d\d))?`)
	monthRange = lazily(`\b(` + monthNames + `|` + shortNames + `) (\d{1,2})(?:st|nd|rd|th)?(?:\s*-\s*| to | and | until | till | through )(?:the )?(?:(` + monthNames + `|` + shortNames + `) )?(\d{1,2})(?:st|nd|rd|th)?\b(?:,? ((?:19|20)\d\d))?`)
	yearPart   = lazily(`\b(?:(in|during|since|of|before|after|until|last) (?:the )?)?(?:(q[1-4]|h[12])|(first|second|third|fourth|1st|2nd|3rd|4th|last) (quarter|half))(?:(?: of)? ((?:19|20)\d\d))?\b`)
)

// dates finds the days, months and years named in a lower-cased text.
func dates(lower string) []Date {
	if out := yearParts(lower); out != nil || !mayHaveDate(lower) {
		return out
	}
	var out []Date
	add := func(at []int, d Date) {
		if d.Day <= 31 {
			d.Bound = boundBefore(lower[:at[0]])
			if d.Day > 0 && d.Days == 0 {
				d.Part = partBeside(lower[:at[0]], lower[at[1]:])
			}
			d.LastYear = d.Year == 0 && saysLastYear(lower[at[1]:])
			out = append(out, d)
		}
	}
	for _, m := range isoDate().FindAllStringSubmatchIndex(lower, 4) {
		part := parts(lower, m)
		d := Date{Year: number(part[1]), Month: number(part[2]), Day: number(part[3])}
		if d.Month >= 1 && d.Month <= len(months) { // else it is a season, or the number of something
			add(m, d)
		}
	}
	if d, at, ok := dayRangeIn(lower); ok && len(out) == 0 {
		add(at, d)
		return out
	}
	for _, m := range dayMonth().FindAllStringSubmatchIndex(lower, 4) {
		part := parts(lower, m)
		plain := part[3] == "" && strings.HasPrefix(part[0], part[1]+" "+part[2]) // neither 5th of May nor 5 May 2026
		if !plain || !otherWord(lower, m, part[2]) {
			add(m, Date{Year: number(part[3]), Month: month(part[2]), Day: number(part[1])})
		}
	}
	if len(out) > 0 {
		return out
	}
	for _, m := range monthDay().FindAllStringSubmatchIndex(lower, 4) {
		part := parts(lower, m)
		sure := part[3] != "" || part[2] != "" && !strings.HasSuffix(part[0], part[2]) // May 2024, May 5th
		if !sure && otherWord(lower, m, part[1]) || part[2]+part[3] == "" && beforePerson[lastWord(lower[:m[0]])] {
			continue
		}
		d := Date{Year: number(part[3]), Month: month(part[1]), Day: number(part[2])}
		if d.Day == 0 {
			p, _ := monthPartBefore(strings.Fields(lower[:m[0]]))
			d.Day, d.Days = p.day, p.days
		}
		add(m, d)
	}
	if len(out) > 0 {
		return out
	}
	for _, m := range yearWord().FindAllStringIndex(lower, 4) {
		before := strings.Fields(lower[:m[0]])
		if notYears[lastOf(before)] {
			continue
		}
		p, _ := monthPartBefore(before)
		out = append(out, Ago{Third: p.third}.thirdOf(Date{Year: number(lower[m[0]:m[1]])}, len(months)))
	}
	return out
}

// notYears are words before a number of four digits that is no year.
var notYears = wordSet("port ports version v rfc error code line issue pr ticket build number id")

// boundBefore reads the words before a date that mean what was before or after it.
func boundBefore(lower string) Bound {
	words := strings.Fields(lower)
	_, n := monthPartBefore(words) // since the end of March
	bound, _ := boundAt(words[:len(words)-n])
	return bound
}

// partBeside reads a part of the day in the words around a date.
func partBeside(before, after string) Part {
	if part, _ := partAfter(timedWords(after), 0); part != (Part{}) {
		return part
	}
	words := timedWords(before)
	part, _ := partBefore(words, len(words))
	return part
}

// saysLastYear reports whether the words after a month say that it is of the year before this one.
func saysLastYear(after string) bool {
	return strings.HasPrefix(after, " last year ") || strings.HasPrefix(after, " of last year ")
}

// lastWord is the last word of a text.
func lastWord(text string) string { return lastOf(strings.Fields(text)) }

// dayRangeIn finds days from one to another of the same month: 3 to 7 November.
func dayRangeIn(lower string) (d Date, at []int, ok bool) {
	and := func() bool { // 3 and 7 November are two days, but between them are more
		return strings.Contains(lower[at[0]:at[1]], " and ") && lastWord(lower[:at[0]]) != "between"
	}
	if at = dayRange().FindStringSubmatchIndex(lower); at != nil {
		part := parts(lower, at)
		d = Date{Year: number(part[4]), Month: month(part[3]), Day: number(part[1]), Days: number(part[2]) - number(part[1]) + 1}
	} else if at = monthRange().FindStringSubmatchIndex(lower); at != nil {
		part := parts(lower, at)
		d = Date{Year: number(part[5]), Month: month(part[1]), Day: number(part[2]), Days: number(part[4]) - number(part[2]) + 1}
		if part[3] != "" && month(part[3]) != d.Month {
			return d, at, false
		}
	}
	return d, at, at != nil && d.Days > 1 && d.Day+d.Days <= 32 && !and()
}

// yearParts finds quarters and halves of years: "in q3", "the first half of 2026".
func yearParts(lower string) (out []Date) {
	for _, m := range yearPart().FindAllStringSubmatchIndex(lower, 4) {
		part, rest := parts(lower, m), lower[m[1]:]
		if part[5] == "" && !ofThisYear(part[1], part[2]+part[3], rest) {
			continue
		}
		n, months := ordinal(part[3]), 3
		if part[2] != "" {
			n = int(part[2][1] - '0')
		}
		if strings.HasPrefix(part[2], "h") || part[4] == "half" {
			n, months = min(n, 2), 6 // the last half is the second
		}
		out = append(out, Date{Year: number(part[5]), Month: months*(n-1) + 1, Months: months, LastYear: part[5] == "" && saysLastYear(rest), Bound: bounds[part[1]]})
	}
	return out
}

// ofThisYear reports whether a quarter or half without a year is one of a year: not the h1 of a
// page, the first half of May or of a file, or "last quarter", which is counted back.
func ofThisYear(preposition, name, rest string) bool {
	of, isOf := strings.CutPrefix(rest, " of ")
	if preposition == "" && name != "last" && ofYear(of) {
		return true
	}
	if preposition == "" || name == "last" || strings.HasPrefix(name, "h") {
		return false
	}
	return strings.HasPrefix(name, "q") || !isOf || ofYear(of)
}

// ofYear reports whether a text begins with a year in words.
func ofYear(text string) bool {
	text = strings.TrimPrefix(text, " ")
	return strings.HasPrefix(text, "the year ") || strings.HasPrefix(text, "last year ") || strings.HasPrefix(text, "this year ")
}

// ordinal is the number of such a word; the last one is the fourth.
func ordinal(word string) int {
	for i, words := range []string{"first 1st", "second 2nd", "third 3rd", "fourth 4th last"} {
		if slices.Contains(strings.Fields(words), word) {
			return i + 1
		}
	}
	return 0
}

// parts returns a match and its groups from their positions; a group that did not match
// is "".
func parts(text string, places []int) []string {
	out := make([]string, len(places)/2)
	for i := range out {
		if from := places[2*i]; from >= 0 {
			out[i] = text[from:places[2*i+1]]
		}
	}
	return out
}

// mayHaveDate quickly checks for a word that is a month or looks like a year, because
// most questions name no date.
func mayHaveDate(lower string) bool {
	for i := 0; i < len(lower); {
		end := i
		for end < len(lower) && lower[end] < utf8.RuneSelf && (classes[lower[end]]&alnum != 0 || lower[end] == '_') {
			end++
		}
		if word := lower[i:end]; len(word) == 4 && (word[:2] == "19" || word[:2] == "20") || isMonth(word) {
			return true
		}
		i = end + 1
	}
	return false
}

// isMonth reports whether a word is the name of a month or at least three letters of its
// beginning.
func isMonth(word string) bool {
	return len(word) >= 3 && slices.ContainsFunc(months, func(m string) bool { return strings.HasPrefix(m, word) })
}

// beforePerson are words before the name of a month that make it that of a person: "what did June say".
var beforePerson = wordSet("did does has had told asked with")

// otherWord reports whether a month's name is more likely another word, as in "may I", "march
// on", "step 5 may fail" or "the sep argument". After a preposition of time, or with a day and
// nothing behind it that may follow a verb, it is a month.
func otherWord(lower string, at []int, name string) bool {
	found, before := lower[at[0]:at[1]], " "+strings.TrimRight(lower[:at[0]], " -")
	next := append(timedWords(lower[at[1]:]), "")[0]
	ends := next == ""
	switch numbered := strings.ContainsAny(found, "0123456789"); {
	case !numbered && !slices.Contains(otherWords, name), numbered && (name != "may" || ends || notAfterMay[next]):
		return false
	case numbered && strings.HasPrefix(found, name): // may 5 workers run, but not "the May 5 release"
		if !plural(next) || strings.HasSuffix(before, " the") {
			return false
		}
	}
	before = strings.TrimSuffix(before, " the")
	for _, p := range timePrepositions {
		if strings.HasSuffix(before, " "+p) {
			return p == "this" && !ends || p == "and" && !strings.Contains(before, " between ")
		}
	}
	return true
}

// otherWords are names of months that are also other words.
var otherWords = []string{"may", "march", "mar", "sep", "oct", "dec"}

// notAfterMay are words that no verb has behind it.
var notAfterMay = wordSet("at in on around about to until and or we i you they did was were is for from by with")

// timePrepositions are words before a month or a day that make it a time.
var timePrepositions = strings.Fields("in on of since until till by last this early late mid during before after from to between and")

// monthPart is a part of a month, as words before the month name it. It begins on a day and
// lasts some days.
type monthPart struct {
	words     string
	day, days int
	third     int // of a week, quarter or year that the words stand before: 1, 2 or 3, 0 for none
}

var monthParts = []monthPart{
	{"early", 1, 10, 1}, {"beginning of", 1, 10, 1}, {"start of", 1, 10, 1}, {"mid", 11, 10, 2}, {"middle of", 11, 10, 2},
	{"late", 21, toMonthEnd, 3}, {"end of", 21, toMonthEnd, 3},
	{"first half of", 1, 15, 0}, {"second half of", 16, toMonthEnd, 0}, {"first two weeks of", 1, 14, 0}, {"last two weeks of", 17, toMonthEnd, 0},
	{"first week of", 1, 7, 0}, {"second week of", 8, 7, 0}, {"third week of", 15, 7, 0}, {"fourth week of", 22, 7, 0}, {"last week of", 24, toMonthEnd, 0},
	{"first weekend of", 1, 9, 0}, {"second weekend of", 8, 9, 0}, {"third weekend of", 15, 9, 0}, {"last weekend of", 23, toMonthEnd, 0},
	{"first days of", 1, 7, 0}, {"last days of", 25, toMonthEnd, 0},
}

// monthPartBefore returns the part that the end of words names, and with how many of them; 0
// for none.
func monthPartBefore(words []string) (p monthPart, n int) {
	before := " " + strings.TrimRight(strings.Join(words[max(0, len(words)-mostPartWords):], " "), " -")
	for _, p := range monthParts {
		if strings.HasSuffix(before, " "+p.words) {
			return p, len(strings.Fields(p.words))
		}
	}
	return p, 0
}

// mostPartWords is how many words name a part of a month.
const mostPartWords = 4

// month returns the number of the month whose name begins with the first three letters of
// a name, or 0.
func month(name string) int {
	return 1 + slices.IndexFunc(months, func(m string) bool { return m[:3] == name[:3] })
}

func number(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return 0
	}
	return n
}
