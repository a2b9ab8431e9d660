package recall

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// Part is a part of a day, in minutes from midnight. The end may be in the next day. The zero
// value is the whole day.
type Part struct{ From, To int }

// partsOfDay are the words for parts of a day. They overlap, because people do not agree.
var partsOfDay = map[string]Part{
	"morning": hours(4, 12), "noon": hours(11, 14), "midday": hours(11, 14), "lunch": hours(11, 14), "lunchtime": hours(11, 14),
	"afternoon": hours(12, 18), "evening": hours(17, 24), "night": hours(18, 30),
}

func hours(from, to int) Part { return Part{60 * from, 60 * to} }

// besidePart are words that may stand between a day and a part of it.
var besidePart = []string{"in", "the", "at", "around", "of", "on", "late", "early", "during"}

// partAfter reads a part of the day in the words from at on, and returns where it ends, at if
// there is none.
func partAfter(words []string, at int) (Part, int) {
	for i := at; i < len(words); i++ {
		if part, ok := partNamed(words[i]); ok {
			if i > at && i+1 < len(words) && !stopWords[words[i+1]] {
				break // yesterday on the night build
			}
			return part, i + 1
		}
		if !slices.Contains(besidePart, words[i]) {
			break
		}
	}
	return Part{}, at
}

// partBefore reads a part of the day in the words before at, and returns where it starts, at
// if there is none.
func partBefore(words []string, at int) (Part, int) {
	for i := at - 1; i >= 0; i-- {
		if part, ok := partNamed(words[i]); ok {
			return part, i
		}
		if !slices.Contains(besidePart, words[i]) {
			break
		}
	}
	return Part{}, at
}

// partNamed reads a word for a part of the day, or a time of the clock as [clockTimes] writes
// it, which is not meant to the minute.
func partNamed(word string) (Part, bool) {
	if part, ok := partsOfDay[word]; ok {
		return part, true
	}
	hour, minute, ok := strings.Cut(word, "h")
	if !ok || !digits(hour) || len(minute) != 2 || !digits(minute) {
		return Part{}, false
	}
	at := 60*number(hour) + max(0, number(minute))
	return Part{at - 60, at + 60}, true
}

// Times of the clock, such as 14:30, 2 pm and 2:30pm.
var (
	clock24 = lazily(`\b([01]?\d|2[0-3]):([0-5]\d)\b`)
	clock12 = lazily(`\b(1[0-2]|0?[1-9])(?::([0-5]\d))?\s?([ap])\.?m\b`)
)

// clockTimes writes the times of the clock in a lower-cased text as one word each: 14h30.
func clockTimes(lower string) string {
	if !strings.ContainsAny(lower, "0123456789") || !strings.Contains(lower, ":") && !strings.Contains(lower, "m") {
		return lower
	}
	lower = clock12().ReplaceAllStringFunc(lower, func(found string) string {
		part := clock12().FindStringSubmatch(found)
		hour := number(part[1]) % 12
		if part[3] == "p" {
			hour += 12
		}
		return strconv.Itoa(hour) + "h" + cmp.Or(part[2], "00")
	})
	return clock24().ReplaceAllString(lower, "${1}h$2")
}
