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

// makePipe makes nothing: here no folder has pipes.
func makePipe(string) error { return nil }

// wantPrivate checks that only its owner, administrators and the system can read a file.
func wantPrivate(t *testing.T, path string) {
	t.Helper()
	if others := readers(path, nil); others != "" && !isWine() {
		t.Errorf("%s can be read by others: %s", path, others)
	}
}

// isWine reports whether this is not Windows itself. Wine makes modes of rights.
func isWine() bool {
	return windows.NewLazySystemDLL("ntdll.dll").NewProc("wine_get_version").Find() == nil
}

// meet connects once to a server that has just begun. Under Wine, the first who connects gets an
// end of the pipe that go-winio made only to hold its name, and on Windows nobody gets.
func meet(socket string) {
	if !isWine() {
		return
	}
	if c := dialServer(socket); c != nil {
		_ = c.Close()
	}
}

// systemTroubles are the troubles of this system alone.
func systemTroubles() map[string]func(h *hookHome) (end func()) {
	return map[string]func(h *hookHome) (end func()){"read-only": readOnlyFile}
}

// readOnlyFile gives the database the attribute of a file that is only to be read.
func readOnlyFile(h *hookHome) func() {
	if err := os.Chmod(h.db(), 0o400); err != nil {
		h.t.Fatal(err)
	}
	return func() {
		if err := os.Chmod(h.db(), 0o600); err != nil {
			h.t.Fatal(err)
		}
	}
}
