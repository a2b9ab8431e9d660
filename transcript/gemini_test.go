package transcript_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

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

// After /compress without gain, the client writes a row of the words on the screen, but not these.
func TestGeminiEmptyRow(t *testing.T) {
	const rows = `{"sessionId":"a1f28ac4-0000-4000-8000-000000000001","projectHash":"9c","startTime":"2026-11-25T22:27:20.000Z","lastUpdated":"2026-11-25T22:27:20.000Z","kind":"main"}` + "\n" +
		`{"id":"74474438-3e70-4d08-8910-6fa82d551277","timestamp":"2026-11-25T22:28:03.495Z","type":"info","content":""}` + "\n" +
		`{"id":"74474438-3e70-4d08-8910-6fa82d551278","timestamp":"2026-11-25T22:28:04.495Z","type":"error","content":"No quota is left."}` + "\n"
	res := read(t, transcript.Gemini, "session-2026-11-25T22-27-a1f28ac4.jsonl", []byte(rows), domain.IngestCursor{})
	if notes := ofType[domain.Note](t, res); len(notes) != 1 || notes[0].Kind != "error" || len(res.skipped) != 0 {
		t.Errorf("notes %+v, skipped %v", notes, res.skipped)
	}
}

// A row may bring a message's tokens alone, which leaves the message as it was.
func TestGeminiMessageUpdate(t *testing.T) {
	const rows = `{"type":"session_metadata","sessionId":"g7","startTime":"2026-05-01T10:00:00Z"}
{"type":"user","id":"1","timestamp":"2026-05-01T10:00:01Z","content":[{"text":"is it so?"}]}
{"type":"gemini","id":"2","timestamp":"2026-05-01T10:00:02Z","model":"m","content":[{"text":"it is"}]}
{"type":"message_update","id":"2","timestamp":"2026-05-01T10:00:08Z","tokens":{"input":7,"output":2,"total":9}}
{"$set":{"messages":[{"type":"user","id":"1","content":[{"text":"is it so?"}]},{"type":"gemini","id":"2","content":[{"text":"it is"}]}]}}
{"type":"message_update","id":"2","timestamp":"2026-05-01T10:00:09Z","tokens":{"input":10,"output":5,"total":15}}
{"type":"message_update","id":"unknown","tokens":{"input":1,"output":1}}
{"type":"message_update","id":"1","tokens":7}
`
	res := read(t, transcript.Gemini, "session-g7.jsonl", []byte(rows), domain.IngestCursor{})
	msgs, ops := ofType[domain.Message](t, res), ofType[domain.OpReport](t, res)
	if len(msgs) != 2 || !msgs[0].Human() || msgs[0].Content != "is it so?" || msgs[1].Content != "it is" || len(res.skipped) != 0 {
		t.Errorf("messages %+v, skipped %v", msgs, res.skipped)
	}
	if len(ops) != 1 || ops[0].Usage == nil || ops[0].Usage.Input != 10 || ops[0].Usage.Output != 5 {
		t.Errorf("calls %+v", ops)
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
		if got["done"] != 1 || got["Got it. Thanks for the additional context!"] != 0 || got["note"] != 1 || got["/stats model"] != 1 || got["compaction"] != 1 || got["op"] != 1 {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// Newer versions write turns with new ids as rows of their own, and then which turns the
// history still has, instead of the history as a whole.
func TestGeminiPatchedHistory(t *testing.T) {
	said := func(id, kind, parts string) string {
		return `{"id":"` + id + `","type":"` + kind + `","timestamp":"2026-10-05T10:00:00Z","content":[` + parts + `]}`
	}
	const updated = `{"$set":{"lastUpdated":"2026-10-05T10:00:01Z"}}`
	const fix, done, snapshot = `{"text":"fix it"}`, `{"text":"done"}`, `{"text":"<state_snapshot>all</state_snapshot>"}`
	const called, answered = `{"functionCall":{"id":"t1","name":"look","args":{}}}`, `{"functionResponse":{"id":"t1","name":"look","response":{"output":"seen"}}}`
	const masked = `{"functionResponse":{"id":"t1","name":"look","response":{"output":"<tool_output_masked>gone</tool_output_masked>"}}}`
	rows := []string{
		`{"sessionId":"g1","projectHash":"h","startTime":"2026-10-05T10:00:00Z"}`,
		said("u1", "user", fix), updated,
		`{"id":"g1","type":"gemini","timestamp":"2026-10-05T10:00:01Z","content":"","tokens":{"input":9,"output":1,"total":10},"toolCalls":[{"id":"t1","name":"look","args":{},"status":"success","result":[` + answered + `]}]}`,
		said("f1", "user", answered), updated,
		// a long answer is hidden from the model
		`{"$patch":{"updates":[{"id":"f1","content":[` + masked + `]},{"id":"g1","toolCalls":[{"id":"t1","result":[` + masked + `]}]}]}}`,
		said("g2", "gemini", done), updated,
		said("u2", "user", fix), updated,
		said("g3", "gemini", done), updated,
		said("u3", "user", `{"text":"and the other one"}`), updated,
		// what was before is summed up, and what is kept gets new ids
		said("s", "user", snapshot), said("a", "gemini", `{"text":"Got it. Thanks for the additional context!"}`),
		said("u2'", "user", fix), said("g3'", "gemini", done),
		`{"$patch":{"removeIds":["u1","g1","f1","g2","u2","g3"],"orderIds":["s","a","u2'","g3'","u3"]}}`, updated,
		said("g4", "gemini", `{"text":"that too"}`), updated,
		// a request that failed is taken out of the history
		said("u4", "user", `{"text":"fix all"}`), updated,
		`{"$rewindTo":"u4"}`, updated,
		said("u5", "user", fix), updated,
	}
	want := []string{"fix it", "fix it", "and the other one", "fix all", "fix it"}
	res := read(t, transcript.Gemini, "session-1.jsonl", []byte(strings.Join(rows, "\n")+"\n"), domain.IngestCursor{})
	if diff := cmp.Diff(want, res.said(t)); diff != "" || len(res.skipped) != 0 {
		t.Errorf("said (-want +got):\n%s%v", diff, res.skipped)
	}
	if n := len(ofType[domain.Compaction](t, res)); n != 1 {
		t.Errorf("%d compactions", n)
	}
	got := map[string]int{}
	for _, m := range ofType[domain.Message](t, res) {
		if m.Role != domain.RoleUser {
			got[m.Content]++
		}
	}
	if got["seen"] != 1 || got["done"] != 2 || got["that too"] != 1 {
		t.Errorf("answers %v", got)
	}
}

// Where every tool that the model asked for is refused, the client gives its history anew: it
// writes each turn as a row with a new id and no tokens, and then lists these.
func TestGeminiHistoryGivenAnew(t *testing.T) {
	said := func(id, kind, parts string) string {
		return `{"id":"` + id + `","type":"` + kind + `","timestamp":"2026-11-28T10:00:00Z","content":[` + parts + `]}`
	}
	list := func(messages ...string) string { return `{"$set":{"messages":[` + strings.Join(messages, ",") + `]}}` }
	const updated = `{"$set":{"lastUpdated":"2026-11-28T10:00:01Z"}}`
	const context, one, two, goOn, done = `{"text":"<session_context>\nMonday\n</session_context>"}`, `{"text":"one"}`, `{"text":"two"}`, `{"text":"go on"}`, `{"text":"done"}`
	const called, answered = `{"text":"looking "},{"functionCall":{"id":"t1","name":"look","args":{}}}`, `{"functionResponse":{"id":"t1","name":"look","response":{"output":"seen"}}}`
	again := []string{said("u1'", "user", context+","+one), said("g1'", "gemini", called), said("f1'", "user", answered), said("g2'", "gemini", done),
		said("u2'", "user", two), said("g3'", "gemini", done)}
	rows := []string{
		`{"sessionId":"g1","projectHash":"h","startTime":"2026-11-28T10:00:00Z"}`,
		list(said("c", "user", context)),
		said("u1", "user", one), updated,
		`{"id":"g1","type":"gemini","timestamp":"2026-11-28T10:00:01Z","content":"looking","tokens":{"input":9,"output":1,"total":10},"toolCalls":[{"id":"t1","name":"look","args":{},"status":"success","result":[` + answered + `]}]}`,
		said("f1", "user", answered), updated,
		said("g2", "gemini", done), updated,
		said("u2", "user", two), updated,
		said("g3", "gemini", done), updated,
		said("u3", "user", goOn), updated,
		`{"id":"i1","type":"info","timestamp":"2026-11-28T10:00:02Z","content":"Request cancelled."}`, updated,
	}
	for _, row := range again {
		rows = append(rows, row, updated)
	}
	u4, g4 := said("u4", "user", goOn), said("g4", "gemini", done)
	rows = append(rows, list(again...), u4, updated, g4, updated, list(append(again, u4, g4)...))
	res := read(t, transcript.Gemini, "session-1.jsonl", []byte(strings.Join(rows, "\n")+"\n"), domain.IngestCursor{})
	if diff := cmp.Diff([]string{"one", "two", "go on", "go on"}, res.said(t)); diff != "" {
		t.Errorf("said (-want +got):\n%s", diff)
	}
	got := map[string]int{}
	for _, m := range ofType[domain.Message](t, res) {
		got[m.Content]++
	}
	if got["looking"] != 1 || got["seen"] != 1 || got["done"] != 3 || len(ofType[domain.Note](t, res)) != 1 {
		t.Errorf("got %v", got)
	}
}

// After /clear, /chat resume brings a conversation of another session: its turns come as rows
// with new ids and no tokens, and are then listed.
func TestGeminiBroughtChat(t *testing.T) {
	said := func(id, kind, parts string) string {
		return `{"id":"` + id + `","type":"` + kind + `","timestamp":"2026-11-28T10:00:00Z","content":[` + parts + `]}`
	}
	reply := func(id string) string {
		return `{"id":"` + id + `","type":"gemini","timestamp":"2026-11-28T10:00:01Z","content":"here","tokens":{"input":9,"output":1,"total":10},"model":"m"}`
	}
	list := func(messages ...string) string { return `{"$set":{"messages":[` + strings.Join(messages, ",") + `]}}` }
	const updated = `{"$set":{"lastUpdated":"2026-11-28T10:00:02Z"}}`
	const context = `{"text":"<session_context>\nMonday\n</session_context>"}`
	brought := []string{
		said("b1", "user", context+`,{"text":"fix it"}`), said("b2", "gemini", `{"text":"looking "},{"functionCall":{"id":"t1","name":"look","args":{}}}`),
		said("b3", "user", `{"functionResponse":{"id":"t1","name":"look","response":{"output":"seen"}}}`), said("b4", "gemini", `{"text":"done"}`),
	}
	rows := []string{`{"sessionId":"g2","projectHash":"h","startTime":"2026-11-28T10:00:00Z"}`, list(said("c", "user", context)),
		said("u1", "user", `{"text":"hello"}`), updated, reply("g1"), updated}
	for _, row := range brought {
		rows = append(rows, row, updated)
	}
	u2, g2 := said("u2", "user", `{"text":"fix it"}`), reply("g2")
	rows = append(rows, list(brought...), u2, updated, g2, updated,
		list(append(slices.Clone(brought), u2, g2)...)) // as when the session is resumed
	res := read(t, transcript.Gemini, "session-2.jsonl", []byte(strings.Join(rows, "\n")+"\n"), domain.IngestCursor{})
	var got []string
	for _, e := range res.events {
		m, err := e.Message()
		if e.Type != domain.EventMessage || err != nil {
			continue
		}
		text := m.Content
		for _, c := range m.ToolCalls {
			text += c.Name + "()"
		}
		if m.Human() {
			text = "user: " + text
		}
		if e.Source.Copied() {
			text = "copied " + text
		}
		got = append(got, text)
	}
	told := "<session_context>\nMonday\n</session_context>"
	want := []string{told, "user: hello", "here", "copied " + told, "copied user: fix it", "copied looking ", "copied look()", "copied seen", "copied done",
		"user: fix it", "here"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("messages (-want +got):\n%s", diff)
	}
}

// A summary is no other conversation, also where nothing was listed before.
func TestGeminiSummaryIsNotBrought(t *testing.T) {
	said := func(id, kind, text string) string {
		return `{"id":"` + id + `","type":"` + kind + `","timestamp":"2026-11-28T10:00:00Z","content":[{"text":"` + text + `"}]}`
	}
	context, prompt := said("c", "user", `<session_context>\nMonday\n</session_context>`), said("u1", "user", "fix it")
	rows := []string{`{"sessionId":"g3","projectHash":"h"}`, context, prompt,
		`{"id":"g1","type":"gemini","timestamp":"2026-11-28T10:00:01Z","content":"done","tokens":{"input":9,"output":1,"total":10},"model":"m"}`,
		`{"$set":{"messages":[` + strings.Join([]string{context, said("s", "user", `<state_snapshot>\nall\n</state_snapshot>`),
			said("t", "gemini", "Got it. Thanks for the additional context!"), said("u1'", "user", "fix it"), said("g1'", "gemini", "done")}, ",") + `]}}`}
	res := read(t, transcript.Gemini, "session-3.jsonl", []byte(strings.Join(rows, "\n")+"\n"), domain.IngestCursor{})
	for _, e := range res.events {
		if e.Source.Copied() {
			t.Errorf("copied: %s %s", e.Type, e.Payload)
		}
	}
	if len(res.said(t)) != 1 || len(ofType[domain.Compaction](t, res)) != 1 {
		t.Errorf("said %q", res.said(t))
	}
}

// A picture that a tool answered with is nobody's message.
func TestGeminiPictureOfATool(t *testing.T) {
	doc := `{"sessionId":"g4","projectHash":"h","messages":[{"id":"u1","type":"user","timestamp":"2026-11-28T10:00:00Z","content":[
		{"text":"[Function Response: read_file]"},{"inlineData":{"mimeType":"image/png","data":"aGk="}}]}]}`
	res := read(t, transcript.Gemini, "session-4.json", []byte(doc), domain.IngestCursor{})
	if got := ofType[domain.Message](t, res); len(got) != 1 || got[0].Human() || len(got[0].Media) != 1 {
		t.Errorf("messages: %+v", got)
	}
}

// What is said as the user in succession, such as shell lines and the prompt after them, is one
// message in the history that the client writes at a compression.
func TestGeminiJoinedHistory(t *testing.T) {
	said := func(id, kind, parts string) string {
		return `{"id":"` + id + `","type":"` + kind + `","timestamp":"2026-05-01T10:00:00Z","content":[` + parts + `]}`
	}
	const list, stop = "{\"text\":\"I ran the following shell command:\\n```sh\\nls\\n```\\n\\nThis produced the following result:\\n```\\na.go\\n```\"}", `{"text":"stop"}`
	const fix, told = `{"text":"fix a.go"},{"text":"\n--- Content from referenced files ---"}`, `{"text":"<hook_context>Files are in Go.</hook_context>"}`
	rows := []string{
		`{"sessionId":"g1","projectHash":"h","startTime":"2026-05-01T10:00:00Z"}`,
		said("u1", "user", list), said("u2", "user", list), said("u3", "user", stop), said("u4", "user", fix+","+told),
		said("g1", "gemini", `{"text":"done"}`),
		`{"$set":{"messages":[` + strings.Join([]string{said("s", "user", `{"text":"<state_snapshot>all</state_snapshot>"}`),
			said("a", "gemini", `{"text":"Got it. Thanks for the additional context!"}`),
			said("u'", "user", strings.Join([]string{list, list, stop, fix, told}, ",")), said("g1'", "gemini", `{"text":"done"}`)}, ",") + `]}}`,
		said("u5", "user", list+","+`{"text":"and b.go"}`), // no copy
	}
	res := read(t, transcript.Gemini, "session-1.jsonl", []byte(strings.Join(rows, "\n")+"\n"), domain.IngestCursor{})
	got := res.said(t)
	if len(got) != 3 || got[0] != "stop" || !strings.HasPrefix(got[1], "fix a.go") || !strings.HasSuffix(got[2], "and b.go") {
		t.Errorf("said %q", got)
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

// Checkpoints of Gemini: a conversation in the model's own shape, by itself or among
// other fields. What the client says before it is nobody's words; calls without ids
// find their answers.
func TestGeminiCheckpoint(t *testing.T) {
	turns := `[{"role":"user","parts":[{"text":"This is the Gemini CLI. We are setting up the context for our chat."}]},{"role":"model","parts":[{"text":"Got it."}]},
{"role":"user","parts":[{"text":"what is here?"},{"text":"look well"}]},
{"role":"model","parts":[{"text":"I look.","thought":true},{"text":"Let me see."},{"functionCall":{"name":"ls","args":{"path":"a"}}},{"functionCall":{"name":"ls","args":{"path":"b"}}}]},
{"role":"user","parts":[{"functionResponse":{"name":"ls","response":{"output":"one"}}},{"functionResponse":{"name":"ls","response":{"error":"no b"}}}]},
{"role":"model","parts":[{"text":"one"}]},7,{"role":"user","parts":[{"text":"what is here?"}]}]`
	for _, doc := range []string{turns, "[7," + turns[1:], `{"history":` + turns + `,"authType":"x"}`, `{"toolCall":{"name":"w"},"history":[{"type":"user","text":"x"}],"clientHistory":` + turns + `}`} {
		if f, ok := transcript.Detect("checkpoint-a.json", []byte(doc)); !ok || f != transcript.Gemini {
			t.Errorf("it is taken for %q", f)
		}
		res := read(t, transcript.Gemini, "/h/.gemini/tmp/p1/checkpoint-a.json", []byte(doc), domain.IngestCursor{})
		if diff := cmp.Diff([]string{"what is here?\nlook well", "what is here?"}, res.said(t)); diff != "" || len(res.skipped) != strings.Count(doc, "7,") || res.sessions[0].ClientSessionID != "p1/checkpoint-a" {
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

// A call ended if it has an answer or the client says so.
func TestGeminiCallStates(t *testing.T) {
	for status, want := range map[string][]string{"executing": nil, "success": {""}, "cancelled": {"cancelled"}, "error": {"error"}} {
		doc := `{"sessionId":"g","messages":[{"id":"1","type":"gemini","content":"","toolCalls":[{"id":"c","name":"t","args":{},"status":"` + status + `"}]}]}`
		var ended []string
		for _, m := range ofType[domain.Message](t, read(t, transcript.Gemini, "session-1.json", []byte(doc), domain.IngestCursor{})) {
			if m.Role == domain.RoleTool {
				ended = append(ended, m.Error)
			}
		}
		if !slices.Equal(ended, want) {
			t.Errorf("%s: ended with %q, want %q", status, ended, want)
		}
	}
}

// All that the client counts of a message is counted, and nothing twice: what came from the
// cache is in the input, thoughts and what tools took are beside it.
func TestGeminiCountsAll(t *testing.T) {
	doc := `{"sessionId":"g","messages":[{"id":"1","type":"gemini","content":"ok","tokens":{"input":100,"output":7,"cached":60,"thoughts":5,"tool":3,"total":115}}]}`
	ops := ofType[domain.OpReport](t, read(t, transcript.Gemini, "session-1.json", []byte(doc), domain.IngestCursor{}))
	if len(ops) != 1 || ops[0].Usage.Total() != 115 || ops[0].Usage.CacheRead != 60 || ops[0].Usage.Output != 12 {
		t.Errorf("counted %+v", ops)
	}
}

// That a command failed is in the answer's last lines alone, where other tools, and what
// the command printed, may have the same words.
func TestGeminiShell(t *testing.T) {
	for answer, want := range map[string]string{
		"Output: ok\nProcess Group PGID: 7":                    "",
		"Output: (empty)\nExit Code: 1\nProcess Group PGID: 7": "exit code 1",
		"Output: no rule to make x\nError: boom\nExit Code: 2": "exit code 2",
		"Output: (empty)\nSignal: 9\nBackground PIDs: 8, 9":    "signal 9",
		"Output: Exit Code: 3\ndone\nProcess Group PGID: 7":    "",
		"Exit Code: 3": "",
		"<untrusted_context>\nOutput: x\nExit Code: 4\n</untrusted_context>":                                                                                              "exit code 4",
		"Command: false\nDirectory: (root)\nOutput: (empty)\nError: (none)\nExit Code: 1\nSignal: (none)\nBackground PIDs: (none)\nProcess Group PGID: 7":                 "exit code 1",
		"Command: true\nDirectory: (root)\nStdout: Exit Code: 1\nStderr: (empty)\nError: (none)\nExit Code: 0\nSignal: 0\nBackground PIDs: (none)\nProcess Group PGID: 7": "",
		"Command: sleep 9\nOutput: (empty)\nError: (none)\nExit Code: (none)\nSignal: 15\nBackground PIDs: (none)":                                                        "signal 15",
		"Command was automatically cancelled because it exceeded the timeout of 5.0 minutes without output. Below is the output before it was cancelled:\nx":              "Command was automatically cancelled because it exceeded the timeout of 5.0 minutes without output.",
	} {
		text, _ := json.Marshal(answer)
		for tool, want := range map[string]string{"run_shell_command": want, "read_file": ""} {
			result := `[{"functionResponse":{"name":"` + tool + `","response":{"output":` + string(text) + `}}}]`
			doc := `{"sessionId":"g","messages":[{"id":"1","type":"gemini","content":"","toolCalls":[{"id":"c","name":"` + tool + `","args":{},"status":"success","result":` + result + `}]}]}`
			messages := ofType[domain.Message](t, read(t, transcript.Gemini, "session-1.json", []byte(doc), domain.IngestCursor{}))
			if len(messages) != 2 || messages[1].Content != answer || messages[1].Error != want {
				t.Errorf("%s: %q failed with %q, want %q", tool, answer, messages[len(messages)-1].Error, want)
			}
			saved := `[{"role":"user","parts":[{"text":"go"}]},{"role":"user","parts":` + result + `}]`
			messages = ofType[domain.Message](t, read(t, transcript.Gemini, "checkpoint-1.json", []byte(saved), domain.IngestCursor{}))
			if len(messages) != 2 || messages[1].Error != want {
				t.Errorf("saved, %s: %q: %+v, want %q", tool, answer, messages, want)
			}
		}
	}
}

// Gemini's shapes: documents, also cut off ones, rows, and the log of what was typed.
func TestGeminiShapes(t *testing.T) {
	doc := `{"sessionId":"g1","projectHash":"h","startTime":"2026-05-01T10:00:00Z","messages":[{"id":"1","type":"user","content":"x"},{"id":"2","type":"gemini","content":"y"},{"id":"3","type":"user","content":[{"text":"a"},{"text":"b"}]}]}`
	log := `[{"sessionId":"g1","messageId":0,"type":"user","message":"x","timestamp":"2026-05-01T10:00:00Z"},
		{"sessionId":"g1","messageId":1,"type":"user","message":"/quit","timestamp":"2026-05-01T10:00:01Z"},
		{"sessionId":"g2","messageId":0,"type":"user","message":"x","timestamp":"2026-05-01T10:00:02Z"},{"sessionId":"g2","messageId":1,"type":"user","message":"x","timestamp":"2026-05-01T10:00:03Z"}]`
	numbered := strings.NewReplacer(`"g1"`, "1748393130", `"g2"`, "1748527109").Replace(log) // the first versions'
	rows := `{"sessionId":"g1","projectHash":"h","startTime":"2026-05-01T10:00:00Z"}
{"id":"1","type":"user","content":"x"}
{"id":"1","type":"user","content":"x"}
{"$set":{"summary":"About x","messages":[{"id":"1","type":"user","content":"x"},{"id":"9","type":"user","content":"only here"}]}}
{"$rewindTo":"1"}
not JSON
{"id":"3","type":"user","content":[{"text":"a"},{"text":"b"}]}
{"id":"4","type":"us`
	for name, c := range map[string]struct {
		file, data string
		want       []string
		bad        int
	}{
		"document":        {"session-1.json", doc, []string{"x", "a\nb"}, 0},
		"byte order mark": {"session-1.json", "\xef\xbb\xbf" + doc, []string{"x", "a\nb"}, 0},
		"cut off":         {"session-1.json", doc[:strings.Index(doc, `{"id":"3"`)+12], []string{"x"}, 1},
		"rows":            {"session-1.jsonl", rows, []string{"x", "only here", "a\nb"}, 1},
		"rows and others": {"session-1.jsonl", strings.Replace(rows, "not JSON", "[1]\nnull\n\"x\"\n7", 1), []string{"x", "only here", "a\nb"}, 4},
		"log":             {"logs.json", log, []string{"x", "x", "x"}, 0},
		"numbered log":    {"logs.json", numbered, []string{"x", "x", "x"}, 0},
		"renamed":         {"full.jsonl", strings.ReplaceAll(doc, ",", ",\n"), []string{"x", "a\nb"}, 0},
		"rows renamed":    {"session-1.json", rows, []string{"x", "only here", "a\nb"}, 1},
		"empty":           {"session-1.json", "", nil, 1},
		"empty list":      {"logs.json", "[]", nil, 1},
	} {
		t.Run(name, func(t *testing.T) {
			res := read(t, transcript.Gemini, c.file, []byte(c.data), domain.IngestCursor{})
			if diff := cmp.Diff(c.want, res.said(t)); diff != "" || len(res.skipped) != c.bad {
				t.Errorf("said (-want +got):\n%s%v", diff, res.skipped)
			}
			if f, ok := transcript.Detect("/home/u/.gemini/tmp/h/"+c.file, []byte(c.data)); len(c.data) > 2 && (!ok || f != transcript.Gemini) {
				t.Errorf("it is taken for %q", f)
			}
		})
	}
}

// Gemini CLI writes what it tells the model by itself into rows of the user, and what
// hooks add into a prompt. A person's message is without either.
func TestGeminiOwnWords(t *testing.T) {
	for text, person := range map[string]bool{
		"System: Please continue.": false,
		"First, reason in your scratchpad. Then, generate the <state_snapshot>.":                                                                                 false,
		"[Function Response: read_file]<image/png>":                                                                                                              false,
		"System: Potential loop detected. Details: Repeated tool call. Please take a step back.":                                                                 false,
		"<hook_context>branch: main</hook_context>":                                                                                                              false,
		"<session_context>\nToday is Monday.\n</session_context>":                                                                                                false,
		"This is the Gemini CLI. We are setting up the context for our chat.":                                                                                    false,
		"User has manually exited Plan Mode. Switching to Default mode (edits will require confirmation).":                                                       false,
		"- **Workspace Directories:**\n  - /w\n- **Directory Structure:**\n\nShowing up to 200 items":                                                            false,
		"[System: You successfully executed a tool but returned an empty response. Please analyze the tool output and explain your progress or final answer.]":   false,
		"Background execution update:\n<background_output>\ndone\n</background_output>\n\nA previously backgrounded execution has completed. The content inside": false,
		"User has manually exited Plan Mode. Switching to Default mode (edits will require confirmation).\nWhy is that in my log?":                               true,
		"Please continue.": true,
		"System: Please continue. What does it mean?":        true,
		"fix it\n<hook_context>branch: main</hook_context>":  true,
		"<hook_context> is what I see":                       true,
		"<hook_context>a</hook_context> what is <T> in this": true,
		"Here is the user's editor context as a JSON object. This is for your information only.\n```json\n{\"activeFile\":{\"path\":\"/w/a.go\"}}\n```":                false,
		"Here is a summary of changes in the user's editor context, in JSON format. This is for your information only.\n```json\n{\"changes\":{}}\n```":                false,
		"I ran the following shell command:\n```sh\nls\n```\n\nThis produced the following result:\n```\na.go\n```":                                                    false,
		"Here is the user's editor context as a JSON object. This is for your information only.\n```json\n{\"activeFile\":{\"path\":\"/w/a.go\"}}\n```\nWhat is this?": true,
		"I ran the following shell command:\n```sh\nls\n```\n\nThis produced the following result:\n```\na.go\n```\n\nWhy is b.go missing?":                            true,
	} {
		content, _ := json.Marshal(text)
		doc := `{"sessionId":"g1","projectHash":"h","messages":[{"id":"1","type":"user","content":[{"text":` + string(content) + `}]}]}`
		row := `{"sessionId":"g1","projectHash":"h"}` + "\n" + `{"id":"1","type":"user","content":` + string(content) + `}` + "\n"
		turns := `[{"role":"user","parts":[{"text":` + string(content) + `}]},{"role":"model","parts":[{"text":"ok"}]}]`
		for name, data := range map[string]string{"chats/s.json": doc, "chats/s.jsonl": row, "checkpoint-a.json": turns} {
			res := read(t, transcript.Gemini, name, []byte(data), domain.IngestCursor{})
			want := text
			if person {
				want = transcript.Words(transcript.ClientGemini, text)
			}
			if m := ofType[domain.Message](t, res); len(m) == 0 || m[0].Content != want || m[0].Human() != person {
				t.Errorf("%s: %q: %+v", name, text, m)
			}
		}
	}
}

// After the client has looked for what to hide from the model, each call of a turn has the
// answers to all of them, with what belongs to each behind it.
func TestGeminiAnswersOfATurn(t *testing.T) {
	const all = `[{"functionResponse":{"id":"c1","name":"ls","response":{"output":"one"}}},{"text":"and more"},{"functionResponse":{"id":"c2","name":"ls","response":{"error":"none"}}}]`
	const turn = `{"id":"g1","timestamp":"2026-05-01T10:00:00Z","type":"gemini","content":"","toolCalls":[{"id":"c1","name":"ls","args":{},"status":"success","result":` + all + `},{"id":"c2","name":"ls","args":{},"status":"error","result":` + all + `}]}`
	for name, data := range map[string]string{
		"chats/session-1.json":  `{"sessionId":"s1","projectHash":"h","messages":[` + turn + `]}`,
		"chats/session-1.jsonl": `{"sessionId":"s1","projectHash":"h"}` + "\n" + `{"$set":{"messages":[` + turn + `]}}` + "\n",
	} {
		m := ofType[domain.Message](t, read(t, transcript.Gemini, name, []byte(data), domain.IngestCursor{}))
		if len(m) != 4 || m[1].Content != "one\nand more" || m[1].Error != "" || m[3].Content != "none" || m[3].Error == "" {
			t.Errorf("%s: %+v", name, m)
		}
	}
}

// Newer versions keep beside what went to the model what was typed: behind a command
// of a person's own stands the client's text. A path is no command in the log either.
func TestGeminiTyped(t *testing.T) {
	row := func(id, typed, sent string) string {
		return `{"id":"` + id + `","type":"user","displayContent":` + typed + `,"content":[{"text":"` + sent + `"}]}`
	}
	rows := []string{row("1", `[{"text":"/review a.go"}]`, "You are a strict reviewer. Review a.go"), row("2", `"/review b.go"`, "You are a strict reviewer. Review b.go"),
		row("3", `"what is in @a.go"`, "what is in @a.go\\n--- Content from referenced files ---\\nContent from @a.go:\\npackage a\\n--- End of content ---"), row("4", `[{"text":"/home/x is full"}]`, "/home/x is full"), row("5", "null", "thanks"),
		row("7", `"@scout find it in @a.go"`, "@scout find it in @a.go\\n<system_note>\\nThe user has explicitly selected the following agent(s): scout. Please use the following tool(s) to delegate the task: 'scout'.\\n</system_note>\\n\\n--- Content from referenced files ---\\nContent from @a.go:\\npackage a\\n--- End of content ---"),
		row("8", `"@scout look"`, "@scout look\\n<system_note>\\nThe user has explicitly selected the following agent(s): scout. Please use the following tool(s) to delegate the task: 'scout'.\\n</system_note>\\n"),
		row("6", `"why @db://x"`, "why @db://x\\n--- Content from referenced files ---\\nContent from @db://x:\\nWe decided to use it.\\nNo files matching the criteria were found or all were skipped.")}
	head := `{"sessionId":"g1","projectHash":"h"`
	for name, data := range map[string]string{"chats/s.json": head + `,"messages":[` + strings.Join(rows, ",") + `]}`, "chats/s.jsonl": head + "}\n" + strings.Join(rows, "\n") + "\n"} {
		res := read(t, transcript.Gemini, name, []byte(data), domain.IngestCursor{})
		if got, want := res.humans(t), []string{"what is in @a.go", "/home/x is full", "thanks", "@scout find it in @a.go", "@scout look", "why @db://x"}; !slices.Equal(got, want) {
			t.Errorf("%s: people said %q, want %q", name, got, want)
		}
		var commands, meta []string
		for _, m := range ofType[domain.Message](t, res) {
			switch m.Kind {
			case domain.CommandMessage:
				commands = append(commands, m.Content)
			case domain.MetaMessage:
				meta = append(meta, m.Content)
			}
		}
		if want := []string{"/review a.go", "/review b.go"}; !slices.Equal(commands, want) || len(meta) != 6 || !strings.Contains(meta[2], "package a") {
			t.Errorf("%s: commands %q, want %q, with the client's texts %q", name, commands, want, meta)
		}
	}
	log := `[{"sessionId":"g1","messageId":0,"type":"user","message":"/stats","timestamp":"2026-01-01T10:00:00Z"},
		{"sessionId":"g1","messageId":1,"type":"user","message":"/home/x is full","timestamp":"2026-01-01T10:00:01Z"},
		{"sessionId":"g1","messageId":2,"type":"user","message":"// TODO: what does this mean?","timestamp":"2026-01-01T10:00:02Z"}]`
	if got, want := read(t, transcript.Gemini, "logs.json", []byte(log), domain.IngestCursor{}).humans(t), []string{"/home/x is full", "// TODO: what does this mean?"}; !slices.Equal(got, want) {
		t.Errorf("logs.json: people said %q, want %q", got, want)
	}
}

// A row that was cut off takes none of those that were glued behind it with it.
func TestGeminiGluedRows(t *testing.T) {
	head := `{"sessionId":"g","projectHash":"h","startTime":"2026-05-04T08:00:00Z"}` + "\n"
	user := `{"id":"m1","timestamp":"2026-05-04T08:00:01Z","type":"user","content":[{"text":"first"}]}`
	answer := `{"id":"m2","timestamp":"2026-05-04T08:00:02Z","type":"gemini","content":"ok","toolCalls":[{"id":"c1","name":"read","args":{}}]}`
	next := `{"id":"m3","timestamp":"2026-05-04T08:00:03Z","type":"user","content":[{"text":"second"}]}`
	listed := `{"$set":{"messages":[{"id":"m4","timestamp":"2026-05-04T08:00:04Z","type":"user","content":"third"}]}}`
	for name, rows := range map[string]string{
		"whole": user + answer + next + "\n" + listed + "\n",
		"cut":   user + "\n" + answer[:len(answer)-20] + next + listed + "\n",
	} {
		res := read(t, transcript.Gemini, "session-1.jsonl", []byte(head+rows), domain.IngestCursor{})
		if diff := cmp.Diff([]string{"first", "second", "third"}, res.said(t)); diff != "" || len(res.skipped) != 1 {
			t.Errorf("%s: said (-want +got):\n%s%v", name, diff, res.skipped)
		}
	}
}

// A session may hold its messages in the shape of the model's API.
func TestGeminiParts(t *testing.T) {
	session := `{"sessionId":"g-parts","projectHash":"ab","startTime":"2025-10-01T10:00:00.000Z","messages":[
{"id":"1","timestamp":"2025-10-01T10:00:00.000Z","type":"user","parts":[{"text":"count them"},{"inlineData":{"mimeType":"image/png","data":"not base64"}}]},
{"id":"2","timestamp":"2025-10-01T10:00:02.000Z","type":"gemini","parts":[{"text":"there are"},{"text":"three"}],"model":"gemini-2.5-pro"}]}`
	res := read(t, transcript.Gemini, "session-1.json", []byte(session), domain.IngestCursor{})
	if diff := cmp.Diff([]string{"count them"}, res.humans(t)); diff != "" {
		t.Error(diff)
	}
	var answers []string
	var media []domain.Media
	for _, m := range ofType[domain.Message](t, res) {
		if media = append(media, m.Media...); m.Role == domain.RoleAssistant {
			answers = append(answers, m.Content)
		}
	}
	if diff := cmp.Diff([]string{"there are\nthree"}, answers); diff != "" {
		t.Error(diff)
	}
	if len(media) != 1 || media[0].URL != "data:image/png;base64,not base64" {
		t.Errorf("what is not quite base64 is lost: %+v", media)
	}
}

// The log of prompts has what a person typed, the chat has also the files that it names:
// both tell of one message (I16).
func TestGeminiLogBesideChat(t *testing.T) {
	const (
		log  = `[{"sessionId":"s1","messageId":0,"type":"user","message":"What says @fees.txt of it?","timestamp":"2025-10-01T10:00:00.000Z"}]`
		chat = `{"sessionId":"s1","messages":[{"id":"a","type":"user","timestamp":"2025-10-01T10:00:01.000Z","content":` +
			`"What says @fees.txt of it?\n--- Content from referenced files ---\nContent from @fees.txt:\nFees are 2 percent.\n--- End of content ---"}]}`
	)
	key := func(name, data string) (keys []domain.Key) {
		for _, e := range read(t, transcript.Gemini, name, []byte(data), domain.IngestCursor{}).events {
			if m, err := e.Message(); err == nil && m.Human() {
				keys = append(keys, e.Key)
			}
		}
		return keys
	}
	if logged, said := key("logs.json", log), key("session-s1.json", chat); len(logged) != 1 || !slices.Equal(logged, said) {
		t.Errorf("the log gives %q, the chat %q", logged, said)
	}
}

// A piece of a session, which does not say when that began, began with its first message.
func TestGeminiPiece(t *testing.T) {
	const piece = `{"messages":[{"id":"1","timestamp":"2026-03-01T10:00:00Z","type":"user","content":"fix it"},{"id":"2","timestamp":"2026-03-01T10:00:05Z","type":"gemini","content":"done"}]}`
	res := read(t, transcript.Gemini, "aa/0/full.jsonl", []byte(piece), domain.IngestCursor{})
	if at := res.sessions[0].StartedAt; !at.Equal(time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)) {
		t.Errorf("it began at %v", at)
	}
}

// Whatever rows say of a session, what a person said in it is kept.
func TestGeminiRowsKeepWhatWasSaid(t *testing.T) {
	const head = `{"sessionId":"g1","projectHash":"h","startTime":"2026-10-05T10:00:00Z"}`
	said := func(id, text string) string {
		return `{"id":"` + id + `","type":"user","timestamp":"2026-10-05T10:00:00Z","content":[{"text":"` + text + `"}]}`
	}
	for name, rows := range map[string][]string{
		"removed as soon as it was said": {head, said("u1", "one"), said("u2", "two"), `{"$patch":{"removeIds":["u2"]}}`, said("u3", "three")},
		"in a head":                      {head, said("u1", "one"), `{"sessionId":"g1","messages":[` + said("u1", "one") + "," + said("u2", "two") + `]}`, said("u3", "three")},
		"a head again":                   {head, said("u1", "one"), `{"sessionId":"g1","messages":[]}`, said("u1", "one"), said("u2", "two"), said("u3", "three")},
	} {
		res := read(t, transcript.Gemini, "session-1.jsonl", []byte(strings.Join(rows, "\n")+"\n"), domain.IngestCursor{})
		if diff := cmp.Diff([]string{"one", "two", "three"}, res.said(t)); diff != "" || len(res.skipped) != 0 {
			t.Errorf("%s: said (-want +got):\n%s%v", name, diff, res.skipped)
		}
	}
}

// What a person tells the model while it works stands in an instruction of the client, beside
// the answer of a tool or alone.
func TestGeminiSteering(t *testing.T) {
	const hint = `{"text":"User steering update:\n<user_input>\nskip the tests\n</user_input>\nInternal instruction: Re-evaluate the active plan. State the course correction."}`
	const answer = `{"functionResponse":{"id":"c1","name":"ls","response":{"output":"a"}}}`
	doc := `{"sessionId":"g1","projectHash":"h","startTime":"2026-05-01T10:00:00Z","lastUpdated":"2026-05-01T10:00:00Z","messages":[
{"id":"u1","timestamp":"2026-05-01T10:00:01Z","type":"user","content":[` + hint + `,` + answer + `]},
{"id":"u2","timestamp":"2026-05-01T10:00:02Z","type":"user","content":[` + hint + `]},
{"id":"u3","timestamp":"2026-05-01T10:00:03Z","type":"user","content":[{"text":"a picture"},` + answer + `]}]}`
	res := read(t, transcript.Gemini, "session-1.json", []byte(doc), domain.IngestCursor{})
	if diff := cmp.Diff([]string{"skip the tests", "skip the tests"}, res.humans(t)); diff != "" {
		t.Errorf("said (-want +got):\n%s", diff)
	}
}

// The chats of Qwen Code have rows of another shape: they are refused, and leave no empty session.
func TestGeminiRefusesQwenCode(t *testing.T) {
	const chat = `{"uuid":"a","parentUuid":null,"sessionId":"q1","timestamp":"2026-10-01T10:00:00Z","type":"user","message":{"role":"user","parts":[{"text":"fix it"}]}}
{"uuid":"b","parentUuid":"a","sessionId":"q1","timestamp":"2026-10-01T10:00:01Z","type":"assistant","message":{"role":"model","parts":[{"text":"done"}]}}
`
	reader, err := transcript.NewReader(transcript.Gemini, "chats/q1.jsonl", strings.NewReader(chat), domain.IngestCursor{})
	for item, failure := range reader.Items() {
		if err = errors.Join(err, failure); item.Session != nil || item.Event != nil {
			t.Errorf("it gives %+v", item)
		}
	}
	if err == nil && !reader.Strange() {
		t.Error("it passes for a chat of Gemini")
	}
}
