package recall_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"wake/recall"
)

// Terms are counted in an encoded document as often as the document has them, and
// damaged bytes are an error at worst.
func TestTermSetCounts(t *testing.T) {
	word := rapid.SampledFrom([]string{"cache", "cold", "parseHTTP", "auth_token", "left-pad", "tea", "3", "茶は温かい", "Anna"})
	rapid.Check(t, func(t *rapid.T) {
		text := ""
		for _, w := range rapid.SliceOfN(word, 0, 200).Draw(t, "words") {
			text += w + rapid.SampledFrom([]string{" ", ". "}).Draw(t, "gap")
		}
		d := analysed(7, text)
		asked := []string{"cach", "cold", "pars", "authtoken", "tea", "3", "nowhere", "anna", "@anna"}
		set, data := recall.NewTermSet(asked), d.Encode()
		tally, err := set.Count(data)
		if err != nil {
			t.Fatal(err)
		}
		terms, counts := d.Counts()
		for i, a := range asked {
			want := 0
			if at := slices.Index(terms, a); at >= 0 {
				want = counts[at]
			}
			if tally.Times[i] != want {
				t.Errorf("%q is counted %d times in %q, want %d", a, tally.Times[i], text, want)
			}
		}
		if tally.Project != "p" || tally.Words != len(d.Seq) || tally.Passages != len(d.Passages) {
			t.Errorf("%+v of %d words in %d passages", tally, len(d.Seq), len(d.Passages))
		}
		damaged := slices.Clone(data[:rapid.IntRange(0, len(data)).Draw(t, "length")])
		if len(damaged) > 0 {
			damaged[rapid.IntRange(0, len(damaged)-1).Draw(t, "place")] ^= rapid.Byte().Draw(t, "bits")
		}
		_, _ = set.Count(damaged)
	})
}
