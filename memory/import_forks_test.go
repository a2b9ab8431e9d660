package memory_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"wake/domain"
	"wake/memory"
	"wake/memory/memorytest"
	"wake/transcript"
)

// Parents and children find each other whichever is imported first: the tree has
// the sub-agent under the call that started it (001-08).
func TestImportChildren(t *testing.T) {
	parent := row(t, map[string]any{"type": "user", "uuid": "a", "sessionId": "s1", "timestamp": "2026-05-04T08:00:00Z", "message": map[string]any{"role": "user", "content": "look into it"}}) +
		row(t, map[string]any{"type": "assistant", "uuid": "b", "sessionId": "s1", "timestamp": "2026-05-04T08:00:01Z", "message": map[string]any{"id": "m1", "role": "assistant", "model": "m",
			"content": []any{map[string]any{"type": "tool_use", "id": "call1", "name": "Task", "input": map[string]any{}}}}}) +
		row(t, map[string]any{"type": "user", "uuid": "c", "sessionId": "s1", "timestamp": "2026-05-04T08:00:09Z", "toolUseResult": map[string]any{"agentId": "ag1", "content": []any{}},
			"message": map[string]any{"role": "user", "content": []any{map[string]any{"type": "tool_result", "tool_use_id": "call1", "content": "found"}}}})
	child := row(t, map[string]any{"type": "user", "uuid": "d", "sessionId": "s1", "agentId": "ag1", "isSidechain": true, "timestamp": "2026-05-04T08:00:02Z", "message": map[string]any{"role": "user", "content": "search"}}) +
		row(t, map[string]any{"type": "assistant", "uuid": "e", "sessionId": "s1", "agentId": "ag1", "isSidechain": true, "timestamp": "2026-05-04T08:00:03Z", "message": map[string]any{"id": "m2", "role": "assistant", "model": "m", "content": []any{map[string]any{"type": "text", "text": "found"}}}})
	files := map[string]string{"s1.jsonl": parent, "s1/subagents/agent-ag1.jsonl": child}
	var trees []string
	for _, order := range [][]string{{"s1.jsonl", "s1/subagents/agent-ag1.jsonl"}, {"s1/subagents/agent-ag1.jsonl", "s1.jsonl"}} {
		s, _ := memorytest.Open(t)
		for _, name := range order {
			if _, err := s.Import(ctx, memory.ImportRequest{Format: transcript.ClaudeCode, Name: name, Source: strings.NewReader(files[name])}); err != nil {
				t.Fatal(err)
			}
		}
		owner, err := s.Store.SessionByClient(ctx, "claude-code", "s1")
		if err != nil {
			t.Fatal(err)
		}
		tree, err := s.SessionTree(ctx, owner.ID)
		if err != nil {
			t.Fatal(err)
		}
		trees = append(trees, shape(tree))
	}
	want := "s1[call1[" + transcript.AgentSession("s1", "ag1") + "[]]]"
	if trees[0] != want || trees[1] != want {
		t.Errorf("trees %q, want both %q", trees, want)
	}
}

func shape(n domain.SessionNode) string {
	var parts []string
	for _, turn := range n.Turns {
		for _, op := range turn.Ops {
			if op.Kind == domain.OpLLM {
				continue
			}
			part := op.ID
			for _, c := range op.Children {
				part += "[" + shape(c) + "]"
			}
			parts = append(parts, part)
		}
	}
	for _, c := range n.Orphans {
		parts = append(parts, "orphan "+shape(c))
	}
	return n.Session.ClientSessionID + "[" + strings.Join(parts, " ") + "]"
}

// A fork's file begins with copies of its origin's rows: they are in both sessions, what
// they cost is the origin's alone (I15), and a decision in them is one context.
func TestImportForks(t *testing.T) {
	s, _ := memorytest.Open(t)
	said := func(session, uuid, text, more string) string {
		return fmt.Sprintf(`{"type":"user","uuid":%q,"sessionId":%q,"timestamp":"2026-05-04T08:00:00Z","message":{"role":"user","content":%q}%s}`+"\n", uuid, session, text, more)
	}
	answered := func(session, uuid, msg, more string) string {
		return fmt.Sprintf(`{"type":"assistant","uuid":%q,"sessionId":%q,"timestamp":"2026-05-04T08:00:01Z","message":{"id":%q,"model":"m",`+
			`"content":[{"type":"tool_use","id":"toolu_%s","name":"Read","input":{}}],"usage":{"input_tokens":100,"output_tokens":1}}%s}`+"\n", uuid, session, msg, msg, more)
	}
	read := func(session, uuid, msg, more string) string {
		return fmt.Sprintf(`{"type":"user","uuid":%q,"sessionId":%q,"timestamp":"2026-05-04T08:00:02Z","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_%s","content":"ok"}]}%s}`+"\n", uuid, session, msg, more)
	}
	decision := "We decided to store prices as integer cents because floats lose money when the cart adds them up."
	from := `,"forkedFrom":{"sessionId":"origin","messageUuid":"u"}`
	origin := said("origin", "u", decision, "") + answered("origin", "v", "m1", "") + read("origin", "w", "m1", "")
	fork := said("fork", "u", decision, from) + answered("fork", "v", "m1", from) + read("fork", "w", "m1", from) +
		said("fork", "x", "go on", "") + answered("fork", "y", "m2", "") + read("fork", "z", "m2", "")
	for name, data := range map[string]string{"origin": origin, "fork": fork} {
		importDistilled(t, s, memory.ImportRequest{Format: transcript.ClaudeCode, Name: name + ".jsonl", Source: strings.NewReader(data)})
	}
	for _, client := range []string{"origin", "fork"} {
		owner, err := s.Store.SessionByClient(ctx, transcript.ClientClaudeCode, client)
		if err != nil || owner.Totals.TokensIn != 100 || owner.Totals.ToolsRun != 1 {
			t.Errorf("%s: totals %+v, %v", client, owner.Totals, err)
		}
	}
	if diff := cmp.Diff([]string{decision, "go on"}, humanTexts(t, s, transcript.ClientClaudeCode, "fork")); diff != "" {
		t.Error(diff)
	}
	made, err := s.Store.Contexts(ctx, domain.ContextQuery{})
	if err != nil || len(made) != 1 {
		t.Errorf("%d contexts, want one: %v", len(made), err)
	}
}

// The first clients began the file of a session that continued another one with copies of
// its rows under other ids: they are the old session's, once, and so is what they cost
// (I5, I15).
func TestImportContinued(t *testing.T) {
	said := func(session, uuid, parent, text string) string {
		return fmt.Sprintf(`{"type":"user","uuid":%q,"parentUuid":%q,"sessionId":%q,"timestamp":"2025-05-04T08:00:00Z","message":{"role":"user","content":%q}}`+"\n", uuid, parent, session, text)
	}
	answered := func(session, uuid, parent, msg string) string {
		return fmt.Sprintf(`{"type":"assistant","uuid":%q,"parentUuid":%q,"sessionId":%q,"timestamp":"2025-05-04T08:00:01Z","message":{"id":%q,"model":"m",`+
			`"content":[{"type":"text","text":"Done."}],"usage":{"input_tokens":100,"output_tokens":1}}}`+"\n", uuid, parent, session, msg)
	}
	files := map[string]string{
		"old.jsonl": said("old", "a", "", "read it") + answered("old", "b", "a", "m1") + said("old", "c", "b", "and now?") + answered("old", "d", "c", "m2"),
		"new.jsonl": said("old", "a", "", "read it") + answered("new", "b1", "a", "m1") + said("old", "c1", "b1", "and now?") + answered("new", "d1", "c1", "m2") +
			said("new", "e", "d1", "go on") + answered("new", "f", "e", "m3"),
	}
	for _, order := range [][]string{{"old.jsonl", "new.jsonl"}, {"new.jsonl", "old.jsonl"}} {
		s, _ := memorytest.Open(t)
		for _, name := range order {
			if _, err := s.Import(ctx, memory.ImportRequest{Format: transcript.ClaudeCode, Name: name, Source: strings.NewReader(files[name])}); err != nil {
				t.Fatal(err)
			}
		}
		for client, want := range map[string][]string{"old": {"read it", "and now?"}, "new": {"go on"}} {
			if diff := cmp.Diff(want, humanTexts(t, s, transcript.ClientClaudeCode, client)); diff != "" {
				t.Errorf("%v, %s: %s", order, client, diff)
			}
			owner, err := s.Store.SessionByClient(ctx, transcript.ClientClaudeCode, client)
			if err != nil || owner.Totals.TokensIn != int64(100*len(want)) {
				t.Errorf("%v, %s: totals %+v, %v", order, client, owner.Totals, err)
			}
		}
	}
}

// What is decided in a fork leads to what its origin decided: that is one context, and the
// fork's copy of it none.
func TestImportForkTakesBack(t *testing.T) {
	s, _ := memorytest.Open(t)
	said := func(session, uuid, text, more string) string {
		return fmt.Sprintf(`{"type":"user","uuid":%q,"sessionId":%q,"timestamp":"2026-05-04T08:00:00Z","message":{"role":"user","content":%q}%s}`+"\n", uuid, session, text, more)
	}
	const decision, reversal = "Let's use Redis for the session cache.", "Actually, let's drop Redis for the session cache and use Postgres instead."
	for _, source := range [][2]string{
		{"origin", said("origin", "u", decision, "")},
		{"fork", said("fork", "u", decision, `,"forkedFrom":{"sessionId":"origin","messageUuid":"u"}`) + said("fork", "x", reversal, "")},
	} {
		importDistilled(t, s, memory.ImportRequest{Format: transcript.ClaudeCode, Name: source[0] + ".jsonl", Source: strings.NewReader(source[1])})
	}
	made, err := s.Store.Contexts(ctx, domain.ContextQuery{Order: domain.Oldest, WithContent: true})
	if err != nil || len(made) != 2 {
		t.Fatalf("%d contexts, want two: %v", len(made), err)
	}
	if old, newer := made[0], made[1]; newer.Causality.CausedBy != old.ID || old.SupersededBy != newer.ID {
		t.Errorf("%s (%q) is caused by %s; %s (%q) is superseded by %q", newer.ID, newer.Content, newer.Causality.CausedBy, old.ID, old.Content, old.SupersededBy)
	}
}
