package clients

import (
	"slices"
	"strings"
	"testing"

	"wake/summarizer/ollamatest"
)

// Claude Code reaches wake both ways after the one command that adds it.
func TestClaudeCodeConnects(t *testing.T) {
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

// claude is Claude Code.
type claude struct{ assistant }

// ask gives Claude Code a task in a session of its own and returns what it printed.
func (c claude) ask(model, task string) said {
	c.Helper()
	return c.askAt(c.ollama.URL, "false", model, task)
}

// askAt is ask with the models at an address, searching for tools or not.
func (c claude) askAt(url, searching, model, task string) said {
	c.Helper()
	return c.must("env", "ANTHROPIC_BASE_URL="+url, "ANTHROPIC_AUTH_TOKEN=none", "ENABLE_TOOL_SEARCH="+searching, "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
		"claude", "-p", task, "--model", model, "--allowedTools", "mcp__wake", "--output-format", "stream-json", "--verbose")
}

// After wake setup alone Claude Code keeps a decision in one session, and the next begins with it; both are
// recorded by themselves, and what the user said comes back byte for byte.
func TestClaudeCodeRemembers(t *testing.T) {
	c := claude{assistant{newMachine(t), ollamatest.Start(t)}}
	c.must("wake", "setup", "claude-code", "--db", c.db, "--ollama", "off")
	if s := c.must("claude", "mcp", "list"); !connected(s.out, "wake") {
		t.Fatalf("wake is not connected: %s", s)
	}
	c.model("keeper", "mcp__wake__save_context", `{"content":"Refunds are paid by the ledger service only.","action_type":"decision","rationale":"one place books money"}`, "It is kept.")
	c.model("finder", "mcp__wake__search_context", `{"query":"who pays refunds?"}`, "The ledger service pays them.")

	wish, question := "Remember how refunds are paid:\n\tby the “ledger” only.", "Who pays refunds?"
	if kept := c.ask("keeper", wish); !strings.Contains(kept.out, `"result":"It is kept."`) {
		t.Errorf("nothing was kept: %s", kept)
	}
	found := c.ask("finder", question)
	for what, words := range map[string]string{
		"the start": `wake remembers project shop`, "the brief": `\nRefunds are paid by the ledger service only.\n`,
		"the search": `\"summary\":\"Refunds are paid by the ledger service only.\"`, "the answer": `"result":"The ledger service pays them."`,
	} {
		if !strings.Contains(found.out, words) {
			t.Errorf("%s: no %q: %s", what, words, found)
		}
	}
	c.wantSaid("claude-code", wish, question)
}

// A model reads no secrets in resources.
func TestClaudeCodeMasks(t *testing.T) {
	c := claude{assistant{newMachine(t), ollamatest.Start(t)}}
	c.must("wake", "setup", "claude-code", "--db", c.db, "--ollama", "off")
	c.readsMasked(c.ask, "ReadMcpResourceTool", "server")
}

// Where a model has to search for most tools, it is shown from the start the two that it may
// need at any moment.
func TestClaudeCodeShowsTools(t *testing.T) {
	c := claude{assistant{newMachine(t), ollamatest.Start(t)}}
	c.must("wake", "setup", "claude-code", "--db", c.db, "--ollama", "off")
	c.talker("talker", "Hello.")
	requests := c.tap()
	c.askAt(requests.url, "true", "talker", "Hello?")
	var shown []string
	for _, tool := range requests.last("talker").Tools {
		if name, ok := strings.CutPrefix(tool.Name, "mcp__wake__"); ok {
			shown = append(shown, name)
		}
	}
	if want := []string{"save_context", "search_context"}; !slices.Equal(shown, want) {
		t.Errorf("shown are %q, want %q", shown, want)
	}
}
