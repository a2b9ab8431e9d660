package domain

import "unicode/utf8"

// Tokens estimates, from above, what text takes in a model's window: four ASCII
// characters a token, which is the makers' own rule of thumb for English and about right
// for code, and one token for each other character, as Chinese and Japanese take at
// worst; Cyrillic, Greek or Arabic take about half of that. It is 0 for "" alone.
//
// Events keep their estimate and the hash of a session's state covers the sum: by another
// rule, forks and imports of older sessions would have other hashes than these.
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
