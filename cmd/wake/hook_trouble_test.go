//go:build unix

package main

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"wake/domain"
	"wake/transcript"
)

func (h *hookHome) db() string { return filepath.Join(h.dir, "wake.db") }

func (h *hookHome) spooledFiles() []string {
	files, err := filepath.Glob(filepath.Join(h.dir, ".local/state/wake/spool/*/*"+spoolSuffix))
	if err != nil {
		h.t.Fatal(err)
	}
	return files
}

// I17: whatever is wrong with the database, a hook ends, exits 0 and keeps the
// prompt; once the database is back, prompts are taken in, in their order.
func TestHookTroubles(t *testing.T) {
	t.Parallel()
	for name, trouble := range map[string]func(h *hookHome) (end func()){
		"locked":    lockDatabase,
		"corrupt":   corruptDatabase,
		"hung":      hangDatabase,
		"a folder":  folderDatabase,
		"full disk": fullDisk,
		"config":    brokenConfig,
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
			if got, want := h.messages(), []string{"before", "during", "during, again", "after"}; !slices.Equal(got, want) {
				t.Errorf("messages %q, want %q", got, want)
			}
			if left := h.spooledFiles(); len(left) > 0 {
				t.Errorf("still waiting: %v", left)
			}
		})
	}
}

// A hook whose transcript cannot be read waits, and keeps nothing behind it from being
// taken in.
func TestSpooledTranscriptUnread(t *testing.T) {
	t.Parallel()
	const unreadable = "/proc/self/mem" // a file whose first bytes nobody can read
	if _, err := os.Stat(unreadable); err != nil {
		t.Skip(err)
	}
	h := newHookHome(t)
	h.prompt("before")
	end := corruptDatabase(h)
	h.tell(transcript.ClientClaudeCode, "UserPromptSubmit", map[string]any{"prompt": "during", "transcript_path": unreadable})
	h.prompt("during, again")
	end()
	h.prompt("after")
	if got, want := h.messages(), []string{"before", "during", "during, again", "after"}; !slices.Equal(got, want) {
		t.Errorf("messages %q, want %q", got, want)
	}
	for range 3 {
		h.tell(transcript.ClientClaudeCode, "PostToolUse", map[string]any{"tool_use_id": "t", "tool_name": "Bash", "transcript_path": unreadable})
	}
	if left := h.spooledFiles(); len(left) != 1 {
		t.Errorf("%d hooks wait, want the one with the transcript", len(left))
	}
}

// What comes of a session that was forgotten is not kept: it waits for nothing, and keeps
// nothing behind it from being taken in.
func TestHookOfForgottenSession(t *testing.T) {
	t.Parallel()
	h := newHookHome(t)
	h.prompt("before")
	end := lockDatabase(h)
	h.prompt("during")
	h.tell(transcript.ClientClaudeCode, "UserPromptSubmit", map[string]any{"session_id": "s2", "prompt": "elsewhere"})
	end()
	for _, s := range jsonRows(t, run(t, h.dir, "session", "list", "--json")) {
		run(t, h.dir, "session", "forget", s["id"].(string), "--yes")
	}
	if a := h.prompt("after"); !strings.Contains(a.err, "was forgotten") || strings.Contains(a.err, "kept in") {
		t.Errorf("it says %q", a.err)
	}
	if left := h.spooledFiles(); len(left) > 0 {
		t.Errorf("still waiting: %v", left)
	}
	if got, want := h.messages(), []string{"elsewhere"}; !slices.Equal(got, want) {
		t.Errorf("messages %q, want %q", got, want)
	}
}

// A hook of a session whose row is damaged waits until that is mended, and keeps nothing
// behind it from being taken in.
func TestHookOfDamagedSession(t *testing.T) {
	t.Parallel()
	h := newHookHome(t)
	h.prompt("before")
	h.exec(`UPDATE sessions SET doc = 'x' || doc`)
	h.prompt("during")
	h.tell(transcript.ClientClaudeCode, "UserPromptSubmit", map[string]any{"session_id": "s2", "prompt": "elsewhere"})
	if left := h.spooledFiles(); len(left) != 1 {
		t.Errorf("%d hooks wait, want the one of the damaged session", len(left))
	}
	end := lockDatabase(h)
	h.tell(transcript.ClientClaudeCode, "UserPromptSubmit", map[string]any{"session_id": "s2", "prompt": "elsewhere, again"})
	end()
	h.tell(transcript.ClientClaudeCode, "Stop", map[string]any{"session_id": "s2"})
	if left := h.spooledFiles(); len(left) != 1 {
		t.Errorf("%d hooks wait, want the one of the damaged session still", len(left))
	}
	h.exec(`UPDATE sessions SET doc = ltrim(doc, 'x')`)
	h.prompt("after")
	if got, want := h.messages(), []string{"before", "during", "after", "elsewhere", "elsewhere, again"}; !slices.Equal(got, want) {
		t.Errorf("messages %q, want %q", got, want)
	}
}

// A hook at which something goes wrong that nobody thought of waits for a better wake. It
// ends neither a server nor a process whose exit code its client would take for advice, and
// keeps nothing behind it from being taken in.
func TestHookPanics(t *testing.T) {
	t.Parallel()
	h := newHookHome(t)
	h.prompt("Let's use Redis for the session cache.")
	a := testApp(h)
	a.err = io.Discard
	set, err := a.settings()
	if err != nil {
		t.Fatal(err)
	}
	s, closeStore, err := a.hookMemory(t.Context(), set)
	if err != nil {
		t.Fatal(err)
	}
	s.Extract = panicExtract{}
	waits := a.spool(set.DB)
	for i, hook := range []struct {
		moment transcript.HookMoment
		input  string
	}{
		{transcript.HookEnd, `{"session_id":"s1","hook_event_name":"SessionEnd"}`},
		{transcript.HookPrompt, `{"session_id":"s2","hook_event_name":"UserPromptSubmit","prompt":"after"}`},
	} {
		call := hookCall{Client: transcript.ClientClaudeCode, Dir: h.dir, At: time.Now().Add(time.Duration(i)), Input: []byte(hook.input)}
		if err := waits.put(hook.moment, call); err != nil {
			t.Fatal(err)
		}
	}
	a.drainSpool(t.Context(), set.DB, s, time.Now().Add(patience))
	if err := closeStore(); err != nil {
		t.Error(err)
	}
	if got := h.messages(); !slices.Contains(got, "after") {
		t.Errorf("messages %q, want also what came after", got)
	}
	if left := h.spooledFiles(); len(left) != 1 {
		t.Errorf("%d hooks wait, want the one that panics", len(left))
	}
}

type panicExtract struct{}

func (panicExtract) Summarize(string) domain.Summary { panic("unthought of") }

// Files in the spool that nobody can read stay where they are, and keep nothing behind
// them from being taken in.
func TestUnreadableSpool(t *testing.T) {
	t.Parallel()
	h := newHookHome(t)
	h.prompt("before")
	end := corruptDatabase(h)
	h.prompt("during")
	end()
	const unreadable = spoolAtOnce + 50
	dir := filepath.Dir(h.spooledFiles()[0])
	for i := range unreadable {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%020d-1%s", i, spoolSuffix)), []byte("{"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	h.prompt("after")
	if got, want := h.messages(), []string{"before", "during", "after"}; !slices.Equal(got, want) {
		t.Errorf("messages %q, want %q", got, want)
	}
	if left := h.spooledFiles(); len(left) != unreadable {
		t.Errorf("%d files are left, want %d", len(left), unreadable)
	}
}

// A server takes in all that waits, however much, and what comes to wait while it lives.
func TestServerEmptiesSpool(t *testing.T) {
	t.Parallel()
	h := newHookHome(t)
	h.prompt("before")
	a := testApp(h)
	set, err := a.settings()
	if err != nil {
		t.Fatal(err)
	}
	s, closeStore, err := a.hookMemory(t.Context(), set)
	if err != nil {
		t.Fatal(err)
	}
	wait := func(n int) {
		t.Helper()
		input := fmt.Sprintf(`{"session_id":"s2","hook_event_name":"UserPromptSubmit","prompt":"prompt %d"}`, n)
		if err := a.spool(set.DB).put(transcript.HookPrompt, hookCall{Client: transcript.ClientClaudeCode, Dir: h.dir, At: time.Now(), Input: []byte(input)}); err != nil {
			t.Fatal(err)
		}
	}
	emptied := func() {
		t.Helper()
		for began := time.Now(); a.spool(set.DB).size() > 0; time.Sleep(5 * time.Millisecond) { // with what is being taken in
			if time.Since(began) > patience {
				t.Fatalf("%d hooks wait still", len(h.spooledFiles()))
			}
		}
	}
	empty := func() (stop func()) {
		ctx, cancel := context.WithCancel(t.Context())
		var running sync.WaitGroup
		running.Go(func() { a.emptySpool(ctx, s, 0, time.Millisecond) })
		return func() { cancel(); running.Wait() }
	}
	const many = spoolAtOnce + 20
	for n := range many {
		wait(n)
	}
	for range 20 { // a server that ends in the middle loses none
		stop := empty()
		time.Sleep(3 * time.Millisecond)
		stop()
	}
	stop := empty()
	emptied()
	wait(many)
	emptied()
	stop()
	if err := closeStore(); err != nil {
		t.Error(err)
	}
	if got := len(h.messages()); got != many+2 {
		t.Errorf("%d messages, want %d", got, many+2)
	}
}

// What waits is told by the doctor, and is of the project that was set when it was
// reported, as what is stored at once is.
func TestSpooledHooksKeepTheirProject(t *testing.T) {
	t.Parallel()
	h := newHookHome(t)
	h.prompt("before")
	end := corruptDatabase(h)
	h.tell(transcript.ClientClaudeCode, "UserPromptSubmit", map[string]any{"session_id": "s2", "prompt": "during"})
	if said := diagnosis(t, command(h.dir, "doctor")); !strings.Contains(said, "note    spool     1 report of assistants could not be stored yet") {
		t.Errorf("doctor does not tell what waits:\n%s", said)
	}
	end()
	h.prompt("after")
	sessions := jsonRows(t, run(t, h.dir, "session", "list", "--json", "--project", "*"))
	if len(sessions) != 2 {
		t.Errorf("%d sessions, want 2", len(sessions))
	}
	for _, s := range sessions {
		if s["project"] != "shop" { // by the environment; the folder has another name
			t.Errorf("session %s is in project %v", s["client_session_id"], s["project"])
		}
	}
}

// exec runs a statement behind wake's back.
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

// aside moves the database away while something else stands in its place.
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

// hangDatabase puts a pipe there: opening it waits for a writer that never comes.
func hangDatabase(h *hookHome) func() {
	return aside(h, func(path string) error { return syscall.Mkfifo(path, 0o600) })
}

func folderDatabase(h *hookHome) func() {
	return aside(h, func(path string) error { return os.Mkdir(path, 0o700) })
}

// fullDisk lets nothing be written that is larger than the spool's small files.
func fullDisk(h *hookHome) func() { return through(h, "ulimit -f 8\nexec WAKE") }

// through runs wake by a shell script that says WAKE.
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

// readOnlyFile is a database that may only be read, also by root: the hook runs
// without root's right to pass over permissions.
func readOnlyFile(h *hookHome) func() { return readOnly(h, 0o700) }

// readOnlyFolder is one in which SQLite cannot make its files beside the database
// either; the spool lies below it and must be writable.
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

// brokenConfig is a slip in the user's configuration.
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

// I17: what is no hook's input is said in one line, and nothing is stored.
func TestHookBadInput(t *testing.T) {
	t.Parallel()
	h := newHookHome(t)
	for name, in := range map[string]io.Reader{
		"empty":    strings.NewReader(""),
		"garbage":  strings.NewReader("\x00\xff{]"),
		"list":     strings.NewReader("[]"),
		"null":     strings.NewReader("null"),
		"unnamed":  strings.NewReader(`{"hook_event_name":"Stop"}`),
		"types":    strings.NewReader(`{"session_id":7,"hook_event_name":{}}`),
		"64 MB":    io.LimitReader(letters{}, 64<<20),
		"64 MB of": io.MultiReader(strings.NewReader(`{"session_id":"s1","hook_event_name":"Stop","x":"`), io.LimitReader(letters{}, 64<<20), strings.NewReader(`"}`)),
	} {
		a := h.feed("claude-code", in)
		if a.out != "" || a.err == "" {
			t.Errorf("%s: prints %q and says %q", name, a.out, a.err)
		}
	}
	for _, client := range []string{"nobody", "", "--of-another-wake"} {
		if a := h.feed(client, strings.NewReader("{}")); a.out != "" || a.err == "" {
			t.Errorf("client %q: prints %q and says %q", client, a.out, a.err)
		}
	}
	if _, err := os.Stat(h.db()); err == nil {
		t.Error("a database was made for nothing")
	}
}

type letters struct{}

func (letters) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'a'
	}
	return len(p), nil
}

// I6: a transcript that is missing, a pipe, a folder, cut in the middle of a line
// or growing while it is read costs nothing but what is not there yet.
func TestHookTranscripts(t *testing.T) {
	t.Parallel()
	h := newHookHome(t)
	h.prompt("no transcript yet")
	pipe := filepath.Join(h.dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"", pipe, h.dir, filepath.Join(h.dir, "gone", "t.jsonl")} {
		if a := h.tell("claude-code", "Stop", map[string]any{"transcript_path": path}); a.err != "" {
			t.Errorf("transcript %q: %s", path, a.err)
		}
	}
	h.said("no transcript yet")
	row := claudeRow(1_000_000, "user", "a row in two parts")
	appendTo(t, h.transcript, row[:40])
	h.tell("claude-code", "Stop", nil)
	appendTo(t, h.transcript, row[40:])
	written := grow(t, h.transcript)
	h.tell("claude-code", "Stop", nil)
	h.tell("claude-code", "Stop", nil)
	n := written()
	got := h.messages()
	for tries := 0; len(got) < n+2 && tries < 20; tries++ { // a slow machine needs more than one hook's time
		h.tell("claude-code", "Stop", nil)
		got = h.messages()
	}
	if len(got) != n+2 || got[0] != "no transcript yet" || got[1] != "a row in two parts" {
		t.Errorf("%d messages, want %d: %.300q", len(got), n+2, got)
	}
}

// growthMost is how many rows a transcript grows by while it is read.
const growthMost = 500

// grow goes on writing a transcript, as a client does, until it is asked how many rows
// it has written.
func grow(t *testing.T, path string) (written func() int) {
	stop, done := make(chan struct{}), make(chan int)
	go func() {
		n := 0
		for on := true; on && n < growthMost; {
			select {
			case <-stop:
				on = false
			case <-time.After(time.Millisecond):
				appendTo(t, path, claudeRow(int64(2_000_000+n), "user", "growing "+strings.Repeat("x", n)))
				n++
			}
		}
		done <- n
	}()
	return func() int {
		close(stop)
		return <-done
	}
}
