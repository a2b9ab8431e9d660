package domain

import "strings"

// Secret is a stretch of text that looks like a credential.
type Secret struct {
	Kind       string // what it is, as in the mask: "github_token", "password", …
	Start, End int    // byte offsets into the text, End exclusive
}

// MaskSecrets returns text with every secret that [FindSecrets] knows replaced by a mark such as
// "[secret:github_token]". Text without secrets is returned as it is, without a copy.
func MaskSecrets(text string) string {
	found := FindSecrets(text)
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

// FindSecrets returns the secrets in text in their order, without overlaps. It knows tokens by their
// shape (see tokenRules), private key blocks, passwords in URLs, Authorization headers, and values
// assigned to a name such as "password" or "api_key" when they look generated or carefully chosen.
// Hashes, UUIDs, plain words and placeholders are left alone. Time is linear in the text.
func FindSecrets(text string) []Secret {
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

// next answers the first place from i on at which a secret may show itself, else the end of the text.
// Most words of a text are stepped over here.
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

// skipWord steps from a byte of a word to its next hyphen or its end. After a backslash, n, r and t may
// stand for what ends a line, so that a word begins behind them.
func (f *finder) skipWord(i int) int {
	if i > 0 && f.text[i-1] == '\\' {
		return i + 1
	}
	for i++; i < len(f.text) && partByte[f.text[i]]; i++ {
	}
	return i
}

// finder is one run over a text.
type finder struct {
	text   string
	found  []Secret
	end    int    // of the last one found
	url    Secret // the password of the URL that is being read, further on
	awsEnd int    // up to here a bare 40 character string is the secret of the AWS key id before it
}

// insideWord tells whether a word that began earlier goes on at i. Words also begin after the escapes
// of quoted text, such as the \n in "key:\nghp_…", and after a secret.
func (f *finder) insideWord(i int) bool {
	if i == f.end || !tokenByte[f.text[i]] || !tokenByte[f.text[i-1]] {
		return false
	}
	if f.text[i] == '-' {
		return f.text[i-1] == '-'
	}
	escape := i > 1 && f.text[i-2] == '\\' && strings.IndexByte("nrt", f.text[i-1]) >= 0
	return !escape
}

// at answers the secret that shows itself at i: the start of a word, a colon, a '=' or a run of '-'.
// The secret may start after i.
func (f *finder) at(i int) (Secret, bool) {
	if i > 0 && i == f.url.Start {
		return f.url, true
	}
	switch f.text[i] {
	case ':':
		f.urlPassword(i)
		return f.assignment(i, i+1)
	case '=':
		if s, ok := f.assignment(i, i+1); ok {
			return s, true
		}
		return f.environment(i)
	case '>':
		return f.element(i)
	case ',':
		return f.definition(i)
	case wideColon[0]:
		if strings.HasPrefix(f.text[i:], wideColon) {
			return f.assignment(i, i+len(wideColon))
		}
		return Secret{}, false
	case '-':
		if s, ok := f.privateKey(i); ok {
			return s, true
		}
		return f.flag(i)
	}
	if s, ok := f.token(i); ok {
		if s.Kind == "aws_access_key" {
			f.awsEnd = s.End + 200
		}
		return s, true
	}
	return f.awsSecret(i)
}

// run counts the leading bytes of s, at most limit, that ok accepts.
func run(s string, limit int, ok func(byte) bool) int {
	n := 0
	for n < len(s) && n < limit && ok(s[n]) {
		n++
	}
	return n
}
