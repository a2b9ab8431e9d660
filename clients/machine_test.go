package clients

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// patience bounds one run of a client. They take seconds.
const patience = 2 * time.Minute

// nowhere is the proxy through which a client would have to reach the network.
const nowhere = "http://127.0.0.1:9"

// machine is what one test has to itself: an empty home, a folder to work in, a database.
type machine struct {
	*testing.T
	home, folder, db string
}

func newMachine(t *testing.T) machine {
	t.Helper()
	if os.Getenv(installed) == "" {
		t.Skipf("run make test-clients, or set %s to the folder that clients/install.sh prints", installed)
	}
	home := t.TempDir()
	m := machine{t, home, filepath.Join(home, "shop"), filepath.Join(home, "wake.db")}
	if err := os.Mkdir(m.folder, 0o700); err != nil {
		t.Fatal(err)
	}
	return m
}

// env is the whole environment of a client: nothing of the user's but the PATH.
func (m machine) env() []string {
	return []string{"HOME=" + m.home, "PATH=" + os.Getenv("PATH"), "TMPDIR=" + os.TempDir(), "CI=true", "NO_COLOR=1",
		"HTTP_PROXY=" + nowhere, "HTTPS_PROXY=" + nowhere, "NO_PROXY=127.0.0.1,localhost"}
}

// wake is the command line that clients start the server with.
func (m machine) wake(more ...string) []string {
	return append([]string{"wake", "mcp", "--db", m.db, "--ollama", "off"}, more...)
}

// command is a program that has its own process group, which ends with ctx.
func (m machine) command(ctx context.Context, line ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, line[0], line[1:]...)
	c.Env, c.Dir = m.env(), m.folder
	c.WaitDelay = 5 * time.Second
	ownGroup(c)
	return c
}

// said is what a program printed and how it ended.
type said struct {
	line        []string
	out, errors string
	code        int
}

func (s said) String() string {
	return strings.Join(s.line, " ") + "\nexit code " + strconv.Itoa(s.code) + "\n" + s.out + s.errors
}

// run runs a program to its end, and ends what it left behind.
func (m machine) run(line ...string) said {
	m.Helper()
	ctx, cancel := context.WithTimeout(m.Context(), patience)
	defer cancel()
	c := m.command(ctx, line...)
	var stdout, stderr bytes.Buffer
	c.Stdout, c.Stderr = &stdout, &stderr
	err := c.Run()
	endGroup(c)
	s := said{line, stdout.String(), stderr.String(), c.ProcessState.ExitCode()}
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) || ctx.Err() != nil {
		m.Fatalf("%v %v\n%s", err, ctx.Err(), s)
	}
	return s
}

// must is run for a program that has to succeed.
func (m machine) must(line ...string) said {
	m.Helper()
	s := m.run(line...)
	if s.code != 0 {
		m.Fatalf("failed: %s", s)
	}
	return s
}

// served is a running wake serve.
type served struct {
	url, token string
}

func (s served) header() string { return "Authorization: Bearer " + s.token }

// listening finds the address in what wake serve says at its start.
var listening = regexp.MustCompile(`serves MCP at (http://\S+)`)

// serve starts wake serve and, when the test ends, checks that it stops in good order.
func (m machine) serve(more ...string) served {
	m.Helper()
	tokenFile := filepath.Join(m.home, "token")
	c := m.command(context.WithoutCancel(m.Context()), append([]string{"wake", "serve", "--db", m.db, "--ollama", "off",
		"--listen", "127.0.0.1:0", "--token-file", tokenFile}, more...)...)
	stderr, err := c.StderrPipe()
	if err != nil {
		m.Fatal(err)
	}
	if err := c.Start(); err != nil {
		m.Fatal(err)
	}
	log := bufio.NewReader(stderr)
	first, _ := log.ReadString('\n') // what is missing shows below
	m.Cleanup(func() { m.stop(c, log) })
	address := listening.FindStringSubmatch(first)
	if address == nil {
		m.Fatalf("wake serve said %q", first)
	}
	token, err := os.ReadFile(tokenFile)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		m.Fatal(err)
	}
	return served{address[1], strings.TrimSpace(string(token))}
}

// stop tells a server to stop and waits for it.
func (m machine) stop(c *exec.Cmd, log *bufio.Reader) {
	tooLong := time.AfterFunc(10*time.Second, func() { endGroup(c) })
	defer tooLong.Stop()
	_ = c.Process.Signal(os.Interrupt) // Wait tells what became of it
	var rest bytes.Buffer
	_, _ = log.WriteTo(&rest)
	if err := c.Wait(); err != nil {
		m.Errorf("wake serve ended with %v\n%s", err, &rest)
	} else if m.Failed() {
		m.Logf("wake serve said:\n%s", &rest)
	}
	endGroup(c)
}
