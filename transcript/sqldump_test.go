package transcript

import (
	"encoding/hex"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// anyText draws what is hard to quote: quotes, semicolons, comments, escapes, control and distant characters.
func anyText(t *rapid.T) string {
	parts := []string{"a", "VALUES", " ", "'", `"`, ";", ")", "(", ",", "--", "/*", `\`, `\n`, `\\`, `u0041`, "0041", "\n", "\r\n", "\x01", "ä", "🙂", "\U0010ffff", "]"}
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(parts), 0, 8).Draw(t, "text"), "")
}

func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

// textLiteral writes a text as one of SQLite's dumps would, of any version: with plain line breaks, with
// replace(), unistr() or char().
func textLiteral(t *rapid.T, s string) string {
	switch rapid.IntRange(0, 3).Draw(t, "form") {
	case 1:
		for mark := 'A'; ; mark++ {
			if place := `\n` + string(mark); !strings.Contains(s, place) && !strings.HasSuffix(s, `\n`) {
				return "replace(" + quote(strings.ReplaceAll(s, "\n", place)) + "," + quote(place) + ",char(10))"
			} else if mark == 'Z' {
				return quote(s)
			}
		}
	case 2:
		var b strings.Builder
		for _, r := range s {
			forms := []string{fmt.Sprintf(`\+%06x`, r), fmt.Sprintf(`\U%08X`, r)}
			switch {
			case r == '\\':
				forms = append(forms, `\\`)
			case r >= ' ':
				forms = append(forms, string(r), string(r))
			}
			if r <= 0xffff {
				forms = append(forms, fmt.Sprintf(`\u%04x`, r), fmt.Sprintf(`\%04X`, r))
			}
			b.WriteString(rapid.SampledFrom(forms).Draw(t, "rune"))
		}
		return "unistr(" + quote(b.String()) + ")"
	case 3:
		var codes []string
		for _, r := range s {
			codes = append(codes, fmt.Sprint(int(r)))
		}
		if len(codes) > 0 {
			return "char(" + strings.Join(codes, ", ") + ")"
		}
	}
	return quote(s)
}

// anyLiteral draws a value of a row and how a dump writes it.
func anyLiteral(t *rapid.T) (value any, literal string) {
	switch rapid.IntRange(0, 5).Draw(t, "type") {
	case 0:
		return nil, "NULL"
	case 1:
		n := rapid.SampledFrom([]float64{0, 7, -7, 2.5, -1.25e-30, 1e300}).Draw(t, "number")
		return n, rapid.SampledFrom([]string{"%v", "%e", "%E", "%+v"}).Draw(t, "verb")
	case 2:
		blob := []byte(anyText(t))
		return blob, rapid.SampledFrom([]string{"X", "x"}).Draw(t, "blob") + "'" + hex.EncodeToString(blob) + "'"
	}
	s := anyText(t)
	return s, textLiteral(t, s)
}

// Whatever rows a dump has and however it writes them, between statements of other kinds and damaged ones, they
// are read as they are. A damaged statement is told, once.
func TestSQLDump(t *testing.T) {
	others := []string{
		"PRAGMA foreign_keys=OFF;", "-- INSERT INTO t VALUES('no');\n", "/* INSERT INTO t VALUES('no'); */", ";", "\n",
		"CREATE TRIGGER g AFTER INSERT ON t BEGIN\n  INSERT INTO t VALUES (CASE WHEN new.a THEN 'no' END, 1, 2);\n  DELETE FROM t;\nEND;\n",
		"CREATE INDEX i ON t(a);", "CREATE VIEW v AS SELECT ';' FROM t;", "DELETE FROM sqlite_sequence;", "CREATE TABLE other(x, CHECK (x > 0));",
	}
	damaged := []string{"INSERT INTO t VALUES('a' 'b', 1, 2);", "INSERT INTO t VALUES(f(1), 1, 2);", "INSERT INTO t SELECT 1;", "INSERT t;", "INSERT INTO t VALUES(X'0', 1, 2);", "INSERT INTO t(a) VALUES 1;"}
	rapid.Check(t, func(t *rapid.T) {
		var dump strings.Builder
		faults := 0
		between := func() {
			dump.WriteString(strings.Join(rapid.SliceOfN(rapid.SampledFrom(others), 0, 2).Draw(t, "others"), ""))
			if rapid.IntRange(0, 3).Draw(t, "damaged") == 0 {
				dump.WriteString(rapid.SampledFrom(damaged).Draw(t, "damage"))
				faults++
			}
		}
		between()
		dump.WriteString(rapid.SampledFrom([]string{
			"CREATE TABLE t(a, `b b` TEXT DEFAULT (1, 'x,y'), [c] VARCHAR(10, 2), PRIMARY KEY (a, c));",
			"create table if not exists \"t\" (\n  a INTEGER NOT NULL, -- one, two\n  \"b b\", 'c'\n);",
			"CREATE TABLE t(a, 'b b');ALTER TABLE t ADD COLUMN c;", "CREATE TABLE [t]([a], [b b]);ALTER TABLE t ADD \"c\" TEXT;",
		}).Draw(t, "table"))
		var want, got []Row
		for range rapid.IntRange(0, 4).Draw(t, "statements") {
			between()
			columns := rapid.SampledFrom([][]string{nil, {"a", "b b", "c"}, {"c", "a"}}).Draw(t, "columns")
			names := []string{"a", "b b", "c"}
			dump.WriteString(rapid.SampledFrom([]string{"INSERT INTO t", "insert or ignore into \"t\"", "INSERT INTO [t]"}).Draw(t, "insert"))
			if columns != nil {
				names = columns
				dump.WriteString(`("` + strings.Join(columns, `","`) + `")`)
			}
			dump.WriteString(" VALUES")
			for i := range rapid.IntRange(1, 3).Draw(t, "rows") {
				row, literals := Row{}, []string{}
				for _, name := range names {
					v, literal := anyLiteral(t)
					if n, ok := v.(float64); ok {
						literal = fmt.Sprintf(literal, n)
					}
					row[name], literals = v, append(literals, literal)
				}
				if want = append(want, row); i > 0 {
					dump.WriteString(",\n")
				}
				dump.WriteString("(" + strings.Join(literals, ",") + ")")
			}
			dump.WriteString(";")
		}
		between()
		told := 0
		d := sqlDump{text: dump.String(), fault: func(string) { told++ }, row: func(table string, row Row) {
			if table == "t" {
				got = append(got, row)
			}
		}}
		d.read()
		if diff := cmp.Diff(want, got); diff != "" || told != faults {
			t.Fatalf("%d faults told of %d; rows (-want +got):\n%s\n%s", told, faults, diff, dump.String())
		}
	})
}
