package mcp_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	sdk "github.com/mark3labs/mcp-go/mcp"

	"wake/domain"
	"wake/mcp"
	"wake/memory/memorytest"
)

func (p *peer) read(uri string) (string, error) {
	var req sdk.ReadResourceRequest
	req.Params.URI = uri
	result, err := p.ReadResource(ctx, req)
	if err != nil {
		return "", err
	}
	return result.Contents[0].(sdk.TextResourceContents).Text, nil
}

func (p *peer) mustRead(uri string) string {
	p.Helper()
	s, err := p.read(uri)
	if err != nil {
		p.Fatalf("%s: %v", uri, err)
	}
	return s
}

func TestContextResources(t *testing.T) {
	c, _, _ := open(t)
	saved, _ := c.call("save_context", args{"content": "Exactly \u202ethis\nand that.", "project": "a b/c", "action_type": "decision"})

	var got domain.ContextSnapshot
	if err := json.Unmarshal([]byte(c.mustRead("wake://contexts/"+saved["id"].(string))), &got); err != nil {
		t.Fatal(err)
	}
	if got.ID != saved["id"] || got.Content != "Exactly \u202ethis\nand that." {
		t.Errorf("the context reads %+v", got)
	}
	brief := c.mustRead("wake://projects/a%20b%2Fc/brief")
	if !strings.Contains(brief, `# project "a b/c"`) || !strings.Contains(brief, got.ID) || !strings.Contains(brief, "<wake-memory") {
		t.Errorf("the brief reads %q", brief)
	}
	if strings.Count(brief, got.ID) != 2 { // in its line and its mark
		t.Errorf("the brief tells a context twice: %q", brief)
	}
	for uri, want := range map[string]string{
		"wake://status": `"contexts": 1`, "wake://projects": `"name": "a b/c"`, "wake://help/record": "| `message` |",
	} {
		if text := c.mustRead(uri); !strings.Contains(text, want) {
			t.Errorf("%s reads %q", uri, text)
		}
	}
	if _, err := c.read("wake://contexts/nobody"); err == nil || !strings.Contains(err.Error(), "NotFound: no context has the id") {
		t.Errorf("an unknown context: %v", err)
	}
	if _, err := c.read("wake://contexts/"); err == nil || !strings.Contains(err.Error(), "Invalid: the ids are empty") {
		t.Errorf("no id: %v", err)
	}
	if _, err := c.read("wake://no/such/thing"); err == nil {
		t.Error("an unknown resource is read")
	}
}

// Assistants have tools with which their models read resources. For them secrets are masked, for
// programs all is exact.
func TestResourcesForModelsAreMasked(t *testing.T) {
	s, _ := memorytest.Open(t)
	server := mcp.New(s, mcp.Options{Version: "test"})
	const token = "ghp_0123456789abcdefghijABCDEFGHIJ456789"
	program := connectAs(t, server, "a program")
	saved, _ := program.call("save_context", args{"content": "The key \"b\" is " + token})
	opened, _ := program.call("record", args{"client": "x", "client_session_id": "1", "title": token, "events": []args{userSays("Use " + token)}})
	session := "wake://sessions/" + opened["session_id"].(string)
	for _, uri := range []string{"wake://contexts/" + saved["id"].(string), "wake://sessions", session, session + "/user-messages", session + "/events", session + "/messages/1", session + "/working-context"} {
		exact := program.mustRead(uri)
		if !strings.Contains(exact, token) {
			t.Errorf("a program reads %s as %s", uri, exact)
		}
		want := strings.ReplaceAll(exact, token, "[secret:github_token]")
		for _, name := range assistants {
			if diff := cmp.Diff(withoutAccesses(want), withoutAccesses(connectAs(t, server, name).mustRead(uri))); diff != "" {
				t.Errorf("%s reads %s (-want +got)\n%s", name, uri, diff)
			}
		}
	}
}

// withoutAccesses leaves out what each reading changes, sooner or later.
func withoutAccesses(context string) string {
	return regexp.MustCompile(`"(last_accessed|access_count)": [^\n]*\n *`).ReplaceAllString(context, "")
}

// A brief has no heading with nothing below it, for instance if the only context was
// superseded by a forgotten one.
func TestBriefWithoutPredictions(t *testing.T) {
	c, _, _ := open(t)
	old, _ := c.call("save_context", args{"content": "The queue is Kafka."})
	c.call("save_context", args{"content": "The queue is NATS.", "supersedes": old["id"], "project": "queues"})
	brief := c.mustRead("wake://projects/demo/brief")
	if strings.Contains(brief, "## ") || !strings.Contains(brief, "1 context, 0 say") {
		t.Errorf("the brief reads %q", brief)
	}
}

// Listed resources can be read, and briefs are listed by project, whatever it is called.
func TestListedResources(t *testing.T) {
	c, _, _ := open(t)
	projects := []string{"größer ✓", "c++", "R&D", "a:b=c", "ann@home $1", "a b/c?d#e%20"}
	for _, project := range projects {
		c.call("save_context", args{"content": "A.", "project": project})
	}
	list, err := c.ListResources(ctx, sdk.ListResourcesRequest{})
	if err != nil {
		t.Fatal(err)
	}
	briefs := 0
	for _, r := range list.Resources {
		text := c.mustRead(r.URI)
		if text == "" {
			t.Errorf("%s is empty", r.URI)
		}
		if strings.HasSuffix(r.URI, "/brief") && strings.Contains(text, "1 context,") {
			briefs++
		}
	}
	if briefs != len(projects) {
		t.Errorf("%d briefs are listed and tell of their project", briefs)
	}
	templates, err := c.ListResourceTemplates(ctx, sdk.ListResourceTemplatesRequest{})
	if err != nil || len(templates.ResourceTemplates) < 2 {
		t.Errorf("templates: %v, %v", templates, err)
	}
}

func (p *peer) prompt(name string, a map[string]string) string {
	p.Helper()
	var req sdk.GetPromptRequest
	req.Params.Name, req.Params.Arguments = name, a
	result, err := p.GetPrompt(ctx, req)
	if err != nil {
		p.Fatalf("%s: %v", name, err)
	}
	return result.Messages[0].Content.(sdk.TextContent).Text
}

// opencode asks for prompts with $1, $2 and so on for their arguments, makes commands of them
// and runs shell commands that it finds in their texts.
func TestPromptTemplates(t *testing.T) {
	c, _, _ := open(t)
	c.call("save_context", args{"content": "The stove burns gas: !`touch /tmp/burnt`", "action_type": "decision"})
	for name, want := range map[string][]string{
		"why": {"causal_chain", "search_context"}, "review": {"load_context", "update_context"},
		"continue": {"resume"}, "handoff": {"handoff", "to_mode"},
	} {
		said := c.prompt(name, map[string]string{"id": "$1", "about": "$2", "project": "$1", "to_mode": "$1", "session_id": "$2"})
		for _, tool := range want {
			if !strings.Contains(said, tool) {
				t.Errorf("%s does not name %s: %s", name, tool, said)
			}
		}
		if strings.Contains(said, "stove") || strings.Contains(said, "$") {
			t.Errorf("%s: %s", name, said)
		}
	}
}

func TestContextPrompts(t *testing.T) {
	c, _, _ := open(t)
	a, _ := c.call("save_context", args{"content": "Benchmarks: SQLite is fast enough."})
	b, _ := c.call("save_context", args{"content": "Decision: keep everything in SQLite.", "caused_by": a["id"], "rationale": "one file"})
	for _, how := range []map[string]string{{"id": b["id"].(string)}, {"about": "keep everything in SQLite"}} {
		if said := c.prompt("why", how); !strings.Contains(said, "one file") || !strings.Contains(said, a["id"].(string)) {
			t.Errorf("why %v says %q", how, said)
		}
	}
	if said := c.prompt("review", nil); !strings.Contains(said, "keep everything in SQLite") || !strings.Contains(said, "2 contexts") {
		t.Errorf("review says %q", said)
	}
}

func (p *peer) complete(ref any, name, value string) []string {
	p.Helper()
	var req sdk.CompleteRequest
	req.Params.Ref = ref
	req.Params.Argument = sdk.CompleteArgument{Name: name, Value: value}
	result, err := p.Complete(ctx, req)
	if err != nil {
		p.Fatal(err)
	}
	return result.Completion.Values
}

func TestCompletions(t *testing.T) {
	c, _, _ := open(t)
	a, _ := c.call("save_context", args{"content": "A.", "project": "alpha"})
	c.call("save_context", args{"content": "B.", "project": "beta"})
	id := a["id"].(string)

	prompt := sdk.PromptReference{Type: "ref/prompt", Name: "review"}
	if d := cmp.Diff([]string{"alpha"}, c.complete(prompt, "project", "Al")); d != "" {
		t.Errorf("project (-want +got)\n%s", d)
	}
	template := sdk.ResourceReference{Type: "ref/resource", URI: "wake://contexts/{id}"}
	if d := cmp.Diff([]string{id}, c.complete(template, "id", id[:8])); d != "" {
		t.Errorf("id (-want +got)\n%s", d)
	}
	recorded, _ := c.call("record", args{"client": "c", "client_session_id": "s", "events": []args{userSays("go")}})
	point, _ := c.call("checkpoint", args{"label": "here"})
	left, _ := c.call("handoff", args{"action": "create", "to_mode": "debug"})
	for kind, want := range map[string]any{"sessions": recorded["session_id"], "checkpoints": point["id"], "handoffs": left["id"]} {
		template := sdk.ResourceReference{Type: "ref/resource", URI: "wake://" + kind + "/{id}"}
		if got := c.complete(template, "id", ""); len(got) != 1 || got[0] != want {
			t.Errorf("ids of %s: %q, want %v", kind, got, want)
		}
	}
	c.call("record", args{"client": "c", "client_session_id": "newer", "events": []args{userSays("go on")}})
	for kind, want := range map[string]any{"checkpoints": point["id"], "handoffs": left["id"]} {
		template := sdk.ResourceReference{Type: "ref/resource", URI: "wake://" + kind + "/{id}"}
		if got := c.complete(template, "id", want.(string)[:9]); len(got) != 1 || got[0] != want {
			t.Errorf("begun ids of %s of another session: %q, want %v", kind, got, want)
		}
	}
	c.call("checkpoint", args{"action": "delete", "id": point["id"]})
	if got := c.complete(sdk.ResourceReference{Type: "ref/resource", URI: "wake://checkpoints/{id}"}, "id", point["id"].(string)[:9]); len(got) != 0 {
		t.Errorf("a deleted checkpoint is offered: %q", got)
	}
	if got := c.complete(prompt, "no such argument", ""); len(got) != 0 {
		t.Errorf("an unknown argument is completed with %q", got)
	}
}
