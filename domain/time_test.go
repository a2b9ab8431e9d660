package domain_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"wake/domain"
)

// What is written without reading the layout is what the layout says, in any zone
// and year that a source may tell; what lies outside of the years that it can tell
// is written as the nearest in them, which can be read again.
func TestFormatTime(t *testing.T) {
	first, last := time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(9999, 12, 31, 23, 59, 59, 999_999_999, time.UTC)
	rapid.Check(t, func(t *rapid.T) {
		zone := time.FixedZone("", rapid.IntRange(-14*3600, 14*3600).Draw(t, "zone"))
		at := time.Unix(rapid.Int64Range(-70_000_000_000, 400_000_000_000).Draw(t, "second"), rapid.Int64Range(0, 999_999_999).Draw(t, "nano")).In(zone)
		near := at
		if at.Before(first) {
			near = first
		} else if at.After(last) {
			near = last
		}
		got := domain.FormatTime(at)
		if want := near.UTC().Format(domain.TimeLayout); got != want {
			t.Fatalf("%v is written %s, not %s", at, got, want)
		}
		if read, err := time.Parse(domain.TimeLayout, got); err != nil || !read.Equal(domain.Moment(at)) {
			t.Fatalf("%s is read as %v, %v; kept as %v", got, read, err, domain.Moment(at))
		}
	})
	absent := time.Time{}.In(time.FixedZone("", 3600))
	if got := domain.FormatTime(absent); got != "" || domain.Moment(absent) != (time.Time{}) {
		t.Errorf("no time is written %q, kept as %v", got, domain.Moment(absent))
	}
}
