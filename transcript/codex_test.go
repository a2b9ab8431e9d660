package transcript_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"wake/domain"
	"wake/transcript"
)

const (
	codexFile    = "rollout-2026-03-04T08-00-00-019cb7a0-1111-7222-8333-444455556666.jsonl"
	codexSession = "019cb7a0-1111-7222-8333-444455556666"
)

// A prompt stands in a rollout twice, as a response item and as an event: it is
// one message. Instructions and the environment are nobody's words.
func TestCodexHumanMessages(t *testing.T) {
	res := read(t, transcript.Codex, codexFile, own(t, "codex", codexFile), domain.IngestCursor{})
	var humans []string
	seen := map[domain.Key]bool{}
	for _, e := range res.events {
		if e.Type != domain.EventMessage || seen[e.Key] {
			continue
		}
		seen[e.Key] = true
		if m, _ := e.Message(); m.Human() {
			humans = append(humans, m.Content)
		}
	}
	if diff := cmp.Diff([]string{"Add rate limiting to the API", "continue", "continue"}, humans); diff != "" {
		t.Errorf("human messages (-want +got):\n%s", diff)
	}
}

func TestCodexSession(t *testing.T) {
	res := read(t, transcript.Codex, codexFile, own(t, "codex", codexFile), domain.IngestCursor{})
	if len(res.sessions) != 1 || len(res.skipped) != 0 {
		t.Fatalf("sessions %+v, skipped %v", res.sessions, res.skipped)
	}
	want := domain.Session{Client: "codex", ClientSessionID: codexSession, Provider: "openai", StartedAt: res.sessions[0].StartedAt,
		Attributes: map[string]string{"cwd": "/home/ben/api", "git_branch": "main", "version": "0.98.0", "originator": "codex_cli_rs"}}
	if diff := cmp.Diff(want, res.sessions[0]); diff != "" {
		t.Errorf("session (-want +got):\n%s", diff)
	}
	if about := ofType[domain.About](t, res); len(about) != 1 || about[0].Model != "gpt-5-codex" {
		t.Errorf("the model is told once: %+v", about)
	}
	if c := ofType[domain.Compaction](t, res); len(c) != 1 || c[0].Summary != "Rate limiting was added." {
		t.Errorf("compactions: %+v", c)
	}
}

// A compaction is told once, whether a row or only an event reports it.
func TestCodexCompactions(t *testing.T) {
	const row, event = `{"type":"compacted","payload":{"message":"sum"}}` + "\n", `{"type":"event_msg","payload":{"type":"context_compacted"}}` + "\n"
	for rows, want := range map[string][]string{row + event + row + event: {"sum", "sum"}, event + event: {"", ""}, row + event + event: {"sum", ""}} {
		res := read(t, transcript.Codex, codexFile, []byte(rows), domain.IngestCursor{})
		var got []string
		for _, c := range ofType[domain.Compaction](t, res) {
			got = append(got, c.Summary)
		}
		if keys := res.set(t); !slices.Equal(got, want) || len(keys) != len(want) {
			t.Errorf("%s: compactions %q under %d keys, want %q", rows, got, len(keys), want)
		}
	}
}

// I15: the same token count told twice counts once, and the sum of all calls is
// the total.
func TestCodexUsage(t *testing.T) {
	res := read(t, transcript.Codex, codexFile, own(t, "codex", codexFile), domain.IngestCursor{})
	var sum domain.TokenUsage
	calls := 0
	for _, op := range ofType[domain.OpReport](t, res) {
		if op.Kind != domain.OpLLM { // a tool that failed
			continue
		}
		calls++
		sum.Input, sum.CacheRead, sum.Output = sum.Input+op.Usage.Input, sum.CacheRead+op.Usage.CacheRead, sum.Output+op.Usage.Output
	}
	if want := (domain.TokenUsage{Input: 1600, CacheRead: 1000, Output: 120}); calls != 2 || sum != want {
		t.Errorf("%d calls took %+v, want 2 and %+v", calls, sum, want)
	}
}

func TestCodexTools(t *testing.T) {
	res := read(t, transcript.Codex, codexFile, own(t, "codex", codexFile), domain.IngestCursor{})
	calls, answers := map[string]domain.ToolCall{}, map[string]domain.Message{}
	for _, m := range ofType[domain.Message](t, res) {
		for _, c := range m.ToolCalls {
			calls[c.ID] = c
		}
		if m.ToolCallID != "" {
			answers[m.ToolCallID] = m
		}
	}
	if string(calls["call_1"].Arguments) != `{"command":["ls"]}` {
		t.Errorf("arguments in a string were not unwrapped: %s", calls["call_1"].Arguments)
	}
	if answers["call_1"].Error != "" || answers["call_2"].Error == "" || answers["call_2"].ToolName != "apply_patch" {
		t.Errorf("answers: %+v", answers)
	}
	if _, ok := answers["call_3"]; ok || calls["call_3"].Name != "shell" {
		t.Error("call_3 was never answered")
	}
}

// What codex exec prints is no rollout, and makes no empty session.
func TestCodexPrinted(t *testing.T) {
	const data = `{"type":"thread.started","thread_id":"c1"}` + "\n" + `{"type":"item.completed","item":{"id":"item_0","type":"agent_message","text":"Hello"}}` + "\n"
	res := read(t, transcript.Codex, "r.jsonl", []byte(data), domain.IngestCursor{})
	if len(res.skipped) != 2 || len(res.sessions) != 0 || len(res.events) != 0 || !strings.Contains(res.skipped[0].Reason, "codex exec") {
		t.Errorf("%+v, %d sessions, %d events", res.skipped, len(res.sessions), len(res.events))
	}
}

// A thread has the name that it was last given; that of another thread, whose rows are
// copied, is not its own.
func TestCodexName(t *testing.T) {
	named := func(thread, name string) string {
		return `{"timestamp":"2026-05-02T10:00:02Z","type":"event_msg","payload":{"type":"thread_name_updated"` + thread + `,"thread_name":"` + name + `"}}` + "\n"
	}
	data := `{"timestamp":"2026-05-02T10:00:00Z","type":"session_meta","payload":{"id":"c1"}}` + "\n" +
		named(`,"thread_id":"c1"`, "Plan") + named("", "Build") + named(`,"thread_id":"c0"`, "Other") + named(`,"thread_id":"c1"`, "Plan") + named("", "")
	var titles []string
	for _, about := range ofType[domain.About](t, read(t, transcript.Codex, "r.jsonl", []byte(data), domain.IngestCursor{})) {
		titles = append(titles, about.Title)
	}
	if diff := cmp.Diff([]string{"Plan", "Build", "Plan"}, titles); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
}

// What a tool answers may not tell that it failed: an event before it does, a part of the
// turn, or the state of the script that called other tools.
func TestCodexFailures(t *testing.T) {
	row := func(kind, payload string) string {
		return `{"timestamp":"2026-08-01T10:00:00Z","type":"` + kind + `","payload":` + payload + "}\n"
	}
	ended := func(item string) string { return row("event_msg", `{"type":"item_completed","item":`+item+`}`) }
	call := row("response_item", `{"type":"function_call","name":"query","arguments":"{}","call_id":"c"}`)
	answer := row("response_item", `{"type":"function_call_output","call_id":"c","output":"no such table"}`)
	script := func(parts string) string {
		return row("response_item", `{"type":"custom_tool_call_output","call_id":"c","output":[`+parts+`]}`)
	}
	for name, c := range map[string]struct{ rows, why string }{
		"nothing said":       {call + answer, ""},
		"of the first Rust":  {call + row("response_item", `{"type":"function_call_output","call_id":"c","output":{"content":"no such table","success":false}}`), "no such table"},
		"an MCP server":      {call + row("event_msg", `{"type":"mcp_tool_call_end","call_id":"c","result":{"Ok":{"content":[],"isError":true}}}`) + answer, "no such table"},
		"an older version":   {call + row("event_msg", `{"type":"mcp_tool_call_end","call_id":"c","result":{"Ok":{"content":[],"is_error":true}}}`) + answer, "no such table"},
		"no MCP server":      {call + row("event_msg", `{"type":"mcp_tool_call_end","call_id":"c","result":{"Err":"refused"}}`) + answer, "refused"},
		"it worked":          {call + row("event_msg", `{"type":"mcp_tool_call_end","call_id":"c","result":{"Ok":{"content":[],"isError":false}}}`) + answer, ""},
		"a patch":            {call + row("event_msg", `{"type":"patch_apply_end","call_id":"c","success":false,"stdout":"","stderr":"","status":"failed"}`) + answer, "no such table"},
		"another call":       {call + row("event_msg", `{"type":"patch_apply_end","call_id":"exec-1","success":false}`) + answer, ""},
		"a part of the turn": {call + ended(`{"type":"McpToolCall","id":"c","status":"failed","result":null,"error":{"message":"timed out"}}`) + answer, "timed out"},
		"a declined change":  {call + ended(`{"type":"FileChange","id":"c","status":"declined","changes":{}}`) + answer, "no such table"},
		"below how long":     {call + ended(`{"type":"McpToolCall","id":"c","status":"failed","result":{"content":[],"isError":true}}`) + row("response_item", `{"type":"function_call_output","call_id":"c","output":[{"type":"input_text","text":"Wall time: 5.8814 seconds\nOutput:"},{"type":"input_text","text":"no such table"}]}`), "no such table"},
		"only how long":      {call + ended(`{"type":"McpToolCall","id":"c","status":"failed"}`) + row("response_item", `{"type":"function_call_output","call_id":"c","output":"Wall time: 5.8814 seconds\nOutput:\n"}`), "failed"},
		"told later":         {call + answer + ended(`{"type":"McpToolCall","id":"c","status":"failed","error":null}`), "failed"},
		"a script":           {call + script(`{"type":"input_text","text":"Script failed\nWall time 0.1 seconds\nOutput:\n"},{"type":"input_text","text":"Success."},{"type":"input_text","text":"Script error:\napply_patch verification failed: no such lines\nat 1"}`), "apply_patch verification failed: no such lines"},
		"a silent script":    {call + script(`{"type":"input_text","text":"Script failed\nWall time 0.1 seconds\nOutput:\n"}`), "script failed"},
		"a script that ran":  {call + script(`{"type":"input_text","text":"Script completed\nWall time 0.1 seconds\nOutput:\n"}`), ""},
	} {
		whole := read(t, transcript.Codex, "rollout-c1.jsonl", []byte(c.rows), domain.IngestCursor{})
		why := ""
		for _, op := range ofType[domain.OpReport](t, whole) {
			if op.Status == domain.OpFailed && op.OpID == "c" {
				why = op.Error
			}
		}
		if why != c.why {
			t.Errorf("%s: failed by %q, want %q", name, why, c.why)
		}
		var pieces result
		for end := range len(c.rows) {
			if c.rows[end] == '\n' {
				part := read(t, transcript.Codex, "rollout-c1.jsonl", []byte(c.rows[:end+1]), pieces.cursor)
				pieces.events, pieces.cursor = append(pieces.events, part.events...), part.cursor
			}
		}
		if diff := cmp.Diff(whole.set(t), pieces.set(t)); diff != "" {
			t.Errorf("%s: in pieces (-whole +pieces):\n%s", name, diff)
		}
	}
}

// Two calls that share an id are two, each with its answer.
func TestCodexCallsOfOneID(t *testing.T) {
	row := func(payload string) string {
		return `{"timestamp":"2026-05-01T10:00:00Z","type":"response_item","payload":` + payload + "}\n"
	}
	data := row(`{"type":"function_call","name":"ls","arguments":"{}","call_id":"k"}`) + row(`{"type":"function_call_output","call_id":"k","output":"one"}`) +
		row(`{"type":"function_call","name":"cat","arguments":"{}","call_id":"k"}`) + row(`{"type":"function_call_output","call_id":"k","output":"two"}`)
	res := read(t, transcript.Codex, "rollout-c1.jsonl", []byte(data), domain.IngestCursor{})
	if n := len(res.set(t)); n != 4 {
		t.Errorf("%d events, want 4", n)
	}
}

// The first rollouts were bare items without a payload.
func TestCodexOldRollout(t *testing.T) {
	res := read(t, transcript.Codex, "old-rollout.jsonl", own(t, "codex", "old-rollout.jsonl"), domain.IngestCursor{})
	if diff := cmp.Diff([]string{"hello old codex"}, res.humans(t)); diff != "" || len(res.skipped) != 0 {
		t.Errorf("%s%v", diff, res.skipped)
	}
	if res.sessions[0].ClientSessionID != "0f0e0d0c-1111-4222-8333-444455556666" {
		t.Errorf("session %+v", res.sessions[0])
	}
}

func TestCodexSamples(t *testing.T) {
	for _, file := range samples(t, "agentsview/codex*.jsonl") {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		res := read(t, transcript.Codex, file, data, domain.IngestCursor{})
		if len(res.humans(t)) != 1 || len(res.skipped) != 0 || len(res.sessions) != 1 {
			t.Errorf("%s: humans %q, skipped %v, sessions %d", file, res.humans(t), res.skipped, len(res.sessions))
		}
		if strings.Contains(file, "fc_") && len(ofType[domain.Message](t, res)) < 2 {
			t.Errorf("%s: the call is missing", file)
		}
	}
}

// A sub-agent is asked by a model: what it was asked is no person's words, and there
// once, though the rollout has it as an item and as an event.
func TestCodexSubAgent(t *testing.T) {
	for source, agent := range map[string]string{
		`{"subagent":{"thread_spawn":{"parent_thread_id":"p1","depth":1,"agent_nickname":"Bo"}}}`: "Bo",
		`{"subagent":"review"}`: "", `{"subagent":{"other":"guardian"}}`: "",
	} {
		rollout := `{"timestamp":"2026-05-01T10:00:00Z","type":"session_meta","payload":{"id":"c1","source":` + source + `}}
{"type":"event_msg","payload":{"type":"user_message","message":"look at a.go"}}
{"type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"look at a.go"}]}}
`
		res := read(t, transcript.Codex, "r.jsonl", []byte(rollout), domain.IngestCursor{})
		asked := ofType[domain.Message](t, res)
		if len(res.set(t)) != 1 || len(asked) == 0 || asked[0].Kind != domain.MetaMessage || asked[0].Content != "look at a.go" {
			t.Errorf("%s: asked %+v", source, asked)
		}
		if s := res.sessions[0]; s.AgentID != agent || (s.ParentID == "p1") != (agent != "") {
			t.Errorf("%s: session %+v", source, s)
		}
	}
	head := `{"timestamp":"2026-09-21T10:00:00Z","type":"session_meta","payload":{"id":"c1","thread_source":"subagent","parent_thread_id":"p1","agent_nickname":"Bo","agent_path":"/root/look"}}` + "\n"
	if s := read(t, transcript.Codex, "r.jsonl", []byte(head), domain.IngestCursor{}).sessions[0]; s.AgentID != "Bo" || s.ParentID != "p1" {
		t.Errorf("a head without source: session %+v", s)
	}
	review := `{"timestamp":"2026-09-22T10:00:00Z","type":"session_meta","payload":{"id":"c1","source":"cli","thread_source":"guardian_review"}}` + "\n" +
		`{"type":"event_msg","payload":{"type":"user_message","message":"The following is what the agent did."}}` + "\n"
	if said := read(t, transcript.Codex, "r.jsonl", []byte(review), domain.IngestCursor{}).said(t); len(said) != 0 {
		t.Errorf("the reviewer of actions was asked %q", said)
	}
	named := `{"timestamp":"2026-08-30T10:00:00Z","type":"session_meta","payload":{"session_id":"c1","cwd":"/p"}}` + "\n"
	if s := read(t, transcript.Codex, "r.jsonl", []byte(named), domain.IngestCursor{}).sessions[0]; s.ClientSessionID != "c1" || s.Attributes["cwd"] != "/p" {
		t.Errorf("a head with session_id alone: session %+v", s)
	}
	for _, source := range []string{`"cli"`, `"exec"`, `null`, `{"custom":"x"}`, `{"subagent":null}`} {
		rollout := `{"type":"session_meta","payload":{"id":"c1","source":` + source + `}}` + "\n" + `{"type":"event_msg","payload":{"type":"user_message","message":"look"}}` + "\n"
		if said := read(t, transcript.Codex, "r.jsonl", []byte(rollout), domain.IngestCursor{}).said(t); len(said) != 1 {
			t.Errorf("%s: said %q", source, said)
		}
	}
}

// 001-08: a sub-agent's session belongs to the call that started it, in whatever way the
// version tells of it.
func TestCodexSpawned(t *testing.T) {
	row := func(kind, payload string) string {
		return `{"timestamp":"2026-05-01T10:00:00Z","type":"` + kind + `","payload":` + payload + "}\n"
	}
	head := row("session_meta", `{"id":"p1","source":"cli"}`)
	call := row("response_item", `{"type":"function_call","name":"spawn_agent","call_id":"k1","arguments":"{}"}`)
	answer := row("response_item", `{"type":"function_call_output","call_id":"k1","output":"{\"agent_id\":\"c1\",\"nickname\":\"Bo\"}"}`)
	event := row("event_msg", `{"type":"collab_agent_spawn_end","call_id":"k1","sender_thread_id":"p1","new_thread_id":"c1","status":"running"}`)
	started := row("event_msg", `{"type":"item_completed","thread_id":"p1","item":{"type":"SubAgentActivity","id":"k1","kind":"started","agent_thread_id":"c1","agent_path":"/root/look"}}`)
	ended := row("event_msg", `{"type":"item_completed","thread_id":"p1","item":{"type":"SubAgentActivity","id":"k9","kind":"completed","agent_thread_id":"c1"}}`)
	collab := row("event_msg", `{"type":"item_completed","thread_id":"p1","item":{"type":"CollabAgentToolCall","id":"k1","tool":"spawn_agent","status":"completed","receiver_thread_ids":["c1"]}}`)
	wait := row("event_msg", `{"type":"item_completed","thread_id":"p1","item":{"type":"CollabAgentToolCall","id":"k2","tool":"wait","receiver_thread_ids":["c1"]}}`)
	other := row("response_item", `{"type":"function_call","name":"exec","call_id":"k3","arguments":"{}"}`) +
		row("response_item", `{"type":"function_call_output","call_id":"k3","output":"{\"agent_id\":\"c3\"}"}`)
	for name, rows := range map[string]string{
		"in the answer": head + call + answer + other, "as an event": head + call + event + answer, "as activity": head + call + started + ended,
		"as a part of the turn": head + call + collab + wait, "in a copy of the parent's": row("session_meta", `{"id":"c1","forked_from_id":"p1","source":{"subagent":{"thread_spawn":{"parent_thread_id":"p1"}}}}`) + call + answer,
	} {
		res := read(t, transcript.Codex, "r.jsonl", []byte(rows), domain.IngestCursor{})
		got := map[domain.Key]string{}
		for _, e := range res.events {
			if op, err := e.Op(); e.Type == domain.EventOp && err == nil && op.ChildSessionID != "" {
				got[e.Key] = op.OpID + " " + op.ChildSessionID
			}
		}
		want := map[domain.Key]string{domain.RowKey("child", "k1"): "k1 c1"}
		if name == "in a copy of the parent's" {
			want = map[domain.Key]string{}
		}
		if diff := cmp.Diff(want, got); diff != "" || len(res.skipped) > 0 {
			t.Errorf("%s (-want +got):\n%s%v", name, diff, res.skipped)
		}
	}
}

// A sub-agent's rollout may begin with a copy of what its parent said and took, which
// is the parent's alone.
func TestCodexInherited(t *testing.T) {
	count := func(ordinal, input int) string {
		return fmt.Sprintf(`{"ordinal":%d,"type":"event_msg","payload":{"type":"token_count","info":{"total_token_usage":{"input_tokens":%d,"output_tokens":0,"total_tokens":%d},"last_token_usage":{"input_tokens":50,"output_tokens":0,"total_tokens":50}}}}`+"\n", ordinal, input, input)
	}
	head := `{"ordinal":0,"timestamp":"2026-07-10T10:00:00Z","type":"session_meta","payload":{"id":"c1","parent_thread_id":"p1","thread_source":"subagent","source":{"subagent":{"thread_spawn":{"agent_path":"/root/look"}}},"subagent_history_start_ordinal":4}}` + "\n" +
		`{"ordinal":1,"type":"session_meta","payload":{"id":"p1","source":"cli"}}` + "\n" +
		`{"ordinal":2,"type":"event_msg","payload":{"type":"user_message","message":"what the parent was asked"}}` + "\n" + count(3, 5000)
	asked := `{"ordinal":4,"type":"response_item","payload":{"type":"agent_message","author":"/root","recipient":"/root/look","content":[{"type":"input_text","text":"look at a.go"},{"type":"encrypted_content","encrypted_content":"x"}]}}` + "\n" +
		`{"ordinal":5,"type":"inter_agent_communication","payload":{"author":"/root","recipient":"/root/look","content":"and b.go","trigger_turn":false}}` + "\n"
	for name, tokens := range map[string]string{"counted on": count(6, 5100), "counted anew": count(6, 100)} {
		res := read(t, transcript.Codex, "r.jsonl", []byte(head+asked+tokens), domain.IngestCursor{})
		if s := res.sessions; len(s) != 1 || s[0].ClientSessionID != "c1" || s[0].ParentID != "p1" || s[0].AgentID != "/root/look" {
			t.Errorf("%s: sessions %+v", name, s)
		}
		var texts []string
		for _, m := range ofType[domain.Message](t, res) {
			if texts = append(texts, m.Content); m.Kind != domain.MetaMessage {
				t.Errorf("%s: %q is a person's", name, m.Content)
			}
		}
		if want := []string{"look at a.go", "and b.go"}; !slices.Equal(texts, want) {
			t.Errorf("%s: messages %q, want %q", name, texts, want)
		}
		want := map[string]int64{"counted on": 100, "counted anew": 50}[name]
		if ops := ofType[domain.OpReport](t, res); len(ops) != 1 || ops[0].Usage.Input != want {
			t.Errorf("%s: calls %+v, want one of %d tokens", name, ops, want)
		}
	}
}

// Newer rollouts say of each part of an item who it is from, in what Codex adds to a
// prompt and in what it puts there by itself, however that is written.
func TestCodexKinds(t *testing.T) {
	item := func(kinds string, texts ...string) string {
		var parts []string
		for _, text := range texts {
			parts = append(parts, `{"type":"input_text","text":"`+text+`"}`)
		}
		return `{"timestamp":"2026-09-20T10:00:00Z","type":"response_item","payload":{"type":"message","role":"user","content":[` + strings.Join(parts, ",") +
			`],"internal_chat_message_metadata_passthrough":{"turn_id":"t1","content_item_kinds":` + kinds + `}}}` + "\n"
	}
	const spoke = `{"type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"ok"}]}}` + "\n"
	event := func(text string) string {
		return `{"type":"event_msg","payload":{"type":"user_message","message":"` + text + `"}}` + "\n"
	}
	for name, c := range map[string]struct {
		rows         string
		people, meta []string
	}{
		"an AGENTS.md":          {item(`["agents_md.instructions"]`, "# AGENTS.md instructions; be brief"), nil, []string{"# AGENTS.md instructions; be brief"}},
		"what goes on":          {item(`["user.text"]`, "fix it") + event("fix it") + spoke + item(`["goal.continuation"]`, "Go on with the goal.") + spoke, []string{"fix it"}, []string{"Go on with the goal."}},
		"beside a prompt":       {item(`["user.text","environments.environment_context","user.text"]`, "fix", "It is Monday.", "it") + event("fixit") + spoke, []string{"fix\nit"}, []string{"It is Monday."}},
		"steered":               {event("first") + item(`["user.text"]`, "first") + spoke + item(`["user.text"]`, "second") + spoke, []string{"first", "second"}, nil},
		"of an unknown kind":    {item(`["unknown"]`, "fix it") + event("fix it") + spoke, []string{"fix it"}, nil},
		"kinds of other parts":  {item(`["agents_md.instructions","user.text"]`, "fix it") + event("fix it") + spoke, []string{"fix it"}, nil},
		"kinds of a newer sort": {item(`{"0":"user.text"}`, "fix it") + event("fix it") + spoke, []string{"fix it"}, nil},
	} {
		var people, meta []string
		res := read(t, transcript.Codex, codexFile, []byte(c.rows), domain.IngestCursor{})
		for _, m := range ofType[domain.Message](t, res) {
			switch {
			case m.Human():
				people = append(people, m.Content)
			case m.Role == domain.RoleUser:
				meta = append(meta, m.Content)
			}
		}
		if !slices.Equal(people, c.people) || !slices.Equal(meta, c.meta) || len(res.skipped) != 0 {
			t.Errorf("%s: people said %q, Codex %q; want %q and %q", name, people, meta, c.people, c.meta)
		}
	}
}

// A thought is told once, also where the item has none of it, but an event before it: in new
// rollouts by the item's id, in old ones just before it. An item that has nothing because
// its thought is encrypted takes no other's.
func TestCodexThoughts(t *testing.T) {
	event := func(payload string) string { return `{"type":"event_msg","payload":` + payload + "}\n" }
	item := func(id, more string) string {
		return `{"type":"response_item","payload":{"type":"reasoning","id":"` + id + `","summary":[]` + more + "}}\n"
	}
	raw := func(text string) string { return event(`{"type":"agent_reasoning_raw_content","text":"` + text + `"}`) }
	completed := func(id, raw string) string {
		return event(`{"type":"item_completed","thread_id":"` + codexSession + `","item":{"type":"Reasoning","id":"` + id + `","summary_text":[],"raw_content":[` + raw + `]}}`)
	}
	const content = `,"content":[{"type":"reasoning_text","text":"first"}]`
	const spoke = `{"type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"ok"}]}}` + "\n"
	for name, c := range map[string]struct {
		rows string
		want []string
	}{
		"event alone":          {completed("r1", `"first","more"`) + item("r1", "") + completed("r2", `"second"`) + item("r2", ""), []string{"first\nmore", "second"}},
		"event and item":       {completed("r1", `"first"`) + item("r1", content), []string{"first"}},
		"of another item":      {completed("r1", `"first"`) + item("r2", "") + item("r1", ""), nil},
		"encrypted":            {completed("r1", "") + item("r1", `,"encrypted_content":"x"`), nil},
		"old event alone":      {raw("first") + raw("more") + item("", "") + raw("second") + item("", ""), []string{"first\nmore", "second"}},
		"old event and item":   {raw("first") + item("", content) + item("", ""), []string{"first"}},
		"old event, no item":   {raw("first") + spoke + item("", ""), nil},
		"in an aborted turn":   {raw("first") + event(`{"type":"turn_aborted","reason":"interrupted"}`) + event(`{"type":"task_started","turn_id":"t2"}`) + item("", ""), nil},
		"with what it sums up": {raw("first") + item("", `,"summary":[{"type":"summary_text","text":"sum"}]`), []string{"sum"}},
	} {
		head := `{"timestamp":"2026-09-20T10:00:00Z","type":"session_meta","payload":{"id":"` + codexSession + `"}}` + "\n"
		for _, inPieces := range []bool{false, true} {
			var said []string
			cursor, rows := domain.IngestCursor{}, []byte(head+c.rows)
			for end := range rows {
				if rows[end] != '\n' || !inPieces && end < len(rows)-1 {
					continue
				}
				res := read(t, transcript.Codex, codexFile, rows[:end+1], cursor)
				cursor = res.cursor
				for _, r := range ofType[domain.Reasoning](t, res) {
					said = append(said, r.Content)
				}
			}
			if !slices.Equal(said, c.want) {
				t.Errorf("%s, in pieces %v: the thoughts are %q, want %q", name, inPieces, said, c.want)
			}
		}
	}
}

// A thread that was reverted goes on in another rollout with the same id: their rows
// have nothing to do with each other, though they stand on the same lines.
func TestCodexReverted(t *testing.T) {
	const id = "019cb7a0-1111-7222-8333-444455556666"
	rollout := func(reply string) []byte {
		return []byte(`{"timestamp":"2026-07-10T10:00:00Z","type":"session_meta","payload":{"id":"` + id + `"}}
{"type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"` + reply + `"}]}}
{"type":"event_msg","payload":{"type":"token_count","info":{"total_token_usage":{"input_tokens":7},"last_token_usage":{"input_tokens":7}}}}
`)
	}
	res := read(t, transcript.Codex, "rollout-2026-07-10T10-00-00-"+id+".jsonl", rollout("one"), domain.IngestCursor{})
	again := read(t, transcript.Codex, "rollout-2026-07-10T11-00-00-"+id+"_019cb7a0-9999-7222-8333-444455556666.jsonl", rollout("two"), domain.IngestCursor{})
	whole := len(res.set(t))
	res.events = append(res.events, again.events...)
	if n := len(res.set(t)); len(again.sessions) != 1 || again.sessions[0].ClientSessionID != id || n != 2*whole {
		t.Errorf("%d events of %d, sessions %+v", n, 2*whole, again.sessions)
	}
}

// Pictures of a prompt are kept with what is in them, also where the event names
// their files alone, and where there are no words beside them.
func TestCodexPictures(t *testing.T) {
	item := func(text string) string {
		return `{"type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"<image name=[Image #1]>"},{"type":"input_image","image_url":"data:image/png;base64,iVBORw=="},{"type":"input_text","text":"</image>"},{"type":"input_text","text":"` + text + `"}]}}` + "\n"
	}
	event := func(text string) string {
		return `{"type":"event_msg","payload":{"type":"user_message","message":"` + text + `","images":[],"local_images":["/tmp/a.png"],"text_elements":[]}}` + "\n"
	}
	rollout := `{"timestamp":"2026-05-01T10:00:00Z","type":"session_meta","payload":{"id":"c1"}}` + "\n" + item("what is it?") + event("what is it?") + item("") + event("") + event("and there?")
	res := read(t, transcript.Codex, "r.jsonl", []byte(rollout), domain.IngestCursor{})
	if got := res.said(t); !slices.Equal(got, []string{"what is it?", "", "and there?"}) {
		t.Errorf("said %q", got)
	}
	seen := map[domain.Key]string{}
	for _, e := range res.events {
		if m, err := e.Message(); err == nil && len(m.Media) == 1 && seen[e.Key] == "" {
			seen[e.Key] = m.Media[0].URL
		}
	}
	if got := slices.Sorted(maps.Values(seen)); !slices.Equal(got, []string{"/tmp/a.png", "data:image/png;base64,iVBORw==", "data:image/png;base64,iVBORw=="}) {
		t.Errorf("pictures %q", got)
	}
}

// What a command answered is known by its exit code, in the words of each version.
func TestCodexExitCodes(t *testing.T) {
	for output, failed := range map[string]string{
		"Exit code: 1\nWall time: 0 seconds\nOutput:\nboom":                                                       "exit code 1",
		"Exit code: 0\nWall time: 0 seconds\nOutput:\nExit code: 1":                                               "",
		"Chunk ID: ab12\nWall time: 0.1 seconds\nProcess exited with code 2\nOriginal token count: 3\nOutput:\nx": "exit code 2",
		"Chunk ID: ab12\nWall time: 0.1 seconds\nProcess exited with code 0\nOutput:\nx":                          "",
		"Wall time: 5 seconds\nProcess running with session ID 7\nOutput:\nx":                                     "",
		"a log\nExit code: 1\nOutput:":                                                                            "",
		`{"output":"x","metadata":{"exit_code":3}}`:                                                               "exit code 3",
	} {
		data, _ := json.Marshal(output)
		rollout := `{"type":"session_meta","payload":{"id":"c1"}}` + "\n" + `{"type":"response_item","payload":{"type":"function_call_output","call_id":"k","output":` + string(data) + `}}` + "\n"
		answers := ofType[domain.Message](t, read(t, transcript.Codex, "r.jsonl", []byte(rollout), domain.IngestCursor{}))
		if len(answers) != 1 || answers[0].Error != failed || answers[0].Content != output {
			t.Errorf("%q: %+v", output, answers)
		}
	}
}

// A fork begins with its origin's rows, all written at the time of the fork: what they
// took is the origin's (I15), also where the fork is read in pieces.
func TestCodexForks(t *testing.T) {
	at := func(ms int) string { return domain.FormatTime(time.Date(2026, 7, 10, 10, 0, 0, ms*1e6, time.UTC)) }
	head := func(more string) string {
		return fmt.Sprintf(`{"timestamp":%q,"type":"session_meta","payload":{"id":"f1",%s}}`, at(0), more) + "\n" +
			fmt.Sprintf(`{"timestamp":%q,"type":"session_meta","payload":{"id":"p1","source":"cli"}}`, at(1)) + "\n"
	}
	said := func(ms int, text string) string {
		return fmt.Sprintf(`{"timestamp":%q,"type":"event_msg","payload":{"type":"user_message","message":%q}}`, at(ms), text) + "\n"
	}
	took := func(ms, input int) string {
		return fmt.Sprintf(`{"timestamp":%q,"type":"event_msg","payload":{"type":"token_count","info":{"total_token_usage":{"input_tokens":%d,"total_tokens":%d},"last_token_usage":{"input_tokens":50,"total_tokens":50}}}}`, at(ms), input, input) + "\n"
	}
	for name, more := range map[string]string{
		"fork":       `"source":"cli","forked_from_id":"p1"`,
		"early fork": `"originator":"codex_cli_rs","cli_version":"0.58.0"`, // of a user who went back
		"sub-agent":  `"source":{"subagent":{"thread_spawn":{"parent_thread_id":"p1"}}}`,
	} {
		copies := head(more) + said(20, "begin") + took(40, 5000) + took(900, 6000)
		all := copies + said(5000, "go on") + took(5100, 6100)
		first := read(t, transcript.Codex, "r.jsonl", []byte(copies), domain.IngestCursor{})
		rest := read(t, transcript.Codex, "r.jsonl", []byte(all), first.cursor)
		var copied []bool
		for _, e := range append(first.events, rest.events...) {
			if e.Type == domain.EventMessage {
				copied = append(copied, e.Source.Copied())
			}
		}
		if want := []bool{true, false}; !slices.Equal(copied, want) {
			t.Errorf("%s: copied messages %v, want %v", name, copied, want)
		}
		if ops := append(ofType[domain.OpReport](t, first), ofType[domain.OpReport](t, rest)...); len(ops) != 1 || ops[0].Usage.Input != 100 {
			t.Errorf("%s: calls %+v, want one of 100 tokens", name, ops)
		}
	}
}

// Some versions leave the origin's head out of a fork, or its copies have the times of the
// origin's rows. A sub-agent that is such a fork begins its first turn at once, whose id is
// newer than its thread's.
func TestCodexForksWithoutHead(t *testing.T) {
	const (
		before = "01a00000-0000-7000-8000-000000000001" // the origin's turn
		fork   = "01a00000-1000-7000-8000-000000000002"
		turn   = "01a00000-1032-7000-8000-000000000003"
	)
	at := func(ms int) string { return domain.FormatTime(time.Date(2026, 8, 13, 10, 0, 0, ms*1e6, time.UTC)) }
	row := func(ms int, kind, payload string) string {
		return fmt.Sprintf(`{"timestamp":%q,"type":%q,"payload":%s}`, at(ms), kind, payload) + "\n"
	}
	event := func(ms int, payload string) string { return row(ms, "event_msg", payload) }
	took := func(ms, input int) string {
		return event(ms, fmt.Sprintf(`{"type":"token_count","info":{"total_token_usage":{"input_tokens":%d},"last_token_usage":{"input_tokens":50}}}`, input))
	}
	started := func(ms int, id string) string {
		return event(ms, `{"type":"task_started","turn_id":"`+id+`"}`)
	}
	said := func(ms int, text string) string {
		return event(ms, `{"type":"user_message","message":"`+text+`"}`)
	}
	head := func(more string) string {
		return row(0, "session_meta", `{"id":"`+fork+`",`+more+`}`)
	}
	late := func(more string) string {
		return row(90000, "session_meta", `{"id":"`+fork+`",`+more+`}`)
	}
	const subagent = `"source":{"subagent":{"thread_spawn":{"parent_thread_id":"p1"}}}`
	copies := started(1, before) + said(1, "begin") + took(2, 5000) + took(2, 6000)
	for name, c := range map[string]struct {
		rows   string
		copied []bool
		input  int64
	}{
		"a sub-agent":                {head(`"forked_from_id":"p1",`+subagent) + copies + started(50, turn) + said(60, "look") + took(70, 6100), []bool{true, false}, 100},
		"a person's, later":          {head(`"forked_from_id":"p1","source":"cli"`) + copies + said(5000, "go on") + took(5100, 6100), []bool{true, false}, 100},
		"with its origin's times":    {late(subagent) + started(1, before) + said(1, "begin") + took(4000, 5000) + took(9000, 6000) + said(90060, "look") + took(93000, 6100), []bool{true, false}, 100},
		"a fork of nothing":          {head(`"forked_from_id":"p1","source":"cli"`) + started(50, turn) + said(60, "go on") + took(70, 50), []bool{false}, 50},
		"a fork that names its base": {head(`"forked_from_id":"p1","source":"cli","history_base":{"thread_id":"p1","end_ordinal_exclusive":9}`) + said(60, "go on") + took(70, 50), []bool{false}, 50},
	} {
		res := read(t, transcript.Codex, "r.jsonl", []byte(c.rows), domain.IngestCursor{})
		var copied []bool
		for _, e := range res.events {
			if e.Type == domain.EventMessage {
				copied = append(copied, e.Source.Copied())
			}
		}
		if !slices.Equal(copied, c.copied) {
			t.Errorf("%s: copied messages %v, want %v", name, copied, c.copied)
		}
		if ops := ofType[domain.OpReport](t, res); len(ops) != 1 || ops[0].Usage.Input != c.input {
			t.Errorf("%s: calls %+v, want one of %d tokens", name, ops, c.input)
		}
	}
}

// Older versions write what they ask a review into the parent's rollout as if the person had
// asked it.
func TestCodexOlderReview(t *testing.T) {
	event := func(payload string) string {
		return `{"timestamp":"2026-01-05T10:00:00Z","type":"event_msg","payload":` + payload + "}\n"
	}
	said := func(text string) string { return event(`{"type":"user_message","message":"` + text + `"}`) }
	entered := func(target string) string {
		return event(`{"type":"entered_review_mode","target":` + target + `,"user_facing_hint":"x"}`)
	}
	for name, c := range map[string]struct {
		rows string
		want []string
	}{
		"of the changes":    {entered(`{"type":"uncommittedChanges"}`) + said("Review the current code changes") + event(`{"type":"exited_review_mode","review_output":null}`) + said("thanks"), []string{"thanks"}},
		"of something":      {entered(`{"type":"custom","instructions":"Look for races "}`) + said("Look for races"), []string{"Look for races"}},
		"interrupted":       {entered(`{"type":"baseBranch","branch":"main"}`) + said("Review the changes against main") + event(`{"type":"turn_aborted","reason":"interrupted"}`) + said("go on"), []string{"go on"}},
		"without an end":    {entered(`{"type":"uncommittedChanges"}`) + event(`{"type":"task_complete"}`) + said("go on"), []string{"go on"}},
		"by an old request": {event(`{"type":"entered_review_mode","prompt":"Look","user_facing_hint":"Look"}`) + said("Look"), []string{"Look"}},
	} {
		res := read(t, transcript.Codex, "r.jsonl", []byte(c.rows), domain.IngestCursor{})
		if diff := cmp.Diff(c.want, res.said(t)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// A cursor knows again, without holding them, the words with which a person asked for a
// review. An older wake's holds them.
func TestCodexReviewInPieces(t *testing.T) {
	event := func(payload string) string {
		return `{"timestamp":"2026-01-05T10:00:00Z","type":"event_msg","payload":` + payload + "}\n"
	}
	const words = "Look for races"
	begun := event(`{"type":"entered_review_mode","target":{"type":"custom","instructions":"` + words + ` "}}`)
	whole := begun + event(`{"type":"user_message","message":"`+words+`"}`) + event(`{"type":"user_message","message":"Review it"}`)
	now := read(t, transcript.Codex, "r.jsonl", []byte(begun), domain.IngestCursor{}).cursor
	if bytes.Contains(now.State, []byte(words)) {
		t.Errorf("the cursor holds %s", now.State)
	}
	old := now
	old.State = bytes.ReplaceAll(now.State, []byte(domain.HashText(words)), []byte(words+" "))
	if bytes.Equal(old.State, now.State) {
		t.Errorf("no hash of the words in %s", now.State)
	}
	for _, from := range []domain.IngestCursor{now, old} {
		if diff := cmp.Diff([]string{words}, read(t, transcript.Codex, "r.jsonl", []byte(whole), from).said(t)); diff != "" {
			t.Errorf("from %s (-want +got):\n%s", from.State, diff)
		}
	}
}

// A review runs in a thread of its own, and begins with nothing of its parent's. The
// parent records what Codex asks it, which nobody said unless it is for a review of a
// person's own.
func TestCodexReview(t *testing.T) {
	line := func(kind, payload string) string {
		return `{"timestamp":"2026-11-24T12:54:52.2Z","ordinal":1,"type":"` + kind + `","payload":` + payload + "}\n"
	}
	asked := line("event_msg", `{"type":"item_completed","thread_id":"c1","item":{"type":"UserMessage","content":[{"type":"text","text":"Review the current code changes"}]}}`)
	said := line("event_msg", `{"type":"item_completed","thread_id":"p1","item":{"type":"UserMessage","content":[{"type":"text","text":"And now?"}]}}`)
	custom := line("event_msg", `{"type":"item_completed","thread_id":"p1","item":{"type":"EnteredReviewMode","target":{"type":"custom","instructions":"Look for races"}}}`) +
		strings.ReplaceAll(asked, "Review the current code changes", "Look for races")
	parent := read(t, transcript.Codex, "p.jsonl", []byte(line("session_meta", `{"id":"p1","source":"exec"}`)+asked+said+custom), domain.IngestCursor{})
	if diff := cmp.Diff([]string{"And now?", "Look for races"}, parent.said(t)); diff != "" {
		t.Errorf("in the parent (-want +got):\n%s", diff)
	}
	child := read(t, transcript.Codex, "c.jsonl", []byte(line("session_meta", `{"id":"c1","parent_thread_id":"p1","source":{"subagent":"review"},"thread_source":"subagent"}`)+
		line("event_msg", `{"type":"task_started"}`)+asked+
		line("token_usage_record", `{"thread_id":"c1","response_id":"r1","usage":{"input_tokens":1036,"output_tokens":56,"total_tokens":1092}}`)), domain.IngestCursor{})
	if ops := ofType[domain.OpReport](t, child); len(child.humans(t)) != 0 || len(ops) != 1 || ops[0].Usage.Input != 1036 || child.sessions[0].ParentID != "p1" {
		t.Errorf("in the review: %q, %+v, %+v", child.humans(t), ops, child.sessions[0])
	}
	for _, e := range child.events {
		if e.Source.Copied() {
			t.Errorf("%s passes for a copy of the parent's", e.Payload)
		}
	}
}

// Codex tells its model the goal of a thread as a tool's answer that nobody asked for.
func TestCodexGoalIsNoToolsAnswer(t *testing.T) {
	got := read(t, transcript.Codex, "r.jsonl", []byte(`{"type":"session_meta","payload":{"id":"s"}}
{"type":"response_item","payload":{"type":"function_call_output","id":"fco_1","name":"goal_objective","namespace":"agent","output":"Sell all lamps"}}
{"type":"response_item","payload":{"type":"function_call_output","name":"goal_objective","output":[{"type":"input_text","text":"Like this"},{"type":"input_image","image_url":"https://example.com/a.png"}]}}
`), domain.IngestCursor{})
	want := []domain.Message{{Role: domain.RoleUser, Kind: domain.MetaMessage, Content: "Sell all lamps"},
		{Role: domain.RoleUser, Kind: domain.MetaMessage, Content: "Like this", Media: []domain.Media{{Type: "image", URL: "https://example.com/a.png"}}}}
	if diff := cmp.Diff(want, ofType[domain.Message](t, got)); diff != "" {
		t.Error(diff)
	}
}

// What was read from the cache and written to it is within Codex' input.
func TestCodexCache(t *testing.T) {
	count := `{"type":"event_msg","payload":{"type":"token_count","info":{"total_token_usage":{"input_tokens":%d,"cached_input_tokens":%d,"cache_write_input_tokens":%d,"output_tokens":%d}}}}` + "\n"
	rollout := `{"type":"session_meta","payload":{"id":"s"}}` + "\n" + fmt.Sprintf(count, 1000, 0, 900, 10) + fmt.Sprintf(count, 3000, 900, 1500, 30)
	ops := ofType[domain.OpReport](t, read(t, transcript.Codex, "r.jsonl", []byte(rollout), domain.IngestCursor{}))
	want := []domain.TokenUsage{{Input: 100, CacheWrite: 900, Output: 10}, {Input: 500, CacheRead: 900, CacheWrite: 600, Output: 20}}
	for i, op := range ops {
		if i >= len(want) || *op.Usage != want[i] {
			t.Errorf("call %d took %+v, want %+v", i+1, *op.Usage, want)
		}
	}
	if len(ops) != len(want) {
		t.Errorf("%d calls, want %d", len(ops), len(want))
	}
}

// Newer versions record what each call took, before the count that includes it; a call
// that compacts the history has no count. What another thread took is that one's.
func TestCodexRecordedUsage(t *testing.T) {
	record := func(thread, response string, input int) string {
		return fmt.Sprintf(`{"type":"token_usage_record","payload":{"thread_id":%q,"response_id":%q,"usage":{"input_tokens":%d,"cached_input_tokens":0,"output_tokens":0}}}`, thread, response, input) + "\n"
	}
	count := func(input, last int) string {
		return fmt.Sprintf(`{"type":"event_msg","payload":{"type":"token_count","info":{"total_token_usage":{"input_tokens":%d},"last_token_usage":{"input_tokens":%d,"total_tokens":%d}}}}`, input, last, last) + "\n"
	}
	rollout := `{"type":"session_meta","payload":{"id":"s"}}` + "\n" + count(50, 50) + record("other", "r0", 900) +
		record("s", "r1", 100) + count(150, 100) + record("s", "r2", 70) + record("s", "r2", 70) + record("s", "r3", 40) + count(190, 40) + count(190, 40)
	lines := strings.SplitAfter(rollout, "\n")
	first := read(t, transcript.Codex, "r.jsonl", []byte(strings.Join(lines[:4], "")), domain.IngestCursor{})
	rest := read(t, transcript.Codex, "r.jsonl", []byte(rollout), first.cursor) // in two reads, as hooks do
	var calls []string
	seen := map[domain.Key]bool{}
	for _, e := range append(first.events, rest.events...) {
		if e.Type == domain.EventOp && !seen[e.Key] {
			seen[e.Key] = true
			op, _ := e.Op()
			calls = append(calls, fmt.Sprintf("%s %d", op.OpID, op.Usage.Input))
		}
	}
	if diff := cmp.Diff([]string{"call-2 50", "r1 100", "r2 70", "r3 40"}, calls); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
	if windows := append(ofType[domain.Window](t, first), ofType[domain.Window](t, rest)...); len(windows) != 3 {
		t.Errorf("windows %+v, want 3", windows)
	}
}

// A thread may be continued by an older version, which records no single calls, and other
// programs write no totals.
func TestCodexCountsWithoutRecords(t *testing.T) {
	record := func(response string, input int) string {
		return fmt.Sprintf(`{"type":"token_usage_record","payload":{"response_id":%q,"usage":{"input_tokens":%d}}}`, response, input) + "\n"
	}
	count := func(total string, last int) string {
		return fmt.Sprintf(`{"type":"event_msg","payload":{"type":"token_count","info":{%s"last_token_usage":{"input_tokens":%d,"total_tokens":%d}}}}`, total, last, last) + "\n"
	}
	of := func(input int) string {
		return fmt.Sprintf(`"total_token_usage":{"input_tokens":%[1]d,"total_tokens":%[1]d},`, input)
	}
	for name, c := range map[string]struct {
		rows string
		want []int64
	}{
		"an older version goes on":    {count(of(100), 100) + record("r1", 300) + count(of(400), 300) + count(of(450), 50) + count(of(450), 50), []int64{100, 300, 50}},
		"a compaction is in no count": {record("r1", 100) + count(of(100), 100) + record("r2", 300) + count(of(100), 100) + record("r3", 50) + count(of(150), 50), []int64{100, 300, 50}},
		"only a compaction recorded":  {count(of(1000), 1000) + record("r1", 300) + `{"type":"compacted","payload":{"message":"sum"}}` + "\n" + count(of(1050), 50), []int64{1000, 300, 50}},
		"one count of two calls":      {record("r1", 100) + record("r2", 30) + count(of(130), 30), []int64{100, 30}},
		"each process counts anew":    {count(of(100), 100) + count(of(130), 130) + count(of(130), 130) + count(of(180), 50), []int64{100, 130, 50}},
		"no totals":                   {count("", 100) + count("", 100) + count("", 50), []int64{100, 50}},
	} {
		rollout := `{"type":"session_meta","payload":{"id":"s"}}` + "\n" + c.rows
		whole := read(t, transcript.Codex, "r.jsonl", []byte(rollout), domain.IngestCursor{})
		half := rollout[:strings.LastIndexByte(rollout[:len(rollout)/2], '\n')+1]
		first := read(t, transcript.Codex, "r.jsonl", []byte(half), domain.IngestCursor{})
		rest := read(t, transcript.Codex, "r.jsonl", []byte(rollout), first.cursor)
		for how, ops := range map[string][]domain.OpReport{"whole": ofType[domain.OpReport](t, whole),
			"in pieces": append(ofType[domain.OpReport](t, first), ofType[domain.OpReport](t, rest)...)} {
			var took []int64
			for _, op := range ops {
				took = append(took, op.Usage.Input)
			}
			if diff := cmp.Diff(c.want, took); diff != "" {
				t.Errorf("%s, %s (-want +got):\n%s", name, how, diff)
			}
		}
	}
}

// An older wake may have read the record of a call, and not yet the count that includes it.
// Its cursor does not say what the records since the latest count took.
func TestCodexRecordReadByOlderWake(t *testing.T) {
	count := func(total, last int) string {
		return fmt.Sprintf(`{"type":"event_msg","payload":{"type":"token_count","info":{"total_token_usage":{"input_tokens":%d},"last_token_usage":{"input_tokens":%d}}}}`, total, last) + "\n"
	}
	record := `{"type":"token_usage_record","payload":{"response_id":"r1","usage":{"input_tokens":300}}}` + "\n"
	first := `{"type":"session_meta","payload":{"id":"s"}}` + "\n" + count(100, 100) + record
	older := read(t, transcript.Codex, "r.jsonl", []byte(first), domain.IngestCursor{}).cursor
	state := regexp.MustCompile(`,"counted":\{[^}]*\}`).ReplaceAll(older.State, nil)
	if bytes.Equal(state, older.State) {
		t.Fatalf("the cursor has nothing to leave out: %s", state)
	}
	older.State = state
	res := read(t, transcript.Codex, "r.jsonl", []byte(first+count(400, 300)+count(450, 50)), older)
	var took []int64
	for _, op := range ofType[domain.OpReport](t, res) {
		took = append(took, op.Usage.Input)
	}
	if diff := cmp.Diff([]int64{50}, took); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
}

// A call that Codex cannot run is answered with nothing but the reason.
func TestCodexRefusedCalls(t *testing.T) {
	var rollout strings.Builder
	answers := []string{"failed to parse function arguments: unknown field `todos` at line 1", "unsupported call: grep",
		"unsupported custom tool call: grep", "update_plan is a TODO/checklist tool and is not allowed in Plan mode", "Plan updated", "Exit code: 0\nOutput:\nunsupported call: grep"}
	for i, answer := range answers {
		fmt.Fprintf(&rollout, `{"type":"response_item","payload":{"type":"function_call","name":"update_plan","arguments":"{}","call_id":"c%d"}}`+"\n", i)
		fmt.Fprintf(&rollout, `{"type":"response_item","payload":{"type":"function_call_output","call_id":"c%d","output":%q}}`+"\n", i, answer)
	}
	var failed []string
	for _, op := range ofType[domain.OpReport](t, read(t, transcript.Codex, "rollout-r1.jsonl", []byte(rollout.String()), domain.IngestCursor{})) {
		failed = append(failed, op.Error)
	}
	if diff := cmp.Diff(answers[:4], failed); diff != "" {
		t.Errorf("failed calls (-want +got):\n%s", diff)
	}
}

// A picture that the model made is a part of what it said.
func TestCodexDrawings(t *testing.T) {
	row := func(payload string) string {
		return `{"timestamp":"2026-05-01T10:00:00Z","type":"response_item","payload":` + payload + "}\n"
	}
	rollout := row(`{"type":"message","role":"user","content":[{"type":"input_text","text":"draw a cat"}]}`) +
		row(`{"type":"image_generation_call","id":"ig_1","status":"completed","revised_prompt":"a grey cat","result":"iVBORw=="}`) +
		row(`{"type":"image_generation_call","id":"ig_2","status":"failed","result":""}`)
	res := read(t, transcript.Codex, "rollout-c1.jsonl", []byte(rollout), domain.IngestCursor{})
	var drawn []domain.Message
	for _, m := range ofType[domain.Message](t, res) {
		if m.Role == domain.RoleAssistant {
			drawn = append(drawn, m)
		}
	}
	if len(drawn) != 1 || drawn[0].Content != "a grey cat" || len(drawn[0].Media) != 1 || string(drawn[0].Media[0].Data) != "\x89PNG" || len(res.skipped) != 0 {
		t.Errorf("%+v %v", drawn, res.skipped)
	}
}

// A search of the web runs on the model's side, and its item comes when it is over: no
// answer follows, and nothing is left open (I20).
func TestCodexSearches(t *testing.T) {
	search := func(more string) string {
		return `{"timestamp":"2026-05-01T10:00:00Z","type":"response_item","payload":{"type":"web_search_call",` + more + `"action":{"type":"search","query":"go sqlite"}}}` + "\n"
	}
	rollout := search(`"id":"ws_1","status":"completed",`) + search(`"id":"ws_2","status":"failed",`) + search(``) + search(`"id":"ws_3","status":"in_progress",`)
	var open, failed []string
	for _, m := range ofType[domain.Message](t, read(t, transcript.Codex, "rollout-c1.jsonl", []byte(rollout), domain.IngestCursor{})) {
		for _, call := range m.ToolCalls {
			open = append(open, call.ID)
		}
		if m.Role == domain.RoleTool {
			open = slices.DeleteFunc(open, func(id string) bool { return id == m.ToolCallID })
			if m.Error != "" {
				failed = append(failed, m.ToolName+" "+m.ToolCallID)
			}
		}
	}
	if !slices.Equal(open, []string{"ws_3"}) || !slices.Equal(failed, []string{"web_search ws_2"}) {
		t.Errorf("open %q, failed %q", open, failed)
	}
}

// Codex keeps the names of its sessions in a file of their own: the last one counts, and a
// row that is still being written is left for the next read.
func TestCodexIndex(t *testing.T) {
	rows := `{"id":"a","thread_name":"one","updated_at":"2026-05-02T10:00:00Z"}
{"id":"b","thread_name":"two","updated_at":"2026-05-02T10:01:00.5Z"}
{"id":"a","thread_name":"three","updated_at":"2026-05-02T10:02:00Z"}
{"id":"a","thread_name":""}
{"thread_name":"whose"}
{"id":"b","thread_na`
	if format, ok := transcript.Detect("names.jsonl", []byte(rows)); !ok || format != transcript.Codex {
		t.Errorf("detected %q", format)
	}
	r, err := transcript.NewReader(transcript.Codex, "/home/ann/.codex/session_index.jsonl", strings.NewReader(rows), domain.IngestCursor{})
	if err != nil {
		t.Fatal(err)
	}
	var names, skipped []string
	for item, err := range r.Items() {
		switch {
		case err != nil:
			t.Fatal(err)
		case item.Named != nil:
			names = append(names, item.Named.Session+" "+item.Named.Title)
		case item.Skipped != nil:
			skipped = append(skipped, item.Skipped.String())
		default:
			t.Errorf("%+v", item)
		}
	}
	if diff := cmp.Diff([]string{"a three", "b two"}, names); diff != "" || len(skipped) != 1 || !strings.Contains(skipped[0], ":5: it names no session") {
		t.Errorf("names (-want +got):\n%s%v", diff, skipped)
	}
}
