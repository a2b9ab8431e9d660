// Package secret finds credentials in a text and masks them, so that nothing derived from
// stored text shows them.
package secret

import "strings"

const (
	maxRun    = 4096 // bytes of a long token that are examined
	maxName   = 48   // bytes of the name before a value
	maxValue  = 512  // bytes of a value
	maskStart = "[secret:"
	wideColon = "：" // the colon of Chinese and Japanese text
)

// Found is a part of a text that looks like a credential.
type Found struct {
	Kind       string // as in the mask: "github_token", "password", …
	Start, End int    // byte offsets into the text, End exclusive
}

// Mask replaces every secret found by [Find] by a mark such as
// "[secret:github_token]". Text without secrets is returned without a copy.
func Mask(text string) string {
	found := Find(text)
	if len(found) == 0 {
		return text
	}
	var b strings.Builder
	end := 0
	for _, s := range found {
		b.WriteString(text[end:s.Start])
		b.WriteString(maskStart + s.Kind + "]")
		end = s.End
	}
	b.WriteString(text[end:])
	return b.String()
}

// Find returns the secrets in text in order, without overlaps. It knows tokens
// by their form (see tokenRules), private key blocks, passwords in URLs and in well-known
// commands, Authorization headers, cookies, lines of .pgpass files, and values that are
// assigned to a name such as "password" or "api_key", or told behind it in a sentence ("my
// password is …"), if they look generated or carefully chosen.
// It leaves hashes, UUIDs, plain words and placeholders alone, and looks through codes for
// terminals. It takes linear time.
func Find(text string) []Found {
	plain, cuts := uncoloured(text)
	if cuts != nil {
		return inColour(find(plain), plain, cuts)
	}
	return find(text)
}

func find(text string) []Found {
	f := finder{text: text}
	for i := f.next(0); i < len(text); i = f.next(i) {
		s, ok := f.at(i)
		if !ok {
			i++
			continue
		}
		f.found = append(f.found, s)
		f.end = s.End
		i = f.end
	}
	return f.found
}

// next returns the first position from i on at which a secret may be recognised, else
// the end of the text. It skips most words.
func (f *finder) next(i int) int {
	for i < len(f.text) && i != f.url.Start {
		switch c := f.text[i]; {
		case !triggerByte[c]:
			i++
		case c == '-':
			if mayFlag(f.text[i:]) && !f.insideWord(i) {
				return i
			}
			i++
		case !tokenByte[c]:
			return i
		case !f.insideWord(i) && (i < f.awsEnd || mayBegin(f.text[i:])):
			return i
		default:
			i = f.skipWord(i)
		}
	}
	return i
}

// skipWord skips from a byte of a word to its next hyphen or its end. After a
// backslash, the letters n, r and t may stand for the end of a line, so a word may
// begin after them, and after a % two digits for a sign.
func (f *finder) skipWord(i int) int {
	if i > 0 && f.text[i-1] == '\\' {
		return i + 1
	}
	if i > 1 && (f.text[i-1] == '%' || f.text[i-2] == '%') {
		for digits := 1; digits <= 2; digits++ {
			if isPercent(f.text, i+digits) {
				return i + digits
			}
		}
	}
	for i++; i < len(f.text) && partByte[f.text[i]]; i++ {
	}
	return i
}

// finder is one search of a text.
type finder struct {
	text      string
	found     []Found
	end       int   // of the last secret found
	url       Found // the password, further on, of the current URL
	cookieEnd int   // up to here, the values of cookies follow
	noCookie  int   // up to here is the value of a cookie that is no secret, with the signs in it
	awsEnd    int   // up to here, a bare string of 40 characters is the secret of the preceding AWS key id
}

// isPercent reports whether an escape of a URL, such as %3D, ends before i.
func isPercent(text string, i int) bool {
	return i > 2 && i <= len(text) && text[i-3] == '%' && isHex(text[i-2]) && isHex(text[i-1])
}

// insideWord reports whether i is inside a word. Words also begin after escapes of
// quoted text, such as the \n in "key:\nghp_…", and of URLs, after a secret, and after the
// hyphen with which diff begins a line that is gone, or grep one beside what it found.
func (f *finder) insideWord(i int) bool {
	if i == f.end || !tokenByte[f.text[i]] || !tokenByte[f.text[i-1]] {
		return false
	}
	if f.text[i] == '-' {
		return f.text[i-1] == '-'
	}
	if isPercent(f.text, i) || f.text[i-1] == '-' && (i == 1 || strings.IndexByte("\n0123456789", f.text[i-2]) >= 0 || i > 2 && f.text[i-3:i-1] == `\n`) {
		return false
	}
	escape := i > 1 && f.text[i-2] == '\\' && strings.IndexByte("nrt", f.text[i-1]) >= 0
	return !escape
}

// at returns the secret recognised at i, which is the start of a word or a sign such
// as ':' or '='. The secret may start after i.
func (f *finder) at(i int) (Found, bool) {
	if i > 0 && i == f.url.Start {
		return f.url, true
	}
	if linkEnd[f.text[i]] {
		return f.saidBeside(i)
	}
	switch f.text[i] {
	case ':':
		return f.colon(i)
	case '=':
		if s, ok := f.cookie(i); ok {
			return s, true
		}
		if s, ok := f.assignment(i, i+1); ok {
			return s, true
		}
		return f.environment(i)
	case '~':
		return f.azureSecret(i)
	case '>':
		return f.element(i)
	case ',':
		return f.definition(i)
	case wideColon[0]:
		if strings.HasPrefix(f.text[i:], wideColon) {
			return f.assignment(i, i+len(wideColon))
		}
		return Found{}, false
	case '-':
		if s, ok := f.privateKey(i); ok {
			return s, true
		}
		return f.flag(i)
	}
	if s, ok := f.command(i); ok {
		return s, true
	}
	if s, ok := f.token(i); ok {
		if s.Kind == "aws_access_key" {
			f.awsEnd = s.End + 200
		}
		return s, true
	}
	return f.awsSecret(i)
}

// colon returns the secret after the colon at i.
func (f *finder) colon(i int) (Found, bool) {
	f.urlPassword(i)
	if s, ok := f.assignment(i, i+1); ok {
		return s, true
	}
	switch {
	case endsInCookie(f.text[:i]):
		f.cookies(i + 1)
	case strings.HasSuffix(f.text[:i], "jdbc:oracle:thin"), strings.HasSuffix(f.text[:i], "jdbc:oracle:oci"):
		return f.oracleLogin(i + 1)
	case strings.HasSuffix(f.text[:i], "Private-Lines"):
		return f.puttyKey(i + 1)
	}
	return f.pgpass(i)
}

// command returns the secret in the command that begins at i.
func (f *finder) command(i int) (Found, bool) {
	switch rest := f.text[i:]; rest[0] {
	case 'E', 'c':
		return f.setting(i)
	case 's':
		if strings.HasPrefix(rest, "sqlplus ") {
			return f.oracleLogin(i + len("sqlplus "))
		}
		return f.setting(i)
	case 'n', 'N':
		return f.windowsLogin(i)
	case 'i', 'I':
		return f.identified(i)
	}
	return Found{}, false
}

// run counts the leading bytes of s, at most limit, that ok accepts.
func run(s string, limit int, ok func(byte) bool) int {
	n := 0
	for n < len(s) && n < limit && ok(s[n]) {
		n++
	}
	return n
}

// tail returns the end of s, at most limit bytes, in which ok accepts every byte.
func tail(s string, limit int, ok func(byte) bool) string {
	start := len(s)
	for start > 0 && len(s)-start < limit && ok(s[start-1]) {
		start--
	}
	return s[start:]
}
