//go:build unix

package main

import (
	"net"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"wake/repository/postgres/pgtest"
)

// Where PostgreSQL is far away, a client need not wait for a hook whose answer nobody hears:
// its server keeps it in the spool, and stores it without another hook.
func TestFarHooks(t *testing.T) {
	address, way := farAway(t, pgtest.Start(t).Schema(t))
	h := shortHome(t)
	db := "WAKE_DB=" + address
	wake := func(input string, args ...string) string {
		t.Helper()
		c := command(h.dir, args...)
		c.Env, c.Stdin = append(c.Env, db), strings.NewReader(input)
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("wake %v: %v\n%s", args, err, out)
		}
		return string(out)
	}
	server := h.serve([]string{db}, "mcp")
	const prompt, used = `{"hook_event_name":"UserPromptSubmit","session_id":"s","prompt":"over a long way"}`,
		`{"hook_event_name":"PostToolUse","session_id":"s","tool_use_id":"t1","tool_name":"Bash","tool_input":{"command":"ls"}}`
	wake(prompt, "hook", "claude-code")
	way.Lock()
	said := wake(used, "hook", "claude-code")
	way.Unlock()
	if said != "" {
		t.Errorf("the hook waited for the database: %s", said)
	}
	await(t, "the hook was not stored", func() bool {
		return strings.Contains(wake("", "export", "-o", "-"), `"tool_call_id":"t1"`)
	})
	server.end(t)
}

// farAway is a server of PostgreSQL as it is reached over a long way, which is closed while
// the lock is held.
func farAway(t *testing.T, socket string) (address string, way *sync.RWMutex) {
	t.Helper()
	u, err := url.Parse(socket)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	query := u.Query()
	path := filepath.Join(query.Get("host"), ".s.PGSQL.5432")
	query.Del("host")
	query.Set("sslmode", "disable")
	u.Host, u.RawQuery = listener.Addr().String(), query.Encode()
	way = &sync.RWMutex{}
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			server, err := net.Dial("unix", path)
			if err != nil {
				_ = client.Close()
				continue
			}
			go travel(server, client, way)
			go travel(client, server, way)
		}
	}()
	return u.String(), way
}

// travel passes on what comes from one end of a connection to the other.
func travel(to, from net.Conn, way *sync.RWMutex) {
	defer to.Close()
	for message := make([]byte, 64<<10); ; {
		n, err := from.Read(message)
		if err != nil {
			return
		}
		time.Sleep(30 * time.Millisecond)
		way.RLock()
		_, err = to.Write(message[:n])
		way.RUnlock()
		if err != nil {
			return
		}
	}
}
