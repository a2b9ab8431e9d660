package recall

import (
	"slices"
	"strings"
)

var (
	units = map[string]Unit{"day": Day, "days": Day, "week": Week, "weeks": Week, "month": Month, "months": Month, "year": Year, "years": Year}
	// partsOfDay gives how many days before today each part of the day lies: "this morning",
	// but "last night". Their opposites are not understood: "this night" may be the coming one.
	partsOfDay = map[string]int{"morning": 0, "afternoon": 0, "evening": 0, "night": 1}
	withinDay  = []string{"minute", "minutes", "hour", "hours"}
	weekdays   = []string{"sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"}
	counts     = []string{"zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"}
	weekend    = Ago{N: 6, Unit: Weekday, Days: 2} // the last weekend that has begun
	daysIn     = map[Unit]int{Day: 1, Week: 7, Month: 30, Year: 365}
)

// ago finds times counted back from now in lower-cased words: "yesterday", "two weeks
// ago", "last month", "on monday", "in the past three days".
func ago(words []string) (out []Ago) {
	for i, w := range words {
		before, after := words[:i], words[i+1:]
		found, ok := Ago{}, false
		switch strings.TrimSuffix(w, "'s") {
		case "today", "tonight":
			ok = true
		case "yesterday":
			found.N, ok = 1, true
			if endsIn(before, "day", "before") {
				found.N = 2
			}
		case "ago":
			found, ok = countedAgo(before)
		case "last", "past", "this", "on", "since":
			found, ok = named(w, after)
		}
		if ok {
			found.Since = w == "since" || i > 0 && words[i-1] == "since" || w == "ago" && sinceCount(before)
			out = append(out, found)
		}
	}
	return out
}

// past is the time from the given number of days ago until now.
func past(days int) Ago { return Ago{N: days, Days: days + 1} }

// countedAgo parses the words before "ago": "three days", "a couple of weeks", "an
// hour".
func countedAgo(before []string) (Ago, bool) {
	if len(before) < 2 {
		return Ago{}, false
	}
	what, n := before[len(before)-1], count(before[:len(before)-1])
	if slices.Contains(withinDay, what) {
		return hoursAgo(n, what), true
	}
	unit, known := units[what]
	return back(n, unit), known && n >= 0
}

// sinceCount reports whether "since" stands before a number and a unit.
func sinceCount(words []string) bool {
	i := len(words) - 2
	for i >= 0 && (words[i] == "of" || count(words[i:i+1]) >= 0) {
		i--
	}
	return i >= 0 && words[i] == "since"
}

// hoursAgo is the time n hours or minutes ago, in whole days. Less than half a day ago is
// today.
func hoursAgo(n int, unit string) Ago {
	days, whole := daysOf(n, unit)
	if days == 0 || whole {
		return Ago{N: days}
	}
	return Ago{N: days, Days: 2} // the hour at which it is asked is not known here
}

// lastHours is the time from n hours or minutes ago until now, in whole days.
func lastHours(n int, unit string) Ago {
	if days, _ := daysOf(n, unit); days > 0 {
		return past(days)
	}
	return Ago{}
}

// daysOf returns the days that n hours or minutes may reach back, 0 for less than half a
// day, and whether they are whole days.
func daysOf(n int, unit string) (days int, whole bool) {
	if !strings.HasPrefix(unit, "hour") {
		n /= 60
	}
	if n < 12 {
		return 0, false
	}
	return (n + 23) / 24, n%24 == 0
}

// back is the time a number of units ago. Weeks are counted from today, and stand for seven
// days around that day.
func back(n int, unit Unit) Ago {
	if unit == Week {
		return Ago{N: 7*n + 3, Days: 7}
	}
	return Ago{N: n, Unit: unit}
}

// named parses the words after "last", "past", "this", "on" or "since".
func named(which string, after []string) (Ago, bool) {
	if len(after) == 0 {
		return Ago{}, false
	}
	if day := slices.Index(weekdays, after[0]); day >= 0 {
		return Ago{N: day, Unit: Weekday}, true
	}
	if which == "on" || which == "since" {
		return Ago{}, false
	}
	if slices.Contains(withinDay, after[0]) {
		return Ago{}, true
	}
	if after[0] == "weekend" {
		return weekend, true
	}
	if n, ok := partsOfDay[after[0]]; ok && (n == 0) == (which == "this") {
		return Ago{N: n}, true
	}
	if unit, ok := units[after[0]]; ok {
		switch which {
		case "this":
			return Ago{Unit: unit}, unit != Day
		case "last": // not "the last day", which is the last day of something
			return Ago{N: 1, Unit: unit}, unit != Day
		}
		return past(daysIn[unit]), true
	}
	if n := count(after[:1]); n > 0 && len(after) > 1 && which != "this" {
		if unit, ok := units[after[1]]; ok {
			return past(n * daysIn[unit]), true
		}
		return lastHours(n, after[1]), slices.Contains(withinDay, after[1])
	}
	return Ago{}, false
}

// count parses the number at the end of words; -1 if there is none. "A few" is 3.
func count(words []string) int {
	last := words[len(words)-1]
	switch last {
	case "a", "an":
		return 1
	case "couple":
		return 2
	case "few", "several":
		return 3
	case "of":
		if endsIn(words, "couple", "of") {
			return 2
		}
		return -1
	}
	if n := slices.Index(counts, last); n >= 0 {
		return n
	}
	if n := number(last); n > 0 && n < 1000 {
		return n
	}
	return -1
}

func endsIn(words []string, first, second string) bool {
	n := len(words)
	return n >= 2 && words[n-2] == first && words[n-1] == second
}
