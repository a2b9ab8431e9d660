package secret

import (
	"math"
	"slices"
	"strings"
)

// token matches a credential by its form, or by the word before it, which begins at i.
func (f *finder) token(i int) (Found, bool) {
	if s, ok := f.form(i); ok {
		return s, true
	}
	switch rest := f.text[i:]; {
	case rest[0] == 'b' || rest[0] == 'B':
		if n := len("basic "); len(rest) > n && strings.EqualFold(rest[:n], "basic ") {
			return f.basic(i + n)
		}
		return f.bearer(i)
	case strings.IndexByte("pPtTsSkK", rest[0]) >= 0:
		return f.said(i)
	}
	return Found{}, false
}

// form matches a credential by its form, starting at i.
func (f *finder) form(i int) (Found, bool) {
	rest := f.text[i:]
	if len(rest) < 2 {
		return Found{}, false
	}
	for _, r := range rulesByStart[start(rest)] {
		if !strings.HasPrefix(rest, r.prefix) {
			continue
		}
		if n := r.match(rest[len(r.prefix):]); n > 0 {
			return Found{Kind: r.kind, Start: i, End: i + len(r.prefix) + n}, true
		}
	}
	if isAzureKey(rest) {
		return Found{Kind: "azure_key", Start: i, End: i + azureKeySize}, true
	}
	switch c := rest[0]; {
	case c == 'e':
		return f.jwt(i)
	case strings.HasPrefix(rest, "bot"):
		return f.telegram(i + len("bot"))
	case c == 'M' || c == 'N' || c == 'O':
		return f.discord(i)
	case isDigit(c):
		return f.telegram(i)
	}
	return Found{}, false
}

const azureKeySize = 84 // of the newer keys of Azure AI, DevOps and their like

// isAzureKey reports whether text begins with such a key. It has a mark within, by which
// Azure recognises what it issued.
func isAzureKey(text string) bool {
	const mark, at = "JQQJ9", 52
	return len(text) >= azureKeySize && text[at:at+len(mark)] == mark && run(text, azureKeySize+1, isAlnum) == azureKeySize
}

// jwt matches a JSON web token: at least three parts, the first an object that begins
// with {". The second is empty in an encrypted one whose key both sides know.
func (f *finder) jwt(i int) (Found, bool) {
	rest := f.text[i:]
	if !strings.HasPrefix(rest, "eyJ") {
		return Found{}, false
	}
	end, parts := 0, 0
	for parts < 5 {
		n := run(rest[end:], maxRun, isTokenByte)
		if n < 8 && (n > 0 || parts != 1) {
			break
		}
		end, parts = end+n+1, parts+1
		if end > len(rest) || rest[end-1] != '.' {
			break
		}
	}
	if parts < 3 {
		return Found{}, false
	}
	return Found{Kind: "jwt", Start: i, End: i + end - 1}, true
}

// telegram matches a bot token: the bot's number, a colon, and about 35 characters
// beginning with AA.
func (f *finder) telegram(i int) (Found, bool) {
	digits := run(f.text[i:], 11, isDigit)
	rest := f.text[i+digits:]
	if digits < 8 || digits > 10 || !strings.HasPrefix(rest, ":AA") {
		return Found{}, false
	}
	if n := run(rest[1:], 60, isTokenByte); n >= 34 && n <= 36 {
		return Found{Kind: "telegram_token", Start: i, End: i + digits + 1 + n}, true
	}
	return Found{}, false
}

// discordFirst and discordThird are the possible beginnings of a Discord token, which
// begins with the number of its bot in base64.
var (
	discordFirst = []string{"MT", "Mj", "Mz", "ND", "NT", "Nj", "Nz", "OD", "OT"}
	discordThird = "AEIMQUYcgk"
)

// discord matches a bot token: its number in base64, a time and a signature.
func (f *finder) discord(i int) (Found, bool) {
	rest := f.text[i:]
	if len(rest) < 3 || !slices.Contains(discordFirst, rest[:2]) || strings.IndexByte(discordThird, rest[2]) < 0 {
		return Found{}, false
	}
	end := 0
	for part, size := range [][2]int{{23, 28}, {5, 8}, {25, 45}} {
		n := run(rest[end:], size[1]+1, isTokenByte)
		if n < size[0] || n > size[1] {
			return Found{}, false
		}
		if end += n; part < 2 {
			if end >= len(rest) || rest[end] != '.' {
				return Found{}, false
			}
			end++
		}
	}
	return Found{Kind: "discord_token", Start: i, End: i + end}, looksRandom(rest[:end])
}

// bearer matches the credential after the word "Bearer".
func (f *finder) bearer(i int) (Found, bool) {
	const word = "bearer "
	rest := f.text[i:]
	if len(rest) < len(word) || !strings.EqualFold(rest[:len(word)], word) {
		return Found{}, false
	}
	start := i + len(word)
	if s, ok := f.known(start); ok {
		return s, true
	}
	n := run(f.text[start:], maxRun, isHeaderByte)
	if value := f.text[start : start+n]; n >= 16 && looksRandom(value) {
		return Found{Kind: "bearer_token", Start: start, End: start + n}, true
	}
	return Found{}, false
}

// known matches a token by its form where a value starts, so that it gets the kind of
// the token. What a word there announces is found when the search comes to it: looking
// ahead for it at each word of "password is password is …" takes time that grows with the
// square of the text.
func (f *finder) known(i int) (Found, bool) {
	if i >= len(f.text) || !tokenByte[f.text[i]] {
		return Found{}, false
	}
	return f.form(i)
}

// awsSecret matches the 40 characters of a secret shortly after an AWS access key id.
func (f *finder) awsSecret(i int) (Found, bool) {
	if i >= f.awsEnd || i > 0 && isBase64Byte(f.text[i-1]) && f.text[i-1] != '=' {
		return Found{}, false
	}
	n := run(f.text[i:], 41, func(c byte) bool { return isBase64Byte(c) && c != '=' })
	if value := f.text[i : i+n]; n == 40 && classes(value).mixed() && entropy(value) > 3.5 {
		return Found{Kind: "aws_secret_key", Start: i, End: i + n}, true
	}
	return Found{}, false
}

// privateKey matches a PEM or PGP private key block. If its end is missing, it
// includes everything that looks like the inside of one.
func (f *finder) privateKey(i int) (Found, bool) {
	const begin, dashes = "-----BEGIN ", "-----"
	rest := f.text[i:]
	if !strings.HasPrefix(rest, begin) {
		return Found{}, false
	}
	label := run(rest[len(begin):], 60, func(c byte) bool { return c != '-' && c != '\n' })
	if !strings.Contains(rest[len(begin):len(begin)+label], "PRIVATE KEY") {
		return Found{}, false
	}
	body := len(begin) + label
	body += run(rest[body:], len(dashes), func(c byte) bool { return c == '-' })
	end := body + run(rest[body:], len(rest), isPEMByte)
	if next := strings.Index(rest[body:], dashes); next >= 0 && strings.HasPrefix(rest[body+next:], "-----END ") {
		end = body + next + len(dashes)
		end += run(rest[end:], 80, func(c byte) bool { return c >= ' ' && c < 0x80 && c != '-' })
		end += run(rest[end:], len(dashes), func(c byte) bool { return c == '-' })
	}
	return Found{Kind: "private_key", Start: i, End: i + end}, true
}

// puttyKey matches the private part of a key file of PuTTY: i is behind "Private-Lines:",
// which the number of its lines and these follow.
func (f *finder) puttyKey(i int) (Found, bool) {
	i += run(f.text[i:], 1, func(c byte) bool { return c == ' ' })
	n := run(f.text[i:], 2*maxRun, func(c byte) bool { return isBase64Byte(c) || strings.IndexByte("\r\n\\", c) >= 0 })
	key, _, _ := strings.Cut(f.text[i:i+n], "Private") // -MAC or -Hash, the next line
	key = strings.TrimRight(key, "\r\n")
	return Found{Kind: "private_key", Start: i, End: i + len(key)}, len(key) >= 40 && looksRandom(key)
}

// entropy is the Shannon entropy of s, in bits per byte.
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
