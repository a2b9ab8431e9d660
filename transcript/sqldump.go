package transcript

import (
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
)

// sqlDump reads the rows of an SQL text dump, as written by sqlite3 and wrangler:
// CREATE TABLE, ALTER TABLE … ADD COLUMN and INSERT. Everything else is skipped.
type sqlDump struct {
	text    string
	pos     int
	columns map[string][]string // of tables, in order
	row     func(table string, row Row)
	fault   func(reason string)
}

// read processes the statements. A broken statement is skipped by itself.
func (d *sqlDump) read() {
	d.columns = map[string][]string{}
	for d.pos < len(d.text) {
		if !d.statement() {
			d.fault("this statement of the dump cannot be read")
			d.skipStatement()
		}
	}
}

func (d *sqlDump) statement() bool {
	switch strings.ToUpper(d.token().text) {
	case "INSERT":
		return d.insert()
	case "CREATE":
		d.create()
	case "ALTER":
		d.alter()
	}
	d.skipStatement()
	return true
}

func (d *sqlDump) create() {
	t := d.token()
	if strings.EqualFold(t.text, "TRIGGER") {
		d.skipTrigger()
		return
	}
	if !strings.EqualFold(t.text, "TABLE") {
		return
	}
	name := d.name()
	if strings.EqualFold(name, "IF") { // NOT EXISTS
		d.token()
		d.token()
		name = d.name()
	}
	if d.token().text == "(" {
		d.define(name)
	}
}

// define reads the names of a table's columns, up to the closing bracket.
func (d *sqlDump) define(table string) {
	constraints := []string{"PRIMARY", "FOREIGN", "UNIQUE", "CHECK", "CONSTRAINT"}
	first := true // word of a column or a constraint
	for depth := 1; depth > 0; {
		t := d.token()
		switch {
		case t.end():
			return
		case t.symbol("("):
			depth++
		case t.symbol(")"):
			depth--
		case t.symbol(",") && depth == 1:
			first = true
			continue
		case first && (t.quoted || !slices.Contains(constraints, strings.ToUpper(t.text))):
			d.columns[table] = append(d.columns[table], t.text)
		}
		first = false
	}
}

// skipTrigger moves past the END of a trigger, whose statements are not rows.
func (d *sqlDump) skipTrigger() {
	for t, open := d.token(), 0; !t.end(); t = d.token() {
		switch word := strings.ToUpper(t.text); {
		case t.quoted:
		case word == "BEGIN", word == "CASE":
			open++
		case word == "END":
			if open--; open == 0 {
				return
			}
		}
	}
}

func (d *sqlDump) alter() {
	if !strings.EqualFold(d.token().text, "TABLE") {
		return
	}
	table := d.name()
	if !strings.EqualFold(d.token().text, "ADD") {
		return
	}
	column := d.token()
	if !column.quoted && strings.EqualFold(column.text, "COLUMN") {
		column = d.token()
	}
	d.columns[table] = append(d.columns[table], column.text)
}

// insert parses INSERT [OR …] INTO t [(columns)] VALUES (…), (…).
func (d *sqlDump) insert() bool {
	for t := d.token(); !strings.EqualFold(t.text, "INTO"); t = d.token() {
		if t.end() || t.symbol(";") {
			return false
		}
	}
	table := d.name()
	columns := d.columns[table]
	t := d.token()
	if t.symbol("(") {
		columns, t = d.listed(), d.token()
	}
	if !strings.EqualFold(t.text, "VALUES") {
		return false
	}
	for {
		values, ok := d.tuple(0)
		if !ok {
			return false
		}
		d.row(table, makeRow(columns, values))
		if t = d.token(); !t.symbol(",") {
			return t.symbol(";") || t.end()
		}
	}
}

// listed returns the names up to a closing bracket, or to the end of the dump.
func (d *sqlDump) listed() (names []string) {
	for t := d.token(); !t.symbol(")") && !t.end(); t = d.token() {
		if !t.symbol(",") {
			names = append(names, t.text)
		}
	}
	return names
}

func makeRow(columns []string, values []any) Row {
	row := Row{}
	for i, v := range values[:min(len(values), len(columns))] {
		row[columns[i]] = v
	}
	return row
}

// tuple parses values in brackets.
func (d *sqlDump) tuple(depth int) ([]any, bool) {
	if !d.token().symbol("(") {
		return nil, false
	}
	var values []any
	for {
		v, ok := d.value(depth)
		if !ok {
			return nil, false
		}
		values = append(values, v)
		switch t := d.token(); {
		case t.symbol(")"):
			return values, true
		case !t.symbol(","):
			return nil, false
		}
	}
}

// value parses a literal, or one of the calls with which dumps write line breaks:
// replace(text, from, to), char(n), unistr(text).
func (d *sqlDump) value(depth int) (any, bool) {
	t := d.token()
	switch word := strings.ToUpper(t.text); {
	case t.end(), depth > 8:
		return nil, false
	case t.quoted:
		return t.text, true
	case t.blob:
		data, err := hex.DecodeString(t.text)
		return data, err == nil
	case word == "NULL":
		return nil, true
	case word == "TRUE", word == "FALSE":
		return word == "TRUE", true
	case word == "REPLACE", word == "CHAR", word == "UNISTR":
		return d.call(word, depth)
	case word == "-" || word == "+":
		v, ok := d.value(depth + 1)
		n, isNumber := v.(float64)
		if word == "-" {
			n = -n
		}
		return n, ok && isNumber
	}
	n, err := strconv.ParseFloat(t.text, 64)
	return n, err == nil
}

func (d *sqlDump) call(name string, depth int) (any, bool) {
	values, ok := d.tuple(depth + 1)
	args := make([]string, len(values))
	for i, v := range values {
		args[i] = Row{"v": v}.text("v")
	}
	switch {
	case !ok:
		return nil, false
	case name == "REPLACE" && len(args) == 3:
		return strings.ReplaceAll(args[0], args[1], args[2]), true
	case name == "UNISTR" && len(args) == 1:
		return unistr(args[0]), true
	case name == "CHAR":
		var text strings.Builder
		for _, a := range args {
			n, _ := strconv.Atoi(a)
			text.WriteRune(rune(n))
		}
		return text.String(), true
	}
	return nil, false
}

// unistr decodes the escapes \XXXX, \uXXXX, \+XXXXXX and \\.
func unistr(s string) string {
	var b strings.Builder
	for len(s) > 0 {
		before, rest, found := strings.Cut(s, `\`)
		b.WriteString(before)
		if !found {
			break
		}
		skip, digits := 0, 4
		switch {
		case strings.HasPrefix(rest, `\`):
			b.WriteByte('\\')
			s = rest[1:]
			continue
		case strings.HasPrefix(rest, "u"):
			skip = 1
		case strings.HasPrefix(rest, "+"):
			skip, digits = 1, 6
		case strings.HasPrefix(rest, "U"):
			skip, digits = 1, 8
		}
		if len(rest) < skip+digits {
			return b.String() + `\` + rest
		}
		n, err := strconv.ParseInt(rest[skip:skip+digits], 16, 32)
		if err != nil {
			b.WriteByte('\\')
			s = rest
			continue
		}
		b.WriteRune(rune(n))
		s = rest[skip+digits:]
	}
	return b.String()
}
