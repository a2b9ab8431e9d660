package main

import (
	"testing"
	"time"
)

// Times on the command line are in the local zone, like printed ones, unless they name
// a zone.
func TestTypedTimesAreLocal(t *testing.T) {
	tokyo := time.FixedZone("JST", 9*60*60)
	p := timeParser{now: time.Date(2026, 5, 4, 12, 0, 0, 0, tokyo)}
	for typed, want := range map[string]string{
		"2026-05-04":                "2026-05-03T15:00:00Z",
		"2026-05-04 09:30":          "2026-05-04T00:30:00Z",
		"2026-05-04T09:30:00Z":      "2026-05-04T09:30:00Z",
		"2026-05-04T09:30:00+02:00": "2026-05-04T07:30:00Z",
		"3h":                        "2026-05-04T00:00:00Z",
		"yesterday":                 "2026-05-02T15:00:00Z",
	} {
		if got := p.parse(typed).UTC().Format(time.RFC3339); got != want || p.err != nil {
			t.Errorf("%q is %s, want %s (%v)", typed, got, want, p.err)
		}
	}
}
