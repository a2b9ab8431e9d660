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
	isoDate  = lazily(`\b((?:19|20)\d\d)-(\d\d)(?:-(\d\d))?\b`)
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

// dates finds the days, months and years named in a lower-cased text.
func dates(lower string) []Date {
	if !mayHaveDate(lower) {
		return nil
	}
	var out []Date
	add := func(at []int, d Date) {
		d.Since = strings.HasSuffix(lower[:at[0]], " since ")
		out = append(out, d)
	}
	for _, m := range isoDate().FindAllStringSubmatchIndex(lower, 4) {
		part := parts(lower, m)
		d := Date{Year: number(part[1]), Month: number(part[2]), Day: number(part[3])}
		if d.Month >= 1 && d.Month <= len(months) && d.Day <= 31 { // else it is a season, or the number of something
			add(m, d)
		}
	}
	for _, m := range dayMonth().FindAllStringSubmatchIndex(lower, 4) {
		part := parts(lower, m)
		add(m, Date{Year: number(part[3]), Month: month(part[2]), Day: number(part[1])})
	}
	if len(out) > 0 {
		return out
	}
	for _, m := range monthDay().FindAllStringSubmatchIndex(lower, 4) {
		part := parts(lower, m)
		if ambiguous(lower, part) {
			continue
		}
		d := Date{Year: number(part[3]), Month: month(part[1]), Day: number(part[2])}
		if d.Day == 0 {
			d.Day, d.Days = partOfMonth(lower[:m[0]])
		}
		add(m, d)
	}
	if len(out) > 0 {
		return out
	}
	for _, y := range yearWord().FindAllString(lower, 4) {
		out = append(out, Date{Year: number(y)})
	}
	return out
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

// ambiguous reports whether a month's name is more likely a verb, as in "may I" or
// "march on". With a day, a year or a preposition of time, it is a month.
func ambiguous(lower string, m []string) bool {
	if m[1] != "may" && m[1] != "march" && m[1] != "mar" || m[2] != "" || m[3] != "" {
		return false
	}
	for _, p := range []string{"in ", "of ", "since ", "until ", "by ", "last ", "this ", "early ", "late ", "during "} {
		if strings.Contains(lower, p+m[1]) {
			return false
		}
	}
	return true
}

// monthParts lists the words before a month that name a part of it, with the part's
// first day and length in days.
var monthParts = []struct {
	words     string
	day, days int
}{
	{"early", 1, 10}, {"beginning of", 1, 10}, {"start of", 1, 10}, {"mid", 11, 10}, {"middle of", 11, 10}, {"late", 21, 11}, {"end of", 21, 11},
	{"first half of", 1, 15}, {"second half of", 16, 16}, {"first two weeks of", 1, 14}, {"last two weeks of", 17, 15},
	{"first week of", 1, 7}, {"second week of", 8, 7}, {"third week of", 15, 7}, {"fourth week of", 22, 7}, {"last week of", 24, 8},
	{"first weekend of", 1, 9}, {"second weekend of", 8, 9}, {"third weekend of", 15, 9}, {"last weekend of", 23, 9},
	{"first days of", 1, 7}, {"last days of", 25, 7},
}

// partOfMonth returns the part named by the words before a month; 0 means the whole
// month.
func partOfMonth(before string) (day, days int) {
	before = strings.TrimRight(before, " -")
	for _, p := range monthParts {
		if strings.HasSuffix(before, " "+p.words) {
			return p.day, p.days
		}
	}
	return 0, 0
}

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
