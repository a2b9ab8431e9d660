package domain

import (
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

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
// assigned to a name such as "password" or "api_key" when they look made up by a machine or a careful
// person. Hashes, UUIDs, plain words and placeholders are left alone. Time is linear in the text.
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

// token matches a credential by its shape, starting at i.
func (f *finder) token(i int) (Secret, bool) {
	rest := f.text[i:]
	for _, r := range rulesByFirst[rest[0]] {
		if !strings.HasPrefix(rest, r.prefix) {
			continue
		}
		if n := r.match(rest[len(r.prefix):]); n > 0 {
			return Secret{Kind: r.kind, Start: i, End: i + len(r.prefix) + n}, true
		}
	}
	switch c := rest[0]; {
	case c == 'e':
		return f.jwt(i)
	case c == 'b' || c == 'B':
		return f.bearer(i)
	case c == 'p' || c == 'P':
		return f.said(i)
	case c == 'M' || c == 'N' || c == 'O':
		return f.discord(i)
	case isDigit(c):
		return f.telegram(i)
	}
	return Secret{}, false
}

// jwt matches a JSON web token: at least three parts, the first an object that begins with {".
func (f *finder) jwt(i int) (Secret, bool) {
	rest := f.text[i:]
	if !strings.HasPrefix(rest, "eyJ") {
		return Secret{}, false
	}
	end, parts := 0, 0
	for parts < 5 {
		n := run(rest[end:], maxRun, isTokenByte)
		if n < 8 {
			break
		}
		end, parts = end+n+1, parts+1
		if end > len(rest) || rest[end-1] != '.' {
			break
		}
	}
	if parts < 3 {
		return Secret{}, false
	}
	return Secret{Kind: "jwt", Start: i, End: i + end - 1}, true
}

// telegram matches a bot token: the bot's number, a colon and 35 characters that begin with AA.
func (f *finder) telegram(i int) (Secret, bool) {
	digits := run(f.text[i:], 11, isDigit)
	rest := f.text[i+digits:]
	if digits < 8 || digits > 10 || !strings.HasPrefix(rest, ":AA") {
		return Secret{}, false
	}
	if n := run(rest[1:], 60, isTokenByte); n >= 34 && n <= 36 {
		return Secret{Kind: "telegram_token", Start: i, End: i + digits + 1 + n}, true
	}
	return Secret{}, false
}

// discord matches a bot's token: its number in base64, a time and a signature.
func (f *finder) discord(i int) (Secret, bool) {
	rest := f.text[i:]
	if len(rest) < 3 || !slices.Contains(discordFirst, rest[:2]) || strings.IndexByte(discordThird, rest[2]) < 0 {
		return Secret{}, false
	}
	end := 0
	for part, size := range [][2]int{{23, 28}, {5, 8}, {25, 45}} {
		n := run(rest[end:], size[1]+1, isTokenByte)
		if n < size[0] || n > size[1] {
			return Secret{}, false
		}
		if end += n; part < 2 {
			if end >= len(rest) || rest[end] != '.' {
				return Secret{}, false
			}
			end++
		}
	}
	return Secret{Kind: "discord_token", Start: i, End: i + end}, looksRandom(rest[:end])
}

// said matches a password that is told in a sentence, such as "the password is …", or follows the word as in
// a .netrc file; there it must look made up.
func (f *finder) said(i int) (Secret, bool) {
	word := run(f.text[i:], 12, isAlnum)
	if !slices.Contains([]string{"password", "passwd", "passphrase", "passwort"}, strings.ToLower(f.text[i:i+word])) {
		return Secret{}, false
	}
	rest := f.text[i+word:]
	for _, link := range []string{" is: ", " is ", " was ", " to ", " lautet: ", " lautet ", " ist ", " "} {
		if strings.HasPrefix(rest, link) {
			return f.saidValue(i+word+len(link), link == " ")
		}
	}
	return Secret{}, false
}

func (f *finder) saidValue(start int, bare bool) (Secret, bool) {
	if s, ok := f.known(start); ok {
		return s, true
	}
	quote := byte(0)
	if start < len(f.text) && strings.IndexByte("\"'`", f.text[start]) >= 0 {
		quote = f.text[start]
		start++
	}
	value := valueUpTo(f.text[start:], quote, sentenceEnds, maxValue)
	switch {
	case !looksSecret("password", value, quote != 0), bare && (len(value) < 8 || !looksRandom(value)):
		return Secret{}, false
	case quote == 0 && !classes(value).symbol && isWordy(value):
		return Secret{}, false
	}
	return Secret{Kind: "password", Start: start, End: start + len(value)}, true
}

// bearer matches the credential after the word "Bearer".
func (f *finder) bearer(i int) (Secret, bool) {
	const word = "bearer "
	rest := f.text[i:]
	if len(rest) < len(word) || !strings.EqualFold(rest[:len(word)], word) {
		return Secret{}, false
	}
	start := i + len(word)
	if s, ok := f.known(start); ok {
		return s, true
	}
	n := run(f.text[start:], maxRun, isHeaderByte)
	if value := f.text[start : start+n]; n >= 16 && looksRandom(value) {
		return Secret{Kind: "bearer_token", Start: start, End: start + n}, true
	}
	return Secret{}, false
}

// known matches a token by its shape where a value starts, so that it gets its own name.
func (f *finder) known(i int) (Secret, bool) {
	if i >= len(f.text) || !tokenByte[f.text[i]] {
		return Secret{}, false
	}
	return f.token(i)
}

// awsSecret matches the 40 characters that go with an AWS access key id just before them.
func (f *finder) awsSecret(i int) (Secret, bool) {
	if i >= f.awsEnd || i > 0 && isBase64Byte(f.text[i-1]) && f.text[i-1] != '=' {
		return Secret{}, false
	}
	n := run(f.text[i:], 41, func(c byte) bool { return isBase64Byte(c) && c != '=' })
	if value := f.text[i : i+n]; n == 40 && classes(value).mixed() && entropy(value) > 3.5 {
		return Secret{Kind: "aws_secret_key", Start: i, End: i + n}, true
	}
	return Secret{}, false
}

// privateKey matches a PEM or PGP private key block. Where its end is missing it goes on as far as the
// text looks like the inside of one.
func (f *finder) privateKey(i int) (Secret, bool) {
	const begin, dashes = "-----BEGIN ", "-----"
	rest := f.text[i:]
	if !strings.HasPrefix(rest, begin) {
		return Secret{}, false
	}
	label := run(rest[len(begin):], 60, func(c byte) bool { return c != '-' && c != '\n' })
	if !strings.Contains(rest[len(begin):len(begin)+label], "PRIVATE KEY") {
		return Secret{}, false
	}
	body := len(begin) + label
	body += run(rest[body:], len(dashes), func(c byte) bool { return c == '-' })
	end := body + run(rest[body:], len(rest), isPEMByte)
	if next := strings.Index(rest[body:], dashes); next >= 0 && strings.HasPrefix(rest[body+next:], "-----END ") {
		end = body + next + len(dashes)
		end += run(rest[end:], 80, func(c byte) bool { return c >= ' ' && c < 0x80 && c != '-' })
		end += run(rest[end:], len(dashes), func(c byte) bool { return c == '-' })
	}
	return Secret{Kind: "private_key", Start: i, End: i + end}, true
}

// urlPassword looks for the password in scheme://user:password@host and keeps it until the reading gets
// there, for the user may be a token itself; i is at the scheme's colon.
func (f *finder) urlPassword(i int) {
	rest := f.text[i:]
	if !strings.HasPrefix(rest, "://") {
		return
	}
	user := run(rest[3:], 128, func(c byte) bool { return isURLByte(c) && c != ':' && c != '@' && c != '[' })
	start := 3 + user
	if start >= len(rest) || rest[start] != ':' {
		return
	}
	start++
	end := start + run(rest[start:], 256, func(c byte) bool { return isURLByte(c) && c != '@' })
	if end+1 >= len(rest) || rest[end] != '@' || isPlaceholder(rest[start:end]) {
		return
	}
	// A password may hold the sign that ends it.
	more := rest[end+1:]
	if at := strings.LastIndexByte(more[:run(more, 128, func(c byte) bool { return isURLByte(c) && strings.IndexByte("?#,;&=|", c) < 0 })], '@'); at >= 0 {
		end += 1 + at
	}
	f.url = Secret{Kind: "url_password", Start: i + start, End: i + end}
}

// mayFlag tells whether text begins with an option that a secret may follow.
func mayFlag(text string) bool {
	return len(text) > 1 && (text[1] == '-' || text[1] == 'u' || text[1] == 'p')
}

// flag matches the value after a command line option such as "--password VALUE", "-u USER:PASSWORD" or
// "sshpass -p VALUE".
func (f *finder) flag(i int) (Secret, bool) {
	switch rest := f.text[i:]; {
	case strings.HasPrefix(rest, "-u "):
		return f.userPassword(i + len("-u "))
	case strings.HasPrefix(rest, "--user "):
		return f.userPassword(i + len("--user "))
	case strings.HasPrefix(rest, "-p ") && strings.HasSuffix(f.text[:i], "sshpass "):
		return f.value("password", i+len("-p"))
	}
	if !strings.HasPrefix(f.text[i:], "--") {
		return Secret{}, false
	}
	n := run(f.text[i+2:], 40, isTokenByte)
	end := i + 2 + n
	if n == 0 || end >= len(f.text) || f.text[end] != ' ' {
		return Secret{}, false
	}
	return f.value(f.text[i+2:end], end)
}

// userPassword matches the password in USER:PASSWORD, which begins at i.
func (f *finder) userPassword(i int) (Secret, bool) {
	quote := byte(0)
	if i < len(f.text) && (f.text[i] == '"' || f.text[i] == '\'') {
		quote = f.text[i]
		i++
	}
	user := run(f.text[i:], 64, func(c byte) bool { return isHeaderByte(c) || c == '@' })
	if user == 0 || i+user >= len(f.text) || f.text[i+user] != ':' {
		return Secret{}, false
	}
	start := i + user + 1
	if s, ok := f.known(start); ok {
		return s, true
	}
	value := valueAt(f.text[start:], quote)
	if !looksSecret("password", value, quote != 0) {
		return Secret{}, false
	}
	return Secret{Kind: "password", Start: start, End: start + len(value)}, true
}

// assignment matches the value given to a telling name: password=…, "api_key": "…", token := ….
// The sign between them is at text[sign:after].
func (f *finder) assignment(sign, after int) (Secret, bool) {
	end := sign
	for end > 0 && sign-end < 4 && strings.IndexByte(" \t\"'`\\:*?]", f.text[end-1]) >= 0 {
		end--
	}
	if !mayName(f.text[:end]) {
		return Secret{}, false
	}
	start := end
	for start > 0 && end-start < maxName && isNameByte(f.text[start-1]) {
		start--
	}
	if f.text[end] == ']' && strings.HasSuffix(f.text[:start], maskStart) {
		return Secret{}, false // the name is the kind in a mask
	}
	return f.value(f.text[start:end], after)
}

// value matches a secret value for name, looked for from i on.
func (f *finder) value(name string, i int) (Secret, bool) {
	kind, ok := secretName(name)
	if !ok {
		return Secret{}, false
	}
	start := i + run(f.text[i:], 8, func(c byte) bool { return strings.IndexByte(" \t\"'`\\=>*", c) >= 0 })
	start = skipScheme(f.text, start)
	if s, ok := f.known(start); ok {
		return s, true
	}
	quote := byte(0)
	if start > i {
		quote = f.text[start-1]
	}
	value := valueAt(f.text[start:], quote)
	if !looksSecret(kind, value, quote == '"' || quote == '\'' || quote == '`') {
		return Secret{}, false
	}
	end := start + len(value)
	if len(value) == maxValue { // a key or a token may be longer than what is looked at
		end += len(valueUpTo(f.text[end:], quote, bareEnds, maxRun))
	}
	return Secret{Kind: kind, Start: start, End: end}, true
}

// environment matches a password that is a plain word, as it is set in an environment: DB_PASSWORD=sunshine.
// The sign is at i.
func (f *finder) environment(i int) (Secret, bool) {
	start := i
	for start > 0 && i-start < maxName && (isUpperAlnum(f.text[start-1]) || f.text[start-1] == '_') {
		start--
	}
	if start > 0 && isNameByte(f.text[start-1]) {
		return Secret{}, false
	}
	if kind, ok := secretName(f.text[start:i]); !ok || kind != "password" {
		return Secret{}, false
	}
	value := valueAt(f.text[i+1:], 0)
	end := i + 1 + len(value)
	if len(value) < 6 || isPlaceholder(value) || isCode(value) || isPhrase(value) || isSetting(value) || strings.Contains(strings.ToLower(value), "password") ||
		end < len(f.text) && f.text[end] > ' ' {
		return Secret{}, false
	}
	return Secret{Kind: "password", Start: i + 1, End: end}, true
}

// element matches the text of <password>…</password>; i is at the end of its opening mark.
func (f *finder) element(i int) (Secret, bool) {
	start := i
	for start > 0 && i-start < maxName && isNameByte(f.text[start-1]) {
		start--
	}
	if start == 0 || f.text[start-1] != '<' {
		return Secret{}, false
	}
	return f.value(f.text[start:i], i+1)
}

// definition matches define('DB_PASSWORD', '…') of PHP; i is at the comma.
func (f *finder) definition(i int) (Secret, bool) {
	if i == 0 || f.text[i-1] != '\'' && f.text[i-1] != '"' {
		return Secret{}, false
	}
	start := i - 1
	for start > 0 && i-start < maxName && isNameByte(f.text[start-1]) {
		start--
	}
	if !strings.HasSuffix(f.text[:start], "define("+f.text[i-1:i]) {
		return Secret{}, false
	}
	return f.value(f.text[start:i-1], i+1)
}

// skipScheme steps over the scheme of an Authorization header.
func skipScheme(text string, i int) int {
	for _, scheme := range []string{"Bearer ", "Basic ", "Token ", "bearer ", "basic ", "token "} {
		if strings.HasPrefix(text[i:], scheme) {
			return i + len(scheme)
		}
	}
	return i
}

// valueAt cuts the value at the start of text: up to its closing quote, or up to what ends a bare word.
func valueAt(text string, quote byte) string { return valueUpTo(text, quote, bareEnds, maxValue) }

// bareEnds end a bare word, beside blanks; in a sentence an & may be part of it.
const (
	bareEnds     = sentenceEnds + "&"
	sentenceEnds = "\"'`,;\\<>"
)

func valueUpTo(text string, quote byte, ends string, most int) string {
	inside := func(c byte) bool { return c > ' ' && strings.IndexByte(ends, c) < 0 }
	quoted := quote == '"' || quote == '\'' || quote == '`'
	if quoted {
		inside = func(c byte) bool { return c != quote && c != '\\' && c != '\n' }
	}
	n := run(text, most, inside)
	for n > 0 && n < len(text) && !utf8.RuneStart(text[n]) {
		n--
	}
	if quoted {
		return text[:n]
	}
	value, _, _ := strings.Cut(text[:n], "，")
	return strings.TrimRight(value, ".!?)]}。！？；、）」")
}

// entropy is Shannon's, in bits per byte of s.
func entropy(s string) float64 {
	var count [256]float64
	for i := range len(s) {
		count[s[i]]++
	}
	bits := 0.0
	for _, n := range count {
		if n > 0 {
			p := n / float64(len(s))
			bits -= p * math.Log2(p)
		}
	}
	return bits
}

// run counts the leading bytes of s, at most limit, that ok accepts.
func run(s string, limit int, ok func(byte) bool) int {
	n := 0
	for n < len(s) && n < limit && ok(s[n]) {
		n++
	}
	return n
}
