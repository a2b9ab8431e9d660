package mcp_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/client"

	"wake/domain"
	"wake/mcp"
	"wake/memory"
	"wake/memory/memorytest"
	"wake/repository/sqlite"
	"wake/summarizer"
)

// The test binary is also the server: with this variable set to a database, it serves
// that over stdio; with middleman, it starts such a server and exits.
const (
	serveVar  = "WAKE_TEST_SERVE"
	middleVar = "WAKE_TEST_MIDDLEMAN"
)

func TestMain(m *testing.M) {
	if path := os.Getenv(serveVar); path != "" {
		os.Exit(serveFile(path))
	}
	if path := os.Getenv(middleVar); path != "" {
		os.Exit(startAndLeave(path))
	}
	os.Exit(m.Run())
}

func serveFile(path string) int {
	store, err := sqlite.Open(context.Background(), path, sqlite.Options{})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	s := memory.New(store, summarizer.Extractive{})
	s.DefaultProject = "demo"
	err = mcp.ServeStdio(context.Background(), mcp.New(s, mcp.Options{Version: "test"}), os.Stdin, os.Stdout)
	for _, e := range []error{err, s.Close(context.Background()), store.Close()} {
		if e != nil {
			fmt.Fprintln(os.Stderr, e)
			return 1
		}
	}
	return 0
}

// startAndLeave starts a server on this process's pipes and exits without closing them
// properly.
func startAndLeave(path string) int {
	c := server(path)
	c.Stdin, c.Stdout, c.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := c.Start(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	for range 6000 { // until the server, which notes first of all who its parent is, makes its file
		if _, err := os.Stat(path); err == nil {
			return 0
		}
		time.Sleep(10 * time.Millisecond)
	}
	return 1
}

func server(path string) *exec.Cmd {
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), serveVar+"="+path, middleVar+"=")
	return c
}

// A real client over real pipes to a real process.
func TestStdioClient(t *testing.T) {
	path := filepath.Join(t.TempDir(), "wake.db")
	c, err := client.NewStdioMCPClient(os.Args[0], []string{serveVar + "=" + path})
	if err != nil {
		t.Fatal(err)
	}
	hello := shakeHands(t, c)
	if hello.ServerInfo.Name != "wake" || !strings.Contains(hello.Instructions, "save_context") {
		t.Errorf("the server says %+v", hello)
	}
	p := &peer{t, c, nil}
	saved := p.try("save_context", args{"content": "Pipes carry this."})
	if saved.IsError {
		t.Fatal(text(saved))
	}
	if found := text(p.try("search_context", args{"query": "what do pipes carry"})); !strings.Contains(found, "Pipes carry this.") {
		t.Errorf("search said %q", found)
	}
	if err := c.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
}

// line writes one JSON-RPC request.
func line(id any, method string, params any) string {
	raw, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "method": method, "params": params})
	return string(raw) + "\n"
}

func toolLine(id any, tool string, a args) string {
	return line(id, "tools/call", map[string]any{"name": tool, "arguments": a})
}

var hello = line(0, "initialize", map[string]any{"protocolVersion": "2025-06-18", "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "t", "version": "1"}}) +
	`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n"

// reply is one line of output.
type reply struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  string          `json:"method"`
	Result  json.RawMessage `json:"result"`
	Error   *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

// converse runs a server on prepared input and returns every line of its output. Each
// must be a message of the protocol.
func converse(t *testing.T, s *memory.Service, input io.Reader) []reply {
	t.Helper()
	var out strings.Builder
	if err := mcp.ServeStdio(ctx, mcp.New(s, mcp.Options{Version: "test"}), input, &out); err != nil {
		t.Fatal(err)
	}
	var all []reply
	for raw := range strings.Lines(out.String()) {
		var r reply
		if err := json.Unmarshal([]byte(raw), &r); err != nil || r.JSONRPC != "2.0" {
			t.Fatalf("the output holds %q", raw)
		}
		all = append(all, r)
	}
	return all
}

// answers returns the replies that are not notifications.
func answers(all []reply) []reply {
	return slices.DeleteFunc(all, func(r reply) bool { return r.Method != "" })
}

// Calls that take about as long as the delay before others are read are each answered
// once, in any order of arrival.
func TestCallsAsLongAsReadDelay(t *testing.T) {
	s, _ := memorytest.Open(t)
	s.Extract = unevenExtract{12 * time.Millisecond}
	pipe := newPipes(t, mcp.New(s, mcp.Options{}))
	const calls = 60
	go func() {
		pipe.say(hello)
		for i := 1; i <= calls; i++ {
			pipe.say(toolLine(i, "save_context", args{"content": fmt.Sprintf("Fact number %d.", i)}))
			time.Sleep(time.Duration(i%8) * 2 * time.Millisecond)
		}
	}()
	answered := map[string]int{}
	for len(answered) < calls+1 {
		answered[string(pipe.until(func(r reply) bool { return r.Method == "" }).ID)]++
	}
	for id, times := range answered {
		if times != 1 {
			t.Errorf("%s is answered %d times", id, times)
		}
	}
	pipe.end()
}

// unevenExtract takes a random time, up to a maximum, over a summary.
type unevenExtract struct{ most time.Duration }

func (e unevenExtract) Summarize(text string) domain.Summary {
	return slowExtract{rand.N(e.most)}.Summarize(text)
}

// hangingPipes is a connection whose calls to save hang until release is closed.
func hangingPipes(t *testing.T) (s *memory.Service, pipe *pipes, release chan struct{}) {
	t.Helper()
	s, _ = memorytest.Open(t)
	release = make(chan struct{})
	s.Extract = hangExtract{release}
	pipe = newPipes(t, mcp.New(s, mcp.Options{}))
	pipe.say(hello)
	pipe.until(func(r reply) bool { return string(r.ID) == "0" })
	return s, pipe, release
}

// With all slots taken, a ping is answered, and in the end every call.
func TestSlowCallsDoNotBlock(t *testing.T) {
	_, pipe, release := hangingPipes(t)
	for i := 1; i <= 60; i++ {
		pipe.say(toolLine(i, "save_context", args{"content": fmt.Sprintf("Slow %d.", i)}))
	}
	pipe.say(line("ping", "ping", nil))
	pipe.until(func(r reply) bool { return string(r.ID) == `"ping"` })
	close(release)
	seen := map[string]bool{}
	for len(seen) < 60 {
		seen[string(pipe.until(func(r reply) bool { return r.Result != nil }).ID)] = true
	}
	pipe.end()
}

// A client that no longer waits for a call can cancel it; nothing is stored then.
func TestCancelledCall(t *testing.T) {
	s, _ := memorytest.Open(t)
	begun, release := make(chan struct{}), make(chan struct{})
	s.Extract = startExtract{begun, hangExtract{release}}
	pipe := newPipes(t, mcp.New(s, mcp.Options{}))
	pipe.say(hello)
	pipe.until(func(r reply) bool { return string(r.ID) == "0" })
	pipe.say(toolLine(1, "save_context", args{"content": "Never mind."}))
	<-begun
	pipe.say(cancelLine(1) + line("after", "ping", nil))
	pipe.until(func(r reply) bool { return string(r.ID) == `"after"` })
	close(release)
	if r := pipe.until(func(r reply) bool { return string(r.ID) == "1" }); !strings.Contains(string(r.Result), "cancelled") {
		t.Errorf("the call is answered with %s", r.Result)
	}
	if stats, err := s.Stats(ctx, ""); err != nil || stats.Contexts != 0 {
		t.Errorf("%d contexts are stored, %v", stats.Contexts, err)
	}
	pipe.end()
}

// cancelLine takes back a request.
func cancelLine(id int) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d,"reason":"no longer wanted"}}`+"\n", id)
}

// A cancellation also counts that comes before its call begins: while that waits for a slot,
// or right behind it.
func TestCancelledBeforeItBegins(t *testing.T) {
	const calls = 40
	var asked, cancelled, each string
	for i := 1; i <= calls; i++ {
		call := toolLine(i, "save_context", args{"content": fmt.Sprintf("Never mind %d.", i)})
		asked, cancelled, each = asked+call, cancelled+cancelLine(i), each+call+cancelLine(i)
	}
	for name, said := range map[string]string{"while it waits": asked + cancelled, "right behind it": each} {
		t.Run(name, func(t *testing.T) {
			s, pipe, release := hangingPipes(t)
			pipe.say(said + line("after", "ping", nil))
			pipe.until(func(r reply) bool { return string(r.ID) == `"after"` })
			close(release)
			pipe.end()
			if stats, err := s.Stats(ctx, ""); err != nil || stats.Contexts != 0 {
				t.Errorf("%d contexts are stored, %v", stats.Contexts, err)
			}
		})
	}
}

// startExtract tells when its summary is begun.
type startExtract struct {
	begun chan struct{}
	hangExtract
}

func (e startExtract) Summarize(text string) domain.Summary {
	close(e.begun)
	return e.hangExtract.Summarize(text)
}

type hangExtract struct{ release chan struct{} }

func (e hangExtract) Summarize(string) domain.Summary {
	<-e.release
	return domain.Summary{}
}

// Invalid input is answered with an error, and the connection stays open.
func TestGarbage(t *testing.T) {
	s, _ := memorytest.Open(t)
	garbage := []string{"{", "[]", "null", "42", `"text"`, "\x00\xff", `{"jsonrpc":"1.0","id":1,"method":"ping"}`, `{"jsonrpc":"2.0","id":2}`,
		`{"jsonrpc":"2.0","id":3,"method":"no/such"}`, `{"jsonrpc":"2.0","id":4,"method":"tools/call","params":[1]}`, `{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"no_such_tool"}}`,
		`{"jsonrpc":"2.0","id":{"a":1},"method":"ping"}`, strings.Repeat("[", 100_000), `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99}}`}
	replies := answers(converse(t, s, strings.NewReader(hello+"\n\r\n   \n"+strings.Join(garbage, "\n")+"\n"+line("alive", "ping", nil))))
	last := ""
	for _, r := range replies {
		if string(r.ID) == `"alive"` && r.Error == nil {
			last = "alive"
		}
	}
	if last == "" {
		t.Errorf("the connection is gone after garbage; replies: %+v", replies)
	}
	if len(replies) < len(garbage) {
		t.Errorf("%d replies to %d lines of garbage", len(replies), len(garbage))
	}
}

// Each message is answered under the id that it has, even where a float64 cannot hold it.
func TestIDsAreExact(t *testing.T) {
	s, _ := memorytest.Open(t)
	for _, id := range []string{"9007199254740993", "-9223372036854775807", "18446744073709551615", `"9007199254740993"`} {
		for _, request := range []string{line(json.RawMessage(id), "ping", nil), toolLine(json.RawMessage(id), "memory_stats", nil), line(json.RawMessage(id), "no/such", nil)} {
			if got := answers(converse(t, s, strings.NewReader(hello+request)))[1]; string(got.ID) != id {
				t.Errorf("%s is answered under the id %s", strings.TrimSpace(request), got.ID)
			}
		}
	}
}

// A list of messages is refused in words, and those after it are answered.
func TestBatch(t *testing.T) {
	s, _ := memorytest.Open(t)
	batch := "[" + strings.TrimSpace(line(1, "ping", nil)) + "]\n"
	got := answers(converse(t, s, strings.NewReader(hello+batch+line(2, "ping", nil))))
	if refused := got[1].Error; refused == nil || !strings.Contains(refused.Message, "each message on a line of its own") {
		t.Errorf("a batch is answered with %+v", refused)
	}
	if last := got[2]; string(last.ID) != "2" || last.Error != nil {
		t.Errorf("after it, a ping is answered with %+v", last)
	}
}

// A message over 32 MiB is not kept. It is answered by its id, and the connection stays
// open.
func TestHugeMessage(t *testing.T) {
	s, _ := memorytest.Open(t)
	huge := func(size int) io.Reader {
		head := `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"save_context","arguments":{"content":"`
		return io.MultiReader(strings.NewReader(head), io.LimitReader(letters{}, int64(size)), strings.NewReader("\"}}}\n"))
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	replies := converse(t, s, io.MultiReader(strings.NewReader(hello), huge(64<<20), strings.NewReader(line(8, "ping", nil))))
	runtime.ReadMemStats(&after)
	byID := map[string]reply{}
	for _, r := range replies {
		byID[string(r.ID)] = r
	}
	if e := byID["7"].Error; e == nil || !strings.Contains(e.Message, "32 MiB") {
		t.Errorf("the huge message was answered %+v", byID["7"])
	}
	if r, ok := byID["8"]; !ok || r.Error != nil {
		t.Errorf("after it the connection answered %+v", r)
	}
	// Growing a buffer to the limit by doubling allocates a few times the limit,
	// whatever the length of the message.
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 6*domain.MaxMessage {
		t.Errorf("%d MiB were allocated for it", grown>>20)
	}
}

// letters is an endless text.
type letters struct{}

func (letters) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

// Content of 2 MiB is refused with a tool result that says why.
func TestContentTooLong(t *testing.T) {
	s, _ := memorytest.Open(t)
	pipe := newPipes(t, mcp.New(s, mcp.Options{}))
	go pipe.say(hello + toolLine(1, "save_context", args{"content": strings.Repeat("x", 2<<20)}))
	answer := pipe.until(func(r reply) bool { return string(r.ID) == "1" })
	if got := string(answer.Result); !strings.Contains(got, `"isError":true`) || !strings.Contains(got, "the limit is 1048576 bytes") {
		t.Errorf("answered %.300s", got)
	}
	pipe.end()
}

// pipes is a client that writes and reads lines by hand.
type pipes struct {
	t    *testing.T
	in   *io.PipeWriter
	out  *bufio.Reader
	done chan error
}

func newPipes(t *testing.T, s *mcp.Server) *pipes {
	in, theirEnd := io.Pipe()
	out, answers := io.Pipe()
	p := &pipes{t: t, in: theirEnd, out: bufio.NewReader(out), done: make(chan error, 1)}
	go func() {
		p.done <- mcp.ServeStdio(ctx, s, in, answers)
		_ = answers.Close()
	}()
	t.Cleanup(func() { _ = theirEnd.Close() })
	return p
}

func (p *pipes) say(lines string) {
	p.t.Helper()
	if _, err := io.WriteString(p.in, lines); err != nil {
		p.t.Error(err)
	}
}

// until reads replies until it finds the wanted one, and returns it.
func (p *pipes) until(wanted func(reply) bool) reply {
	p.t.Helper()
	for {
		raw, err := p.out.ReadBytes('\n')
		if err != nil {
			p.t.Fatal(err)
		}
		var r reply
		if err := json.Unmarshal(raw, &r); err != nil {
			p.t.Fatalf("%v: %s", err, raw)
		}
		if r.Error != nil {
			p.t.Fatalf("an error: %s", raw)
		}
		if wanted(r) {
			return r
		}
	}
}

// end closes the input and waits for the server to end.
func (p *pipes) end() {
	p.t.Helper()
	_ = p.in.Close()
	go func() { _, _ = io.Copy(io.Discard, p.out) }()
	waitFor(p.t, p.done)
}
