package transcript

import (
	"strings"

	"wake/domain"
)

// markdownText makes stored text fit to stand in a Markdown file: secrets are masked, hidden
// characters shown, HTML outside of code shown as it is written, and a fence that the text
// leaves open is closed.
func markdownText(text string) string {
	text = domain.ShowHidden(domain.MaskSecrets(strings.ReplaceAll(text, "\r\n", "\n")))
	if !strings.ContainsAny(text, "<`~") {
		return text
	}
	lines := strings.Split(text, "\n")
	open, from := "", 0 // the fence of the code in which a line stands; where the paragraph begins
	for i, line := range lines {
		mark, info := fenceOf(line)
		switch {
		case open != "":
			if strings.HasPrefix(mark, open) && strings.TrimSpace(info) == "" {
				open = ""
			}
			from = i + 1
		case mark != "" && (mark[0] == '~' || !strings.Contains(info, "`")):
			showHTML(lines[from:i])
			open, from = mark, i+1
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

// fenceOf is the fence with which a line begins, and what stands behind it. An indented one
// may belong to a list and end with it, so it is taken for none.
func fenceOf(line string) (mark, info string) {
	for _, c := range []string{"`", "~"} {
		if info := strings.TrimLeft(line, c); len(line)-len(info) >= 3 {
			return line[:len(line)-len(info)], info
		}
	}
	return "", ""
}

// showHTML writes what may begin a tag as an entity, but not in code. That is known only
// where each line of a paragraph closes what code it opens: elsewhere it depends on lists,
// tables and headings what belongs together.
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

// eachSpan yields a line in pieces: code with its backticks, backticks that close nowhere,
// and what stands between.
func eachSpan(line string, yield func(span string, code bool)) {
	for line != "" {
		n, code := 0, false
		switch line[0] {
		case '`':
			n, code = codeSpan(line)
		case '\\': // what it stands before is no mark
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

// codeSpan is the length of the code that begins with the backticks at the beginning of
// text, or of these alone where none as long close it.
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

// markdownName makes a stored name fit to stand in a line of a Markdown file.
func markdownName(name string) string {
	name = strings.Join(strings.Fields(domain.ShowHidden(domain.MaskSecrets(name))), " ")
	return strings.NewReplacer("<", "&lt;", "`", "'").Replace(name)
}
