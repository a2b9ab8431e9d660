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
