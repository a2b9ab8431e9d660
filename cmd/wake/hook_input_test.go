package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// I17: invalid input of a hook is reported in one line, and nothing is stored.
func TestHookBadInput(t *testing.T) {
	t.Parallel()
	h := newHookHome(t)
	for name, in := range map[string]io.Reader{
		"empty":    strings.NewReader(""),
		"garbage":  strings.NewReader("\x00\xff{]"),
		"list":     strings.NewReader("[]"),
		"null":     strings.NewReader("null"),
		"unnamed":  strings.NewReader(`{"hook_event_name":"Stop"}`),
		"types":    strings.NewReader(`{"session_id":7,"hook_event_name":{}}`),
		"64 MB":    io.LimitReader(letters{}, 64<<20),
		"64 MB of": io.MultiReader(strings.NewReader(`{"session_id":"s1","hook_event_name":"Stop","x":"`), io.LimitReader(letters{}, 64<<20), strings.NewReader(`"}`)),
	} {
		a := h.feed("claude-code", in)
		if a.out != "" || a.err == "" {
			t.Errorf("%s: prints %q and says %q", name, a.out, a.err)
		}
	}
	for _, client := range []string{"nobody", "", "--of-another-wake"} {
		if a := h.feed(client, strings.NewReader("{}")); a.out != "" || a.err == "" {
			t.Errorf("client %q: prints %q and says %q", client, a.out, a.err)
		}
	}
	if _, err := os.Stat(h.db()); err == nil {
		t.Error("a database was made for nothing")
	}
}

// Flags of a command line that another wake wrote do not keep a prompt from the model, wherever
// they stand.
func TestHookUnknownFlags(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{"hook", "claude-code", "--of-another-wake"},
		{"--project", "shop", "hook", "claude-code", "--of-another-wake"},
		{"--json", "hook", "--of-another-wake", "claude-code"},
	} {
		c := exec.Command("wake", args...)
		c.Env, c.Stdin = wakeEnv(t.TempDir()), strings.NewReader("{}")
		out, err := c.CombinedOutput()
		if err != nil || string(out) != "wake: unknown flag: --of-another-wake\n" {
			t.Errorf("wake %s: %v, says %q", strings.Join(args, " "), err, out)
		}
	}
}

// A person who tries a hook on a terminal is told what it waits for.
func TestHookWithoutInput(t *testing.T) {
	t.Parallel()
	h := newHookHome(t)
	in, open, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	defer open.Close()
	if a := h.feed("claude-code", in); a.out != "" || !strings.Contains(a.err, "standard input did not end within 5s; a hook is run by its client, which writes JSON there") {
		t.Errorf("prints %q and says %q", a.out, a.err)
	}
}

// Other clients run Claude Code's hooks too. They have hooks of their own, or what they say is
// no session of Claude Code.
func TestHookBorrowed(t *testing.T) {
	t.Parallel()
	h := newHookHome(t)
	const atCursor = `"workspace_roots":["/p"],"hook_event_name":"beforeSubmitPrompt","prompt":"Hello"}`
	for _, input := range []string{
		`{"conversation_id":"c1",` + atCursor,
		`{"session_id":"c1","conversation_id":"c1","cursor_version":"3.2",` + atCursor,
		`{"session_id":"s1","hook_event_name":"UserPromptSubmit","timestamp":"2026-11-28T01:05:57.988Z","cwd":"/p","prompt":"Hello"}`,
	} {
		if a := h.feed("claude-code", strings.NewReader(input)); a.out != "" || a.err != "" {
			t.Errorf("%s: prints %q and says %q", input, a.out, a.err)
		}
	}
	if _, err := os.Stat(h.db()); err == nil {
		t.Error("it was stored")
	}
	h.feed("cursor", strings.NewReader(`{"conversation_id":"c1",`+atCursor))
	if _, err := os.Stat(h.db()); err != nil {
		t.Errorf("Cursor's own hook: %v", err)
	}
}

// What Codex asks a model for itself, to make its memories, is nobody's session.
func TestHookOfCodexAlone(t *testing.T) {
	t.Parallel()
	h := newHookHome(t)
	said := func(folder string) string {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		return fmt.Sprintf(`{"session_id":"s1","transcript_path":null,"cwd":%q,"hook_event_name":"UserPromptSubmit","prompt":"Sum up what was said."}`, folder)
	}
	h.feed("codex", strings.NewReader(said(filepath.Join(h.dir, ".codex", "memories_v2"))))
	if _, err := os.Stat(h.db()); err == nil {
		t.Error("it was stored")
	}
	h.feed("codex", strings.NewReader(said(filepath.Join(h.dir, "memories"))))
	if _, err := os.Stat(h.db()); err != nil {
		t.Errorf("what a person says in a folder of that name: %v", err)
	}
}

type letters struct{}

func (letters) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'a'
	}
	return len(p), nil
}

// I6: a transcript that is missing, a pipe, a folder, cut within a line, or growing
// while it is read loses only what is not there yet.
func TestHookTranscripts(t *testing.T) {
	t.Parallel()
	h := newHookHome(t)
	h.prompt("no transcript yet")
	pipe := filepath.Join(h.dir, "pipe")
	if err := makePipe(pipe); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"", pipe, h.dir, filepath.Join(h.dir, "gone", "t.jsonl")} {
		if a := h.tell("claude-code", "Stop", map[string]any{"transcript_path": path}); a.err != "" {
			t.Errorf("transcript %q: %s", path, a.err)
		}
	}
	h.said("no transcript yet")
	row := claudeRow(1_000_000, "user", "a row in two parts")
	appendTo(t, h.transcript, row[:40])
	h.tell("claude-code", "Stop", nil)
	appendTo(t, h.transcript, row[40:])
	written := grow(t, h.transcript)
	h.tell("claude-code", "Stop", nil)
	h.tell("claude-code", "Stop", nil)
	n := written()
	got := h.messages()
	for tries := 0; len(got) < n+2 && tries < 20; tries++ { // a slow machine needs more than one hook's time
		h.tell("claude-code", "Stop", nil)
		got = h.messages()
	}
	if len(got) != n+2 || got[0] != "no transcript yet" || got[1] != "a row in two parts" {
		t.Errorf("%d messages, want %d: %.300q", len(got), n+2, got)
	}
}

// growthMost is by how many rows a transcript grows while it is read.
const growthMost = 500

// grow goes on writing a transcript, like a client, until it is asked for the number of
// rows written.
func grow(t *testing.T, path string) (written func() int) {
	stop, done := make(chan struct{}), make(chan int)
	go func() {
		n := 0
		for on := true; on && n < growthMost; {
			select {
			case <-stop:
				on = false
			case <-time.After(time.Millisecond):
				appendTo(t, path, claudeRow(int64(2_000_000+n), "user", "growing "+strings.Repeat("x", n)))
				n++
			}
		}
		done <- n
	}()
	return func() int {
		close(stop)
		return <-done
	}
}
