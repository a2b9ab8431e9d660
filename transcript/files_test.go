package transcript_test

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/binary"
	"io"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"

	"wake/domain"
	"wake/transcript"
)

// said is the set of people's messages, each once, in the order of their first
// appearance, as a store keeps them.
func (r result) said(t testing.TB) []string {
	t.Helper()
	var texts []string
	seen := map[string]bool{}
	for _, e := range r.events {
		if e.Type != domain.EventMessage || seen[e.SessionID+string(e.Key)] {
			continue
		}
		seen[e.SessionID+string(e.Key)] = true
		if m, err := e.Message(); err != nil {
			t.Fatal(err)
		} else if m.Human() {
			texts = append(texts, m.Content)
		}
	}
	return texts
}

// Some tools write times as seconds or milliseconds since 1970; what is no time is
// none, and the row before tells it.
func TestRowTimes(t *testing.T) {
	for at, want := range map[string]string{
		`1777629603`: "2026-05-01T10:00:03.000000Z", `1777629603250`: "2026-05-01T10:00:03.250000Z", `1777629603.25`: "2026-05-01T10:00:03.250000Z",
		`"1777629603250"`: "2026-05-01T10:00:03.250000Z", `"2026-05-01T12:00:03+02:00"`: "2026-05-01T10:00:03.000000Z",
		`null`: "2026-05-01T10:00:00.000000Z", `{}`: "2026-05-01T10:00:00.000000Z", `0`: "2026-05-01T10:00:00.000000Z", `1e300`: "2026-05-01T10:00:00.000000Z", `"soon"`: "2026-05-01T10:00:00.000000Z",
	} {
		claude := userRow(t, "u1", "first") + strings.Replace(userRow(t, "u2", "second"), `"2026-05-01T10:00:00Z"`, at, 1)
		codex := `{"timestamp":"2026-05-01T10:00:00Z","type":"session_meta","payload":{"id":"c1","timestamp":` + at + `}}` + "\n" +
			`{"timestamp":` + at + `,"type":"event_msg","payload":{"type":"user_message","message":"second"}}` + "\n"
		for format, data := range map[transcript.Format]string{transcript.ClaudeCode: claude, transcript.Codex: codex} {
			res := read(t, format, "rollout.jsonl", []byte(data), domain.IngestCursor{})
			if last := res.events[len(res.events)-1]; domain.FormatTime(last.At) != want || len(res.skipped) > 0 {
				t.Errorf("%s %s: %s, want %s %v", format, at, domain.FormatTime(last.At), want, res.skipped)
			}
			if started := domain.FormatTime(res.sessions[0].StartedAt); format == transcript.Codex && started != want {
				t.Errorf("%s: the session began %s, want %s", at, started, want)
			}
		}
	}
}

// Pictures above the limit of an event cost only themselves: the words beside them
// are kept.
func TestHugePictures(t *testing.T) {
	image := block{"type": "image", "source": block{"type": "base64", "media_type": "image/png", "data": base64.StdEncoding.EncodeToString(make([]byte, 7<<20))}}
	row := userRow(t, "u1", []any{textBlock("what is in these?"), image, image, image})
	res := read(t, transcript.ClaudeCode, "s.jsonl", []byte(row), domain.IngestCursor{})
	if diff := cmp.Diff([]string{"what is in these?"}, res.said(t)); diff != "" || len(res.skipped) != 1 {
		t.Errorf("%s%v", diff, res.skipped)
	}
}

// What is packed or written as UTF-16 is known for what it is, and reads as it was.
func TestUnpacked(t *testing.T) {
	rows := userRow(t, "u1", "grüße 你好") + userRow(t, "u2", "second")
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write([]byte(rows)); err != nil || z.Close() != nil {
		t.Fatal(err)
	}
	zst, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	wide := func(order binary.AppendByteOrder, mark string) []byte {
		var b []byte
		for _, unit := range utf16.Encode([]rune(mark + rows)) {
			b = order.AppendUint16(b, unit)
		}
		return b
	}
	for name, data := range map[string][]byte{"s.jsonl": []byte(rows), "s.jsonl.gz": packed.Bytes(), "s2.jsonl": packed.Bytes(), "s.jsonl.zst": zst.EncodeAll([]byte(rows), nil),
		"little.jsonl": wide(binary.LittleEndian, "\ufeff"), "big.jsonl": wide(binary.BigEndian, "\ufeff"),
		"little unmarked.jsonl": wide(binary.LittleEndian, ""), "big unmarked.jsonl": wide(binary.BigEndian, "")} {
		if f, ok := transcript.Detect(name, data); !ok || f != transcript.ClaudeCode {
			t.Errorf("%s is taken for %q", name, f)
		}
		r, _, err := transcript.Unpacked(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(r); err != nil || string(got) != rows {
			t.Errorf("%s reads as %q, %v", name, got, err)
		}
	}
	const rollout = "rollout-2026-05-01T10-00-00-019cb7a0-1111-7222-8333-444455556666.jsonl.zst"
	codex := []byte(`{"timestamp":"2026-05-01T10:00:00Z","type":"event_msg","payload":{"type":"user_message","message":"x"}}` + "\n")
	if f, ok := transcript.Detect(rollout, zst.EncodeAll(codex, nil)); !ok || f != transcript.Codex {
		t.Errorf("a packed rollout is taken for %q", f)
	}
	if res := read(t, transcript.Codex, rollout, codex, domain.IngestCursor{}); res.sessions[0].ClientSessionID != "019cb7a0-1111-7222-8333-444455556666" {
		t.Errorf("a packed rollout's session is %q", res.sessions[0].ClientSessionID)
	}
	if f, ok := transcript.Detect("x.zst", zst.EncodeAll([]byte("hello"), nil)); ok {
		t.Errorf("a packed text is taken for %q", f)
	}
	for name, data := range map[string][]byte{"gzip": packed.Bytes(), "zstd": zst.EncodeAll([]byte(rows), nil)} {
		r, _, err := transcript.Unpacked(bytes.NewReader(data[:len(data)-5]))
		if err != nil {
			t.Fatal(err)
		}
		if _, err = io.ReadAll(r); err == nil || !strings.Contains(err.Error(), "end too early (unexpected EOF); what could be read was taken") {
			t.Errorf("%s that ends too early: %v", name, err)
		}
	}
	for _, short := range []string{"", "x", "\xff"} {
		if r, packed, err := transcript.Unpacked(strings.NewReader(short)); err != nil || packed || r == nil {
			t.Errorf("%q: %v, %v", short, packed, err)
		}
	}
}

// A transcript is known by its first row also where that is longer than what is
// looked at, and tells when it began.
func TestDetectLongFirstRow(t *testing.T) {
	long := strings.Repeat("x", 2*transcript.DetectSize)
	for name, c := range map[string]struct {
		row  string
		want transcript.Format
	}{
		"s.jsonl":       {userRow(t, "u1", long), transcript.ClaudeCode},
		"rollout.jsonl": {`{"timestamp":"2026-05-01T10:00:00Z","type":"session_meta","payload":{"id":"c1","base_instructions":"` + long + `"}}` + "\n", transcript.Codex},
		"g.jsonl":       {`{"sessionId":"g1","projectHash":"h","startTime":"2026-05-01T10:00:00Z","x":"` + long + `"}` + "\n", transcript.Gemini},
	} {
		head := []byte(c.row)[:transcript.DetectSize]
		if f, ok := transcript.Detect(name, head); !ok || f != c.want {
			t.Errorf("%s is taken for %q", name, f)
		}
		if name != "s.jsonl" && transcript.Began(head).IsZero() {
			t.Errorf("%s began at no time", name)
		}
	}
	if at := transcript.Began([]byte(`{"type":"user","timestamp": 1777629603250}`)); domain.FormatTime(at) != "2026-05-01T10:00:03.250000Z" {
		t.Errorf("it began %s", at)
	}
	trace := `{"id":"rt_1","ts":1770000001.5,"trace_type":"tool_result","tool_result":{"timestamp":"2020-01-01T00:00:00Z"}}`
	if at := transcript.Began([]byte(trace)); domain.FormatTime(at) != "2026-02-02T02:40:01.500000Z" {
		t.Errorf("the traces began %s", at)
	}
	if f, ok := transcript.Detect("x.json", []byte(`{"a":[1,`)); ok {
		t.Errorf("anything is taken for %q", f)
	}
}

// Rows in one list, as some tools export a transcript, are rows.
func TestRowsInAList(t *testing.T) {
	list := "[" + strings.TrimSpace(userRow(t, "u1", "first")) + ",\n 7," + userRow(t, "u2", "second") + "]\n"
	if f, ok := transcript.Detect("chat.json", []byte(list)); !ok || f != transcript.ClaudeCode {
		t.Errorf("it is taken for %q", f)
	}
	res := read(t, transcript.ClaudeCode, "chat.json", []byte(list), domain.IngestCursor{})
	if diff := cmp.Diff([]string{"first", "second"}, res.said(t)); diff != "" || len(res.skipped) != 1 {
		t.Errorf("said (-want +got):\n%s%v", diff, res.skipped)
	}
}

// Rows in a file that is called a document are read as rows.
func TestRowsCalledJSON(t *testing.T) {
	claude := userRow(t, "u1", "first") + "\r\n" + userRow(t, "u2", "second") + "{\n"
	codex := `{"timestamp":"2026-05-01T10:00:00Z","type":"session_meta","payload":{"id":"c1"}}` + "\n" +
		`{"timestamp":"2026-05-01T10:00:01Z","type":"event_msg","payload":{"type":"user_message","message":"first"}}` + "\n"
	for format, c := range map[transcript.Format]struct {
		data string
		want []string
		bad  int
	}{transcript.ClaudeCode: {claude, []string{"first", "second"}, 1}, transcript.Codex: {codex, []string{"first"}, 0}} {
		res := read(t, format, "renamed.json", []byte(c.data), domain.IngestCursor{})
		if diff := cmp.Diff(c.want, res.said(t)); diff != "" || len(res.skipped) != c.bad {
			t.Errorf("%s: said (-want +got):\n%s%v", format, diff, res.skipped)
		}
	}
}

// A file that tells of no session names it. Many files are called alike: those of two
// folders are two sessions.
func TestNamelessSessions(t *testing.T) {
	claude := `{"type":"user","uuid":"u","message":{"role":"user","content":"fix it"}}` + "\n"
	codex := `{"timestamp":"2026-05-01T10:00:01Z","type":"event_msg","payload":{"type":"user_message","message":"fix it"}}` + "\n"
	gemini := `{"messages":[{"id":"1","type":"user","content":"fix it"}]}`
	for name, want := range map[string]string{"/x/aa/0/full.jsonl": "aa/0/full", "/x/bb/0/full.jsonl": "bb/0/full", `C:\x\bb\0\full.jsonl`: "bb/0/full", "/full.jsonl": "full",
		"full.jsonl": "full", "/x/aa/session-7.jsonl": "session-7"} {
		for format, data := range map[transcript.Format]string{transcript.ClaudeCode: claude, transcript.Codex: codex, transcript.Gemini: gemini} {
			res := read(t, format, name, []byte(data), domain.IngestCursor{})
			if len(res.sessions) != 1 || res.sessions[0].ClientSessionID != want {
				t.Errorf("%s as %s: %+v, want %s", name, format, res.sessions, want)
			}
		}
	}
}
