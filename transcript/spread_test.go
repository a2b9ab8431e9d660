package transcript_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"wake/domain"
	"wake/transcript"
)

// Tools that format or export transcripts write rows over several lines, or as one list:
// they are the same rows.
func TestRowsThatAreNoLines(t *testing.T) {
	sources := map[transcript.Format][]byte{
		transcript.ClaudeCode: own(t, "claude-code", "session.jsonl"),
		transcript.Codex:      own(t, "codex", codexFile),
	}
	for format, data := range sources {
		name := map[transcript.Format]string{transcript.ClaudeCode: "session", transcript.Codex: strings.TrimSuffix(codexFile, ".jsonl")}[format]
		var rows []json.RawMessage
		var pretty bytes.Buffer
		for line := range bytes.Lines(data) {
			if len(bytes.TrimSpace(line)) == 0 || !json.Valid(line) {
				continue
			}
			rows = append(rows, bytes.TrimSpace(line))
			_ = json.Indent(&pretty, line, "", "  ")
			pretty.WriteString("\r\n")
		}
		lines := bytes.Join(func() (all [][]byte) {
			for _, row := range rows {
				all = append(all, row)
			}
			return all
		}(), []byte("\n"))
		list, _ := json.Marshal(rows)
		var prettyList bytes.Buffer
		_ = json.Indent(&prettyList, list, "", "\t")
		want := read(t, format, name+".jsonl", lines, domain.IngestCursor{}).set(t)
		for shape, text := range map[string][]byte{"over several lines": pretty.Bytes(), "a list": list, "a list over several lines": prettyList.Bytes(),
			"with a byte order mark": append([]byte("\xef\xbb\xbf\n"), prettyList.Bytes()...)} {
			for _, end := range []string{".jsonl", ".json"} {
				if f, ok := transcript.Detect(name+end, text[:min(len(text), transcript.DetectSize)]); !ok || f != format {
					t.Errorf("%s, %s%s: it is taken for %q", format, shape, end, f)
				}
				got := read(t, format, name+end, text, domain.IngestCursor{})
				if diff := cmp.Diff(want, got.set(t)); diff != "" || len(got.skipped) != 0 {
					t.Errorf("%s, %s%s (-lines +got):\n%s%v", format, shape, end, diff, got.skipped)
				}
				if again := read(t, format, name+end, text, got.cursor); len(again.events) != 0 {
					t.Errorf("%s, %s%s: %d events of what was read", format, shape, end, len(again.events))
				}
			}
		}
		long := []byte(`[{"type":"user","timestamp":"2026-05-01T10:00:00Z","payload":{"text":"` + strings.Repeat("long ", transcript.DetectSize) + `"}}]`)
		if f, ok := transcript.Detect("x.json", long[:transcript.DetectSize]); !ok || f != transcript.Codex {
			t.Errorf("a long first row is taken for %q", f)
		}
		// What comes behind is taken when the file is written anew; a bad end costs only itself.
		half := rows[:len(rows)/2]
		list, _ = json.Marshal(half)
		first := read(t, format, name+".jsonl", list, domain.IngestCursor{})
		rest := read(t, format, name+".jsonl", prettyList.Bytes(), first.cursor)
		both := result{events: append(first.events, rest.events...)}
		if diff := cmp.Diff(want, both.set(t)); diff != "" {
			t.Errorf("%s, grown (-lines +got):\n%s", format, diff)
		}
		cut := read(t, format, name+".jsonl", pretty.Bytes()[:pretty.Len()-6], domain.IngestCursor{})
		if len(cut.skipped) != 1 || len(cut.events) == 0 {
			t.Errorf("%s, cut: %d events, skipped %v", format, len(cut.events), cut.skipped)
		}
	}
}

// A broken row costs only itself, whether the rows behind it are lines or not.
func TestRowsBehindABrokenOne(t *testing.T) {
	good := []string{userRow(t, "u1", "first"), userRow(t, "u2", "second"), userRow(t, "u3", "third")}
	broken := "{\n  \"type\": \"user\",\n  \"message\": {\n    \"content\": \"cut of\n}"
	pretty := func(prefix, row string) string {
		var b bytes.Buffer
		_ = json.Indent(&b, []byte(row), prefix, "  ")
		return prefix + strings.TrimSpace(b.String())
	}
	for name, c := range map[string]struct {
		data string
		want []string
		bad  int
	}{
		"lines behind a bracket":      {"{\n" + good[0] + good[1], []string{"first", "second"}, 1},
		"lines behind a broken row":   {broken + "\n" + good[0], []string{"first"}, 1},
		"rows over several lines":     {pretty("", good[0]) + "\n" + broken + "\n" + pretty("", good[1]) + "\n" + pretty("", good[2]), []string{"first", "second", "third"}, 1},
		"a list over several lines":   {"[\n" + pretty("  ", good[0]) + ",\n  {\"type\": user},\n" + pretty("  ", good[1]) + ",\n" + pretty("  ", good[2]) + "\n]\n", []string{"first", "second", "third"}, 1},
		"a list with a row in a line": {"[" + good[0] + ",{\"type\": user},\n" + good[1] + ",\n" + good[2] + "]", []string{"first", "second", "third"}, 1},
	} {
		res := read(t, transcript.ClaudeCode, "s.jsonl", []byte(c.data), domain.IngestCursor{})
		if diff := cmp.Diff(c.want, res.said(t)); diff != "" || len(res.skipped) != c.bad {
			t.Errorf("%s: said (-want +got):\n%s%v", name, diff, res.skipped)
		}
	}
}

// A list to which somebody added a row and forgot the comma has the row all the same.
func TestListWithoutComma(t *testing.T) {
	row := func(id string) string {
		return `{"type":"user","uuid":"` + id + `","sessionId":"s1","message":{"role":"user","content":"` + id + `"}}`
	}
	for _, between := range []string{"\n", ""} {
		text := "[" + row("a") + ",\n" + row("b") + between + row("c") + ",\n{\"type\" 1},\n" + row("d") + "]"
		res := read(t, transcript.ClaudeCode, "s.json", []byte(text), domain.IngestCursor{})
		if diff := cmp.Diff([]string{"a", "b", "c", "d"}, res.humans(t)); diff != "" || len(res.skipped) != 1 {
			t.Errorf("%q between (-want +got):\n%s%v", between, diff, res.skipped)
		}
	}
}
