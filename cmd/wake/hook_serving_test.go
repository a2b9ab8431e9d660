package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"wake/transcript"
)

// Tests that count the hooks stored by a server do not run in parallel: on an
// overloaded machine a hook does not wait for the server.

// serverProcess is a running server that accepts hooks.
type serverProcess struct {
	*exec.Cmd
	in  io.Closer
	log *bytes.Buffer // to be read after it has ended
}

// serve starts a server and waits for its socket.
func (h *hookHome) serve(env []string, args ...string) *serverProcess {
	h.t.Helper()
	c := command(h.dir, append([]string{"--verbose"}, args...)...)
	c.Env = append(c.Env, env...)
	return h.start(c)
}

// start starts a command that serves and waits for its socket.
func (h *hookHome) start(c *exec.Cmd) *serverProcess {
	h.t.Helper()
	before := h.sockets()
	in, err := c.StdinPipe()
	s := &serverProcess{c, in, &bytes.Buffer{}}
	c.Stderr = s.log
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() { _ = c.Process.Kill() })
	old := func(socket string) bool { return slices.Contains(before, socket) }
	var opened []string
	await(h.t, "the server opens no socket", func() bool { opened = slices.DeleteFunc(h.sockets(), old); return len(opened) > 0 })
	meet(opened[0])
	return s
}

// shortHome returns a home folder with a path short enough for sockets in its state
// folder.
func shortHome(t *testing.T) *hookHome {
	t.Helper()
	folder := "/tmp" // TMPDIR may be long
	if runtime.GOOS == "windows" {
		folder = "" // where pipes serve as sockets
	}
	dir, err := os.MkdirTemp(folder, "w")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return &hookHome{t: t, dir: dir, transcript: filepath.Join(dir, "s1.jsonl")}
}

func (h *hookHome) sockets() []string {
	found, err := filepath.Glob(filepath.Join(h.dir, ".local/state/wake/desks/*/????????????"))
	if err != nil {
		h.t.Fatal(err)
	}
	return found
}

// end stops the server and returns how many hooks it stored.
func (s *serverProcess) end(t *testing.T) int {
	t.Helper()
	stop := s.in.Close
	if runtime.GOOS != "windows" { // which has no signals
		stop = func() error { return s.Process.Signal(syscall.SIGTERM) }
	}
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	waitFor(t, s.Cmd)
	return strings.Count(s.log.String(), "a hook was taken in")
}

// unique matches what differs between two memories of the same story.
var unique = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d{4}-\d\d-\d\dT[0-9:.]+Z|as of [^.]*|\d\d:\d\d`)

// A hook has the same output and effect with a server as without one.
func TestHookStoredByServer(t *testing.T) {
	story := func(h *hookHome) []string {
		said := []string{h.tell(transcript.ClientClaudeCode, "SessionStart", map[string]any{"source": "startup"}).out}
		run(t, h.dir, "save", "Invoices are rounded half to even, because the bank does so too.")
		h.said("How are invoices rounded, and why?")
		for _, text := range []string{"How are invoices rounded, and why?", "go on", "  \n", "<b>& one more</b> \u2028"} {
			said = append(said, h.prompt(text).out)
		}
		for _, client := range transcript.HookClients() {
			said = append(said, h.tell(client, "PostToolUse", map[string]any{"tool_use_id": "t1", "tool_name": "Bash",
				"tool_input": map[string]any{"command": "ls"}, "tool_response": strings.Repeat("<&>", 1000)}).out)
		}
		said = append(said, h.tell("gemini", "BeforeAgent", map[string]any{"prompt": "Which way are the invoices rounded?"}).out,
			h.tell(transcript.ClientClaudeCode, "SessionStart", map[string]any{"source": "compact"}).out,
			h.tell(transcript.ClientClaudeCode, "SessionEnd", nil).out)
		said = append(said, h.messages()...)
		for _, s := range jsonRows(t, run(t, h.dir, "session", "list", "--json", "--project", "*")) {
			said = append(said, fmt.Sprint(s["client"], s["project"], s["last_seq"], s["status"], s["totals"]))
		}
		for i := range said {
			said[i] = unique.ReplaceAllString(said[i], "…")
		}
		return said
	}
	alone := story(shortHome(t))
	if !strings.Contains(strings.Join(alone, ""), "half to even") {
		t.Fatalf("no hook brings anything back: %q", alone)
	}
	for _, args := range [][]string{{"mcp"}, {"serve", "--listen", "127.0.0.1:0"}} {
		if args[0] == "serve" && runtime.GOOS == "windows" {
			continue // it ends at no end of input
		}
		h := shortHome(t)
		s := h.serve(nil, args...)
		served := story(h)
		if !slices.Equal(served, alone) {
			t.Errorf("wake %s: %s\nalone: %s", args, strings.Join(served, "\n"), strings.Join(alone, "\n"))
		}
		if n := s.end(t); n != 8+len(transcript.HookClients()) {
			t.Errorf("wake %s took %d hooks in, want all\n%s", args, n, s.log)
		}
		if left := h.sockets(); len(left) > 0 {
			t.Errorf("wake %s leaves %q behind", args, left)
		}
	}
}

// A hook with large input stores it itself, which is faster than sending it.
func TestHookTooLargeForServer(t *testing.T) {
	h := shortHome(t)
	s := h.serve(nil, "mcp")
	for i, n := range []int{100, maxSent} {
		h.tell(transcript.ClientClaudeCode, "PostToolUse", map[string]any{"tool_use_id": fmt.Sprint("t", i), "tool_name": "Read",
			"tool_input": map[string]any{"file_path": "f"}, "tool_response": strings.Repeat("x", n), "transcript_path": ""})
	}
	if n := s.end(t); n != 1 {
		t.Errorf("%d hooks came to the server, want the small one\n%s", n, s.log)
	}
	if s := jsonRows(t, run(t, h.dir, "session", "list", "--json"))[0]; s["last_seq"] != 4.0 {
		t.Errorf("the session has %v events, want two calls and two answers", s["last_seq"])
	}
}

// Killed servers do not delay hooks, and what they leave behind is removed.
func TestHookAfterKilledServers(t *testing.T) {
	h := shortHome(t)
	for range 2 {
		s := h.serve(nil, "mcp")
		_ = s.Process.Kill()
		_ = s.Wait()
	}
	h.prompt("one")
	if left := h.sockets(); len(left) > 0 {
		t.Errorf("the dead servers' names are left: %v", left)
	}
	s := h.serve(nil, "mcp")
	const prompts = 20 // one after the other, and the server has to be free again at once
	want := []string{"one"}
	for i := range prompts {
		want = append(want, fmt.Sprint("prompt ", i))
		h.prompt(want[i+1])
	}
	if n := s.end(t); n != prompts {
		t.Errorf("the server took %d hooks in, want %d\n%s", n, prompts, s.log)
	}
	h.wantMessages(want...)
}

// Each prompt is stored once while servers start and end, cleanly or not.
func TestHooksWhileServersComeAndGo(t *testing.T) {
	t.Parallel()
	h := shortHome(t)
	h.serve(nil, "mcp")
	const windows = 4
	n := rounds(12, 100)
	if testing.Short() {
		n = 3
	}
	over := make(chan struct{})
	var typing, serving sync.WaitGroup
	for w := range windows {
		typing.Go(func() {
			for i := range n {
				h.tell(transcript.ClientClaudeCode, "UserPromptSubmit", map[string]any{"session_id": fmt.Sprint("w", w), "transcript_path": "",
					"prompt": fmt.Sprintf("prompt %d of window %d", i, w)})
			}
		})
	}
	serving.Go(func() {
		for i := 0; ; i++ {
			c := command(h.dir, "mcp")
			in, err := c.StdinPipe()
			if err == nil {
				err = c.Start()
			}
			if err != nil {
				t.Error(err)
				return
			}
			select {
			case <-over:
			case <-time.After(60 * time.Millisecond):
			}
			if i%2 == 0 {
				_ = c.Process.Kill()
			}
			_ = in.Close()
			_ = c.Wait()
			select {
			case <-over:
				return
			default:
			}
		}
	})
	typing.Wait()
	close(over)
	serving.Wait()
	got := h.messages()
	slices.Sort(got)
	if twice := len(got) - len(slices.Compact(slices.Clone(got))); len(got) != windows*n || twice > 0 {
		t.Errorf("%d messages, %d of them twice, want %d", len(got), twice, windows*n)
	}
}
