package transcript_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"wake/domain"
	"wake/transcript"
)

// I18, 000-08, 000-19: an OLLM snapshot, of the old shape or the new, written in
// the new shape, reads back as the same events.
func TestOLLMIdentity(t *testing.T) {
	for _, file := range []string{"snapshot-new.json", "snapshot-old.json"} {
		first := read(t, transcript.OLLM, file, own(t, "ollm", file), domain.IngestCursor{})
		s := first.sessions[0]
		s.Title = "Parser work"
		for _, w := range ofType[domain.Window](t, first) {
			s.Tokens, s.ContextLimit = w.Tokens, w.Limit
		}
		var out bytes.Buffer
		if err := transcript.WriteOLLMSnapshot(&out, s.Attributes["snapshot_id"], s.StartedAt, s, first.events); err != nil {
			t.Fatal(err)
		}
		second := read(t, transcript.OLLM, file, out.Bytes(), domain.IngestCursor{})
		ignoreIDs := file == "snapshot-old.json" // its messages have none; the new shape must
		if diff := cmp.Diff(contents(t, first, ignoreIDs), contents(t, second, ignoreIDs)); diff != "" {
			t.Errorf("%s (-read +written and read):\n%s", file, diff)
		}
		var doc map[string]any
		if err := json.Unmarshal(out.Bytes(), &doc); err != nil || doc["version"] != "1.0" || doc["archivedUserMessages"] == nil {
			t.Errorf("%s is not in OLLM's shape: %v", file, err)
		}
	}
}

// A conversation whose source has no times keeps its order, although people's messages
// are in another list (I18).
func TestOLLMSameTimes(t *testing.T) {
	doc := `{"history":[{"role":"system","content":"You have a shell."},{"role":"user","content":"fix it"},{"role":"assistant","content":"I look."},
		{"role":"tool","content":"a.py","tool_call_ids":["c1"]},{"role":"assistant","content":"done"}],"info":{}}`
	first := read(t, transcript.SWEAgent, "a__a-1.traj", []byte(doc), domain.IngestCursor{})
	for i := range first.events {
		first.events[i].At = time.UnixMilli(1770000000000)
	}
	var out bytes.Buffer
	if err := transcript.WriteOLLMSnapshot(&out, "s", time.UnixMilli(1770000000000), first.sessions[0], first.events); err != nil {
		t.Fatal(err)
	}
	second := read(t, transcript.OLLM, "snapshot-s.json", out.Bytes(), domain.IngestCursor{})
	said := func(r result) (all []string) {
		for _, m := range ofType[domain.Message](t, r) {
			all = append(all, string(m.Role)+": "+m.Content)
		}
		return all
	}
	if diff := cmp.Diff(said(first), said(second)); diff != "" {
		t.Errorf("(-read +written and read):\n%s", diff)
	}
}

// contents is what was said when, without the keys when they cannot be the same.
func contents(t *testing.T, r result, ignoreIDs bool) []string {
	t.Helper()
	var all []string
	for _, e := range r.events {
		line := string(e.Type) + " " + domain.FormatTime(e.At) + " " + string(e.Payload)
		if ignoreIDs {
			m, err := e.Message()
			if err != nil {
				continue
			}
			line = string(m.Role) + " " + domain.FormatTime(e.At) + " " + m.Content
		} else {
			line = string(e.Key) + " " + line
		}
		all = append(all, line)
	}
	return all
}

// Messages of a person are never truncated and never mixed with others (000-07),
// also those of another client, with its tools.
func TestOLLMFromClaude(t *testing.T) {
	from := read(t, transcript.ClaudeCode, "s.jsonl", own(t, "claude-code", "session.jsonl"), domain.IngestCursor{})
	var out bytes.Buffer
	if err := transcript.WriteOLLMSnapshot(&out, "snap", time.Unix(0, 0), from.sessions[0], from.events); err != nil {
		t.Fatal(err)
	}
	back := read(t, transcript.OLLM, "snapshot-snap.json", out.Bytes(), domain.IngestCursor{})
	want, got := from.humans(t), back.humans(t)
	if len(want) != len(got) {
		t.Fatalf("%d messages of people, then %d", len(want), len(got))
	}
	counts := map[string]int{}
	for i := range want {
		counts[want[i]]++
		counts[got[i]]--
	}
	for text, n := range counts {
		if n != 0 {
			t.Errorf("%q differs by %d", text, n)
		}
	}
}

// A message of another client may be several here, a text, calls of tools and what they
// came back with: each keeps an id of its own, for readers take two of one id for one.
func TestOLLMIDsAreUnique(t *testing.T) {
	from := read(t, transcript.Gemini, "s.json", []byte(`{"sessionId":"g","projectHash":"h","messages":[{"id":"m0","type":"user","content":"go"},
		{"id":"m1","type":"gemini","content":"I write it.","toolCalls":[{"id":"c1","name":"write_file","args":{"n":1},"status":"success","result":[{"text":"written"}]},
		{"id":"c2","name":"read_file","args":{"n":2},"status":"success","result":[{"text":"read"}]}]}]}`), domain.IngestCursor{})
	var out bytes.Buffer
	if err := transcript.WriteOLLMSnapshot(&out, "snap", time.Unix(0, 0), from.sessions[0], from.events); err != nil {
		t.Fatal(err)
	}
	var told []string
	for _, m := range ofType[domain.Message](t, read(t, transcript.OLLM, "snapshot-snap.json", out.Bytes(), domain.IngestCursor{})) {
		for _, c := range m.ToolCalls {
			m.Content += c.ID + " " + c.Name
		}
		told = append(told, m.Content)
	}
	if diff := cmp.Diff([]string{"go", "I write it.", "c1 write_file", "written", "c2 read_file", "read"}, told); diff != "" {
		t.Errorf("messages (-want +got):\n%s", diff)
	}
}

// Lists of OLLM's that hold nothing, however that is written, get the session's snapshot
// (000-08).
func TestOLLMEmptyLists(t *testing.T) {
	session := transcript.OLLMSession{Session: domain.Session{ID: "s"}}
	for _, empty := range []string{"null", "{}"} {
		files, err := session.Files(func(string) ([]byte, error) { return []byte(empty), nil })
		if err != nil || len(files) != 3 || !strings.Contains(string(files[1].Data), `"id": "s"`) || !strings.Contains(string(files[2].Data), `"s": "s"`) {
			t.Errorf("%s: %v, %q", empty, err, files)
		}
	}
}

// I18, 000-15: a hand-off as an OLLM mode transition and back.
func TestOLLMTransitionIdentity(t *testing.T) {
	at := time.Date(2026, 1, 27, 10, 0, 0, 0, time.UTC)
	h := domain.Handoff{ID: "snapshot-1", FromMode: "debugger", ToMode: "developer", CreatedAt: at, ExpiresAt: at.Add(time.Hour),
		Messages: []domain.HandoffMessage{{Role: domain.RoleUser, Content: "why <b>", At: at.Add(-time.Minute)}},
		Skills:   []string{"go"}, Tools: []string{"grep"}, Task: "Fix it",
		Findings:  map[string]domain.ModeFindings{"debugger": {Errors: []string{"e"}, RootCause: "r", Fixes: []string{"f"}, Notes: []string{"n"}}},
		Reasoning: []domain.Reasoning{{Content: "think", TokenCount: 3, DurationMS: 4, Complete: true}}}
	var out bytes.Buffer
	if err := transcript.WriteOLLMTransition(&out, h); err != nil {
		t.Fatal(err)
	}
	res := read(t, transcript.OLLM, "session-s1/transition-1.json", out.Bytes(), domain.IngestCursor{})
	if diff := cmp.Diff([]domain.Mode{{To: h.FromMode}, {To: h.ToMode, Skills: h.Skills, Tools: h.Tools, Task: h.Task}}, ofType[domain.Mode](t, res)); diff != "" {
		t.Errorf("modes (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]domain.Message{{Role: domain.RoleUser, Content: "why <b>"}}, ofType[domain.Message](t, res)); diff != "" {
		t.Errorf("messages (-want +got):\n%s", diff)
	}
	found := []domain.Finding{{Mode: "debugger", Kind: domain.FindingError, Text: "e"}, {Mode: "debugger", Kind: domain.FindingRootCause, Text: "r"},
		{Mode: "debugger", Kind: domain.FindingFix, Text: "f"}, {Mode: "debugger", Kind: domain.FindingNote, Text: "n"}}
	if diff := cmp.Diff(found, ofType[domain.Finding](t, res)); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(h.Reasoning, ofType[domain.Reasoning](t, res)); diff != "" {
		t.Errorf("reasoning (-want +got):\n%s", diff)
	}
	for _, e := range res.events {
		if m, err := e.Message(); err == nil && !e.At.Equal(h.Messages[0].At) {
			t.Errorf("the message %q is of %v", m.Content, e.At)
		}
	}
}

// 001-07: requests and responses that another client recorded are written in the objects in
// which ai-agent has its own, and read back as they were written.
func TestAIAgentPayloads(t *testing.T) {
	own := json.RawMessage(`{"kind":"llm","payload":{"raw":"eA=="},"size":1}`)
	node := domain.SessionNode{Session: domain.Session{ID: "s"}, Turns: []domain.TurnNode{{Ops: []domain.OpNode{
		{Op: domain.Op{ID: "o1", Kind: domain.OpLLM, Status: domain.OpOK}, Request: json.RawMessage(`"hello"`), Response: json.RawMessage(`{"text":"hi"}`)},
		{Op: domain.Op{ID: "o2", Kind: domain.OpLLM, Status: domain.OpOK}, Request: own},
		{Op: domain.Op{ID: "o3", Kind: domain.OpTool, Status: domain.OpOK}},
	}}}}
	var out bytes.Buffer
	if err := transcript.WriteAIAgent(&out, "final", node); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range ofType[domain.OpReport](t, read(t, transcript.AIAgent, "s.json.gz", out.Bytes(), domain.IngestCursor{})) {
		got = append(got, string(r.Request), string(r.Response))
	}
	want := []string{`{"kind":"llm","payload":"hello","size":7}`, `{"payload":{"text":"hi"},"size":13}`, string(own), "", "", ""}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// I18, 001-14: a tree written in ai-agent's shape reads back as the same
// sessions, operations and costs.
func TestAIAgentIdentity(t *testing.T) {
	first := read(t, transcript.AIAgent, "txn-root.json.gz", own(t, "ai-agent", "txn-root.json.gz"), domain.IngestCursor{})
	var out bytes.Buffer
	if err := transcript.WriteAIAgent(&out, "final", treeOf(t, first, "txn-root")); err != nil {
		t.Fatal(err)
	}
	second := read(t, transcript.AIAgent, "txn-root.json.gz", out.Bytes(), domain.IngestCursor{})
	ignore := cmpopts.IgnoreFields(domain.OpReport{}, "Attributes", "Turn")
	if diff := cmp.Diff(reports(t, first), reports(t, second), ignore, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("operations (-read +written and read):\n%s", diff)
	}
	if diff := cmp.Diff(first.sessions, second.sessions); diff != "" {
		t.Errorf("sessions (-read +written and read):\n%s", diff)
	}
	var third bytes.Buffer
	if err := transcript.WriteAIAgent(&third, "final", treeOf(t, second, "txn-root")); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(out.Bytes(), third.Bytes()) {
		t.Error("written, read and written again is another file")
	}
}

// What went wrong with a tool, and its kind, stand where ai-agent has them (001-07), also
// if no accounting tells.
func TestAIAgentFailedToolIdentity(t *testing.T) {
	op := domain.Op{ID: "a", Kind: domain.OpTool, Name: "read", ToolKind: "mcp", Status: domain.OpFailed, Error: "token_budget_exceeded", EndedAt: time.UnixMilli(1770000000100)}
	node := domain.SessionNode{Session: domain.Session{ClientSessionID: "x"}, Turns: []domain.TurnNode{{Turn: domain.Turn{Index: 1}, Ops: []domain.OpNode{{Op: op}}}}}
	var out bytes.Buffer
	if err := transcript.WriteAIAgent(&out, "final", node); err != nil {
		t.Fatal(err)
	}
	res := read(t, transcript.AIAgent, "x.json.gz", out.Bytes(), domain.IngestCursor{})
	ops := ofType[domain.OpReport](t, res)
	if len(ops) != 1 || ops[0].ToolKind != op.ToolKind || ops[0].Error != op.Error || !strings.Contains(string(ops[0].Attributes), `"kind":"mcp"`) {
		t.Errorf("%+v", ops)
	}
}

// 001-08: each child session is written, at an operation of its own, also if several belong
// to one operation or none is known.
func TestAIAgentChildren(t *testing.T) {
	child := func(id string) domain.SessionNode {
		return domain.SessionNode{Session: domain.Session{ClientSessionID: id}}
	}
	node := child("root")
	node.Turns = []domain.TurnNode{{Turn: domain.Turn{Index: 1}, Ops: []domain.OpNode{{Op: domain.Op{ID: "o", Kind: domain.OpSession, Status: domain.OpOK},
		Children: []domain.SessionNode{child("a"), child("b"), child("c"), child("d")}}}}}
	node.Orphans = []domain.SessionNode{child("e"), child("f")}
	lone := child("lone")
	lone.Orphans = []domain.SessionNode{child("g")}
	node.Orphans = append(node.Orphans, lone)
	var out bytes.Buffer
	if err := transcript.WriteAIAgent(&out, "final", node); err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, op := range ofType[domain.OpReport](t, read(t, transcript.AIAgent, "root.json.gz", out.Bytes(), domain.IngestCursor{})) {
		got[op.OpID] += op.ChildSessionID
	}
	want := map[string]string{"o": "a", "o#child": "b", "o#child3": "c", "o#child4": "d", "child-e": "e", "child-f": "f", "child-lone": "lone", "child-g": "g"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func reports(t *testing.T, r result) map[string]domain.OpReport {
	all := map[string]domain.OpReport{}
	for _, e := range r.events {
		if op, err := e.Op(); err == nil {
			all[e.SessionID+" "+string(e.Key)] = op
		}
	}
	return all
}

// treeOf folds what was read into a tree, as simply as can be.
func treeOf(t *testing.T, r result, id string) domain.SessionNode {
	t.Helper()
	var node domain.SessionNode
	for _, s := range r.sessions {
		if s.ClientSessionID == id {
			node.Session = s
		}
	}
	for _, e := range r.events {
		if e.SessionID != id {
			continue
		}
		switch e.Type {
		case domain.EventNote:
			n, _ := domain.PayloadAs[domain.Note](e)
			if n.Kind == "turn" {
				var turn domain.Turn
				_ = json.Unmarshal(n.Data, &turn)
				turn.Label = n.Text
				node.Turns = append(node.Turns, domain.TurnNode{Turn: turn})
			}
		case domain.EventEnd:
			end, _ := domain.PayloadAs[domain.End](e)
			node.Session.EndedAt, node.Session.Success, node.Session.Error = e.At, end.Success, end.Error
		case domain.EventOp:
			op, _ := e.Op()
			addOp(t, r, &node.Turns[len(node.Turns)-1], e, op)
		}
	}
	return node
}

func addOp(t *testing.T, r result, turn *domain.TurnNode, e domain.Event, op domain.OpReport) {
	if strings.HasPrefix(string(e.Key), "r:accounting") {
		parent := &turn.Ops[len(turn.Ops)-1]
		parent.Accounting = append(parent.Accounting, domain.LedgerEntry{At: e.At, Type: op.Kind, Status: op.Status, LatencyMS: op.LatencyMS,
			Provider: op.Provider, Model: op.Model, Usage: *op.Usage, MCPServer: op.MCPServer, Command: op.Command,
			CharactersIn: op.CharactersIn, CharactersOut: op.CharactersOut, Error: op.Error})
		return
	}
	node := domain.OpNode{Op: domain.Op{ID: op.OpID, Kind: op.Kind, Name: op.Name, Status: op.Status, StartedAt: op.StartedAt, EndedAt: op.EndedAt,
		Provider: op.Provider, Model: op.Model, ToolKind: op.ToolKind, Label: op.Label}, Request: op.Request, Response: op.Response, Reasoning: op.Reasoning, Logs: op.Logs}
	if op.ChildSessionID != "" {
		node.Children = append(node.Children, treeOf(t, r, op.ChildSessionID))
	}
	turn.Ops = append(turn.Ops, node)
}

// 001-13: the ledger as accounting.jsonl, and back under the same keys.
func TestAccountingIdentity(t *testing.T) {
	at := time.UnixMilli(1770000000900).UTC()
	ledger := []domain.LedgerEntry{
		{SessionID: "txn", OriginID: "root", At: at, Type: domain.OpLLM, Status: domain.OpOK, LatencyMS: 12, Provider: "p", Model: "m",
			Usage: domain.TokenUsage{Input: 5, Output: 6, CacheRead: 7, CacheWrite: 8, Cost: domain.Dollars(0.0123)}},
		{SessionID: "txn", OriginID: "root", At: at, Type: domain.OpTool, Status: domain.OpFailed, Command: "ls", MCPServer: "fs", CharactersIn: 1, CharactersOut: 2, Error: "no"},
	}
	var out bytes.Buffer
	if err := transcript.WriteAccounting(&out, ledger); err != nil {
		t.Fatal(err)
	}
	res := read(t, transcript.AIAgent, "accounting.jsonl", out.Bytes(), domain.IngestCursor{})
	ops := ofType[domain.OpReport](t, res)
	if len(ops) != 2 || *ops[0].Usage != ledger[0].Usage || ops[1].Status != domain.OpFailed || ops[1].Command != "ls" || !res.events[0].At.Equal(at) {
		t.Errorf("%+v", ops)
	}
}

// I18, 004-14: a working context, written and read, has the same messages.
func TestAutoByteusIdentity(t *testing.T) {
	name := "agents/agent_7/working_context_snapshot.json"
	first := read(t, transcript.AutoByteus, name, own(t, "autobyteus", name), domain.IngestCursor{})
	c := transcript.AutoByteusContext{AgentID: "agent_7", Epoch: 4, LastCompaction: first.events[0].At, Messages: ofType[domain.Message](t, first)}
	var out bytes.Buffer
	if err := transcript.WriteAutoByteusContext(&out, c); err != nil {
		t.Fatal(err)
	}
	second := read(t, transcript.AutoByteus, name, out.Bytes(), domain.IngestCursor{})
	if diff := cmp.Diff(first.set(t), second.set(t)); diff != "" {
		t.Errorf("working context (-read +written and read):\n%s", diff)
	}
	raw := "agents/agent_7/raw_traces.jsonl"
	traces := read(t, transcript.AutoByteus, raw, own(t, "autobyteus", raw), domain.IngestCursor{})
	out.Reset()
	if err := transcript.WriteAutoByteusTraces(&out, traces.events); err != nil {
		t.Fatal(err)
	}
	again := read(t, transcript.AutoByteus, raw, out.Bytes(), domain.IngestCursor{})
	keys := func(r result) map[domain.Key]string {
		m := map[domain.Key]string{}
		for _, e := range r.events {
			msg, _ := e.Message()
			msg.MessageID = ""
			data, _ := json.Marshal(msg)
			m[e.Key] = domain.FormatTime(e.At) + string(data)
		}
		return m
	}
	if want, got := keys(traces), keys(again); len(want) != len(got) || want[domain.ToolCallKey("c1")] == "" || want[domain.ToolResultKey("c1")] != got[domain.ToolResultKey("c1")] ||
		!maps.Equal(onlyTools(want), onlyTools(got)) {
		t.Errorf("traces (-read +written and read):\n%s", cmp.Diff(want, got))
	}
}

func onlyTools(m map[domain.Key]string) map[domain.Key]string {
	out := map[domain.Key]string{}
	for k, v := range m {
		if strings.HasPrefix(string(k), "t:") || strings.HasPrefix(string(k), "u:") {
			out[k] = v
		}
	}
	return out
}

func TestAutoByteusMemories(t *testing.T) {
	at := time.UnixMicro(1738100101500000).UTC()
	contexts := []domain.ContextSnapshot{
		{ID: "a", Content: "a fact", Kind: domain.Semantic, Timestamp: at, Tags: []string{"x"}},
		{ID: "b", Content: "an episode", Kind: domain.Episodic, Timestamp: at},
	}
	for _, c := range contexts {
		var out bytes.Buffer
		if err := transcript.WriteAutoByteusMemories(&out, c.Kind, contexts); err != nil {
			t.Fatal(err)
		}
		res := read(t, transcript.AutoByteus, "agents/z/"+string(c.Kind)+".jsonl", out.Bytes(), domain.IngestCursor{})
		if len(res.contexts) != 1 || res.contexts[0].Content != c.Content || res.contexts[0].Kind != c.Kind || !res.contexts[0].Timestamp.Equal(at) {
			t.Errorf("%s: %+v", c.Kind, res.contexts)
		}
	}
}

// Newer versions of AutoByteus refuse all facts if one has no category of theirs.
func TestAutoByteusCategories(t *testing.T) {
	kept := read(t, transcript.AutoByteus, "agents/z/semantic.jsonl", []byte(`{"id":"s1","ts":1770612051.6,"category":"unresolved_work","fact":"the index is not rebuilt","salience":400}
{"id":"s2","ts":1770612052.6,"category":"durable_fact","fact":"the port is 9253","salience":200}`), domain.IngestCursor{}).contexts
	preference := domain.ContextSnapshot{ID: "p", Content: "tabs", Kind: domain.Semantic, Tags: []string{"distilled", "preference"}}
	var out bytes.Buffer
	if err := transcript.WriteAutoByteusMemories(&out, domain.Semantic, append(kept, preference)); err != nil {
		t.Fatal(err)
	}
	var got []string
	for row := range strings.Lines(out.String()) {
		var fact struct{ Category string }
		if err := json.Unmarshal([]byte(row), &fact); err != nil {
			t.Fatal(err)
		}
		got = append(got, fact.Category)
	}
	if diff := cmp.Diff([]string{"unresolved_work", "durable_fact", "user_preference"}, got); diff != "" {
		t.Errorf("categories (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([][]string{{"unresolved_work"}, nil}, [][]string{kept[0].Tags, kept[1].Tags}); diff != "" {
		t.Errorf("tags (-want +got):\n%s", diff)
	}
	back := read(t, transcript.AutoByteus, "agents/z/semantic.jsonl", out.Bytes(), domain.IngestCursor{}).contexts
	if diff := cmp.Diff(preference.Tags, back[2].Tags); diff != "" {
		t.Errorf("tags of an export (-want +got):\n%s", diff)
	}
}

// 000-26: for people an export says what took the place of what was compacted, and
// that what a restore rolled back, or the user took back, no longer holds.
func TestMarkdownOfTurns(t *testing.T) {
	var events []domain.Event
	for _, p := range []domain.Payload{
		domain.Message{Role: domain.RoleUser, Content: "drop it"}, domain.Message{Role: domain.RoleAssistant, Reasoning: "which one?", Content: "dropped"},
		domain.Restored{CheckpointID: "c", Seq: 7, State: []byte(`{}`)}, domain.Restored{DroppedFrom: 3, DroppedTo: 6, State: []byte(`{}`)},
		domain.Restored{State: []byte(`{}`)}, domain.Compaction{Trigger: "auto", Summary: "SUMMARY OF ALL"},
		domain.Goal{ID: "g1", Status: domain.GoalDone}, domain.Step{ID: "load", Status: domain.StepFailed}, domain.Signal{Name: "approval", Status: domain.SignalWaiting},
	} {
		e, err := domain.NewEvent(time.Unix(0, 0), "", p)
		if err != nil {
			t.Fatal(err)
		}
		events = append(events, e)
	}
	var out bytes.Buffer
	if err := transcript.WriteMarkdown(&out, domain.Session{}, events); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"which one?", "set back to where it stood after event 7", "from event 3 to event 6 no longer holds", "two windows", "SUMMARY OF ALL", "compacted (auto)", "goal done: g1", "step load failed", "signal approval waiting"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing in:\n%s", want, out.String())
		}
	}
}

// Nothing stored acts in a Markdown file or on the terminal that shows it, whatever names
// and words say; code stays as it is written.
func TestMarkdownShowsMarkup(t *testing.T) {
	const forged = "x\n</details>`<script>\x1b]0;t\a\u202e"
	events := []domain.Event{}
	for _, p := range []domain.Payload{
		domain.Message{Role: domain.RoleUser, Content: forged + "\n```\nopen <b>"},
		domain.Message{Content: "no role"}, domain.Message{Role: "é" + forged, Content: "odd role"},
		domain.Message{Role: domain.RoleAssistant, ToolCalls: []domain.ToolCall{{Name: forged, Arguments: []byte(`{}`)}}, Media: []domain.Media{{Name: forged}}},
		domain.Message{Role: domain.RoleTool, ToolName: forged, Content: forged}, domain.Mode{To: forged}, domain.Step{ID: forged}, domain.Signal{Name: forged},
		domain.Finding{Text: forged}, domain.Goal{Text: forged}, domain.Compaction{Trigger: forged, Summary: forged}, domain.Reasoning{Content: forged},
	} {
		e, err := domain.NewEvent(time.Unix(0, 0), "", p)
		if err != nil {
			t.Fatal(err)
		}
		events = append(events, e)
	}
	var out bytes.Buffer
	err := errors.Join(transcript.WriteMarkdown(&out, domain.Session{ID: forged, Title: forged, Project: forged, Client: forged, Model: forged}, events),
		transcript.WriteContextsMarkdown(&out, []domain.ContextSnapshot{{ID: forged, Project: forged, Source: forged, Summary: forged, Tags: []string{forged}, Content: forged,
			SupersededBy: forged, Causality: &domain.Causality{ActionType: forged, Rationale: forged, CausedBy: forged, Dependencies: []string{forged}}}}))
	if err != nil {
		t.Fatal(err)
	}
	fenced := false
	for line := range strings.SplitSeq(out.String(), "\n") {
		if strings.HasPrefix(line, "```") {
			fenced = !fenced
		}
		own := strings.HasPrefix(line, "<details><summary>") && strings.HasSuffix(line, "</summary>") && strings.Count(line, "<") == 3 || line == "</details>"
		if strings.ContainsAny(line, "\x1b\a\u202e") || !fenced && !own && strings.Contains(line, "<") {
			t.Errorf("it acts: %q", line)
		}
	}
	if fenced || strings.Count(out.String(), "<details>") != strings.Count(out.String(), "\n</details>\n") {
		t.Errorf("something stays open:\n%s", out.String())
	}
}

// What stands in code is shown as it is written, where a reader of Markdown surely takes it
// for code.
func TestMarkdownKeepsCode(t *testing.T) {
	for in, want := range map[string]string{
		"use `Vec<T>` and ``a`<b>``": "use `Vec<T>` and ``a`<b>``",
		"a <b> c":                    "a &lt;b> c",
		"```go\nx <- y\n```\n<i>":    "```go\nx <- y\n```\n&lt;i>",
		"~~~\n<i>\n```\n~~~":         "~~~\n<i>\n```\n~~~",
		"```\n<i>":                   "```\n<i>\n```",
		"a `b\nc` <i> `d`":           "a `b\nc` &lt;i> `d`",
		"# h `\n`a` <i>`":            "# h `\n`a` &lt;i>`",
		"| ` | `<i>` |":              "| ` | `&lt;i>` |",
		"\\`<i>`":                    "\\`&lt;i>`",
		"\\<i>":                      "\\&lt;i>",
		"- x\n\n  ```\ny\n<i>":       "- x\n\n  ```\ny\n&lt;i>",
		"```a`b\n<i>":                "```a`b\n&lt;i>",
		"`a\n\n`<i>` and `b`":        "`a\n\n`<i>` and `b`",
	} {
		e, err := domain.NewEvent(time.Unix(0, 0), "", domain.Message{Role: domain.RoleUser, Content: in})
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if err := transcript.WriteMarkdown(&out, domain.Session{ID: "s"}, []domain.Event{e}); err != nil || !strings.HasSuffix(out.String(), "\n\n"+want+"\n") {
			t.Errorf("%q, %v\n%s\nwant\n%s", in, err, out.String(), want)
		}
	}
}

// A text of nothing but backticks, which a tool may answer, takes time that grows with its
// length, not with the square of it.
func TestMarkdownOfBackticks(t *testing.T) {
	ticks := strings.Repeat("`", 1<<20)
	e, err := domain.NewEvent(time.Unix(0, 0), "", domain.Message{Role: domain.RoleTool, ToolCallID: "c1", Content: ticks + " and ``"})
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := transcript.WriteMarkdown(&out, domain.Session{ID: "s"}, []domain.Event{e}); err != nil {
		t.Fatal(err)
	}
	if fenced := "\n`" + ticks + "\n" + ticks + " and ``\n`" + ticks + "\n"; !strings.Contains(out.String(), fenced) {
		t.Error("the fence is not one backtick longer than the text's longest")
	}
}

// Markdown for people: everybody's words, fences that hold, secrets masked.
func TestMarkdown(t *testing.T) {
	secret := "ghp_" + strings.Repeat("aB3dE6gH9", 4)
	e, err := domain.NewEvent(time.Unix(0, 0), "", domain.Message{Role: domain.RoleUser, Content: "my token is " + secret + "\n```\ncode\n```"})
	if err != nil {
		t.Fatal(err)
	}
	res := read(t, transcript.ClaudeCode, "s", own(t, "claude-code", "session.jsonl"), domain.IngestCursor{})
	var out bytes.Buffer
	if err := transcript.WriteMarkdown(&out, domain.Session{Title: "Cart " + secret, Project: "shop"}, append(res.events, e)); err != nil {
		t.Fatal(err)
	}
	text := out.String()
	for _, want := range []string{"# Cart", "- Project: shop", "## User ·", "keep   my spaces", "## Assistant ·", "Root cause: floats.", "the conversation was compacted", "<summary>", "go test"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing", want)
		}
	}
	if strings.Contains(text, secret) || !strings.Contains(text, "[secret:") {
		t.Error("the secret was not masked")
	}
	out.Reset()
	if err := transcript.WriteJSON(&out, domain.Session{ID: "s"}, res.events); err != nil || !json.Valid(out.Bytes()) || !strings.Contains(out.String(), `"role": "user"`) {
		t.Errorf("JSON: %v", err)
	}
	out.Reset()
	contexts := []domain.ContextSnapshot{{ID: "c1", Content: "token " + secret, Causality: &domain.Causality{ActionType: domain.Decision, Rationale: "why", CausedBy: "c0", Dependencies: []string{"d1", "d2"}}}}
	if err := transcript.WriteContextsMarkdown(&out, contexts); err != nil || strings.Contains(out.String(), secret) || !strings.Contains(out.String(), "caused by: `c0`\n- depends on: `d1`, `d2`\n") {
		t.Errorf("contexts: %v\n%s", err, out.String())
	}
	out.Reset()
	if err := transcript.WriteContextsJSON(&out, nil); err != nil || !json.Valid(out.Bytes()) {
		t.Errorf("contexts as JSON: %v", err)
	}
}
