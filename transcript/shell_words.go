package transcript

import (
	"iter"
	"strings"
)

// shellWord is a word of a command, without its quotes, or an operator of redirection.
type shellWord struct {
	text     string
	operator bool
}

// shellCommands splits a shell's text into simple commands, and the brackets around a subshell,
// each an operator by itself. What stands in conditions between two brackets, behind #, and in
// here-documents is no command of its own; of substitutions their words have the dollar sign
// alone. Text with an open quote ends there.
func shellCommands(text string) iter.Seq[[]shellWord] {
	return func(yield func([]shellWord) bool) {
		l := shellLexer{rest: text}
		for {
			words, more := l.command()
			if len(words) > 0 && !yield(words) {
				return
			}
			if !more {
				return
			}
		}
	}
}

// shellLexer reads a shell's text.
type shellLexer struct {
	rest string
	ends []hereEnd // of here-documents that begin on the next line
	deep int       // substitutions in substitutions
}

// hereEnd is the line that ends a here-document. Those begun with <<- may be indented by tabs.
type hereEnd struct {
	line   string
	tabbed bool
}

// command reads up to the end of a simple command, and reports whether more may follow.
func (l *shellLexer) command() (words []shellWord, more bool) {
	for {
		l.rest = strings.TrimLeft(l.rest, " \t\r")
		switch {
		case l.rest == "":
			return words, false
		case strings.HasPrefix(l.rest, "\\\n"):
			l.rest = l.rest[2:]
		case l.rest[0] == '#':
			comment, _, _ := strings.Cut(l.rest, "\n")
			l.rest = l.rest[len(comment):]
		case l.rest[0] == '\n':
			l.rest = l.rest[1:]
			l.skipDocuments()
			return words, true
		case strings.HasPrefix(l.rest, "&>"): // output for reading
			l.rest = strings.TrimPrefix(l.rest[2:], ">")
			words = append(words, shellWord{"&>", true})
		case strings.HasPrefix(l.rest, "(("): // arithmetic
			_, l.rest, _ = strings.Cut(l.rest, "))")
		case l.rest[0] == '(' || l.rest[0] == ')':
			if len(words) == 0 {
				words, l.rest = []shellWord{{l.rest[:1], true}}, l.rest[1:]
			}
			return words, true
		case strings.ContainsRune(";&|", rune(l.rest[0])):
			l.rest = l.rest[1:]
			return words, true
		case strings.HasPrefix(l.rest, "[["):
			_, l.rest, _ = strings.Cut(l.rest, "]]")
		default:
			word, ok := l.next()
			if !ok {
				return nil, false
			}
			words = append(words, word...)
		}
	}
}

// next reads a redirection or a word.
func (l *shellLexer) next() ([]shellWord, bool) {
	for _, operator := range []string{"<<<", "<<-", "<<", ">>", ">|", ">&", "<(", ">(", ">", "<"} {
		rest, is := strings.CutPrefix(l.rest, operator)
		if !is {
			continue
		}
		l.rest = strings.TrimLeft(rest, " \t")
		switch operator {
		case "<(", ">(":
			_, l.rest, _ = strings.Cut(l.rest, ")")
			return nil, true
		case "<<", "<<-":
			end, ok := l.word()
			l.ends = append(l.ends, hereEnd{end, operator == "<<-"})
			return nil, ok
		}
		return []shellWord{{operator, true}}, true
	}
	word, ok := l.word()
	if (word == "2" || word == "1" || word == "0") && l.rest != "" && (l.rest[0] == '>' || l.rest[0] == '<') { // of errors
		words, ok := l.next()
		if word == "2" && len(words) > 0 {
			words[0].text = "2>"
		}
		return words, ok
	}
	return []shellWord{{word, false}}, ok
}

// word reads a word, and reports whether its quotes are closed.
func (l *shellLexer) word() (string, bool) {
	var b strings.Builder
	for l.rest != "" {
		switch c := l.rest[0]; {
		case c == '\\' && len(l.rest) > 1:
			if b.Len() > 0 && isLetterOrDigit(l.rest[1]) { // of a path of Windows: a shell that drops it would not need it
				b.WriteByte(c)
			}
			b.WriteByte(l.rest[1])
			l.rest = l.rest[2:]
		case c == '\'':
			text, rest, closed := strings.Cut(l.rest[1:], "'")
			if !closed {
				return "", false
			}
			b.WriteString(text)
			l.rest = rest
		case c == '"':
			if !l.quoted(&b) {
				return "", false
			}
		case strings.HasPrefix(l.rest, "$("):
			b.WriteByte(c)
			if !l.skipSubstitution() {
				return "", false
			}
		case strings.ContainsRune(" \t\r\n;&|()<>", rune(c)):
			return b.String(), true
		default:
			b.WriteByte(c)
			l.rest = l.rest[1:]
		}
	}
	return b.String(), true
}

func isLetterOrDigit(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}

// quoted reads what stands between double quotes. A backslash is one of the text unless a
// character follows that means something there.
func (l *shellLexer) quoted(b *strings.Builder) bool {
	l.rest = l.rest[1:]
	for l.rest != "" {
		switch c := l.rest[0]; {
		case c == '"':
			l.rest = l.rest[1:]
			return true
		case c == '\\' && len(l.rest) > 1 && strings.ContainsRune("$`\"\\\n", rune(l.rest[1])):
			b.WriteByte(l.rest[1])
			l.rest = l.rest[2:]
		case strings.HasPrefix(l.rest, "$("):
			b.WriteByte(c)
			if !l.skipSubstitution() {
				return false
			}
		default:
			b.WriteByte(c)
			l.rest = l.rest[1:]
		}
	}
	return false
}

// deepest is how far substitutions are followed into each other.
const deepest = 50

// skipSubstitution drops $( and what follows up to its bracket, and reports whether there is
// one. Texts in it have quotes and brackets of their own, such as a message that git is given
// in a here-document.
func (l *shellLexer) skipSubstitution() bool {
	if l.deep == deepest {
		return false
	}
	ends := l.ends
	l.deep, l.ends, l.rest = l.deep+1, nil, l.rest[len("$("):]
	defer func() { l.deep, l.ends = l.deep-1, ends }()
	for open := 1; l.rest != ""; {
		switch c := l.rest[0]; {
		case c == ')':
			l.rest = l.rest[1:]
			if open--; open == 0 {
				return true
			}
		case c == '(':
			l.rest = l.rest[1:]
			open++
		case c == '\n':
			l.rest = l.rest[1:]
			l.skipDocuments()
		case strings.ContainsRune(" \t\r;&|", rune(c)):
			l.rest = l.rest[1:]
		case c == '#':
			comment, _, _ := strings.Cut(l.rest, "\n")
			l.rest = l.rest[len(comment):]
		default:
			if _, ok := l.next(); !ok {
				return false
			}
		}
	}
	return false
}

// skipDocuments drops the here-documents that begin on this line.
func (l *shellLexer) skipDocuments() {
	for _, end := range l.ends {
		for l.rest != "" {
			line, rest, _ := strings.Cut(l.rest, "\n")
			l.rest = rest
			if line = strings.TrimSuffix(line, "\r"); line == end.line || end.tabbed && strings.TrimLeft(line, "\t") == end.line {
				break
			}
		}
	}
	l.ends = nil
}
