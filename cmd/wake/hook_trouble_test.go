package main

import (
	"bytes"
	"database/sql"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"wake/transcript"
)

func (h *hookHome) db() string { return filepath.Join(h.dir, "wake.db") }

// I17: whatever is wrong with the database, a hook ends, exits 0 and keeps the prompt.
// Once the database is back, prompts are stored in order.
func TestHookTroubles(t *testing.T) {
	t.Parallel()
	troubles := systemTroubles()
	maps.Copy(troubles, map[string]func(h *hookHome) (end func()){
		"locked":   lockDatabase,
		"corrupt":  corruptDatabase,
		"a folder": folderDatabase,
		"config":   brokenConfig,
	})
	for name, trouble := range troubles {
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

func folderDatabase(h *hookHome) func() {
	return aside(h, func(path string) error { return os.Mkdir(path, 0o700) })
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
