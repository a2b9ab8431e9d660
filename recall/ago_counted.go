package recall

import (
	"slices"
	"strings"
)

// minutesIn is how long the units are that are shorter than a day.
var minutesIn = map[string]int{"minute": 1, "minutes": 1, "min": 1, "mins": 1, "hour": 60, "hours": 60, "hr": 60, "hrs": 60}

// shortUnits are units as they are written behind a number, without a blank: 2d.
var shortUnits = map[string]string{"m": "minute", "min": "minute", "mins": "minute", "h": "hour", "hr": "hour", "hrs": "hour", "d": "day", "w": "week", "wk": "week",
	"wks": "week", "mo": "month", "y": "year", "yr": "year", "yrs": "year"}

var counts = []string{"zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
	"thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty"}

// mostCounted is the highest number of units: a time must be one that databases know.
const mostCounted = 999

// few are numbers that nobody means exactly.
var few = []string{"few", "several", "some"}

// countedAgo parses the words before "ago": "three days", "a couple of weeks", "half an hour",
// "a year and a half", "2d". It returns how many they are, 0 if they name no time.
func countedAgo(before []string) (Ago, int) {
	rest, half := cutHalf(before)
	if n := len(rest); n > 3 && rest[n-2] == "or" { // "an hour or two"
		rest = rest[:n-2]
	}
	if len(rest) == 0 {
		return Ago{}, 0
	}
	what := rest[len(rest)-1]
	rest = rest[:len(rest)-1]
	if n, unit := joinedUnit(what); n > 0 {
		return backHalves(2*n, unit), len(before) - len(rest)
	}
	if half == 0 { // "one and a half hours"
		rest, half = cutHalf(rest)
	}
	n, used := count(rest)
	if used == 0 {
		return Ago{}, 0
	}
	if what == "second" || what == "seconds" || what == "moment" {
		return minutesAgo(1), len(before) - len(rest) + used
	}
	rest = rest[:len(rest)-used]
	halves := 2*n + half
	if last := lastOf(rest); n == 1 && last == "half" {
		halves, rest = 1, rest[:len(rest)-1]
	}
	unit, known := units[what]
	switch {
	case what == "fortnight" || what == "fortnights":
		return backHalves(2*halves, "week"), len(before) - len(rest)
	case minutesIn[what] == 0 && (!known || unit == Weekend):
		return Ago{}, 0
	case known && unit <= Month && slices.Contains(few, before[len(before)-2]):
		return fewAgo(daysIn[unit]), len(before) - len(rest)
	}
	return backHalves(halves, what), len(before) - len(rest)
}

// cutHalf takes "and a half" from the end of words, and returns how many halves it was.
func cutHalf(words []string) (rest []string, half int) {
	if n := len(words) - 3; n > 0 && slices.Equal(words[n:], []string{"and", "a", "half"}) {
		return words[:n], 1
	}
	return words, 0
}

// joinedUnit parses a number and a unit that are one word; n is 0 if it is none.
func joinedUnit(word string) (n int, unit string) {
	letters := strings.TrimLeft(word, "0123456789")
	if n = number(word[:len(word)-len(letters)]); n > mostCounted || shortUnits[letters] == "" {
		return 0, ""
	}
	return n, shortUnits[letters]
}

// backHalves is the time a number of half units ago.
func backHalves(halves int, what string) Ago {
	if minutes := minutesIn[what]; minutes > 0 {
		return minutesAgo(halves * minutes / 2)
	}
	unit := units[what]
	switch {
	case halves%2 == 0:
		return back(halves/2, unit)
	case unit == Year:
		return back(6*halves, Month)
	case halves == 1 && unit == Day:
		return minutesAgo(12 * 60)
	}
	days := (halves*daysIn[unit] + 1) / 2
	if unit == Day {
		return Ago{N: days, Days: 2}
	}
	return Ago{N: days + 3, Days: 7}
}

// back is the time a number of units ago. Weeks are counted from today, and stand for seven
// days around that day.
func back(n int, unit Unit) Ago {
	if unit == Week {
		return Ago{N: 7*n + 3, Days: 7}
	}
	return Ago{N: n, Unit: unit}
}

// fewAgo is the time from five units ago until two, and half a unit around that.
func fewAgo(days int) Ago { return Ago{N: 5*days + days/2, Days: 4 * days} }

// minutesAgo is the time about so long ago: nobody counts minutes, so it lasts from twice
// until half as long ago. From half a day on it is in whole days.
func minutesAgo(n int) Ago {
	days, whole := daysOf(n)
	switch {
	case whole:
		return Ago{N: days}
	case days > 0:
		return Ago{N: days, Days: 2} // the hour at which it is asked is not known here
	case n < 30:
		return lastMinutes(max(30, 2*n))
	}
	return Ago{N: 2 * n, Unit: Minute, Days: 2*n - n/2}
}

// lastMinutes is the time from so long ago until now, from half a day on in whole days.
func lastMinutes(n int) Ago {
	if days, _ := daysOf(n); days > 0 {
		return past(days)
	}
	return Ago{N: n, Unit: Minute, Days: n}
}

// daysOf returns the days that minutes may reach back, 0 for less than half a day, and
// whether they are whole days.
func daysOf(minutes int) (days int, whole bool) {
	const day = 24 * 60
	if minutes < day/2 {
		return 0, false
	}
	return (minutes + day - 1) / day, minutes%day == 0
}

// past is the time from the given number of days ago until now.
func past(days int) Ago { return Ago{N: days, Days: days + 1} }

// lastFew parses the words after "last" or "past": "three days", "couple of hours". It returns
// how many they are, 0 if they name no time.
func lastFew(after []string) (Ago, int) {
	used := 1
	if after[0] == "couple" && len(after) > 1 && after[1] == "of" {
		used = 2
	}
	if _, first := count(after[:1]); first > 0 && len(after) > 2 && (after[1] == "or" || after[1] == "to") { // "the last two or three days"
		used = 3
	}
	n, _ := count(after[:used])
	if n <= 0 || len(after) == used {
		return Ago{}, 0
	}
	what := after[used]
	if minutes := minutesIn[what]; minutes > 0 {
		return lastMinutes(n * minutes), used + 1
	}
	unit, known := units[what]
	if !known || unit == Weekend {
		return Ago{}, 0
	}
	return past(n * daysIn[unit]), used + 1
}

// count parses the number at the end of words, and returns how many they are, 0 if there is
// none. "A few" is 3.
func count(words []string) (n, used int) {
	last := lastOf(words)
	switch {
	case last == "a" || last == "an":
		return 1, 1
	case last == "couple":
		return 2, 1 + article(words, 1)
	case slices.Contains(few, last):
		return 3, 1 + article(words, 1)
	case endsIn(words, "couple", "of"):
		return 2, 2 + article(words, 2)
	}
	if n := slices.Index(counts, last); n >= 0 {
		return n, 1
	}
	if from, to, ok := strings.Cut(last, "-"); ok && digits(from) { // 2-3
		last = to
	}
	if n := number(last); n > 0 && n <= mostCounted {
		return n, 1
	}
	return 0, 0
}

// article is 1 if an "a" stands before the last n words, otherwise 0.
func article(words []string, n int) int {
	if lastOf(words[:len(words)-n]) == "a" {
		return 1
	}
	return 0
}

// lastOf is the last of words, or "" if there is none.
func lastOf(words []string) string {
	if len(words) == 0 {
		return ""
	}
	return words[len(words)-1]
}
