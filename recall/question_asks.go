package recall

import (
	"cmp"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"wake/domain"
)

// askScan is how many bytes of a question are searched for what it asks. A longer one
// is a text to which similar texts are wanted.
const askScan = 1 << 10

// spaced returns the start of a text in lower case, with single spaces around its words
// and its dates as English writes them.
func spaced(text string) string {
	text = strings.NewReplacer("’", "'", "–", "-").Replace(domain.Head(text, askScan))
	text = strings.Join(strings.Fields(strings.ToLower(norm.NFKC.String(text))), " ") // 6:00  PM
	var words []string
	for w := range strings.FieldsFuncSeq(clockTimes(englishDates(text)), func(r rune) bool { return !wordRune(r) && r != '-' && r != '\'' }) {
		if w = strings.Trim(w, "'"); w != "" { // 'yesterday'
			words = append(words, cmp.Or(contractions[w], w))
		}
	}
	return " " + strings.Join(words, " ") + " "
}

// contractions are short forms by how they are typed in haste, without the apostrophe. Those
// that are other words then, too (ill, were, its), are left out.
var contractions = withoutApostrophes(`isn't aren't wasn't weren't don't doesn't didn't can't couldn't wouldn't shouldn't won't haven't hasn't
	hadn't ain't what's where's when's who's how's that's there's you're they're you've they've`)

func withoutApostrophes(list string) map[string]string {
	set := map[string]string{}
	for _, w := range strings.Fields(list) {
		set[strings.ReplaceAll(w, "'", "")] = w
	}
	return set
}

func hasPhrase(spaced string, phrases []string) bool {
	return slices.ContainsFunc(phrases, func(p string) bool { return strings.Contains(spaced, p) })
}

// requests reports whether a question asks for something new. A fact that is asked for is
// told well without what the asker wants in general; advice is not, however it is asked for.
func requests(spaced string) bool {
	fact := startsWith(spaced, asksFact) || startsWith(spaced, asksWhen) || startsWith(spaced, asksWhere) || hasPhrase(spaced, asksCount) ||
		strings.Contains(spaced, " did ")
	return !hasPhrase(spaced, asksBefore) && (!fact || hasPhrase(spaced, asksAdvice))
}

func startsWith(spaced string, phrases []string) bool {
	return slices.ContainsFunc(phrases, func(p string) bool { return strings.HasPrefix(spaced, p) })
}

// askedWords is how many words follow one that begins a question in most questions, but
// seldom a noun or name.
const askedWords = 4

// startsAsking reports whether the first word of a text, without what follows an apostrophe
// ("who's"), is one that questions begin with. "can" and "will" are also a noun and a name
// ("can bus wiring", "Will Smith"), so a question has to go on with what it is about.
func startsAsking(spaced string) bool {
	first, rest, _ := strings.Cut(spaced[1:], " ")
	first, _, _ = strings.Cut(first, "'")
	if first == "can" || first == "will" {
		next := strings.Fields(rest)
		return len(next) > 0 && beginsSubject[next[0]] || len(next) >= askedWords
	}
	return asksAnything[first]
}

// asksAnything are the words that a question begins with.
var asksAnything = wordSet(`what which who whom whose when where why how does did is are was were can could should would will has have
	wer was wo wann warum wieso weshalb wie welche welcher welches welchen
	qui que quoi quand où pourquoi comment quel quelle quels quelles
	qué quién cuándo dónde cómo cuál cuáles por`)

// beginsSubject are words that the subject of a question begins with.
var beginsSubject = wordSet(`i you we he she it they one there this that these those the a an my your his her its our their any anyone some someone`)

// Phrases that show what a question asks for. A space marks a word boundary.
var (
	asksWhen = []string{" when ", " what date ", " what day ", " what month ", " what year ", " what time ", " which date ",
		" which day ", " which month ", " which year ", " how long ", " how many days ", " how many weeks ", " how many months ",
		" how many years "}
	asksCount = []string{" how many ", " how much ", " how old ", " how often ", " how far ", " how long ", " what number ",
		" what percent", " what amount ", " what price ", " what cost ", " what version "}
	asksWhere = []string{" where ", " what city ", " what country ", " what place ", " what state ", " what town ",
		" what location ", " which city ", " which country ", " which place ", " which state ", " which town "}
	asksDecided = []string{" we decid", " we choose ", " we chose ", " we chosen ", " we pick", " we settle", " we agree", " we go with ", " we going with ",
		" we went with ", " we end up ", " we ended up ", " we use ", " we using ", " was decided ", " got decided ", " was chosen ",
		" got chosen ", " was picked ", " got picked ", " was settled ", " was agreed ", " decision on ", " decision about ", " decision for ",
		" decisions on ", " decisions about ", " the decision ", " our decision", " wir uns entschied", " wir uns für ", " entscheidung für ",
		" entscheidung zu"}
	asksMany = []string{" how many ", " how often ", " all the ", " all of ", " all my ", " list ", " each ", " every ",
		" summar", " overview "}
	asksYou = []string{" did you ", " have you ", " can you ", " could you ", " you recommend", " you suggest", " you explain",
		" you advise", " you outline", " you describe", " you break", " you say ", " you said ", " you told ", " you propose",
		" you gave ", " your advice ", " your recommend", " your suggest", " your answer ", " your plan "}
	asksMe = []string{" did i ", " have i ", " had i ", " was i ", " am i ", " do i ", " should i ", " can i ", " could i ",
		" my ", " i've ", " i said ", " i mentioned ", " i told ", " i set ", " i met ", " i have ", " i had ", " i was ",
		" i want", " i need"}
	asksBefore = []string{" did i ", " have i ", " had i ", " did we ", " have we ", " did you ", " have you ", " i said ", " i mention", " i told ",
		" i brought ", " i asked ", " i discuss", " i talked ", " we discuss", " we talked ", " you said ", " you told ", " you suggested ",
		" you recommended ", " our conversation", " our chat", " our discussion", " our session", " summar", " overview ", " over time ",
		" how many days ", " how many weeks ", " how many months "}
	asksFact = []string{" who ", " who's ", " whose ", " where ", " where's ", " when ", " when's ", " which ", " why ", " what is ", " what's ",
		" what was ", " what were ", " what does ", " how does ", " does ", " do we ", " is ", " was ", " were ", " has ",
		" wer ", " wo ", " wann ", " warum ", " wieso ", " weshalb ", " welche", " wie viel", " wie lange ", " qui ", " quand ", " où ",
		" pourquoi ", " quel", " quién", " cuándo ", " dónde ", " cuál", " por qué "}
	asksAdvice = []string{" should ", " would ", " could ", " can ", " do you suggest", " do you recommend", " do you advise", " best ", " a good ",
		" way to ", " ways to ", " allowed ", " supposed to ", " better ", " soll", " kann", " könn", " empfiehl", " besser", " devr", " peux ", " peut ", " puis ", " conseill",
		" mieux ", " pued", " deber", " recomiend", " mejor"}
	asksNewest = []string{" last ", " latest ", " newest ", " recent ", " recently ", " lately ", " current ", " currently ", " now ",
		" today ", " these days ", " up to date ",
		" letzte ", " letzten ", " letzter ", " letztes ", " letztem ", " zuletzt ", " jetzt ", " neueste", " neuste", " aktuell", " derzeit", " momentan", " dernier", " dernière", " récent", " récemment ",
		" actuel", " en ce moment ", " maintenant ", " últim", " reciente", " actuales ", " actualmente ", " ahora ", " recente ", " recentes ", " recentemente ", " atual ", " atuais ", " atualmente ", " agora ",
		" ultimo ", " ultima ", " attual", " adesso ", " laatst", " nieuwste ", " huidige ", " momenteel ", " последн", " текущ", " сейчас ", " недавн",
		" güncel ", " şu an ", " şu anda ", " mới nhất ", " hiện tại ", "最新", "最近", "目前", "当前", "现在", "現在", "최신", "최근", "현재"}
	asksOldest = []string{" first ", " earliest ", " initial ", " initially ", " original ", " originally ", " oldest ",
		" in the beginning ",
		" erste ", " ersten ", " erster ", " erstes ", " ursprünglich", " anfangs ", " älteste", " le premier ", " première ", " initiale",
		" au début ", " el primer ", " primera ", " primero ", " inicial ", " iniciais ", " iniciales ", " inicialmente ", " originalmente ", " primeira ", " primeiro ", " il primo ", " la prima ", " iniziale ",
		" eerste ", " oorspronkelijk", " первый ", " первая ", " первое ", " первую ", " изначально ", "最初", "처음", "최초"}
)

// asked lists the two words after each "what" and "which": what a question asks for, as in
// "which new tools".
func asked(spaced string) (out []string) {
	words := strings.Fields(spaced)
	for i, w := range words {
		if w == "what" || w == "which" {
			out = append(out, words[i+1:min(i+3, len(words))]...)
		}
	}
	return out
}

// plural reports whether a word of a question may be a plural.
func plural(word string) bool {
	return len(word) > 3 && strings.HasSuffix(word, "s") && !strings.HasSuffix(word, "ss")
}

func order(spaced string) Order {
	n, o := hasPhrase(spaced, asksNewest), hasPhrase(spaced, asksOldest)
	switch {
	case n && !o:
		return Newest
	case o && !n:
		return Oldest
	}
	return AnyTime
}
