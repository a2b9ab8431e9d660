package recall

import (
	"strings"
	"sync"
)

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
	comprehens clear detail brief conversat chat session across throughout aspect variou kind type sort name exampl
	main key overal approach handl bring walk item differ mani much question answer help need want would think accord
	everi anyth someth thing choos decid decis choic pick select`)

// functionWords are terms of German, French, Spanish and Russian that say nothing about
// what a question is about. Unlike stopWords they are indexed. In a store that is mostly
// English each of them would count as a rare word. Those that are also English words or
// names of programs are left out (war, die, mit, comment, del, su), and so is im, which
// I'm becomes, too.
var functionWords = sync.OnceValue(func() map[string]bool {
	set := map[string]bool{}
	for _, t := range Analyze(`der das dem ein eine einen einem einer eines und oder aber ist sind waren wird werden wurde wurden haben
		hatte ich wir ihr sie von vom zu zum zur auf für bei beim nach aus über wie wer wo wann warum wieso welche welcher welches
		welchen welchem nicht kein keine auch noch sich als wenn dass
		les une et sont était étaient estce dans avec sur que qui quoi quand pourquoi quel quelle quels quelles ce cette il
		elle nous vous ils elles
		los las una unos unas por para qué quién cuándo cómo dónde cuál cuáles sus fue fueron está están
		и в во не на с со что как где когда кто почему какой какая какое какие для из по от это этот мы я он она они был была было
		были о об у к ко за при`) {
		set[t] = true
	}
	return set
})

// functionWord reports whether a term is a word of grammar of German, French, Spanish or
// Russian, and none of English.
func functionWord(term string) bool { return functionWords()[term] }

// askWeight is the relative weight of a term of a question.
func askWeight(term string) float64 {
	switch {
	case askWords[term]:
		return 0.4
	case functionWord(term):
		return 0.1
	}
	return 1
}
