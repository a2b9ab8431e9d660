package main

import (
	"strings"
	"unicode"

	"golang.org/x/text/width"
)

// table prints rows in columns as wide as their cells; on a terminal the last
// column is cut to fit.
type table struct {
	head []string
	rows [][]string
}

func (t *table) add(cells ...string) {
	for i, c := range cells {
		cells[i] = oneLine(c)
	}
	t.rows = append(t.rows, cells)
}

func (t *table) print(p *printer) {
	widths := t.widths()
	if len(t.head) > 0 {
		p.line("%s", p.paint(bold, strings.TrimRight(align(t.head, widths), " ")))
	}
	for _, row := range t.rows {
		line := strings.TrimRight(align(row, widths), " ")
		if p.width > 0 {
			line = cut(line, p.width)
		}
		p.line("%s", line)
	}
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

// cells is how many columns of a terminal s takes: East Asian characters take
// two, combining marks none.
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

// cut shortens s to at most n columns and shows that it did.
func cut(s string, n int) string {
	if cells(s) <= n {
		return s
	}
	used := 0
	for i, r := range s {
		if used += cellsOf(r); used > n-1 {
			return s[:i] + "…"
		}
	}
	return s
}
