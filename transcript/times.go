package transcript

import (
	"bytes"
	"encoding/json"
	"math"
	"regexp"
	"strconv"
	"sync"
	"time"

	"wake/domain"
)

// stamp is a time in a foreign file: RFC 3339 text, or seconds or milliseconds since
// 1970, also as text.
type stamp struct{ time.Time }

// UnmarshalJSON never fails: an unreadable time counts as absent.
func (s *stamp) UnmarshalJSON(data []byte) error {
	var text string
	var n float64
	if json.Unmarshal(data, &n) == nil && n > 0 {
		s.Time = epochTime(n)
	} else if json.Unmarshal(data, &text) == nil {
		s.Time = textTime(text)
	}
	return nil
}

// textTime returns the time in a text, or the zero time. A number below 1e8 may be a year.
func textTime(text string) time.Time {
	if n, err := strconv.ParseFloat(text, 64); err == nil && n > 1e8 {
		return epochTime(n)
	}
	t, _ := domain.ParseTime(text)
	return t
}

// or returns the time, or other if it is absent.
func (s stamp) or(other time.Time) time.Time {
	if s.IsZero() {
		return other
	}
	return s.Time
}

// rowTime is the time of a row as written, because rows are also identified by it: RFC
// 3339 text. Seconds or milliseconds since 1970, also as text, are converted to it.
type rowTime string

// UnmarshalJSON never fails: an unreadable time counts as absent.
func (r *rowTime) UnmarshalJSON(data []byte) error {
	if json.Unmarshal(data, (*string)(r)) != nil {
		*r = rowTime(data)
	}
	if n, err := strconv.ParseFloat(string(*r), 64); err == nil && n > 1e8 {
		if *r = ""; !epochTime(n).IsZero() {
			*r = rowTime(domain.FormatTime(epochTime(n)))
		}
	}
	return nil
}

// time returns the zero time if the row has no readable time.
func (r rowTime) time() time.Time {
	t, err := domain.ParseTime(string(r))
	if err != nil {
		return time.Time{}
	}
	return t
}

// epochTime interprets n as seconds or, if it is too large for that, milliseconds.
func epochTime(n float64) time.Time {
	micros := n * 1e6
	if n > 1e11 {
		micros = n * 1e3
	}
	if micros > 253402300799e6 { // after the year 9999
		return time.Time{}
	}
	return time.UnixMicro(int64(math.Round(micros))).UTC()
}

// Began returns the first time in the head of a transcript, or the zero time if there
// is none.
func Began(head []byte) time.Time {
	pattern := firstTime()
	if bytes.Contains(head, []byte(`"trace_type":`)) { // what AutoByteus' tools answer may have a time of another name
		pattern = firstTraceTime()
	}
	found := pattern.FindSubmatch(head)
	if found == nil {
		return time.Time{}
	}
	var at rowTime
	_ = at.UnmarshalJSON(found[1])
	return at.time()
}

var firstTime = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`"(?:timestamp|startTime|startedAt)"\s*:\s*("[^"]{10,40}"|\d{9,16})`)
})

var firstTraceTime = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`"ts"\s*:\s*(\d{9,10}(?:\.\d+)?)`)
})
