package transcript

import "strings"

// sqlToken is a word, a number, a symbol or a text of an SQL dump.
type sqlToken struct {
	text   string
	quoted bool // it was in quotes: a text or a name
	blob   bool // X'…', text is the hex digits
}

func (t sqlToken) end() bool                { return t.text == "" && !t.quoted && !t.blob }
func (t sqlToken) symbol(s string) bool     { return !t.quoted && !t.blob && t.text == s }
func (d *sqlDump) name() string             { return d.token().text }
func (d *sqlDump) rest() string             { return d.text[d.pos:] }
func (d *sqlDump) take(n int) (s string)    { s = d.text[d.pos : d.pos+n]; d.pos += n; return s }
func (d *sqlDump) startsWith(s string) bool { return strings.HasPrefix(d.rest(), s) }

// token returns the next token, or the zero token at the end of the text.
func (d *sqlDump) token() sqlToken {
	d.skipBlanks()
	if d.pos >= len(d.text) {
		return sqlToken{}
	}
	switch c := d.text[d.pos]; {
	case c == '\'' || c == '"' || c == '`':
		return sqlToken{text: d.quotedText(c), quoted: true}
	case c == '[':
		if end := strings.IndexByte(d.rest(), ']'); end > 0 {
			return sqlToken{text: strings.Trim(d.take(end+1), "[]"), quoted: true}
		}
		return sqlToken{text: d.take(1)}
	case (c == 'x' || c == 'X') && d.pos+1 < len(d.text) && d.text[d.pos+1] == '\'':
		d.pos++
		return sqlToken{text: d.quotedText('\''), blob: true}
	case isWord(c):
		n := 1
		for d.pos+n < len(d.text) && (isWord(d.text[d.pos+n]) || exponentSign(d.text[d.pos:d.pos+n+1])) {
			n++
		}
		return sqlToken{text: d.take(n)}
	}
	return sqlToken{text: d.take(1)}
}

// quotedText reads up to the closing quote; a doubled quote stands for one.
func (d *sqlDump) quotedText(quote byte) string {
	d.pos++
	var b strings.Builder
	for {
		end := strings.IndexByte(d.rest(), quote)
		if end < 0 {
			b.WriteString(d.take(len(d.rest())))
			return b.String()
		}
		b.WriteString(d.take(end))
		d.pos++
		if d.pos >= len(d.text) || d.text[d.pos] != quote {
			return b.String()
		}
		b.WriteByte(quote)
		d.pos++
	}
}

// skipBlanks skips spaces and comments.
func (d *sqlDump) skipBlanks() {
	for d.pos < len(d.text) {
		switch {
		case strings.IndexByte(" \t\r\n\f\xef\xbb\xbf", d.text[d.pos]) >= 0:
			d.pos++
		case d.startsWith("--"):
			d.skipPast("\n")
		case d.startsWith("/*"):
			d.skipPast("*/")
		default:
			return
		}
	}
}

func (d *sqlDump) skipPast(mark string) {
	if i := strings.Index(d.rest(), mark); i >= 0 {
		d.pos += i + len(mark)
		return
	}
	d.pos = len(d.text)
}

// skipStatement moves past the next semicolon outside quotes, unless that was the latest token.
func (d *sqlDump) skipStatement() {
	if d.text[d.pos-1] == ';' {
		return
	}
	for t := d.token(); !t.end() && !t.symbol(";"); t = d.token() {
	}
}

func isWord(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '.' || c >= 0x80
}

// exponentSign reports whether a number ends here in e+ or e-.
func exponentSign(s string) bool {
	n := len(s)
	return n > 2 && s[0] >= '0' && s[0] <= '9' && (s[n-1] == '-' || s[n-1] == '+') && (s[n-2] == 'e' || s[n-2] == 'E')
}
