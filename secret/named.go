package secret

import (
	"encoding/base64"
	"slices"
	"strings"
	"unicode/utf8"
)

// wordsBefore returns the words if they are in front of i, in capitals or not, else "".
func (f *finder) wordsBefore(i int, words string) string {
	if before := f.text[max(0, i-len(words)):i]; !strings.EqualFold(before, words) {
		return ""
	}
	return strings.ReplaceAll(words, " ", "")
}

// identified matches the password in "IDENTIFIED BY 'PASSWORD'" of SQL.
func (f *finder) identified(i int) (Found, bool) {
	const words = "identified by "
	start := i + len(words)
	if start >= len(f.text) || !strings.EqualFold(f.text[i:start], words) || strings.IndexByte("\"'", f.text[start]) < 0 {
		return Found{}, false
	}
	return f.password(start+1, f.text[start])
}

// urlPassword looks for the password in scheme://user:password@host, or the token in
// scheme://token@host, where i is at the scheme's colon. It only remembers it, because
// the user may be a known token, which comes first.
func (f *finder) urlPassword(i int) {
	rest := f.text[i:]
	if !strings.HasPrefix(rest, "://") {
		return
	}
	user := run(rest[3:], 128, func(c byte) bool { return isURLByte(c) && c != ':' && c != '@' && c != '[' })
	start := 3 + user
	if start < len(rest) && rest[start] == '@' && user >= 20 && looksRandom(rest[3:start]) {
		f.url = Found{Kind: "url_token", Start: i + 3, End: i + start}
	}
	if start >= len(rest) || rest[start] != ':' {
		return
	}
	start++
	end := start + run(rest[start:], 256, func(c byte) bool { return isURLByte(c) && c != '@' })
	if end+1 >= len(rest) || rest[end] != '@' || isPlaceholder(rest[start:end]) {
		return
	}
	// A password may contain the sign that ends it.
	more := rest[end+1:]
	if at := strings.LastIndexByte(more[:run(more, 128, func(c byte) bool { return isURLByte(c) && strings.IndexByte("?#,;&=|", c) < 0 })], '@'); at >= 0 {
		end += 1 + at
	}
	f.url = Found{Kind: "url_password", Start: i + start, End: i + end}
}

// assignment matches the value assigned to a name: password=…, "api_key": "…", token
// := …. The assignment sign is text[sign:after].
func (f *finder) assignment(sign, after int) (Found, bool) {
	end := sign - len(tail(f.text[:sign], 4, func(c byte) bool { return strings.IndexByte(" \t\"'`\\:*?]", c) >= 0 }))
	if !mayName(f.text[:end]) {
		return Found{}, false
	}
	name := tail(f.text[:end], maxName, isNameByte)
	start := end - len(name)
	if f.text[end] == ']' && strings.HasSuffix(f.text[:start], maskStart) {
		return Found{}, false // the name is the kind in a mask
	}
	switch {
	case strings.EqualFold(name, "key"): // API key: …
		name = f.wordBefore(start) + name
	case wordsBefore[strings.ToLower(name)] != "": // mot de passe : …
		name = f.wordsBefore(start, wordsBefore[strings.ToLower(name)]) + name
	case strings.EqualFold(name, "value"):
		if name = f.nameBefore(start); name == "" {
			name = f.nameAround(start)
		}
	case endsInAccount(f.text[:start]):
		return Found{}, false // the kind of thing that an ARN names: …:123456789012:secret:NAME
	}
	return f.value(name, after)
}

// endsInAccount reports whether text ends in the number of an account in an ARN and a colon. A number
// alone may be that of a line.
func endsInAccount(text string) bool {
	const digits = 12
	text, ok := strings.CutSuffix(text, ":")
	return ok && len(tail(text, digits+1, isDigit)) == digits && strings.HasSuffix(text[:len(text)-digits], ":")
}

// nameAround returns the name of the object in which a member "value" begins at i, as in
// terraform's outputs: {"db_password": {"sensitive": true, "value": "…"}}.
func (f *finder) nameAround(i int) string {
	before := f.text[max(0, i-4*maxName):i]
	open := strings.LastIndexAny(before, "{}")
	if open < 0 || before[open] == '}' {
		return ""
	}
	return tail(strings.TrimRight(before[:open], " \t\r\n\"'\\:="), len(before), isNameByte)
}

// nameBefore returns what a member "name" in front of a member "value" says, as in the
// environment of a container: {"name": "API_TOKEN", "value": "…"}. The latter begins at i.
func (f *finder) nameBefore(i int) string {
	const between = " \t\r\n\"',-"
	before := strings.TrimRight(f.text[max(0, i-2*maxName):i], between)
	name := tail(before, len(before), isNameByte)
	before = strings.TrimSuffix(before, name)
	key := strings.TrimRight(before, " \t\"':=")
	if key == before || len(key) < len("name") || !strings.EqualFold(key[len(key)-len("name"):], "name") {
		return ""
	}
	return name
}

// value matches a secret value for name, searching from i on.
func (f *finder) value(name string, i int) (Found, bool) {
	kind, ok := secretName(name)
	if !ok {
		return Found{}, false
	}
	i = f.nextLine(i)
	start := i + run(f.text[i:], 8, func(c byte) bool { return strings.IndexByte(" \t\"'`\\=>*", c) >= 0 })
	start = skipScheme(f.text, start)
	if s, ok := f.known(start); ok {
		return s, true
	}
	if s, ok := f.basic(start); ok {
		return s, true
	}
	quote := byte(0)
	if start > i && isQuote(f.text[start-1]) {
		quote = f.text[start-1]
	}
	value := valueAt(f.text[start:], quote)
	if whole := f.escapedValue(start); looksSecret(kind, whole, true) {
		value = whole
	}
	if !looksSecret(kind, value, quote != 0) {
		return Found{}, false
	}
	end := start + len(value)
	if len(value) == maxValue { // keys and tokens may be longer than that
		end += len(valueUpTo(f.text[end:], quote, bareEnds, maxRun))
	}
	return Found{Kind: kind, Start: start, End: end}, true
}

// nextLine returns where the line after "name:" or "name: |" begins if a single word
// stands on it, indented, as values may in YAML; else i, which is behind the colon.
func (f *finder) nextLine(i int) int {
	const longest = len(" |2-  # x\r\n")
	if i == 0 || f.text[i-1] != ':' {
		return i
	}
	header, _, ok := strings.Cut(f.text[i:min(len(f.text), i+longest)], "\n")
	style := strings.TrimSpace(header)
	if !ok || style != "" && (style[0] != '|' && style[0] != '>' || strings.Trim(style[1:], "+-123456789") != "") {
		return i
	}
	line := i + len(header) + 1
	start := line + run(f.text[line:], 64, func(c byte) bool { return c == ' ' || c == '\t' })
	word, _, _ := strings.Cut(f.text[start:min(len(f.text), start+maxRun)], "\n")
	word = strings.TrimRight(word, " \t\r")
	if start == line || strings.ContainsAny(word, " \t") || strings.HasSuffix(word, ":") {
		return i
	}
	return start
}

// escapedValue returns what is between the double quote before start and the next one
// that is not escaped, or "" if nothing is escaped there, or more than quotes and signs.
// A quote that is itself escaped belongs to a text within a text, where an escaped quote
// ends the value.
func (f *finder) escapedValue(start int) string {
	if start < 1 || f.text[start-1] != '"' || start > 1 && f.text[start-2] == '\\' {
		return ""
	}
	text, escaped := f.text[start:min(len(f.text), start+maxValue)], false
	for n := 0; n < len(text) && text[n] != '\n'; n++ {
		switch {
		case text[n] == '"' && escaped:
			return text[:n]
		case text[n] == '"':
			return ""
		case text[n] == '\\':
			n++
			escaped = true
			if n < len(text) && strings.IndexByte(`"\/u`, text[n]) < 0 {
				return ""
			}
		}
	}
	return ""
}

// basic matches USER:PASSWORD in base64, as an Authorization header has them; i is
// behind the scheme.
func (f *finder) basic(i int) (Found, bool) {
	if scheme := f.text[max(0, i-len("basic ")):i]; !strings.EqualFold(scheme, "basic ") {
		return Found{}, false
	}
	n := run(f.text[i:], maxValue, isBase64Byte)
	plain, err := base64.StdEncoding.DecodeString(f.text[i : i+n])
	if err != nil || !utf8.Valid(plain) || strings.IndexByte(string(plain), ':') < 0 {
		return Found{}, false
	}
	return Found{Kind: "credential", Start: i, End: i + n}, true
}

// environment matches a password that is a plain word in the setting of an environment
// variable: DB_PASSWORD=sunshine. The sign is at i.
func (f *finder) environment(i int) (Found, bool) {
	name := tail(f.text[:i], maxName, func(c byte) bool { return isUpperAlnum(c) || c == '_' })
	if start := i - len(name); start > 0 && isNameByte(f.text[start-1]) {
		return Found{}, false
	}
	if kind, _ := secretName(name); kind != "password" {
		return Found{}, false
	}
	value := valueAt(f.text[i+1:], 0)
	end := i + 1 + len(value)
	if len(value) < 6 || isPlaceholder(value) || isCode(value) || isPhrase(value) || isSetting(value) || strings.Contains(strings.ToLower(value), "password") ||
		end < len(f.text) && f.text[end] > ' ' {
		return Found{}, false
	}
	return Found{Kind: "password", Start: i + 1, End: end}, true
}

// element matches the text of <password>…</password>; i is at the end of its opening
// tag.
func (f *finder) element(i int) (Found, bool) {
	name := tail(f.text[:i], maxName, isNameByte)
	if !strings.HasSuffix(f.text[:i-len(name)], "<") {
		return Found{}, false
	}
	return f.value(name, i+1)
}

// settingCalls are the functions that take the name of a secret and the secret.
var settingCalls = []string{"define(", "getenv(", "setenv(", "Setenv(", "environ.get("}

// definition matches define('DB_PASSWORD', '…') in PHP and the default in
// os.getenv("API_KEY", "…"); i is at the comma.
func (f *finder) definition(i int) (Found, bool) {
	if i == 0 || f.text[i-1] != '\'' && f.text[i-1] != '"' {
		return Found{}, false
	}
	name := tail(f.text[:i-1], maxName, isNameByte)
	before, quoted := strings.CutSuffix(f.text[:i-1-len(name)], f.text[i-1:i])
	if !quoted || !slices.ContainsFunc(settingCalls, func(call string) bool { return strings.HasSuffix(before, call) }) {
		return Found{}, false
	}
	return f.value(name, i+1)
}
