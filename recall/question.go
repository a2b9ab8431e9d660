package recall

import (
	"regexp"
	"slices"
	"strings"
)

// Order says which end of time a question prefers.
type Order int

// The orders that a question may ask for.
const (
	AnyTime Order = iota
	Newest        // "last", "latest", "recent", "current", "now"
	Oldest        // "first", "initially", "originally"
)

// Question is what a query asks for, as far as its words tell. Its zero value
// asks for nothing. Negations are left alone: "not working" asks for work.
type Question struct {
	Text    string
	Terms   []string    // distinct content terms in order, as Analyze gives them
	Words   []string    // the same as they are written
	Wholes  []string    // squeezed compounds among the words: `authtoken` for auth_token
	Pairs   [][2]string // terms that follow one another
	Phrases [][]string  // terms of each quoted phrase
	Names   []string    // terms of words written with a capital within a sentence
	Dates   []Date      // days, months and years named
	Order   Order
	When    bool // asks for a time
	Count   bool // asks for a number
	Where   bool // asks for a place
	Many    bool // asks for several things: "which hobbies", "all the"
	ByMe    bool // about what the asker said or has: "did I", "my"
	ByYou   bool // about what the assistant said: "did you suggest", "your advice"
}

// Date is a time that a question names; 0 means not named.
type Date struct{ Year, Month, Day int }

// Understand reads a question. Any text is a question; one without content
// words has no Terms.
func Understand(text string) Question {
	q := Question{Text: text}
	q.terms(Tokens(text))
	q.Phrases = quoted(text)
	q.Names = names(text)
	lower := strings.ToLower(text)
	q.Dates = dates(lower)
	q.Order = order(lower)
	q.When = asksWhen.MatchString(lower)
	q.Count = asksCount.MatchString(lower)
	q.Where = asksWhere.MatchString(lower)
	q.Many = asksMany.MatchString(lower)
	q.ByYou = asksYou.MatchString(lower)
	q.ByMe = !q.ByYou && asksMe.MatchString(lower)
	return q
}

// terms takes the distinct terms and the pairs of neighbours. Of a run of
// ideographs the bigrams are taken, the single characters only where the run is
// one character long.
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

// matched lists the question's words that a document has.
func (q *Question) matched(d *Document) []string {
	var out []string
	for i, t := range q.Terms {
		if slices.Contains(d.Terms, t) {
			out = append(out, q.Words[i])
		}
	}
	return out
}

// single says whether the token is an ideograph without an ideograph beside it.
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

var quotes = regexp.MustCompile("\"([^\"]{2,200})\"|“([^”]{2,200})”|«([^»]{2,200})»|「([^」]{1,200})」|`([^`]{2,200})`")

// quoted returns the terms of each phrase in quotation marks.
func quoted(text string) [][]string {
	var out [][]string
	for _, m := range quotes.FindAllStringSubmatch(text, 8) {
		var terms []string
		for _, t := range Tokens(strings.Join(m[1:], "")) {
			if !t.Whole {
				terms = append(terms, t.Term)
			}
		}
		if len(terms) > 0 {
			out = append(out, terms)
		}
	}
	return out
}

var capital = regexp.MustCompile(`(?:^|[.!?]\s+)?(\p{Lu}[\p{L}\p{N}]+)`)

// names returns the terms of words with a capital, those that only begin a
// sentence left out when they are stop words anyway.
func names(text string) []string {
	var out []string
	seen := map[string]bool{}
	for _, m := range capital.FindAllStringSubmatch(text, 32) {
		for _, t := range Analyze(m[1]) {
			if !seen[t] {
				seen[t] = true
				out = append(out, t)
			}
		}
	}
	return out
}

var (
	asksWhen  = regexp.MustCompile(`\bwhen\b|what (?:date|day|month|year|time)|which (?:date|day|month|year)|how (?:long|many (?:days|weeks|months|years))`)
	asksCount = regexp.MustCompile(`how (?:many|much|old|often|far|long)|what (?:number|percent|amount|price|cost|version)`)
	asksWhere = regexp.MustCompile(`\bwhere\b|(?:what|which) (?:city|country|place|state|town|location)`)
	asksMany  = regexp.MustCompile(`\b(?:what|which)(?: \w+)? \w+[^s\W]s\b|how many|how often|\ball (?:the|of|my)\b|\blist\b|\beach\b|\bevery\b|\bsummar|\boverview\b`)
	asksYou   = regexp.MustCompile(`\b(?:did|have|can|could) you\b|\byou (?:recommend|suggest|explain|advise|outline|describe|break|say|said|told|propose|gave)|\byour (?:advice|recommend|suggest|answer|plan)`)
	asksMe    = regexp.MustCompile(`\b(?:did|have|had|was|am|do|should|can|could) i\b|\bmy\b|\bi(?:'ve| (?:said|mentioned|told|set|met|have|had|was|want|need))\b`)

	newest = regexp.MustCompile(`\b(?:last|latest|newest|recent|recently|current|currently|now|most recent|today|these days|up to date)\b`)
	oldest = regexp.MustCompile(`\b(?:first|earliest|initial|initially|original|originally|oldest|in the beginning)\b`)
)

func order(lower string) Order {
	n, o := newest.MatchString(lower), oldest.MatchString(lower)
	switch {
	case n && !o:
		return Newest
	case o && !n:
		return Oldest
	}
	return AnyTime
}
