package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
)

// patience is how long a test waits for what should take moments.
const patience = 60 * time.Second

// rounds is n in a usual run, and many under WAKE_SOAK.
func rounds(n, many int) int {
	if os.Getenv("WAKE_SOAK") != "" {
		return many
	}
	return n
}

// wakeEnv is the environment of a child: nothing of the user's.
func wakeEnv(home string) []string {
	return []string{"HOME=" + home, "WAKE_OLLAMA=off", "PATH=" + os.Getenv("PATH"), "XDG_DATA_HOME=", "XDG_CONFIG_HOME=",
		"WAKE_DB=" + filepath.Join(home, "wake.db"), "WAKE_PROJECT=shop", "WAKE_CONFIG=" + filepath.Join(home, "none.json")}
}

// command is a wake process that is not started yet.
func command(home string, args ...string) *exec.Cmd {
	c := exec.Command("wake", args...)
	c.Env, c.Dir = wakeEnv(home), home
	return c
}

// run runs wake to its end and returns what it printed.
func run(t *testing.T, home string, args ...string) string {
	t.Helper()
	c := command(home, args...)
	var stderr bytes.Buffer
	c.Stderr = &stderr
	out, err := c.Output()
	if err != nil {
		t.Fatalf("wake %v: %v\n%s%s", args, err, out, stderr.Bytes())
	}
	return string(out)
}

// connect starts a server and introduces a client to it.
func connect(ctx context.Context, home string) (*client.Client, error) {
	c, err := client.NewStdioMCPClient("wake", wakeEnv(home), "mcp")
	if err != nil {
		return nil, err
	}
	hello := mcp.InitializeRequest{}
	hello.Params.ProtocolVersion = mcp.LATEST_PROTOCOL_VERSION
	hello.Params.ClientInfo = mcp.Implementation{Name: "test", Version: "1"}
	if _, err := c.Initialize(ctx, hello); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// saveOver saves over MCP and returns the id that was acknowledged.
func saveOver(ctx context.Context, c *client.Client, text string) (string, error) {
	request := mcp.CallToolRequest{}
	request.Params.Name, request.Params.Arguments = "save_context", map[string]any{"content": text}
	result, err := c.CallTool(ctx, request)
	if err != nil {
		return "", err
	}
	if result.IsError {
		return "", fmt.Errorf("refused: %s", textOf(result))
	}
	answer, _ := result.StructuredContent.(map[string]any)
	id, ok := answer["id"].(string)
	if !ok {
		return "", fmt.Errorf("no id in %v", result.StructuredContent)
	}
	return id, nil
}

// 16 servers on one new file save 100 times each, all at once: no error, nothing
// lost. (FIELD: of the peers, one lost 647 of 800, one refused 397.)
func TestProcessesSaveAtOnce(t *testing.T) {
	const servers, saves = 16, 100
	home, ctx := t.TempDir(), t.Context()
	var all sync.WaitGroup
	for n := range servers {
		all.Go(func() {
			c, err := connect(ctx, home)
			if err != nil {
				t.Errorf("server %d: %v", n, err)
				return
			}
			defer c.Close()
			for i := range saves {
				if _, err := saveOver(ctx, c, fmt.Sprintf("server %d keeps its fact number %d", n, i)); err != nil {
					t.Errorf("server %d, save %d: %v", n, i, err)
				}
			}
		})
	}
	all.Wait()
	var stats struct{ Contexts int }
	decode(t, run(t, home, "--json", "stats"), &stats)
	if stats.Contexts != servers*saves {
		t.Errorf("%d contexts are kept, want %d", stats.Contexts, servers*saves)
	}
	run(t, home, "doctor")
}

// 80 servers start at once on a new file: none fails. (A migration library
// without a lock failed 28 of them.)
func TestServersStartAtOnce(t *testing.T) {
	home, ctx := t.TempDir(), t.Context()
	var all sync.WaitGroup
	for n := range 80 {
		all.Go(func() {
			c, err := connect(ctx, home)
			if err != nil {
				t.Errorf("server %d: %v", n, err)
				return
			}
			c.Close()
		})
	}
	all.Wait()
	run(t, home, "doctor")
}

// Killed in mid-save, a server loses nothing that it acknowledged, and the
// database is whole (I9 for contexts).
func TestKillInMidSave(t *testing.T) {
	home := t.TempDir()
	var acknowledged []string
	for round := range rounds(5, 50) {
		ids := saveUntilKilled(t, home, round)
		acknowledged = append(acknowledged, ids...)
	}
	t.Logf("%d saves were acknowledged", len(acknowledged))
	for len(acknowledged) > 0 {
		part := acknowledged[:min(100, len(acknowledged))]
		acknowledged = acknowledged[len(part):]
		run(t, home, append([]string{"load", "--content=false"}, part...)...) // fails on a missing id
	}
	run(t, home, "doctor")
}

// saveUntilKilled saves over several calls at once and kills the server while it
// works; the moment differs from round to round.
func saveUntilKilled(t *testing.T, home string, round int) (acknowledged []string) {
	t.Helper()
	server := startRaw(t, home)
	for i := range 400 {
		server.call(i, fmt.Sprintf("round %d keeps fact %d before it is killed", round, i))
	}
	want := 1 + 37*round%150 // answers to wait for
	for len(acknowledged) < want {
		id, ok := server.answer(t)
		if !ok {
			t.Fatalf("the server ended after %d answers", len(acknowledged))
		}
		acknowledged = append(acknowledged, id)
	}
	if err := server.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	for { // what it answered before it died counts too
		id, ok := server.answer(t)
		if !ok {
			break
		}
		acknowledged = append(acknowledged, id)
	}
	_ = server.cmd.Wait() // killed
	return acknowledged
}

// raw is a server spoken to line by line.
type raw struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

func startRaw(t *testing.T, home string, args ...string) *raw {
	t.Helper()
	return introduce(t, command(home, append([]string{"mcp"}, args...)...))
}

// startPiped starts a process that the test talks to.
func startPiped(t testing.TB, cmd *exec.Cmd) (io.WriteCloser, io.Reader) {
	t.Helper()
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return in, out
}

// introduce starts a server and greets it.
func introduce(t *testing.T, cmd *exec.Cmd) *raw {
	t.Helper()
	in, out := startPiped(t, cmd)
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	s := &raw{cmd, in, bufio.NewReaderSize(out, 1<<20)}
	s.send(`{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`)
	if line, err := s.out.ReadString('\n'); err != nil {
		t.Fatalf("initialize: %v %q", err, line)
	}
	s.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return s
}

func (s *raw) send(line string) { fmt.Fprintln(s.in, line) }

func (s *raw) call(id int, text string) {
	s.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"save_context","arguments":{"content":%q}}}`, id, text))
}

// answer waits for a save to be acknowledged; false at the end of output.
func (s *raw) answer(t *testing.T) (string, bool) {
	t.Helper()
	id, refusal := s.reply(t)
	if refusal != "" {
		t.Fatalf("a save failed: %s", refusal)
	}
	return id, id != ""
}

// reply reads lines up to the answer of a save: an id, or a refusal; both are ""
// at the end of output.
func (s *raw) reply(t *testing.T) (id, refusal string) {
	t.Helper()
	for {
		line, err := s.out.ReadBytes('\n')
		if err != nil {
			return "", ""
		}
		var m struct {
			Result *struct {
				IsError           bool
				Content           []struct{ Text string }
				StructuredContent struct{ ID string }
			}
		}
		if err := json.Unmarshal(line, &m); err != nil {
			t.Fatalf("not a message: %q", line)
		}
		switch {
		case m.Result == nil: // a notification
		case m.Result.IsError:
			return "", m.Result.Content[0].Text
		default:
			return m.Result.StructuredContent.ID, ""
		}
	}
}

// At the end of input the server answers what it has read and leaves with 0 in
// time; its standard output carries messages alone, also when it tells all.
func TestServerAnswersThenLeaves(t *testing.T) {
	s := startRaw(t, t.TempDir(), "--verbose")
	for i := range 20 {
		s.call(i, fmt.Sprintf("fact %d on the way out", i))
	}
	s.in.Close()
	end := time.Now()
	for i := range 20 {
		if _, ok := s.answer(t); !ok {
			t.Fatalf("%d answers, want 20", i)
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

// A client that closes only its end of the output is gone too.
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

// A client that is killed while somebody else holds the pipe open takes its
// server with it.
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
	if err := out.SetReadDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	if _, err := answers.ReadByte(); err != io.EOF { // its output closes when the server is gone
		t.Errorf("the server stays: %v", err)
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

// A terminate signal ends a server in order.
func TestServerLeavesOnSignal(t *testing.T) {
	s := startRaw(t, t.TempDir())
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	waitFor(t, s.cmd)
}

func decode(t *testing.T, text string, into any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), into); err != nil {
		t.Fatalf("%v in %q", err, text)
	}
}

// residentBytes is the memory of a process, 0 where the system does not tell.
func residentBytes(pid int) float64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	fields := bytes.Fields(text)
	if err != nil || len(fields) < 2 {
		return 0
	}
	pages, _ := strconv.Atoi(string(fields[1]))
	return float64(pages * os.Getpagesize())
}

// Ctrl-C ends a command also while it waits for somebody to type; then nothing has
// happened.
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
		_ = c.Process.Signal(os.Interrupt)
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

// An import that is stopped says how to go on, and goes on where it was: in the end
// everything is in once.
func TestImportStopped(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const rows = 3000
	var file strings.Builder
	for i := range rows {
		file.WriteString(claudeRow(int64(i), "user", fmt.Sprint("prompt ", i)))
	}
	name := filepath.Join(dir, "long.jsonl")
	if err := os.WriteFile(name, []byte(file.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, wait := range []time.Duration{300 * time.Millisecond, 600 * time.Millisecond} {
		c := exec.Command("wake", "import", "claude-code", name)
		var said bytes.Buffer
		c.Env, c.Dir, c.Stderr = wakeEnv(dir), dir, &said
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(wait)
		_ = c.Process.Signal(os.Interrupt) // where it has ended already there is nothing to stop
		if err := c.Wait(); err != nil && !strings.Contains(said.String(), "start it again") && said.Len() > 0 {
			t.Errorf("stopped after %v it says %q", wait, said.String())
		}
	}
	run(t, dir, "import", "claude-code", name)
	if n := jsonRows(t, run(t, dir, "session", "list", "--json"))[0]["user_messages"]; n != float64(rows) {
		t.Errorf("%v prompts are in, want %d", n, rows)
	}
}
