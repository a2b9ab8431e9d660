package clients

import (
	"encoding/json"
	"fmt"
	"strings"

	"wake/summarizer/ollamatest"
)

// callTemplate makes a model call a tool first and answer when the tool has. Requests without tools are for
// a title. The part that is never printed shows Ollama how the model calls tools.
const callTemplate = `{{ $now := "<|title|>" }}{{ if .Tools }}{{ $now = "<|act|>" }}{{ end -}}
{{ range .Messages }}{{ if eq .Role "tool" }}{{ $now = "<|answer|>" }}{{ end -}}
{{ if and .ToolCalls false }}<tool_call>{{ end }}{{ end }}{{ $now }}`

// assistant is a machine with a client that has a model of a real Ollama server.
type assistant struct {
	machine
	ollama *ollamatest.Server
}

// model makes a model that calls a tool and then answers.
func (a assistant) model(name, tool, arguments, answer string) {
	a.Helper()
	call := fmt.Sprintf("<tool_call>\n{\"name\": %q, \"arguments\": %s}\n</tool_call>", tool, arguments)
	a.ollama.Scripted(a.T, name, callTemplate, map[string]string{"<|act|>": call, "<|answer|>": answer, "<|title|>": "Work"})
}

// talker makes a model that gives one answer, whatever it is asked, and calls no tool.
func (a assistant) talker(name, answer string) {
	a.Helper()
	a.ollama.Scripted(a.T, name, "{{ range .Messages }}{{ end }}{{ if .Tools }}{{ end }}<|answer|>", map[string]string{"<|answer|>": answer})
}

// keepers makes two models, by the prefix that the client gives the names of wake's tools:
// keeper saves a decision, finder asks for it.
func (a assistant) keepers(prefix string) {
	a.Helper()
	a.model("keeper", prefix+"save_context", `{"content":"Refunds are paid by the ledger service only.","action_type":"decision","rationale":"one place books money"}`, "It is kept.")
	a.model("finder", prefix+"search_context", `{"query":"who pays refunds?"}`, "The ledger service pays them.")
}

// remembers checks the whole way: what keeper keeps in one session, finder finds in the
// next. The client has to print what the tools answered.
func (a assistant) remembers(ask func(model, task string) said) {
	a.Helper()
	kept := ask("keeper", "Remember that refunds are paid by the ledger service only.")
	if !strings.Contains(kept.out, "Saved ") || !strings.Contains(kept.out, "It is kept.") {
		a.Errorf("nothing was kept: %s", kept)
	}
	found := ask("finder", "Who pays refunds?")
	if !strings.Contains(found.out, "paid by the ledger service only") || !strings.Contains(found.out, "The ledger service pays them.") {
		a.Errorf("it was not found: %s", found)
	}
}

// readsMasked checks that a model which reads a context as a resource is shown no secret
// in it. The client has to print what its tools answered.
func (a assistant) readsMasked(ask func(model, task string) said, tool, server string) {
	a.Helper()
	const token = "ghp_0123456789abcdefghijABCDEFGHIJ456789"
	var saved struct{ ID string }
	if err := json.Unmarshal([]byte(a.must("wake", "save", "--db", a.db, "--json", "The bot signs in with "+token).out), &saved); err != nil {
		a.Fatal(err)
	}
	a.model("reader", tool, fmt.Sprintf(`{%q:"wake","uri":"wake://contexts/%s"}`, server, saved.ID), "It is secret.")
	read := ask("reader", "How does the bot sign in?")
	if !strings.Contains(read.out, "content_hash") || strings.Contains(read.out, token) || !strings.Contains(read.out, "It is secret.") {
		a.Errorf("a masked resource was not read: %s", read)
	}
}
