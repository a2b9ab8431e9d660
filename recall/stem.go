package recall

import "bytes"

// stem reduces an English word to its stem in place and returns the stem's
// length. It is the Porter2 (Snowball English) algorithm on bytes; words that
// are not plain a-z stay as they are. It is our own for its speed (a third of
// the library's time); a test holds it to the library word by word.
func stem(w []byte) int {
	if len(w) < 3 || !plain(w) {
		return len(w)
	}
	if len(w) <= 7 {
		if s, ok := stemExceptions[string(w)]; ok {
			return copy(w, s)
		}
	}
	s := stemmer{w: w}
	s.markYs()
	s.regions()
	s.step1a()
	if !stemFinal[string(s.w)] {
		s.step1b()
		s.step1c()
		s.suffixes(step2, s.r1)
		s.suffixes(step3, s.r1)
		s.step4()
		s.step5()
	}
	for i, c := range s.w {
		if c == 'Y' {
			s.w[i] = 'y'
		}
	}
	return len(s.w)
}

var stemExceptions = map[string]string{
	"skis": "ski", "skies": "sky", "dying": "die", "lying": "lie", "tying": "tie", "idly": "idl", "gently": "gentl",
	"ugly": "ugli", "early": "earli", "only": "onli", "singly": "singl",
	"sky": "sky", "news": "news", "howe": "howe", "atlas": "atlas", "cosmos": "cosmos", "bias": "bias", "andes": "andes",
}

var stemFinal = map[string]bool{
	"inning": true, "outing": true, "canning": true, "herring": true, "earring": true,
	"proceed": true, "exceed": true, "succeed": true,
}

// stemmer is a word on its way to the stem; a Y in it counts as a consonant.
type stemmer struct {
	w      []byte
	r1, r2 int
}

func plain(w []byte) bool {
	for _, c := range w {
		if c < 'a' || c > 'z' {
			return false
		}
	}
	return true
}

func vowel(c byte) bool {
	switch c {
	case 'a', 'e', 'i', 'o', 'u', 'y':
		return true
	}
	return false
}

func (s *stemmer) markYs() {
	for i, c := range s.w {
		if c == 'y' && (i == 0 || vowel(s.w[i-1])) {
			s.w[i] = 'Y'
		}
	}
}

// regions finds R1, the part after the first consonant that follows a vowel,
// and R2, the same within R1.
func (s *stemmer) regions() {
	s.r1 = -1
	for _, p := range []string{"gener", "commun", "arsen"} {
		if bytes.HasPrefix(s.w, []byte(p)) {
			s.r1 = len(p)
		}
	}
	if s.r1 < 0 {
		s.r1 = s.region(0)
	}
	s.r2 = s.region(s.r1)
}

func (s *stemmer) region(from int) int {
	for i := from + 1; i < len(s.w); i++ {
		if !vowel(s.w[i]) && vowel(s.w[i-1]) {
			return i + 1
		}
	}
	return len(s.w)
}

func (s *stemmer) ends(suffix string) bool {
	n := len(s.w) - len(suffix)
	return n >= 0 && string(s.w[n:]) == suffix
}

func (s *stemmer) drop(n int) { s.w = s.w[:len(s.w)-n] }

// swap puts other in the place of the last n letters.
func (s *stemmer) swap(n int, other string) { s.w = append(s.w[:len(s.w)-n], other...) }

func (s *stemmer) hasVowel(end int) bool {
	for _, c := range s.w[:max(end, 0)] {
		if vowel(c) {
			return true
		}
	}
	return false
}

func (s *stemmer) step1a() {
	switch {
	case s.ends("sses"):
		s.drop(2)
	case s.ends("ied"), s.ends("ies"):
		if len(s.w) > 4 {
			s.drop(2)
		} else {
			s.drop(1)
		}
	case s.ends("us"), s.ends("ss"):
	case s.ends("s"):
		if s.hasVowel(len(s.w) - 2) {
			s.drop(1)
		}
	}
}

func (s *stemmer) step1b() {
	for _, suf := range []string{"eedly", "eed"} {
		if s.ends(suf) {
			if len(s.w)-len(suf) >= s.r1 {
				s.swap(len(suf), "ee")
			}
			return
		}
	}
	for _, suf := range []string{"ingly", "edly", "ing", "ed"} {
		if s.ends(suf) {
			if s.hasVowel(len(s.w) - len(suf)) {
				s.drop(len(suf))
				s.mend()
			}
			return
		}
	}
}

// mend gives a stem back the letter that an ending took, or takes the doubled
// one.
func (s *stemmer) mend() {
	n := len(s.w)
	switch {
	case s.ends("at"), s.ends("bl"), s.ends("iz"):
		s.w = append(s.w, 'e')
	case n >= 2 && s.w[n-1] == s.w[n-2] && bytes.IndexByte([]byte("bdfgmnprt"), s.w[n-1]) >= 0:
		s.drop(1)
	case s.r1 >= n && s.shortSyllable(n):
		s.w = append(s.w, 'e')
	}
}

// shortSyllable says whether w[:n] ends in a short syllable.
func (s *stemmer) shortSyllable(n int) bool {
	if n == 2 {
		return vowel(s.w[0]) && !vowel(s.w[1])
	}
	if n < 3 {
		return false
	}
	c := s.w[n-1]
	return !vowel(c) && c != 'w' && c != 'x' && c != 'Y' && vowel(s.w[n-2]) && !vowel(s.w[n-3])
}

func (s *stemmer) step1c() {
	n := len(s.w)
	if n > 2 && (s.w[n-1] == 'y' || s.w[n-1] == 'Y') && !vowel(s.w[n-2]) {
		s.w[n-1] = 'i'
	}
}

// ending is a suffix and what stands in its place; after lists the letters one
// of which must come before it, deep asks for it to lie in R2.
type ending struct {
	suffix, into, after string
	deep                bool
}

// The longest suffix comes first.
var step2 = []ending{
	{suffix: "ational", into: "ate"}, {suffix: "fulness", into: "ful"}, {suffix: "iveness", into: "ive"},
	{suffix: "ization", into: "ize"}, {suffix: "ousness", into: "ous"}, {suffix: "biliti", into: "ble"},
	{suffix: "lessli", into: "less"}, {suffix: "tional", into: "tion"}, {suffix: "alism", into: "al"},
	{suffix: "aliti", into: "al"}, {suffix: "ation", into: "ate"}, {suffix: "entli", into: "ent"},
	{suffix: "fulli", into: "ful"}, {suffix: "iviti", into: "ive"}, {suffix: "ousli", into: "ous"},
	{suffix: "abli", into: "able"}, {suffix: "alli", into: "al"}, {suffix: "anci", into: "ance"},
	{suffix: "ator", into: "ate"}, {suffix: "enci", into: "ence"}, {suffix: "izer", into: "ize"},
	{suffix: "bli", into: "ble"}, {suffix: "ogi", into: "og", after: "l"}, {suffix: "li", after: "cdeghkmnrt"},
}

var step3 = []ending{
	{suffix: "ational", into: "ate"}, {suffix: "tional", into: "tion"}, {suffix: "alize", into: "al"},
	{suffix: "ative", deep: true}, {suffix: "icate", into: "ic"}, {suffix: "iciti", into: "ic"},
	{suffix: "ical", into: "ic"}, {suffix: "ness"}, {suffix: "ful"},
}

// suffixes replaces the longest suffix of the table that the word has, where it
// lies in the region.
func (s *stemmer) suffixes(table []ending, region int) {
	for _, e := range table {
		if !s.ends(e.suffix) {
			continue
		}
		at := len(s.w) - len(e.suffix)
		if at >= region && (!e.deep || at >= s.r2) && s.follows(at, e.after) {
			s.swap(len(e.suffix), e.into)
		}
		return
	}
}

// follows says whether one of the letters stands before place at.
func (s *stemmer) follows(at int, letters string) bool {
	return letters == "" || at > 0 && bytes.IndexByte([]byte(letters), s.w[at-1]) >= 0
}

var step4 = []string{
	"ement", "able", "ance", "ence", "ible", "ment", "ant", "ate", "ent", "ion", "ism", "iti", "ive", "ize", "ous",
	"al", "er", "ic",
}

func (s *stemmer) step4() {
	for _, suf := range step4 {
		if !s.ends(suf) {
			continue
		}
		at := len(s.w) - len(suf)
		if at >= s.r2 && (suf != "ion" || s.follows(at, "st")) {
			s.drop(len(suf))
		}
		return
	}
}

func (s *stemmer) step5() {
	n := len(s.w)
	switch {
	case s.ends("e"):
		if n-1 >= s.r2 || n-1 >= s.r1 && !s.shortSyllable(n-1) {
			s.drop(1)
		}
	case s.ends("ll"):
		if n-1 >= s.r2 {
			s.drop(1)
		}
	}
}
