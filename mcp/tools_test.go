package mcp_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/mark3labs/mcp-go/client"
	sdk "github.com/mark3labs/mcp-go/mcp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"wake/mcp"
	"wake/memory/memorytest"
)

var update = flag.Bool("update", false, "write the schema snapshots in testdata anew")

// budget is the maximum size, as compact JSON, of name, description and input schema of
// all listed tools: every client sends them with every request.
const budget = 10_240

// order is the order of the tools, by which clients cache.
var order = []string{"save_context", "load_context", "search_context", "causal_chain", "predict", "update_context", "forget_context", "memory_stats", "recalculate",
	"record", "checkpoint", "handoff", "resume", "session_report"}

func listed(t testing.TB, set mcp.ToolSet) []sdk.Tool {
	t.Helper()
	s, _ := memorytest.Open(t)
	c := connect(t, mcp.New(s, mcp.Options{Version: "test", Tools: set}))
	list, err := c.ListTools(ctx, sdk.ListToolsRequest{})
	if err != nil {
		t.Fatal(err)
	}
	return list.Tools
}

func toolNames(tools []sdk.Tool) []string {
	names := make([]string, len(tools))
	for i, tool := range tools {
		names[i] = tool.Name
	}
	return names
}

func TestToolsAreListedInOrder(t *testing.T) {
	if d := cmp.Diff(order, toolNames(listed(t, mcp.AllTools))); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	if d := cmp.Diff([]string{"save_context", "load_context", "search_context", "causal_chain", "predict", "resume"}, toolNames(listed(t, mcp.CoreTools))); d != "" {
		t.Errorf("core (-want +got)\n%s", d)
	}
	if _, err := mcp.ParseToolSet("most"); err == nil {
		t.Error("an unknown set of tools is taken")
	}
}

// The instructions only name existing tools. Their first line, which is all that Codex
// shows to some models, says when to use the most important ones, and is not cut.
func TestInstructions(t *testing.T) {
	s, _ := memorytest.Open(t)
	for set, checkpoint := range map[mcp.ToolSet]bool{mcp.AllTools: true, mcp.CoreTools: false} {
		c, err := client.NewInProcessClient(mcp.New(s, mcp.Options{Tools: set, Note: "Project: demo."}).MCP())
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Start(ctx); err != nil {
			t.Fatal(err)
		}
		said := shakeHands(t, c).Instructions
		if !strings.Contains(said, "`save_context`") || strings.Contains(said, "`checkpoint`") != checkpoint || !strings.HasSuffix(said, "Project: demo.") || len(said) > 1500 {
			t.Errorf("%s: %q", set, said)
		}
		first, _, _ := strings.Cut(said, "\n")
		for _, name := range []string{"`save_context`", "`search_context`", "`resume`"} {
			if !strings.Contains(first, name) || len(first) > 250 {
				t.Errorf("%s: no %s in the first %d bytes: %q", set, name, len(first), first)
			}
		}
		_ = c.Close()
	}
}

// A model that is only offered the core tools is not told to use another tool, neither
// by an answer nor by a prompt.
func TestCoreNamesNoOtherTool(t *testing.T) {
	s, _ := memorytest.Open(t)
	c := connect(t, mcp.New(s, mcp.Options{Version: "test", Tools: mcp.CoreTools}))
	said := []string{c.refused("resume", args{}), c.refused("load_context", args{"ids": "nobody"}), c.refused("resume", args{"session_id": "nobody"})}
	content := "The automobile needs a new engine before the summer, the garage said after the repair."
	for _, a := range []args{{"content": content}, {"content": content}, {"content": content + " Twice."}} {
		_, text := c.call("save_context", a)
		said = append(said, text)
	}
	if last := said[len(said)-1]; !strings.Contains(last, "Nearly the same as") {
		t.Fatalf("no near duplicate: %q", last)
	}
	prompts, err := c.ListPrompts(ctx, sdk.ListPromptsRequest{})
	if err != nil || len(prompts.Prompts) != 2 {
		t.Fatalf("%d prompts, %v", len(prompts.Prompts), err)
	}
	for _, p := range prompts.Prompts {
		said = append(said, c.prompt(p.Name, map[string]string{"about": "the engine of the automobile"}))
	}
	core := toolNames(listed(t, mcp.CoreTools))
	for _, name := range order {
		if name == "record" {
			name += " opens" // it is a word as well
		}
		for _, text := range said {
			if !slices.Contains(core, name) && strings.Contains(text, name) {
				t.Errorf("%s is named in %q", name, text)
			}
		}
	}
}

// The list of tools, which every client pays for, stays small.
func TestToolBudget(t *testing.T) {
	for _, set := range []mcp.ToolSet{mcp.AllTools, mcp.CoreTools} {
		var list []map[string]any
		tools := listed(t, set)
		for _, tool := range tools {
			list = append(list, map[string]any{"name": tool.Name, "description": tool.Description, "inputSchema": tool.InputSchema})
		}
		size, whole := len(asJSON(t, list)), len(asJSON(t, tools))
		t.Logf("%s: %d tools, %d bytes; with output schemas and annotations %d", set, len(tools), size, whole)
		if size >= budget {
			t.Errorf("%s: %d bytes, the budget is %d", set, size, budget)
		}
	}
}

// Annotations are correct: reading tools are marked, only forgetting is destructive,
// and no tool is open-world.
func TestAnnotations(t *testing.T) {
	reading := map[string]bool{"load_context": true, "search_context": true, "causal_chain": true, "predict": true, "memory_stats": true, "resume": true, "session_report": true}
	for _, tool := range listed(t, mcp.AllTools) {
		a := tool.Annotations
		if a.ReadOnlyHint == nil || a.DestructiveHint == nil || a.IdempotentHint == nil || a.OpenWorldHint == nil || a.Title == "" {
			t.Errorf("%s does not say everything: %s", tool.Name, asJSON(t, a))
			continue
		}
		if *a.ReadOnlyHint != reading[tool.Name] || *a.DestructiveHint != (tool.Name == "forget_context") || *a.OpenWorldHint {
			t.Errorf("%s says %s", tool.Name, asJSON(t, a))
		}
	}
}

// The schemas have not changed; -update accepts a change. A tool without a snapshot, or
// a snapshot without a tool, is an error.
func TestSchemaSnapshots(t *testing.T) {
	left, err := filepath.Glob("testdata/tool_*.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range listed(t, mcp.AllTools) {
		var got bytes.Buffer
		if err := json.Indent(&got, []byte(asJSON(t, tool)), "", "  "); err != nil {
			t.Fatal(err)
		}
		got.WriteByte('\n')
		path := filepath.Join("testdata", "tool_"+tool.Name+".json")
		left = without(left, path)
		if *update {
			if err := os.WriteFile(path, got.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Errorf("%v; go test ./mcp -update writes it", err)
		}
		if d := cmp.Diff(string(want), got.String()); d != "" {
			t.Errorf("%s (-snapshot +now)\n%s", tool.Name, d)
		}
	}
	if len(left) > 0 {
		t.Errorf("snapshots of no tool: %q", left)
	}
}

func without(list []string, item string) []string {
	var kept []string
	for _, s := range list {
		if s != item {
			kept = append(kept, s)
		}
	}
	return kept
}

// Schemas are simple (no lists of types, no nulls) so that strict clients accept them.
// Input schemas describe every required argument.
func TestSchemasArePlain(t *testing.T) {
	for _, tool := range listed(t, mcp.AllTools) {
		for _, schema := range []any{tool.InputSchema, tool.OutputSchema} {
			raw := asJSON(t, schema)
			if strings.Contains(raw, `"null"`) || strings.Contains(raw, `"type":[`) || strings.Contains(raw, `"$ref"`) {
				t.Errorf("%s: %s", tool.Name, raw)
			}
		}
		for _, name := range tool.InputSchema.Required {
			if _, ok := tool.InputSchema.Properties[name]; !ok {
				t.Errorf("%s requires %s and does not describe it", tool.Name, name)
			}
		}
	}
}

// validator checks answers against the listed output schemas.
type validator map[string]*jsonschema.Schema

func newValidator(t testing.TB, tools []sdk.Tool) validator {
	t.Helper()
	v := validator{}
	for _, tool := range tools {
		doc, err := jsonschema.UnmarshalJSON(strings.NewReader(asJSON(t, tool.OutputSchema)))
		if err != nil {
			t.Fatal(err)
		}
		c := jsonschema.NewCompiler()
		if err := c.AddResource(tool.Name, doc); err != nil {
			t.Fatal(err)
		}
		if v[tool.Name], err = c.Compile(tool.Name); err != nil {
			t.Fatal(err)
		}
	}
	return v
}

// check fails the test if an answer does not match the tool's output schema.
func (v validator) check(t testing.TB, tool string, structured any) {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(asJSON(t, structured)))
	if err != nil {
		t.Fatal(err)
	}
	if err := v[tool].Validate(doc); err != nil {
		t.Errorf("%s: the answer does not fit its schema: %v", tool, err)
	}
}
