package main

import (
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"sync"

	"golang.org/x/term"

	"wake/domain"
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
	return &printer{w: answerWriter{a}, currentProject: a.currentProject, width: width, colour: width > 0 && a.env("NO_COLOR") == "" && a.env("TERM") != "dumb" && obeysStyles(a.out)}
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

// The styles of terminal text.
const (
	bold   = "1"
	faint  = "2"
	red    = "31"
	green  = "32"
	yellow = "33"
	blue   = "34"
)

// paint puts text in a style, or none for "", if colour is on. The text must be printable.
func (p *printer) paint(style, text string) string {
	if !p.colour || style == "" || text == "" {
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

// head prints the first line of a context in a list. It names the project if that is
// not the one in effect.
func (p *printer) head(id, project, when string, action domain.ActionType, tier domain.Tier, rest string) {
	parts := []string{p.paint(bold, id), p.paint(faint, when)}
	if project != p.currentProject {
		parts = append(parts, "in "+oneLine(project))
	}
	for _, part := range []string{string(action), p.tier(tier), rest} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	p.line("%s", strings.Join(parts, "  "))
}

// tier writes a tier in its colour.
func (p *printer) tier(t domain.Tier) string {
	return p.paint(map[domain.Tier]string{
		domain.TierActive: red, domain.TierRecent: yellow, domain.TierArchived: blue, domain.TierExpired: faint,
	}[t], string(t))
}

func (p *printer) tags(tags []string) {
	if len(tags) > 0 {
		p.line("  %s", p.paint(faint, "#"+oneLine(strings.Join(tags, " #"))))
	}
}

// field prints a named part, if there is one.
func (p *printer) field(name, value string) {
	if value != "" {
		p.line("  %s %s", p.paint(faint, name+":"), oneLine(value))
	}
}

// text prints stored text indented, so that no line of it looks like a head line.
func (p *printer) text(s string) {
	for line := range strings.Lines(printable(s)) {
		p.line("  %s", strings.TrimRight(line, "\n"))
	}
}

// prose prints a text that the service made for people and models.
func (p *printer) prose(text string) { p.line("%s", printable(strings.TrimRight(text, "\n"))) }

// level writes a level, such as ok or warning, as a column.
func (p *printer) level(l string) string {
	return p.paint(map[string]string{"ok": green, "warning": yellow, "problem": red}[l], fmt.Sprintf("%-7s", l))
}
