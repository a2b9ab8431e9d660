//go:build unix

package main

import (
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
)

// If the database server does not answer, as without a VPN, one hook waits for it. For
// a while after that, hooks whose answer is not used go to the spool at once. A prompt
// tries again.
func TestHooksOfSilentServer(t *testing.T) {
	t.Parallel()
	var calls atomic.Int32
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			defer c.Close()
			calls.Add(1)
		}
	}()
	home := t.TempDir()
	hook := func(input string) {
		t.Helper()
		c := command(home, "hook", "claude-code")
		c.Env = append(c.Env, "WAKE_DB=postgres://ann:secret@"+l.Addr().String()+"/wake")
		c.Stdin = strings.NewReader(input)
		if out, err := c.CombinedOutput(); err != nil || !strings.Contains(string(out), "for later") {
			t.Errorf("%v\n%s", err, out)
		}
	}
	const used = `{"hook_event_name":"PostToolUse","session_id":"s","tool_use_id":"t","tool_name":"Bash"}`
	for i, step := range []struct {
		input string
		asks  bool
	}{{used, true}, {used, false}, {used, false}, {`{"hook_event_name":"UserPromptSubmit","session_id":"s","prompt":"go on"}`, true}, {used, false}} {
		before := calls.Load()
		hook(step.input)
		if asked := calls.Load() > before; asked != step.asks {
			t.Errorf("hook %d asked the server: %v", i, asked)
		}
	}
	if waiting, _ := filepath.Glob(filepath.Join(home, ".local/state/wake/spool/*/*"+spoolSuffix)); len(waiting) != 5 {
		t.Errorf("%d of 5 hooks wait", len(waiting))
	}
}

// Hooks spooled for a server that has moved are not forgotten: wake doctor reports them
// when the new address is set, and they are stored once they are moved where it says.
func TestSpoolOfAServerThatMoved(t *testing.T) {
	t.Parallel()
	h := newHookHome(t)
	c := command(h.dir, "hook", "claude-code")
	c.Env = append(c.Env, "WAKE_DB=postgres://ann:secret@127.0.0.1:1/wake")
	c.Stdin = strings.NewReader(`{"hook_event_name":"UserPromptSubmit","session_id":"s1","prompt":"while it was away"}`)
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	h.prompt("after")
	said := run(t, h.dir, "doctor")
	found := regexp.MustCompile(`1 report of assistants could not be stored in another database and wait in (\S+)\n.*move what is there to (\S+)`).FindStringSubmatch(said)
	if found == nil {
		t.Fatalf("the doctor said:\n%s", said)
	}
	if err := os.Rename(found[1], found[2]); err != nil {
		t.Fatal(err)
	}
	h.prompt("again")
	if got := h.messages(); !slices.Contains(got, "while it was away") {
		t.Errorf("messages %q", got)
	}
}
