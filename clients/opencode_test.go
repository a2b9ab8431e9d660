package clients

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"wake/summarizer/ollamatest"
)

// callTemplate makes a model call a tool first and answer when the tool has. Requests without tools are for
// a title. The part that is never printed shows Ollama how the model calls tools.
const callTemplate = `{{ $now := "<|title|>" }}{{ if .Tools }}{{ $now = "<|act|>" }}{{ end -}}
{{ range .Messages }}{{ if eq .Role "tool" }}{{ $now = "<|answer|>" }}{{ end -}}
{{ if and .ToolCalls false }}<tool_call>{{ end }}{{ end }}{{ $now }}`

// opencode is the assistant of that name on a machine with a real Ollama server.
type opencode struct {
	machine
	ollama *ollamatest.Server
}

// model makes a model that calls a tool of wake and then answers.
func (o opencode) model(name, tool, arguments, answer string) {
	o.Helper()
	call := fmt.Sprintf("<tool_call>\n{\"name\": \"wake_%s\", \"arguments\": %s}\n</tool_call>", tool, arguments)
	o.ollama.Scripted(o.T, name, callTemplate, map[string]string{"<|act|>": call, "<|answer|>": answer, "<|title|>": "Work"})
}

// setup writes opencode's configuration.
func (o opencode) setup(models ...string) {
	o.Helper()
	known := map[string]any{}
	for _, name := range models {
		known[name] = map[string]any{"tool_call": true}
	}
	raw, err := json.Marshal(map[string]any{
		"autoupdate": false, "share": "disabled", "snapshot": false, "enabled_providers": []string{"ollama"},
		"provider": map[string]any{"ollama": map[string]any{
			"npm": "@ai-sdk/openai-compatible", "options": map[string]any{"baseURL": o.ollama.URL + "/v1"}, "models": known,
		}},
		"mcp": map[string]any{"wake": map[string]any{"type": "local", "enabled": true, "command": o.wake("--tools", "core")}},
	})
	if err != nil {
		o.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(o.folder, "opencode.json"), raw, 0o600); err != nil {
		o.Fatal(err)
	}
}

// ask gives opencode a task in a session of its own and returns what it printed.
func (o opencode) ask(model, task string) said {
	o.Helper()
	return o.must("env", "OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_DEFAULT_PLUGINS=1", "OPENCODE_DISABLE_LSP_DOWNLOAD=1",
		"opencode", "run", "--format", "json", "-m", "ollama/"+model, task)
}

// The whole way: an assistant with a local model keeps a decision in one session and finds it in the next.
func TestOpencode(t *testing.T) {
	o := opencode{newMachine(t), ollamatest.Start(t)}
	o.model("keeper", "save_context", `{"content":"Refunds are paid by the ledger service only.","action_type":"decision","rationale":"one place books money"}`, "It is kept.")
	o.model("finder", "search_context", `{"query":"who pays refunds?"}`, "The ledger service pays them.")
	o.setup("keeper", "finder")

	kept := o.ask("keeper", "Remember that refunds are paid by the ledger service only.")
	if !strings.Contains(kept.out, "Saved ") || !strings.Contains(kept.out, "It is kept.") {
		t.Errorf("nothing was kept: %s", kept)
	}
	found := o.ask("finder", "Who pays refunds?")
	if !strings.Contains(found.out, "paid by the ledger service only") || !strings.Contains(found.out, "The ledger service pays them.") {
		t.Errorf("it was not found: %s", found)
	}
}
