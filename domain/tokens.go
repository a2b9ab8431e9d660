package domain

import "unicode/utf8"

// Tokens estimates how many tokens a text takes in a model's window, erring on the
// high side. It counts four ASCII characters as a token, which is the makers' rule of
// thumb for English and about right for code, and each other character as one, as for
// Chinese and Japanese at worst. Cyrillic, Greek or Arabic take about half of that.
// Only "" has 0 tokens.
//
// The rule must not change: events store their estimate, and the hash of a session's
// state covers the sum. With another rule, forks and imports of older sessions would
// get other hashes.
func Tokens(text string) int64 {
	ascii, other := 0, 0
	for i := 0; i < len(text); {
		if text[i] < utf8.RuneSelf {
			ascii++
			i++
			continue
		}
		_, size := utf8.DecodeRuneInString(text[i:])
		other++
		i += size
	}
	return int64((ascii+3)/4 + other)
}
