package secret

import (
	"slices"
	"strings"
)

// mayFlag reports whether text, which begins with a hyphen, may begin with an option
// that a secret follows.
func mayFlag(text string) bool {
	return len(text) >= 2 && (strings.IndexByte("-upawb", text[1]) >= 0 || isCluster(text))
}

// isCluster reports whether text begins with short options that end in u, like -sSu.
func isCluster(text string) bool {
	n := 1 + run(text[1:], 8, func(c byte) bool { return isAlnum(c) && !isDigit(c) })
	return n > 2 && n < len(text) && text[n] == ' ' && text[n-1] == 'u'
}

// passwordOptions are the options of programs whose value, behind a blank or joined, is
// a password.
var passwordOptions = []struct{ option, program string }{
	{"-p ", "sshpass"}, {"-p ", "docker login"}, {"-p ", "podman login"}, {"-p ", "mongo"}, {"-p ", "az login"}, {"-p ", "oc login"},
	{"-a ", "redis-cli"}, {"-w ", "ldap"}, {"-p", "mysql"},
}

// flag matches the value after a command line option such as "--password VALUE", "-u
// USER:PASSWORD", "mysql -pVALUE" or "redis-cli -a VALUE".
func (f *finder) flag(i int) (Found, bool) {
	rest := f.text[i:]
	switch {
	case strings.HasPrefix(rest, "-u "):
		return f.userPassword(i + len("-u "))
	case strings.HasPrefix(rest, "--user "), strings.HasPrefix(rest, "--user="):
		return f.userPassword(i + len("--user "))
	case strings.HasPrefix(rest, "-b "), strings.HasPrefix(rest, "--cookie "):
		if f.isOptionOf("curl", i) {
			f.cookies(i + strings.IndexByte(rest, ' '))
		}
		return Found{}, false
	case strings.HasPrefix(rest, "-u") && f.isOptionOf("curl", i):
		return f.userPassword(i + len("-u"))
	case isCluster(rest) && f.isOptionOf("curl", i):
		return f.userPassword(i + strings.IndexByte(rest, ' ') + 1)
	}
	for _, o := range passwordOptions {
		if value := strings.TrimPrefix(rest, o.option); len(value) < len(rest) && value != "" && value[0] != ' ' &&
			!strings.HasPrefix(rest, "-port") && f.isOptionOf(o.program, i) {
			return f.value("password", i+len("-p"))
		}
	}
	if !strings.HasPrefix(rest, "--") {
		return Found{}, false
	}
	n := run(rest[2:], 40, isTokenByte)
	end := i + 2 + n
	if n == 0 || end >= len(f.text) || f.text[end] != ' ' {
		return Found{}, false
	}
	return f.value(f.text[i+2:end], end)
}

// isOptionOf reports whether the option at i stands behind a program in its command. The
// name of the program may go on, as in mysqldump.
func (f *finder) isOptionOf(program string, i int) bool {
	before := f.text[max(0, i-maxValue):i]
	before = before[strings.LastIndexAny(before, "\n;|&")+1:]
	return strings.HasSuffix(before, " ") && strings.Contains(before, program)
}

// userPassword matches the password in USER:PASSWORD, which begins at i.
func (f *finder) userPassword(i int) (Found, bool) {
	quote := byte(0)
	if i < len(f.text) && (f.text[i] == '"' || f.text[i] == '\'') {
		quote = f.text[i]
		i++
	}
	user := run(f.text[i:], 64, func(c byte) bool { return isHeaderByte(c) || c == '@' })
	if user == 0 || i+user >= len(f.text) || f.text[i+user] != ':' {
		return Found{}, false
	}
	start := i + user + 1
	if s, ok := f.known(start); ok {
		return s, true
	}
	return f.password(start, quote)
}

// password matches the password that begins at start, behind quote if that is one.
func (f *finder) password(start int, quote byte) (Found, bool) {
	value := valueAt(f.text[start:], quote)
	if !looksSecret("password", value, quote != 0) {
		return Found{}, false
	}
	return Found{Kind: "password", Start: start, End: start + len(value)}, true
}

// setters are the commands that give a variable a value without a sign between.
var setters = []string{"ENV ", "setx ", "setenv ", "set -x ", "set -gx ", "set -Ux ", "set -xg ", "config set "}

// setting matches the value in "ENV NAME VALUE" of a Dockerfile, "setx NAME VALUE" of
// Windows and their like.
func (f *finder) setting(i int) (Found, bool) {
	rest := f.text[i:]
	at := slices.IndexFunc(setters, func(s string) bool { return strings.HasPrefix(rest, s) })
	if at < 0 {
		return Found{}, false
	}
	start := i + len(setters[at])
	end := start + run(f.text[start:], 2*maxName, func(c byte) bool { return isNameByte(c) || c == '/' || c == ':' })
	if end == start || end >= len(f.text) || f.text[end] != ' ' {
		return Found{}, false
	}
	return f.value(f.text[start+strings.LastIndexAny(f.text[start:end], "/:")+1:end], end)
}

// oracleLogin matches the password in USER/PASSWORD@ behind "sqlplus " or
// "jdbc:oracle:thin:"; USER begins at i.
func (f *finder) oracleLogin(i int) (Found, bool) {
	user := run(f.text[i:], 64, isTokenByte)
	start := i + user + 1
	if user == 0 || start > len(f.text) || f.text[start-1] != '/' {
		return Found{}, false
	}
	n := run(f.text[start:], 128, func(c byte) bool { return isURLByte(c) && c != '@' })
	if end := start + n; n > 0 && end < len(f.text) && f.text[end] == '@' && !isPlaceholder(f.text[start:end]) {
		return Found{Kind: "password", Start: start, End: end}, true
	}
	return Found{}, false
}

// windowsLogin matches the password in "net use \\SERVER\SHARE PASSWORD /user:NAME", in
// any order, and in "net user NAME PASSWORD /add". The command begins at i.
func (f *finder) windowsLogin(i int) (Found, bool) {
	if !strings.EqualFold(f.text[i:min(len(f.text), i+len("net use"))], "net use") {
		return Found{}, false
	}
	line, _, _ := strings.Cut(f.text[i:min(len(f.text), i+maxValue)], "\n")
	lower := strings.ToLower(line)
	words := 2
	switch {
	case strings.HasPrefix(lower, "net use ") && strings.Contains(lower, " /user:"):
	case strings.HasPrefix(lower, "net user ") && strings.Contains(lower, " /add"):
		words = 3
	default:
		return Found{}, false
	}
	at := 0
	for n, word := range strings.Fields(line) {
		at += strings.Index(line[at:], word)
		if n >= words && strings.IndexByte(`/\*"`, word[0]) < 0 && word[len(word)-1] != ':' {
			return f.password(i+at, 0)
		}
		at += len(word)
	}
	return Found{}, false
}

// pgpass matches the password in a line HOST:PORT:DATABASE:USER:PASSWORD of a .pgpass
// file; i is at its last colon.
func (f *finder) pgpass(i int) (Found, bool) {
	user, ok1 := f.fieldBefore(i, isPgpassByte)
	database, ok2 := f.fieldBefore(user-1, isPgpassByte)
	port, ok3 := f.fieldBefore(database-1, func(c byte) bool { return isDigit(c) || c == '*' })
	host, ok4 := f.fieldBefore(port-1, isPgpassByte)
	if !ok1 || !ok2 || !ok3 || !ok4 || host > 0 && !f.beginsLine(host) {
		return Found{}, false
	}
	if number := f.text[port : database-1]; number != "*" && len(number) < 4 {
		return Found{}, false
	}
	start := i + 1
	n := run(f.text[start:], maxValue, func(c byte) bool { return c > ' ' && strings.IndexByte("\\'\"`", c) < 0 })
	value, rest := f.text[start:start+n], f.text[start+n:]
	if strings.Contains(value, ":") || !looksSecret("password", value, true) || strings.HasPrefix(rest, " ") { // an address of IPv6 has more colons
		return Found{}, false
	}
	return Found{Kind: "password", Start: start, End: start + n}, true
}

// fieldBefore returns where the field begins that ends before the colon at i.
func (f *finder) fieldBefore(i int, inside func(byte) bool) (start int, ok bool) {
	if i < 0 || f.text[i] != ':' {
		return 0, false
	}
	start = i - len(tail(f.text[:i], 64, inside))
	return start, start < i
}

// beginsLine reports whether a line or a quotation begins at i.
func (f *finder) beginsLine(i int) bool {
	return strings.IndexByte("\n'\"`", f.text[i-1]) >= 0 || strings.HasSuffix(f.text[:i], `\n`)
}

func isPgpassByte(c byte) bool { return isNameByte(c) || c == '*' || c == '/' }

// cookies remembers that cookies follow from i to the end of their line or quotation:
// NAME=VALUE; NAME=VALUE.
func (f *finder) cookies(i int) {
	if i < f.cookieEnd {
		return
	}
	i += run(f.text[i:], 4, func(c byte) bool { return strings.IndexByte(" \"'\\", c) >= 0 })
	f.cookieEnd = i + run(f.text[i:], maxRun, func(c byte) bool { return c >= ' ' && strings.IndexByte("\"'`\\", c) < 0 })
}

// cookie matches the value of a cookie that identifies somebody; i is at its sign.
func (f *finder) cookie(i int) (Found, bool) {
	if i >= f.cookieEnd || i < f.noCookie {
		return Found{}, false
	}
	start := i + 1
	if s, ok := f.known(start); ok {
		return s, true
	}
	n := run(f.text[start:f.cookieEnd], maxRun, func(c byte) bool { return c > ' ' && c != ';' && c != ',' })
	if value := f.text[start : start+n]; len(value) < 16 || isPlaceholder(value) || !looksRandom(value) {
		f.noCookie = start + n
		return Found{}, false
	}
	return Found{Kind: "cookie", Start: start, End: start + n}, true
}

// azureSecret matches a client secret of Azure AD: three characters, a digit, "Q~" and
// some 34 more; i is at the sign.
func (f *finder) azureSecret(i int) (Found, bool) {
	const before, after = len("abc8Q"), 31
	start := i - before
	if start < f.end || f.text[i-1] != 'Q' || !isDigit(f.text[i-2]) || run(f.text[start:], 3, isAlnum) < 3 || start > 0 && tokenByte[f.text[start-1]] {
		return Found{}, false
	}
	n := run(f.text[i+1:], 64, func(c byte) bool { return isDottedByte(c) || c == '~' })
	for n > 0 && f.text[i+n] == '.' {
		n--
	}
	return Found{Kind: "azure_secret", Start: start, End: i + 1 + n}, n >= after && n <= 36
}

// endsInCookie reports whether text ends in the name of a header with cookies.
func endsInCookie(text string) bool {
	const name = "cookie"
	text = strings.TrimRight(text[max(0, len(text)-2*len(name)):], "\"'\\")
	return len(text) >= len(name) && strings.EqualFold(text[len(text)-len(name):], name)
}
