package secret

import (
	"slices"
	"strings"
)

// said matches a secret in a sentence, such as "the password is …" or "my API key is …",
// and a password after the bare word, as in a .netrc file, where it must look random.
func (f *finder) said(i int) (Found, bool) {
	word := run(f.text[i:], 12, isAlnum)
	kind := f.saidKind(i, i+word)
	if kind == "" {
		return Found{}, false
	}
	rest := f.text[i+word:]
	for _, link := range []string{" is: ", " is ", " was ", " to ", " lautet: ", " lautet ", " ist "} {
		if strings.HasPrefix(rest, link) {
			return f.saidValue(kind, i+word+len(link), false)
		}
	}
	if kind != "password" || !strings.HasPrefix(rest, " ") {
		return Found{}, false
	}
	if value := valueAt(rest[1:], 0); !isPlaceholder(value) && !isSetting(value) && isLogin(f.text[:i]) {
		return Found{Kind: "password", Start: i + word + 1, End: i + word + 1 + len(value)}, true
	}
	return f.saidValue(kind, i+word+1, true)
}

// saidKind returns the kind of secret that the word text[i:end] names in a sentence, or
// "". It depends on the word before: an API key is a secret, a sort key is not.
func (f *finder) saidKind(i, end int) string {
	switch word := strings.ToLower(f.text[i:end]); word {
	case "password", "passwd", "passphrase", "passwort":
		return "password"
	case "token", "secret", "key":
		kind, _ := secretName(f.wordBefore(i) + word)
		return kind
	}
	return ""
}

// wordBefore returns the word that one blank separates from the word at i, or "".
func (f *finder) wordBefore(i int) string {
	if i == 0 || f.text[i-1] != ' ' {
		return ""
	}
	return tail(f.text[:i-1], maxName, isAlnum)
}

// saidBeside matches a secret in a Chinese, Japanese or Korean sentence: 密码是…, パスワード
// は「…」. The last byte of the word between is at i.
func (f *finder) saidBeside(i int) (Found, bool) {
	for _, link := range besideLinks {
		before, ok := strings.CutSuffix(f.text[:i+1], link)
		if !ok || !mayName(before) {
			continue
		}
		kind, ok := secretName(tail(before, maxName, isNameByte))
		if !ok {
			continue
		}
		start := i + 1
		for _, opening := range []string{" ", "「", "“"} {
			if strings.HasPrefix(f.text[start:], opening) {
				start += len(opening)
			}
		}
		if s, ok := f.known(start); ok {
			return s, true
		}
		value := strings.TrimRight(f.text[start:start+run(f.text[start:], maxValue, isPrintable)], ".,;:!?)]}")
		ok = looksSecret(kind, value, false) && (classes(value).symbol || !isWordy(value))
		return Found{Kind: kind, Start: start, End: start + len(value)}, ok
	}
	return Found{}, false
}

func (f *finder) saidValue(kind string, start int, bare bool) (Found, bool) {
	if s, ok := f.known(start); ok {
		return s, true
	}
	quote := byte(0)
	if start < len(f.text) && isQuote(f.text[start]) {
		quote = f.text[start]
		start++
	}
	value := valueUpTo(f.text[start:], quote, sentenceEnds, maxValue)
	switch {
	case !looksSecret(kind, value, quote != 0), bare && quote == 0 && (len(value) < 8 || !looksRandom(value)):
		return Found{}, false
	case quote == 0 && !classes(value).symbol && isWordy(value):
		return Found{}, false
	}
	return Found{Kind: kind, Start: start, End: start + len(value)}, true
}

// isLogin reports whether text ends as a .netrc file does before its word "password".
func isLogin(text string) bool {
	fields := strings.Fields(text[max(0, len(text)-maxValue):])
	return len(fields) >= 4 && fields[len(fields)-4] == "machine" && fields[len(fields)-2] == "login"
}

// besideLinks are the words between a name and its value in Chinese, Japanese and Korean,
// which no space separates from the name. linkEnd is the set of their last bytes.
var (
	besideLinks = []string{"是", "为", "為", "は", " は", "는", "은"}
	linkEnd     = byteTable(func(c byte) bool {
		return slices.ContainsFunc(besideLinks, func(link string) bool { return link[len(link)-1] == c })
	})
)
