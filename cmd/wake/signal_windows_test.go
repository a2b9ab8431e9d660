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
	if err := windows.GenerateConsoleCtrlEvent(windows.CTRL_BREAK_EVENT, uint32(c.Process.Pid)); err != nil {
		_ = c.Process.Kill()
		_ = c.Wait()
		t.Skipf("without a console nothing can be stopped: %v", err)
	}
}
