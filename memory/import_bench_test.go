package memory_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"wake/memory"
	"wake/repository/sqlite"
	"wake/summarizer"
	"wake/transcript"
)

// transcriptOf makes a Claude Code transcript of about the given size, from a real
// sample where there is one.
func transcriptOf(b *testing.B, size int) []byte {
	b.Helper()
	lines, err := os.ReadFile("../../shared/samples/claude-code/entire/compact_boundary_53lines.jsonl")
	if err != nil {
		if lines, err = os.ReadFile("../testdata/transcripts/claude-code/session.jsonl"); err != nil {
			b.Skip("there is no transcript to make one of")
		}
	}
	lines = regexp.MustCompile(`"sessionId":"[^"]*"`).ReplaceAll(bytes.TrimSpace(lines), []byte(`"sessionId":"s1"`))
	names := regexp.MustCompile(`(msg_|toolu_|req_)\w+|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)
	var out bytes.Buffer
	for i := 0; out.Len() < size; i++ { // other ids, so that nothing is a repeat
		out.Write(names.ReplaceAll(lines, fmt.Appendf(nil, "${0}x%d", i)))
		out.WriteByte('\n')
	}
	return out.Bytes()
}

// BenchmarkImport imports a transcript into a new file and tells how many times
// longer that takes than decoding its lines. The goal is 5.
func BenchmarkImport(b *testing.B) {
	data := transcriptOf(b, 8<<20)
	b.SetBytes(int64(len(data)))
	var decoding, importing time.Duration
	events := 0
	for b.Loop() {
		began := time.Now()
		for line := range bytes.Lines(data) {
			var row map[string]any
			if err := json.Unmarshal(line, &row); err != nil {
				b.Fatal(err)
			}
		}
		decoding += time.Since(began)
		events, importing = importOnce(b, data, importing)
	}
	b.ReportMetric(float64(importing)/float64(decoding), "x-decoding")
	b.ReportMetric(float64(events), "events")
}

func importOnce(b *testing.B, data []byte, sofar time.Duration) (int, time.Duration) {
	b.StopTimer()
	defer b.StartTimer()
	store, err := sqlite.Open(ctx, filepath.Join(b.TempDir(), "wake.db"), sqlite.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer store.Close()
	s := memory.New(store, summarizer.Extractive{})
	s.DefaultProject = "demo"
	b.StartTimer()
	began := time.Now()
	a, err := s.Import(ctx, memory.ImportRequest{Format: transcript.ClaudeCode, Name: "s.jsonl", Source: bytes.NewReader(data)})
	if err != nil {
		b.Fatal(err)
	}
	took := time.Since(began)
	b.StopTimer()
	return a.Events.Taken, sofar + took
}
