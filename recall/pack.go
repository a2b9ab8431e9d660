package recall

import "strings"

// repeatShare is the share of words in common from which one text repeats
// another.
const repeatShare = 0.8

// Pack chooses texts for a budget of tokens: in their order, without those that
// say again what an earlier one said, and without those that no longer fit. It
// returns the places of the chosen ones. A budget of 0 or less is no limit.
func Pack(texts []string, budget int) []int {
	var kept []int
	var said []map[string]bool
	used := 0
	for i, text := range texts {
		cost := EstimateTokens(text)
		if budget > 0 && used+cost > budget {
			continue
		}
		words := map[string]bool{}
		for _, t := range Analyze(strings.ToLower(text)) {
			words[t] = true
		}
		if repeats(words, said) {
			continue
		}
		kept, said, used = append(kept, i), append(said, words), used+cost
	}
	return kept
}

// repeats says whether nearly all words were in one earlier text, and that text
// had few others.
func repeats(words map[string]bool, said []map[string]bool) bool {
	if len(words) == 0 {
		return false
	}
	for _, before := range said {
		common := 0
		for w := range words {
			if before[w] {
				common++
			}
		}
		if float64(common) >= repeatShare*float64(len(words)+len(before)-common) {
			return true
		}
	}
	return false
}

// EstimateTokens is about how many tokens a language model takes for a text: a
// token for four bytes of Latin script, one for each ideograph.
func EstimateTokens(text string) int {
	bytes, signs := 0, 0
	for _, r := range text {
		switch {
		case r < 0x80:
			bytes++
		case ideographic(r):
			signs++
		default:
			bytes += 2
		}
	}
	return (bytes+3)/4 + signs
}
