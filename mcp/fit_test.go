package mcp_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"wake/mcp"
	"wake/memory/memorytest"
)

// openClaude returns Claude Code as a client, and another client of the same server.
func openClaude(t *testing.T) (claude, other *peer) {
	t.Helper()
	s, _ := memorytest.Open(t)
	server := mcp.New(s, mcp.Options{Version: "test"})
	return connectAs(t, server, "claude-code"), connect(t, server)
}

// Every answer fits Claude Code, which gives its model only the data, at most 25,000
// tokens. The answer says what was left out and how to get it. Other clients get
// everything they ask for.
func TestAnswersOfManyContextsFit(t *testing.T) {
	c, other := openClaude(t)
	why := strings.Repeat("because the measurement of that week said so ", 15)
	var ids []string
	for i := range 110 {
		save := args{"content": fmt.Sprintf("Step %d: %s", i, strings.Repeat("the key format was kept by mistake ", 30)),
			"summary": fmt.Sprintf("Step %d. %s", i, strings.Repeat("a long summary tells all of it ", 40)), "action_type": "decision", "rationale": why}
		if i > 0 {
			save["caused_by"] = ids[i-1]
		}
		data, _ := c.call("save_context", save)
		ids = append(ids, data["id"].(string))
	}
	last := ids[len(ids)-1]
	for _, tt := range []struct {
		tool, list string
		args       args
		next       string // what the text says to call for the rest
		all        int    // items at least that there are
	}{
		{"load_context", "contexts", args{"limit": 100}, `load_context {"limit":`, 100},
		{"load_context", "contexts", args{"limit": 100, "mode": "likely", "include_content": true}, `load_context {"mode":"likely",`, 50},
		{"load_context", "contexts", args{"ids": ids[:100]}, "load by id", 100},
		{"search_context", "hits", args{"query": "key format", "limit": 100}, `search_context {"query":"key format","limit":`, 100},
		{"predict", "predictions", args{"limit": 100}, "more have no room", 50},
		{"causal_chain", "nodes", args{"id": last, "max_depth": 1000}, `causal_chain {"id":`, 110},
		{"causal_chain", "nodes", args{"id": ids[0], "direction": "effects", "max_depth": 1000, "format": "json"}, `causal_chain {"id":`, 110},
		{"causal_chain", "nodes", args{"id": ids[50], "direction": "both", "max_depth": 1000, "format": "dot"}, `causal_chain {"id":`, 110},
		{"forget_context", "forgotten", args{"ids": ids[10:]}, "more have no room", 100},
	} {
		data, said := c.call(tt.tool, tt.args)
		raw, err := json.Marshal(data)
		if len(raw) > 75_000 || err != nil {
			t.Errorf("%s %.60v takes %d bytes %v", tt.tool, tt.args, len(raw), err)
		}
		if len(data[tt.list].([]any)) < 5 {
			t.Errorf("%s %.60v holds %d", tt.tool, tt.args, len(data[tt.list].([]any)))
		}
		if !strings.Contains(said+fmt.Sprint(data["notes"]), tt.next) {
			t.Errorf("%s %.60v does not say how to get the rest: %.200v … %s", tt.tool, tt.args, data["notes"], said[max(0, len(said)-300):])
		}
		if tt.tool == "search_context" && data["next_cursor"] == nil {
			t.Error("the data of a search has no cursor for the rest")
		}
		if data, _ := other.call(tt.tool, tt.args); len(data[tt.list].([]any)) < tt.all {
			t.Errorf("another client's %s %.60v holds %d, want %d", tt.tool, tt.args, len(data[tt.list].([]any)), tt.all)
		}
	}
}

// Contexts of a chain that do not fit are named.
func TestAnswerOfWideChainNamesTheRest(t *testing.T) {
	c, _ := openClaude(t)
	root, _ := c.call("save_context", args{"content": "The key format was kept by mistake"})
	why := strings.Repeat("because the measurement of that week said so ", 30)
	var ids []string
	for i := range 60 {
		saved, _ := c.call("save_context", args{"content": fmt.Sprintf("Effect %d of the key format", i), "rationale": why, "caused_by": root["id"]})
		ids = append(ids, saved["id"].(string))
	}
	data, _ := c.call("causal_chain", args{"id": root["id"], "direction": "effects"})
	told := fmt.Sprint(data["nodes"], data["notes"])
	if left := len(ids) + 1 - len(data["nodes"].([]any)); left < 10 || !strings.Contains(told, fmt.Sprintf("%d contexts of the chain", left)) {
		t.Errorf("%d are left out: %v", left, data["notes"])
	}
	for _, id := range ids {
		if !strings.Contains(told, id) {
			t.Errorf("%s is neither told nor named", id)
		}
	}
}

// A context of hundreds of kilobytes fits too: the answer says that it was cut, and
// where the whole is.
func TestAnswersOfOneLongContextFit(t *testing.T) {
	c, other := openClaude(t)
	content := "Log of the crash. " + strings.Repeat("stack frame at 0x7f of the worker in parser.c\n", 6000)
	saved, _ := c.call("save_context", args{"content": content, "rationale": strings.Repeat("because ", 20_000), "action_type": "research",
		"metadata": args{"dump": strings.Repeat("m ", 50_000)}})
	id := saved["id"].(string)
	answers := map[string]map[string]any{"save_context": saved}
	for tool, call := range map[string]args{"load_context": {"ids": id}, "update_context": {"id": id, "pinned": true}, "causal_chain": {"id": id}, "search_context": {"query": "crash in parser.c"}} {
		answers[tool], _ = c.call(tool, call)
	}
	for tool, data := range answers {
		if raw, _ := json.Marshal(data); len(raw) > 75_000 {
			t.Errorf("%s takes %d bytes", tool, len(raw))
		}
	}
	loaded := answers["load_context"]
	if got := loaded["contexts"].([]any)[0].(map[string]any)["content"].(string); len(got) < 30_000 || !strings.HasPrefix(content, got) {
		t.Errorf("%d bytes of the content are left", len(got))
	}
	if notes := fmt.Sprint(loaded["notes"]); !strings.Contains(notes, fmt.Sprintf("of %d bytes", len(content))) || !strings.Contains(notes, "wake://contexts/"+id) {
		t.Errorf("it is not said what is left out: %s", notes)
	}
	for how, whole := range map[string]map[string]any{
		"a budget that is large enough": first(c.call("load_context", args{"ids": id, "token_budget": 200_000})),
		"another client":                first(other.call("load_context", args{"ids": id})),
	} {
		if got := whole["contexts"].([]any)[0].(map[string]any)["content"].(string); got != content {
			t.Errorf("%s gives %d bytes", how, len(got))
		}
	}
}

// A list of checkpoints of a session with many goals fits too.
func TestAnswersOfManyCheckpointsFit(t *testing.T) {
	c, _ := openClaude(t)
	var events []args
	for i := range 60 {
		events = append(events, args{"type": "goal", "id": fmt.Sprint(i), "text": fmt.Sprintf("goal %d %s", i, strings.Repeat("and more of it ", 8))})
	}
	c.call("record", args{"client": "c", "client_session_id": "s", "events": events})
	for i := range 40 {
		made, _ := c.call("checkpoint", args{"action": "create", "label": fmt.Sprint(i)})
		c.call("checkpoint", args{"action": "pin", "id": made["id"]})
	}
	for _, limit := range []int{1, 100} {
		data, _ := c.call("checkpoint", args{"action": "list", "limit": limit})
		list := data["checkpoints"].([]any)
		goals := list[0].(map[string]any)["manifest"].(map[string]any)["goals"]
		if raw, _ := json.Marshal(data); len(raw) > 75_000 || len(list) != min(limit, 40) || (goals != nil) != (limit == 1) {
			t.Errorf("limit %d: %d checkpoints in %d bytes, goals %.60v", limit, len(list), len(raw), goals)
		}
	}
}

// first returns the data of a call's answer.
func first(data map[string]any, _ string) map[string]any { return data }
