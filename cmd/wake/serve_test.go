package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

// serving starts wake serve on a free port and returns its URL and token.
func serving(t *testing.T, home string, args ...string) (url, token string, stop func()) {
	t.Helper()
	cmd := command(home, append([]string{"serve", "--listen", "127.0.0.1:0", "--token-file", filepath.Join(home, "keys", "token")}, args...)...)
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	line, err := bufio.NewReader(stderr).ReadString('\n')
	if err != nil {
		t.Fatalf("%v %q", err, line)
	}
	url = regexp.MustCompile(`http://\S+`).FindString(line)
	secret, err := os.ReadFile(filepath.Join(home, "keys", "token"))
	if err != nil && len(args) == 0 {
		t.Fatal(err)
	}
	return url, strings.TrimSpace(string(secret)), func() {
		t.Helper()
		end(t, cmd)
	}
}

// A client with the token from the file is served. The token stays the same over
// restarts, and only its owner can read it.
func TestServe(t *testing.T) {
	home, ctx := t.TempDir(), t.Context()
	url, token, stop := serving(t, home)
	c, err := client.NewStreamableHttpClient(url, transport.WithHTTPHeaders(map[string]string{"Authorization": "Bearer " + token}))
	if err != nil {
		t.Fatal(err)
	}
	hello := mcp.InitializeRequest{}
	hello.Params.ProtocolVersion = mcp.LATEST_PROTOCOL_VERSION
	hello.Params.ClientInfo = mcp.Implementation{Name: "test", Version: "1"}
	if _, err := c.Initialize(ctx, hello); err != nil {
		t.Fatal(err)
	}
	if _, err := saveOver(ctx, c, "The bell rings at nine."); err != nil {
		t.Fatal(err)
	}
	c.Close()
	stop()
	if found := run(t, home, "search", "when does the bell ring?"); !strings.Contains(found, "nine") {
		t.Errorf("what was saved over HTTP is not found: %s", found)
	}
	wantPrivate(t, filepath.Join(home, "keys", "token"))
	_, again, stop := serving(t, home)
	defer stop()
	if again != token {
		t.Error("a restart made another token")
	}
}

// The input of an unauthorised client is read only up to a limit.
func TestServeBoundsHeaders(t *testing.T) {
	url, _, stop := serving(t, t.TempDir())
	defer stop()
	for size, want := range map[int]int{1 << 10: http.StatusUnauthorized, 200 << 10: http.StatusRequestHeaderFieldsTooLarge} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		r.Header = http.Header{"X-Long": {strings.Repeat("x", size)}}
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if answer.StatusCode != want {
			t.Errorf("%d bytes of headers: status %d, want %d", size, answer.StatusCode, want)
		}
	}
}

// Requests without the token, or for another host, are refused.
func TestServeRefuses(t *testing.T) {
	url, token, stop := serving(t, t.TempDir())
	defer stop()
	for name, c := range map[string]struct {
		authorization, host, origin string
		want                        int
	}{
		"no token":       {"", "", "", http.StatusUnauthorized},
		"wrong token":    {"Bearer " + token + "x", "", "", http.StatusUnauthorized},
		"no bearer":      {token, "", "", http.StatusUnauthorized},
		"strange host":   {"Bearer " + token, "evil.example", "", http.StatusForbidden},
		"strange origin": {"Bearer " + token, "", "https://evil.example", http.StatusForbidden},
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}`))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Authorization", c.authorization)
		if c.origin != "" {
			r.Header.Set("Origin", c.origin)
		}
		r.Host = c.host
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if answer.StatusCode != c.want {
			t.Errorf("%s: status %d, want %d", name, answer.StatusCode, c.want)
		}
	}
}

// A server may be called by its listening name and the names of --host. The listening
// address must be valid.
func TestServeNames(t *testing.T) {
	for name, tt := range map[string]struct {
		flags serveFlags
		names []string
		wrong string
	}{
		"an address":     {serveFlags{listen: "192.0.2.7:1"}, []string{"192.0.2.7"}, ""},
		"IPv6":           {serveFlags{listen: "[2001:db8::7]:1"}, []string{"2001:db8::7"}, ""},
		"all addresses":  {serveFlags{listen: "0.0.0.0:1"}, nil, ""},
		"all, unnamed":   {serveFlags{listen: ":1", hosts: []string{"wake.example"}}, []string{"wake.example"}, ""},
		"no address":     {serveFlags{}, nil, "not an address with a port"},
		"a port alone":   {serveFlags{listen: "9253"}, nil, "not an address with a port"},
		"a host's URL":   {serveFlags{listen: ":1", hosts: []string{"https://wake.example"}}, nil, "without scheme and port"},
		"a host's port":  {serveFlags{listen: ":1", hosts: []string{"wake.example:80"}}, nil, "without scheme and port"},
		"a host of IPv6": {serveFlags{listen: ":1", hosts: []string{"2001:db8::7"}}, []string{"2001:db8::7"}, ""},
	} {
		names, err := tt.flags.names()
		if !slices.Equal(names, tt.names) || (tt.wrong == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), tt.wrong) {
			t.Errorf("%s: %q %v", name, names, err)
		}
	}
}

// A server on all addresses prints one that clients can use.
func TestServeAllAddresses(t *testing.T) {
	url, token, stop := serving(t, t.TempDir(), "--listen", "0.0.0.0:0", "--host", "wake.example")
	defer stop()
	for _, host := range []string{"", "wake.example:1"} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodHead, url, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Host = host
		r.Header.Set("Authorization", "Bearer "+token)
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if answer.StatusCode != http.StatusOK {
			t.Errorf("%s as %q: status %d", url, host, answer.StatusCode)
		}
	}
}

// A stopping server finishes running calls, and does not wait for open streams.
func TestServeStops(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	began, finish := make(chan struct{}, 1), make(chan struct{})
	served := make(chan error, 1)
	go func() {
		served <- serveUntil(ctx, listener, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			began <- struct{}{}
			select {
			case <-r.Context().Done():
				w.WriteHeader(http.StatusGone)
			case <-finish:
			}
		}))
	}()
	open := func(method, calls string) chan int {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), method, "http://"+listener.Addr().String(), nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Mcp-Method", calls)
		status := make(chan int, 1)
		go func() {
			answer, err := http.DefaultClient.Do(r)
			if err != nil {
				status <- 0
				return
			}
			answer.Body.Close()
			status <- answer.StatusCode
		}()
		<-began
		return status
	}
	streams := []chan int{open(http.MethodGet, ""), open(http.MethodPost, "subscriptions/listen")}
	call := open(http.MethodPost, "tools/call")
	stop()
	for _, stream := range streams {
		if got := <-stream; got != http.StatusGone {
			t.Errorf("a stream ends with %d", got)
		}
	}
	close(finish)
	if got := <-call; got != http.StatusOK {
		t.Errorf("the call under way is answered %d", got)
	}
	if err := <-served; err != nil {
		t.Error(err)
	}
}

// A slow request is cut off, even one that was refused before it was read: a server
// without a limit would wait for the rest before it answers.
func TestServeSlowRequests(t *testing.T) {
	server := httpServer(t.Context(), routes(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "no token", http.StatusUnauthorized)
	})))
	server.ReadTimeout /= 100
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = server.Serve(listener) }()
	defer server.Close()
	for _, path := range []string{"/mcp", "/elsewhere"} {
		conn, err := net.Dial("tcp", listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		_ = conn.SetDeadline(time.Now().Add(patience))
		fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n", path)
		if _, err := io.ReadAll(conn); err != nil {
			t.Errorf("%s: the connection stays: %v", path, err)
		}
	}
}
