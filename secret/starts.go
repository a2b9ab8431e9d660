package secret

// Most words are no secrets. Tables of how secrets begin rule them out cheaply.

// rulesByStart holds tokenRules by the first two bytes of their prefix, by their lower five
// bits. There are too many to try all for each word.
var rulesByStart = func() (table [1 << 10][]tokenRule) {
	for _, r := range tokenRules {
		at := start(r.prefix)
		table[at] = append(table[at], r)
	}
	return table
}()

func start(word string) uint { return uint(word[0]&31)<<5 | uint(word[1]&31) }

// mayBegin reports whether a word may be a token of [finder.token]. It rules out
// nearly all others.
func mayBegin(word string) bool {
	if len(word) < 3 {
		return false
	}
	if isDigit(word[0]) {
		return len(word) > 8 && isDigit(word[1]) && isDigit(word[7]) || isAzureKey(word)
	}
	at := beginning(word)
	return beginnings[at>>6]&(1<<(at&63)) != 0 || isAzureKey(word)
}

// beginnings is the set of the first three bytes of tokens, by their lower five bits.
var beginnings = func() (table [1 << 15 / 64]uint64) {
	put := func(word string) {
		at := beginning(word)
		table[at>>6] |= 1 << (at & 63)
	}
	put("eyJ") // of a JSON web token
	put("bearer")
	put("basic")
	put("bot") // before a bot's token in a URL
	for _, command := range []string{"ENV", "set", "config", "sqlplus", "net", "identified"} {
		put(command)
	}
	for _, word := range []string{"password", "token", "secret", "key"} { // see [finder.said]
		put(word)
	}
	for _, first := range discordFirst {
		for _, third := range discordThird {
			put(first + string(third))
		}
	}
	for _, r := range tokenRules {
		if len(r.prefix) > 2 {
			put(r.prefix)
			continue
		}
		for c := range byte(32) {
			put(r.prefix + string(rune(c)))
		}
	}
	return table
}()

func beginning(word string) uint {
	return uint(word[0]&31)<<10 | uint(word[1]&31)<<5 | uint(word[2]&31)
}
