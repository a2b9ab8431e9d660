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

// printer prints answers for people.
type printer struct {
	w              io.Writer
	currentProject string // as in app
	colour         bool
	width          int // columns of the terminal; 0 if it is none
}

// printer returns a printer to standard output.
func (a *app) printer() *printer {
	width := columns(a.out)
	return &printer{w: answerWriter{a}, currentProject: a.currentProject, width: width, colour: width > 0 && a.env("NO_COLOR") == "" && a.env("TERM") != "dumb"}
}

// answerWriter writes text to standard output and remembers the first error in app, because
// callers do not check for errors.
type answerWriter struct{ a *app }

func (o answerWriter) Write(p []byte) (int, error) {
	n, err := o.a.out.Write(p)
	if err != nil && o.a.outputErr == nil {
		o.a.outputErr = fmt.Errorf("the answer could not be written: %w", err)
	}
	return n, err
}

// columns is the width of the terminal behind w, 0 if it is none.
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

// terminal reports whether r is a terminal.
func terminal(r io.Reader) bool {
	f, ok := r.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// interruptible is standard input for a command that may wait for a person. Ctrl-C ends the
// waiting; what is read after that is dropped.
type interruptible struct {
	ctx context.Context
	in  io.Reader
}

func (a *app) interruptibleInput(ctx context.Context) io.Reader { return interruptible{ctx, a.in} }

func (t interruptible) Read(p []byte) (int, error) {
	type result struct {
		text []byte
		err  error
	}
	read := make(chan result, 1)
	go func() {
		text := make([]byte, len(p))
		n, err := t.in.Read(text)
		read <- result{text[:n], err}
	}()
	select {
	case c := <-read:
		return copy(p, c.text), c.err
	case <-t.ctx.Done():
		return 0, t.ctx.Err()
	}
}

// ask asks the person at the terminal. It returns an error if the input ends or the
// command is interrupted.
func (a *app) ask(ctx context.Context, question string) (string, error) {
	fmt.Fprint(a.err, question)
	line, err := bufio.NewReader(a.interruptibleInput(ctx)).ReadString('\n')
	if err != nil {
		fmt.Fprintln(a.err) // end the line of the question
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

// paint puts text in a style if colour is on. The text must be printable.
func (p *printer) paint(style, text string) string {
	if !p.colour || text == "" {
		return text
	}
	return "\x1b[" + style + "m" + text + "\x1b[0m"
}

// line prints a line. Whatever is in it, such as ids from other products, only wake's
// own styles have an effect on the terminal.
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

// styles matches the output of paint.
var styles = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\x1b\[(?:[012]|3[1-4])m`) })

// printList prints items, as JSON lines or by text for people. For no items, people are
// told empty.
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

// more tells how to continue a list.
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

// quoted lists words in quotes.
func quoted(words []string) string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = fmt.Sprintf("%q", w)
	}
	return strings.Join(out, ", ")
}
