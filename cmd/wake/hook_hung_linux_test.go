package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"wake/transcript"
)

// A hook ends in time even if its settings are on a disk that hangs. A lease on the
// file lets nobody else open it for a while.
func TestHookOfHungSettings(t *testing.T) {
	t.Parallel()
	h := newHookHome(t)
	path := filepath.Join(h.dir, "none.json")
	if err := os.WriteFile(path, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := unix.FcntlInt(f.Fd(), unix.F_SETLEASE, unix.F_WRLCK); err != nil {
		t.Skip(err) // not on every file system
	}
	for _, event := range []string{"PostToolUse", "UserPromptSubmit"} {
		began := time.Now()
		h.tell(transcript.ClientClaudeCode, event, map[string]any{"prompt": "go on", "tool_name": "Bash", "tool_use_id": "u1"})
		if took := time.Since(began); took > hookTime+2*time.Second {
			t.Errorf("%s took %s", event, took)
		}
	}
}
