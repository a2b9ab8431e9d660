package memory_test

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"wake/domain"
	"wake/memory"
	"wake/memory/memorytest"
	"wake/secret"
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

// sampleFiles are the real files of all products in the folder that WAKE_SAMPLES
// names, with their formats.
func sampleFiles(t *testing.T) map[string]transcript.Format {
	t.Helper()
	files := map[string]transcript.Format{}
	_ = filepath.WalkDir(os.Getenv("WAKE_SAMPLES"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if format, ok := transcript.Detect(path, data); ok && !strings.HasSuffix(path, ".md") {
			files[path] = format
		}
		return nil
	})
	if len(files) == 0 {
		t.Skip("WAKE_SAMPLES names no folder of transcripts")
	}
	return files
}

// I1, I5 and I21 over the real files: every human message comes back byte for byte;
// a second import, one in pieces and one beside hooks make the same events; the
// restore text holds the last message, or points to it, and fits any budget. It
// logs in how many sessions all human text fits.
func TestSampleTranscripts(t *testing.T) {
	sessions, fit, prompts := 0, 0, 0
	for file, format := range sampleFiles(t) {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		s, _ := memorytest.Open(t)
		a := importFile(t, s, format, file, data)
		if again := importFile(t, s, format, file, data); again.Events.Taken > 0 {
			t.Errorf("%s: the second import takes %+v", file, again.Events)
		}
		all := saidIn(t, s)
		if pieces := saidInPieces(t, format, file, data); !slices.Equal(pieces, all) {
			t.Errorf("%s: in pieces (-whole +pieces):\n%s", file, cmp.Diff(all, pieces))
		}
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
		}
		if format != transcript.ClaudeCode || strings.HasSuffix(file, ".json") {
			continue
		}
		if hooks := saidBesideHooks(t, file, data); !slices.Equal(hooks, all) {
			t.Errorf("%s: beside hooks (-import +hooks):\n%s", file, cmp.Diff(all, hooks))
		}
		for _, want := range humanRows(t, data) {
			if !slices.Contains(all, want) {
				t.Errorf("%s: a prompt is lost or changed: %.100q", filepath.Base(file), want)
			}
		}
	}
	t.Logf("%d sessions with %d human messages; in %d sessions all of them fit into the restore text", sessions, prompts, fit)
}

func importFile(t *testing.T, s *memory.Service, format transcript.Format, name string, data []byte) memory.ImportAnswer {
	t.Helper()
	a, err := s.Import(ctx, memory.ImportRequest{Format: format, Name: name, Source: bytes.NewReader(data), Whole: true})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return a
}

// saidIn are the human messages of all sessions, sorted.
func saidIn(t *testing.T, s *memory.Service) []string {
	t.Helper()
	list, err := s.Store.Sessions(ctx, domain.SessionQuery{})
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, owner := range list {
		said, err := s.UserMessages(ctx, owner.ID, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range said {
			all = append(all, m.Content)
		}
	}
	slices.Sort(all)
	return all
}

// saidInPieces imports what a growing file held at some moments.
func saidInPieces(t *testing.T, format transcript.Format, file string, data []byte) []string {
	t.Helper()
	s, _ := memorytest.Open(t)
	if strings.HasSuffix(file, ".jsonl") {
		for part := range 5 {
			if _, err := s.Import(ctx, memory.ImportRequest{Format: format, Name: file, Source: bytes.NewReader(data[:len(data)*part/5])}); err != nil {
				t.Fatal(err)
			}
		}
	}
	importFile(t, s, format, file, data)
	return saidIn(t, s)
}

// saidBesideHooks lets a hook tell of each prompt, before and after the transcript
// has it in turn. What a hook is given of the same words is the transcript's text.
func saidBesideHooks(t *testing.T, file string, data []byte) []string {
	t.Helper()
	s, _ := memorytest.Open(t)
	end, n := 0, 0
	for line := range bytes.Lines(data) {
		end += len(line)
		prompt := humanRows(t, line)
		if len(prompt) == 0 {
			continue
		}
		upTo := end
		if n++; n%2 == 0 {
			upTo -= len(line)
		}
		var row struct{ SessionID string }
		if json.Unmarshal(line, &row) != nil || row.SessionID == "" {
			continue
		}
		if _, err := s.Hook(ctx, memory.HookRequest{Hook: transcript.Hook{Client: "claude-code", Moment: transcript.HookPrompt, Name: "UserPromptSubmit",
			SessionID: row.SessionID, TranscriptPath: file, Prompt: prompt[0]}, Project: "demo", Transcript: bytes.NewReader(data[:upTo])}); err != nil {
			t.Fatal(err)
		}
	}
	importFile(t, s, transcript.ClaudeCode, file, data)
	return saidIn(t, s)
}

// restored checks restore texts and reports whether all human text is in that of a
// hook.
func restored(t *testing.T, s *memory.Service, id string, said []memory.UserMessage) bool {
	t.Helper()
	last := said[len(said)-1].Content
	var hook string
	for _, budget := range []int{0, 60, 120, 300, 1_000, 8_000, 100_000} {
		text, err := s.RestoreText(ctx, id, 0, budget)
		if err != nil {
			t.Fatal(err)
		}
		n := utf8.RuneCountInString(text)
		whole := holdsText(text, last)
		switch room := budget - utf8.RuneCountInString(last); {
		case n > budget:
			t.Errorf("the restore text has %d characters of %d", n, budget)
		case !whole && room > 400 && secret.Mask(last) == last:
			t.Errorf("of %d characters there is room for the last message: %.100q\n%s", budget, last, text)
		case !whole && budget > 100 && !strings.Contains(text, "wake://sessions/"+id):
			t.Errorf("the last message is neither in the %d characters nor pointed to: %.100q", budget, last)
		}
		if budget == 8_000 {
			hook = text
		}
	}
	return !slices.ContainsFunc(said, func(m memory.UserMessage) bool { return !holdsText(hook, m.Content) })
}

// holdsText looks for a message in a text that masks secrets and may indent.
func holdsText(text, message string) bool {
	flat := func(s string) string { return strings.Join(strings.Fields(s), " ") }
	return strings.Contains(flat(text), flat(secret.Mask(message)))
}
