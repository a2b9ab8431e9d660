package memory_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"syscall"
	"testing"
	"time"

	"wake/memory"
	"wake/repository"
	"wake/repository/sqlite"
	"wake/summarizer"
	"wake/transcript"
)

// BenchmarkImport imports a source into a new file and tells how many times longer
// that takes than decoding its lines into maps: by the clock (x-decoding), whose goal
// is 5, and in processor time of all threads (x-cpu), which the disk and other
// processes trouble less. Rows of real sessions are long (what tools printed;
// WAKE_TRANSCRIPT names such a file); rows of 400 bytes are the hard case, since each
// costs its place in the log all the same.
func BenchmarkImport(b *testing.B) {
	b.Run("long", func(b *testing.B) {
		importBeside(b, transcript.ClaudeCode, transcriptOf(b, os.Getenv("WAKE_TRANSCRIPT"), 4<<20))
	})
	short := "../testdata/transcripts/claude-code/session.jsonl"
	b.Run("short", func(b *testing.B) { importBeside(b, transcript.ClaudeCode, transcriptOf(b, short, 4<<20)) })
	b.Run("wake", func(b *testing.B) { importBeside(b, transcript.Wake, inWakeLines(b, transcriptOf(b, short, 2<<20))) })
}

// transcriptOf makes a Claude Code transcript of about the given size from a smaller
// one, with other ids each time, so that nothing is a repeat.
func transcriptOf(b *testing.B, path string, size int) []byte {
	b.Helper()
	lines, err := os.ReadFile(path)
	if err != nil {
		b.Skip(err)
	}
	lines = regexp.MustCompile(`"sessionId":"[^"]*"`).ReplaceAll(bytes.TrimSpace(lines), []byte(`"sessionId":"s1"`))
	names := regexp.MustCompile(`(msg_|toolu_|req_)\w+|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)
	var out bytes.Buffer
	for i := 0; out.Len() < size; i++ {
		out.Write(names.ReplaceAll(lines, fmt.Appendf(nil, "${0}x%d", i)))
		out.WriteByte('\n')
	}
	return out.Bytes()
}

// inWakeLines is a transcript in wake's own lines.
func inWakeLines(b *testing.B, data []byte) []byte {
	s, store := emptyService(b)
	defer store.Close()
	importAll(b, s, transcript.ClaudeCode, data)
	var out bytes.Buffer
	if _, err := s.Export(ctx, memory.ExportRequest{W: &out}); err != nil {
		b.Fatal(err)
	}
	return out.Bytes()
}

func emptyService(b *testing.B) (*memory.Service, repository.Store) {
	store, err := sqlite.Open(ctx, filepath.Join(b.TempDir(), "wake.db"), sqlite.Options{})
	if err != nil {
		b.Fatal(err)
	}
	s := memory.New(store, summarizer.Extractive{})
	s.DefaultProject = "demo"
	return s, store
}

func importBeside(b *testing.B, format transcript.Format, data []byte) {
	defer debug.SetGCPercent(debug.SetGCPercent(300)) // as in wake's processes, and for decoding too
	var decoding, importing spent
	events := 0
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		decoding.add(func() { decodeAll(b, data) })
		s, store := emptyService(b)
		importing.add(func() { events = importAll(b, s, format, data) })
		store.Close()
	}
	b.ReportMetric(float64(importing.clock)/float64(decoding.clock), "x-decoding")
	b.ReportMetric(float64(importing.cpu)/float64(decoding.cpu), "x-cpu")
	b.ReportMetric(float64(importing.cpu.Microseconds())/float64(events*b.N), "cpu-µs/event")
	b.ReportMetric(float64(events), "events")
}

func decodeAll(b *testing.B, data []byte) {
	for line := range bytes.Lines(data) {
		var row map[string]any
		if err := json.Unmarshal(line, &row); err != nil {
			b.Fatal(err)
		}
	}
}

func importAll(b *testing.B, s *memory.Service, format transcript.Format, data []byte) (events int) {
	a, err := s.Import(ctx, memory.ImportRequest{Format: format, Name: "s.jsonl", Source: bytes.NewReader(data)})
	if err != nil {
		b.Fatal(err)
	}
	return a.Events.Taken
}

// spent is time by the clock and of the processor.
type spent struct{ clock, cpu time.Duration }

func (s *spent) add(work func()) {
	began, had := time.Now(), processorTime()
	work()
	s.clock += time.Since(began)
	s.cpu += processorTime() - had
}

// processorTime is what this process has used, of all threads.
func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
