package recall

import "bytes"

// stem reduces an English word to its stem in place and returns the stem's length. It
// implements the Porter2 (Snowball English) algorithm on bytes; words with other
// characters than a-z are not changed. It takes a third of the time of the library,
// with which a test compares it word by word.
func stem(w []byte) int {
	if len(w) < 3 || !plain(w) {
		return len(w)
	}
	if s := stemException(w); s != "" {
		return copy(w, s)
	}
	s := stemmer{w: w}
	s.markYs()
	s.regions()
	s.step1a()
	if !stemFinal(s.w) {
		s.step1b()
		s.step1c()
		s.suffixes(step2, s.r1)
		s.suffixes(step3, s.r1)
		s.suffixes(step4, s.r2)
		s.step5()
	}
	for i, c := range s.w {
		if c == 'Y' {
			s.w[i] = 'y'
		}
	}
	return len(s.w)
}

// stemException returns the stem of a word that the rules would get wrong, else "".
func stemException(w []byte) string {
	switch string(w) {
	case "skis":
		return "ski"
	case "skies":
		return "sky"
	case "dying":
		return "die"
	case "lying":
		return "lie"
	case "tying":
		return "tie"
	case "idly":
		return "idl"
	case "gently":
		return "gentl"
	case "ugly":
		return "ugli"
	case "early":
		return "earli"
	case "only":
		return "onli"
	case "singly":
		return "singl"
	case "sky", "news", "howe", "atlas", "cosmos", "bias", "andes":
		return string(w)
	}
	return ""
}

// stemFinal reports whether a word without its plural s is already a stem.
func stemFinal(w []byte) bool {
	switch string(w) {
	case "inning", "outing", "canning", "herring", "earring", "proceed", "exceed", "succeed":
		return true
	}
	return false
}

// stemmer holds a word being stemmed. Y stands for a y that counts as a consonant.
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
	return n >= 0 && s.w[len(s.w)-1] == suffix[len(suffix)-1] && string(s.w[n:]) == suffix
}

func (s *stemmer) drop(n int) { s.w = s.w[:len(s.w)-n] }

// swap replaces the last n letters by other.
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
				s.restoreStem()
			}
			return
		}
	}
}

// restoreStem restores the letter that an ending has taken, or removes a doubled one.
func (s *stemmer) restoreStem() {
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

// shortSyllable reports whether w[:n] ends in a short syllable.
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

// ending is a suffix and its replacement. after lists letters of which one must precede
// it; deep requires it to lie in R2.
type ending struct {
	suffix, into, after string
	deep                bool
}

// endings holds suffixes by their last letter, longest first.
type endings [26][]ending

func byLastLetter(list []ending) *endings {
	t := new(endings)
	for _, e := range list {
		last := e.suffix[len(e.suffix)-1] - 'a'
		t[last] = append(t[last], e)
	}
	return t
}

// of returns the suffixes with the word's last letter.
func (t *endings) of(w []byte) []ending {
	if last := w[len(w)-1] - 'a'; last < 26 {
		return t[last]
	}
	return nil // a Y, which counts as a consonant
}

var step2 = byLastLetter([]ending{
	{suffix: "ational", into: "ate"}, {suffix: "fulness", into: "ful"}, {suffix: "iveness", into: "ive"},
	{suffix: "ization", into: "ize"}, {suffix: "ousness", into: "ous"}, {suffix: "biliti", into: "ble"},
	{suffix: "lessli", into: "less"}, {suffix: "tional", into: "tion"}, {suffix: "alism", into: "al"},
	{suffix: "aliti", into: "al"}, {suffix: "ation", into: "ate"}, {suffix: "entli", into: "ent"},
	{suffix: "fulli", into: "ful"}, {suffix: "iviti", into: "ive"}, {suffix: "ousli", into: "ous"},
	{suffix: "abli", into: "able"}, {suffix: "alli", into: "al"}, {suffix: "anci", into: "ance"},
	{suffix: "ator", into: "ate"}, {suffix: "enci", into: "ence"}, {suffix: "izer", into: "ize"},
	{suffix: "bli", into: "ble"}, {suffix: "ogi", into: "og", after: "l"}, {suffix: "li", after: "cdeghkmnrt"},
})

var step3 = byLastLetter([]ending{
	{suffix: "ational", into: "ate"}, {suffix: "tional", into: "tion"}, {suffix: "alize", into: "al"},
	{suffix: "ative", deep: true}, {suffix: "icate", into: "ic"}, {suffix: "iciti", into: "ic"},
	{suffix: "ical", into: "ic"}, {suffix: "ness"}, {suffix: "ful"},
})

// suffixes replaces the longest suffix in the table that the word has, if it lies in
// the region.
func (s *stemmer) suffixes(table *endings, region int) {
	for _, e := range table.of(s.w) {
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

// follows reports whether one of the letters precedes position at.
func (s *stemmer) follows(at int, letters string) bool {
	return letters == "" || at > 0 && bytes.IndexByte([]byte(letters), s.w[at-1]) >= 0
}

var step4 = byLastLetter([]ending{
	{suffix: "ement"}, {suffix: "able"}, {suffix: "ance"}, {suffix: "ence"},
	{suffix: "ible"}, {suffix: "ment"}, {suffix: "ant"}, {suffix: "ate"},
	{suffix: "ent"}, {suffix: "ion", after: "st"}, {suffix: "ism"}, {suffix: "iti"},
	{suffix: "ive"}, {suffix: "ize"}, {suffix: "ous"}, {suffix: "al"},
	{suffix: "er"}, {suffix: "ic"},
})

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
