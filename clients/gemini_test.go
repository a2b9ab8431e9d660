package clients

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
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

// gemini is Gemini CLI. Ollama does not speak its protocol, so its model gives one answer
// and calls no tool.
type gemini struct {
	machine
	url  string
	mu   sync.Mutex
	told []string // the requests
}

func newGemini(t *testing.T) *gemini {
	t.Helper()
	g := &gemini{machine: newMachine(t)}
	s := httptest.NewServer(g)
	t.Cleanup(s.Close)
	g.url = s.URL
	settings := filepath.Join(g.home, ".gemini", "settings.json")
	if err := os.Mkdir(filepath.Dir(settings), 0o700); err != nil {
		t.Fatal(err)
	}
	const keyed = `{"security": {"auth": {"selectedType": "gemini-api-key"}}, "privacy": {"usageStatisticsEnabled": false}}`
	if err := os.WriteFile(settings, []byte(keyed), 0o600); err != nil {
		t.Fatal(err)
	}
	return g
}

// ServeHTTP answers as the model.
func (g *gemini) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body) // what is missing shows in the test
	g.mu.Lock()
	g.told = append(g.told, string(body))
	g.mu.Unlock()
	answer := `{"candidates": [{"content": {"role": "model", "parts": [{"text": "The ledger pays."}]}, "finishReason": "STOP", "index": 0}], ` +
		`"usageMetadata": {"promptTokenCount": 9, "candidatesTokenCount": 4, "totalTokenCount": 13}}`
	w.Header().Set("Content-Type", "application/json")
	if strings.HasSuffix(r.URL.Path, ":streamGenerateContent") {
		w.Header().Set("Content-Type", "text/event-stream")
		answer = "data: " + answer + "\n\n"
	}
	_, _ = io.WriteString(w, answer) // a client that has gone needs none
}

// ask gives Gemini CLI a task in a session of its own, which has to answer it.
func (g *gemini) ask(task string, flags ...string) {
	g.Helper()
	s := g.must(append([]string{"env", "GEMINI_API_KEY=none", "GOOGLE_GEMINI_BASE_URL=" + g.url, "GEMINI_CLI_TRUST_WORKSPACE=true",
		"gemini", "-m", "gemini-2.5-flash", "-p", task}, flags...)...)
	if !strings.Contains(s.out, "The ledger pays.") {
		g.Errorf("no answer: %s", s)
	}
}

// After wake setup alone Gemini CLI begins with what is known of the project and records its
// sessions. A file that a prompt names is not among the person's words.
func TestGeminiRemembers(t *testing.T) {
	g := newGemini(t)
	g.must("wake", "setup", "gemini", "--db", g.db, "--ollama", "off")
	g.must("wake", "save", "--db", g.db, "--ollama", "off", "Refunds are paid by the ledger service only.")
	if err := os.WriteFile(filepath.Join(g.folder, "fees.txt"), []byte("Fees are 2 percent.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	first, second := "Who pays refunds?\n\tOne “word” please.", "And what says @fees.txt of fees?"
	g.ask(first)
	g.ask(second)
	told := strings.Join(g.told, "\n")
	for _, words := range []string{"wake remembers project shop", "Refunds are paid by the ledger service only.", "Fees are 2 percent."} {
		if !strings.Contains(told, words) {
			t.Errorf("the model was not told %q:\n%s", words, told)
		}
	}
	g.wantSaid("gemini", first, second)
}

// What wake tells Gemini CLI stands behind the prompt. Before it, it would keep a custom command
// from running, the client would read the files that it names, and in a session that goes on
// leave out the person's words.
func TestGeminiPromptComesFirst(t *testing.T) {
	g := newGemini(t)
	g.must("wake", "setup", "gemini", "--db", g.db, "--ollama", "off")
	g.must("wake", "save", "--db", g.db, "--ollama", "off", "Fees are written in @fees.txt by hand.")
	for name, text := range map[string]string{
		filepath.Join(g.folder, "fees.txt"):                         "Two percent.\n",
		filepath.Join(g.home, ".gemini", "commands", "deploy.toml"): `prompt = "Bring it to {{args}} now."`,
	} {
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	g.ask("/deploy production")
	g.ask("Who pays refunds?")
	g.ask("And taxes?", "--resume", "latest")
	told := strings.Join(g.told, "\n")
	for _, words := range []string{"Bring it to production now.", "wake remembers project shop", "Fees are written in @fees.txt by hand."} {
		if !strings.Contains(told, words) {
			t.Errorf("the model was not told %q:\n%s", words, told)
		}
	}
	if strings.Contains(told, "Two percent.") {
		t.Errorf("a file that nobody named was read:\n%s", told)
	}
	if last := g.told[len(g.told)-1]; !strings.Contains(last, "Who pays refunds?") {
		t.Errorf("a session that goes on has lost the first prompt:\n%s", last)
	}
	g.wantSaid("gemini", "Bring it to production now.", "Who pays refunds?", "And taxes?")
}

// Gemini CLI goes on when wake has been moved or deleted.
func TestGeminiWithoutWake(t *testing.T) {
	g := newGemini(t)
	program := filepath.Join(g.home, "my programs", "wake")
	g.must("sh", "-c", `mkdir "$(dirname "$1")" && cp "$(command -v wake)" "$1"`, "sh", program)
	g.must(program, "setup", "gemini", "--db", g.db, "--ollama", "off")
	if err := os.Remove(program); err != nil {
		t.Fatal(err)
	}
	g.ask("Who pays refunds?")
}
