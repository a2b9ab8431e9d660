package recall

import (
	"slices"
	"strings"
)

var (
	units = map[string]Unit{"day": Day, "days": Day, "week": Week, "weeks": Week, "month": Month, "months": Month,
		"quarter": Quarter, "quarters": Quarter, "year": Year, "years": Year, "weekend": Weekend}
	daysIn = map[Unit]int{Day: 1, Week: 7, Month: 30, Quarter: 91, Year: 365}
)

// mention is a time counted back from now, with the words that name it: words[from:to].
type mention struct {
	Ago
	from, to int
}

// ago finds times counted back from now in lower-cased words: "yesterday evening", "two
// weeks ago", "late last month", "on monday", "in the past three days".
func ago(words []string) (out []Ago) {
	for _, m := range mentions(words) {
		out = append(out, m.Ago)
	}
	return out
}

// timedWords are the words of a text without the dashes between them, which are no words of a time.
func timedWords(text string) []string {
	return slices.DeleteFunc(strings.Fields(text), func(w string) bool { return w == "-" })
}

func mentions(words []string) (out []mention) {
	for i := 0; i < len(words); i++ {
		m, ok := mentionAt(words, i)
		if !ok {
			continue
		}
		m.narrow(words)
		m.bound(words)
		if n := len(out); n > 0 && m.from <= out[n-1].from { // the last week of last month
			out = out[:n-1]
		}
		if n := len(out); n == 0 || !out[n-1].beside(m, words) || !out[n-1].dayOf(m) {
			out = append(out, m)
		}
		i = max(i, m.to-1)
	}
	return out
}

// mentionAt reads the time that the word at i names.
func mentionAt(words []string, i int) (m mention, ok bool) {
	before, after := words[:i], words[i+1:]
	m.from, m.to = i, i+1
	w := strings.TrimSuffix(words[i], "'s")
	switch w {
	case "today":
		return m, true
	case "tonight":
		m.Part = partsOfDay["evening"]
		return m, true
	case "overnight":
		m.Ago = Ago{N: 1, Part: partsOfDay["night"]}
		return m, aloneAt(words, i) // not the overnight build
	case "yesterday":
		m.N = 1
		if endsIn(before, "day", "before") {
			m.N, m.from = 2, i-2
		}
		return m, true
	case "ago", "back":
		found, n := countedAgo(before)
		m.Ago, m.from = found, i-n
		return m, n > 0
	case "day": // "the other day" was one of the last ten
		m.Ago, m.from = Ago{N: 10, Days: 10}, i-2
		return m, endsIn(before, "the", "other")
	case "weekend":
		return weekendAt(words, i)
	case "last":
		if found, ok := beforeLast(before); ok {
			m.Ago, m.from = found, i-2
			if lastOf(words[:m.from]) == "on" {
				m.from--
			}
			return m, true
		}
	case "previous", "prior":
		w = "last"
	case "past", "this":
	case "the":
		p, _ := monthPartBefore(before)
		m.Unit, m.to = unitAt(after), i+2
		return m, p.third == 1 && m.Unit > Day // the end of this month may be to come
	default:
		if n := dayOfMonth(w); n > 0 { // "on the 12th", not "on the 2nd attempt"
			m.Ago, m.from = Ago{Unit: Monthday, On: n}, i-1
			return m, len(after) == 0 && i > 1 && words[i-1] == "the" && (words[i-2] == "on" || words[i-2] == "of" || bounds[words[i-2]] != Within)
		}
		return onWeekday(words, i)
	}
	if words[i] == "last" && lastOf(before) == "the" && slices.Contains([]Unit{Week, Month, Year}, unitAt(after)) {
		w = "past" // "in the last week" is less than "last week"
	}
	found, n := named(w, after)
	m.Ago, m.to = found, i+1+n
	return m, n > 0
}

// named parses the words after "last", "past" or "this", and returns how many of them belong
// to the time, 0 if they name none.
func named(which string, after []string) (Ago, int) {
	if len(after) == 0 {
		return Ago{}, 0
	}
	what := strings.TrimSuffix(after[0], "'s")
	if day := max(weekday(what), shortDays[what]); day > 0 {
		return Ago{Unit: Weekday, On: day}, 1
	}
	part, ofDay := partsOfDay[what]
	unit, known := units[what]
	switch {
	case ofDay && which == "this" && what != "night": // this night may be the coming one
		return Ago{Part: part}, 1
	case ofDay && which == "last":
		return Ago{N: 1, Part: part}, 1
	case minutesIn[what] > 0:
		return lastMinutes(minutesIn[what]), 1
	case !known && which == "this":
		return Ago{}, 0
	case !known:
		return lastFew(after)
	case which == "past" && unit != Weekend:
		return past(daysIn[unit]), 1
	case unit == Day && len(after) > 2 && after[1] == "or": // "the last day or two"
		return past(2), 3
	case unit == Day: // "the last day" is the last day of something
		return Ago{}, 0
	case which == "last":
		return Ago{N: 1, Unit: unit}, 1
	}
	return Ago{Unit: unit}, 1
}

// dayOfMonth is the number of a word such as 12th, 0 if it is none.
func dayOfMonth(word string) int {
	if len(word) < 3 || !slices.Contains([]string{"st", "nd", "rd", "th"}, word[len(word)-2:]) {
		return 0
	}
	n := number(word[:len(word)-2])
	if n < 0 || n > 31 {
		return 0
	}
	return n
}

// vague finds times in words that are as often said of other things: "lately", "at 14:30". They are
// times where nothing else is asked for.
func vague(words []string) (out []mention) {
	for i, w := range words {
		m := mention{from: i, to: i + 1}
		next := ""
		if i+1 < len(words) {
			next = words[i+1]
		}
		switch {
		case w == "lately" || w == "recently":
			m.Ago = past(daysIn[Month])
		case w == "these" && next == "days", w == "recent" && (next == "days" || units[next] > Day):
			m.Ago, m.to = past(daysIn[Month]), i+2
		case w == "of" && next == "late":
			m.Ago, m.to = past(daysIn[Month]), i+2
		case w == "just" && next == "now":
			m.Ago, m.to = lastMinutes(60), i+2
		case w == "at" || w == "around" || w == "about" || w == "since":
			part, ok := partNamed(next)
			if !ok {
				continue
			}
			m.Ago, m.to = Ago{Unit: LastPart, Part: part, Bound: bounds[w]}, i+2
		default:
			continue
		}
		out = append(out, m)
	}
	return out
}

// beforeLast parses the words before the last one of "the week before last".
func beforeLast(before []string) (Ago, bool) {
	n := len(before)
	if n < 2 || before[n-1] != "before" {
		return Ago{}, false
	}
	if before[n-2] == "night" {
		return Ago{N: 2, Part: partsOfDay["night"]}, true
	}
	if day := weekday(before[n-2]); day > 0 {
		return Ago{N: 1, Unit: Weekday, On: day}, true
	}
	unit := units[before[n-2]]
	return Ago{N: 2, Unit: unit}, unit > Day
}

// unitAt is the unit that words begin with; [Day], the zero value, also stands for none.
func unitAt(words []string) Unit {
	if len(words) == 0 {
		return Day
	}
	return units[strings.TrimSuffix(words[0], "'s")]
}

// narrow reads the words around a time that name a part of it: "yesterday morning", "around
// noon on tuesday", "late last month".
func (m *mention) narrow(words []string) {
	switch m.Unit {
	case Day, Weekday, Monthday:
		m.skipHour(words)
		m.narrowDay(words)
		m.skipHour(words)
	case Month:
		p, n := monthPartBefore(words[:m.from])
		m.On, m.Days, m.from = p.day, p.days, m.from-n
	case Week, Quarter, Year:
		if p, n := monthPartBefore(words[:m.from]); p.third > 0 {
			m.Third, m.from = p.third, m.from-n
		}
	}
}

// narrowDay reads the words around a day that name a part of it.
func (m *mention) narrowDay(words []string) {
	if m.Days > 1 || m.Part != (Part{}) {
		return
	}
	if part, end := partAfter(words, m.to); end > m.to {
		m.Part, m.to = part, end
	} else if part, start := partBefore(words, m.from); start < m.from {
		m.Part, m.from = part, start
	}
}

// skipHour takes in an hour such as "at 9", before the day or behind it, which may be that of
// the morning or of the evening.
func (m *mention) skipHour(words []string) {
	if m.to+1 < len(words) && hourAt(words[m.to:]) {
		m.to += 2
	}
	if m.from > 1 && hourAt(words[m.from-2:]) {
		m.from -= 2
	}
}

// hourAt reports whether words begin with an hour of a day.
func hourAt(words []string) bool {
	hour := max(number(words[1]), slices.Index(counts, words[1]))
	return (words[0] == "at" || words[0] == "around") && hour > 0 && hour <= 24
}

// bounds are the words before a time that mean what was before or after it.
var bounds = map[string]Bound{"since": Since, "starting": Since, "after": After, "before": Before, "until": Until, "till": Until,
	"later than": After, "earlier than": Before, "prior to": Before, "up to": Until}

// bound reads such words.
func (m *mention) bound(words []string) {
	if bound, n := boundAt(words[:m.from]); bound != Within {
		m.Bound, m.from = bound, m.from-n
	}
}

// boundAt reads such words at the end of others, and returns how many they are.
func boundAt(words []string) (bound Bound, n int) {
	words = words[max(0, len(words)-3):]
	if lastOf(words) == "the" {
		words, n = words[:len(words)-1], 1
	}
	if len(words) > 1 {
		if bound := bounds[words[len(words)-2]+" "+words[len(words)-1]]; bound != Within {
			return bound, n + 2
		}
	}
	bound = bounds[lastOf(words)]
	if len(words) > 1 && (bound == Before || bound == After) && isBeside(words[len(words)-2]) {
		return Within, 0
	}
	return bound, n + 1
}

// isBeside reports whether a word before "before" or "after" makes it a time close by: "the day
// after monday", "shortly before the 9th".
func isBeside(word string) bool {
	_, unit := units[word]
	_, part := partsOfDay[word]
	return unit || part || minutesIn[word] > 0 || weekday(word) > 0 || slices.Contains([]string{"just", "right", "shortly", "soon"}, word)
}

// endsIn reports whether words end in two.
func endsIn(words []string, first, second string) bool {
	n := len(words)
	return n >= 2 && words[n-2] == first && words[n-1] == second
}
