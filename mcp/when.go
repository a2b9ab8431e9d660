package mcp

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"wake/domain"
)

// parseWhen reads a moment: a time as [domain.ParseTime] takes it, a number of
// seconds (or milliseconds) since 1970, a stretch before now ("24h", "7d",
// "2 days ago"), or now, today, yesterday.
func parseWhen(s string, now time.Time) (time.Time, error) {
	word := strings.ToLower(strings.TrimSpace(s))
	if t, ok := namedDay(word, now); ok {
		return t, nil
	}
	if t, ok := unixTime(word); ok {
		return t, nil
	}
	span := strings.TrimPrefix(strings.TrimSuffix(word, " ago"), "-")
	if d, ok := parseSpan(span); ok && strings.ContainsAny(span, "abcdefghijklmnopqrstuvwxyz") {
		return domain.Moment(now.Add(-d)), nil
	}
	t, err := domain.ParseTime(strings.TrimSpace(s))
	if err != nil {
		return time.Time{}, domain.Invalid("%q is not a time; write it like 2026-01-31T15:04:05Z, 2026-01-31, or 7d for seven days ago", clip(s, 60))
	}
	return t, nil
}

// namedDay reads a day by its name, from midnight in UTC, and now.
func namedDay(word string, now time.Time) (time.Time, bool) {
	midnight := now.UTC().Truncate(24 * time.Hour)
	switch word {
	case "now":
		return domain.Moment(now), true
	case "today":
		return midnight, true
	case "yesterday":
		return midnight.AddDate(0, 0, -1), true
	case "last week":
		return midnight.AddDate(0, 0, -7), true
	case "last month":
		return midnight.AddDate(0, -1, 0), true
	}
	return time.Time{}, false
}

// unixTime reads seconds since 1970, or milliseconds where the number is too
// large for seconds of this age. Four digits are a year, not a second.
func unixTime(word string) (time.Time, bool) {
	n, err := strconv.ParseFloat(word, 64)
	if err != nil || len(word) < 9 || n < 0 || n > 1e14 {
		return time.Time{}, false
	}
	if n > 1e11 {
		n /= 1000
	}
	whole, part := math.Modf(n)
	return domain.Moment(time.Unix(int64(whole), int64(part*1e9))), true
}

// spanPart is a number with its unit; spanAll a whole text of them.
var (
	spanPart = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(\d+(?:\.\d+)?)\s*([a-z]+)`) })
	spanAll  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?:\d+(?:\.\d+)?\s*[a-z]+[\s,]*)+$`) })
)

// units are the stretches of time that people name; a month is 30 days.
var units = map[string]time.Duration{
	"s": time.Second, "sec": time.Second, "second": time.Second,
	"m": time.Minute, "min": time.Minute, "minute": time.Minute,
	"h": time.Hour, "hr": time.Hour, "hour": time.Hour,
	"d": 24 * time.Hour, "day": 24 * time.Hour,
	"w": 7 * 24 * time.Hour, "week": 7 * 24 * time.Hour,
	"mo": 30 * 24 * time.Hour, "month": 30 * 24 * time.Hour,
	"y": 365 * 24 * time.Hour, "year": 365 * 24 * time.Hour,
}

// parseSpan reads "24h", "7d", "1d12h", "3 days", "90 min", ISO 8601's "P7D" and
// "PT24H", and a bare number of seconds.
func parseSpan(s string) (time.Duration, bool) {
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
	if d, ok := units[word]; ok {
		return d, true
	}
	d, ok := units[strings.TrimSuffix(word, "s")]
	return d, ok
}

// stretch is n units, where these are a stretch of time at all.
func stretch(n float64, unit time.Duration) (time.Duration, bool) {
	d := n * float64(unit)
	if math.IsNaN(d) || d < 0 || d >= math.MaxInt64 {
		return 0, false
	}
	return time.Duration(d), true
}
