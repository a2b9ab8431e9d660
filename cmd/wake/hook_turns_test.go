//go:build unix

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"wake/transcript"
)

// A prompt whose hook is killed while a server stores it stays before the next one, and
// so do those that waited in the spool.
func TestHookServerKeepsOrder(t *testing.T) {
	t.Parallel()
	for name, rows := range map[string]bool{"with a transcript": true, "without": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := shortHome(t)
			h.serve(nil, "mcp")
			say := func(prompt string) {
				if rows {
					h.said(prompt)
				}
			}
			h.prompt("one")
			say("one")
			end := lockDatabase(h)
			h.spool("two")
			say("two")
			h.promptKilled("three")
			say("three")
			next := make(chan answer)
			go func() { next <- h.prompt("four") }()
			time.Sleep(200 * time.Millisecond) // it waits for the database
			end()
			<-next
			h.wantMessages("one", "two", "three", "four")
		})
	}
}

// Whoever is killed while a server stores the hook hears no answer: the restore text is left to
// the next prompt.
func TestKilledHookCountsAsToldNothing(t *testing.T) {
	t.Parallel()
	h := shortHome(t)
	h.serve(nil, "mcp")
	h.prompt("build the importer")
	h.tell(transcript.ClientClaudeCode, "PostCompact", map[string]any{"trigger": "auto", "compact_summary": "a summary"})
	end := lockDatabase(h)
	h.spool("and the exporter")
	h.killed("SessionStart", map[string]string{"source": "compact"})
	end()
	if a := h.prompt("go on"); !strings.Contains(a.out, "build the importer") {
		t.Errorf("the prompt behind a start that nobody heard gets %q", a.out)
	}
}

// A hook without a server that is killed while it stores what waited leaves that to the next
// hook, which stores it before its own prompt. So it is where the clock was set back since.
func TestKilledHookKeepsOrder(t *testing.T) {
	t.Parallel()
	for name, ahead := range map[string]time.Duration{"at once": 0, "after the clock was set back": time.Hour} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHookHome(t)
			h.prompt("one")
			end := lockDatabase(h)
			h.spool("two")
			h.promptKilled("three")
			end()
			claimed := h.claimedFiles()
			if len(claimed) != 1 {
				t.Fatalf("%d hooks are claimed, want 1", len(claimed))
			}
			then := time.Now().Add(ahead)
			if err := os.Chtimes(claimed[0], then, then); err != nil {
				t.Fatal(err)
			}
			h.prompt("four")
			h.wantMessages("one", "two", "four")
		})
	}
}

// A hook that was suspended for longer than its time, before it stored its prompt or after,
// puts it into the spool as well. It is stored once.
func TestHookSuspended(t *testing.T) {
	t.Parallel()
	h := newHookHome(t)
	given := time.Now().Add(-time.Hour)
	a, hook, call := h.called("go on", given)
	if _, err := a.answerHook(context.Background(), hook, call, time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	h.prompt("next")
	h.spoolGiven("go on", given)
	h.prompt("last")
	h.wantMessages("go on", "next", "last")
}

// A server that spools a hook whose process has its answer may have been given another project.
func TestSpooledByAServer(t *testing.T) {
	t.Parallel()
	h := newHookHome(t)
	server, hook, call := h.called("go on", time.Now())
	call.Project = "garden"
	locked := errors.New("locked")
	if err := server.spoolHook(hook, call, locked); !errors.Is(err, locked) {
		t.Fatal(err)
	}
	list := waitingIn(server.spool(h.db()), time.Now())
	if len(list) != 1 || list[0].read() != nil || list[0].Project != "garden" {
		t.Errorf("what waits: %+v", list)
	}
}

// spool puts a prompt into the spool, as its hook does while the database is locked.
func (h *hookHome) spool(prompt string) { h.spoolGiven(prompt, time.Now()) }

// spoolGiven does so for a hook that was given at a time.
func (h *hookHome) spoolGiven(prompt string, at time.Time) {
	h.t.Helper()
	a, hook, call := h.called(prompt, at)
	locked := errors.New("locked")
	if err := a.spoolHook(hook, call, locked); !errors.Is(err, locked) || len(h.spooledFiles()) != 1 {
		h.t.Fatal(err)
	}
}

// called is the hook of a prompt that was given at a time.
func (h *hookHome) called(prompt string, at time.Time) (*app, transcript.Hook, hookCall) {
	h.t.Helper()
	input := h.input("UserPromptSubmit", map[string]string{"prompt": prompt})
	hook, err := transcript.ReadHook(transcript.ClientClaudeCode, input)
	if err != nil {
		h.t.Fatal(err)
	}
	return testApp(h), hook, hookCall{ID: prompt, Client: hook.Client, Dir: h.dir, At: at, Input: input}
}

// promptKilled starts the hook of a prompt while one waits in the spool, and kills it when
// the hook or the server has begun to store that.
func (h *hookHome) promptKilled(prompt string) {
	h.t.Helper()
	h.killed("UserPromptSubmit", map[string]string{"prompt": prompt})
}

// killed kills the process of a hook once what waited in the spool before it is claimed.
func (h *hookHome) killed(event string, fields map[string]string) {
	h.t.Helper()
	c := exec.Command("wake", "hook", transcript.ClientClaudeCode)
	c.Env, c.Dir, c.Stdin = wakeEnv(h.dir), h.dir, bytes.NewReader(h.input(event, fields))
	if err := c.Start(); err != nil {
		h.t.Fatal(err)
	}
	await(h.t, "a claimed hook", func() bool { return len(h.claimedFiles()) == 1 })
	if err := c.Process.Kill(); err != nil {
		h.t.Fatal(err)
	}
	_ = c.Wait()
}

func (h *hookHome) claimedFiles() []string {
	h.t.Helper()
	files, err := filepath.Glob(filepath.Join(h.dir, ".local/state/wake/spool/*/*"+claimedSuffix))
	if err != nil {
		h.t.Fatal(err)
	}
	return files
}

// input is what Claude Code sends to a hook.
func (h *hookHome) input(event string, fields map[string]string) []byte {
	h.t.Helper()
	in := map[string]string{"session_id": "s1", "hook_event_name": event, "cwd": h.dir, "transcript_path": h.transcript}
	maps.Copy(in, fields)
	input, err := json.Marshal(in)
	if err != nil {
		h.t.Fatal(err)
	}
	return input
}
