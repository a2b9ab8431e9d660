package summarizer

import (
	"regexp"
	"strings"
	"sync"
	"unicode"
)

// kind is the kind of a piece of text.
type kind int

const (
	prose kind = iota
	item       // of a list
	heading
	comment // inside code
	logLine
	code
)

// block is a run of text of one kind: a paragraph, an item, a line of a log, a listing.
type block struct {
	kind kind
	text string
}

var (
	fenceLine   = lazily("^\\s{0,3}(```|~~~)")
	headingLine = lazily(`^\s{0,3}#{1,6}\s+(.*?)[\s#]*$`)
	underline   = lazily(`^\s{0,3}(={3,}|-{3,})\s*$`)
	ruleLine    = lazily(`^\s*([-*_=+|:~#][-*_=+|:~#\s]{2,}|<!--.*-->)\s*$`)
	itemLine    = lazily(`^\s*(?:[-*+•–]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?(.*)$`)
	quoteLine   = lazily(`^\s{0,3}(?:>\s?)+`)
	linkTarget  = lazily(`^\s{0,3}\[[^\]]+\]:\s+\S+$`)
	tableLine   = lazily(`^\s*\|.*\|\s*$`)
	logStart    = lazily(`^\s*\[?(\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d|\d\d:\d\d:\d\d|[A-Z][a-z]{2} +\d+ \d\d:\d\d|(TRACE|DEBUG|INFO|WARN|WARNING|ERROR|FATAL)\b)`)
	commentLine = lazily(`^\s*(?://+|#+|--|/?\*+|;;)\s+(.*?)\s*(?:\*/)?$`)
	slashLine   = lazily(`^\s*(//|/\*)`)
	codeWord    = lazily(`^(func|type|interface|def|class|struct|enum|fn|pub|impl|const|let|var|return|public|private|static|if|for|while|else|SELECT|INSERT|UPDATE|CREATE|DELETE|@\w+)\b.*(\w\(.*\)[:,;]?|[;{}=>\]])$`)
	codeStart   = lazily(`^(\$ \S|#include|</?[a-zA-Z][^<>]*>$|(import|package|using) [\w."/]+;?$|from \S+ import )`)
	codeEnd     = lazily(`([;{}]|\);?|\],?|=>|\\)$`)
)

// lazily returns a pattern that is compiled on first use: every wake process links this
// package, and most summarise nothing.
func lazily(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

// readBlocks splits a text, Markdown or not, into blocks.
func readBlocks(text string) []block {
	r := blockReader{}
	for line := range strings.SplitSeq(text, "\n") {
		r.line(line)
	}
	r.flush()
	return r.blocks
}

// blockReader collects the lines of the current block.
type blockReader struct {
	blocks []block
	kind   kind            // of the current block
	text   strings.Builder // of the current block
	fenced bool
}

func (r *blockReader) line(line string) {
	if fenceLine().MatchString(line) {
		r.flush()
		r.fenced = !r.fenced
		return
	}
	if r.fenced {
		r.codeLine(line)
		return
	}
	line = quoteLine().ReplaceAllString(line, "")
	switch {
	case strings.TrimSpace(line) == "":
		r.flush()
	case underline().MatchString(line) && r.kind == prose && r.text.Len() > 0:
		r.kind = heading
		r.flush()
	case ruleLine().MatchString(line) || linkTarget().MatchString(line):
		r.flush()
	case headingLine().MatchString(line):
		r.single(heading, headingLine().FindStringSubmatch(line)[1])
	case logStart().MatchString(line):
		r.single(logLine, line)
	case tableLine().MatchString(line):
		r.add(code, strings.Trim(strings.ReplaceAll(line, "|", " "), " "))
	case itemLine().MatchString(line):
		r.flush()
		r.add(item, itemLine().FindStringSubmatch(line)[1])
	case looksCode(withoutLinks(line)) || slashLine().MatchString(line) || r.kind == code && indented(line):
		r.codeLine(line)
	default:
		r.proseLine(line)
	}
}

// proseLine continues the paragraph or item, or starts a new paragraph if the previous
// line reads like a complete statement.
func (r *blockReader) proseLine(line string) {
	line = strings.TrimSpace(line)
	last := r.text.String()
	goesOn := r.kind == prose || r.kind == item
	if !goesOn || last != "" && narrow(last, 60) && !endsOpen(last) && startsStatement(line) {
		r.flush()
	}
	if r.kind != item {
		r.kind = prose
	}
	r.join(line)
}

// codeLine adds a line of code. Comments are kept separately, because they often say
// what the code does.
func (r *blockReader) codeLine(line string) {
	if m := commentLine().FindStringSubmatch(line); m != nil && strings.Contains(m[1], " ") && !looksCode(m[1]) {
		r.add(comment, m[1])
		return
	}
	if t := strings.TrimSpace(line); t != "" {
		r.add(code, t)
	}
}

// add appends a line to the current block if it is of that kind, or starts a new one.
func (r *blockReader) add(k kind, line string) {
	if r.kind != k {
		r.flush()
	}
	r.kind = k
	if k == code && r.text.Len() > 0 {
		r.text.WriteString("\n" + line)
		return
	}
	r.join(line)
}

// join appends a line to the current block, with a space unless the script has none.
func (r *blockReader) join(line string) {
	last, first := lastRune(r.text.String()), firstRune(line)
	if r.text.Len() > 0 && !(isCJK(last) && isCJK(first)) {
		r.text.WriteByte(' ')
	}
	r.text.WriteString(line)
}

func (r *blockReader) single(k kind, line string) {
	r.flush()
	r.add(k, strings.TrimSpace(line))
	r.flush()
}

func (r *blockReader) flush() {
	if r.text.Len() > 0 {
		r.blocks = append(r.blocks, block{r.kind, r.text.String()})
	}
	r.kind = prose
	r.text.Reset()
}

// looksCode reports whether a line is code or data rather than prose.
func looksCode(line string) bool {
	t := strings.TrimSpace(line)
	if len(t) < 2 {
		return t == "{" || t == "}"
	}
	if codeStart().MatchString(t) || codeWord().MatchString(t) {
		return true
	}
	signs, letters := 0, 0
	for _, r := range t {
		switch {
		case unicode.IsLetter(r):
			letters++
		case strings.ContainsRune("{}[]();=<>&|$\\/\"_+*", r):
			signs++
		}
	}
	return codeEnd().MatchString(t) && signs*6 > letters || signs > 3 && signs*3 > letters
}

func indented(line string) bool {
	return strings.HasPrefix(line, "\t") || strings.HasPrefix(line, "  ")
}

// endsOpen reports whether a line is one of running text: it ends like a sentence,
// announces what follows, or stops within a phrase, as after "of the".
func endsOpen(s string) bool {
	last := s[strings.LastIndexByte(s, ' ')+1:]
	return strings.ContainsRune(".!?…:。！？：؟۔।,;，；、", lastRune(s)) || phraseOpeners[last]
}

// phraseOpeners are articles and prepositions, after which a phrase goes on.
var phraseOpeners = stringSet(`a an the of to in on at by for from with into and or as than its their our
der die das den dem des ein eine einen einem einer und oder für mit von vom zum zur im bei
le la les du des un une et ou de à en pour avec par dans el los las y o del al con por para il lo gli di da e per su
o os as um uma do da dos das em het een van en op voor met`)

// startsStatement reports whether a line may begin a sentence of its own.
func startsStatement(s string) bool { return !unicode.IsLower(firstRune(s)) }
