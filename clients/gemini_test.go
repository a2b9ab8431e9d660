package clients

import (
	"strings"
	"testing"
)

// Gemini CLI reaches wake after wake setup, in a folder that the user trusts.
func TestGeminiConnects(t *testing.T) {
	m := newMachine(t)
	m.must("wake", "setup", "gemini", "--db", m.db, "--ollama", "off")
	s := m.must("env", "GEMINI_CLI_TRUST_WORKSPACE=true", "gemini", "mcp", "list")
	if list := s.out + s.errors; !strings.Contains(list, "✓ wake:") || !strings.Contains(list, "- Connected") {
		t.Errorf("wake is not connected: %s", s)
	}
}
