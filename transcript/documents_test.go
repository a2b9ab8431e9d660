package transcript_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"wake/domain"
	"wake/transcript"
)

// Gemini: thoughts, tools that worked, failed and still run, notices, parts, and
// two messages of equal text.
func TestGemini(t *testing.T) {
	name := "session-2026-01-15T20-51-7a6b5c4d.json"
	res := read(t, transcript.Gemini, name, own(t, "gemini", name), domain.IngestCursor{})
	if diff := cmp.Diff([]string{"Read main.go <b>& say</b>", "go on\nplease", "go on\nplease"}, res.humans(t)); diff != "" || len(res.skipped) != 0 {
		t.Errorf("human messages (-want +got):\n%s%v", diff, res.skipped)
	}
	answers := map[string]domain.Message{}
	for _, m := range ofType[domain.Message](t, res) {
		if m.ToolCallID != "" {
			answers[m.ToolCallID] = m
		}
		if m.Content == "go on\nplease" && len(m.Media) == 0 && m.Role != domain.RoleUser {
			t.Errorf("%+v", m)
		}
	}
	if len(answers) != 2 || answers["read-1"].Content != "package main" || answers["run-2"].Error != "no such command" {
		t.Errorf("answers: %+v", answers)
	}
	ops := ofType[domain.OpReport](t, res)
	if want := (domain.TokenUsage{Input: 1000, CacheRead: 200, Output: 25}); len(ops) != 1 || *ops[0].Usage != want {
		t.Errorf("usage: %+v", ops)
	}
	if r := ofType[domain.Reasoning](t, res); len(r) != 1 || r[0].Content != "Plan\nRead first." {
		t.Errorf("reasoning: %+v", r)
	}
}

// Newer versions write a row a message; a row with the same id replaces.
func TestGeminiRows(t *testing.T) {
	name := "session-2026-04-01T10-00-9c8b7a6d.jsonl"
	res := read(t, transcript.Gemini, name, own(t, "gemini", name), domain.IngestCursor{})
	msgs := ofType[domain.Message](t, res)
	if len(msgs) != 2 || msgs[1].Content != "hello" || len(res.skipped) != 0 || res.sessions[0].Attributes["kind"] != "main" {
		t.Errorf("%+v %v %+v", msgs, res.skipped, res.sessions)
	}
}

// The client also writes its history: what it says by itself, tools' answers, copies of
// turns under new ids, the summary of a compression. People said none of it again.
func TestGeminiHistory(t *testing.T) {
	const context, snapshot = `{"text":"<session_context>\nMonday\n</session_context>"}`, `{"text":"<scratchpad>\n</scratchpad>\n\n<state_snapshot>\n<overall_goal>x</overall_goal>\n</state_snapshot>"}`
	said := func(id, kind, parts string) string {
		return `{"id":"` + id + `","type":"` + kind + `","timestamp":"2026-05-01T10:00:00Z","content":[` + parts + `]}`
	}
	set := func(messages ...string) string { return `{"$set":{"messages":[` + strings.Join(messages, ",") + `]}}` }
	const fix, done = `{"text":"fix it"}`, `{"text":"I think","thought":true},{"text":"done"}`
	const called, answered = `{"functionCall":{"id":"t1","name":"look","args":{}}}`, `{"functionResponse":{"id":"t1","name":"look","response":{"output":"seen"}}},{"text":"a picture"},{"inlineData":{"mimeType":"image/png","data":"iVBORw=="}}`
	rows := []string{
		`{"sessionId":"g1","projectHash":"h","startTime":"2026-05-01T10:00:00Z"}`,
		set(said("c", "user", context)),
		said("u1", "user", fix),
		`{"id":"g1","type":"gemini","timestamp":"2026-05-01T10:00:01Z","content":"","tokens":{"input":9,"output":1,"total":10},"toolCalls":[{"id":"t1","name":"look","args":{},"status":"success","result":[` + answered + `]}]}`,
		said("f1", "user", answered),
		said("g2", "gemini", done),
		// the client goes on with the same history, whose turns get new ids
		set(said("c'", "user", context), said("u1'", "user", fix), said("g1'", "gemini", called), said("f1'", "user", answered), said("g2'", "gemini", done)),
		said("u2", "user", fix),
		// and sums up what was before
		set(said("c'", "user", context), said("s", "user", snapshot), said("a", "gemini", `{"text":"Got it. Thanks for the additional context!"}`), said("u2", "user", fix)),
		said("u3", "user", `{"text":"/stats model"}`),
	}
	var all, pieces result
	for i := range rows {
		data := []byte(strings.Join(rows[:i+1], "\n") + "\n")
		all = read(t, transcript.Gemini, "session-1.jsonl", data, domain.IngestCursor{})
		part := read(t, transcript.Gemini, "session-1.jsonl", data, pieces.cursor)
		pieces.events, pieces.cursor = append(pieces.events, part.events...), part.cursor
	}
	for name, res := range map[string]result{"whole": all, "in pieces": pieces} {
		if diff := cmp.Diff([]string{"fix it", "fix it"}, res.said(t)); diff != "" {
			t.Errorf("%s: said (-want +got):\n%s", name, diff)
		}
		got, seen := map[string]int{}, map[domain.Key]bool{}
		for _, e := range res.events {
			if seen[e.Key] {
				continue
			}
			seen[e.Key] = true
			got[string(e.Type)]++
			if m, err := e.Message(); err == nil && (m.Role == domain.RoleAssistant && m.Content != "" || m.Kind == domain.SummaryMessage || m.Kind == domain.CommandMessage) {
				got[m.Content]++
			}
		}
		if got["done"] != 1 || got["Got it. Thanks for the additional context!"] != 1 || got["/stats model"] != 1 || got["compaction"] != 1 || got["op"] != 1 {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// The client hides long answers of tools from the model later, and writes that into the
// session: what the tool said stays what it said.
func TestGeminiHiddenAnswers(t *testing.T) {
	const hidden = "<tool_output_masked>\n[Tool output (1.00MB, 9 lines) masked to preserve context window. Full output saved to: /tmp/t1.txt]\n</tool_output_masked>"
	call := func(output, display string) string {
		result, _ := json.Marshal(map[string]any{"functionResponse": map[string]any{"id": "t1", "name": "look", "response": map[string]string{"output": output}}})
		return `{"id":"g1","type":"gemini","content":"I look.","toolCalls":[{"id":"t1","name":"look","args":{},"status":"success","result":[` + string(result) + `],"resultDisplay":` + display + `}]}`
	}
	const head, asked = `{"sessionId":"g","projectHash":"h"`, `{"id":"u1","type":"user","content":[{"text":"see"}]}`
	for name, c := range map[string]struct{ doc, want string }{
		"rows":            {head + "}\n" + asked + "\n" + call("all of it", `""`) + "\n" + `{"$set":{"messages":[` + asked + "," + call(hidden, `""`) + "]}}\n", "all of it"},
		"document":        {head + `,"messages":[` + asked + "," + call(hidden, `"all of it"`) + "]}", "all of it"},
		"not shown":       {head + `,"messages":[` + asked + "," + call(hidden, `{"fileDiff":"x"}`) + "]}", hidden},
		"shown otherwise": {head + `,"messages":[` + asked + "," + call("all of it", `"Read 9 lines"`) + "]}", "all of it"},
	} {
		var answers []string
		res := read(t, transcript.Gemini, "session-1.json", []byte(c.doc), domain.IngestCursor{})
		for _, m := range ofType[domain.Message](t, res) {
			if m.Role == domain.RoleTool {
				answers = append(answers, m.Content)
			}
		}
		if !slices.Equal(answers, []string{c.want}) || !slices.Equal(res.said(t), []string{"see"}) || len(res.skipped) != 0 {
			t.Errorf("%s: answers %q, said %q, %v", name, answers, res.said(t), res.skipped)
		}
	}
}

// What a sub-agent is asked is nobody's words; its file stands in its parent's folder.
func TestGeminiSubAgent(t *testing.T) {
	rows := `{"sessionId":"sub-1","projectHash":"h","startTime":"2026-05-01T10:00:00Z","kind":"subagent"}
{"id":"1","timestamp":"2026-05-01T10:00:01Z","type":"user","content":[{"text":"look for x"}]}
{"id":"2","timestamp":"2026-05-01T10:00:02Z","type":"gemini","content":"found"}
`
	res := read(t, transcript.Gemini, "/home/u/.gemini/tmp/h/chats/parent-1/sub-1.jsonl", []byte(rows), domain.IngestCursor{})
	if said := res.said(t); len(said) != 0 || len(ofType[domain.Message](t, res)) != 2 || res.sessions[0].ParentID != "parent-1" {
		t.Errorf("said %q, %+v", said, res.sessions)
	}
}

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

func TestOLLMSession(t *testing.T) {
	res := read(t, transcript.OLLM, "sessions/x.json", own(t, "ollm", "session.json"), domain.IngestCursor{})
	if diff := cmp.Diff([]string{"part one\npart two"}, res.humans(t)); diff != "" || res.sessions[0].Model != "llama3.1:8b" {
		t.Errorf("%s%+v", diff, res.sessions)
	}
	if m := ofType[domain.Message](t, res); len(m) != 4 || m[3].ToolCallID != "tc1" || m[3].Content != "text" {
		t.Errorf("tool call: %+v", m)
	}
}

// 000-15, 000-16: a mode transition, as events and as a hand-off.
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
		h, err := transcript.ReadOLLMTransition(data)
		if len(res.humans(t)) != 2 || len(res.skipped) != 0 || err != nil || len(h.Messages) != 3 || h.Reasoning[0].TokenCount != 8 {
			t.Errorf("%s: %q %v %+v %v", file, res.humans(t), res.skipped, h, err)
		}
	}
}

// SWE-agent: the issue is a person's, demonstrations and the environment's
// answers are not.
func TestSWEAgent(t *testing.T) {
	res := read(t, transcript.SWEAgent, "fix-colon.traj", own(t, "swe-agent", "fix-colon.traj"), domain.IngestCursor{})
	if diff := cmp.Diff([]string{"ISSUE: a colon is missing"}, res.humans(t)); diff != "" || len(res.skipped) != 0 {
		t.Errorf("%s%v", diff, res.skipped)
	}
	ends := ofType[domain.End](t, res)
	ops := ofType[domain.OpReport](t, res)
	if len(ends) != 1 || !*ends[0].Success || len(ops) != 1 || ops[0].Usage.Cost != domain.Dollars(0.05) {
		t.Errorf("%+v %+v", ends, ops)
	}
}

// Runs of the same instance have files of the same name: none hides what another
// said, and a file that grew tells what it took until now.
func TestSWEAgentRuns(t *testing.T) {
	run := func(said string, tokens int) []byte {
		return fmt.Appendf(nil, `{"history":[{"role":"system","content":"be good"},{"role":"user","content":"ISSUE"},{"role":"assistant","content":%q},{"role":"user","content":"OBSERVATION"}],
			"info":{"model_stats":{"tokens_sent":%d}}}`, said, tokens)
	}
	one := read(t, transcript.SWEAgent, "a.traj", run("ls", 10), domain.IngestCursor{})
	two := read(t, transcript.SWEAgent, "a.traj", run("cat", 20), domain.IngestCursor{})
	both := result{events: append(one.events, two.events...)}
	if n := len(both.set(t)); n != len(one.events)+2 {
		t.Errorf("%d events of two runs, want %d and what one said and took", n, len(one.events))
	}
	for name, want := range map[string]string{"gpt4__install/a/a.traj": "gpt4__install/a", `runs\claude\a\a.traj`: "claude/a", "runs/claude/a.traj": "a", "a/a.traj": "a", "/a/a.traj": "a"} {
		if got := read(t, transcript.SWEAgent, name, run("ls", 10), domain.IngestCursor{}).sessions[0].ClientSessionID; got != want {
			t.Errorf("%s is run %q, want %q", name, got, want)
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

// Checkpoints of Gemini: a conversation in the model's own shape, by itself or among
// other fields. What the client says before it is nobody's words; calls without ids
// find their answers.
func TestGeminiCheckpoint(t *testing.T) {
	turns := `[{"role":"user","parts":[{"text":"This is the Gemini CLI. We are setting up the context for our chat."}]},{"role":"model","parts":[{"text":"Got it."}]},
{"role":"user","parts":[{"text":"what is here?"},{"text":"look well"}]},
{"role":"model","parts":[{"text":"I look.","thought":true},{"text":"Let me see."},{"functionCall":{"name":"ls","args":{"path":"a"}}},{"functionCall":{"name":"ls","args":{"path":"b"}}}]},
{"role":"user","parts":[{"functionResponse":{"name":"ls","response":{"output":"one"}}},{"functionResponse":{"name":"ls","response":{"error":"no b"}}}]},
{"role":"model","parts":[{"text":"one"}]},7,{"role":"user","parts":[{"text":"what is here?"}]}]`
	for _, doc := range []string{turns, `{"history":` + turns + `,"authType":"x"}`, `{"toolCall":{"name":"w"},"history":[{"type":"user","text":"x"}],"clientHistory":` + turns + `}`} {
		if f, ok := transcript.Detect("checkpoint-a.json", []byte(doc)); !ok || f != transcript.Gemini {
			t.Errorf("it is taken for %q", f)
		}
		res := read(t, transcript.Gemini, "/h/.gemini/tmp/p1/checkpoint-a.json", []byte(doc), domain.IngestCursor{})
		if diff := cmp.Diff([]string{"what is here?\nlook well", "what is here?"}, res.said(t)); diff != "" || len(res.skipped) != 1 || res.sessions[0].ClientSessionID != "p1/checkpoint-a" {
			t.Errorf("said (-want +got):\n%s%v %+v", diff, res.skipped, res.sessions)
		}
		asked, answers := []string{}, map[string]string{}
		for _, m := range ofType[domain.Message](t, res) {
			for _, c := range m.ToolCalls {
				asked = append(asked, c.ID)
			}
			if m.Role == domain.RoleTool {
				answers[m.ToolCallID] = m.Content + m.Error
			}
		}
		if len(asked) != 2 || answers[asked[0]] != "one" || answers[asked[1]] != "no bno b" {
			t.Errorf("calls %q, answers %q", asked, answers)
		}
		if len(ofType[domain.Reasoning](t, res)) != 1 {
			t.Error("the thought is lost")
		}
	}
}

// A tool's answer comes as parts, as one part, as a text, or as whatever a server's
// tool says.
func TestGeminiToolResults(t *testing.T) {
	for result, want := range map[string]string{
		`"plain"`: "plain",
		`{"functionResponse":{"response":{"output":"one part"}}}`:                      "one part",
		`[{"functionResponse":{"response":{"output":"parts"}}},{"text":"and text"}]`:   "parts\nand text",
		`[{"functionResponse":{"response":{"output":"fine","error":null}}}]`:           "fine",
		`[{"functionResponse":{"response":{"content":[{"type":"text","text":"x"}]}}}]`: `{"content":[{"type":"text","text":"x"}]}`,
		`null`: "",
	} {
		doc := `{"sessionId":"g","messages":[{"id":"1","type":"gemini","content":"","toolCalls":[{"id":"c","name":"t","args":{},"status":"success","result":` + result + `}]}]}`
		messages := ofType[domain.Message](t, read(t, transcript.Gemini, "session-1.json", []byte(doc), domain.IngestCursor{}))
		if len(messages) != 2 || messages[1].Content != want || messages[1].Error != "" {
			t.Errorf("%s: %+v", result, messages)
		}
	}
}
