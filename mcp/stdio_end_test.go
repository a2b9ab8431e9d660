package mcp_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"wake/domain"
	"wake/mcp"
	"wake/memory/memorytest"
)

// Every request that was read is answered once before the server ends, in any order. Few
// of them wait for the disk, which may be slow: the server has little time for all.
func TestEndOfInputDrains(t *testing.T) {
	s, _ := memorytest.Open(t)
	var in strings.Builder
	in.WriteString(hello)
	const calls, saves = 50, 5
	for i := 1; i <= calls; i++ {
		if i%(calls/saves) == 0 {
			in.WriteString(toolLine(i, "save_context", args{"content": fmt.Sprintf("Fact number %d.", i)}))
		} else {
			in.WriteString(toolLine(i, "load_context", args{"ids": []string{"nothing"}}))
		}
	}
	in.WriteString(strings.TrimSuffix(line("last", "ping", nil), "\n")) // no newline at the end
	answered := map[string]int{}
	for _, r := range answers(converse(t, s, strings.NewReader(in.String()))) {
		if r.Error != nil {
			t.Fatalf("%s: %+v", r.ID, r.Error)
		}
		answered[string(r.ID)]++
	}
	if len(answered) != calls+2 || answered[`"last"`] != 1 || answered["50"] != 1 {
		t.Errorf("%d of %d requests were answered", len(answered), calls+2)
	}
	stats, err := s.Stats(ctx, "")
	if err != nil || stats.Contexts != saves {
		t.Errorf("%d contexts are kept, %v", stats.Contexts, err)
	}
}

// slowExtract takes long over every summary, until its context ends.
type slowExtract struct{ takes time.Duration }

func (e slowExtract) Summarize(text string) domain.Summary {
	time.Sleep(e.takes)
	return domain.Summary{Text: text}
}

// A slow call is still answered after the input has ended. A call that hangs does not
// delay the end by more than 3 s.
func TestEndOfInputWaits(t *testing.T) {
	s, _ := memorytest.Open(t)
	s.Extract = slowExtract{300 * time.Millisecond}
	replies := answers(converse(t, s, strings.NewReader(hello+toolLine(1, "save_context", args{"content": "Slow."}))))
	if len(replies) != 2 {
		t.Errorf("%d replies, want 2", len(replies))
	}
	hanging, _ := memorytest.Open(t)
	release := make(chan struct{})
	hanging.Extract = hangExtract{release}
	defer close(release)
	start := time.Now()
	converse(t, hanging, strings.NewReader(hello+toolLine(1, "save_context", args{"content": "Never."})))
	if took := time.Since(start); took > 6*time.Second { // 2.7 s on an idle machine
		t.Errorf("the end took %v", took)
	}
}

// The server ends if nobody reads its output.
func TestOutputCloses(t *testing.T) {
	s, _ := memorytest.Open(t)
	in, client := io.Pipe()
	out, server := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- mcp.ServeStdio(ctx, mcp.New(s, mcp.Options{}), in, server) }()
	_ = out.Close()
	go func() { _, _ = io.WriteString(client, hello) }()
	waitFor(t, done)
}

// The server ends when its context is cancelled.
func TestContextEnds(t *testing.T) {
	s, _ := memorytest.Open(t)
	in, client := io.Pipe()
	defer client.Close()
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan error, 1)
	go func() { done <- mcp.ServeStdio(ctx, mcp.New(s, mcp.Options{}), in, io.Discard) }()
	cancel()
	waitFor(t, done)
}

func waitFor(t *testing.T, done <-chan error) {
	t.Helper()
	select {
	case err := <-done:
		if err != nil {
			t.Errorf("the server ended with %v", err)
		}
	case <-time.After(time.Minute):
		t.Fatal("the server is still there")
	}
}

// piped starts a process and returns its ends of input and output.
func piped(t *testing.T, c *exec.Cmd) (in io.WriteCloser, out io.ReadCloser) {
	t.Helper()
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if out, err = c.StdoutPipe(); err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	return in, out
}

// At the end of its input, a process exits with 0 and has stored everything.
func TestProcessEnds(t *testing.T) {
	path := filepath.Join(t.TempDir(), "wake.db")
	c := server(path)
	in, out := piped(t, c)
	_, _ = io.WriteString(in, hello+toolLine(1, "save_context", args{"content": "Kept."}))
	said := ""
	for lines := bufio.NewScanner(out); !strings.Contains(said, "Saved") && lines.Scan(); {
		said = lines.Text()
	}
	_ = in.Close() // on a busy machine, a save may take longer than the server waits at the end
	_, _ = io.Copy(io.Discard, out)
	if err := c.Wait(); err != nil || !strings.Contains(said, "Saved") {
		t.Errorf("the process ended with %v and said last %.500s", err, said)
	}
	s, _ := memorytest.OpenFile(t, path)
	if stats, err := s.Stats(ctx, ""); err != nil || stats.Contexts != 1 {
		t.Errorf("%d contexts are kept, %v", stats.Contexts, err)
	}
}

// A process whose client closes the output exits with 0, whether or not it still has
// something to write. It is not killed before it has stored what is pending.
func TestProcessSurvivesBrokenPipe(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no SIGPIPE here")
	}
	for name, more := range map[string]string{"talking": line(1, "ping", nil) + line(2, "ping", nil), "silent": ""} {
		t.Run(name, func(t *testing.T) { breakPipe(t, more) })
	}
}

func breakPipe(t *testing.T, more string) {
	c := server(filepath.Join(t.TempDir(), "wake.db"))
	in, out := piped(t, c)
	_, _ = io.WriteString(in, hello)
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	_ = out.Close()
	_, _ = io.WriteString(in, more)
	done := make(chan error, 1)
	go func() { done <- c.Wait() }()
	waitFor(t, done)
}

// A server whose parent dies without closing the pipe ends by itself.
func TestParentDies(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the middleman of this test shares its pipes as Unix does")
	}
	middle := exec.Command(os.Args[0])
	middle.Env = append(os.Environ(), middleVar+"="+filepath.Join(t.TempDir(), "wake.db"))
	stdin, keepOpen, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer keepOpen.Close()
	stdout, theirs, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	middle.Stdin, middle.Stdout = stdin, theirs
	if err := middle.Run(); err != nil {
		t.Fatal(err)
	}
	_ = theirs.Close()
	gone := make(chan error, 1)
	go func() {
		_, err := io.Copy(io.Discard, stdout) // ends when the server has let go of the pipe
		gone <- err
	}()
	waitFor(t, gone)
}
