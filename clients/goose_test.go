package clients

import (
	"runtime"
	"testing"

	"wake/summarizer/ollamatest"
)

// goose is the assistant of that name.
type goose struct{ assistant }

// ask gives goose a task in a session of its own and returns what it printed, with what
// the tools answered.
func (g goose) ask(model, task string) said {
	g.Helper()
	return g.must("env", "GOOSE_PROVIDER=ollama", "GOOSE_MODEL="+model, "OLLAMA_HOST="+g.ollama.URL,
		"GOOSE_DISABLE_KEYRING=1", "GOOSE_MODE=auto", "goose", "run", "--output-format", "json", "--text", task)
}

// The whole way: what goose keeps in one session it finds in the next. Both are recorded
// by themselves. A model reads no secrets in resources.
func TestGoose(t *testing.T) {
	m := newMachine(t)
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("goose comes by npm for Linux on x64 only")
	}
	g := goose{assistant{m, ollamatest.Start(t)}}
	g.keepers("wake__")
	g.must("wake", "setup", "goose", "--yes", "--db", g.db, "--ollama", "off")
	g.remembers(g.ask)
	g.wantSaid("goose", "Remember that refunds are paid by the ledger service only.", "Who pays refunds?")
	g.readsMasked(g.ask, "extensionmanager__read_resource", "extension_name")
}
