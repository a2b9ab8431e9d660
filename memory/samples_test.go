package memory_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"wake/domain"
	"wake/memory"
	"wake/memory/memorytest"
	"wake/transcript"
)

// humanRows are the prompts of a transcript, read without any of wake's readers:
// rows of the user that are no tool results, summaries, commands or reminders.
func humanRows(t *testing.T, data []byte) []string {
	t.Helper()
	var all []string
	for line := range bytes.Lines(data) {
		var row struct {
			Type                                  string
			IsMeta, IsCompactSummary, IsSidechain bool
			Message                               struct{ Content json.RawMessage }
		}
		if json.Unmarshal(line, &row) != nil || row.Type != "user" || row.IsMeta || row.IsCompactSummary || row.IsSidechain {
			continue
		}
		text, ok := textOf(row.Message.Content)
		if ok && text != "" && !strings.HasPrefix(text, "<") && !strings.HasPrefix(text, "[Request interrupted") && !strings.HasPrefix(text, "Caveat:") {
			all = append(all, text)
		}
	}
	return all
}

func textOf(content json.RawMessage) (string, bool) {
	var text string
	if json.Unmarshal(content, &text) == nil {
		return text, true
	}
	var blocks []struct{ Type, Text string }
	if json.Unmarshal(content, &blocks) != nil {
		return "", false
	}
	var parts []string
	for _, b := range blocks {
		if b.Type == "tool_result" {
			return "", false
		}
		if b.Type == "text" {
			parts = append(parts, b.Text)
		}
	}
	return strings.Join(parts, "\n"), true
}

// I1 and I21 over the real transcripts: every human message comes back byte for
// byte, the restore text holds the last one, or points to it, and fits. It logs
// in how many sessions all human text fits.
func TestSampleTranscripts(t *testing.T) {
	files, err := filepath.Glob("../../shared/samples/claude-code/*.jsonl")
	more, err2 := filepath.Glob("../../shared/samples/claude-code/*/*.jsonl")
	if files = append(files, more...); err != nil || err2 != nil || len(files) == 0 {
		t.Skip("the sample transcripts are not here")
	}
	sessions, fit, prompts := 0, 0, 0
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		s, _ := memorytest.Open(t)
		a, err := s.Import(ctx, memory.ImportRequest{Format: transcript.ClaudeCode, Name: file, Source: bytes.NewReader(data)})
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		var got []string
		for _, id := range a.Sessions {
			said, err := s.UserMessages(ctx, id, 0)
			if err != nil {
				t.Fatal(err)
			}
			if len(said) == 0 {
				continue
			}
			sessions++
			prompts += len(said)
			if restored(t, s, id, said) {
				fit++
			}
			for _, m := range said {
				got = append(got, m.Content)
			}
		}
		for _, want := range humanRows(t, data) {
			if !slices.Contains(got, want) {
				t.Errorf("%s: a prompt is lost or changed: %.100q", filepath.Base(file), want)
			}
		}
	}
	t.Logf("%d sessions with %d human messages; in %d sessions all of them fit into the restore text", sessions, prompts, fit)
}

// restored checks the restore text and reports whether all human text is in it.
func restored(t *testing.T, s *memory.Service, id string, said []memory.UserMessage) bool {
	t.Helper()
	text, err := s.RestoreText(ctx, id, 8_000)
	if err != nil {
		t.Fatal(err)
	}
	if n := utf8.RuneCountInString(text); n > 8_000 {
		t.Errorf("the restore text has %d characters", n)
	}
	last := said[len(said)-1].Content
	if !holdsText(text, last) && !strings.Contains(text, "wake://sessions/"+id) {
		t.Errorf("the last message is neither in the restore text nor pointed to: %.100q", last)
	}
	return !slices.ContainsFunc(said, func(m memory.UserMessage) bool { return !holdsText(text, m.Content) })
}

// holdsText looks for a message in a text that masks secrets and may indent.
func holdsText(text, message string) bool {
	flat := func(s string) string { return strings.Join(strings.Fields(s), " ") }
	return strings.Contains(flat(text), flat(domain.MaskSecrets(message)))
}
