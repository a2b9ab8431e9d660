package main

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestTableAlignsWideCharacters(t *testing.T) {
	var b strings.Builder
	tab := table{head: []string{"name", "is"}}
	tab.add("数据库", "wide")
	tab.add("db", "narrow\nand on one line")
	tab.print(&printer{w: &b})
	want := "name    is\n数据库  wide\ndb      narrow and on one line\n"
	if b.String() != want {
		t.Errorf("printed\n%s\nwant\n%s", b.String(), want)
	}
}

// On a narrow terminal columns continue on further lines, aligned there too, so that no
// number is cut and the last column is visible. A table about a single thing is never
// cut.
func TestTableOnNarrowTerminals(t *testing.T) {
	for _, of := range []struct {
		width int
		whole bool
		want  string
	}{
		{60, false, "SESSION     STATUS  EVENTS  TITLE\n0123456789  active  1000    What a long title this session …\n01          ended   7       short\n"},
		{40, false, "SESSION     STATUS  EVENTS\n  TITLE\n0123456789  active  1000\n  What a long title this session has\n01          ended   7\n  short\n"},
		{22, false, "SESSION     STATUS\n  EVENTS\n  TITLE\n0123456789  active\n  1000\n  What a long title t…\n01          ended\n  7\n  short\n"},
		{40, true, "SESSION     STATUS  EVENTS  TITLE\n0123456789  active  1000    What a long title this session has\n01          ended   7       short\n"},
	} {
		var b strings.Builder
		tab := table{head: []string{"SESSION", "STATUS", "EVENTS", "TITLE"}, whole: of.whole}
		tab.add("0123456789", "active", "1000", "What a long title this session has")
		tab.add("01", "ended", "7", "short")
		tab.print(&printer{w: &b, width: of.width})
		if b.String() != of.want {
			t.Errorf("in %d columns, whole %t:\n%s\nwant\n%s", of.width, of.whole, b.String(), of.want)
		}
	}
}

func TestCut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, n := rapid.String().Draw(t, "s"), rapid.IntRange(1, 40).Draw(t, "n")
		if got := cut(s, n); cells(got) > n || (cells(s) <= n && got != s) {
			t.Errorf("cut(%q, %d) = %q", s, n, got)
		}
	})
}

func TestSize(t *testing.T) {
	for n, want := range map[int64]string{0: "0 B", 1023: "1023 B", 1536: "1.5 KiB", 5 << 20: "5.0 MiB", 3 << 40: "3.0 TiB", 1 << 60: "1048576.0 TiB"} {
		if got := size(n); got != want {
			t.Errorf("size(%d) = %q, want %q", n, got, want)
		}
	}
}

// Colour appears only on terminals, and never with NO_COLOR.
func TestPaint(t *testing.T) {
	if got := (&printer{}).paint(red, "x"); got != "x" {
		t.Errorf("without a terminal: %q", got)
	}
	if got := (&printer{colour: true}).paint(red, "x"); got != "\x1b[31mx\x1b[0m" {
		t.Errorf("on a terminal: %q", got)
	}
	a := &app{out: &strings.Builder{}, env: func(string) string { return "" }}
	if a.printer().colour {
		t.Error("a buffer is no terminal")
	}
}

// Stored text has no effect on a terminal, in text or in JSON. JSON stays exact.
func TestStoredTextIsSafeForTerminals(t *testing.T) {
	const id = "x\x1b[31m\x1b]0;title\a\u009b2J\u202e\x7f\U000e0041\r."
	for _, colour := range []bool{false, true} {
		var b strings.Builder
		p := &printer{w: &b, colour: colour}
		p.line("%s %s", p.paint(green, "kept"), id)
		text := strings.NewReplacer(p.paint(green, "kept"), "", "\x1b[31m", "").Replace(b.String()) // what only colours does no harm
		if strings.ContainsAny(text, "\x1b\a\u009b\u202e\x7f\U000e0041\r") {
			t.Errorf("colour %v: %q", colour, b.String())
		}
	}
	var b strings.Builder
	if err := jsonLines(&b, []string{id}); err != nil {
		t.Fatal(err)
	}
	var back string
	if err := json.Unmarshal([]byte(b.String()), &back); err != nil || back != id || strings.ContainsAny(b.String(), "\x1b\a\u009b\u202e\x7f\U000e0041\r") {
		t.Errorf("%v: %q reads %q", err, b.String(), back)
	}
}

// Property: an export that is printed in pieces is escaped as a whole.
func TestEscapesInPieces(t *testing.T) {
	pieces := rapid.SampledFrom([]string{"a", "é", "工", "👩", "\u009b", "\u202e", "\U000e0041", "\n"})
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOf(pieces).Draw(t, "text"), "") + "\n"
		var b strings.Builder
		e := &jsonEscaper{w: &b}
		for rest := text; rest != ""; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "n")
			if wrote, err := e.Write([]byte(rest[:n])); err != nil || wrote != n {
				t.Fatal(wrote, err)
			}
			rest = rest[n:]
		}
		if b.String() != escapeJSON(text) {
			t.Fatalf("%q becomes %q, want %q", text, b.String(), escapeJSON(text))
		}
	})
}

func TestBar(t *testing.T) {
	if got, want := bar("check", 15, 30), "check        [===============               ]  50%  15 of 30"; got != want {
		t.Errorf("bar = %q, want %q", got, want)
	}
	if got := bar("rows", 7, 0); got != "rows 7" {
		t.Errorf("bar of unknown length = %q", got)
	}
}
