package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"wake/domain"
	"wake/memory"
)

// answerWriter writes text to standard output and remembers the first error in app,
// because callers do not check for errors.
type answerWriter struct{ a *app }

func (o answerWriter) Write(p []byte) (int, error) {
	n, err := o.a.out.Write(p)
	if err != nil && o.a.outputErr == nil {
		o.a.outputErr = fmt.Errorf("the answer could not be written: %w", domain.Reason(err))
	}
	return n, err
}

// printList prints items, as JSON lines or with text for people. If there are none, it
// prints empty for people.
func printList[T any](a *app, items []T, text func(*printer, T), empty string) error {
	if a.json {
		return jsonLines(a.out, items)
	}
	p := a.printer()
	for _, item := range items {
		text(p, item)
	}
	if len(items) == 0 {
		p.line("%s", empty)
	}
	return nil
}

// printOne prints a single answer.
func printOne[T any](a *app, item T, text func(*printer, T)) error {
	if a.json {
		return jsonLines(a.out, []T{item})
	}
	text(a.printer(), item)
	return nil
}

// jsonLines writes each item exactly, but escapes characters with an effect on
// terminals.
func jsonLines[T any](w io.Writer, items []T) error {
	for _, item := range items {
		var line bytes.Buffer
		e := json.NewEncoder(&line)
		e.SetEscapeHTML(false)
		if err := e.Encode(item); err != nil {
			return err
		}
		if _, err := io.WriteString(w, escapeJSON(line.String())); err != nil {
			return err
		}
	}
	return nil
}

// escapeJSON escapes characters that encoding/json leaves alone but that may have an
// effect on terminals: control characters beyond ASCII, and characters that are
// invisible or change the direction. In JSON these only occur in strings.
func escapeJSON(line string) string {
	acts := func(r rune) bool { return r >= 0x7F && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) }
	if !strings.ContainsFunc(line, acts) {
		return line
	}
	var b strings.Builder
	for _, r := range line {
		switch {
		case !acts(r):
			b.WriteRune(r)
		case r > 0xFFFF:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

// jsonEscaper writes JSON escaped by [escapeJSON], wherever it is cut into pieces.
type jsonEscaper struct {
	w    io.Writer
	rest []byte // the beginning of a character
}

func (e *jsonEscaper) Write(p []byte) (int, error) {
	text := append(e.rest, p...)
	whole := len(text)
	for i := len(text) - 1; i >= 0 && i >= len(text)-utf8.UTFMax; i-- {
		if utf8.RuneStart(text[i]) {
			if !utf8.FullRune(text[i:]) {
				whole = i
			}
			break
		}
	}
	e.rest = bytes.Clone(text[whole:])
	if _, err := io.WriteString(e.w, escapeJSON(string(text[:whole]))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// notes prints notes to standard error.
func (a *app) notes(notes []string) {
	for _, n := range notes {
		a.note(n)
	}
}

// note prints a note to standard error, unless it is "".
func (a *app) note(text string) {
	if text != "" {
		fmt.Fprintf(a.err, "note: %s\n", printable(text))
	}
}

// more says how to continue a list.
func (a *app) more(cursor string) {
	if cursor != "" {
		fmt.Fprintf(a.err, "note: there is more; go on with --cursor %s\n", cursor)
	}
}

// printable makes text safe for a terminal and masks secrets. (JSON output has the exact
// text.)
func printable(s string) string { return memory.PlainText(s) }

// oneLine is printable on one line.
func oneLine(s string) string { return strings.Join(strings.Fields(printable(s)), " ") }

// when writes a time for people.
func when(t time.Time) string {
	if t.IsZero() {
		return "never"
	}
	return t.Local().Format("2006-01-02 15:04")
}

// size writes a number of bytes for people.
func size(n int64) string {
	const unit = 1024
	if n < unit {
		return fmt.Sprintf("%d B", n)
	}
	f, suffixes := float64(n)/unit, "KMGT"
	for f >= unit && len(suffixes) > 1 {
		f, suffixes = f/unit, suffixes[1:]
	}
	return fmt.Sprintf("%.1f %ciB", f, suffixes[0])
}
