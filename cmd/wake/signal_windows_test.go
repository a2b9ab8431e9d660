package main

import (
	"os"
	"os/exec"
	"syscall"
	"testing"

	"golang.org/x/sys/windows"
)

// inOwnGroup prepares a process for [send].
func inOwnGroup(c *exec.Cmd) *exec.Cmd {
	c.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP}
	return c
}

// send does what Ctrl-Break in its console does to a process, whatever the signal: one
// process can send another only that.
func send(t *testing.T, c *exec.Cmd, _ os.Signal) {
	t.Helper()
	if err := pressBreak(c); err != nil {
		kill(c)
		t.Skipf("without a console nothing can be stopped: %v", err)
	}
}

// end ends a server that runs until somebody does.
func end(t *testing.T, c *exec.Cmd) {
	t.Helper()
	if err := pressBreak(c); err != nil {
		kill(c)
		return
	}
	waitFor(t, c)
}

func pressBreak(c *exec.Cmd) error {
	return windows.GenerateConsoleCtrlEvent(windows.CTRL_BREAK_EVENT, uint32(c.Process.Pid))
}

func kill(c *exec.Cmd) {
	_ = c.Process.Kill()
	_ = c.Wait()
}
