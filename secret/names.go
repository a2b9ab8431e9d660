package secret

import (
	"slices"
	"strings"
)

// secretNames are endings of names whose values are secrets, without separators, and
// the kind of the secret. The first match counts.
var secretNames = []struct{ ending, kind string }{
	{"secretaccesskey", "aws_secret_key"}, {"sharedaccesskey", "azure_key"}, {"accountkey", "azure_key"},
	{"apikey", "api_key"}, {"accesskey", "api_key"}, {"secretkey", "secret"}, {"privatekey", "secret"},
	{"encryptionkey", "secret"}, {"signingkey", "secret"}, {"presharedkey", "secret"}, {"masterkey", "secret"},
	{"appkey", "api_key"}, {"applicationkey", "api_key"}, {"subscriptionkey", "api_key"}, {"authkey", "api_key"}, {"secret", "secret"}, {"token", "token"},
	{"secretkeybase", "secret"}, {"keydata", "private_key"}, {"amzsignature", "signature"},
	{"authorization", "credential"}, {"credential", "credential"}, {"credentials", "credential"},
	{"jsessionid", "cookie"}, {"phpsessid", "cookie"}, {"connectsid", "cookie"}, {"aspnetsessionid", "cookie"},
	{"password", "password"}, {"passwd", "password"}, {"passphrase", "password"}, {"pwd", "password"},
	{"passwort", "password"}, {"kennwort", "password"}, {"contraseña", "password"}, {"senha", "password"},
	{"motdepasse", "password"}, {"пароль", "password"}, {"şifre", "password"}, {"parola", "password"}, {"mậtkhẩu", "password"},
	{"密码", "password"}, {"密碼", "password"}, {"パスワード", "password"}, {"비밀번호", "password"}, {"รหัสผ่าน", "password"}, {"पासवर्ड", "password"},
	{"סיסמה", "password"}, {"סיסמא", "password"}, {"كلمةالمرور", "password"}, {"كلمةالسر", "password"},
}

// wordsBefore are the words in front of a name that make it one of a secret.
var wordsBefore = map[string]string{"passe": "mot de ", "khẩu": "mật ", "المرور": "كلمة ", "السر": "كلمة "}

// shortNames are like secretNames, but other words end in them too. So they only count
// as the last part of a name (DB_PASS), or in lower case ("PASS: TestLogin2" is the
// report of a test).
var shortNames = map[string]string{"pass": "password", "pw": "password", "psk": "password", "sig": "signature", "pat": "token", "auth": "credential"}

// publicNames are endings of names that end like those of secrets: of .NET assemblies,
// and of where the next page of a list begins.
var publicNames = []string{"publickeytoken", "nexttoken", "pagetoken", "forwardtoken", "backwardtoken", "paginationtoken", "continuationtoken",
	"startingtoken", "idempotencytoken"}

// secretName returns the kind of secret that a value with this name is.
func secretName(name string) (kind string, ok bool) {
	name = strings.TrimRight(name, "0123456789_-.")
	var buf [maxName]byte
	letters := buf[:0]
	for i := range len(name) {
		if c := name[i]; isUpper(c) {
			letters = append(letters, c|0x20)
		} else if !isNameJoint(c) {
			letters = append(letters, c)
		}
	}
	plain := strings.ToLower(string(letters))
	if slices.ContainsFunc(publicNames, func(n string) bool { return strings.HasSuffix(plain, n) }) {
		return "", false
	}
	for _, n := range secretNames {
		if strings.HasSuffix(plain, n.ending) {
			return n.kind, true
		}
	}
	last := name
	if cut := strings.LastIndexAny(name, "_-.") + 1; cut > 0 {
		last = strings.ToLower(name[cut:])
	}
	kind, ok = shortNames[last]
	return kind, ok
}

// mayName reports whether text may end in the name of a secret. It rules out most
// names cheaply.
func mayName(text string) bool {
	i := len(text)
	for i > 0 && (isDigit(text[i-1]) || isNameJoint(text[i-1])) {
		i--
	}
	if i == 0 {
		return false
	}
	last := text[i-1]
	for i--; i > 0 && isNameJoint(text[i-1]); i-- {
	}
	return i > 0 && nameTails[last&31]&(1<<(text[i-1]&31)) != 0
}

// nameTails is the set of the last two letters of names of secrets, by their lower
// five bits.
var nameTails = func() (table [32]uint32) {
	put := func(name string) { table[name[len(name)-1]&31] |= 1 << (name[len(name)-2] & 31) }
	for _, n := range secretNames {
		put(n.ending)
		put(strings.ToUpper(n.ending))
	}
	for name := range shortNames {
		put(name)
	}
	put("value") // see [finder.nameBefore]
	return table
}()
