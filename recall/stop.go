package recall

import "strings"

// stopWords are English function words, which say nothing about the subject of a text.
// They are neither indexed nor searched for.
var stopWords = wordSet(`a about above after again all also am an and any are aren as at be because been before being below
between both but by can cannot could couldn did didn do does doesn doing don down during each few for from further had
hadn has hasn have haven having he her here hers herself him himself his how i if in into is isn it its itself just let
me more most my myself no nor not now of off on once only or other our ours ourselves out over own same she should
shouldn so some such than that the their theirs them themselves then there these they this those through to too under
until up very was wasn we were weren what when where which while who whom whose why will with won would wouldn you your
yours yourself yourselves s t d ll m re ve got get`)

func wordSet(list string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(list) {
		set[w] = true
	}
	return set
}

func stopWord(w []byte) bool { return len(w) <= 10 && stopWords[string(w)] }

// askWords are stems that say how to answer rather than what about.
var askWords = wordSet(`mention discuss talk tell say describ explain summar summari summaris provid give list order overview
	comprehens clear detail brief conversat chat session discuss across throughout aspect variou kind type sort name exampl
	main key overal approach handl bring walk item differ mani much question answer help need want would think accord
	everi anyth someth thing choos decid decis choic pick select`)

// askWeight is the relative weight of a term of a question.
func askWeight(term string) float64 {
	if askWords[term] {
		return 0.4
	}
	return 1
}
