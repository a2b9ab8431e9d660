package domain_test

import (
	"testing"
	"time"

	"wake/domain"
)

func TestParseWhen(t *testing.T) {
	noon := time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC) // a Monday
	for in, want := range map[string]time.Time{
		"now": noon, "today": noon.Add(-12 * time.Hour), "yesterday": noon.Add(-36 * time.Hour),
		"7d": noon.AddDate(0, 0, -7), "2 days ago": noon.AddDate(0, 0, -2), "-90m": noon.Add(-90 * time.Minute),
		"1d12h": noon.Add(-36 * time.Hour), "PT24H": noon.Add(-24 * time.Hour),
		"2026": time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), "2026-03": time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC),
		"2026-03-01T10:00:00+02:00": time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC),
		"sunday":                    noon.Add(-36 * time.Hour), "Monday": noon.AddDate(0, 0, -7).Add(-12 * time.Hour),
		"last tuesday": noon.AddDate(0, 0, -6).Add(-12 * time.Hour), "on Friday": noon.AddDate(0, 0, -3).Add(-12 * time.Hour),
		"1777896000": noon, "1777896000000": noon, "100000000": time.Unix(1e8, 0), "99999999999": time.Unix(99999999999, 0),
		"last week": noon.AddDate(0, 0, -7).Add(-12 * time.Hour), "Saturday": noon.AddDate(0, 0, -2).Add(-12 * time.Hour),
	} {
		got, err := domain.ParseWhen(in, noon)
		if err != nil || !got.Equal(want) {
			t.Errorf("ParseWhen(%q) = %v, %v; want %v", in, got, err, want)
		}
	}
	for _, in := range []string{"", "3", "soon", "last", "someday", "5 parsecs", "99999999999999999999d", "2026-13-45", "20260131150405", "-1777896000", "99999999"} {
		if got, err := domain.ParseWhen(in, noon); domain.KindOf(err) != domain.KindInvalid {
			t.Errorf("ParseWhen(%q) = %v, %v; want an Invalid error", in, got, err)
		}
	}
}

// A month ends before the next begins, and a day begins where its clocks do.
func TestParseWhenDays(t *testing.T) {
	santiago, err := time.LoadLocation("America/Santiago")
	if err != nil {
		t.Skip(err)
	}
	cairo, err := time.LoadLocation("Africa/Cairo")
	if err != nil {
		t.Skip(err)
	}
	day := func(year int, month time.Month, day, hour int, zone *time.Location) time.Time {
		return time.Date(year, month, day, hour, 0, 0, 0, zone)
	}
	for _, c := range []struct {
		in        string
		now, want time.Time
	}{
		{"last month", day(2026, 5, 31, 12, time.UTC), day(2026, 4, 30, 0, time.UTC)},
		{"last month", day(2024, 3, 31, 12, time.UTC), day(2024, 2, 29, 0, time.UTC)},
		{"last month", day(2026, 1, 31, 12, time.UTC), day(2025, 12, 31, 0, time.UTC)},
		{"last month", day(2026, 10, 6, 12, santiago), day(2026, 9, 6, 1, santiago)},
		{"today", day(2026, 9, 6, 12, santiago), day(2026, 9, 6, 1, santiago)}, // there is no midnight
		{"yesterday", day(2026, 9, 7, 12, santiago), day(2026, 9, 6, 1, santiago)},
		{"today", day(2026, 4, 24, 12, cairo), day(2026, 4, 24, 1, cairo)},
		{"2026-09-06", day(2026, 9, 7, 12, santiago), day(2026, 9, 6, 1, santiago)},
	} {
		if got, err := domain.ParseWhen(c.in, c.now); err != nil || !got.Equal(c.want) {
			t.Errorf("ParseWhen(%q, %v) = %v, %v; want %v", c.in, c.now, got, err, c.want)
		}
	}
}

func TestParseSpan(t *testing.T) {
	for in, want := range map[string]time.Duration{
		"24h": 24 * time.Hour, "7d": 7 * 24 * time.Hour, "3600": time.Hour, "1.5 hours": 90 * time.Minute, "90 min": 90 * time.Minute,
		"2w": 14 * 24 * time.Hour, "P7D": 7 * 24 * time.Hour, "PT90M": 90 * time.Minute, "P1M": 30 * 24 * time.Hour, "1 day, 2 hours": 26 * time.Hour,
		"500ms": 500 * time.Millisecond, "2 yrs": 730 * 24 * time.Hour,
	} {
		if got, ok := domain.ParseSpan(in); !ok || got != want {
			t.Errorf("ParseSpan(%q) = %v, %v; want %v", in, got, ok, want)
		}
	}
	for _, in := range []string{"", "-5h", "h", "1e400", "NaN", "tomorrow", "12 furlongs", "200y 200y", "9223372037"} {
		if got, ok := domain.ParseSpan(in); ok {
			t.Errorf("ParseSpan(%q) = %v; want none", in, got)
		}
	}
}
