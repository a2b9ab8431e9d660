package memory

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// markName is the name of the quotation marks of memory, letters only.
const markName = "wakememory"

// openers are characters that begin a mark or look as if they did.
const openers = "<＜﹤‹〈〈⟨❮˂ᐸ"

// escapeMarks turns the beginning of everything that a reader might take for a mark
// into an entity, regardless of case, blanks, invisible characters and look-alike
// letters.
func escapeMarks(text string) string {
	var b strings.Builder
	from := 0
	for i, r := range text {
		if r != '<' && (r < 0x80 || !strings.ContainsRune(openers, r)) {
			continue
		}
		if end := i + utf8.RuneLen(r); opensMark(text[end:]) {
			b.WriteString(text[from:i] + "&lt;")
			from = end
		}
	}
	if from == 0 {
		return text
	}
	return b.String() + text[from:]
}

// opensMark reports whether the text after an opener reads as the name of a mark.
func opensMark(text string) bool {
	const between = 40 // characters, other than letters, that may stand in the name
	name, others := markName, 0
	for _, r := range text {
		switch r = plainLetter(r); {
		case name[0] == byte(r) && r < 0x80:
			if name = name[1:]; name == "" {
				return true
			}
		case unicode.IsLetter(r) || unicode.IsDigit(r) || others == between:
			return false
		default:
			others++
		}
	}
	return false
}

// lookalikes pairs letters of other scripts with the Latin letters they look like.
const lookalikes = "аaαaеeкkκkмmоoοoуyγyυyԝwωwѡwᴡwᴀaᴋkᴇeᴍmᴏoʀrʏyɑa"

// plainLetter is the Latin letter that a reader sees in a character, without accents,
// width and style. Other characters stay.
func plainLetter(r rune) rune {
	if r >= 0x80 {
		r, _ = utf8.DecodeRuneInString(norm.NFKD.String(string(r)))
	}
	r = unicode.ToLower(r)
	if i := strings.IndexRune(lookalikes, r); r >= 0x80 && i >= 0 {
		r, _ = utf8.DecodeRuneInString(lookalikes[i+utf8.RuneLen(r):])
	}
	return r
}
