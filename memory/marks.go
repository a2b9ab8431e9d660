package memory

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// markName is what the name of a mark is known by: its letters.
const markName = "wakememory"

// openers begin a mark, or look as if they did.
const openers = "<＜﹤‹〈〈⟨❮˂ᐸ"

// escapeMarks writes the beginning of whatever a reader might take for a mark as an entity.
// Case, blanks, invisible characters and letters that look alike make no difference.
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

// opensMark reports whether what stands behind an opener reads as the name of a mark.
func opensMark(text string) bool {
	const between = 40 // characters that are no letters
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

// lookalikes are letters of other scripts, each before the one that it looks like.
const lookalikes = "аaαaеeкkκkмmоoοoуyγyυyԝwωwѡwᴡwᴀaᴋkᴇeᴍmᴏoʀrʏyɑa"

// plainLetter is the letter of the alphabet that a reader sees in a character, without its
// accents, width and style; other characters stay.
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
