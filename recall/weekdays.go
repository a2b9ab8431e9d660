package recall

import (
	"slices"
	"strings"
)

var (
	weekdays = []string{"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"}
	// shortDays are short forms of weekdays. "Sun" and "sat" are other words more often.
	shortDays = map[string]int{"mon": 1, "tue": 2, "tues": 2, "wed": 3, "thu": 4, "thur": 4, "thurs": 4, "fri": 5}
)

// weekday is the day of the week that a word names, 0 if it names none.
func weekday(word string) int { return 1 + slices.Index(weekdays, word) }

// onWeekday reads a weekday behind "on", "since" or "between", or without any word before it. That is
// a time where a part of the day or "last week" follows, or with which a question ends: "friday night",
// not "the friday freeze".
func onWeekday(words []string, i int) (mention, bool) {
	word, before, rest := strings.TrimSuffix(words[i], "'s"), lastOf(words[:i]), words[i+1:]
	full, short := weekday(word), shortDays[word]
	m := mention{Ago: Ago{Unit: Weekday, On: max(full, short)}, from: i, to: i + 1}
	_, end := partAfter(words, i+1)
	ofDay := end > i+1
	past := slices.ContainsFunc(words[:i], func(w string) bool { return tellPast[w] })
	switch {
	case m.On == 0 || slices.Contains(otherDays, before):
		return m, false
	case before == "on":
		m.from--
		return m, true
	case before == "between" && past && len(rest) > 1 && rest[0] == "and" && weekday(rest[1]) > 0:
		m.Days, m.from, m.to = 1+(weekday(rest[1])-m.On+7)%7, i-1, i+3
		return m, true
	case before == "since" || ofDay:
		return m, true
	case short > 0:
		return m, false
	case len(rest) == 0:
		bound, _ := boundAt(words[:i])
		return m, bound != Within || past
	}
	return m, rest[0] == "last" || len(rest) > 1 && rest[0] == "of" && rest[1] == "last"
}

// tellPast are words that ask about the past; without them, "on-call wednesday" are key words.
var tellPast = wordSet("did was were had have has been")

// otherDays are words before a weekday that do not mean the last one: Black Friday, every Friday.
var otherDays = []string{"black", "good", "cyber", "patch", "every", "each", "a", "any", "no", "next", "other", "coming", "to", "through"}

// dayOf takes another time in, if one is a weekday and the other its week: "on tuesday last
// week".
func (m *mention) dayOf(other mention) bool {
	day, week := *m, other
	if m.Unit == Week {
		day, week = other, *m
	}
	if day.Unit != Weekday || day.N > 0 || week.Unit != Week || week.N == 0 || week.Third+week.On > 0 {
		return false
	}
	day.Unit, day.N = Week, week.N
	day.from, day.to = min(m.from, other.from), max(m.to, other.to)
	*m = day
	return true
}

// beside reports whether nothing but "of" stands between a time and the next.
func (m *mention) beside(next mention, words []string) bool {
	return next.from <= m.to || next.from == m.to+1 && words[m.to] == "of"
}

// theWeekend is the last one that had begun before today.
var theWeekend = Ago{Unit: Weekday, On: 6, Days: 2}

// beforeWeekend are the words by which "the weekend" is a time that was, rather than a thing.
var beforeWeekend = []string{"over", "during", "since", "until", "till"}

// weekendAt reads "the weekend".
func weekendAt(words []string, i int) (mention, bool) {
	m := mention{Ago: theWeekend, from: i, to: i + 1}
	if i < 2 || words[i-1] != "the" {
		return m, false
	}
	switch before := words[i-2]; {
	case before == "before":
		m.Ago, m.from = Ago{Unit: Workweek}, i-2
		return m, true
	case before == "on" || before == "at":
		return m, aloneAt(words, i) // not a decision on the weekend job
	default:
		return m, slices.Contains(beforeWeekend, before)
	}
}

// aloneAt reports whether the word at i says nothing of the one behind it.
func aloneAt(words []string, i int) bool { return i+1 == len(words) || stopWords[words[i+1]] }
