package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A tree of checkpoints in which every transcript has the same name: snapshots of one
// session, some of which begin in the middle, sessions of several clients, and files
// that are no transcripts. Each file is recognised by its content, and imported once.
func TestImportTree(t *testing.T) {
	w := newWorkplace(t)
	var rows []string
	for i, said := range []string{"fix the cart", "go on", "go on", "now the tests"} {
		id := string(rune('a' + i))
		rows = append(rows, w.json(map[string]any{"type": "user", "uuid": "u" + id, "parentUuid": "x", "sessionId": "s1", "cwd": w.home + "/shop",
			"timestamp": "2026-02-03T04:00:0" + string(rune('0'+i)) + "Z", "message": map[string]any{"role": "user", "content": said}}),
			w.json(map[string]any{"type": "assistant", "uuid": "a" + id, "parentUuid": "u" + id, "sessionId": "s1", "cwd": w.home + "/shop",
				"message": map[string]any{"id": "m" + id, "role": "assistant", "model": "claude-a", "content": "well", "usage": map[string]any{"output_tokens": 5}}}))
	}
	gemini := func(messages int) string {
		said := []any{map[string]any{"id": "1", "type": "user", "content": "say hi"}, map[string]any{"id": "2", "type": "gemini", "content": "hi", "tokens": map[string]any{"output": 2}}}
		return strings.ReplaceAll(w.json(map[string]any{"sessionId": "g1", "projectHash": "h", "startTime": "2026-02-01T04:00:00Z", "messages": said[:messages]}), ",", ",\n  ")
	}
	for path, text := range map[string]string{
		"tree/00/aa11/0/full.jsonl": strings.Join(rows[3:], ""), "tree/5f/bb22/0/full.jsonl": strings.Join(rows, ""), "tree/5f/bb22/1/full.jsonl": gemini(1),
		"tree/a0/cc33/2/full.jsonl": gemini(2), "tree/f0/dd44/0/full.jsonl": strings.Join(rows[:5], ""),
		"tree/00/aa11/0/metadata.json": `{"checkpoint_id":"00aa11","session_id":"s1","agent":"Claude Code","token_usage":{"input_tokens":1}}`,
		"tree/00/aa11/metadata.json":   `{"checkpoint_id":"00aa11","sessions":[{"transcript":"/00/aa11/0/full.jsonl"}]}`,
		"tree/00/aa11/0/prompt.txt":    "fix the cart\n", "tree/00/aa11/0/context.md": "# Session Context\n",
		"tree/00/aa11/0/transcript.jsonl": `{"v":1,"agent":"claude-code","type":"user","ts":"2026-02-03T04:00:00Z","content":[{"id":"ua","text":"fix the cart"}]}` + "\n",
	} {
		w.write(path, text)
	}
	tree := w.home + "/tree"
	for _, step := range []struct {
		format  string
		sources float64
		want    []string
	}{
		{"claude-code", 3, []string{"s1: 8 messages, 20 tokens"}},
		{"gemini", 2, []string{"g1: 2 messages, 2 tokens", "s1: 8 messages, 20 tokens"}},
		{"auto", 5, []string{"g1: 2 messages, 2 tokens", "s1: 8 messages, 20 tokens"}},
	} {
		total := jsonRows(t, w.wake("", "import", step.format, tree, "--json"))[0]
		if total["sources"] != step.sources || total["skipped"] != 0.0 {
			t.Errorf("%s: %v", step.format, total)
		}
		if diff := cmp.Diff(step.want, w.sessions()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", step.format, diff)
		}
	}
}

// sessions returns the number of messages and the usage of each session, by the
// client's id.
func (w *workplace) sessions() []string {
	w.t.Helper()
	var all []string
	for _, s := range jsonRows(w.t, w.wake("", "session", "list", "--json", "--project", "*")) {
		totals := s["totals"].(map[string]any)
		all = append(all, fmt.Sprintf("%v: %v messages, %v tokens", s["client_session_id"], s["messages"], totals["tokens_out"]))
	}
	slices.Sort(all)
	return all
}

// Beside its chats, Gemini CLI keeps a log of what was typed, under the name of the session
// before after a /clear, and checkpoints, which are copies. They count where it kept no chats.
func TestImportGeminiFolder(t *testing.T) {
	const (
		turns = `[{"role":"user","parts":[{"text":"fix the cart"}]},{"role":"model","parts":[{"text":"well"}]}]`
		log   = `[{"sessionId":"g1","messageId":0,"type":"user","message":"fix the cart","timestamp":"2026-02-01T04:00:00Z"},
			{"sessionId":"g1","messageId":1,"type":"user","message":"/clear","timestamp":"2026-02-01T04:01:00Z"},
			{"sessionId":"g1","messageId":2,"type":"user","message":"now the tests","timestamp":"2026-02-01T04:02:00Z"}]`
	)
	chat := func(session, said string) string {
		return `{"sessionId":"` + session + `","projectHash":"h","kind":"main"}
{"id":"` + session + `-1","type":"user","timestamp":"2026-02-01T04:00:00Z","content":"` + said + `"}
`
	}
	kept := map[string]string{"logs.json": log, "checkpoint-cart.json": turns, "checkpoints/1-write_file.json": `{"clientHistory":` + turns + `}`}
	chats := map[string]string{"chats/session-1.jsonl": chat("g1", "fix the cart"), "chats/session-2.jsonl": chat("g2", "now the tests"),
		"chats/g2/part.jsonl": chat("g3", "look around")}
	for name, step := range map[string]struct {
		files []map[string]string
		args  []string
		want  []string
	}{
		"with chats": {[]map[string]string{kept, chats}, []string{"/old chats"}, []string{"g1: 1 messages, 0 tokens", "g2: 1 messages, 0 tokens", "g3: 1 messages, 0 tokens"}},
		"with a log that is named": {[]map[string]string{kept, chats}, []string{"/old chats", "/old chats/chats/shop/logs.json"},
			[]string{"g1: 3 messages, 0 tokens", "g2: 1 messages, 0 tokens", "g3: 1 messages, 0 tokens"}},
		"with others beside them": {[]map[string]string{{"saved.json": turns}, chats}, []string{"/old chats"},
			[]string{"g1: 1 messages, 0 tokens", "g2: 1 messages, 0 tokens", "g3: 1 messages, 0 tokens", "shop/saved: 2 messages, 0 tokens"}},
		"without chats": {[]map[string]string{kept}, []string{"/old chats"}, []string{"checkpoints/1-write_file: 2 messages, 0 tokens", "g1: 3 messages, 0 tokens", "shop/checkpoint-cart: 2 messages, 0 tokens"}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorkplace(t)
			for _, files := range step.files {
				for path, text := range files {
					w.write("old chats/chats/shop/"+path, text) // a folder above may have any name
				}
			}
			args := []string{"import", "gemini"}
			for _, path := range step.args {
				args = append(args, w.home+path)
			}
			w.wake("", args...)
			if diff := cmp.Diff(step.want, w.sessions()); diff != "" {
				t.Errorf("sessions (-want +got):\n%s", diff)
			}
		})
	}
}
