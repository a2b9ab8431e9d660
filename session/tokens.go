package session

import "unicode/utf8"

// messageOverhead is what a message takes in a window beside its text.
const messageOverhead = 4

// Tokens estimates what text takes in a model's window: four ASCII characters a
// token, as English and code do roughly, and one token for each other character,
// as Chinese or Japanese do at worst. It never returns less than 1 for a text.
func Tokens(text string) int64 {
	if text == "" {
		return 0
	}
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
