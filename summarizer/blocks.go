package summarizer

import (
	"regexp"
	"strings"
	"sync"
	"unicode"
)

// kind is what a piece of text is written as.
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
	tableLine   = lazily(`^\s*\|.*\|\s*$`)
	logStart    = lazily(`^\s*\[?(\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d|\d\d:\d\d:\d\d|[A-Z][a-z]{2} +\d+ \d\d:\d\d|(TRACE|DEBUG|INFO|WARN|WARNING|ERROR|FATAL)\b)`)
	commentLine = lazily(`^\s*(?://+|#+|--|/?\*+|;;)\s+(.*?)\s*(?:\*/)?$`)
	slashLine   = lazily(`^\s*(//|/\*)`)
	codeWord    = lazily(`^(func|type|interface|def|class|struct|enum|fn|pub|impl|const|let|var|return|public|private|static|if|for|while|else|SELECT|INSERT|UPDATE|CREATE|DELETE|@\w+)\b.*(\w\(.*\)[:,;]?|[;{}=>\]])$`)
	codeStart   = lazily(`^(\$ \S|#include|</?[a-zA-Z][^<>]*>$|(import|package|using) [\w."/]+;?$|from \S+ import )`)
	codeEnd     = lazily(`([;{}]|\);?|\],?|=>|\\)$`)
)

// lazily makes a pattern that is compiled at its first use: every process of wake
// has this package, and most read no text with it.
func lazily(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

// readBlocks cuts a text, Markdown or not, into its blocks.
func readBlocks(text string) []block {
	r := blockReader{}
	for line := range strings.SplitSeq(text, "\n") {
		r.line(line)
	}
	r.flush()
	return r.blocks
}

// blockReader collects the lines of the block that is being read.
type blockReader struct {
	blocks []block
	open   block
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
	case underline().MatchString(line) && r.open.kind == prose && r.open.text != "":
		r.open.kind = heading
		r.flush()
	case ruleLine().MatchString(line):
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
	case looksCode(line) || slashLine().MatchString(line) || r.open.kind == code && indented(line):
		r.codeLine(line)
	default:
		r.proseLine(line)
	}
}

// proseLine goes on with the paragraph or item, or starts a paragraph where the line before reads like a
// statement of its own.
func (r *blockReader) proseLine(line string) {
	line = strings.TrimSpace(line)
	last := r.open.text
	goesOn := r.open.kind == prose || r.open.kind == item
	if !goesOn || last != "" && width(last) < 60 && !endsSentence(last) && startsStatement(line) {
		r.flush()
	}
	if r.open.kind != item {
		r.open.kind = prose
	}
	r.join(line)
}

// codeLine takes a line of code; comments in it are kept apart, because they often say what it does.
func (r *blockReader) codeLine(line string) {
	if m := commentLine().FindStringSubmatch(line); m != nil && strings.Contains(m[1], " ") && !looksCode(m[1]) {
		r.add(comment, m[1])
		return
	}
	if t := strings.TrimSpace(line); t != "" {
		r.add(code, t)
	}
}

// add appends a line to the open block of that kind or begins one.
func (r *blockReader) add(k kind, line string) {
	if r.open.kind != k {
		r.flush()
	}
	r.open.kind = k
	if k == code && r.open.text != "" {
		r.open.text += "\n" + line
		return
	}
	r.join(line)
}

// join appends a line to the open block, with a blank unless the script has none.
func (r *blockReader) join(line string) {
	last, first := lastRune(r.open.text), firstRune(line)
	if r.open.text != "" && !(isCJK(last) && isCJK(first)) {
		r.open.text += " "
	}
	r.open.text += line
}

func (r *blockReader) single(k kind, line string) {
	r.flush()
	r.open = block{k, strings.TrimSpace(line)}
	r.flush()
}

func (r *blockReader) flush() {
	if r.open.text != "" {
		r.blocks = append(r.blocks, r.open)
	}
	r.open = block{}
}

// looksCode tells a line of code or of data from one of prose.
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

// endsSentence tells whether a line ends as a sentence does, or announces what follows.
func endsSentence(s string) bool {
	return strings.ContainsRune(".!?…:。！？：؟۔।,;，；、", lastRune(s))
}

// startsStatement tells whether a line may begin a sentence of its own.
func startsStatement(s string) bool {
	r := firstRune(s)
	return !unicode.IsLower(r)
}
