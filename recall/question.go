package recall

import (
	"slices"
	"strings"
	"unicode/utf8"
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
			words := timedWords(ask)
			if q.Ago = ago(words); q.Ago == nil {
				q.Ago = agoInOtherLanguages(ask)
			}
			if q.Ago == nil && onlyAsks(besideTimes(words), func(w string) bool { return timeWords()[w] }) {
				for _, m := range vague(words) {
					q.Ago = append(q.Ago, m.Ago)
				}
			}
		}
		if q.Ago == nil { // "last week" does not ask for the last of something
			q.Order = order(ask)
		} else if strings.Contains(ask, " the first ") && q.OnlyTime() {
			q.Order = Oldest
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
