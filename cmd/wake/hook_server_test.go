//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"wake/transcript"
)

// A hook stored by a server goes into the project of the hook's folder, which keeps its
// name from then on, wherever the server runs.
func TestHookStoredForItsFolder(t *testing.T) {
	h := shortHome(t)
	w := workplaceIn(t, h.dir)
	s := h.serve([]string{"WAKE_PROJECT="}, "mcp")
	want := map[string]string{"one": "shop", "two": "shop~2", "three": "shop", "four": "desk", "five": "shop", "six": "gone", "seven": "default"}
	for _, said := range []map[string]any{
		{"session_id": "one", "cwd": filepath.Join(h.dir, "shop/web")},
		{"session_id": "two", "cwd": filepath.Join(h.dir, "play/shop")},
		{"session_id": "three", "cwd": filepath.Join(h.dir, "shop")},
		{"session_id": "four"}, // the folder in which the hook runs
	} {
		said["hook_event_name"], said["prompt"] = "UserPromptSubmit", "Remember: invoices are rounded half to even."
		w.wake(w.json(said), "hook", "claude-code")
	}
	for session, script := range map[string]string{
		"five":  "cd shop && CLAUDE_PROJECT_DIR=web wake hook claude-code",
		"six":   "mkdir gone && cd gone && rmdir ../gone && wake hook claude-code",
		"seven": "mkdir lost && cd lost && rmdir ../lost && env -u PWD wake hook claude-code", // nobody knows the folder, so its process does it
	} {
		c := exec.Command("sh", "-c", script)
		c.Env, c.Dir = append(wakeEnv(h.dir), "WAKE_PROJECT="), h.dir
		c.Stdin = strings.NewReader(w.json(map[string]any{"session_id": session, "hook_event_name": "UserPromptSubmit", "prompt": "go on"}))
		if out, err := c.CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
		}
	}
	if n := s.end(t); n != 6 {
		t.Errorf("the server took %d hooks in, want 6\n%s", n, s.log)
	}
	if diff := cmp.Diff(want, w.projects()); diff != "" {
		t.Errorf("projects (-want +got):\n%s", diff)
	}
}

// Claude Code reports the folder of its model's shell, which may be in another repository than
// the one that the session is about. The model is told of the session's, as by the server. A
// client that was started from Claude Code's shell names its own folder.
func TestHookAboutTheRoot(t *testing.T) {
	for _, served := range []bool{true, false} {
		h := shortHome(t)
		w := workplaceIn(t, h.dir)
		for _, is := range []struct{ dir, text string }{{"shop", "Invoices are rounded half to even."}, {"play/shop", "Invoices are rounded by the toy till."}} {
			c := command(h.dir, "save", is.text)
			c.Dir, c.Env = filepath.Join(h.dir, is.dir), append(c.Env, "WAKE_PROJECT=")
			if out, err := c.CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
		}
		if served {
			s := h.serve([]string{"WAKE_PROJECT="}, "mcp")
			t.Cleanup(func() { s.end(t) })
		}
		for client, told := range map[string][]string{"claude-code": {"half to even", "toy till"}, "codex": {"toy till", "half to even"}} {
			c := command(h.dir, "hook", client)
			c.Env = append(c.Env, "WAKE_PROJECT=", "CLAUDE_PROJECT_DIR="+filepath.Join(h.dir, "shop"))
			c.Stdin = strings.NewReader(w.json(map[string]any{"session_id": client, "hook_event_name": "UserPromptSubmit",
				"cwd": filepath.Join(h.dir, "play/shop"), "prompt": "How are invoices rounded?"}))
			out, err := c.CombinedOutput()
			if err != nil || !strings.Contains(string(out), told[0]) || strings.Contains(string(out), told[1]) {
				t.Errorf("served %v: %s is told %v %s", served, client, err, out)
			}
		}
		if diff := cmp.Diff(map[string]string{"claude-code": "shop", "codex": "shop~2"}, w.projects()); diff != "" {
			t.Errorf("served %v: projects (-want +got):\n%s", served, diff)
		}
	}
}

// A server does not get hooks that it would handle differently, or that another user
// might have asked for.
func TestHookForAnotherServer(t *testing.T) {
	for name, env := range map[string]string{"database": "WAKE_DB=other.db", "distilling": "WAKE_DISTIL=off", "clock": "WAKE_CLOCK=-1h"} {
		t.Run(name, func(t *testing.T) {
			h := shortHome(t)
			s := h.serve([]string{env}, "mcp")
			h.prompt("hello")
			if n := s.end(t); n > 0 {
				t.Errorf("a server with %s took the hook in", env)
			}
		})
	}
	h := shortHome(t)
	s := h.serve(nil, "mcp")
	h.shim = filepath.Join(t.TempDir(), "wake")
	copyProgram(t, h.shim)
	h.prompt("hello")
	if n := s.end(t); n > 0 {
		t.Error("a server of an older program took the hook in")
	}
	h = shortHome(t)
	s = h.serve([]string{"WAKE_PROJECT=", "WAKE_MODEL=other"}, "mcp") // of a hook's project its process knows
	h.tell(transcript.ClientClaudeCode, "UserPromptSubmit", map[string]any{"prompt": "hello", "transcript_path": "s1.jsonl"})
	if err := os.Chmod(filepath.Dir(h.sockets()[0]), 0o777); err != nil {
		t.Fatal(err)
	}
	h.prompt("hello again")
	if err := os.Chmod(filepath.Dir(h.sockets()[0]), 0o700); err != nil {
		t.Fatal(err)
	}
	want := []string{"hello", "hello again"}
	if dir := filepath.Dir(h.sockets()[0]); os.Geteuid() == 0 { // only root may give a folder away
		if err := os.Chown(dir, 1, -1); err != nil {
			t.Fatal(err)
		}
		want = append(want, "hello, whoever listens")
		h.prompt(want[2])
		if err := os.Chown(dir, 0, -1); err != nil {
			t.Fatal(err)
		}
	}
	h.prompt("and again")
	if n := s.end(t); n != 1 {
		t.Errorf("%d hooks were taken in, want the last alone\n%s", n, s.log)
	}
	h.wantMessages(append(want, "and again")...)
}

// If an address of PostgreSQL is incomplete, the environment determines the database:
// different environments share neither servers nor the spool.
func TestDatabaseOfEnvironment(t *testing.T) {
	dirs := map[string]string{}
	for _, env := range []string{"", "PGHOST=/run/other", "PGDATABASE=other", "PGPORT=5433", "PGUSER=ann", "PGSERVICE=other",
		"PGSERVICEFILE=/other", "PGOPTIONS=-csearch_path=other"} {
		a := newApp()
		name, value, _ := strings.Cut(env, "=")
		a.env = func(of string) string {
			if of == name {
				return value
			}
			return ""
		}
		for _, dir := range []string{a.socketDir(settings{DB: "postgres:///"}), a.spool("postgres:///").dir} {
			if same, ok := dirs[dir]; ok {
				t.Errorf("%q and %q have the same folder %s", env, same, dir)
			}
			dirs[dir] = env
		}
	}
}

// A hook that waits for the database does not delay calls that only read, even while
// the server learns which folder it works in.
func TestHookDoesNotBlockCalls(t *testing.T) {
	t.Parallel()
	h := shortHome(t)
	h.prompt("before")
	c := command(h.dir, "mcp")
	c.Env = append(c.Env, "WAKE_PROJECT=", "CLAUDE_PROJECT_DIR=")
	in, answers := startPiped(t, c)
	fmt.Fprintln(in, `{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"roots":{}},"clientInfo":{"name":"editor","version":"1"}}}`)
	fmt.Fprintln(in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	readUntil(t, answers, `"method":"roots/list"`)
	unlock := lockDatabase(h)
	var during sync.WaitGroup
	during.Go(func() { h.prompt("during") })
	time.Sleep(hookTime / 10)
	began := time.Now()
	fmt.Fprintln(in, `{"jsonrpc":"2.0","id":"open-folder",`+roots("file://"+h.dir)+`}`)
	fmt.Fprintln(in, `{"jsonrpc":"2.0","id":"call","method":"tools/call","params":{"name":"search_context","arguments":{"query":"invoices"}}}`)
	readUntil(t, answers, `"id":"call"`)
	if took := time.Since(began); took > hookTime/2 {
		t.Errorf("the call took %s", took)
	}
	during.Wait()
	unlock()
	in.Close()
	waitFor(t, c)
}

// A server answers the hook at the end of a turn before it has the reply, which the client
// writes down a moment later. It is recorded all the same, before the end of the session.
func TestHookIsAnsweredBeforeTheReply(t *testing.T) {
	const reply = "It imports all ten formats."
	for name, ends := range map[string]bool{"the server stops": false, "the session ends": true} {
		t.Run(name, func(t *testing.T) {
			h := shortHome(t)
			server := h.serve(nil, "mcp")
			h.said("build the importer")
			h.send("Stop", reply)
			written := make(chan struct{})
			go func() {
				time.Sleep(50 * time.Millisecond)
				appendTo(t, h.transcript, claudeRow(1000, "assistant", reply)) // too late for a hook that was waited for
				close(written)
			}()
			if ends {
				h.send("SessionEnd", "")
			}
			server.end(t)
			<-written
			log := run(t, h.dir, "session", "timeline")
			if _, after, found := strings.Cut(log, reply); !found || strings.Contains(after, "ended") != ends {
				t.Errorf("the reply is missing, or behind the end:\n%s", log)
			}
		})
	}
}

// send gives a hook of Claude Code to a server, as the hook's process does.
func (h *hookHome) send(event, reply string) {
	h.t.Helper()
	input, err := json.Marshal(map[string]string{"session_id": "s1", "hook_event_name": event, "cwd": h.dir, "transcript_path": h.transcript, "last_assistant_message": reply})
	if err != nil {
		h.t.Fatal(err)
	}
	a := testApp(h)
	set, err := a.settings()
	if err != nil {
		h.t.Fatal(err)
	}
	hook, err := transcript.ReadHook(transcript.ClientClaudeCode, input)
	if err != nil {
		h.t.Fatal(err)
	}
	if _, state := a.sendHook(set, hook, hookCall{ID: event, Client: hook.Client, Project: set.Project, Dir: h.dir, Input: input}, time.Now().Add(patience)); state != hookStored {
		h.t.Fatalf("%s was not answered by the server: %v", event, state)
	}
}
