package mcp_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	mcpserver "github.com/mark3labs/mcp-go/server"

	"wake/domain"
	"wake/mcp"
	"wake/memory"
	"wake/memory/memorytest"
)

const token = "a-long-random-token"

func serveHTTP(t *testing.T) *httptest.Server {
	t.Helper()
	s, _ := memorytest.Open(t)
	server := httptest.NewServer(mcp.HTTPHandler(mcp.New(s, mcp.Options{Version: "test"}), mcp.HTTPOptions{Token: token, Hosts: []string{"wake.example"}}))
	t.Cleanup(server.Close)
	return server
}

// A real client over streamable HTTP. Its name is remembered between requests.
func TestHTTPClient(t *testing.T) {
	server := serveHTTP(t)
	c, err := client.NewStreamableHttpClient(server.URL+"/mcp", transport.WithHTTPHeaders(map[string]string{"Authorization": "Bearer " + token}))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := c.Start(ctx); err != nil {
		t.Fatal(err)
	}
	shakeHands(t, c)
	p := &peer{t, c, nil}
	if r := p.try("save_context", args{"content": "HTTP carries this too."}); r.IsError {
		t.Fatal(text(r))
	}
	opened := p.try("record", args{"client": "a", "client_session_id": "1", "events": []args{userSays("Over HTTP.")}})
	id := opened.StructuredContent.(map[string]any)["session_id"]
	if saved := p.try("save_context", args{"content": "A fact of that session."}); saved.StructuredContent.(map[string]any)["session_id"] != id {
		t.Errorf("the connection's session is forgotten: %s", text(saved))
	}
	if found := text(p.try("search_context", args{"query": "HTTP"})); !strings.Contains(found, "HTTP carries this too.") {
		t.Errorf("search said %q", found)
	}
}

// Whoever gave the name of an assistant in the handshake is one in later requests too,
// of which each may come over a connection of its own.
func TestHTTPAssistantIsKnown(t *testing.T) {
	const secret = "ghp_aBcDeFgHiJkLmNoPqRsTuVwXyZ0123456789"
	server := serveHTTP(t)
	for name, masked := range map[string]bool{"claude-code": true, "tester": false} {
		c, err := client.NewStreamableHttpClient(server.URL+"/mcp", transport.WithHTTPHeaders(map[string]string{"Authorization": "Bearer " + token}))
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if err := c.Start(ctx); err != nil {
			t.Fatal(err)
		}
		shakeHandsAs(t, c, name)
		p := &peer{t, c, nil}
		saved := p.try("save_context", args{"content": "The deploy key is " + secret + "."}).StructuredContent.(map[string]any)
		loaded := asJSON(t, p.try("load_context", args{"ids": saved["id"]}).StructuredContent)
		if strings.Contains(loaded, secret) == masked {
			t.Errorf("to %s the data tells %s", name, loaded)
		}
	}
}

// A client that goes on after a restart of the server does not give its name again. It may
// be an assistant, so it is shown no secrets.
func TestHTTPAfterRestart(t *testing.T) {
	const secret = "ghp_aBcDeFgHiJkLmNoPqRsTuVwXyZ0123456789"
	s, _ := memorytest.Open(t)
	saved, err := s.Save(ctx, memory.SaveRequest{Content: "The deploy key is " + secret + "."})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(mcp.HTTPHandler(mcp.New(s, mcp.Options{Version: "test"}), mcp.HTTPOptions{Token: token}))
	t.Cleanup(server.Close)
	session := "mcp-session-" + uuid.NewString()
	for _, request := range []string{toolLine(1, "load_context", args{"ids": saved.ID}), readLine("wake://contexts/" + saved.ID)} {
		if told := body(t, post(t, server, http.MethodPost, session, request)); strings.Contains(told, secret) || !strings.Contains(told, "The deploy key is ") {
			t.Errorf("%s is answered with %s", request, told)
		}
	}
}

// Unauthorised requests are refused, and do nothing.
func TestHTTPRefusals(t *testing.T) {
	s, _ := memorytest.Open(t)
	server := httptest.NewServer(mcp.HTTPHandler(mcp.New(s, mcp.Options{Version: "test"}), mcp.HTTPOptions{Token: token, Hosts: []string{"wake.example"}}))
	t.Cleanup(server.Close)
	done := int64(0)
	for _, tt := range []struct {
		name   string
		change func(*http.Request)
		status int
	}{
		{"as it should be", func(*http.Request) {}, http.StatusOK},
		{"no token", func(r *http.Request) { r.Header.Del("Authorization") }, http.StatusUnauthorized},
		{"wrong token", func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+token+"x") }, http.StatusUnauthorized},
		{"wrong scheme", func(r *http.Request) { r.Header.Set("Authorization", "Basic "+token) }, http.StatusUnauthorized},
		{"another host", func(r *http.Request) { r.Host = "evil.example" }, http.StatusForbidden},
		{"another address", func(r *http.Request) { r.Host = "192.0.2.1:8080" }, http.StatusForbidden},
		{"a host that was named", func(r *http.Request) { r.Host = "wake.example:8080" }, http.StatusOK},
		{"a page of another origin", func(r *http.Request) { r.Header.Set("Origin", "https://evil.example") }, http.StatusForbidden},
		{"a page without an origin", func(r *http.Request) { r.Header.Set("Origin", "null") }, http.StatusForbidden},
		{"a page of our own", func(r *http.Request) { r.Header.Set("Origin", "http://localhost:1234") }, http.StatusOK},
		{"reading from another origin", func(r *http.Request) { r.Method = http.MethodGet; r.Header.Set("Origin", "https://evil.example") }, http.StatusForbidden},
		{"too long", func(r *http.Request) {
			r.ContentLength = domain.MaxMessage + 1
			r.Body = io.NopCloser(io.LimitReader(letters{}, r.ContentLength))
		}, http.StatusRequestEntityTooLarge},
		{"too long without saying so", func(r *http.Request) {
			r.ContentLength = -1
			r.Body = io.NopCloser(io.LimitReader(letters{}, domain.MaxMessage+1))
		}, http.StatusRequestEntityTooLarge},
		{"not JSON", func(r *http.Request) { r.Body = io.NopCloser(strings.NewReader("{")); r.ContentLength = 1 }, http.StatusBadRequest},
	} {
		t.Run(tt.name, func(t *testing.T) {
			save := line(1, "tools/call", args{"name": "save_context", "arguments": args{"content": "A fact, sent " + tt.name + "."}})
			r, err := http.NewRequest(http.MethodPost, server.URL+"/mcp", strings.NewReader(save))
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Mcp-Session-Id", "mcp-session-"+uuid.NewString())
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("Accept", "application/json, text/event-stream")
			r.Header.Set("Authorization", "Bearer "+token)
			tt.change(r)
			resp, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			if resp.StatusCode != tt.status {
				body, _ := io.ReadAll(resp.Body)
				t.Errorf("status %d, want %d: %.200s", resp.StatusCode, tt.status, body)
			}
			if asked := resp.Header.Get("WWW-Authenticate") != ""; asked != (tt.status == http.StatusUnauthorized) {
				t.Errorf("with status %d, a token is asked for: %v", tt.status, asked)
			}
			if tt.status == http.StatusOK {
				done++
			}
			if counts, err := s.Counts(ctx, ""); err != nil || counts.Contexts != done {
				t.Errorf("%d contexts are kept, want %d, %v", counts.Contexts, done, err)
			}
		})
	}
}

// Without a token, as on a loopback address, none is asked for.
// A client that asks whether to send what is too long is told so at once.
func TestHTTPLongRequestIsNotAskedFor(t *testing.T) {
	conn, err := net.Dial("tcp", serveHTTP(t).Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: %d\r\n\r\n",
		token, domain.MaxMessage+1)
	if resp, err := http.ReadResponse(bufio.NewReader(conn), nil); err != nil || resp.StatusCode != http.StatusRequestEntityTooLarge {
		t.Errorf("answered %v, %v", resp, err)
	}
}

// A request that is too long is read to its end and answered, and its connection stays.
// A client that only then reads the answer would otherwise find the connection broken.
func TestHTTPLongRequestIsAnswered(t *testing.T) {
	server := serveHTTP(t)
	const length = domain.MaxMessage + 4<<20
	head := fmt.Sprintf("POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\n", token)
	chunk := strings.Repeat("x", 1<<20)
	for name, send := range map[string]func(w io.Writer) error{
		"with its length": func(w io.Writer) error {
			_, err := io.Copy(w, io.MultiReader(strings.NewReader(fmt.Sprintf("%sContent-Length: %d\r\n\r\n", head, length)), io.LimitReader(letters{}, length)))
			return err
		},
		"in chunks": func(w io.Writer) error {
			_, err := io.WriteString(w, head+"Transfer-Encoding: chunked\r\n\r\n")
			for i := 0; i < length>>20 && err == nil; i++ {
				_, err = fmt.Fprintf(w, "%x\r\n%s\r\n", len(chunk), chunk)
			}
			if err == nil {
				_, err = io.WriteString(w, "0\r\n\r\n")
			}
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			conn, err := net.Dial("tcp", server.Listener.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			answers := bufio.NewReader(conn)
			for range 2 {
				if err := send(conn); err != nil {
					t.Fatal(err)
				}
				resp, err := http.ReadResponse(answers, nil)
				if err != nil {
					t.Fatal(err)
				}
				said, err := io.ReadAll(resp.Body)
				if err != nil || resp.StatusCode != http.StatusRequestEntityTooLarge || !strings.Contains(string(said), "32 MiB") {
					t.Errorf("status %d, %v: %.200s", resp.StatusCode, err, said)
				}
			}
		})
	}
}

func TestHTTPWithoutToken(t *testing.T) {
	s, _ := memorytest.Open(t)
	server := httptest.NewServer(mcp.HTTPHandler(mcp.New(s, mcp.Options{Version: "test"}), mcp.HTTPOptions{}))
	t.Cleanup(server.Close)
	resp, err := http.Post(server.URL+"/mcp", "application/json", strings.NewReader(strings.Split(hello, "\n")[0]))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		t.Errorf("status %d", resp.StatusCode)
	}
}

// Of an idle session the library keeps nothing, but its client can continue in the
// session that it opened.
func TestHTTPSilentSession(t *testing.T) {
	service, _ := memorytest.Open(t)
	s := mcp.New(service, mcp.Options{Version: "test"})
	listening := httptest.NewServer(mcp.HTTPHandlerForgetting(s, mcp.HTTPOptions{Token: token}, time.Millisecond))
	t.Cleanup(listening.Close)
	session := post(t, listening, http.MethodPost, "", strings.Split(hello, "\n")[0]).Header.Get("Mcp-Session-Id")
	call := func(tool string, a args) string {
		t.Helper()
		return body(t, post(t, listening, http.MethodPost, session, line(1, "tools/call", args{"name": tool, "arguments": a})))
	}
	call("record", args{"client": "a", "client_session_id": "1", "events": []args{userSays("I fall silent.")}})
	for began := time.Now(); ; time.Sleep(50 * time.Millisecond) {
		err := s.MCP().SendNotificationToSpecificClient(session, "notifications/message", nil)
		if errors.Is(err, mcpserver.ErrSessionNotFound) {
			break
		}
		if time.Since(began) > time.Minute {
			t.Fatalf("the session stays: %v", err)
		}
	}
	if said := call("save_context", args{"content": "A fact of that session."}); !strings.Contains(said, `"session_id"`) {
		t.Errorf("after a long silence the connection's session is forgotten: %s", said)
	}
}

// For a client that has left without notice, the store is not looked at for ever; for one that
// continues, it is again.
func TestHTTPSilentWatcher(t *testing.T) {
	service, _ := memorytest.Open(t)
	s := mcp.New(service, mcp.Options{Version: "test"})
	listening := httptest.NewServer(mcp.HTTPHandlerForgetting(s, mcp.HTTPOptions{Token: token}, time.Millisecond))
	t.Cleanup(listening.Close)
	session := post(t, listening, http.MethodPost, "", strings.Split(hello, "\n")[0]).Header.Get("Mcp-Session-Id")
	until := func(watched bool, do func()) {
		t.Helper()
		for began := time.Now(); s.Watched() != watched; time.Sleep(20 * time.Millisecond) {
			if do(); time.Since(began) > time.Minute {
				t.Fatalf("watched is %v", !watched)
			}
		}
	}
	request := func(method string, params any) func() {
		return func() { body(t, post(t, listening, http.MethodPost, session, line(1, method, params))) }
	}
	until(true, request("resources/subscribe", args{"uri": "wake://projects"}))
	until(false, func() {})
	until(true, request("ping", nil))
}

// Many clients that come and go do not make the server forget one that stays.
func TestHTTPManySessions(t *testing.T) {
	server := serveHTTP(t)
	session := post(t, server, http.MethodPost, "", strings.Split(hello, "\n")[0]).Header.Get("Mcp-Session-Id")
	call := func(tool string, a args) string {
		t.Helper()
		return body(t, post(t, server, http.MethodPost, session, line(1, "tools/call", args{"name": tool, "arguments": a})))
	}
	call("record", args{"client": "a", "client_session_id": "1", "events": []args{userSays("I stay.")}})
	for n := range 1100 {
		post(t, server, http.MethodPost, "", strings.Split(hello, "\n")[0])
		if n%500 == 0 {
			call("memory_stats", args{})
		}
	}
	if said := call("save_context", args{"content": "A fact of that session."}); !strings.Contains(said, `"session_id"`) {
		t.Errorf("the connection's session is forgotten: %s", said)
	}
}

// post sends one request with or without a session.
func post(t *testing.T, server *httptest.Server, method, session, message string) *http.Response {
	t.Helper()
	return send(t, server, method, map[string]string{"Mcp-Session-Id": session}, message)
}

// send sends a message with more headers than each has.
func send(t *testing.T, server *httptest.Server, method string, more map[string]string, message string) *http.Response {
	t.Helper()
	r, err := http.NewRequest(method, server.URL+"/mcp", strings.NewReader(message))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "Authorization": "Bearer " + token} {
		r.Header.Set(name, value)
	}
	for name, value := range more {
		r.Header.Set(name, value)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	resp.Body = io.NopCloser(bytes.NewReader(data))
	return resp
}

func body(t *testing.T, resp *http.Response) string {
	t.Helper()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// A session that its client has ended does not exist any more; one from before a
// restart does.
func TestHTTPSessions(t *testing.T) {
	server := serveHTTP(t)
	ping := strings.TrimSpace(line(1, "ping", nil))
	session := post(t, server, http.MethodPost, "", strings.Split(hello, "\n")[0]).Header.Get("Mcp-Session-Id")
	for _, step := range []struct {
		method, session string
		status          int
	}{
		{http.MethodPost, session, http.StatusOK},
		{http.MethodPost, "mcp-session-" + uuid.NewString(), http.StatusOK},
		{http.MethodPost, "made up", http.StatusNotFound},
		{http.MethodDelete, session, http.StatusOK},
		{http.MethodPost, session, http.StatusNotFound},
		{http.MethodGet, session, http.StatusNotFound},
		{http.MethodDelete, session, http.StatusNotFound},
		{http.MethodGet, "made up", http.StatusNotFound},
		{http.MethodDelete, "made up", http.StatusNotFound},
		{http.MethodDelete, "", http.StatusMethodNotAllowed},
	} {
		if got := post(t, server, step.method, step.session, ping).StatusCode; got != step.status {
			t.Errorf("%s with %q: status %d, want %d", step.method, step.session, got, step.status)
		}
	}
}

// In the protocol of 2026-07-28, where a call is cancelled by closing its stream, the Go SDK also
// says so in a message without the fields that each request has. If that is refused, the SDK gives
// up the connection. Nothing but a notification is accepted like this.
func TestHTTPNotificationOfTheNewestProtocol(t *testing.T) {
	server := serveHTTP(t)
	cancelled := `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`
	for _, tt := range []struct {
		method, message string
		status          int
	}{
		{"notifications/cancelled", cancelled, http.StatusAccepted},
		{"tools/list", cancelled, http.StatusBadRequest},
		{"notifications/cancelled", line(1, "tools/list", nil), http.StatusBadRequest},
		{"notifications/cancelled", strings.Replace(cancelled, `{`, `{"id":1,`, 1), http.StatusBadRequest},
		{"notifications/cancelled", "{", http.StatusBadRequest},
		{"tools/list", line(1, "tools/list", nil), http.StatusBadRequest},
	} {
		resp := send(t, server, http.MethodPost, map[string]string{"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": tt.method}, tt.message)
		if said := body(t, resp); resp.StatusCode != tt.status {
			t.Errorf("%s, called %s: status %d, want %d: %s", tt.message, tt.method, resp.StatusCode, tt.status, said)
		}
	}
}
