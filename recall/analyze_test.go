package recall_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/unicode/norm"

	"wake/recall"
)

func TestAnalyze(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", ""},
		{"the and of", ""},
		{"We decided to use PostgreSQL", "decid use postgr sql postgresql"},
		// Identifiers are found whole and in parts, however they are written.
		{"parseHTTPRequest", "pars http request parsehttprequest"},
		{"auth_token", "auth token authtoken"},
		{"authToken", "auth token authtoken"},
		{"src/net/http.go", "src net http go srcnethttpgo"},
		{"std::vector", "std vector stdvector"},
		{"HTTPServer", "http server httpserver"},
		{"sha256", "sha 256 sha256"},
		{"E1234", "e1234"},
		{"CVE-2024-1234", "cve 2024 1234 cve20241234"},
		{"ca7c7b9059e3", "ca7c7b9059e3"},
		// Numbers keep their value.
		{"1,000 items", "1000 item"},
		{"version 1.26.8", "version 1 26 8 1.26.8"},
		// Apostrophes.
		{"Caroline's dogs don't bark", "carolin dog bark"},
		{"Caroline’s dog", "carolin dog"},
		// Accents, ligatures and widths.
		{"Café naïve Ångström", "cafe naiv angstrom"},
		{"Straße Œuvre", "strass oeuvr"},
		{"ＡＰＩ", "api"},
		{"Москва́ МОСКВА", "москва москва"},
		// Scripts without blanks are cut into pairs and single characters.
		{"数据库", "数 据 数据 库 据库"},
		{"使用SQLite", "使 用 使用 sq lite sqlite"},
		{"한국어", "한 국 한국 어 국어"},
		// Decomposed text, as in macOS's file names, and half-width kana are the same words.
		{norm.NFD.String("한국어"), "한 국 한국 어 국어"},
		{norm.NFD.String("データが"), "デ ー デー タ ータ が タが"},
		{"ﾃﾞｰﾀﾊﾟｽ", "デ ー デー タ ータ パ タパ ス パス"},
		{"ᄒ 한", "ᄒ 한"},
		// Vowel signs that Arabic and Hebrew mostly leave out do not count, nor do drawn-out letters.
		{"النَّسْخُ النســـخ", "النسخ النسخ"},
		{"גִּיבּוּי", "גיבוי"},
	} {
		if diff := cmp.Diff(c.want, strings.Join(recall.Analyze(c.text), " ")); diff != "" {
			t.Errorf("%q (-want +got):\n%s", c.text, diff)
		}
	}
}

// A token points at the bytes that it stands for.
func TestTokensPointIntoTheText(t *testing.T) {
	text := "Fix parseHTTPRequest für 数据库"
	toks := recall.Tokens(text)
	if len(toks) == 0 {
		t.Fatal("no tokens")
	}
	for _, tok := range toks {
		if tok.Start < 0 || tok.End > len(text) || tok.Start >= tok.End {
			t.Fatalf("token %+v lies outside", tok)
		}
		if !utf8.ValidString(text[tok.Start:tok.End]) {
			t.Errorf("token %+v cuts a character", tok)
		}
	}
}

// A Thai vowel sign that stands behind another word changes nothing of that word's term.
func TestMarkBehindAnotherWord(t *testing.T) {
	for text, want := range map[string][]string{
		"\u0995\u09cb":              {"\u0995\u09c7\u09be"},
		"\u0995\u09cb\u0e38":        {"\u0995\u09c7\u09be", "\u0e38"},
		"\u0995\u09cb \u0e38\u0e38": {"\u0995\u09c7\u09be", "\u0e38", "\u0e38", "\u0e38\u0e38"},
	} {
		if diff := cmp.Diff(want, recall.Analyze(text)); diff != "" {
			t.Errorf("%+q (-want +got):\n%s", text, diff)
		}
	}
}

func FuzzAnalyze(f *testing.F) {
	for _, s := range []string{"auth_token 1,000 1.2.3", "数据库 ＡＰＩ", "a'b'c::d::", "\xff\xfe", strings.Repeat("aB", 300), "e\u0301\u0301", "\u0301/\u0301", "\u0ccb\u0e38", "\u09cb \u0e38\u0e38", "가 \u11a8가", strings.Repeat("\u0e38\u0e48", 40)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, tok := range recall.Tokens(text) {
			if tok.Term == "" || len(tok.Term) > 80 {
				t.Fatalf("term %q has %d bytes", tok.Term, len(tok.Term))
			}
			if utf8.ValidString(text) && !utf8.ValidString(tok.Term) {
				t.Fatalf("term %q is no UTF-8", tok.Term)
			}
			if tok.Start < 0 || tok.End > len(text) || tok.Start >= tok.End {
				t.Fatalf("token %+v lies outside", tok)
			}
		}
		recall.Understand(text)
	})
}

func BenchmarkAnalyze(b *testing.B) {
	text := strings.Repeat("We moved the session store from Redis to SQLite because the operators asked for one file; "+
		"parseHTTPRequest now reads auth_token before the body is decoded. Tests were green on all 3 platforms. ", 50)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		recall.Analyze(text)
	}
}
