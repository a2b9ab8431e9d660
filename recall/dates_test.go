package recall

import (
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// The quick look passes no date over.
func TestMayHaveDate(t *testing.T) {
	words := append(strings.Split(monthNames, "|"), strings.Fields("jan feb mar apr jun jul aug sep sept oct nov dec decision mark 19 20 2024 1999 20240 05 5th st of é _ -")...)
	rapid.Check(t, func(t *rapid.T) {
		text := ""
		for _, word := range rapid.SliceOfN(rapid.SampledFrom(words), 0, 5).Draw(t, "words") {
			text += word + rapid.SampledFrom([]string{" ", "", "-", ", "}).Draw(t, "between")
		}
		for _, pattern := range []func() *regexp.Regexp{isoDate, yearWord, monthDay, dayMonth} {
			if found := pattern().FindString(text); found != "" && !mayHaveDate(text) {
				t.Fatalf("%q names %q", text, found)
			}
		}
	})
	if mayHaveDate("the decision of 1999999 is marked") {
		t.Error("a text without a date is looked through")
	}
}
