package main

import (
	"bufio"
	"bytes"
	"database/sql"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"wake/domain"
	"wake/repository"
	"wake/repository/sqlite"
	"wake/transcript"
)

// At the end of input the server answers what it has read and exits with 0 in time. Its
// standard output carries only messages, even with verbose logging.
func TestServerAnswersThenLeaves(t *testing.T) {
	s := startRaw(t, t.TempDir(), "--verbose")
	const calls = 5 // each waits for the disk, which may be slow
	for i := range calls {
		s.call(i, fmt.Sprintf("fact %d on the way out", i))
	}
	s.in.Close()
	end := time.Now()
	for i := range calls {
		if _, ok := s.answer(t); !ok {
			t.Fatalf("%d answers, want %d", i, calls)
		}
	}
	if rest, err := io.ReadAll(s.out); err != nil || len(bytes.TrimSpace(rest)) > 0 {
		t.Errorf("after the answers: %q %v", rest, err)
	}
	if err := s.cmd.Wait(); err != nil {
		t.Errorf("exit: %v", err)
	}
	if took := time.Since(end); took > 3*time.Second {
		t.Errorf("the server took %v to leave", took)
	}
}

// A client that closes only its end of the output counts as gone too.
func TestServerLeavesWhenOutputCloses(t *testing.T) {
	home := t.TempDir()
	cmd := command(home, "mcp")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout = w
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	r.Close()
	fmt.Fprintln(in, `{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	waitFor(t, cmd)
}

// If a client is killed while another process holds the pipe open, its server ends.
func TestServerLeavesWhenClientDies(t *testing.T) {
	home := t.TempDir()
	parent := exec.Command("wake-parent")
	parent.Env, parent.Dir = wakeEnv(home), home
	in, holds, err := os.Pipe() // this test holds the write end for ever
	if err != nil {
		t.Fatal(err)
	}
	defer holds.Close()
	out, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	parent.Stdin, parent.Stdout = in, w
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	in.Close()
	w.Close()
	fmt.Fprintln(holds, `{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	answers := bufio.NewReader(out)
	if line, err := answers.ReadString('\n'); err != nil {
		t.Fatalf("ping: %v %q", err, line)
	}
	if err := parent.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = parent.Wait() // killed
	ended := make(chan error, 1)
	go func() {
		_, err := answers.ReadByte() // its output closes when the server is gone
		ended <- err
	}()
	select {
	case err := <-ended:
		if err != io.EOF {
			t.Errorf("it says more: %v", err)
		}
	case <-time.After(patience):
		t.Error("the server stays")
	}
}

// parentMain is a client that starts a server on its own pipes and then hangs.
func parentMain() {
	c := exec.Command("wake", "mcp")
	c.Stdin, c.Stdout, c.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := c.Run(); err != nil {
		os.Exit(1)
	}
}

func waitFor(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case err := <-ended:
		if err != nil {
			t.Errorf("exit: %v", err)
		}
	case <-time.After(patience):
		_ = cmd.Process.Kill()
		t.Error("the server stays")
	}
}

// A terminate signal ends a server cleanly.
func TestServerLeavesOnSignal(t *testing.T) {
	s := startRaw(t, t.TempDir())
	send(t, s.cmd, syscall.SIGTERM)
	waitFor(t, s.cmd)
}

// A purge that is killed once the text is erased from the database leaves it in no hook that
// waits: a purge that is repeated would not know what to look for.
func TestPurgeKilled(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	run(t, home, "save", "The password is hunter2 and nothing else.")
	id := jsonRows(t, run(t, home, "load", "--json"))[0]["id"].(string)
	waiting := spool{dir: filepath.Join(home, ".local/state/wake/spool", domain.HashText(filepath.Join(home, "wake.db"))[:16])}
	call := hookCall{Client: "claude-code", Input: []byte(`{"prompt":"The password is hunter2 and nothing else."}`)}
	if err := waiting.put(transcript.HookPrompt, call); err != nil {
		t.Fatal(err)
	}
	store, err := sqlite.Open(t.Context(), filepath.Join(home, "wake.db"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	c := command(home, "purge", "--yes", id)
	err = store.View(t.Context(), func(r repository.Reader) error { // so the purge waits for this reader to end
		if _, err := r.ContextsByID(t.Context(), []string{id}, false); err != nil {
			return err
		}
		if err := c.Start(); err != nil {
			return err
		}
		await(t, "nothing is erased", func() bool {
			left, err := store.ContextsByID(t.Context(), []string{id}, false)
			return err == nil && len(left) == 0
		})
		return c.Process.Kill()
	})
	_ = c.Wait()
	if left := len(waitingIn(waiting, time.Now())); err != nil || left > 0 {
		t.Errorf("%d hooks wait, %v", left, err)
	}
	if said := run(t, home, "doctor", "--repair"); !strings.Contains(said, "repair") {
		t.Error(said)
	}
	if files, err := filepath.Glob(filepath.Join(home, "wake.db*")); err != nil || slices.ContainsFunc(files, func(f string) bool { return containsAny(f, []string{"hunter2"}) }) {
		t.Errorf("the text can still be read, %v", err)
	}
}

// Ctrl-C also ends a command that waits for the user to type; then nothing has been
// changed.
func TestStoppedWhileWaitingForInput(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	run(t, home, "save", "It stays.")
	id := jsonRows(t, run(t, home, "load", "--json"))[0]["id"].(string)
	for _, args := range [][]string{{"purge", id}, {"save", "-"}} {
		c := command(home, args...)
		keyboard, err := c.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(300 * time.Millisecond)
		send(t, c, os.Interrupt)
		ended := make(chan error, 1)
		go func() { ended <- c.Wait() }()
		select {
		case err := <-ended:
			if err == nil {
				t.Errorf("%v: stopped, it says that all went well", args)
			}
		case <-time.After(patience):
			_ = c.Process.Kill()
			t.Errorf("%v goes on waiting", args)
		}
		keyboard.Close()
	}
	if rows := jsonRows(t, run(t, home, "load", "--json")); len(rows) != 1 {
		t.Errorf("%d contexts are kept, want the one that was", len(rows))
	}
}

// An interrupted import says how to continue, and continues where it was: in the end
// everything is stored once.
func TestImportStopped(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const rows = 20_000
	var file strings.Builder
	for i := range rows {
		file.WriteString(claudeRow(int64(i), "user", fmt.Sprint("prompt ", i)))
	}
	name := filepath.Join(dir, "long.jsonl")
	if err := os.WriteFile(name, []byte(file.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	run(t, dir, "save", "There is a database to look into.")
	db, err := sql.Open("sqlite", "file:"+filepath.Join(dir, "wake.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	stored := func() (n int) {
		if err := db.QueryRow(`SELECT count(*) FROM events`).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	for range 2 {
		c, before := command(dir, "import", "claude-code", name), stored()
		var said bytes.Buffer
		c.Stderr = &said
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		await(t, "nothing is stored", func() bool { return stored() > before })
		send(t, c, os.Interrupt)
		if err := c.Wait(); err == nil || !strings.Contains(said.String(), "start it again") {
			t.Errorf("stopped after %d of %d rows: %v, %q", stored(), rows, err, said.String())
		}
		if n := stored(); n == before || n == rows {
			t.Errorf("%d of %d rows are stored, %d before", n, rows, before)
		}
	}
	run(t, dir, "import", "claude-code", name)
	if n := jsonRows(t, run(t, dir, "session", "list", "--json"))[0]["user_messages"]; n != float64(rows) {
		t.Errorf("%v prompts are in, want %d", n, rows)
	}
}
