//go:build unix

package memory_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"wake/domain"
	"wake/memory"
	"wake/repository"
	"wake/repository/sqlite"
	"wake/summarizer"
	"wake/transcript"
)

// BenchmarkImport imports a source into a new file and tells how many times longer
// that takes than decoding its lines into maps: by the clock (x-decoding), whose goal
// is 5, and in processor time of all threads (x-cpu), which the disk and other
// processes trouble less; both as medians of rounds in which each side has its turn.
// Rows of real sessions are long (what tools printed; WAKE_TRANSCRIPT names such a
// file); rows of 400 bytes are the hard case, since each costs its place in the log
// all the same.
func BenchmarkImport(b *testing.B) {
	b.Run("long", func(b *testing.B) {
		importBeside(b, transcript.ClaudeCode, transcriptOf(b, os.Getenv("WAKE_TRANSCRIPT"), 4<<20))
	})
	short := "../testdata/transcripts/claude-code/session.jsonl"
	b.Run("short", func(b *testing.B) { importBeside(b, transcript.ClaudeCode, transcriptOf(b, short, 4<<20)) })
	b.Run("wake", func(b *testing.B) { importBeside(b, transcript.Wake, inWakeLines(b, transcriptOf(b, short, 2<<20))) })
	b.Run("contexts", func(b *testing.B) { importBeside(b, transcript.Wake, contextLines(b, 3000, 0)) })
	b.Run("accesses", func(b *testing.B) { importBeside(b, transcript.Wake, contextLines(b, 300, 10000)) })
}

// transcriptOf makes a Claude Code transcript of about the given size from a smaller
// one, with other ids each time, so that nothing is a repeat. It is compacted once:
// no session is every thirty rows.
func transcriptOf(b *testing.B, path string, size int) []byte {
	b.Helper()
	lines, err := os.ReadFile(path)
	if err != nil {
		b.Skip(err)
	}
	lines = regexp.MustCompile(`"sessionId":"[^"]*"`).ReplaceAll(bytes.TrimSpace(lines), []byte(`"sessionId":"s1"`))
	names := regexp.MustCompile(`(msg_|toolu_|req_)\w+|row-\d+|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)
	var out bytes.Buffer
	compaction := regexp.MustCompile(`(?m)^.*("compact_boundary"|"isCompactSummary":true).*\n`)
	for i := 0; out.Len() < size; i++ {
		out.Write(names.ReplaceAll(lines, fmt.Appendf(nil, "${0}x%d", i)))
		out.WriteByte('\n')
		lines = compaction.ReplaceAll(lines, nil)
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

// contextLines are contexts, each the effect of an earlier one, and accesses to them
// in wake's own lines.
func contextLines(b *testing.B, contexts, accesses int) []byte {
	var out bytes.Buffer
	at := time.Date(2026, 2, 3, 9, 0, 0, 0, time.UTC)
	lines, err := transcript.NewWriter(&out, at)
	write := func(item transcript.Item, past domain.ContextHistory) {
		if item.Context != nil && err == nil {
			err = lines.WriteContext(*item.Context, past)
		} else if err == nil {
			err = lines.Write(item)
		}
	}
	words := strings.Fields(`checkout cart price rounding cents invoice webhook retry queue database index migration
		cache token session login parser encoder timeout deadline proxy header upload thumbnail worker schedule`)
	id := func(i int) string { return fmt.Sprintf("5b2f0c1e-0000-4000-8000-%012d", i) }
	for i := range contexts {
		c := domain.ContextSnapshot{ID: id(i), Project: "demo", Source: "mcp", Timestamp: at.Add(time.Duration(i) * time.Minute)}
		c.SavedAt, c.Origin, c.Kind, c.SummaryBy = c.Timestamp, domain.FromAssistant, domain.Semantic, domain.ByCaller
		for k := range 40 {
			c.Content += words[(i*(k+3)+k*k)%len(words)] + " "
		}
		c.Content += fmt.Sprintf("is decided as number %d.", i)
		c.Summary, c.Tags = c.Content[:60], []string{words[i%len(words)], words[(i/7)%len(words)] + "-rule"}
		c.ContentHash, c.Memory.Tier = domain.HashText(c.Content), domain.TierArchived
		c.Causality = &domain.Causality{ActionType: domain.Decision, Rationale: "the " + words[i%len(words)] + " asked for it"}
		var past domain.ContextHistory
		if i > 0 {
			c.Causality.CausedBy = id(i / 2)
			past.Links = []domain.Link{domain.NewLink(c.ID, id(i/2), domain.Cause, c.SavedAt)}
		}
		write(transcript.Item{Context: &c}, past)
	}
	for i := range accesses {
		write(transcript.Item{Access: &domain.Access{ContextID: id(i * 7 % contexts), Project: "demo", At: at.Add(time.Duration(i) * time.Second),
			How: domain.Used, Via: "load_context", Actor: "claude-code"}}, domain.ContextHistory{})
	}
	if err != nil {
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
	var clock, cpu, each []float64
	rows := 0
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		decoding := spend(func() { decodeAll(b, data) })
		s, store := emptyService(b)
		importing := spend(func() { rows = importAll(b, s, format, data) })
		store.Close()
		clock = append(clock, float64(importing.clock)/float64(decoding.clock))
		cpu = append(cpu, float64(importing.cpu)/float64(decoding.cpu))
		each = append(each, float64(importing.cpu.Microseconds())/float64(rows))
	}
	b.ReportMetric(median(clock), "x-decoding")
	b.ReportMetric(slices.Min(clock), "x-least")
	b.ReportMetric(median(cpu), "x-cpu")
	b.ReportMetric(slices.Min(each), "cpu-µs/row")
	b.ReportMetric(float64(rows), "rows")
}

func median(list []float64) float64 {
	slices.Sort(list)
	return list[len(list)/2]
}

func decodeAll(b *testing.B, data []byte) {
	for line := range bytes.Lines(data) {
		var row map[string]any
		if err := json.Unmarshal(line, &row); err != nil {
			b.Fatal(err)
		}
	}
}

func importAll(b *testing.B, s *memory.Service, format transcript.Format, data []byte) (rows int) {
	a, err := s.Import(ctx, memory.ImportRequest{Format: format, Name: "s.jsonl", Source: bytes.NewReader(data)})
	if err != nil {
		b.Fatal(err)
	}
	return a.Events.Taken + a.Contexts.Taken + a.Others.Taken
}

// spent is time by the clock and of the processor.
type spent struct{ clock, cpu time.Duration }

func spend(work func()) spent {
	began, had := time.Now(), processorTime()
	work()
	return spent{time.Since(began), processorTime() - had}
}

// processorTime is what this process has used, of all threads.
func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
