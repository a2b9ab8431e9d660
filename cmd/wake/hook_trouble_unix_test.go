//go:build unix

package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// systemTroubles are the troubles of this system alone.
func systemTroubles() map[string]func(h *hookHome) (end func()) {
	return map[string]func(h *hookHome) (end func()){
		"hung":      hangDatabase,
		"full disk": fullDisk,
		"pipe":      pipedConfig,
		"read-only": readOnlyFile,
		"folder":    readOnlyFolder,
	}
}

// What keeps both a prompt and the transcript from being stored is told once.
func TestHookTellsTroubleOnce(t *testing.T) {
	t.Parallel()
	h := newHookHome(t)
	h.prompt("before")
	row := `{"type":"user","uuid":"u1","sessionId":"s1","timestamp":"2026-11-26T10:00:00.001Z","message":{"role":"user","content":"during"}}`
	if err := os.WriteFile(h.transcript, []byte(row+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	through(h, "ulimit -f 300\nexec WAKE") // enough for what readers share, not for the -wal
	if a := h.prompt("during"); strings.Count(a.err, "no room") != 1 {
		t.Errorf("standard error says %q", a.err)
	}
}

// hangDatabase puts a pipe in its place: opening it waits for a writer that never
// comes.
func hangDatabase(h *hookHome) func() {
	return aside(h, func(path string) error { return syscall.Mkfifo(path, 0o600) })
}

// fullDisk allows no file larger than the spool's small files.
func fullDisk(h *hookHome) func() { return through(h, "ulimit -f 8\nexec WAKE") }

// through runs wake by a shell script that contains WAKE.
func through(h *hookHome, script string) func() {
	shim := filepath.Join(h.dir, "bin")
	wake, err := exec.LookPath("wake")
	if err == nil {
		err = os.MkdirAll(shim, 0o700)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(shim, "wake"), []byte("#!/bin/sh\n"+strings.ReplaceAll(script, "WAKE", wake+` "$@"`)+"\n"), 0o700)
	}
	if err != nil {
		h.t.Fatal(err)
	}
	h.shim = filepath.Join(shim, "wake")
	return func() { h.shim = "" }
}

// readOnlyFile makes the database read-only, also for root: the hook runs without
// root's right to ignore permissions.
func readOnlyFile(h *hookHome) func() { return readOnly(h, 0o700) }

// readOnlyFolder makes the folder read-only, so that SQLite cannot create its files
// beside the database. The spool is below it and must be writable.
func readOnlyFolder(h *hookHome) func() { return readOnly(h, 0o500) }

func readOnly(h *hookHome, folder os.FileMode) func() {
	end := func() {}
	if os.Geteuid() == 0 {
		const without = "setpriv --bounding-set=-dac_override,-dac_read_search"
		if err := exec.Command("sh", "-c", without+" true").Run(); err != nil {
			h.t.Skipf("root may write everywhere, and its right cannot be taken away: %v", err)
		}
		end = through(h, "exec "+without+" WAKE")
	}
	mode := func(file, folder os.FileMode) {
		for _, part := range []string{"", "-wal", "-shm"} {
			if err := os.Chmod(h.db()+part, file); err != nil && !errors.Is(err, os.ErrNotExist) {
				h.t.Fatal(err)
			}
		}
		if err := os.Chmod(h.dir, folder); err != nil {
			h.t.Fatal(err)
		}
	}
	if err := os.MkdirAll(filepath.Join(h.dir, ".local/state"), 0o700); err != nil {
		h.t.Fatal(err)
	}
	mode(0o400, folder)
	return func() {
		mode(0o600, 0o700)
		end()
	}
}

// pipedConfig puts a pipe that nobody writes to in the place of the configuration.
func pipedConfig(h *hookHome) func() {
	path := filepath.Join(h.dir, "none.json")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		h.t.Fatal(err)
	}
	return func() {
		if err := os.Remove(path); err != nil {
			h.t.Fatal(err)
		}
	}
}
