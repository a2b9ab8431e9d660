package clients

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// inspector is MCP Inspector's command line, which starts a server for every call, or asks one over HTTP.
type inspector struct {
	machine
	server []string        // how it reaches the server
	called map[string]bool // tools
}

func newInspector(m machine, server ...string) inspector {
	return inspector{m, server, map[string]bool{}}
}

// ask sends one request and returns its result.
func (in inspector) ask(method string, more ...string) json.RawMessage {
	in.Helper()
	line := append([]string{"inspector", "--cli", "--format", "json"}, in.server...)
	s := in.must(append(append(line, "--method", method), more...)...)
	var answer struct {
		Result json.RawMessage `json:"result"`
	}
	if err := json.Unmarshal([]byte(s.out), &answer); err != nil || answer.Result == nil {
		in.Fatalf("no result: %v\n%s", err, s)
	}
	return answer.Result
}

// toolAnswer is what a tool answered.
type toolAnswer struct {
	Content []struct {
		Text string `json:"text"`
	} `json:"content"`
	Structured map[string]any `json:"structuredContent"`
}

func (a toolAnswer) text() string { return a.Content[0].Text }

// id is the id that single-object answers have at the top.
func (a toolAnswer) id() string { return fmt.Sprint(a.Structured["id"]) }

// call calls a tool and wants each of the words in its text and the named fields in its answer.
func (in inspector) call(tool, args string, wants ...string) toolAnswer {
	in.Helper()
	in.called[tool] = true
	raw := in.ask("tools/call", "--tool-name", tool, "--tool-args-json", args)
	var a toolAnswer
	if err := json.Unmarshal(raw, &a); err != nil || len(a.Content) == 0 || a.Structured == nil {
		in.Fatalf("%s answered without text or structured content: %v\n%s", tool, err, raw)
	}
	for _, want := range wants {
		if !strings.Contains(a.text(), want) {
			in.Errorf("%s: no %q in its text:\n%s", tool, want, a.text())
		}
	}
	return a
}

// names lists one field of all items of a list.
func (in inspector) names(method, list, field string) []string {
	in.Helper()
	raw := in.ask(method)
	var answer map[string][]map[string]any
	if err := json.Unmarshal(raw, &answer); err != nil {
		in.Fatalf("%s: %v\n%s", method, err, raw)
	}
	var names []string
	for _, item := range answer[list] {
		names = append(names, fmt.Sprint(item[field]))
	}
	return names
}

// Issue 2: MCP Inspector lists and calls every tool.
func TestInspectorCallsEveryTool(t *testing.T) {
	m := newMachine(t)
	in := newInspector(m, m.wake()...)
	callContextTools(in)
	callSessionTools(in)
	listed := in.names("tools/list", "tools", "name")
	slices.Sort(listed)
	if diff := cmp.Diff(listed, slices.Sorted(maps.Keys(in.called))); diff != "" {
		t.Errorf("tools that are listed (-) and called (+) differ:\n%s", diff)
	}
}

func callContextTools(in inspector) {
	cause := in.call("save_context", `{"content":"Two writers lock each other out of the order database.","action_type":"research","tags":["sqlite"]}`, "Saved").id()
	effect := in.call("save_context", fmt.Sprintf(`{"content":"All writes of orders go through one connection.","action_type":"decision","rationale":"two writers block","caused_by":%q}`, cause), "Saved").id()
	in.call("load_context", fmt.Sprintf(`{"ids":[%q]}`, effect), effect, "one connection")
	in.call("search_context", `{"query":"why only one connection for writes?"}`, effect)
	in.call("causal_chain", fmt.Sprintf(`{"id":%q,"direction":"causes"}`, effect), cause)
	in.call("predict", fmt.Sprintf(`{"after":%q}`, effect), cause)
	if tags := in.call("update_context", fmt.Sprintf(`{"id":%q,"pinned":true,"add_tags":["orders"]}`, effect), effect).Structured["tags"]; !slices.Contains(tags.([]any), any("orders")) {
		in.Errorf("tags after update: %v", tags)
	}
	in.call("forget_context", fmt.Sprintf(`{"ids":[%q]}`, effect), effect)
	in.call("memory_stats", `{}`, "2 contexts")
	in.call("recalculate", `{"what":"all"}`)
}

func callSessionTools(in inspector) {
	session := fmt.Sprint(in.call("record", `{"client":"inspector","client_session_id":"s1","events":[
		{"type":"message","role":"user","content":"Make the order import idempotent."},
		{"type":"goal","id":"g1","text":"idempotent import","status":"active"},
		{"type":"finding","mode":"code","kind":"root_cause","text":"retries insert twice"}]}`, "3 events").Structured["session_id"])
	on := func(more string) string { return fmt.Sprintf(`{"session_id":%q%s}`, session, more) }
	in.call("checkpoint", on(`,"action":"create","label":"before the change"`), "before the change")
	in.call("handoff", on(`,"action":"create","from_mode":"code","to_mode":"review","task":"check the import"`), "review")
	in.call("resume", on(``), "Make the order import idempotent.")
	in.call("session_report", on(`,"format":"totals"`), session)
}

// Resources and prompts are listed, and each of them can be read, over the newest protocol too.
func TestInspectorReadsResourcesAndPrompts(t *testing.T) {
	m := newMachine(t)
	in := newInspector(m, append(m.wake(), "--protocol-era", "modern")...)
	id := in.call("save_context", `{"content":"Prices are kept in cents.","action_type":"decision","rationale":"floats lose cents"}`).id()
	session := fmt.Sprint(in.call("record", `{"client":"inspector","client_session_id":"s1","events":[{"type":"message","role":"user","content":"Round prices."}]}`).Structured["session_id"])
	for _, uri := range append(in.names("resources/list", "resources", "uri"), "wake://contexts/"+id, "wake://sessions/"+session+"/user-messages") {
		if raw := in.ask("resources/read", "--uri", uri); !strings.Contains(string(raw), `"text"`) {
			t.Errorf("%s: %s", uri, raw)
		}
	}
	if templates := in.names("resources/templates/list", "resourceTemplates", "uriTemplate"); !slices.Contains(templates, "wake://contexts/{id}") {
		t.Errorf("templates: %v", templates)
	}
	for _, prompt := range in.names("prompts/list", "prompts", "name") {
		raw := in.ask("prompts/get", "--prompt-name", prompt, "--prompt-args", "about=prices", "to_mode=review", "session_id="+session)
		if !strings.Contains(string(raw), `"role":"user"`) {
			t.Errorf("prompt %s: %s", prompt, raw)
		}
	}
}

// The inspector finds no schema that clients of some kind would refuse.
func TestInspectorAcceptsSchemas(t *testing.T) {
	m := newMachine(t)
	line := append([]string{"inspector", "--cli", "--strict"}, m.wake()...)
	if s := m.must(append(line, "--method", "tools/list")...); !strings.Contains(s.errors, "0 errors") {
		t.Error(s.errors)
	}
}

// A wrong call is told as the tool's own error, with what to do next.
func TestInspectorShowsErrors(t *testing.T) {
	m := newMachine(t)
	line := append([]string{"inspector", "--cli"}, m.wake()...)
	s := m.run(append(line, "--method", "tools/call", "--tool-name", "load_context", "--tool-args-json", `{"ids":["nope"]}`)...)
	if s.code == 0 || !strings.Contains(s.out, "search_context") {
		t.Error(s)
	}
}

// Over HTTP the same tools answer to whoever has the token, and to nobody else.
func TestInspectorOverHTTP(t *testing.T) {
	m := newMachine(t)
	server := m.serve()
	in := newInspector(m, "--transport", "http", "--server-url", server.url, "--header", server.header())
	in.call("save_context", `{"content":"The shop opens at nine."}`, "Saved")
	in.call("search_context", `{"query":"when does the shop open?"}`, "at nine")
	stranger := m.run("inspector", "--cli", "--transport", "http", "--server-url", server.url, "--header", "Authorization: Bearer wrong",
		"--stored-auth-only", "--method", "tools/list")
	if stranger.code == 0 {
		t.Errorf("a wrong token was let in: %s", stranger)
	}
}
