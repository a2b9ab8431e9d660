package mcp_test

import (
	"context"
	"encoding/json"
	"testing"
	"unicode/utf8"

	"github.com/mark3labs/mcp-go/client"
	sdk "github.com/mark3labs/mcp-go/mcp"

	"wake/mcp"
	"wake/memory"
	"wake/memory/memorytest"
)

var ctx = context.Background()

// peer is a real client of a server in the same process.
type peer struct {
	testing.TB
	*client.Client
	schemas validator
}

// connect returns a client after the handshake.
func connect(t testing.TB, s *mcp.Server) *peer { return connectAs(t, s, "tester") }

func connectAs(t testing.TB, s *mcp.Server, name string) *peer {
	t.Helper()
	c, err := client.NewInProcessClient(s.MCP())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	if err := c.Start(ctx); err != nil {
		t.Fatal(err)
	}
	shakeHandsAs(t, c, name)
	list, err := c.ListTools(ctx, sdk.ListToolsRequest{})
	if err != nil {
		t.Fatal(err)
	}
	return &peer{t, c, newValidator(t, list.Tools)}
}

func shakeHands(t testing.TB, c *client.Client) *sdk.InitializeResult {
	return shakeHandsAs(t, c, "tester")
}

func shakeHandsAs(t testing.TB, c *client.Client, name string) *sdk.InitializeResult {
	t.Helper()
	var hello sdk.InitializeRequest
	hello.Params.ProtocolVersion = sdk.LATEST_LEGACY_PROTOCOL_VERSION
	hello.Params.ClientInfo = sdk.Implementation{Name: name, Version: "1"}
	result, err := c.Initialize(ctx, hello)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// open returns a client of a server on a new database.
func open(t testing.TB) (*peer, *memory.Service, *memorytest.Clock) {
	t.Helper()
	s, c := memorytest.Open(t)
	return connect(t, mcp.New(s, mcp.Options{Version: "test"})), s, c
}

// args are the arguments of a call.
type args map[string]any

// try calls a tool.
func (p *peer) try(tool string, a any) *sdk.CallToolResult {
	p.Helper()
	var call sdk.CallToolRequest
	call.Params.Name, call.Params.Arguments = tool, a
	result, err := p.CallTool(ctx, call)
	if err != nil {
		p.Fatalf("%s: protocol error %v", tool, err)
	}
	return result
}

// call calls a tool that must succeed, and returns its data and its text. The data must
// match the output schema, and the text must be short enough for a small model.
func (p *peer) call(tool string, a any) (map[string]any, string) {
	p.Helper()
	result := p.try(tool, a)
	if result.IsError {
		p.Fatalf("%s %v: %s", tool, a, text(result))
	}
	p.schemas.check(p, tool, result.StructuredContent)
	if n := utf8.RuneCountInString(text(result)); n == 0 || n > 6000 {
		p.Errorf("%s: the text has %d characters", tool, n)
	}
	var data map[string]any
	if err := json.Unmarshal([]byte(asJSON(p, result.StructuredContent)), &data); err != nil {
		p.Fatal(err)
	}
	return data, text(result)
}

// refused calls a tool that must return an error, and returns its text.
func (p *peer) refused(tool string, a any) string {
	p.Helper()
	result := p.try(tool, a)
	if !result.IsError {
		p.Fatalf("%s %v succeeded: %s", tool, a, text(result))
	}
	return text(result)
}

func text(r *sdk.CallToolResult) string {
	s := ""
	for _, c := range r.Content {
		if t, ok := c.(sdk.TextContent); ok {
			s += t.Text
		}
	}
	return s
}

func asJSON(t testing.TB, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}
