//go:build unix

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"wake/transcript"
)

// A suspended or dead server does not delay hooks, and nothing is stored twice.
func TestHookServerGone(t *testing.T) {
	t.Parallel()
	h := shortHome(t)
	s := h.serve(nil, "mcp")
	signal := func(which syscall.Signal) {
		if err := s.Process.Signal(which); err != nil {
			t.Fatal(err)
		}
	}
	h.prompt("one")
	signal(syscall.SIGSTOP)
	h.prompt("two")
	signal(syscall.SIGCONT)
	h.prompt("three")
	signal(syscall.SIGKILL)
	_ = s.Wait()
	if len(h.sockets()) != 1 {
		t.Errorf("a killed server cleaned up: %v", h.sockets())
	}
	h.prompt("four")
	if left := h.sockets(); len(left) > 0 {
		t.Errorf("the dead server's name is left: %v", left)
	}
	for range 2 * serversTried {
		s = h.serve(nil, "mcp")
		signal(syscall.SIGKILL)
		_ = s.Wait()
	}
	older, newer := filepath.Join(h.dir, ".local/state/wake/desks/older"), filepath.Join(h.dir, ".local/state/wake/desks/newer")
	long := time.Now().Add(-2 * socketDirAge)
	if err := errors.Join(os.Mkdir(older, 0o700), os.Mkdir(newer, 0o700), os.Chtimes(older, long, long)); err != nil {
		t.Fatal(err)
	}
	h.serve(nil, "mcp")
	h.prompt("five")
	if fileExists(older) || !fileExists(newer) {
		t.Errorf("the older folder is there: %v, the newer one: %v", fileExists(older), fileExists(newer))
	}
	if left := h.sockets(); len(left) != 1 {
		t.Errorf("names of dead servers pile up: %v", left)
	}
	h.wantMessages("one", "two", "three", "four", "five")
}

// A database that is moved away under a server is begun anew by no hook: what hooks are told
// waits until it is back.
func TestHookOfMovedDatabase(t *testing.T) {
	t.Parallel()
	h := shortHome(t)
	h.serve(nil, "mcp")
	h.prompt("one")
	aside := filepath.Join(h.dir, "aside")
	move := func(from, to string) {
		t.Helper()
		for _, suffix := range []string{"", "-wal", "-shm"} {
			if err := os.Rename(from+suffix, to+suffix); err != nil {
				t.Fatal(err)
			}
		}
	}
	move(h.db(), aside)
	if a := h.prompt("two"); !strings.Contains(a.err, "moved away") || fileExists(h.db()) {
		t.Errorf("a database was begun: %v; the hook says %q", fileExists(h.db()), a.err)
	}
	large := strings.Repeat("y", maxSent) // no server is given it
	if a := h.prompt(large); !strings.Contains(a.err, "moved away") || fileExists(h.db()) {
		t.Errorf("with a large prompt a database was begun: %v; the hook says %q", fileExists(h.db()), a.err)
	}
	if n := len(h.spooledFiles()); n != 2 {
		t.Errorf("%d hooks wait, want 2", n)
	}
	_ = os.Remove(h.db())
	move(aside, h.db())
	h.prompt("three")
	h.wantMessages("one", "two", large, "three")
}

// A suspended server, for instance with its client in a shell's background, does not
// delay the hooks of others.
func TestHookSkipsSuspendedServer(t *testing.T) {
	h := shortHome(t)
	lively := h.serve(nil, "mcp")
	const prompts = 6
	fastest := func() time.Duration { // which a busy machine delays least
		least := patience
		for i := range prompts {
			began := time.Now()
			h.prompt(fmt.Sprint("prompt ", i))
			least = min(least, time.Since(began))
		}
		return least
	}
	before := fastest()
	for range serversTried - 1 {
		if err := h.serve(nil, "mcp").Process.Signal(syscall.SIGSTOP); err != nil {
			t.Fatal(err)
		}
	}
	if took := fastest(); took > before+greetTime {
		t.Errorf("a prompt takes %s, before %s", took, before)
	}
	if n := lively.end(t); n != 2*prompts {
		t.Errorf("the living server took %d hooks in, want %d\n%s", n, 2*prompts, lively.log)
	}
}

// A server that ends soon returns hooks that it cannot store in time.
func TestHookServerLeavesWhileLocked(t *testing.T) {
	h := shortHome(t)
	s := h.serve(nil, "mcp")
	h.prompt("before")
	unlock := lockDatabase(h)
	var during sync.WaitGroup
	during.Go(func() { h.prompt("during") })
	time.Sleep(hookEndTime / 2)
	began := time.Now()
	s.end(t)
	if took := time.Since(began); took > hookTime/2 {
		t.Errorf("the server left after %s", took)
	}
	unlock()
	during.Wait()
	if left := h.spooledFiles(); len(left) > 0 {
		t.Errorf("the database was free in time, and yet there wait %v", left)
	}
	h.wantMessages("before", "during")
}

// A server that could not open files for a while accepts hooks again afterwards.
func TestHookServerOutOfFiles(t *testing.T) {
	t.Parallel()
	h := shortHome(t)
	h.prompt("before")
	c := exec.Command("sh", "-c", "ulimit -n 20 && exec wake --verbose mcp")
	c.Env, c.Dir = wakeEnv(h.dir), h.dir
	s := h.start(c)
	socket := h.sockets()[0]
	var opened []net.Conn
	for range 40 {
		c, err := net.Dial("unix", socket)
		if err != nil {
			t.Fatal(err)
		}
		opened = append(opened, c)
	}
	h.prompt("during")
	for _, c := range opened {
		c.Close()
	}
	await(t, "the server greets nobody any more", func() bool { return greets(socket) })
	h.prompt("after")
	if n := s.end(t); n != 1 {
		t.Errorf("the server took %d hooks in, want the last\n%s", n, s.log)
	}
	h.wantMessages("before", "during", "after")
}

func greets(socket string) bool {
	c := dialGreeted(socket)
	if c == nil {
		return false
	}
	_ = c.Close()
	return true
}

// A hook that a server stored without reporting it is stored once, whatever the hook is
// about.
func TestHookStoredWithoutReport(t *testing.T) {
	t.Parallel()
	story := func(h *hookHome, before func()) []string {
		h.prompt("before")
		for _, event := range []struct {
			client, name string
			fields       map[string]any
		}{
			{transcript.ClientClaudeCode, "UserPromptSubmit", map[string]any{"prompt": "during"}},
			{transcript.ClientClaudeCode, "UserPromptSubmit", map[string]any{"prompt": "/model"}},
			{transcript.ClientClaudeCode, "PreCompact", map[string]any{"trigger": "manual"}},
			{transcript.ClientClaudeCode, "SessionEnd", nil},
			{"gemini", "BeforeAgent", map[string]any{"prompt": "during"}},
			{"cursor", "afterAgentResponse", map[string]any{"text": "done"}},
			{"cursor", "afterShellExecution", map[string]any{"command": "ls", "output": "file"}},
			{"cursor", "afterShellExecution", map[string]any{"command": "ls", "output": "file"}},
		} {
			before()
			h.tell(event.client, event.name, event.fields)
		}
		h.prompt("after") // "during" would be stored again if more than two seconds have passed
		said := h.messages()
		for _, s := range jsonRows(h.t, run(h.t, h.dir, "session", "list", "--json", "--project", "*")) {
			points := jsonRows(h.t, run(h.t, h.dir, "checkpoint", "list", s["id"].(string), "--json"))
			said = append(said, fmt.Sprint(s["client"], s["last_seq"], s["totals"], len(points)))
		}
		return said
	}
	alone := story(newHookHome(t), func() {})
	h := shortHome(t)
	if diff := cmp.Diff(alone, story(h, func() { dyingServer(h) })); diff != "" {
		t.Errorf("what is stored (-alone +in doubt):\n%s", diff)
	}
}

// dyingServer stores one hook as a server does, and dies before it answers.
func dyingServer(h *hookHome) {
	h.t.Helper()
	a := testApp(h)
	set, err := a.settings()
	if err != nil {
		h.t.Fatal(err)
	}
	dir := a.socketDir(set)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		h.t.Fatal(err)
	}
	listener, err := net.Listen("unix", filepath.Join(dir, "000000000001"))
	if err != nil {
		h.t.Fatal(err)
	}
	go func() {
		c, err := listener.Accept()
		listener.Close()
		if err != nil {
			return
		}
		defer c.Close()
		_, err = c.Write([]byte{greeting})
		var req hookRequest
		err = errors.Join(err, json.NewDecoder(c).Decode(&req))
		s, closeStore, openErr := a.hookMemory(context.Background(), set, false)
		if err = errors.Join(err, openErr); err == nil {
			hook, bad := transcript.ReadHook(req.Call.Client, req.Call.Input)
			_, failed := a.remember(context.Background(), s, hook, req.Call, nil)
			err = errors.Join(bad, failed, closeStore())
		}
		if err != nil {
			h.t.Error(err)
		}
	}()
}

// The model gets its text although the transcript cannot be read, as without a server.
func TestHookTextWithServer(t *testing.T) {
	const unreadable = "/proc/self/mem" // a file whose first bytes nobody can read
	if _, err := os.Stat(unreadable); err != nil {
		t.Skip(err)
	}
	h := shortHome(t)
	h.serve(nil, "mcp")
	h.prompt("build the importer")
	h.tell(transcript.ClientClaudeCode, "PostCompact", map[string]any{"trigger": "auto", "compact_summary": "a summary"})
	a := h.tell(transcript.ClientClaudeCode, "UserPromptSubmit", map[string]any{"prompt": "go on", "transcript_path": unreadable})
	if !strings.Contains(a.out, "build the importer") || !strings.Contains(a.err, "kept in") {
		t.Errorf("the model is told %q, the user %q", a.out, a.err)
	}
}

// Whatever keeps a server from its database, the hook is kept, as without a server.
func TestHookTroublesWithServer(t *testing.T) {
	t.Parallel()
	for name, trouble := range map[string]func(h *hookHome) (end func()){
		"locked": lockDatabase, "corrupt": corruptDatabase, "hung": hangDatabase, "a folder": folderDatabase,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := shortHome(t)
			s := h.serve(nil, "mcp")
			h.prompt("before")
			end := trouble(h)
			if a := h.prompt("during"); !strings.Contains(a.err, "kept in") {
				t.Errorf("standard error does not say that the prompt was kept: %q", a.err)
			}
			end()
			h.prompt("after")
			if n := s.end(t); n == 0 {
				t.Errorf("no hook came to the server\n%s", s.log)
			}
			h.wantMessages("before", "during", "after")
			if left := h.spooledFiles(); len(left) > 0 {
				t.Errorf("still waiting: %v", left)
			}
		})
	}
}

// A server whose database is damaged while it is open does not drop spooled hooks.
func TestSpoolOfDamagedDatabase(t *testing.T) {
	t.Parallel()
	h := shortHome(t)
	h.prompt("before")
	run(t, h.dir, "save", "after which all is in the file itself, and nothing in its -wal")
	h.serve(nil, "mcp")
	f, err := os.OpenFile(h.db(), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	whole := make([]byte, 4096)
	_, err = f.ReadAt(whole, 0)
	_, damage := f.WriteAt(bytes.Repeat([]byte{0xff}, len(whole)), 0)
	if err := errors.Join(err, damage); err != nil {
		t.Fatal(err)
	}
	want := []string{"before"}
	for i := range 4 {
		want = append(want, fmt.Sprint("during ", i))
		h.prompt(want[i+1])
	}
	if _, err := f.WriteAt(whole, 0); err != nil {
		t.Fatal(err)
	}
	h.prompt("after")
	h.wantMessages(append(want, "after")...)
}
