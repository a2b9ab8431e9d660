package mcp_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"wake/mcp"
	"wake/memory/memorytest"
)

// The texts that a model reads in a small story, in full, for answers that do not
// depend on ranking. -update accepts a change; read it as if you knew nothing else.
func TestStory(t *testing.T) {
	s, clk := memorytest.Open(t)
	n := 0
	s.NewID = func() string {
		n++
		return fmt.Sprintf("context-%d", n)
	}
	c := connect(t, mcp.New(s, mcp.Options{}))
	var story strings.Builder
	for _, step := range []struct {
		later time.Duration
		tool  string
		args  args
	}{
		{0, "save_context", args{"content": "We compared OAuth2 flows for the mobile app. PKCE needs no client secret on the device.", "action_type": "research", "tags": "oauth, mobile"}},
		{time.Hour, "save_context", args{"content": "Decision: the mobile app signs in by OAuth2 with PKCE.", "action_type": "decision", "rationale": "a secret on a phone is no secret", "tags": "oauth", "caused_by": "context-1"}},
		{26 * time.Hour, "save_context", args{"content": "Decision: the mobile app signs in by passkeys, with OAuth2 as fallback.", "action_type": "decision", "rationale": "users forget passwords", "tags": "passkeys", "caused_by": "context-2", "supersedes": "context-2"}},
		{time.Minute, "causal_chain", args{"id": "context-3"}},
		{time.Minute, "load_context", args{"mode": "recent", "limit": 2}},
		{0, "update_context", args{"id": "context-3", "pinned": "yes", "addTags": "sign-in"}},
		{0, "forget_context", args{"ids": "context-1, context-3"}},
		{0, "search_context", args{"query": "zebra"}},
	} {
		clk.Pass(step.later)
		_, said := c.call(step.tool, step.args)
		fmt.Fprintf(&story, "-- %s %s --\n%s\n\n", step.tool, asJSON(t, step.args), said)
	}
	for tool, a := range map[string]args{"search_context": {"question": "sign in", "page": 2}} {
		fmt.Fprintf(&story, "-- %s %s --\n%s\n", tool, asJSON(t, a), c.refused(tool, a))
	}
	const path = "testdata/story.txt"
	if *update {
		if err := os.WriteFile(path, []byte(story.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), story.String()); d != "" {
		t.Errorf("(-kept +now)\n%s", d)
	}
}
