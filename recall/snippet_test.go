package recall

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"

	"wake/domain"
)

// What is left as it is is what joining its words would give.
func TestOneLine(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOf(rapid.SampledFrom([]string{"a", "word", " ", "\n", "\t", "\u00a0", "é", "\x01", "."})).Draw(t, "text"), "")
		if got, want := oneLine(text), strings.Join(strings.FieldsFunc(text, unicode.IsSpace), " "); got != want {
			t.Fatalf("%q becomes %q, want %q", text, got, want)
		}
	})
}

// An excerpt of a text without spaces begins at a sentence, or some way before what was
// found, and cuts no character apart.
func TestSnippetsWithoutSpaces(t *testing.T) {
	sentence := "我们在周四的会议上讨论了很多不同的问题和方案"
	for _, c := range []struct{ text, question, begins, has string }{
		{strings.Repeat(sentence+"。", 9) + "数据库备份保存三十天。" + strings.Repeat(sentence+"。", 9), "保存三十天", "… 数据库备份", "数据库备份保存三十天"},
		{strings.Repeat(sentence, 9) + "数据库备份保存三十天" + strings.Repeat(sentence, 9), "备份保存", "", "方案数据库备份保存三十天"},
		{strings.Repeat("ประชุมวันนี้", 20) + "สำรองฐานข้อมูลทุกคืน" + strings.Repeat("ประชุมวันนี้", 20), "ฐานข้อมูล", "", "สำรองฐานข้อมูลทุกคืน"},
		{norm.NFD.String(strings.Repeat("회의에서논의했다", 20) + "데이터베이스백업" + strings.Repeat("회의에서논의했다", 20)), "데이터베이스", "", norm.NFD.String("데이터베이스백업")},
	} {
		got := NewSnippets(Understand(c.question), nil).Of(c.text, 300)
		if !strings.HasPrefix(got, c.begins) || !strings.Contains(got, c.has) || strings.ContainsRune(got, utf8.RuneError) {
			t.Errorf("%q shows %q", c.question, got)
		}
		shown := strings.TrimSuffix(strings.TrimPrefix(got, "… "), " …")
		if from := strings.Index(c.text, shown); from < 0 || domain.Break(c.text, from) != from || domain.Break(c.text, from+len(shown)) != from+len(shown) {
			t.Errorf("%q is cut within a character", got)
		}
	}
}
