//go:build unix

package main

import (
	"context"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A command does not wait for a pipe without a writer, or for a device without an end.
func TestPipesAreNotWaitedFor(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	pipe := filepath.Join(home, ".claude.json")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"setup", "claude-code", "--yes"}, {"import", "auto", pipe}, {"import", "auto", "/dev/zero"},
		{"import", "claude-code", pipe}, {"import", "claude-code", "/dev/zero"}, {"import", "gemini", "/dev/zero"}, {"import", "engram", pipe},
	} {
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		c := exec.CommandContext(ctx, "wake", args...)
		c.Env, c.Dir = wakeEnv(home), home
		if said := fails(t, c); !strings.Contains(said, "not an ordinary file") {
			t.Errorf("%v: %s", args, said)
		}
	}
}
