package main

import (
	"strings"
	"unicode"

	"wake/domain"

	"golang.org/x/text/width"
)

// table prints rows in columns as wide as their widest cells. If the terminal is too
// narrow, the last columns go on further lines, and the very last one is cut to fit
// unless whole is set.
type table struct {
	head  []string
	rows  [][]string
	whole bool
}

func (t *table) add(cells ...string) {
	for i, c := range cells {
		cells[i] = oneLine(c)
	}
	t.rows = append(t.rows, cells)
}

func (t *table) print(p *printer) {
	l := layout{widths: t.widths(), room: p.width}
	if t.whole {
		l.room = 0 // the terminal breaks the lines
	}
	l.lines = spread(l.widths, l.room)
	if len(t.head) > 0 {
		l.print(p, t.head, bold)
	}
	for _, row := range t.rows {
		l.print(p, row, "")
	}
}

// layout is where the cells of each row go.
type layout struct {
	widths []int    // of the columns
	lines  [][2]int // the columns on each line: from one, up to another
	room   int      // width of a line; 0 means no limit
}

// furtherIndent is the indentation of further lines.
const furtherIndent = "  "

// print prints the cells of a row.
func (l layout) print(p *printer, row []string, style string) {
	for i, of := range l.lines {
		line := strings.TrimRight(align(row[min(of[0], len(row)):min(of[1], len(row))], l.widths[of[0]:of[1]]), " ")
		if i > 0 && line == "" {
			continue
		}
		if i > 0 {
			line = furtherIndent + line
		}
		if l.room > 0 {
			line = cut(line, l.room)
		}
		p.line("%s", p.paint(style, line))
	}
}

// spread distributes the columns over lines of width room; 0 means no limit. The last
// column may be cut, but should keep a few words.
func spread(widths []int, room int) (lines [][2]int) {
	const fewWords = 24
	from, used := 0, 0
	for i, w := range widths {
		need := w
		if i == len(widths)-1 {
			need = min(w, fewWords)
		}
		if room > 0 && i > from && used+need > room {
			lines = append(lines, [2]int{from, i})
			from, used = i, len(furtherIndent)
		}
		used += w + 2
	}
	return append(lines, [2]int{from, len(widths)})
}

func (t *table) widths() []int {
	var widths []int
	for _, row := range append([][]string{t.head}, t.rows...) {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], cells(cell))
		}
	}
	return widths
}

func align(row []string, widths []int) string {
	var b strings.Builder
	for i, cell := range row {
		b.WriteString(cell)
		b.WriteString(strings.Repeat(" ", widths[i]-cells(cell)+2))
	}
	return b.String()
}

// cells is the width of s in columns of a terminal: East Asian characters take two,
// combining marks none.
func cells(s string) int {
	n := 0
	for _, r := range s {
		n += cellsOf(r)
	}
	return n
}

func cellsOf(r rune) int {
	if unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf) {
		return 0
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	return 1
}

// cut shortens s to at most n columns, ending in an ellipsis if something was cut.
func cut(s string, n int) string {
	if cells(s) <= n {
		return s
	}
	used := 0
	for i, r := range s {
		if used += cellsOf(r); used > n-1 {
			return s[:domain.Break(s, i)] + "…"
		}
	}
	return s
}
