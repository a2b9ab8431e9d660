package main

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"wake/domain"
	"wake/transcript"
)

// A full spool drops what transcripts contain, but never a prompt. A claimed hook
// belongs to its process until that counts as dead.
func TestSpool(t *testing.T) {
	s := spool{dir: filepath.Join(t.TempDir(), "spool")}
	at := time.Unix(1000, 0)
	put := func(moment transcript.HookMoment, input string, at time.Time) error {
		return s.put(moment, hookCall{Client: "claude-code", At: at, Input: []byte(input)})
	}
	if err := put(transcript.HookPrompt, `{"n":1}`, at); err != nil {
		t.Fatal(err)
	}
	big := filepath.Join(s.dir, "big"+spoolSuffix+".part")
	if err := errors.Join(os.WriteFile(big, nil, 0o600), os.Truncate(big, spoolSize)); err != nil {
		t.Fatal(err)
	}
	if err := put(transcript.HookToolUsed, `{}`, at.Add(1)); err == nil {
		t.Error("a full spool takes a tool's result")
	}
	if err := put(transcript.HookPrompt, `{"n":2}`, at.Add(2)); err != nil {
		t.Errorf("a full spool refuses a prompt: %v", err)
	}
	if err := os.Remove(big); err != nil {
		t.Fatal(err)
	}
	list := waitingIn(s, time.Now())
	for _, w := range list {
		if w.Input != nil {
			t.Error("what waits is read before its turn")
		}
		if err := w.read(); err != nil {
			t.Fatal(err)
		}
	}
	if len(list) != 2 || string(list[0].Input) != `{"n":1}` || string(list[1].Input) != `{"n":2}` {
		t.Fatalf("waiting: %v", list)
	}
	other := waitingIn(s, time.Now())[1]
	if !list[0].claim() || !other.claim() {
		t.Error("hooks that wait cannot be claimed")
	}
	defer list[0].release()
	defer other.release()
	if again := waitingIn(s, time.Now()); len(again) != 0 {
		t.Errorf("claimed hooks wait still: %v", again)
	}
	if dead := waitingIn(s, time.Now().Add(2*claimTime)); len(dead) != 2 {
		t.Errorf("of dead processes' hooks %d wait again, want 2", len(dead))
	}
}

// A server spools the hooks of many processes, and clocks may give two of them the same time.
func TestSpoolAtTheSameTime(t *testing.T) {
	s := spool{dir: t.TempDir()}
	for _, id := range []string{"one", "two"} {
		if err := s.put(transcript.HookToolUsed, hookCall{ID: id, Client: "claude-code", At: time.Unix(1000, 0), Input: []byte("{}")}); err != nil {
			t.Fatal(err)
		}
	}
	if list := waitingIn(s, time.Now()); len(list) != 2 {
		t.Errorf("%d hooks wait, want 2", len(list))
	}
}

// A hook that was suspended while it wrote counts as dead, and another process takes its
// unfinished file away. Then it writes the file again.
func TestSpoolIsWrittenAgain(t *testing.T) {
	s := spool{dir: t.TempDir()}
	input := []byte(`"` + strings.Repeat("x", 8<<20) + `"`)
	taken := make(chan bool)
	go func() {
		for end := time.Now().Add(10 * time.Second); time.Now().Before(end); {
			if parts, _ := filepath.Glob(filepath.Join(s.dir, "*"+partSuffix)); len(parts) > 0 && os.Remove(parts[0]) == nil {
				taken <- true
				return
			}
		}
		taken <- false
	}()
	err := s.put(transcript.HookPrompt, hookCall{Client: "claude-code", At: time.Unix(1000, 0), Input: input})
	if !<-taken {
		t.Skip("the file was written too fast to be taken away")
	}
	list := waitingIn(s, time.Now())
	if err != nil || len(list) != 1 || list[0].read() != nil || len(list[0].Input) != len(input) {
		t.Errorf("%d hooks wait, want 1: %v", len(list), err)
	}
}

// A database with a relative path has its own spool, not that of a file with the same
// name in another folder.
func TestSpoolOfRelativePath(t *testing.T) {
	a := newApp()
	here := t.TempDir()
	t.Chdir(here)
	if got, want := a.spool("wake.db"), a.spool(filepath.Join(here, "wake.db")); got != want {
		t.Errorf("spool %s, want %s", got.dir, want.dir)
	}
}

// Hooks that an older wake spooled under a relative path are taken over for the
// database that was meant.
func TestSpoolOfOlderWake(t *testing.T) {
	a, here := newApp(), t.TempDir()
	a.env = func(name string) string {
		return map[string]string{"XDG_STATE_HOME": filepath.Join(here, "state")}[name]
	}
	t.Chdir(here)
	older := spool{dir: filepath.Join(here, "state", "wake", "spool", domain.HashText("wake.db")[:16])}
	for i, dir := range []string{here, filepath.Join(here, "elsewhere")} {
		call := hookCall{Client: "claude-code", At: time.Unix(int64(i), 0),
			Input: []byte(jsonLine(map[string]any{"session_id": "s", "hook_event_name": "UserPromptSubmit", "prompt": "x", "cwd": dir}))}
		if err := older.put(transcript.HookPrompt, call); err != nil {
			t.Fatal(err)
		}
	}
	a.drainSpool(t.Context(), "wake.db", nil, -1)
	if mine, left := a.spool("wake.db").count(time.Now()), older.count(time.Now()); mine != 1 || left != 1 {
		t.Errorf("%d wait here and %d elsewhere, want 1 and 1", mine, left)
	}
}

// Who changes how PostgreSQL is reached, as a refusal advises, still means the same database:
// what hooks could not store before is taken in then.
func TestSpoolOfChangedURL(t *testing.T) {
	a := newApp()
	before := a.spool("postgres://ann:old@db:5433/team?search_path=notes&statement_timeout=5")
	for _, same := range []string{
		"postgres://ann:new@db:5433/team?search_path=notes",
		"postgresql://ann@db:5433/team?sslmode=require&search_path=notes&statement_timeout=60s",
		"postgres://ann:o#l/d%@db:5433/team?search_path=notes", // refused: not escaped
	} {
		if got := a.spool(same); got != before {
			t.Errorf("%s has a spool of its own", same)
		}
	}
	for _, other := range []string{
		"postgres://bob:old@db:5433/team?search_path=notes",
		"postgres://ann:old@db:5433/team",
		"postgres://ann:old@db:5433/other?search_path=notes",
		"postgres://ann:old@db/team?search_path=notes",
		"postgres://ann:old@db:5433/team?search_path=notes&host=elsewhere",
	} {
		if got := a.spool(other); got == before {
			t.Errorf("%s has the spool of another database", other)
		}
	}
	if a.spool("postgres://ann:old@a:5433,b/team") != a.spool("postgres://ann:new@a:5433,b/team") {
		t.Error("another password at several hosts gives another spool")
	}
}

// Hooks that an older wake spooled under the whole URL are taken over.
func TestSpoolOfOlderWakesURL(t *testing.T) {
	a, here := newApp(), t.TempDir()
	a.env = func(name string) string {
		return map[string]string{"XDG_STATE_HOME": filepath.Join(here, "state"), "PGOPTIONS": "-c search_path=notes"}[name]
	}
	db := "postgres://ann:secret@db/team?sslmode=require"
	older := spool{dir: filepath.Join(here, "state", "wake", "spool", domain.HashText(a.databaseAt(db))[:16])}
	call := hookCall{Client: "claude-code", At: time.Unix(1, 0), Input: []byte(jsonLine(map[string]any{"session_id": "s", "hook_event_name": "UserPromptSubmit", "prompt": "x"}))}
	if err := older.put(transcript.HookPrompt, call); err != nil {
		t.Fatal(err)
	}
	a.drainSpool(t.Context(), db, nil, -1)
	if mine, left := a.spool(db).count(time.Now()), older.count(time.Now()); mine != 1 || left != 0 {
		t.Errorf("%d wait here and %d under the whole URL, want 1 and 0", mine, left)
	}
}

func waitingIn(s spool, now time.Time) []*spooled { return slices.Collect(s.oldest(now)) }

// A text purged from the database is purged from the spool too: it is overwritten, as another
// name of the file shows.
func TestSpoolPurge(t *testing.T) {
	s := spool{dir: t.TempDir()}
	secret := "the pass\"word is <hunter2>\nand more"
	input := []byte(jsonLine(map[string]any{"prompt": "x " + secret}))
	for i, in := range [][]byte{input, []byte(`{"prompt":"harmless"}`)} {
		call := hookCall{Client: "claude-code", At: time.Unix(int64(i), 0), Input: in}
		if err := s.put(transcript.HookPrompt, call); err != nil {
			t.Fatal(err)
		}
	}
	other := filepath.Join(t.TempDir(), "other")
	for w := range s.oldest(time.Now()) {
		if err := os.Link(w.path, other); err != nil {
			t.Fatal(err)
		}
		break
	}
	if err := s.purge(secret); err != nil {
		t.Error(err)
	}
	if data, err := os.ReadFile(other); err != nil || strings.Trim(string(data), "\x00") != "" {
		t.Errorf("the disk has %q, %v", data, err)
	}
	if left := waitingIn(s, time.Now()); len(left) != 1 || left[0].read() != nil || !strings.Contains(string(left[0].Input), "harmless") {
		t.Errorf("left: %v", left)
	}
	if err := (spool{dir: "/nonexistent"}).purge("x"); err != nil {
		t.Errorf("no spool: %v", err)
	}
}
