package domain

import (
	"unicode"
	"unicode/utf8"
)

// Head returns the longest beginning of text that has at most n bytes and ends between
// two characters.
func Head(text string, n int) string {
	if len(text) <= n {
		return text
	}
	return text[:Break(text, n)]
}

// Clip shortens text to at most n code points, ending in an ellipsis if something was
// cut. It returns "" if n is below 1.
func Clip(text string, n int) string {
	if n < 1 {
		return ""
	}
	if len(text) <= n {
		return text
	}
	count, end := 0, 0
	for i := range text {
		if count++; count == n {
			end = i
		}
		if count > n {
			return text[:Break(text, end)] + "…"
		}
	}
	return text
}

// longestCharacter is the most code points of what a reader takes for one character. What
// has more of them is cut anywhere.
const longestCharacter = 16

// Break returns the last place in text up to at, in bytes, between two characters as a
// reader sees them: an accent stays with its letter, and an emoji or a flag is whole.
func Break(text string, at int) int {
	for at > 0 && at < len(text) && !utf8.RuneStart(text[at]) {
		at--
	}
	place := at
	for range longestCharacter {
		if place <= 0 || place >= len(text) || !joined(text, place) {
			return place
		}
		_, size := utf8.DecodeLastRuneInString(text[:place])
		place -= size
	}
	return at
}

const zeroWidthJoiner = '\u200d'

// joined reports whether the code points before and after a place in text belong to one
// character.
func joined(text string, at int) bool {
	after, _ := utf8.DecodeRuneInString(text[at:])
	if after < 0x300 {
		return false
	}
	before, _ := utf8.DecodeLastRuneInString(text[:at])
	switch {
	case unicode.Is(unicode.M, after), after == zeroWidthJoiner, before == zeroWidthJoiner:
		return true
	case after >= 0x1160 && after <= 0x11FF, after == 0xFF9E, after == 0xFF9F: // within a Korean syllable; the mark of a half-width kana
		return true
	case after >= 0x1F3FB && after <= 0x1F3FF, after >= 0xE0020 && after <= 0xE007F: // the colour of a skin; what follows the flag of a region
		return true
	}
	return isFlagLetter(after) && flagLetters(text[:at])%2 == 1
}

// isFlagLetter reports whether r is one of the letters of which two make a flag.
func isFlagLetter(r rune) bool { return r >= 0x1F1E6 && r <= 0x1F1FF }

// flagLetters counts those at the end of text.
func flagLetters(text string) int {
	n := 0
	for {
		r, size := utf8.DecodeLastRuneInString(text)
		if !isFlagLetter(r) {
			return n
		}
		text, n = text[:len(text)-size], n+1
	}
}
