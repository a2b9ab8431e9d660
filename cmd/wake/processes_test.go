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
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
)

// patience is how long a test waits for something that should be quick.
const patience = 60 * time.Second

// await waits until something holds; missing says what is wrong if it never does.
func await(t *testing.T, missing string, holds func() bool) {
	t.Helper()
	for began := time.Now(); !holds(); time.Sleep(time.Millisecond) {
		if time.Since(began) > patience {
			t.Fatal(missing)
		}
	}
}

// rounds returns n, and many under WAKE_SOAK.
func rounds(n, many int) int {
	if os.Getenv("WAKE_SOAK") != "" {
		return many
	}
	return n
}

// wakeEnv is the environment of a child process, without anything of the user's.
func wakeEnv(home string) []string {
	return []string{"HOME=" + home, "USERPROFILE=" + home, "WAKE_OLLAMA=off", "PATH=" + os.Getenv("PATH"), "XDG_DATA_HOME=", "XDG_CONFIG_HOME=",
		"WAKE_DB=" + filepath.Join(home, "wake.db"), "WAKE_PROJECT=shop", "WAKE_CONFIG=" + filepath.Join(home, "none.json")}
}

// command is a wake process that has not been started yet.
func command(home string, args ...string) *exec.Cmd {
	c := inOwnGroup(exec.Command("wake", args...))
	c.Env, c.Dir = wakeEnv(home), home
	return c
}

// run runs wake and returns its output.
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

// fails runs a command that must exit with 1, and returns its error.
func fails(t *testing.T, c *exec.Cmd) string {
	t.Helper()
	var stderr bytes.Buffer
	c.Stderr = &stderr
	err := c.Run()
	if c.ProcessState == nil {
		t.Fatal(err)
	}
	if code := c.ProcessState.ExitCode(); code != exitFailed {
		t.Errorf("%v: exit code %d, want %d\n%s", c.Args, code, exitFailed, stderr.Bytes())
	}
	if !strings.HasPrefix(stderr.String(), "wake: ") || strings.Contains(stderr.String(), "goroutine") {
		t.Errorf("%v complains: %s", c.Args, stderr.Bytes())
	}
	return stderr.String()
}

// diagnosis returns the output of a wake doctor that finds a problem.
func diagnosis(t *testing.T, c *exec.Cmd) string {
	t.Helper()
	var stdout bytes.Buffer
	c.Stdout = &stdout
	fails(t, c)
	return stdout.String()
}

// connect starts a server and connects a client to it.
func connect(ctx context.Context, home string) (*client.Client, error) {
	c, err := client.NewStdioMCPClient("wake", wakeEnv(home), "mcp")
	if err != nil {
		return nil, err
	}
	hello := mcp.InitializeRequest{}
	hello.Params.ProtocolVersion = mcp.LATEST_PROTOCOL_VERSION
	hello.Params.ClientInfo = mcp.Implementation{Name: "test", Version: "1"}
	said := make(chan string, 1)
	go func() {
		stderr, _ := client.GetStderr(c)
		text, _ := io.ReadAll(stderr)
		said <- string(text)
	}()
	if _, err := c.Initialize(ctx, hello); err != nil {
		c.Close()
		return nil, fmt.Errorf("%w; it said: %s", err, <-said)
	}
	return c, nil
}

// saveOver saves over MCP and returns the acknowledged id.
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
	servers, saves := 16, 100
	if testing.Short() {
		saves = 25
	}
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

// A server that is killed while it saves loses nothing acknowledged, and the database
// stays intact (I9 for contexts).
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

// saveUntilKilled makes several calls at once and kills the server meanwhile, at a
// different moment in each round.
func saveUntilKilled(t *testing.T, home string, round int) (acknowledged []string) {
	t.Helper()
	server := startRaw(t, home)
	go func() { // meanwhile, because pipes may hold only a few answers
		for i := range 400 {
			server.call(i, fmt.Sprintf("round %d keeps fact %d before it is killed", round, i))
		}
	}()
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

// raw is a server with which the test exchanges lines.
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

// introduce starts a server and completes the handshake.
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

// answer waits for the acknowledgement of a save; false at the end of output.
func (s *raw) answer(t *testing.T) (string, bool) {
	t.Helper()
	id, refusal := s.reply(t)
	if refusal != "" {
		t.Fatalf("a save failed: %s", refusal)
	}
	return id, id != ""
}

// reply reads lines up to the answer of a save: an id or an error; both are "" at the
// end of output.
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

func decode(t *testing.T, text string, into any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), into); err != nil {
		t.Fatalf("%v in %q", err, text)
	}
}

// residentBytes is the memory of a process, 0 if unknown.
func residentBytes(pid int) float64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	fields := bytes.Fields(text)
	if err != nil || len(fields) < 2 {
		return 0
	}
	pages, _ := strconv.Atoi(string(fields[1]))
	return float64(pages * os.Getpagesize())
}
