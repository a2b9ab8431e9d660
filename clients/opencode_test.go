package clients

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"wake/summarizer/ollamatest"
)

// opencode is the assistant of that name.
type opencode struct{ assistant }

// know tells opencode of the models.
func (o opencode) know(models ...string) {
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
	o := opencode{assistant{newMachine(t), ollamatest.Start(t)}}
	o.keepers("wake_")
	o.know("keeper", "finder")
	o.must("wake", "setup", "opencode", "--tools", "core", "--db", o.db, "--ollama", "off")
	o.remembers(o.ask)
}
