package domain

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

// ParseWhen parses a time: one that [ParseTime] accepts, in the zone of now; a number
// of seconds (or milliseconds) since 1970; a duration before now ("24h", "7d", "2 days
// ago"); or now, today, yesterday, last week, last month, monday, last monday. Its
// Invalid error shows a valid form.
func ParseWhen(s string, now time.Time) (time.Time, error) {
	word := strings.ToLower(strings.TrimSpace(s))
	if t, ok := namedDay(word, now); ok {
		return t, nil
	}
	if t, ok := unixTime(word); ok {
		return t, nil
	}
	span := strings.TrimPrefix(strings.TrimSuffix(word, " ago"), "-")
	if d, ok := ParseSpan(span); ok && strings.ContainsAny(span, "abcdefghijklmnopqrstuvwxyz") {
		return Moment(now.Add(-d)), nil
	}
	t, err := parseTimeIn(strings.TrimSpace(s), now.Location())
	if err != nil {
		return time.Time{}, Invalid("%.60q is not a time; write it like 2026-01-31T15:04:05Z, 2026-01-31, or 7d for seven days ago", s)
	}
	return t, nil
}

// namedDay returns the beginning of a named day in the zone of now, or now itself.
func namedDay(word string, now time.Time) (time.Time, bool) {
	year, month, day := now.Date()
	switch word {
	case "now":
		return Moment(now), true
	case "today":
	case "yesterday":
		day--
	case "last week":
		day -= 7
	case "last month": // which may have fewer days
		month--
		day = min(day, time.Date(year, month+1, 0, 0, 0, 0, 0, time.UTC).Day())
	default:
		n, ok := weekday(strings.TrimPrefix(strings.TrimPrefix(word, "on "), "last "))
		if !ok {
			return time.Time{}, false
		}
		day -= 1 + (int(now.Weekday()-n)+6)%7 // the last one before today, as in a question
	}
	return Moment(DayBegin(year, month, day, now.Location())), true
}

func weekday(word string) (time.Weekday, bool) {
	for d := time.Sunday; d <= time.Saturday; d++ {
		if strings.EqualFold(d.String(), word) {
			return d, true
		}
	}
	return 0, false
}

// DayBegin is the beginning of a day in a zone: midnight, or an hour later if the
// clocks go forward at midnight.
func DayBegin(year int, month time.Month, day int, zone *time.Location) time.Time {
	t := time.Date(year, month, day, 0, 0, 0, 0, zone)
	if t.Hour() > 12 { // still the day before
		_, t = t.ZoneBounds()
	}
	return t
}

// BeginsDay reports whether a time is the beginning of a day in its zone.
func BeginsDay(t time.Time) bool {
	return t.Equal(DayBegin(t.Year(), t.Month(), t.Day(), t.Location()))
}

// unixTime parses seconds since 1970, or milliseconds if the number is too large for
// seconds. Four digits are a year.
func unixTime(word string) (time.Time, bool) {
	n, err := strconv.ParseFloat(word, 64)
	if err != nil || len(word) < 9 || n < 0 || n > 1e13 {
		return time.Time{}, false
	}
	if n > 1e11 {
		n /= 1000
	}
	whole, part := math.Modf(n)
	return Moment(time.Unix(int64(whole), int64(part*1e9))), true
}

// spanPart matches a number with its unit, spanAll a text of nothing but these.
var (
	spanPart = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(\d+(?:\.\d+)?)\s*([a-z]+)`) })
	spanAll  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?:\d+(?:\.\d+)?\s*[a-z]+[\s,]*)+$`) })
)

// units are the units of duration that people write; a month is 30 days.
var units = sync.OnceValue(func() map[string]time.Duration {
	return map[string]time.Duration{
		"ms": time.Millisecond,
		"s":  time.Second, "sec": time.Second, "second": time.Second,
		"m": time.Minute, "min": time.Minute, "minute": time.Minute,
		"h": time.Hour, "hr": time.Hour, "hour": time.Hour,
		"d": 24 * time.Hour, "day": 24 * time.Hour,
		"w": 7 * 24 * time.Hour, "week": 7 * 24 * time.Hour,
		"mo": 30 * 24 * time.Hour, "month": 30 * 24 * time.Hour,
		"y": 365 * 24 * time.Hour, "yr": 365 * 24 * time.Hour, "year": 365 * 24 * time.Hour,
	}
})

// ParseSpan parses a duration: "24h", "7d", "1d12h", "3 days", "90 min", ISO 8601's
// "P7D" and "PT24H", or just a number of seconds.
func ParseSpan(s string) (time.Duration, bool) {
	word := strings.ToLower(strings.TrimSpace(s))
	if n, err := strconv.ParseFloat(word, 64); err == nil {
		return stretch(n, time.Second)
	}
	if iso, ok := strings.CutPrefix(word, "p"); ok {
		date, clock, _ := strings.Cut(iso, "t")
		word = strings.ReplaceAll(date, "m", "mo") + clock
	}
	if !spanAll().MatchString(word) {
		return 0, false
	}
	var total time.Duration
	for _, part := range spanPart().FindAllStringSubmatch(word, -1) {
		unit, ok := unitOf(part[2])
		if !ok {
			return 0, false
		}
		n, _ := strconv.ParseFloat(part[1], 64)
		d, ok := stretch(n, unit)
		if !ok || total > math.MaxInt64-d {
			return 0, false
		}
		total += d
	}
	return total, true
}

func unitOf(word string) (time.Duration, bool) {
	if d, ok := units()[word]; ok {
		return d, true
	}
	d, ok := units()[strings.TrimSuffix(word, "s")]
	return d, ok
}

// stretch is n units, if that is a valid duration.
func stretch(n float64, unit time.Duration) (time.Duration, bool) {
	d := n * float64(unit)
	if math.IsNaN(d) || d < 0 || d >= math.MaxInt64 {
		return 0, false
	}
	return time.Duration(d), true
}
