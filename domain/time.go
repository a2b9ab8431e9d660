package domain

import (
	"strconv"
	"time"
)

// TimeLayout is the only form in which times are stored and shown: UTC, RFC 3339, with
// six decimals. Its text order is the order of time.
const TimeLayout = "2006-01-02T15:04:05.000000Z"

// Moment returns t in the precision of the store: in UTC, truncated to microseconds,
// in the years that [TimeLayout] can express. The zero time stays zero and means
// absent.
func Moment(t time.Time) time.Time {
	return tellable(t.UTC()).Truncate(time.Microsecond)
}

// tellable returns t, which is in UTC, or the nearest time with a four-digit year.
// Others could be formatted with [TimeLayout], but not parsed.
func tellable(t time.Time) time.Time {
	switch year := t.Year(); {
	case year < 0:
		return time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC)
	case year > 9999:
		return time.Date(9999, 12, 31, 23, 59, 59, 999_999_000, time.UTC)
	}
	return t
}

// FormatTime formats t with [TimeLayout]; "" for the zero time.
func FormatTime(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return string(AppendTime(make([]byte, 0, len(TimeLayout)), t))
}

// AppendTime appends t in [TimeLayout]. It uses RFC 3339, which the standard library
// formats twice as fast as a custom layout.
func AppendTime(b []byte, t time.Time) []byte {
	t = tellable(t.UTC())
	b = t.AppendFormat(b, time.RFC3339)
	point := len(b) - len("Z")
	b = strconv.AppendInt(b[:point], 1_000_000+int64(t.Nanosecond()/1000), 10)
	b[point] = '.'
	return append(b, 'Z')
}

// looseLayouts and dayLayouts are the forms in which people and models write times.
var looseLayouts = []string{
	time.RFC3339Nano,
	"2006-01-02T15:04:05.999999999Z0700",
	"2006-01-02T15:04:05.999999999",
	"2006-01-02 15:04:05.999999999Z07:00",
	"2006-01-02 15:04:05.999999999",
	"2006-01-02T15:04",
	"2006-01-02 15:04",
}

var dayLayouts = []string{"2006-01-02", "2006-01", "2006"}

// ParseTime parses RFC 3339 and shorter forms: a date, a date with minutes, a month or
// a year. Without a zone they are in UTC. Its Invalid error shows a valid form.
func ParseTime(s string) (time.Time, error) { return parseTimeIn(s, time.UTC) }

// parseTimeIn is [ParseTime] for times that without a zone are in place.
func parseTimeIn(s string, place *time.Location) (time.Time, error) {
	for _, layout := range looseLayouts {
		if t, err := time.ParseInLocation(layout, s, place); err == nil {
			return Moment(t), nil
		}
	}
	for _, layout := range dayLayouts {
		if t, err := time.Parse(layout, s); err == nil {
			return Moment(DayBegin(t.Year(), t.Month(), t.Day(), place)), nil
		}
	}
	return time.Time{}, Invalid("%q is not a time; write it like 2026-01-31T15:04:05Z or 2026-01-31", s)
}

// Span is a span of time, including From but not To. A zero end is open.
type Span struct {
	From, To time.Time
}
