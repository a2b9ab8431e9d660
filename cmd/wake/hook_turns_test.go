//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os/exec"
	"path/filepath"
	"slices"
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
			if got, want := h.messages(), []string{"one", "two", "three", "four"}; !slices.Equal(got, want) {
				t.Errorf("messages %q, want %q", got, want)
			}
		})
	}
}

// spool puts a prompt into the spool, as its hook does while the database is locked.
func (h *hookHome) spool(prompt string) {
	h.t.Helper()
	a, input := testApp(h), h.promptInput(prompt)
	hook, err := transcript.ReadHook(transcript.ClientClaudeCode, input)
	if err != nil {
		h.t.Fatal(err)
	}
	locked := errors.New("locked")
	if err := a.spoolHook(hook, hookCall{ID: prompt, Client: hook.Client, Dir: h.dir, Input: input}, locked); !errors.Is(err, locked) || len(h.spooledFiles()) != 1 {
		h.t.Fatal(err)
	}
}

// promptKilled starts the hook of a prompt while one waits in the spool, and kills it when
// the server has begun to store that.
func (h *hookHome) promptKilled(prompt string) {
	h.t.Helper()
	c := exec.Command("wake", "hook", transcript.ClientClaudeCode)
	c.Env, c.Dir, c.Stdin = wakeEnv(h.dir), h.dir, bytes.NewReader(h.promptInput(prompt))
	if err := c.Start(); err != nil {
		h.t.Fatal(err)
	}
	await(h.t, "a claimed hook", func() bool {
		claimed, err := filepath.Glob(filepath.Join(h.dir, ".local/state/wake/spool/*/*"+claimedSuffix))
		return err == nil && len(claimed) == 1
	})
	if err := c.Process.Kill(); err != nil {
		h.t.Fatal(err)
	}
	_ = c.Wait()
}

func (h *hookHome) promptInput(prompt string) []byte {
	h.t.Helper()
	input, err := json.Marshal(map[string]string{"session_id": "s1", "hook_event_name": "UserPromptSubmit", "cwd": h.dir, "transcript_path": h.transcript, "prompt": prompt})
	if err != nil {
		h.t.Fatal(err)
	}
	return input
}
