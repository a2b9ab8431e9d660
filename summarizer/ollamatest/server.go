// Package ollamatest runs a real Ollama server for a test, with tiny models created by
// the test itself.
//
//	server := ollamatest.Start(t)
//	server.Chat(t, "scribe", `{"summary":"…","tags":["…"]}`)
//	o, err := summarizer.NewOllama(server.URL, "scribe", "")
//
// The server's program is the one named by WAKE_OLLAMA_BIN, else "ollama" on the PATH;
// failing both, a server already listening at OLLAMA_HOST on this machine is used.
// Without any, the test is skipped, or fails if CI=true. A server started here has a
// folder of its own, listens only on loopback and cannot reach the network.
package ollamatest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ollama/ollama/api"

	"wake/testdata/tinymodel"
)

// startTime is how long a server may take until its first answer.
const startTime = 30 * time.Second

// nowhere is a proxy address that keeps the server from reaching the network.
const nowhere = "http://127.0.0.1:9"

// Server is a running Ollama server.
type Server struct {
	URL    string // for example http://127.0.0.1:40123
	Own    bool   // it was started here and may be stopped
	client *api.Client
	cmd    *exec.Cmd
	killed sync.Once
}

// Start returns a server for t and stops it when t ends.
func Start(t testing.TB) *Server {
	t.Helper()
	if program := findProgram(); program != "" {
		return startOwn(t, program)
	}
	if s := running(t); s != nil {
		return s
	}
	const hint = "no Ollama server: set WAKE_OLLAMA_BIN=$(scripts/build-ollama.sh), put ollama on the PATH, or start one at OLLAMA_HOST"
	if os.Getenv("CI") == "true" {
		t.Fatal(hint)
	}
	t.Skip(hint)
	return nil
}

func findProgram() string {
	if program := os.Getenv("WAKE_OLLAMA_BIN"); program != "" {
		return program
	}
	program, err := exec.LookPath("ollama")
	if err != nil {
		return ""
	}
	return program
}

// running returns the server at OLLAMA_HOST if it answers and is on this machine, else
// nil.
func running(t testing.TB) *Server {
	host := os.Getenv("OLLAMA_HOST")
	if host == "" {
		return nil
	}
	if !strings.Contains(host, "://") {
		host = "http://" + host
	}
	base, err := url.Parse(host)
	if err != nil || !isLoopback(base.Hostname()) {
		return nil
	}
	s := &Server{URL: base.String(), client: api.NewClient(base, http.DefaultClient)}
	if s.client.Heartbeat(t.Context()) != nil {
		return nil
	}
	return s
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

func startOwn(t testing.TB, program string) *Server {
	t.Helper()
	home, address := t.TempDir(), freeAddress(t)
	log := &bytes.Buffer{}
	cmd := exec.Command(program, "serve")
	cmd.Env = append(os.Environ(), "HOME="+home, "OLLAMA_HOST="+address, "OLLAMA_MODELS="+filepath.Join(home, "models"),
		"OLLAMA_NUM_PARALLEL=1", "HTTP_PROXY="+nowhere, "HTTPS_PROXY="+nowhere, "NO_PROXY=127.0.0.1")
	cmd.Stdout, cmd.Stderr = log, log
	ownGroup(cmd)
	if err := cmd.Start(); err != nil {
		t.Fatalf("starting %s: %v", program, err)
	}
	base := &url.URL{Scheme: "http", Host: address}
	s := &Server{URL: base.String(), Own: true, client: api.NewClient(base, http.DefaultClient), cmd: cmd}
	t.Cleanup(func() {
		s.Kill()
		if t.Failed() {
			t.Logf("the server's log:\n%s", log)
		}
	})
	s.waitForStart(t)
	return s
}

func freeAddress(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

func (s *Server) waitForStart(t testing.TB) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), startTime)
	defer cancel()
	for {
		err := s.client.Heartbeat(ctx)
		if err == nil {
			return
		}
		select {
		case <-ctx.Done():
			t.Fatalf("the server did not start: %v", err)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// Kill ends the server and what it started at once. A server that was not started here
// is left alone.
func (s *Server) Kill() {
	if s.Own {
		s.killed.Do(func() {
			killGroup(s.cmd)
			_ = s.cmd.Wait() // it was killed, so an error is expected
		})
	}
}

// Chat creates a model that always gives the same answer.
func (s *Server) Chat(t testing.TB, name, answer string) {
	t.Helper()
	s.Scripted(t, name, chatTemplate+"<|answer|>", map[string]string{"<|answer|>": answer})
}

// Thinker creates a model like that of [Server.Chat] that can think before it answers.
func (s *Server) Thinker(t testing.TB, name, answer string) {
	t.Helper()
	template := `{{ range .Messages }}{{ if .Thinking }}<think>{{ .Thinking }}</think>{{ end }}{{ .Content }}{{ end }}`
	s.Scripted(t, name, template+"<|answer|>", map[string]string{"<|answer|>": answer})
}

// Scripted creates a model that answers answers[m] if its template, in Ollama's
// template language, ends the prompt with the marker m, see [tinymodel.Chat]. With a
// template that describes tools, it can call them.
func (s *Server) Scripted(t testing.TB, name, template string, answers map[string]string) {
	t.Helper()
	s.create(t, name, tinymodel.Chat(answers), template)
}

// Noise creates a model that answers random characters.
func (s *Server) Noise(t testing.TB, name string) {
	t.Helper()
	s.create(t, name, tinymodel.Noise(1), chatTemplate)
}

// Embedding creates an embedding model for the words of vocabulary, see
// [tinymodel.Embedding].
func (s *Server) Embedding(t testing.TB, name, vocabulary string, synonyms ...[]string) {
	t.Helper()
	s.create(t, name, tinymodel.Embedding(64, vocabulary, synonyms...), "")
}

// Remote creates a model that another host would run.
func (s *Server) Remote(t testing.TB, name, host string) {
	t.Helper()
	s.send(t, &api.CreateRequest{Model: name, From: "elsewhere", RemoteHost: host})
}

const chatTemplate = `{{ range .Messages }}<|im_start|>{{ .Role }}
{{ .Content }}<|im_end|>
{{ end }}<|im_start|>assistant
`

func (s *Server) create(t testing.TB, name string, model []byte, template string) {
	t.Helper()
	digest := fmt.Sprintf("sha256:%x", sha256.Sum256(model))
	if err := s.client.CreateBlob(t.Context(), digest, bytes.NewReader(model)); err != nil {
		t.Fatalf("sending model %s: %v", name, err)
	}
	// More threads than free processors wait for one another at every step, a thousand
	// times longer than they work.
	parameters := map[string]any{"num_thread": 1}
	s.send(t, &api.CreateRequest{Model: name, Files: map[string]string{name + ".gguf": digest}, Template: template, Parameters: parameters})
}

func (s *Server) send(t testing.TB, req *api.CreateRequest) {
	t.Helper()
	if err := s.client.Create(t.Context(), req, func(api.ProgressResponse) error { return nil }); err != nil {
		t.Fatalf("creating model %s: %v", req.Model, err)
	}
	if !s.Own {
		t.Cleanup(func() { _ = s.client.Delete(context.Background(), &api.DeleteRequest{Model: req.Model}) })
	}
}
