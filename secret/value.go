package secret

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// skipScheme skips the scheme of an Authorization header.
func skipScheme(text string, i int) int {
	for _, scheme := range []string{"Bearer ", "Basic ", "Token ", "bearer ", "basic ", "token ", "ApiKey ", "SSWS "} {
		if strings.HasPrefix(text[i:], scheme) {
			return i + len(scheme)
		}
	}
	return i
}

// valueAt returns the value at the start of text: up to quote, which is before it, or if
// that is 0, a bare word.
func valueAt(text string, quote byte) string { return valueUpTo(text, quote, bareEnds, maxValue) }

// bareEnds end a bare word, like blanks do. In a sentence, an & may be part of it.
const (
	bareEnds     = sentenceEnds + "&"
	sentenceEnds = "\"'`,;\\<>"
)

func valueUpTo(text string, quote byte, ends string, most int) string {
	inside := func(c byte) bool { return c > ' ' && strings.IndexByte(ends, c) < 0 }
	if quote != 0 {
		inside = func(c byte) bool { return c != quote && c != '\\' && c != '\n' }
	}
	n := run(text, most, inside)
	for n > 0 && n < len(text) && !utf8.RuneStart(text[n]) {
		n--
	}
	if quote != 0 {
		return text[:n]
	}
	value, _, _ := strings.Cut(text[:n], "，")
	return strings.TrimRight(value, ".!?)]}。！？；、）」")
}

// looksSecret reports whether value is a secret of that kind rather than a word, a
// placeholder or code.
func looksSecret(kind, value string, quoted bool) bool {
	if isPlaceholder(value) {
		return false
	}
	code := value
	if kind != "password" && len(value) >= 40 && !isWordy(value) {
		code = strings.TrimPrefix(value, "/") // base64 may begin with a slash, like a path
	}
	if isCode(code) {
		return false
	}
	c := classes(value)
	if kind == "password" {
		enough := c.digit && (c.lower || c.upper) || c.symbol && c.lower && c.upper
		return len(value) >= 6 && enough && (quoted || !isPhrase(value) || c.symbol)
	}
	return len(value) >= 10 && looksRandom(value) && (c.digit || !strings.Contains(value, ".")) && // without digits it may be a qualified name
		!isVariable(value)
}

// isVariable reports whether value is itself a name for a secret in camel case, such as
// ed25519.PrivateKey.
func isVariable(value string) bool {
	for _, end := range []string{"Key", "Token", "Secret"} {
		if _, ok := secretName(value); ok && strings.HasSuffix(value, end) {
			return run(value, len(value), isNameByte) == len(value)
		}
	}
	return false
}

// looksRandom reports whether value looks random, and not like words, names, versions
// or dates.
func looksRandom(value string) bool {
	c := classes(value)
	if !(c.lower || c.upper) || !(c.digit || c.lower && c.upper && len(value) >= 24) {
		return false
	}
	return entropy(value) >= 2.8 && !isWordy(value)
}

// isPhrase reports whether value is a name with several parts, such as auth_token_v2
// or db.pass1, or the name of an algorithm.
func isPhrase(value string) bool {
	if slices.Contains([]string{"bcrypt12", "base64"}, strings.ToLower(value)) {
		return true
	}
	return strings.ContainsAny(value, "_-./:") && isWordy(value)
}

// isWordy reports whether value consists only of words and short numbers.
func isWordy(value string) bool {
	parts := strings.FieldsFunc(value, func(r rune) bool { return strings.ContainsRune("_-./:+@#=~", r) })
	return !slices.ContainsFunc(parts, func(p string) bool { return !isWord(p) })
}

// isWord reports whether s, which has no separators, looks like a number of four
// digits, a word, camelCase or test1024Key: there are few changes of case, and digits
// in only one place.
func isWord(s string) bool {
	digits, groups, changes := 0, 0, 0
	for i := range len(s) {
		switch {
		case isDigit(s[i]):
			digits++
			if i == 0 || !isDigit(s[i-1]) {
				groups++
			}
		case i > 0 && isUpper(s[i]) != isUpper(s[i-1]):
			changes++
		}
	}
	most := 2
	if changes > 0 || digits == len(s) {
		most = 4
	}
	return digits <= most && groups <= 1 && changes <= 2+len(s)/5
}

// isPlaceholder reports whether value stands for a secret without being one.
func isPlaceholder(value string) bool {
	if value == "" || strings.IndexByte("<[{$%*(", value[0]) >= 0 {
		return true
	}
	lower := strings.ToLower(value)
	for _, mark := range []string{"...", "…", "***", "xxxx", "your", "placeholder", "redacted", "${", "{{", maskStart} {
		if strings.Contains(lower, mark) {
			return true
		}
	}
	return slices.Contains([]string{"password", "passwd", "pass", "pwd", "secret", "token", "example"}, lower)
}

// isSetting reports whether value is one of PASSWORD=… that switches something, or
// waits to be replaced.
func isSetting(value string) bool {
	return slices.Contains([]string{"true", "false", "none", "null", "required", "optional", "enabled", "disabled", "changeme", "change_me", "string", "prompt"},
		strings.ToLower(value))
}

// isCode reports whether value is an expression, a path or a hash.
func isCode(value string) bool {
	for _, start := range []string{"/", "~", "./", "../", "process.env", "os.", "env.", "secrets.", "vault:", "http://", "https://", "arn:", "urn:", "pbkdf2", "scrypt:", "argon2", "sha256", "sha512"} {
		if strings.HasPrefix(value, start) {
			return true
		}
	}
	return strings.ContainsAny(value, "()[]{} ")
}

// charClasses are the classes of characters in a value.
type charClasses struct{ lower, upper, digit, symbol bool }

func (c charClasses) mixed() bool { return c.lower && c.upper && c.digit }

func classes(value string) (c charClasses) {
	for i := range len(value) {
		switch b := value[i]; {
		case isDigit(b):
			c.digit = true
		case isUpper(b):
			c.upper = true
		case b >= 'a' && b <= 'z' || b >= 0x80:
			c.lower = true
		case strings.IndexByte("!@#$%^&*+?~", b) >= 0:
			c.symbol = true
		}
	}
	return c
}
