package transcript_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"testing"

	"wake/domain"
	"wake/transcript"
)

// transcriptOf makes a Claude Code transcript of about the given size, from the one
// that WAKE_TRANSCRIPT names, else from our own.
func transcriptOf(b *testing.B, size int) []byte {
	b.Helper()
	lines, err := os.ReadFile(os.Getenv("WAKE_TRANSCRIPT"))
	if err != nil {
		lines = own(b, "claude-code", "session.jsonl")
	}
	var out bytes.Buffer
	for i := 0; out.Len() < size; i++ {
		// other ids, so that nothing is a repeat
		out.Write(bytes.ReplaceAll(bytes.ReplaceAll(lines, []byte("msg_01"), fmt.Appendf(nil, "msg_%d_", i)), []byte("toolu_01"), fmt.Appendf(nil, "toolu_%d_", i)))
		if !bytes.HasSuffix(lines, []byte("\n")) {
			out.WriteByte('\n')
		}
	}
	return out.Bytes()
}

// BenchmarkDecode is the floor: each line decoded and thrown away. Compare with
// BenchmarkRead of the same run.
func BenchmarkDecode(b *testing.B) {
	data := transcriptOf(b, 4<<20)
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		for line := range bytes.Lines(data) {
			var row map[string]any
			if err := json.Unmarshal(line, &row); err != nil {
				b.Fatal(err)
			}
		}
	}
}

func BenchmarkRead(b *testing.B) {
	data := transcriptOf(b, 4<<20)
	b.SetBytes(int64(len(data)))
	events := 0
	for b.Loop() {
		events = len(read(b, transcript.ClaudeCode, "s", data, domain.IngestCursor{}).events)
	}
	b.ReportMetric(float64(events), "events")
}

// BenchmarkTail is what a hook does: one new line behind 4 MB.
func BenchmarkTail(b *testing.B) {
	data := transcriptOf(b, 4<<20)
	cursor := read(b, transcript.ClaudeCode, "s", data, domain.IngestCursor{}).cursor
	line := `{"type":"user","uuid":"new","sessionId":"s","message":{"role":"user","content":"next"}}` + "\n"
	grown := append(bytes.Clone(data), line...)
	for b.Loop() {
		if got := read(b, transcript.ClaudeCode, "s", grown, cursor); len(got.events) != 1 {
			b.Fatalf("%d events", len(got.events))
		}
	}
	b.ReportMetric(float64(len(cursor.State)), "state-bytes")
}
