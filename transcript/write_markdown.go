package transcript

import (
	"strings"

	"wake/domain"
	"wake/secret"
)

// markdownText prepares stored text for a Markdown file: secrets are masked, hidden
// characters made visible, HTML outside code is escaped, and a code fence left open is
// closed.
func markdownText(text string) string {
	text = domain.ShowHidden(secret.Mask(strings.ReplaceAll(text, "\r\n", "\n")))
	if !strings.ContainsAny(text, "<`~") {
		return text
	}
	lines := strings.Split(text, "\n")
	open, from := "", 0 // the open fence, and the start of the current paragraph
	for i, line := range lines {
		was := open
		open = fenceBehind(line, open)
		switch {
		case was != "":
			from = i + 1
		case open != "":
			showHTML(lines[from:i])
			from = i + 1
		case strings.TrimSpace(line) == "":
			showHTML(lines[from:i])
			from = i + 1
		}
	}
	if open != "" {
		lines = append(lines, open)
	} else {
		showHTML(lines[from:])
	}
	return strings.Join(lines, "\n")
}

// fenceBehind returns the fence of the code that is open behind a line, given the one before it;
// "" if none is.
func fenceBehind(line, open string) string {
	mark, info := fenceOf(line)
	switch {
	case open != "" && strings.HasPrefix(mark, open) && strings.TrimSpace(info) == "":
		return ""
	case open == "" && mark != "" && (mark[0] == '~' || !strings.Contains(info, "`")):
		return mark
	}
	return open
}

// fenceOf returns the fence at the beginning of a line and what follows it. An indented
// fence does not count, because it may belong to a list and end with it.
func fenceOf(line string) (mark, info string) {
	for _, c := range []string{"`", "~"} {
		if info := strings.TrimLeft(line, c); len(line)-len(info) >= 3 {
			return line[:len(line)-len(info)], info
		}
	}
	return "", ""
}

// showHTML escapes what may begin a tag, except in code. Code is recognised only if
// each line of the paragraph closes the code that it opens; otherwise lists, tables and
// headings determine what belongs together.
func showHTML(paragraph []string) {
	closed := true
	for _, line := range paragraph {
		eachSpan(line, func(span string, code bool) { closed = closed && (code || span[0] != '`') })
	}
	for i, line := range paragraph {
		var b strings.Builder
		eachSpan(line, func(span string, code bool) {
			if !code || !closed || strings.Contains(span, "|") {
				span = strings.ReplaceAll(span, "<", "&lt;")
			}
			b.WriteString(span)
		})
		paragraph[i] = b.String()
	}
}

// eachSpan yields a line in pieces: code with its backticks, unclosed backticks, and
// the text in between.
func eachSpan(line string, yield func(span string, code bool)) {
	for line != "" {
		n, code := 0, false
		switch line[0] {
		case '`':
			n, code = codeSpan(line)
		case '\\': // an escaped character is not a mark
			n = min(2, len(line))
		default:
			if n = strings.IndexAny(line, "`\\"); n < 0 {
				n = len(line)
			}
		}
		yield(line[:n], code)
		line = line[n:]
	}
}

// codeSpan returns the length of the code span at the beginning of text. If nothing
// closes it, it returns the length of its backticks alone.
func codeSpan(text string) (length int, closed bool) {
	ticks := len(text) - len(strings.TrimLeft(text, "`"))
	for at := ticks; ; {
		next := strings.IndexByte(text[at:], '`')
		if next < 0 {
			return ticks, false
		}
		at += next
		closing := len(text[at:]) - len(strings.TrimLeft(text[at:], "`"))
		if at += closing; closing == ticks {
			return at, true
		}
	}
}

// markdownName prepares a stored name for a line of a Markdown file.
func markdownName(name string) string {
	name = strings.Join(strings.Fields(domain.ShowHidden(secret.Mask(name))), " ")
	return strings.NewReplacer("<", "&lt;", "`", "'").Replace(name)
}
