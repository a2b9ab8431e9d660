package domain_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"wake/domain"
)

// What is written without reading the layout is what the layout says, in any zone
// and year that a source may tell.
func TestFormatTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		zone := time.FixedZone("", rapid.IntRange(-14*3600, 14*3600).Draw(t, "zone"))
		at := time.Unix(rapid.Int64Range(-70_000_000_000, 400_000_000_000).Draw(t, "second"), rapid.Int64Range(0, 999_999_999).Draw(t, "nano")).In(zone)
		if got, want := domain.FormatTime(at), at.UTC().Format(domain.TimeLayout); got != want {
			t.Fatalf("%v is written %s, not %s", at, got, want)
		}
	})
}
