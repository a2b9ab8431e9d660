package transcript_test

import (
	"bytes"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"wake/domain"
	"wake/transcript"
)

// result is everything that was read from a source.
type result struct {
	sessions []domain.Session
	events   []domain.Event
	contexts []domain.ContextSnapshot
	links    []domain.Link
	distant  []transcript.Distant
	skipped  []transcript.Skipped
	rewound  []transcript.Rewound
	cursor   domain.IngestCursor
}

// read reads data from the cursor on, and fails the test when it cannot.
func read(t testing.TB, format transcript.Format, name string, data []byte, from domain.IngestCursor) result {
	t.Helper()
	r, err := transcript.NewReader(format, name, bytes.NewReader(data), from)
	if err != nil {
		t.Fatalf("NewReader(%s, %s): %v", format, name, err)
	}
	res := collect(t, r.Items())
	if res.cursor, err = r.Cursor(); err != nil {
		t.Fatalf("cursor of %s: %v", name, err)
	}
	return res
}

// collect reads the items of a source, and fails the test when it cannot.
func collect(t testing.TB, items iter.Seq2[transcript.Item, error]) (res result) {
	t.Helper()
	for item, err := range items {
		if err != nil {
			t.Fatalf("reading: %v", err)
		}
		res.add(item)
	}
	return res
}

func (r *result) add(item transcript.Item) {
	switch {
	case item.Session != nil:
		r.sessions = append(r.sessions, *item.Session)
	case item.Event != nil:
		r.events = append(r.events, *item.Event)
	case item.Context != nil:
		r.contexts = append(r.contexts, *item.Context)
	case item.Link != nil:
		r.links = append(r.links, *item.Link)
	case item.Distant != nil:
		r.distant = append(r.distant, *item.Distant)
	case item.Skipped != nil:
		r.skipped = append(r.skipped, *item.Skipped)
	case item.Rewound != nil:
		r.rewound = append(r.rewound, *item.Rewound)
	}
}

// humans lists the messages that people wrote, in the order read.
func (r result) humans(t testing.TB) []string {
	t.Helper()
	var texts []string
	for _, e := range r.events {
		if e.Type != domain.EventMessage {
			continue
		}
		m, err := e.Message()
		if err != nil {
			t.Fatal(err)
		}
		if m.Human() {
			texts = append(texts, m.Content)
		}
	}
	return texts
}

// set is the events by session and key, as a store keeps them: the first of each
// key counts.
func (r result) set(t testing.TB) map[string]string {
	t.Helper()
	set := map[string]string{}
	for _, e := range r.events {
		if e.Key == "" || !e.Key.Valid() {
			t.Fatalf("event without a good key: %+v", e)
		}
		id := e.SessionID + " " + string(e.Key)
		if _, known := set[id]; !known {
			set[id] = string(e.Type) + " " + domain.FormatTime(e.At) + " " + string(e.Payload)
		}
	}
	return set
}

// ofType lists the payloads of one type.
func ofType[T domain.Payload](t testing.TB, r result) []T {
	t.Helper()
	var want T
	var all []T
	for _, e := range r.events {
		if e.Type != want.EventType() {
			continue
		}
		p, err := domain.PayloadAs[T](e)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	return all
}

// own returns a file that this project wrote for its tests.
func own(t testing.TB, path ...string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(append([]string{"..", "testdata", "transcripts"}, path...)...))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// samples lists the files of the real samples that match, and skips the test
// where there are none: they are not part of this project.
func samples(t testing.TB, patterns ...string) []string {
	t.Helper()
	var files []string
	for _, p := range patterns {
		found, err := filepath.Glob(filepath.Join("..", "..", "shared", "samples", p))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	if len(files) == 0 {
		t.Skip("the real samples are not here; they are kept outside of the project")
	}
	return files
}

// Where the first rows of a session do not name its folder, it is told again with it.
func TestFolderToldLate(t *testing.T) {
	claude := `{"type":"queue-operation","operation":"enqueue","sessionId":"s","content":"go on"}
{"type":"user","uuid":"u","sessionId":"s","cwd":"/home/ann/shop","message":{"content":"go on"}}
{"type":"user","uuid":"v","sessionId":"s","cwd":"/home/ann/other","message":{"content":"go on"}}
`
	codex := `{"id":"s","timestamp":"2025-07-04T08:00:00Z","git":{"branch":"main"}}
{"type":"message","role":"user","content":[{"type":"input_text","text":"%s"}]}
{"type":"message","role":"user","content":[{"type":"input_text","text":"<environment_context>\n  <cwd>/home/ann/other</cwd>\n</environment_context>"}]}
`
	for name, c := range map[string]struct {
		format transcript.Format
		data   string
	}{
		"claude":      {transcript.ClaudeCode, claude},
		"codex":       {transcript.Codex, strings.Replace(codex, "%s", `<environment_context>\n  <cwd>/home/ann/shop</cwd>\n  <shell>zsh</shell>\n</environment_context>`, 1)},
		"codex first": {transcript.Codex, strings.Replace(codex, "%s", `<environment_context>\nCurrent working directory: /home/ann/shop\nApproval policy: never\n</environment_context>`, 1)},
		"codex turn": {transcript.Codex, `{"timestamp":"2025-07-04T08:00:00Z","type":"session_meta","payload":{"id":"s"}}
{"timestamp":"2025-07-04T08:00:00Z","type":"turn_context","payload":{"cwd":"/home/ann/shop","model":"m"}}
{"timestamp":"2025-07-04T08:00:00Z","type":"turn_context","payload":{"cwd":"/home/ann/other","model":"m"}}
`},
	} {
		res := read(t, c.format, "s.jsonl", []byte(c.data), domain.IngestCursor{})
		var folders []string
		for _, s := range res.sessions {
			if s.ClientSessionID != "s" {
				t.Errorf("%s: told of the session %q", name, s.ClientSessionID)
			}
			folders = append(folders, s.Attributes["cwd"])
		}
		if diff := cmp.Diff([]string{"", "/home/ann/shop"}, folders); diff != "" {
			t.Errorf("%s: folders of the sessions told (-want +got):\n%s", name, diff)
		}
	}
}

// Gemini tells the model alone in which folder it works, at the start of a chat.
func TestGeminiFolder(t *testing.T) {
	for text, want := range map[string]string{
		`<session_context>\nThis is the Gemini CLI.\nI'm currently working in the directory: /home/ann/shop\n</session_context>`:                                    "/home/ann/shop",
		`This is the Gemini CLI. We are setting up the context for our chat.\nI'm currently working in the following directories:\n  - C:\\shop\n  - C:\\lib\nHere`: `C:\shop`,
		`<session_context>\nThis is the Gemini CLI.\n- **Workspace Directories:**\n  - /home/ann/my shop\n  - /lib\n- **Directory Structure:**`:                     "/home/ann/my shop",
		`\nI'm currently working in the directory: /home/ann/shop`:                                                                                                  "",
	} {
		chat := `{"sessionId":"s","messages":[{"id":"1","type":"user","content":[{"text":"` + text + `"}]},{"id":"2","type":"user","content":"go on"}]}`
		res := read(t, transcript.Gemini, "session-s.json", []byte(chat), domain.IngestCursor{})
		if len(res.sessions) != 1 || res.sessions[0].Attributes["cwd"] != want {
			t.Errorf("%s: session %+v, want the folder %q", text, res.sessions, want)
		}
	}
}
