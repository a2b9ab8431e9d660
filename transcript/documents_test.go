package transcript_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"wake/domain"
	"wake/transcript"
)

// A document is read again only when it changed, and then gives the same keys.
func TestDocumentsAgain(t *testing.T) {
	name := "session-2026-01-15T20-51-7a6b5c4d.json"
	data := own(t, "gemini", name)
	first := read(t, transcript.Gemini, name, data, domain.IngestCursor{})
	if again := read(t, transcript.Gemini, name, data, first.cursor); len(again.events) != 0 {
		t.Errorf("%d events of an unchanged document", len(again.events))
	}
	changed := bytes.Replace(data, []byte("Request cancelled."), []byte("Request finished."), 1)
	second := read(t, transcript.Gemini, name, changed, first.cursor)
	if len(second.set(t)) != len(first.set(t)) {
		t.Errorf("%d keys, then %d", len(first.set(t)), len(second.set(t)))
	}
}

// 000-07, 000-19: context snapshots of the new shape and the old one.
func TestOLLMSnapshots(t *testing.T) {
	res := read(t, transcript.OLLM, "context-snapshots/sess-ollm-1/snapshots/snapshot-snap-9.json", own(t, "ollm", "snapshot-new.json"), domain.IngestCursor{})
	if diff := cmp.Diff([]string{"fix the parser", "continue", "continue"}, res.humans(t)); diff != "" {
		t.Errorf("new shape (-want +got):\n%s", diff)
	}
	var order []string
	for _, m := range ofType[domain.Message](t, res) {
		order = append(order, m.Content)
	}
	if diff := cmp.Diff([]string{"You are helpful.", "fix the parser", "Looking.", "continue", "Fixed.", "continue"}, order); diff != "" {
		t.Errorf("the two lists by time (-want +got):\n%s", diff)
	}
	if g := ofType[domain.Goal](t, res); len(g) != 1 || g[0].Text != "Parser passes its tests" {
		t.Errorf("goals (000-28): %+v", g)
	}
	if r := ofType[domain.Reasoning](t, res); len(r) != 1 || r[0].TokenCount != 6 {
		t.Errorf("reasoning (000-28): %+v", r)
	}
	old := read(t, transcript.OLLM, "snapshot-123.json", own(t, "ollm", "snapshot-old.json"), domain.IngestCursor{})
	if diff := cmp.Diff([]string{"old one", "old two"}, old.humans(t)); diff != "" || old.sessions[0].ClientSessionID != "session-456" {
		t.Errorf("old shape (-want +got):\n%s%+v", diff, old.sessions)
	}
}

// 000-07, 000-28: a snapshot as OLLM writes it if it did not tell people's messages apart:
// the first list repeats the second without the calls of tools. Goals and reasoning are in
// the shapes of OLLM's own types.
func TestOLLMOwnShapes(t *testing.T) {
	const doc = `{"version":"1.0","id":"s1","sessionId":"o1","timestamp":"2026-01-27T10:09:00.000Z","summary":"x","metadata":{"model":"m"},
 "userMessages":[{"id":"m1","role":"user","content":"look","timestamp":"2026-01-27T10:00:00.000Z"},{"id":"m2","role":"assistant","content":"","timestamp":"2026-01-27T10:01:00.000Z"}],
 "archivedUserMessages":[],
 "messages":[{"id":"m1","role":"user","content":"look","timestamp":"2026-01-27T10:00:00.000Z"},{"id":"m2","role":"assistant","content":"","timestamp":"2026-01-27T10:01:00.000Z",
   "metadata":{"toolCalls":[{"id":"t1","name":"read","args":{"path":"a"}}],"toolResults":[{"toolCallId":"t1","result":"A"}]}}],
 "goalStack":{"activeGoal":{"id":"g2","description":"mend","status":"active","createdAt":"2026-01-27T10:02:00.000Z"},
   "goalHistory":[{"id":"g1","description":"guess","status":"abandoned","createdAt":"2026-01-27T10:01:00.000Z"},{"id":"g2","description":"mend","status":"active","createdAt":"2026-01-27T10:02:00.000Z"}],
   "completedGoals":[],"pausedGoals":[],"stats":{"totalGoals":2}},
 "reasoningStorage":{"recent":[{"id":"r2","timestamp":"2026-01-27T10:01:30.000Z","messageId":"m2","thinking":"It is a.","context":{},"metadata":{"modelName":"m","thinkingTokens":4,"answerTokens":1}}],
   "archived":[{"id":"r1","timestamp":"2026-01-27T10:00:30.000Z","summary":"Perhaps b.","keyInsights":[],"fullTraceAvailable":false}],"totalTraces":2}}`
	res := read(t, transcript.OLLM, "context-snapshots/o1/snapshots/snapshot-s1.json", []byte(doc), domain.IngestCursor{})
	m := ofType[domain.Message](t, res)
	if diff := cmp.Diff([]string{"look"}, res.humans(t)); diff != "" || len(m) != 3 || len(m[1].ToolCalls) != 1 || m[2].Content != "A" {
		t.Errorf("messages: %s%+v", diff, m)
	}
	if g := ofType[domain.Goal](t, res); len(g) != 2 || g[0].Status != domain.GoalDropped || g[1].Text != "mend" {
		t.Errorf("goals: %+v", g)
	}
	r := ofType[domain.Reasoning](t, res)
	if len(r) != 2 || r[0].Content != "Perhaps b." || r[0].Complete || r[1].Content != "It is a." || r[1].TokenCount != 4 || !r[1].Complete {
		t.Errorf("reasoning: %+v", r)
	}
	again := read(t, transcript.OLLM, "context-snapshots/o1/snapshots/snapshot-s2.json", []byte(strings.Replace(doc, `"id":"s1"`, `"id":"s2"`, 1)), domain.IngestCursor{})
	for key := range again.set(t) {
		if _, there := res.set(t)[key]; !there && !strings.Contains(key, "window") {
			t.Errorf("the next snapshot has %s anew", key)
		}
	}
	for _, e := range res.events {
		if e.Type == domain.EventReasoning && e.At.Second() != 30 {
			t.Errorf("reasoning at %v", e.At)
		}
	}
}

// OLLM makes a snapshot by itself before it compresses. Its model is the word unknown, and
// its size of the context the number of messages: neither is known from it.
func TestOLLMOwnSnapshot(t *testing.T) {
	doc := `{"version":"1.0","id":"snap_1768039250000_k3j9x2a","sessionId":"s1","timestamp":"2026-01-10T10:00:50.000Z","tokenCount":1800,"summary":"recovery snapshot",
		"metadata":{"model":"unknown","contextSize":2,"compressionRatio":1,"totalUserMessages":1,"totalCheckpoints":0,"purpose":"recovery",
			"createdBy":"SnapshotLifecycle","messageCount":2,"checkpointCount":0},
		"userMessages":[{"id":"m1","role":"user","content":"add a cache","timestamp":"2026-01-10T10:00:00.000Z"}],"archivedUserMessages":[],
		"messages":[{"id":"m1","role":"user","content":"add a cache","timestamp":"2026-01-10T10:00:00.000Z"},
			{"id":"m2","role":"assistant","content":"I will","timestamp":"2026-01-10T10:00:10.000Z"}]}`
	res := read(t, transcript.OLLM, "context-snapshots/s1/snapshots/snapshot-snap_1768039250000_k3j9x2a.json", []byte(doc), domain.IngestCursor{})
	if s := res.sessions; len(s) != 1 || s[0].Model != "" {
		t.Errorf("sessions %+v", s)
	}
	if w := ofType[domain.Window](t, res); len(w) != 1 || w[0] != (domain.Window{Tokens: 1800}) {
		t.Errorf("window %+v", w)
	}
	for _, m := range ofType[domain.Message](t, res) {
		if m.Model != "" {
			t.Errorf("message %+v", m)
		}
	}
}

// OLLM names what a tool is called with args, and its context snapshots keep calls and
// results in a message's metadata; the first versions of wake wrote arguments.
func TestOLLMTools(t *testing.T) {
	const call, result = `[{"id":"tc1","name":"read","args":{"path":"a.go"}}]`, `[{"toolCallId":"tc1","result":"text","error":"cut"}]`
	assistant := func(more string) string {
		return `{"id":"a1","role":"assistant","content":"Looking.","timestamp":"2026-01-27T10:01:00.000Z",` + more + `}`
	}
	tool := func(more string) string {
		return `,{"id":"t1","role":"tool","content":"text","timestamp":"2026-01-27T10:02:00.000Z",` + more + `}`
	}
	for name, messages := range map[string]string{
		"beside the text":      assistant(`"toolCalls":`+call) + tool(`"toolCallId":"tc1","toolError":"cut"`),
		"in the metadata":      assistant(`"metadata":{"toolCalls":`+call+`}`) + tool(`"metadata":{"toolResults":`+result+`}`),
		"result with the call": assistant(`"metadata":{"toolCalls":` + call + `,"toolResults":` + result + `}`),
		"as wake wrote it":     assistant(`"toolCalls":[{"id":"tc1","name":"read","arguments":{"path":"a.go"}}]`) + tool(`"toolCallId":"tc1","toolError":"cut"`),
		"metadata of others":   assistant(`"metadata":7,"toolCalls":`+call) + tool(`"metadata":"x","toolCallId":"tc1","toolError":"cut"`),
	} {
		res := read(t, transcript.OLLM, "snapshot-1.json", []byte(`{"id":"1","sessionId":"s","messages":[`+messages+`]}`), domain.IngestCursor{})
		m := ofType[domain.Message](t, res)
		if len(m) != 2 || len(m[0].ToolCalls) != 1 || string(m[0].ToolCalls[0].Arguments) != `{"path":"a.go"}` || m[1].ToolCallID != "tc1" || m[1].Content != "text" || m[1].Error != "cut" {
			t.Errorf("%s: %+v", name, m)
			continue
		}
		var out bytes.Buffer
		if err := transcript.WriteOLLMSnapshot(&out, "1", res.sessions[0].StartedAt, res.sessions[0], res.events); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(m, ofType[domain.Message](t, read(t, transcript.OLLM, "snapshot-1.json", out.Bytes(), domain.IngestCursor{}))); diff != "" {
			t.Errorf("%s, written and read (-want +got):\n%s", name, diff)
		}
		if said := asOLLMLoads(t, out.Bytes()); said != `read {"path":"a.go"} tc1 text cut` {
			t.Errorf("%s: OLLM loads what is written as %q", name, said)
		}
	}
}

// asOLLMLoads tells what tools did by those fields of messages that OLLM reads from a file:
// id, role, content, timestamp, tokenCount and metadata.
func asOLLMLoads(t *testing.T, snapshot []byte) string {
	t.Helper()
	var doc struct {
		Messages []struct {
			Metadata struct {
				ToolCalls []struct {
					Name string
					Args json.RawMessage
				}
				ToolResults []struct{ ToolCallID, Result, Error string }
			}
		}
	}
	if err := json.Unmarshal(snapshot, &doc); err != nil {
		t.Fatal(err)
	}
	var said []string
	for _, m := range doc.Messages {
		for _, c := range m.Metadata.ToolCalls {
			var args bytes.Buffer
			if err := json.Compact(&args, c.Args); err != nil {
				t.Fatal(err)
			}
			said = append(said, c.Name, args.String())
		}
		for _, r := range m.Metadata.ToolResults {
			said = append(said, r.ToolCallID, r.Result, r.Error)
		}
	}
	return strings.Join(said, " ")
}

// A result whose call is named in the metadata alone keeps the key that wake gave it before it
// read those: a snapshot that comes in again gives it once.
func TestOLLMResultKey(t *testing.T) {
	doc := `{"id":"1","sessionId":"s","messages":[{"id":"t1","role":"tool","content":"text",` +
		`"timestamp":"2026-01-27T10:02:00.000Z","metadata":{"toolResults":[{"toolCallId":"tc1","result":"text"}]}}]}`
	res := read(t, transcript.OLLM, "snapshot-1.json", []byte(doc), domain.IngestCursor{})
	if len(res.events) != 1 || res.events[0].Key != domain.RowKey(transcript.ClientOLLM, "t1") {
		t.Errorf("%+v", res.events)
	}
}

func TestOLLMSession(t *testing.T) {
	res := read(t, transcript.OLLM, "sessions/x.json", own(t, "ollm", "session.json"), domain.IngestCursor{})
	if diff := cmp.Diff([]string{"part one\npart two"}, res.humans(t)); diff != "" || res.sessions[0].Model != "llama3.1:8b" {
		t.Errorf("%s%+v", diff, res.sessions)
	}
	if m := ofType[domain.Message](t, res); len(m) != 4 || m[3].ToolCallID != "tc1" || m[3].Content != "text" {
		t.Errorf("tool call: %+v", m)
	}
}

// A recorded session lists its tool calls by themselves; their times put them between the
// messages. One without an id has the same key when the session has grown.
func TestOLLMSessionOrder(t *testing.T) {
	message := func(role, minute string) string {
		return `{"role":"` + role + `","parts":[{"type":"text","text":"` + role + minute + `"}],"timestamp":"2026-01-27T10:` + minute + `:00.000Z"}`
	}
	session := func(messages string) result {
		return read(t, transcript.OLLM, "session-data/x.json", []byte(`{"sessionId":"x","messages":[`+messages+`],"toolCalls":[{"name":"ls","args":{},"result":{"llmContent":"a.go"},"timestamp":"2026-01-27T10:01:00.000Z"}]}`), domain.IngestCursor{})
	}
	first := message("user", "00") + "," + message("assistant", "02")
	res := session(first)
	var order []string
	for _, m := range ofType[domain.Message](t, res) {
		order = append(order, string(m.Role)+" "+m.Content)
	}
	if diff := cmp.Diff([]string{"user user00", "assistant ", "tool a.go", "assistant assistant02"}, order); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}
	grown := session(first + "," + message("user", "03"))
	known := grown.set(t)
	for key := range res.set(t) {
		if _, ok := known[key]; !ok {
			t.Errorf("%s has another key when the session has grown", key)
		}
	}
}

// 000-15, 000-16: a mode transition, as events.
func TestOLLMTransition(t *testing.T) {
	data := own(t, "ollm", "transition-1769508000000.json")
	res := read(t, transcript.OLLM, "snapshots/session-s9/transition-1769508000000.json", data, domain.IngestCursor{})
	if res.sessions[0].ClientSessionID != "s9" {
		t.Errorf("the folder names the session: %+v", res.sessions[0])
	}
	modes := ofType[domain.Mode](t, res)
	want := []domain.Mode{{To: "debugger"}, {To: "developer", Skills: []string{"typescript"}, Tools: []string{"read_file", "grep"}, Task: "Fix authentication bug"}}
	if diff := cmp.Diff(want, modes); diff != "" {
		t.Errorf("modes (-want +got):\n%s", diff)
	}
	if f := ofType[domain.Finding](t, res); len(f) != 3 || f[1] != (domain.Finding{Mode: "debugger", Kind: domain.FindingRootCause, Text: "Null check missing"}) {
		t.Errorf("findings: %+v", f)
	}
	if r := ofType[domain.Reasoning](t, res); len(r) != 1 || r[0] != (domain.Reasoning{Content: "It must be null.", TokenCount: 5, DurationMS: 3, Complete: true}) {
		t.Errorf("a trace inside a trace: %+v", r)
	}
}

func TestOLLMSamples(t *testing.T) {
	for _, file := range samples(t, "ollm/transition-*.json") {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		res := read(t, transcript.OLLM, file, data, domain.IngestCursor{})
		thought := ofType[domain.Reasoning](t, res)
		if len(res.humans(t)) != 2 || len(res.skipped) != 0 || len(ofType[domain.Message](t, res)) != 3 || thought[0].TokenCount != 8 {
			t.Errorf("%s: %q %v %+v", file, res.humans(t), res.skipped, thought)
		}
	}
}

func TestGeminiAndSWESamples(t *testing.T) {
	for _, file := range samples(t, "gemini-cli/*.json", "agentsview/gemini*.json", "swe-agent/*.traj", "claude-code/simonw_sample_session.json") {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		format, ok := transcript.Detect(file, data[:min(len(data), transcript.DetectSize)])
		if !ok {
			t.Errorf("%s: format not found", file)
			continue
		}
		res := read(t, format, file, data, domain.IngestCursor{})
		if len(res.events) == 0 || len(res.sessions) == 0 || len(res.skipped) != 0 {
			t.Errorf("%s (%s): %d events, skipped %v", file, format, len(res.events), res.skipped)
		}
		res.set(t)
	}
}

// AutoByteus' newer working contexts put several messages into one: what was said stands
// in the traces beside them, and the file is passed over without a failure.
func TestAutoByteusNewerContext(t *testing.T) {
	for _, version := range []string{`"schema_version":5,`, ``} {
		doc := `{` + version + `"agent_id":"builder","messages":[{"role":"user","content":"[memory] … and fix it"}]}`
		r, err := transcript.NewReader(transcript.AutoByteus, "agents/builder/working_context_snapshot.json", strings.NewReader(doc), domain.IngestCursor{})
		if err != nil {
			t.Fatal(err)
		}
		res := collect(t, r.Items())
		if len(res.events) != 0 || len(res.skipped) != 1 || r.Strange() {
			t.Errorf("%s %d events, skipped %v, strange %v", version, len(res.events), res.skipped, r.Strange())
		}
	}
}

// In the user's role stands much that no person said: what tools answered, what another
// agent said, and what is remembered of what was compacted. It is the same message in the
// traces and in the working context.
func TestAutoByteusSpeakers(t *testing.T) {
	for text, person := range map[string]bool{
		"**[User Requirement]**\nlist the tables":                                                     true,
		"**[Context]**\nFile: a.txt\nabc\n\n**[User Requirement]**\nread it":                          true,
		"You received a message from sender name: who is that?":                                       true,
		"what is **[Message From Agent]**\n?":                                                         true,
		"what is this?\n\n**[Message From Agent]**\nlook":                                             true,
		"**[Tool Execution Result]**\nTool history continuation":                                      false,
		"**[Message From Agent]**\nlook at this":                                                      false,
		"**[System Notification]**\nthe task is late":                                                 false,
		"**[Context]**\nFile: a.txt\nabc\n\n**[Message From Agent]**\nread it":                        false,
		"You received a message from sender name: lead, sender id: lead_9a\nmessage:\nPlease review.": false,
		"[MEMORY:EPISODIC]\n1) They refactored the parser.\n\n[RECENT TURNS]\n(turn_1:1) USER: go on": false,
		"[MEMORY:SEMANTIC]\n- The parser is in Go.":                                                   false,

		"The following tool executions have completed. Please analyze their results and decide the next course of action.\n\nTool: ls (ID: 1)\nStatus: Success\nResult:\na": false,
	} {
		content, _ := json.Marshal(text)
		trace := `{"id":"rt_1","ts":1738100000,"turn_id":"turn_0001","seq":1,"trace_type":"user","content":` + string(content) + "}\n"
		working := `{"schema_version":1,"agent_id":"a","epoch_id":1,"messages":[{"role":"user","content":` + string(content) + `}]}`
		one := read(t, transcript.AutoByteus, "agents/a/raw_traces.jsonl", []byte(trace), domain.IngestCursor{})
		two := read(t, transcript.AutoByteus, "agents/a/working_context_snapshot.json", []byte(working), domain.IngestCursor{})
		if len(one.events) != 1 || len(two.events) != 1 || one.events[0].Key != two.events[0].Key || len(one.said(t)) != len(two.said(t)) || len(one.said(t)) == 1 != person {
			t.Errorf("%q: %+v and %+v; is it a person's: %v", text, one.events, two.events, person)
		}
	}
}

// What an earlier wake took for a person's words has the key that it gave it, in both files: a
// session that goes on holds it once.
func TestAutoByteusToolsDoneKey(t *testing.T) {
	done := "The following tool executions have completed. Please analyze their results and decide the next course of action.\n\nTool: ls (ID: 1)"
	content, _ := json.Marshal(done)
	for name, text := range map[string]string{
		"agents/a/raw_traces.jsonl":              `{"id":"rt_1","ts":1738100000,"turn_id":"turn_0001","seq":1,"trace_type":"user","content":` + string(content) + "}\n",
		"agents/a/working_context_snapshot.json": `{"schema_version":1,"agent_id":"a","epoch_id":1,"messages":[{"role":"user","content":` + string(content) + `}]}`,
	} {
		if res := read(t, transcript.AutoByteus, name, []byte(text), domain.IngestCursor{}); len(res.events) != 1 || res.events[0].Key != domain.HumanKey(done, 1) || res.events[0].Human {
			t.Errorf("%s: %+v", name, res.events)
		}
	}
}

// An answer of the model that only calls a tool has a row of its own with an empty text.
func TestAutoByteusEmptyAnswer(t *testing.T) {
	trace := `{"id":"rt_1","ts":1738100000,"turn_id":"turn_0001","seq":1,"trace_type":"tool_call","content":"","tool_call_id":"c1","tool_name":"ls","tool_args":{}}
{"id":"rt_1","ts":1738100000,"turn_id":"turn_0001","seq":2,"trace_type":"assistant","content":"","tags":["final"]}
`
	working := `{"schema_version":1,"agent_id":"a","epoch_id":1,"messages":[{"role":"assistant","content":null,"tool_payload":{"tool_calls":[{"id":"c1","name":"ls","arguments":{}}]}},{"role":"assistant","content":"","tool_payload":null}]}`
	for name, text := range map[string]string{"agents/a/raw_traces.jsonl": trace, "agents/a/working_context_snapshot.json": working} {
		if res := read(t, transcript.AutoByteus, name, []byte(text), domain.IngestCursor{}); len(res.events) != 1 || res.events[0].Key != domain.ToolCallKey("c1") || len(res.skipped) > 0 {
			t.Errorf("%s: %+v, skipped %v", name, res.events, res.skipped)
		}
	}
}

// I18: in what wake writes for AutoByteus, what nobody asked stays a message of the system.
func TestAutoByteusSystemIdentity(t *testing.T) {
	var events []domain.Event
	for i, m := range []domain.Message{{Role: domain.RoleSystem, Kind: domain.MetaMessage, Content: "You are careful."}, {Role: domain.RoleUser, Content: "go"}} {
		e, err := domain.NewEvent(time.Unix(1738100000, 0).UTC(), domain.RowKey("test", strconv.Itoa(i)), m)
		if err != nil {
			t.Fatal(err)
		}
		events = append(events, e)
	}
	var out bytes.Buffer
	if err := transcript.WriteAutoByteusTraces(&out, events); err != nil {
		t.Fatal(err)
	}
	res := read(t, transcript.AutoByteus, "agents/a/raw_traces.jsonl", out.Bytes(), domain.IngestCursor{})
	if said := ofType[domain.Message](t, res); len(said) != 2 || said[0].Role != domain.RoleSystem || said[0].Content != "You are careful." || said[0].Kind != domain.MetaMessage {
		t.Errorf("%+v", said)
	}
}

// An agent that was started anew numbers its calls from the beginning: a second call of
// one id is another call. The same row again is not.
func TestAutoByteusRepeatedCalls(t *testing.T) {
	trace := func(id, kind, more string) string {
		return fmt.Sprintf(`{"id":%q,"ts":1738100000,"turn_id":"turn_0001","seq":1,"trace_type":%q,"content":"","tool_call_id":"call_ab_0","tool_name":"ls"%s}`, id, kind, more) + "\n"
	}
	first := trace("rt_1", "tool_call", `,"tool_args":{"path":"src"}`) + trace("rt_2", "tool_result", `,"tool_result":"a.go"`)
	second := trace("rt_3", "tool_call", `,"tool_args":{"path":"src"}`) + trace("rt_4", "tool_result", `,"tool_result":"b.go"`)
	name := "agents/builder/raw_traces.jsonl"
	whole := read(t, transcript.AutoByteus, name, []byte(first+first+second), domain.IngestCursor{})
	if n := len(whole.set(t)); n != 4 {
		t.Errorf("%d events, want 4", n)
	}
	for _, begin := range []string{first, first + first} {
		begun := read(t, transcript.AutoByteus, name, []byte(begin), domain.IngestCursor{})
		rest := read(t, transcript.AutoByteus, name, []byte(first+first+second), begun.cursor)
		both := result{events: append(begun.events, rest.events...)}
		if diff := cmp.Diff(whole.set(t), both.set(t)); diff != "" {
			t.Errorf("in pieces (-whole +pieces):\n%s", diff)
		}
	}
}

// Newer versions write down the instructions that the model got. They are the system's
// words, as in the working context of the older ones, and nobody's question.
func TestAutoByteusInstructions(t *testing.T) {
	rows := `{"id":"rt_10500_a","ts":1770612050.5,"trace_type":"system_instruction","content":"You are careful.","source_event":"SYSTEM_INSTRUCTIONS_SUPPLIED"}
{"id":"rt_1","ts":1770612051.6,"turn_id":"turn_0001","seq":1,"trace_type":"user","content":"look","source_event":"x"}
`
	res := read(t, transcript.AutoByteus, "a7/raw_traces_active.jsonl", []byte(rows), domain.IngestCursor{})
	first := ofType[domain.Message](t, res)[0]
	if first.Role != domain.RoleSystem || first.Kind != domain.MetaMessage || first.Content != "You are careful." {
		t.Errorf("instructions: %+v", first)
	}
	if got := res.said(t); len(got) != 1 || got[0] != "look" {
		t.Errorf("said %q", got)
	}
}

// A memory is not lost for a tag that wake cannot hold.
func TestAutoByteusTags(t *testing.T) {
	row := fmt.Sprintf(`{"id":"f1","ts":1769508000.5,"fact":"the shop opens at nine","tags":["Hours, weekdays","hours",%q,""]}`+"\n", strings.Repeat("x", 300))
	res := read(t, transcript.AutoByteus, "agents/a/semantic.jsonl", []byte(row), domain.IngestCursor{})
	if len(res.contexts) != 1 {
		t.Fatalf("skipped %v", res.skipped)
	}
	if diff := cmp.Diff([]string{"hours", "weekdays", strings.Repeat("x", domain.MaxName)}, res.contexts[0].Tags); diff != "" || res.contexts[0].CheckNames() != nil {
		t.Errorf("tags (-want +got):\n%s", diff)
	}
}
