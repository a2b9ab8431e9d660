package recall

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"wake/domain"

	"golang.org/x/text/unicode/norm"
)

// Order says which end of time a question prefers.
type Order int

// The orders that a question may prefer.
const (
	AnyTime Order = iota
	Newest        // "last", "latest", "recent", "current", "now"
	Oldest        // "first", "initially", "originally"
)

// Question is what a query asks for, as far as its words tell. The zero value asks for
// nothing. Negations are ignored: "not working" asks for "working".
type Question struct {
	Text    string
	Terms   []string    // distinct content terms in order, as Analyze gives them
	Words   []string    // the same words as typed
	Wholes  []string    // squeezed compounds among the words: `authtoken` for auth_token
	Pairs   [][2]string // terms that follow one another
	Phrases [][]string  // terms of each quoted phrase
	Names   []string    // terms of capitalised words
	Dates   []Date      // days, months and years named
	Ago     []Ago       // times counted back from now, if no date is named
	Kinds   []string    // terms of what it may ask for one of: "which test framework"
	Order   Order
	Asks    bool // it is put as a question, not as key words or another text
	When    bool // asks for a time
	Count   bool // asks for a number
	Where   bool // asks for a place
	Decided bool // asks what was decided: "which one did we choose"
	Many    bool // asks for several things: "which hobbies", "all the"
	Request bool // asks for something new, like help or advice, not for what was said or for a fact
	ByMe    bool // about what the asker said or has: "did I", "my"
	ByYou   bool // about what the assistant said: "did you suggest", "your advice"
}

// Understand analyses a question. Any text is a question; one without content words has
// no Terms.
func Understand(text string) Question {
	q := Question{Text: text}
	toks := slices.DeleteFunc(Tokens(text), func(t Token) bool { return contractions[strings.ToLower(text[t.Start:t.End])] != "" })
	q.terms(toks)
	q.Phrases = quoted(text)
	q.Names = names(text, toks)
	ask := spaced(text)
	if q.length() <= orderTerms {
		q.Asks = endsAsking(text) || startsAsking(ask)
		q.Dates = dates(englishMonths(ask))
		if q.Dates == nil {
			if q.Ago = ago(strings.Fields(ask)); q.Ago == nil {
				q.Ago = agoInOtherLanguages(ask)
			}
		}
		if q.Ago == nil { // "last week" does not ask for the last of something
			q.Order = order(ask)
		}
	}
	q.When = hasPhrase(ask, asksWhen)
	q.Count = hasPhrase(ask, asksCount)
	q.Where = hasPhrase(ask, asksWhere)
	what := asked(ask)
	q.Kinds = Analyze(strings.Join(what, " "))
	q.Decided = hasPhrase(ask, asksDecided)
	q.Many = hasPhrase(ask, asksMany) || slices.ContainsFunc(what, plural)
	q.Request = q.Asks && requests(ask)
	q.ByYou = hasPhrase(ask, asksYou)
	q.ByMe = !q.ByYou && hasPhrase(ask, asksMe)
	return q
}

// askScan is how many bytes of a question are searched for what it asks. A longer one
// is a text to which similar texts are wanted.
const askScan = 1 << 10

// orderTerms is the most words of a text that is put as a question, or asks for a time or
// for the first or last of something. In a longer text, such words belong to its content.
const orderTerms = 16

// length is the number of words of a question. Of a run of ideographs each character
// begins a term; three of them are about as much as a word of English.
func (q *Question) length() int {
	n := 0
	for _, t := range q.Terms {
		if ideographicTerm(t) {
			n++
		}
	}
	return len(q.Terms) - n + (n+2)/3
}

// spaced returns the start of a text in lower case, with single spaces around its words
// and its dates as English writes them.
func spaced(text string) string {
	text = strings.ReplaceAll(domain.Head(text, askScan), "’", "'")
	text = englishDates(strings.ToLower(norm.NFKC.String(text)))
	words := strings.FieldsFunc(text, func(r rune) bool { return !wordRune(r) && r != '-' && r != '\'' })
	for i, w := range words {
		words[i] = cmp.Or(contractions[w], w)
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

// terms collects the distinct terms and the pairs of adjacent ones. A run of ideographs
// contributes its bigrams; a single character counts only if it stands alone.
func (q *Question) terms(toks []Token) {
	seen := map[string]bool{}
	last := ""
	for i, t := range toks {
		if t.Whole && !single(toks, i) {
			if !seen[t.Term] && !ideographicTerm(t.Term) {
				seen[t.Term] = true
				q.Wholes = append(q.Wholes, t.Term)
			}
			continue
		}
		if last != "" && last != t.Term {
			q.Pairs = append(q.Pairs, [2]string{last, t.Term})
		}
		last = t.Term
		if !seen[t.Term] {
			seen[t.Term] = true
			q.Terms = append(q.Terms, t.Term)
			q.Words = append(q.Words, q.Text[t.Start:t.End])
		}
	}
}

// matched lists the question's words that a document contains.
func (q *Question) matched(d *Document) []string {
	var out []string
	for i, t := range q.Terms {
		if d.has(t) {
			out = append(out, q.Words[i])
		}
	}
	return out
}

// single reports whether the token is an ideograph without another beside it.
func single(toks []Token, i int) bool {
	if !ideographicTerm(toks[i].Term) {
		return false
	}
	before := i > 0 && toks[i-1].End >= toks[i].Start && ideographicTerm(toks[i-1].Term)
	after := i+1 < len(toks) && toks[i+1].Start <= toks[i].End && ideographicTerm(toks[i+1].Term)
	return !before && !after
}

func ideographicTerm(term string) bool {
	for _, r := range term {
		return ideographic(r)
	}
	return false
}

// quotePairs maps opening quotation marks to closing ones.
var quotePairs = map[rune]string{'"': "\"", '“': "”", '«': "»", '「': "」", '`': "`"}

const maxPhrases = 8

// quoted returns the terms of each phrase in quotation marks.
func quoted(text string) [][]string {
	var out [][]string
	for len(out) < maxPhrases {
		at := strings.IndexAny(text, "\"“«「`")
		if at < 0 {
			break
		}
		open, size := utf8.DecodeRuneInString(text[at:])
		closing := quotePairs[open]
		rest := text[at+size:]
		end := strings.Index(rest, closing)
		if end < 0 {
			break
		}
		if terms := plainTerms(rest[:end]); len(terms) > 0 {
			out = append(out, terms)
		}
		text = rest[end+len(closing):]
	}
	return out
}

// plainTerms returns the terms of a text without joined compounds.
func plainTerms(text string) []string {
	var terms []string
	for _, t := range Tokens(text) {
		if !t.Whole {
			terms = append(terms, t.Term)
		}
	}
	return terms
}

// names returns the terms of capitalised words.
func names(text string, toks []Token) []string {
	var out []string
	for _, t := range toks {
		if !t.Whole && t.End-t.Start > 1 && capitalAt(text, t.Start) && !slices.Contains(out, t.Term) {
			out = append(out, t.Term)
		}
	}
	return out
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
		" way to ", " ways to ", " allowed ", " supposed to ", " soll", " kann", " könn", " devr", " peux ", " peut ", " puis ", " pued", " deber"}
	asksNewest = []string{" last ", " latest ", " newest ", " recent ", " recently ", " current ", " currently ", " now ",
		" today ", " these days ", " up to date "}
	asksOldest = []string{" first ", " earliest ", " initial ", " initially ", " original ", " originally ", " oldest ",
		" in the beginning "}
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
