package recall

import (
	"regexp"
	"strings"
	"testing"

	"github.com/kljensen/snowball/english"
)

// stemWords has every suffix of the algorithm on stems of several shapes.
func stemWords() []string {
	stems := strings.Fields(`comm gener arsen h sk y lov hop hopp plan plann fall fill agre siz troubl connect relat
		condit rat valen hesit digit conform radic differ vil anal vietnam predic oper feud decis sensit form
		triplic electr good reviv allow infer airlin gyroscop adjust defens irrit replac depend adopt commun
		activ effect bowdler ceas contr roll tan try cr sa be key play enjoy nat bed shr beau luxuri`)
	ends := strings.Fields(`s es ies ied sses us ss ed eed eedly ing ingly edly y ational tional enci anci izer bli alli
		entli eli ousli ization ation ator alism iveness fulness ousness aliti iviti biliti icate ative alize iciti
		ical ful ness al ance ence er ic able ible ant ement ment ent ion sion tion ism ate iti ous ive ize e ll l
		ly li ogi logy fully lessly ously eously ability`)
	words := strings.Fields(`skis skies dying lying tying idly gently ugly early only singly sky news howe atlas cosmos
		bias andes inning outings canning herrings earring proceed exceed succeed proceeding youth yes boy saying
		generate generously communism arsenic arsenal luxuriously happy happiness cried by dies ties gas this gaps`)
	for _, s := range stems {
		words = append(words, s)
		for _, e := range ends {
			words = append(words, s+e)
		}
	}
	return words
}

// Our stemmer gives what the library gives.
func TestStemAgreesWithSnowball(t *testing.T) {
	for _, w := range stemWords() {
		b := []byte(w)
		if got, want := string(b[:stem(b)]), english.Stem(w, true); got != want {
			t.Errorf("stem(%q) = %q, want %q", w, got, want)
		}
	}
}

// So it does for any run of letters.
func FuzzStem(f *testing.F) {
	for _, w := range []string{"relational", "hopping", "agreed", "national"} {
		f.Add(w)
	}
	plainWord := regexp.MustCompile(`^[a-z]{1,30}$`)
	f.Fuzz(func(t *testing.T, w string) {
		if !plainWord.MatchString(w) {
			t.Skip()
		}
		b := []byte(w)
		if got, want := string(b[:stem(b)]), english.Stem(w, true); got != want {
			t.Errorf("stem(%q) = %q, want %q", w, got, want)
		}
	})
}

func BenchmarkStem(b *testing.B) {
	words := stemWords()
	buf := make([]byte, 0, 64)
	for i := 0; b.Loop(); i++ {
		w := append(buf, words[i%len(words)]...)
		stem(w)
	}
}

func BenchmarkStemLibrary(b *testing.B) {
	words := stemWords()
	for i := 0; b.Loop(); i++ {
		english.Stem(words[i%len(words)], true)
	}
}
