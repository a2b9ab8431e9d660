//go:build unix

package main

import (
	"bytes"
	"database/sql"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"wake/transcript"
)

func (h *hookHome) db() string { return filepath.Join(h.dir, "wake.db") }

// I17: whatever is wrong with the database, a hook ends, exits 0 and keeps the prompt.
// Once the database is back, prompts are stored in order.
func TestHookTroubles(t *testing.T) {
	t.Parallel()
	for name, trouble := range map[string]func(h *hookHome) (end func()){
		"locked":    lockDatabase,
		"corrupt":   corruptDatabase,
		"hung":      hangDatabase,
		"a folder":  folderDatabase,
		"full disk": fullDisk,
		"config":    brokenConfig,
		"pipe":      pipedConfig,
		"read-only": readOnlyFile,
		"folder":    readOnlyFolder,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHookHome(t)
			h.prompt("before")
			end := trouble(h)
			if a := h.prompt("during"); !strings.Contains(a.err, "kept in") {
				t.Errorf("standard error does not say that the prompt was kept: %q", a.err)
			}
			h.prompt("during, again")
			h.tell(transcript.ClientClaudeCode, "SessionEnd", map[string]any{"reason": "other"})
			if n := len(h.spooledFiles()); n != 3 {
				t.Errorf("%d hooks wait, want 3", n)
			}
			end()
			h.prompt("after")
			h.wantMessages("before", "during", "during, again", "after")
			if left := h.spooledFiles(); len(left) > 0 {
				t.Errorf("still waiting: %v", left)
			}
		})
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

// A hook whose time is over before it could be stored still has time for the spool: nothing
// else keeps it.
func TestLateHookIsSpooled(t *testing.T) {
	t.Parallel()
	now := time.Unix(1000, 0)
	for left, want := range map[time.Duration]time.Duration{-time.Minute: spoolLeast, 0: spoolLeast, hookTime / spoolShare: hookTime / spoolShare} {
		if got := spoolBy(now.Add(left), now).Sub(now); got != want {
			t.Errorf("with %v left, the spool has %v, want %v", left, got, want)
		}
	}
}

// exec runs a statement on the database directly.
func (h *hookHome) exec(statement string) {
	h.t.Helper()
	db, err := sql.Open("sqlite", "file:"+h.db())
	if err != nil {
		h.t.Fatal(err)
	}
	_, err = db.Exec(statement)
	if err := errors.Join(err, db.Close()); err != nil {
		h.t.Fatal(err)
	}
}

// lockDatabase holds the writer's lock for longer than a hook waits.
func lockDatabase(h *hookHome) func() {
	db, err := sql.Open("sqlite", "file:"+h.db())
	if err != nil {
		h.t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	if _, err := db.Exec("BEGIN IMMEDIATE"); err != nil {
		h.t.Fatal(err)
	}
	return func() {
		if _, err := db.Exec("ROLLBACK"); err != nil {
			h.t.Fatal(err)
		}
		if err := db.Close(); err != nil {
			h.t.Fatal(err)
		}
	}
}

// aside moves the database away and puts something else in its place.
func aside(h *hookHome, instead func(path string) error) func() {
	parts := []string{"", "-wal", "-shm"}
	move := func(from, to string) {
		for _, p := range parts {
			if err := os.Rename(h.db()+from+p, h.db()+to+p); err != nil && !errors.Is(err, os.ErrNotExist) {
				h.t.Fatal(err)
			}
		}
	}
	move("", ".aside")
	if err := instead(h.db()); err != nil {
		h.t.Fatal(err)
	}
	return func() {
		for _, p := range parts {
			if err := os.RemoveAll(h.db() + p); err != nil {
				h.t.Fatal(err)
			}
		}
		move(".aside", "")
	}
}

func corruptDatabase(h *hookHome) func() {
	return aside(h, func(path string) error { return os.WriteFile(path, bytes.Repeat([]byte("garbage "), 1000), 0o600) })
}

// hangDatabase puts a pipe in its place: opening it waits for a writer that never
// comes.
func hangDatabase(h *hookHome) func() {
	return aside(h, func(path string) error { return syscall.Mkfifo(path, 0o600) })
}

func folderDatabase(h *hookHome) func() {
	return aside(h, func(path string) error { return os.Mkdir(path, 0o700) })
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

// brokenConfig is a mistake in the user's configuration.
func brokenConfig(h *hookHome) func() {
	path := filepath.Join(h.dir, "none.json")
	if err := os.WriteFile(path, []byte(`{"databse": 1}`), 0o600); err != nil {
		h.t.Fatal(err)
	}
	return func() {
		if err := os.Remove(path); err != nil {
			h.t.Fatal(err)
		}
	}
}
