package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf16"

	"golang.org/x/term"

	"wake/domain"
	"wake/memory"
)

// printer writes answers: JSON lines for machines, text for people.
type printer struct {
	w      io.Writer
	own    string // the project that is asked about, as in app
	colour bool
	width  int // columns of the terminal; 0 where it is none
}

// printer writes to standard output.
func (a *app) printer() *printer {
	width := columns(a.out)
	return &printer{w: answers{a}, own: a.own, width: width, colour: width > 0 && a.env("NO_COLOR") == "" && a.env("TERM") != "dumb"}
}

// answers is standard output for text, whose writers look at no error: the app remembers
// the first.
type answers struct{ a *app }

func (o answers) Write(p []byte) (int, error) {
	n, err := o.a.out.Write(p)
	if err != nil && o.a.unsaid == nil {
		o.a.unsaid = fmt.Errorf("the answer could not be written: %w", err)
	}
	return n, err
}

// columns is the width of the terminal behind w, 0 if there is none.
func columns(w io.Writer) int {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return 0
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil || width < 20 {
		return 80
	}
	return width
}

// terminal reports whether a person types at r.
func terminal(r io.Reader) bool {
	f, ok := r.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// typed is standard input for a command that may wait there for a person: ctrl-C ends the
// waiting. What is still read then is nobody's.
type typed struct {
	ctx context.Context
	in  io.Reader
}

func (a *app) typed(ctx context.Context) io.Reader { return typed{ctx, a.in} }

func (t typed) Read(p []byte) (int, error) {
	type came struct {
		text []byte
		err  error
	}
	read := make(chan came, 1)
	go func() {
		text := make([]byte, len(p))
		n, err := t.in.Read(text)
		read <- came{text[:n], err}
	}()
	select {
	case c := <-read:
		return copy(p, c.text), c.err
	case <-t.ctx.Done():
		return 0, t.ctx.Err()
	}
}

// ask asks the person at the terminal and returns the answer's line, or an error where the
// input has ended or the command was stopped.
func (a *app) ask(ctx context.Context, question string) (string, error) {
	fmt.Fprint(a.err, question)
	line, err := bufio.NewReader(a.typed(ctx)).ReadString('\n')
	if err != nil {
		fmt.Fprintln(a.err) // nobody else has ended the question's line
	}
	return strings.TrimSpace(line), err
}

// The styles of terminal text.
const (
	bold   = "1"
	faint  = "2"
	red    = "31"
	green  = "32"
	yellow = "33"
	blue   = "34"
)

// paint puts text in a style where colour is wanted. The text must be printable.
func (p *printer) paint(style, text string) string {
	if !p.colour || text == "" {
		return text
	}
	return "\x1b[" + style + "m" + text + "\x1b[0m"
}

// line prints wake's own words. Whatever stands in them, ids that another product made
// among it, nothing but wake's styles acts on the terminal.
func (p *printer) line(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if !p.colour {
		fmt.Fprintln(p.w, domain.ShowHidden(text))
		return
	}
	var b strings.Builder
	from := 0
	for _, at := range styles().FindAllStringIndex(text, -1) {
		b.WriteString(domain.ShowHidden(text[from:at[0]]) + text[at[0]:at[1]])
		from = at[1]
	}
	fmt.Fprintln(p.w, b.String()+domain.ShowHidden(text[from:]))
}

// styles finds what paint writes.
var styles = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\x1b\[(?:[012]|3[1-4])m`) })

// list prints each item as one JSON line, or by text for people; empty is said
// to people where there is none.
func list[T any](a *app, items []T, text func(*printer, T), empty string) error {
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

// one prints a single answer.
func one[T any](a *app, item T, text func(*printer, T)) error {
	if a.json {
		return jsonLines(a.out, []T{item})
	}
	text(a.printer(), item)
	return nil
}

// jsonLines writes each item exactly, but with nothing in it that acts on a terminal.
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

// escapeJSON writes what encoding/json leaves as it is and a terminal may obey: control
// characters beyond ASCII and characters that change the direction or show nothing. JSON
// has them in strings alone.
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

// notes tells on standard error what does not belong in the answer.
func (a *app) notes(notes []string) {
	for _, n := range notes {
		a.note(n)
	}
}

// note tells one of them; "" is none.
func (a *app) note(text string) {
	if text != "" {
		fmt.Fprintf(a.err, "note: %s\n", printable(text))
	}
}

// more tells how to go on where a list was cut.
func (a *app) more(cursor string) {
	if cursor != "" {
		fmt.Fprintf(a.err, "note: there is more; go on with --cursor %s\n", cursor)
	}
}

// printable shows text on a terminal without letting it act there; secrets are
// masked. JSON gives the stored text exactly.
func printable(s string) string { return memory.PlainText(s) }

// oneLine is printable text without line breaks.
func oneLine(s string) string { return strings.Join(strings.Fields(printable(s)), " ") }

// when shows a time to people.
func when(t time.Time) string {
	if t.IsZero() {
		return "never"
	}
	return t.Local().Format("2006-01-02 15:04")
}

// size shows bytes to people.
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

// quoted lists words that somebody gave.
func quoted(words []string) string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = fmt.Sprintf("%q", w)
	}
	return strings.Join(out, ", ")
}
