package recall

import (
	"hash/fnv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Entry is what recall needs to know about a context when it is saved.
type Entry struct {
	N         int64 // number of the context; later saves have higher numbers
	Prev      int64 // the previous context in the same session, 0 for none (see [StreamOf])
	Project   string
	Session   string // session id or label, empty for none
	Content   string
	Summary   string // only if a caller gave it
	Rationale string
	Source    string
	Tags      []string
	Time      time.Time
}

// Document is an analysed context, with everything that ranking needs, so that a
// question never analyses saved text again. It is immutable.
type Document struct {
	N, Prev  int64
	Project  string
	Stream   uint64      // its session, see [StreamOf]
	Time     int64       // Unix seconds
	In       *Vocabulary // vocabulary of the words below, its own or a shared one
	Seq      []uint32    // the text as word numbers, without joined compounds
	Wholes   []uint32    // joined compounds as word numbers
	Speaker  []string    // terms of the source
	Passages []Passage
	Role     Role
	Asks     bool // the text ends in a question
}

// Passage is a run of about passageTerms terms that ends at the end of a sentence.
type Passage struct {
	End   uint32 // its end in Seq
	Marks Marks
}

// Marks say what kinds of words occur in a passage.
type Marks uint8

// The kinds of words for which passages are marked.
const (
	HasTime   Marks = 1 << iota // yesterday, in May, 2024
	HasNumber                   // 3, twice, dozen
	HasName                     // a capital letter within a sentence
)

// Role distinguishes what people say from what programs write.
type Role uint8

// The roles of a source.
const (
	Other     Role = iota // somebody with a name
	User                  // user, human
	Assistant             // assistant, model
	Program               // mcp, cli, a hook: nobody speaks
)

const (
	passageTerms = 45
	headTerms    = 12
)

// StreamOf returns a number for the session of a context. All contexts of a project
// without a session form one stream, in the order of their numbers.
func StreamOf(project, session string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(project))
	h.Write([]byte{0})
	h.Write([]byte(session))
	return h.Sum64()
}

// NewDocument analyses a context.
func NewDocument(e Entry) *Document {
	d := (&Document{Speaker: Analyze(e.Source), Role: roleOf(e.Source), In: &Vocabulary{}}).At(e)
	b := builder{doc: d, places: map[string]uint32{}}
	text := afterSpeaker(e.Content, e.Source)
	d.Asks = asks(text)
	b.text(text)
	if e.Rationale != "" {
		b.text(e.Rationale)
	}
	if e.Summary != "" {
		b.text(e.Summary)
	}
	if tags := ownTags(e.Tags); tags != "" {
		b.text(tags)
	}
	return d
}

// At returns the document of another entry with the same text: with its number,
// project, session and time.
func (d *Document) At(e Entry) *Document {
	at := *d
	at.N, at.Prev, at.Project, at.Stream, at.Time = e.N, e.Prev, e.Project, StreamOf(e.Project, e.Session), e.Time.Unix()
	return &at
}

// afterSpeaker removes a leading speaker's name, as in "Anna: hello", because the
// source already says it.
func afterSpeaker(text, source string) string {
	if source == "" || len(text) <= len(source) || !strings.EqualFold(text[:len(source)], source) {
		return text
	}
	rest := text[len(source):]
	if rest[0] != ':' {
		return text
	}
	return strings.TrimSpace(rest[1:])
}

func roleOf(source string) Role {
	switch strings.ToLower(source) {
	case "user", "human":
		return User
	case "assistant", "model", "agent", "ai":
		return Assistant
	case "", "mcp", "api", "cli", "manual", "unknown", "system", "tool", "hook", "import":
		return Program
	}
	return Other
}

// asks reports whether a text ends in a question, or is short and contains one.
func asks(text string) bool {
	t := strings.TrimRightFunc(text, unicode.IsSpace)
	return endsAsking(t) || len(t) < 60 && strings.Contains(t, "?")
}

// endsAsking reports whether a text ends in a question mark, of whatever script.
func endsAsking(text string) bool {
	last, _ := utf8.DecodeLastRuneInString(strings.TrimRightFunc(text, unicode.IsSpace))
	return last == '?' || last == '？' || last == '؟'
}

// ownTags joins the tags that describe the content.
func ownTags(tags []string) string {
	var out []string
	for _, t := range tags {
		if !strings.HasPrefix(t, "session:") {
			out = append(out, t)
		}
	}
	return strings.Join(out, ". ")
}

// builder fills a document.
type builder struct {
	doc    *Document
	places map[string]uint32
	marks  Marks // of the current sentence
	cur    Marks // of the current passage
	from   int   // where the current passage starts in Seq
	said   int   // where the current sentence starts in Seq
}

// text adds the text of one field. A passage never spans two fields.
func (b *builder) text(text string) {
	end := 0
	for _, t := range Tokens(text) {
		if t.Start > end && sentenceEnd(text[end:t.Start]) {
			b.endSentence()
		}
		end = max(end, t.End)
		b.add(t, text)
	}
	b.endSentence()
	b.endPassage()
}

func (b *builder) add(t Token, text string) {
	place, known := b.places[t.Term]
	if !known {
		place = uint32(len(b.doc.In.terms))
		b.places[t.Term] = place
		b.doc.In.terms = append(b.doc.In.terms, t.Term)
	}
	if t.Whole {
		b.doc.Wholes = append(b.doc.Wholes, place)
		return
	}
	b.marks |= marksOf(t.Term)
	if len(b.doc.Seq) > b.said && capitalAt(text, t.Start) {
		b.marks |= HasName
	}
	b.doc.Seq = append(b.doc.Seq, place)
}

// endSentence ends the sentence. If it does not fit into the current passage, the
// passage ends before it.
func (b *builder) endSentence() {
	n := len(b.doc.Seq)
	if n == b.said {
		return
	}
	if b.said > b.from && n-b.from > passageTerms {
		b.cut(b.said)
	}
	b.cur |= b.marks
	for n-b.from > 2*passageTerms {
		b.cut(b.from + passageTerms)
		b.cur = b.marks
	}
	b.said, b.marks = n, 0
}

func (b *builder) endPassage() {
	if n := len(b.doc.Seq); n > b.from {
		b.cut(n)
	}
}

func (b *builder) cut(end int) {
	b.doc.Passages = append(b.doc.Passages, Passage{End: uint32(end), Marks: b.cur})
	b.from, b.cur = end, 0
}

// sentenceEnd reports whether the text between two words ends a sentence.
func sentenceEnd(gap string) bool {
	for i := 0; i < len(gap); i++ {
		switch gap[i] {
		case '\n':
			return true
		case '.', '!', '?':
			if i+1 < len(gap) && (gap[i+1] == ' ' || gap[i+1] == '"' || gap[i+1] == '\n') {
				return true
			}
		case 0xE3:
			if strings.HasPrefix(gap[i:], "。") {
				return true
			}
		}
	}
	return false
}

func capitalAt(text string, i int) bool {
	if c := text[i]; c < utf8.RuneSelf {
		return classes[c]&upper != 0
	}
	r, _ := utf8.DecodeRuneInString(text[i:])
	return unicode.IsUpper(r)
}

var (
	timeTerms = wordSet(`yesterday today tonight tomorrow ago last next weekend week month year monday tuesday wednesday
		thursday friday saturday sunday januari februari march april june juli august septemb octob novemb decemb recent
		sinc birthday anniversari morn even summer winter spring fall autumn deadlin schedul`)
	numberTerms = wordSet(`one two three four five six seven eight nine ten eleven twelv dozen coupl sever twice first
		second third hundr thousand million half`)
)

// marksOf returns the kinds of word that a term belongs to.
func marksOf(term string) Marks {
	c := term[0]
	switch {
	case c >= '0' && c <= '9':
		if len(term) == 4 && (strings.HasPrefix(term, "19") || strings.HasPrefix(term, "20")) {
			return HasTime | HasNumber
		}
		return HasNumber
	case len(term) > 12:
		return 0
	case timeTerms[term]:
		return HasTime
	case numberTerms[term]:
		return HasNumber
	}
	return 0
}
