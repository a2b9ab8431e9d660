package clients

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"wake/summarizer/ollamatest"
)

// codex is OpenAI's Codex CLI. It groups the tools of MCP servers in a way that Ollama does not pass on to
// models, so its model only talks.
type codex struct{ assistant }

// ask gives Codex a task in a session of its own, with more in its environment, and returns what it printed.
func (c codex) ask(model, task string, env ...string) said {
	c.Helper()
	line := append([]string{"env", "CODEX_OSS_BASE_URL=" + c.ollama.URL + "/v1"}, env...)
	return c.must(append(line, "codex", "exec", "--json", "--oss", "--local-provider", "ollama",
		"-m", model+":latest", "--skip-git-repo-check", "--dangerously-bypass-hook-trust", task)...)
}

// After wake setup alone Codex begins with what is known of the project and records its sessions.
func TestCodexRemembers(t *testing.T) {
	c := codex{assistant{newMachine(t), ollamatest.Start(t)}}
	c.must("wake", "setup", "codex", "--db", c.db, "--ollama", "off")
	if s := c.must("codex", "mcp", "list"); !strings.Contains(s.out, "wake") {
		t.Fatalf("wake is not set up: %s", s)
	}
	c.must("wake", "save", "--db", c.db, "--ollama", "off", "Refunds are paid by the ledger service only.")
	c.talker("talker", "The ledger service pays them.")

	first, second := "Who pays refunds?\n\tOne “word” please.", "And who pays fees?"
	for _, question := range []string{first, second} {
		if s := c.ask("talker", question); !strings.Contains(s.out, "The ledger service pays them.") {
			t.Errorf("no answer: %s", s)
		}
	}
	if told := c.rollouts(); strings.Count(told, "wake remembers project shop") < 2 || !strings.Contains(told, "paid by the ledger service only") {
		t.Errorf("the model was not told what is known:\n%s", told)
	}
	c.wantSaid("codex", first, second)
}

// Codex starts servers with next to nothing of its own environment, and hooks with all of it. Both have
// to use one database.
func TestCodexPassesEnvironment(t *testing.T) {
	c := codex{assistant{newMachine(t), ollamatest.Start(t)}}
	c.must("wake", "setup", "codex", "--ollama", "off")
	c.talker("talker", "Hello.")
	c.ask("talker", "Hello?", "WAKE_DB="+c.db)
	if _, err := os.Stat(c.db); err != nil {
		t.Errorf("the hooks: %v", err)
	}
	if _, err := os.Stat(filepath.Join(c.home, ".local", "share", "wake")); err == nil {
		t.Error("the server began a database of its own")
	}
}

// Where a model has to search for tools, Codex shows it one line of wake's instructions. That
// says when to look for which tool.
func TestCodexShowsTools(t *testing.T) {
	c := codex{assistant{newMachine(t), ollamatest.Start(t)}}
	c.must("wake", "setup", "codex", "--db", c.db, "--ollama", "off")
	const searching = "gpt-5.5" // Codex knows of a model of this name that it can search
	c.talker(searching, "Hello.")
	c.ask(searching, "Hello?")
	_, shown, _ := strings.Cut(c.rollouts(), "- mcp__wake: ")
	shown, _, _ = strings.Cut(shown, `\n`)
	for _, words := range []string{"`save_context` what is decided", "`search_context` before you decide", "`resume` after a compaction"} {
		if !strings.Contains(shown, words) {
			t.Errorf("no %q in %q", words, shown)
		}
	}
}

// rollouts is what Codex wrote down of all its sessions, the model's input included.
func (c codex) rollouts() string {
	c.Helper()
	var all strings.Builder
	err := filepath.WalkDir(filepath.Join(c.home, ".codex", "sessions"), func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		all.Write(text)
		return err
	})
	if err != nil {
		c.Fatal(err)
	}
	return all.String()
}
