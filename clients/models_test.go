package clients

import (
	"fmt"

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
