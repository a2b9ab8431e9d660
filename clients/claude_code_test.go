package clients

import (
	"strings"
	"testing"
)

// Claude Code reaches wake both ways after the one command that adds it.
func TestClaudeCode(t *testing.T) {
	m := newMachine(t)
	server := m.serve()
	m.must(append([]string{"claude", "mcp", "add", "wake", "--"}, m.wake()...)...)
	m.must("claude", "mcp", "add", "--transport", "http", "wake-http", server.url, "--header", server.header())
	s := m.must("claude", "mcp", "list")
	for _, name := range []string{"wake", "wake-http"} {
		if !connected(s.out, name) {
			t.Errorf("%s is not connected: %s", name, s)
		}
	}
}

// connected reports whether a server's line says so.
func connected(list, name string) bool {
	for line := range strings.Lines(list) {
		if strings.HasPrefix(line, name+":") {
			return strings.HasSuffix(strings.TrimSpace(line), "✔ Connected")
		}
	}
	return false
}
