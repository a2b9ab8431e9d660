package transcript_test

import (
	"bytes"
	"maps"
	"testing"
	"testing/fstest"

	"wake/domain"
	"wake/transcript"
)

// FuzzReaders: no input makes a reader panic, whatever format it is taken for, reading
// in two pieces never fails, and lines cut between two of them give what the whole gives
// (I5, I6, I11).
func FuzzReaders(f *testing.F) {
	for i, s := range sources() {
		f.Add(uint8(i), own(f, s.path), uint16(100))
	}
	f.Add(uint8(0), []byte("{\"type\":\"user\"}\n{\"ty"), uint16(3))
	f.Add(uint8(0), []byte("{\n\"type\":\"user\",\"content\":\"\"}"), uint16(100))
	f.Add(uint8(0), []byte("\n[\n{\"type\":\"user\",\"content\":\"\"}]"), uint16(3))
	f.Add(uint8(0), []byte("\n[{0{\"type\":\"pr-link\",\"timestamp\":\"\",\"sessionId\":\"s\"}\n"), uint16(9))
	all := sources()
	f.Fuzz(func(t *testing.T, which uint8, data []byte, cut uint16) {
		s, piece := all[int(which)%len(all)], data[:min(int(cut), len(data))]
		if s.lines {
			piece = piece[:bytes.LastIndexByte(piece, '\n')+1]
		}
		first := read(t, s.format, s.path, piece, domain.IngestCursor{})
		second := read(t, s.format, s.path, data, first.cursor)
		pieces, whole := keysOf(first.events, second.events), keysOf(read(t, s.format, s.path, data, domain.IngestCursor{}).events)
		if s.lines && !maps.Equal(pieces, whole) {
			t.Errorf("the pieces of %s give %v, the whole %v", s.format, pieces, whole)
		}
		for key := range pieces {
			if key == "" || !key.Valid() {
				t.Errorf("an event with key %q", key)
			}
		}
		transcript.Detect(s.path, data)
	})
}

func keysOf(lists ...[]domain.Event) map[domain.Key]bool {
	keys := map[domain.Key]bool{}
	for _, list := range lists {
		for _, e := range list {
			keys[e.Key] = true
		}
	}
	return keys
}

// FuzzGoodLines: whatever stands around it, a good row on its own line is read
// (I6).
func FuzzGoodLines(f *testing.F) {
	f.Add([]byte("{\"type\":\"user\",\"mess"), []byte("null\n"))
	f.Add([]byte("\xff\xfe\n\n"), []byte("]"))
	f.Add([]byte(" {"), []byte("0"))
	f.Add([]byte("{\n\n}}"), []byte("}"))
	f.Add([]byte("[{}]\n]"), []byte("[\n"))
	good := `{"type":"user","uuid":"good-row","sessionId":"good","message":{"role":"user","content":"the good line"}}`
	f.Fuzz(func(t *testing.T, before, after []byte) {
		data := append(append(append(bytes.Clone(before), '\n'), good...), '\n')
		res := read(t, transcript.ClaudeCode, "s", append(data, after...), domain.IngestCursor{})
		for _, text := range res.humans(t) {
			if text == "the good line" {
				return
			}
		}
		t.Errorf("the good line was lost: %v", res.skipped)
	})
}

// FuzzTexts: Markdown folders and database dumps may hold any text.
func FuzzTexts(f *testing.F) {
	f.Add("---\nname: x\n---\n[[y]]")
	f.Add("INSERT INTO context_snapshots(id,summary) VALUES('a',replace('b\\n','\\n',char(10)));")
	f.Add("CREATE TABLE context_snapshots(id, 'x', [y], CHECK(1));INSERT INTO context_snapshots VALUES(1,-2.5e+3,X'00');")
	f.Fuzz(func(t *testing.T, text string) {
		for _, err := range transcript.ReadMemoryFolder(fstest.MapFS{"MEMORY.md": {Data: []byte(text)}}) {
			if err != nil {
				t.Fatal(err)
			}
		}
		read(t, transcript.WakeIQX, "dump.sql", []byte(text), domain.IngestCursor{})
	})
}
