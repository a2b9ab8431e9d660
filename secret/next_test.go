package secret

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// findAtEachByte is Find without stepping over anything.
func findAtEachByte(text string) []Found {
	f := finder{text: text}
	for i := 0; i < len(text); {
		if quiet := !triggerByte[text[i]] || f.insideWord(i); quiet && i != f.url.Start {
			i++
			continue
		}
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

// Stepping over words misses nothing: not after escapes, hyphens, secrets and the ids of a pair.
func TestFindStepsOverNothing(t *testing.T) {
	pieces := []string{
		"密码", "是", "は", "「", "x1Y2z3!", " ", "\n", `\n`, `\`, "-", "--", "_", ":", "=", "://", "@", "/", ".", `"`, "：", "é", "the", "sk", "a", "n", "r", "t", "Bearer ", "bEaReR ",
		"password", "api_key", "user", "https", "-----BEGIN X PRIVATE " + "KEY-----", "12345678", "123456789012", ":AA", "ey" + "JhbGciOi.eyJzdWIiOi.dozjgNryP4",
		"<password>", "define('", "',", "'", "password is ", "api key", " key", "token", " is ", "a8Kd02mXqP7vLs4TzR1wYc6NbE9hJgFu35OtMMMMMMMMMMMMMMMMJQQJ99BBACi5YpzXJ3w3AAAYACOGBNKw", " -u ", "--user ", "sshpass -p ", "PASSWORD=", "MTE4", "pat", ",",
		"Cookie: ", ";", "ENV ", "setx ", "set -x ", "sqlplus ", "/", "net use ", "IDENTIFIED BY '", "curl ", " -b ", "abc8Q~", "jdbc:oracle:thin:", "%3D", "\n-", "12-", "db:5432:a:b:", "Basic ",
		"a8Kd02mXqP7vLs4TzR1wYc6NbE9hJgFu35Ot", "9f2c4a7be01d583c6f90ab12cd34ef56", "Kq8/ZtN3vLw1+YpRm5XcBd7GhJs0QeUaTo2iFg4k", "IOSFODNN7EXAMPLE",
	}
	for _, r := range tokenRules {
		pieces = append(pieces, r.prefix)
	}
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 12).Draw(t, "pieces"), "")
		if got, want := Find(text), findAtEachByte(text); !slices.Equal(got, want) {
			t.Fatalf("%q: %v, want %v", text, got, want)
		}
	})
}

// No name of a secret is taken for another word.
func TestMayName(t *testing.T) {
	pieces := []string{"_", "-", ".", "1", "90", "a", "B", "DB", "pass", "PASS", "pw", "sig", "é"}
	for _, n := range secretNames {
		pieces = append(pieces, n.ending, strings.ToUpper(n.ending[:2])+n.ending[2:])
	}
	rapid.Check(t, func(t *rapid.T) {
		name := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 5).Draw(t, "name"), "")
		if kind, ok := secretName(name); ok && !mayName(name) {
			t.Fatalf("%q is the name of a %s", name, kind)
		}
	})
}
