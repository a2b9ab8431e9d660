package clients

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// mcp-remote lets a client that knows pipes alone use a server over HTTP.
func TestRemote(t *testing.T) {
	m := newMachine(t)
	server := m.serve()
	in := newInspector(m, "--config", m.config("mcp-remote", server.url, "--transport", "http-only", "--header", server.header()), "--server", "wake")
	in.call("save_context", `{"content":"The warehouse counts stock at midnight."}`, "Saved")
	in.call("search_context", `{"query":"when is stock counted?"}`, "midnight")
}

// config writes a client's configuration in the form that most of them share: wake, started by a command line.
func (m machine) config(line ...string) string {
	m.Helper()
	raw, err := json.Marshal(map[string]any{"mcpServers": map[string]any{"wake": map[string]any{"command": line[0], "args": line[1:]}}})
	if err != nil {
		m.Fatal(err)
	}
	path := filepath.Join(m.home, "mcp.json")
	if err := os.WriteFile(path, raw, 0o600); err != nil {
		m.Fatal(err)
	}
	return path
}
