package recall

import (
	"fmt"
	"slices"
	"strings"
)

// Explain says briefly why a document was found.
func (r Ranked) Explain(q Question) string {
	var why []string
	add := func(on bool, text string) {
		if on {
			why = append(why, text)
		}
	}
	x, matched := r.Features, q.matched(r.Doc)
	if n := len(matched); n > 0 {
		why = append(why, fmt.Sprintf("has %s (%d of %d words)", quoteAll(matched), n, len(q.Terms)))
	}
	add(x[fPhrase] > 0, "has the quoted phrase")
	add(x[fPairs] > 0, "in the same order")
	add(len(matched) < len(q.Terms) && x[fSoftCoverage] > x[fCoverage]+0.1, "similar words")
	add(x[fSpeaker] > 0, "said by "+strings.Join(r.Doc.Speaker, " "))
	within := slices.Contains([]float64{dayWeight, monthWeight, yearWeight}, x[fDate])
	add(within, "from the time you name")
	add(!within && x[fDate] > yearWeight, "from about the time you name")
	add(x[fAnswers] > 0.1, "answers a question about it")
	add(x[fAnswers] <= 0.1 && max(x[fPrev1], x[fNext1]) > max(0.3, x[fTurn]), "stands beside a match")
	add(len(matched) == 0 && x[fCoverage] > 0, "has a word close to yours")
	add(len(matched) == 0 && x[fCoverage] == 0 && x[fSession] > 0.2, "the texts around it are about it")
	add(x[fWhenTime] > 0, "names a time")
	add(x[fCountNumber] > 0, "names a number")
	add(x[fDecision] > 0, "a decision")
	add(x[fInstruction] > 0, "says what always or never to do")
	add(x[fPreference] > 0, "says what is preferred")
	add(x[fNewest] > 0.3, "among the newest")
	add(x[fOldest] > 0.3, "among the oldest")
	add(x[fVector] > 0.5, "close in meaning")
	if len(why) == 0 {
		return "weak match"
	}
	return strings.Join(why, "; ")
}

func quoteAll(words []string) string {
	words = slices.Clone(words[:min(len(words), 6)])
	for i, w := range words {
		words[i] = `"` + w + `"`
	}
	return strings.Join(words, ", ")
}
