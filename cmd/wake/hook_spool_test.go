package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"wake/domain"
	"wake/transcript"
)

func (h *hookHome) spooledFiles() []string {
	files, err := filepath.Glob(filepath.Join(h.dir, ".local/state/wake/spool/*/*"+spoolSuffix))
	if err != nil {
		h.t.Fatal(err)
	}
	return files
}

// A hook whose transcript cannot be read stays in the spool and does not block later
// ones.
func TestSpooledTranscriptUnreadable(t *testing.T) {
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
	h.wantMessages("before", "during", "during, again", "after")
	for range 3 {
		h.tell(transcript.ClientClaudeCode, "PostToolUse", map[string]any{"tool_use_id": "t", "tool_name": "Bash", "transcript_path": unreadable})
	}
	if left := h.spooledFiles(); len(left) != 1 {
		t.Errorf("%d hooks wait, want the one with the transcript", len(left))
	}
}

// Whatever lies in the spool that is no hook stays there and stops nothing: a file
// larger than the memory, a pipe, a link to a device, a folder.
func TestSpoolHoldsOtherThings(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("here folders hold no pipes and no files without an end")
	}
	t.Parallel()
	h := newHookHome(t)
	end := corruptDatabase(h)
	h.prompt("during")
	end()
	place := func(n int) string {
		return filepath.Join(filepath.Dir(h.spooledFiles()[0]), fmt.Sprintf("%020d-1%s", n, spoolSuffix))
	}
	err := os.WriteFile(place(1), nil, 0o600)
	if err == nil {
		err = os.Truncate(place(1), 1<<42)
	}
	if err == nil {
		err = makePipe(place(2))
	}
	if err == nil {
		err = os.Symlink("/dev/zero", place(3))
	}
	if err == nil {
		err = os.Mkdir(place(4), 0o700)
	}
	if err != nil {
		t.Fatal(err)
	}
	h.prompt("after")
	h.wantMessages("during", "after")
}

// A long transcript of a spooled hook is read in the time that a hook has to spare, so
// it does not block the hooks of other sessions.
func TestSpooledTranscriptIsLong(t *testing.T) {
	t.Parallel()
	h := newHookHome(t)
	h.prompt("before")
	long := filepath.Join(h.dir, "long.jsonl")
	var lines strings.Builder
	for i := range 300_000 {
		fmt.Fprintf(&lines, `{"type":"user","uuid":"u%d","sessionId":"s2","timestamp":"2026-01-01T00:00:00Z","message":{"role":"user","content":"question %d"}}`+"\n", i, i)
	}
	if err := os.WriteFile(long, []byte(lines.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	end := lockDatabase(h)
	h.tell(transcript.ClientClaudeCode, "PostToolUse", map[string]any{"session_id": "s2", "tool_use_id": "t", "tool_name": "Bash", "transcript_path": long})
	end()
	if a := h.prompt("after"); a.err != "" {
		t.Errorf("it says %q", a.err)
	}
	if left := h.spooledFiles(); len(left) != 1 {
		t.Errorf("%d hooks wait, want the one with the transcript", len(left))
	}
}

// Hooks of a forgotten session are dropped: they do not stay in the spool and do not
// block later ones.
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
	h.wantMessages("elsewhere")
}

// A hook that waited in the spool is told nothing, as nobody listens: the restore text after
// a compaction then comes with the next prompt.
func TestSpooledStartDeliversNothing(t *testing.T) {
	t.Parallel()
	h := newHookHome(t)
	h.prompt("build the importer")
	h.tell(transcript.ClientClaudeCode, "PostCompact", map[string]any{"trigger": "auto", "compact_summary": "a summary"})
	end := corruptDatabase(h)
	h.tell(transcript.ClientClaudeCode, "SessionStart", map[string]any{"source": "compact"})
	h.prompt("go on")
	end()
	if a := h.prompt("and then"); !strings.Contains(a.out, "build the importer") {
		t.Errorf("start and prompt waited in the spool, and the next prompt gets %q", a.out)
	}
	if a := h.prompt("and now"); a.out != "" {
		t.Errorf("the next prompt gets it again: %q", a.out)
	}
}

// A hook of a session with a damaged row stays in the spool until that is repaired, and
// does not block later ones.
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
	h.wantMessages("before", "during", "after", "elsewhere", "elsewhere, again")
}

// skipIfFilesStay skips a test that does a hook's work in its own process, where files that
// are open cannot be deleted: a hook leaves it to its end to close the database.
func skipIfFilesStay(t *testing.T) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the database stays open, so its folder cannot be deleted")
	}
}

// A hook that makes wake panic stays in the spool for a later version. It does not end
// a server, nor a process, whose exit code the client would interpret, and does not
// block later hooks.
func TestHookPanics(t *testing.T) {
	skipIfFilesStay(t)
	t.Parallel()
	h := newHookHome(t)
	h.prompt("Let's use Redis for the session cache.")
	a := testApp(h)
	a.err = io.Discard
	set, err := a.settings()
	if err != nil {
		t.Fatal(err)
	}
	s, closeStore, err := a.hookMemory(t.Context(), set, false)
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
	a.drainSpool(t.Context(), set.DB, s, patience)
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

// Unreadable files in the spool stay where they are and do not block later hooks.
func TestUnreadableSpool(t *testing.T) {
	t.Parallel()
	h := newHookHome(t)
	h.prompt("before")
	end := corruptDatabase(h)
	h.prompt("during")
	end()
	unreadable := spoolAtOnce + 50
	if isWine() { // which takes some 30 ms for each file
		unreadable = 10
	}
	dir := filepath.Dir(h.spooledFiles()[0])
	for i := range unreadable {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%020d-1%s", i, spoolSuffix)), []byte("{"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	h.prompt("after")
	h.wantMessages("before", "during", "after")
	if left := h.spooledFiles(); len(left) != unreadable {
		t.Errorf("%d files are left, want %d", len(left), unreadable)
	}
}

// What a hook was writing when its client killed it is stored if it is whole, and otherwise
// deleted, once the hook must be dead.
func TestSpoolOfKilledHooks(t *testing.T) {
	t.Parallel()
	h := newHookHome(t)
	h.prompt("before")
	end := corruptDatabase(h)
	h.prompt("whole")
	whole := h.spooledFiles()[0]
	data, err := os.ReadFile(whole)
	if err != nil {
		t.Fatal(err)
	}
	end()
	cut, fresh := filepath.Join(filepath.Dir(whole), "1-1"+spoolSuffix+partSuffix), filepath.Join(filepath.Dir(whole), "2-1"+spoolSuffix+partSuffix)
	err = errors.Join(os.Rename(whole, whole+partSuffix), os.WriteFile(cut, data[:len(data)/2], 0o600), os.WriteFile(fresh, data[:len(data)/2], 0o600))
	dead := time.Now().Add(-2 * claimTime)
	if err := errors.Join(err, os.Chtimes(whole+partSuffix, dead, dead), os.Chtimes(cut, dead, dead)); err != nil {
		t.Fatal(err)
	}
	h.prompt("after")
	h.wantMessages("before", "whole", "after")
	left, err := filepath.Glob(filepath.Join(filepath.Dir(whole), "*"))
	if err != nil || !slices.Equal(left, []string{fresh}) {
		t.Errorf("left are %q, want what a hook may still be writing: %v", left, err)
	}
}

// The periodic work of servers, done by hand, takes in what waits too.
func TestRecalculateEmptiesSpool(t *testing.T) {
	t.Parallel()
	h := newHookHome(t)
	h.prompt("before")
	end := corruptDatabase(h)
	h.prompt("during")
	end()
	run(t, h.dir, "recalculate", "tiers")
	h.wantMessages("before")
	run(t, h.dir, "recalculate")
	h.wantMessages("before", "during")
	if left := h.spooledFiles(); len(left) != 0 {
		t.Errorf("%d hooks wait", len(left))
	}
}

// A server stores all spooled hooks, however many, and those spooled while it runs.
func TestServerEmptiesSpool(t *testing.T) {
	skipIfFilesStay(t)
	t.Parallel()
	h := newHookHome(t)
	h.prompt("before")
	a := testApp(h)
	set, err := a.settings()
	if err != nil {
		t.Fatal(err)
	}
	s, closeStore, err := a.hookMemory(t.Context(), set, false)
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
		await(t, "hooks wait still", func() bool {
			left, err := os.ReadDir(a.spool(set.DB).dir) // with what is being taken in
			if err != nil {
				t.Fatal(err)
			}
			return len(left) == 0
		})
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

// wake doctor reports spooled hooks. They go into the project that was set when they
// were reported, like those stored at once.
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
