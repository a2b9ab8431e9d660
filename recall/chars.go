package recall

import (
	"unicode"
	"unicode/utf8"

	"wake/domain"

	"golang.org/x/text/unicode/norm"
)

// Classes of ASCII characters.
const (
	letter = 1 << iota
	upper
	digit
	joiner

	alnum = letter | digit
)

// classes and lower are looked up for each byte scanned.
var (
	classes = asciiClasses()
	lower   = asciiLower()
)

func asciiClasses() (t [utf8.RuneSelf]byte) {
	for c := range t {
		switch {
		case c >= 'a' && c <= 'z':
			t[c] = letter
		case c >= 'A' && c <= 'Z':
			t[c] = letter | upper
		case c >= '0' && c <= '9':
			t[c] = digit
		}
	}
	for _, c := range "_-./\\'@+#:," {
		t[c] = joiner
	}
	return t
}

func asciiLower() (t [utf8.RuneSelf]byte) {
	for c := range t {
		t[c] = byte(c)
		if classes[c]&upper != 0 {
			t[c] = byte(c) + 'a' - 'A'
		}
	}
	return t
}

// digits reports whether s is made of ASCII digits.
func digits(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf || classes[s[i]] != digit {
			return false
		}
	}
	return len(s) > 0
}

// maxHumps is the most parts of one word. A string with more of them (base64, a hash)
// is not made of words.
const maxHumps = 8

// humps splits a word where its case or kind changes: parse|HTTP|Request, sha|256. If
// digits and letters alternate more than once, or the parts are mostly single letters,
// it is kept whole and n is 1.
func humps(w string) (parts [maxHumps]mark, n int) {
	start, mixed, small := 0, 0, 0
	for i := 1; i <= len(w); i++ {
		if i < len(w) {
			switch hump(w, i) {
			case 0:
				continue
			case digit:
				mixed++
			}
		}
		if n == maxHumps || mixed > 1 {
			return parts, 1
		}
		if i-start < 2 {
			small++
		}
		parts[n] = mark{start, i}
		n++
		start = i
	}
	if small*2 >= n && n > 1 {
		return parts, 1
	}
	return parts, n
}

// hump returns which kind of part starts at i: digit where letters and digits meet,
// upper at a change of case, or 0.
func hump(w string, i int) byte {
	if w[i] >= utf8.RuneSelf || w[i-1] >= utf8.RuneSelf {
		return 0
	}
	a, b := classes[w[i-1]], classes[w[i]]
	switch {
	case a&digit != b&digit:
		return digit
	case b&upper == 0:
		return 0
	case a&upper == 0:
		return upper
	case i+1 < len(w) && w[i+1] < utf8.RuneSelf && classes[w[i+1]]&(letter|upper) == letter && i+2 < len(w):
		return upper
	}
	return 0
}

// foldWord appends s in lower case, with compatibility forms (full-width letters,
// ligatures) normalised and accents dropped.
func foldWord(dst []byte, s string) []byte {
	for _, r := range norm.NFKD.String(s) {
		switch {
		case r >= 0x300 && r <= 0x36F, r == '\'', r == '’', optional(r):
		case r < utf8.RuneSelf:
			dst = append(dst, lower[r])
		default:
			dst = foldRune(dst, r)
		}
	}
	return dst
}

// optional reports whether r is a sign that Hebrew and Arabic words mostly go without: one
// of the points, of the short vowels, or what draws a word out.
func optional(r rune) bool {
	return r >= 0x591 && r <= 0x5C7 && unicode.Is(unicode.Mn, r) || r >= 0x64B && r <= 0x652 || r == 0x670 || r == 0x640
}

// foldRune appends the base form of a letter that has no Unicode decomposition.
func foldRune(dst []byte, r rune) []byte {
	switch r {
	case 'ß', 'ẞ':
		return append(dst, "ss"...)
	case 'æ', 'Æ':
		return append(dst, "ae"...)
	case 'œ', 'Œ':
		return append(dst, "oe"...)
	case 'ø', 'Ø':
		return append(dst, 'o')
	case 'ł', 'Ł':
		return append(dst, 'l')
	case 'đ', 'Đ', 'ð', 'Ð':
		return append(dst, 'd')
	case 'þ', 'Þ':
		return append(dst, "th"...)
	case 'ı':
		return append(dst, 'i')
	}
	return utf8.AppendRune(dst, unicode.ToLower(r))
}

// appendNarrow appends CJK text with half-width and compatibility forms normalised. Most of
// it needs none of that, which would take most of the time of an analysis.
func appendNarrow(dst []byte, s string) []byte {
	for i, r := range s {
		if !isNormal(r) && (i == 0 || !isThaiTone(r)) {
			return norm.NFKC.AppendString(dst, s)
		}
	}
	return append(dst, s...)
}

// isNormal reports whether r is a common character that normalising leaves alone, whatever
// stands before it: of Chinese, Japanese, Korean or Thai.
func isNormal(r rune) bool {
	switch {
	case r >= 0x4E00 && r <= 0x9FFF, r >= 0x3400 && r <= 0x4DBF, r >= 0xAC00 && r <= 0xD7A3:
		return true
	case r >= 0x3041 && r <= 0x3096, r >= 0x30A1 && r <= 0x30FC:
		return true
	}
	return r >= 0x0E01 && r <= 0x0E46 && r != 0x0E33 && !(r >= 0x0E38 && r <= 0x0E3F)
}

// isThaiTone reports whether r is a mark of tone. Behind one character, normalising leaves
// it alone.
func isThaiTone(r rune) bool { return r >= 0x0E48 && r <= 0x0E4B }

// cut shortens s to at most maxTerm bytes without splitting a character.
func cut(s string) string { return domain.Head(s, maxTerm) }

func cutBytes(b []byte) []byte { return b[:len(cut(string(b)))] }
