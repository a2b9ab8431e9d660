//go:build unix

package main

import (
	"os"
	"os/exec"
	"syscall"
	"testing"
)

// inOwnGroup prepares a process for [send].
func inOwnGroup(c *exec.Cmd) *exec.Cmd { return c }

// send sends a process a signal.
func send(t *testing.T, c *exec.Cmd, s os.Signal) {
	t.Helper()
	if err := c.Process.Signal(s); err != nil {
		t.Error(err)
	}
}

// end ends a server that runs until somebody does.
func end(t *testing.T, c *exec.Cmd) {
	t.Helper()
	send(t, c, syscall.SIGTERM)
	waitFor(t, c)
}

// makePipe makes a pipe in a folder.
func makePipe(path string) error { return syscall.Mkfifo(path, 0o600) }

// wantPrivate checks that only its owner can read a file.
func wantPrivate(t *testing.T, path string) {
	t.Helper()
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%s: %v %v", path, info.Mode(), err)
	}
}

// isWine reports whether this is Wine and not Windows.
func isWine() bool { return false }

// meet does nothing: here a server's socket serves whoever connects first.
func meet(string) {}
