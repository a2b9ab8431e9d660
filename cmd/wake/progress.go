package main

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// progress is a bar on standard error for long work. It is only shown on terminals that
// can clear a line.
type progress struct {
	w     io.Writer
	width int // columns; 0 shows nothing
	next  time.Time
	drawn bool
}

// redraw is the shortest time between two drawings of a bar.
const redraw = 100 * time.Millisecond

func (a *app) progress() *progress {
	if a.json || a.env("TERM") == "dumb" || !obeysStyles(a.err) {
		return &progress{}
	}
	return &progress{w: a.err, width: columns(a.err)}
}

// show draws the bar at done of total. If total is 0, it shows only the count.
func (b *progress) show(what string, done, total int) {
	now := time.Now()
	if b.width == 0 || (now.Before(b.next) && done != total) {
		return
	}
	b.next, b.drawn = now.Add(redraw), true
	fmt.Fprintf(b.w, "\r\x1b[K%s", cut(bar(what, done, total), b.width-1))
}

// end removes the bar, so that the answer begins on a clean line.
func (b *progress) end() {
	if b.drawn {
		fmt.Fprint(b.w, "\r\x1b[K")
		b.drawn = false
	}
}

func bar(what string, done, total int) string {
	const length = 30
	if total <= 0 {
		return fmt.Sprintf("%s %d", what, done)
	}
	full := min(length, length*done/total)
	return fmt.Sprintf("%-12s [%s%s] %3d%%  %d of %d", what,
		strings.Repeat("=", full), strings.Repeat(" ", length-full), 100*done/total, done, total)
}
