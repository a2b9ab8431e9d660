package mcp_test

import (
	"strings"
	"testing"

	"wake/memory/memorytest"
)

// An error of a request without a tool result has the protocol's own code, and a text
// that says what to do.
func TestProtocolErrors(t *testing.T) {
	const wrong, unknown = -32602, -32002
	for _, c := range []struct {
		request string
		code    int
		says    string
	}{
		{readLine("wake://contexts/nobody"), unknown, "NotFound: no context has the id"},
		{readLine("wake://sessions/nobody/events"), unknown, "NotFound: no session has the id"},
		{readLine("wake://no/such/thing"), unknown, "NotFound: no resource has that URI; there are wake://status, "},
		{toolLine(1, "save", nil), wrong, "NotFound: no tool has that name; there are save_context, "},
		{readLine("wake://sessions/nobody/events?after=x"), wrong, "Invalid: after is"},
		{line(1, "prompts/get", map[string]any{"name": "wy"}), wrong, "NotFound: no prompt has that name; there are continue, "},
		{line(1, "prompts/get", map[string]any{"name": "why"}), wrong, "Invalid: the prompt why needs id or about"},
		{line(1, "prompts/get", map[string]any{"name": "why", "arguments": args{"about": "gears"}}), wrong, "NotFound: nothing is known about that"},
		{line(1, "prompts/get", map[string]any{"name": "why", "arguments": args{"id": "nobody"}}), wrong, "NotFound: "},
	} {
		s, _ := memorytest.Open(t)
		got := answers(converse(t, s, strings.NewReader(hello+c.request)))[1]
		if got.Error == nil || got.Error.Code != c.code || !strings.Contains(got.Error.Message, c.says) {
			t.Errorf("%s is answered with %+v, want %d %q", c.request, got.Error, c.code, c.says)
		}
	}
}

func readLine(uri string) string { return line(1, "resources/read", map[string]any{"uri": uri}) }
