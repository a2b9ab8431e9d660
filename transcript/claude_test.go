package transcript_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"wake/domain"
	"wake/transcript"
)

const claudeSession = "5b2f0c1e-0000-4000-8000-00000000a001"

// People's words come back byte for byte, and nothing else counts as theirs: no
// tool's answer, summary, command, reminder or interruption mark.
func TestClaudeHumanMessages(t *testing.T) {
	res := read(t, transcript.ClaudeCode, "session.jsonl", own(t, "claude-code", "session.jsonl"), domain.IngestCursor{})
	want := []string{
		"Please make the cart round prices to cents.\n\n  keep   my spaces\t",
		"continue",
		"continue",
		"also update the README", // handed over in the middle of the work
		"<ide_opened_file>The user opened cart.go</ide_opened_file>\nand then stop",
	}
	if diff := cmp.Diff(want, res.humans(t)); diff != "" {
		t.Errorf("human messages (-want +got):\n%s", diff)
	}
	if len(res.skipped) != 0 {
		t.Errorf("skipped %v", res.skipped)
	}
}

// I5: two equal prompts stay two.
func TestClaudeEqualPromptsStayTwo(t *testing.T) {
	res := read(t, transcript.ClaudeCode, "session.jsonl", own(t, "claude-code", "session.jsonl"), domain.IngestCursor{})
	set := res.set(t)
	for nth := 1; nth <= 2; nth++ {
		if _, ok := set[claudeSession+" "+string(domain.HumanKey("continue", nth))]; !ok {
			t.Errorf("occurrence %d of the prompt is missing", nth)
		}
	}
}

// I15: rows of one API message repeat its usage; it counts once, at its greatest.
func TestClaudeUsageCountsOnce(t *testing.T) {
	res := read(t, transcript.ClaudeCode, "session.jsonl", own(t, "claude-code", "session.jsonl"), domain.IngestCursor{})
	greatest := map[string]domain.TokenUsage{}
	for _, op := range ofType[domain.OpReport](t, res) {
		if op.Kind != domain.OpLLM {
			continue
		}
		if op.Usage.Total() <= greatest[op.OpID].Total() {
			t.Errorf("%s reports %v again, or less", op.OpID, op.Usage)
		}
		greatest[op.OpID] = *op.Usage
	}
	want := domain.TokenUsage{Input: 12, Output: 90, CacheRead: 18000, CacheWrite: 900}
	if greatest["msg_a"] != want {
		t.Errorf("msg_a took %+v, want %+v", greatest["msg_a"], want)
	}
	if _, ok := greatest["x-1"]; ok {
		t.Error("a made-up message of the client has usage")
	}
}

// Compaction opens an epoch; the summary that follows is a message of its own
// kind. Boundaries have no parent but a logical one.
func TestClaudeCompaction(t *testing.T) {
	res := read(t, transcript.ClaudeCode, "session.jsonl", own(t, "claude-code", "session.jsonl"), domain.IngestCursor{})
	got := ofType[domain.Compaction](t, res)
	if diff := cmp.Diff([]domain.Compaction{{Trigger: "auto", TokensBefore: 155250}}, got); diff != "" {
		t.Errorf("compactions (-want +got):\n%s", diff)
	}
	for i, e := range res.events {
		if e.Type != domain.EventCompaction {
			continue
		}
		if e.Key != transcript.CompactionKey(1) || e.Source.Parent != "row-016" {
			t.Errorf("compaction has key %s and parent %q", e.Key, e.Source.Parent)
		}
		next, _ := res.events[i+1].Message()
		if next.Kind != domain.SummaryMessage {
			t.Errorf("behind the compaction comes %+v, want its summary", next)
		}
	}
}

// Early clients wrote the summary without a boundary.
func TestClaudeSummaryWithoutBoundary(t *testing.T) {
	line := `{"type":"user","uuid":"a","sessionId":"s","isCompactSummary":true,"message":{"role":"user","content":"This session is being continued"}}` + "\n"
	res := read(t, transcript.ClaudeCode, "s.jsonl", []byte(line), domain.IngestCursor{})
	if n := len(ofType[domain.Compaction](t, res)); n != 1 {
		t.Errorf("%d compactions, want 1", n)
	}
}

// Between a boundary and its summary hooks may have their say: it is one compaction.
func TestClaudeSummaryBehindOthers(t *testing.T) {
	rows := `{"type":"system","subtype":"compact_boundary","uuid":"b","sessionId":"s","compactMetadata":{"trigger":"auto","preTokens":155000}}
{"type":"attachment","uuid":"h","sessionId":"s","attachment":{"type":"hook_success","hookEvent":"SessionStart","content":"x"}}
{"type":"system","subtype":"informational","content":"x","uuid":"i","sessionId":"s"}
{"type":"user","uuid":"a","sessionId":"s","isCompactSummary":true,"message":{"role":"user","content":"This session is being continued"}}
{"type":"assistant","uuid":"r","sessionId":"s","message":{"id":"m","role":"assistant","content":[{"type":"text","text":"ok"}]}}
`
	early := strings.Replace(strings.SplitAfter(rows, "\n")[3], `"uuid":"a"`, `"uuid":"a2"`, 1)
	for n, data := range map[int]string{1: rows, 2: rows + early} {
		res := read(t, transcript.ClaudeCode, "s.jsonl", []byte(data), domain.IngestCursor{})
		if got := ofType[domain.Compaction](t, res); len(got) != n || got[0].Trigger != "auto" {
			t.Errorf("%d compactions, want %d: %+v", len(got), n, got)
		}
	}
}

// The desktop client writes history again when it compacts, under the same ids: no
// compaction is new for that.
func TestClaudeHistoryAgain(t *testing.T) {
	boundary := `{"type":"system","subtype":"compact_boundary","uuid":"b","sessionId":"s","compactMetadata":{"trigger":"auto","preTokens":155000}}` + "\n"
	summary := `{"type":"user","uuid":"a","sessionId":"s","isCompactSummary":true,"message":{"role":"user","content":"This session is being continued"}}` + "\n"
	said := userRow(t, "u1", "go on") + `{"type":"assistant","uuid":"r","sessionId":"s","message":{"id":"m","role":"assistant","content":[{"type":"text","text":"ok"}]}}` + "\n"
	for name, data := range map[string]string{"summary": boundary + summary + said + summary + said, "boundary too": boundary + summary + said + boundary + summary + said} {
		res := read(t, transcript.ClaudeCode, "s.jsonl", []byte(data), domain.IngestCursor{})
		keys := map[domain.Key]bool{}
		for _, e := range res.events {
			keys[e.Key] = true
		}
		if len(keys) != 4 || len(res.said(t)) != 1 {
			t.Errorf("%s: %d events, want a compaction, its summary, a prompt and an answer: %v", name, len(keys), keys)
		}
	}
}

// What the client streams to programs names the session otherwise, and sub-agents by
// the call that runs them.
func TestClaudeStream(t *testing.T) {
	rows := `{"type":"system","subtype":"init","session_id":"s1","uuid":"i","cwd":"/p"}
{"type":"user","message":{"role":"user","content":"fix it"},"session_id":"s1","parent_tool_use_id":null,"uuid":"u1","isReplay":true}
{"type":"assistant","message":{"id":"m1","role":"assistant","content":[{"type":"tool_use","id":"toolu_1","name":"Task","input":{}}]},"parent_tool_use_id":null,"session_id":"s1","uuid":"a1"}
{"type":"user","message":{"role":"user","content":[{"type":"text","text":"look for x"}]},"parent_tool_use_id":"toolu_1","session_id":"s1","uuid":"u2"}
{"type":"assistant","message":{"id":"m2","role":"assistant","content":[{"type":"text","text":"found"}]},"parent_tool_use_id":"toolu_1","session_id":"s1","uuid":"a2"}
{"type":"system","subtype":"compact_boundary","session_id":"s1","uuid":"b","compact_metadata":{"trigger":"auto","pre_tokens":68000,"post_tokens":12000}}
{"type":"result","subtype":"success","is_error":false,"session_id":"s1","uuid":"z","result":"done","num_turns":3,"duration_ms":4200,"total_cost_usd":0.25,"permission_denials":[]}
{"type":"result","subtype":"error_during_execution","is_error":true,"session_id":"s1","uuid":"z2","errors":["the tool crashed"]}
`
	res := read(t, transcript.ClaudeCode, "log.jsonl", []byte(rows), domain.IngestCursor{})
	child := transcript.AgentSession("s1", "toolu_1")
	if len(res.sessions) != 2 || res.sessions[0].ClientSessionID != "s1" || res.sessions[1].ClientSessionID != child || res.sessions[1].ParentID != "s1" {
		t.Errorf("sessions %+v", res.sessions)
	}
	want := []domain.Compaction{{Trigger: "auto", TokensBefore: 68000, TokensAfter: 12000}}
	if diff := cmp.Diff(want, ofType[domain.Compaction](t, res)); diff != "" {
		t.Errorf("compactions (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"fix it"}, res.said(t)); diff != "" || len(res.skipped) > 0 {
		t.Errorf("said (-want +got):\n%s%v", diff, res.skipped)
	}
	var runs []string
	for _, n := range ofType[domain.Note](t, res) {
		if n.Kind == "result" {
			runs = append(runs, n.Text+" "+string(n.Data))
		}
	}
	if diff := cmp.Diff([]string{` {"cost_usd":0.25,"duration_ms":4200,"outcome":"success","permission_denials":[],"turns":3}`,
		`the tool crashed {"cost_usd":0,"duration_ms":0,"outcome":"error_during_execution","turns":0}`}, runs); diff != "" {
		t.Errorf("runs (-want +got):\n%s", diff)
	}
}

// Tools: parallel calls, a failed one, one with a picture, one that ran a
// sub-agent, one that nobody answered (I20).
func TestClaudeTools(t *testing.T) {
	res := read(t, transcript.ClaudeCode, "session.jsonl", own(t, "claude-code", "session.jsonl"), domain.IngestCursor{})
	answers := map[string]domain.Message{}
	for _, m := range ofType[domain.Message](t, res) {
		if m.ToolCallID != "" {
			answers[m.ToolCallID] = m
		}
	}
	if m := answers["toolu_1"]; m.ToolName != "Read" || m.Error != "" || m.Content != "package cart" ||
		len(m.Media) != 1 || m.Media[0].Mime != "image/png" || len(m.Media[0].Data) != 8 {
		t.Errorf("toolu_1: %+v", m)
	}
	if m := answers["toolu_2"]; m.Error != "FAIL: TestTotal" || m.Content != m.Error {
		t.Errorf("toolu_2: %+v", m)
	}
	if m, ok := answers["toolu_4"]; ok {
		t.Errorf("toolu_4 was never answered: %+v", m)
	}
	for _, op := range ofType[domain.OpReport](t, res) {
		if op.Kind == domain.OpTool && (op.OpID != "toolu_3" || op.ChildSessionID != transcript.AgentSession(claudeSession, "ab12cd3")) {
			t.Errorf("toolu_3 ran a sub-agent: %+v", op)
		}
	}
}

// I16: the order read is the file's, whatever the times say.
func TestClaudeTimesGoBack(t *testing.T) {
	res := read(t, transcript.ClaudeCode, "session.jsonl", own(t, "claude-code", "session.jsonl"), domain.IngestCursor{})
	back, last := false, int64(0)
	for i, e := range res.events {
		if e.Source.Pos <= last {
			t.Fatalf("event %d stands at %d, behind %d", i, e.Source.Pos, last)
		}
		last = e.Source.Pos
		back = back || i > 0 && e.At.Before(res.events[i-1].At)
	}
	if !back {
		t.Error("the sample should hold a time that goes back")
	}
}

// Sub-agents have their own session below their parent's, in both layouts.
func TestClaudeSubAgents(t *testing.T) {
	name := claudeSession + "/subagents/agent-ab12cd3.jsonl"
	res := read(t, transcript.ClaudeCode, name, own(t, "claude-code", name), domain.IngestCursor{})
	if len(res.sessions) != 1 {
		t.Fatalf("sessions: %+v", res.sessions)
	}
	s := res.sessions[0]
	if s.ClientSessionID != transcript.AgentSession(claudeSession, "ab12cd3") || s.ParentID != claudeSession || s.AgentID != "ab12cd3" {
		t.Errorf("session: %+v", s)
	}
	if h := res.humans(t); len(h) != 0 {
		t.Errorf("the parent's prompt was taken for a person's: %q", h)
	}
}

// I6: what is no row is reported by line, and no good row is lost beside it.
func TestClaudeTraps(t *testing.T) {
	data := own(t, "claude-code", "traps.jsonl")
	res := read(t, transcript.ClaudeCode, "traps.jsonl", data, domain.IngestCursor{})
	want := []string{"first", "plain \nstrings", "glued behind a cut row", "two on", "one line", "root two",
		"other session", "", "NUL\x00 and \u202e and 🎉", "no newline at the end"}
	if diff := cmp.Diff(want, res.humans(t)); diff != "" {
		t.Errorf("human messages (-want +got):\n%s", diff)
	}
	lines := map[int]string{}
	for _, s := range res.skipped {
		lines[s.Line] = s.Reason
	}
	for _, n := range []int{1, 2, 3, 4, 5, 6, 9, 10} {
		if lines[n] == "" {
			t.Errorf("line %d was not reported: %v", n, lines)
		}
	}
	if len(lines) != 8 {
		t.Errorf("reported %v", lines)
	}
	if int(res.cursor.Offset) != len(data) {
		t.Errorf("read %d of %d bytes: the last row has no newline but is whole", res.cursor.Offset, len(data))
	}
	ids := map[string]bool{}
	for _, s := range res.sessions {
		ids[s.ClientSessionID] = true
	}
	if !ids[transcript.AgentSession(claudeSession, "sidechain-sc-root-")] || len(ids) != 3 {
		t.Errorf("sessions %v", ids)
	}
}

// I5: line by line, and twice, with a cursor each time.
func TestClaudeTailByTail(t *testing.T) {
	data := own(t, "claude-code", "session.jsonl")
	whole := read(t, transcript.ClaudeCode, "s", data, domain.IngestCursor{}).set(t)
	var all result
	for end := 0; end < len(data); {
		end += bytes.IndexByte(data[end:], '\n') + 1
		part := read(t, transcript.ClaudeCode, "s", data[:end], all.cursor)
		all.events, all.cursor = append(all.events, part.events...), part.cursor
	}
	if diff := cmp.Diff(whole, all.set(t)); diff != "" {
		t.Errorf("tail by tail (-whole +pieces):\n%s", diff)
	}
	if len(all.events) != len(whole) {
		t.Errorf("%d events for %d keys", len(all.events), len(whole))
	}
	again := read(t, transcript.ClaudeCode, "s", data, all.cursor)
	if len(again.events) != 0 {
		t.Errorf("nothing is new, but %d events came", len(again.events))
	}
}

// I6: a file that shrank or begins otherwise was replaced: it is read from its
// beginning, and rows that were read before keep their keys.
func TestClaudeRotation(t *testing.T) {
	data := own(t, "claude-code", "session.jsonl")
	first := read(t, transcript.ClaudeCode, "s", data, domain.IngestCursor{})
	half := data[:bytes.LastIndexByte(data[:len(data)/2], '\n')+1]
	added := `{"type":"user","uuid":"new","sessionId":"` + claudeSession + `","message":{"role":"user","content":"continue"}}` + "\n"
	for name, file := range map[string][]byte{
		"shrank":     half,
		"other head": data[bytes.IndexByte(data, '\n')+1:],
		"same size, other end": append(append([]byte{}, half...),
			strings.Repeat("\n", len(data)-len(half))...),
	} {
		t.Run(name, func(t *testing.T) {
			r, err := transcript.NewReader(transcript.ClaudeCode, "s", bytes.NewReader(append(bytes.Clone(file), added...)), first.cursor)
			if err != nil {
				t.Fatal(err)
			}
			var second result
			for item, err := range r.Items() {
				if err != nil {
					t.Fatal(err)
				}
				second.add(item)
			}
			known, fresh := first.set(t), 0
			for id := range second.set(t) {
				if _, ok := known[id]; !ok {
					fresh++
				}
			}
			if _, ok := second.set(t)[claudeSession+" "+string(domain.HumanKey("continue", 3))]; !ok || fresh != 1 || len(second.set(t)) == fresh {
				t.Errorf("%d new events among %d, want the third %q alone among those read again", fresh, len(second.set(t)), "continue")
			}
		})
	}
}

// What Claude Code says itself in the place of a reply is nobody's.
func TestClaudeOwnReplies(t *testing.T) {
	for more, want := range map[string]domain.MessageKind{
		`"message":{"id":"m","model":"<synthetic>"`:                domain.MetaMessage,
		`"isApiErrorMessage":true,"message":{"id":"m","model":"m"`: domain.MetaMessage,
		`"message":{"id":"m","model":"m"`:                          domain.PlainMessage,
	} {
		row := `{"type":"assistant","uuid":"a","sessionId":"s",` + more + `,"role":"assistant","content":[{"type":"text","text":"API Error: 529"}]}}` + "\n"
		m := ofType[domain.Message](t, read(t, transcript.ClaudeCode, "s.jsonl", []byte(row), domain.IngestCursor{}))
		if len(m) != 1 || m[0].Kind != want || (m[0].Model == "m") != (want == domain.PlainMessage) {
			t.Errorf("%s: %+v, want %q", more, m, want)
		}
	}
}

// I6: lines of several megabytes.
func TestClaudeLongLine(t *testing.T) {
	long := strings.Repeat("long ", 1<<19)
	var b bytes.Buffer
	for i := range 3 {
		fmt.Fprintf(&b, `{"type":"user","uuid":"u%d","sessionId":"s","message":{"role":"user","content":%q}}`+"\n", i, long)
	}
	if got := read(t, transcript.ClaudeCode, "s", b.Bytes(), domain.IngestCursor{}).humans(t); len(got) != 3 || got[2] != long {
		t.Errorf("%d messages", len(got))
	}
}

// The oldest sub-agents' files name the agent in the file's name alone; the
// oldest summaries are known by their first words.
func TestClaudeOldShapes(t *testing.T) {
	rows := `{"type":"user","uuid":"a","isSidechain":true,"sessionId":"p","message":{"role":"user","content":"do it"}}
{"type":"assistant","uuid":"b","isSidechain":true,"parentUuid":"a","sessionId":"p","message":{"role":"assistant","content":"done"}}
`
	res := read(t, transcript.ClaudeCode, "projects/x/agent-0f3.jsonl", []byte(rows), domain.IngestCursor{})
	if len(res.sessions) != 1 || res.sessions[0].ClientSessionID != transcript.AgentSession("p", "0f3") || len(res.humans(t)) != 0 {
		t.Errorf("%+v", res.sessions)
	}
	rows = `{"type":"user","uuid":"a","sessionId":"p","message":{"role":"user","content":"This session is being continued from a previous conversation that ran out of context. Summary: x"}}`
	res = read(t, transcript.ClaudeCode, "p.jsonl", []byte(rows), domain.IngestCursor{})
	if len(res.humans(t)) != 0 || len(ofType[domain.Compaction](t, res)) != 1 {
		t.Errorf("%q", res.humans(t))
	}
}

// The first clients copied a history into the file of the session that continued it, and
// gave all but the prompts the new session's id: the copies are still the old session's.
func TestClaudeContinued(t *testing.T) {
	row := func(kind, session, uuid, parent, version, message string) string {
		return fmt.Sprintf(`{"type":%q,"sessionId":%q,"uuid":%q,"parentUuid":%q,"version":%q,"timestamp":"2025-08-01T10:00:00Z","message":%s}`+"\n",
			kind, session, uuid, parent, version, message)
	}
	call := `{"id":"m1","model":"m","content":[{"type":"tool_use","id":"t1","name":"Read","input":{}}],"usage":{"input_tokens":5,"output_tokens":1}}`
	answer := `{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"ok"}]}`
	said := `{"id":"m2","model":"m","content":[{"type":"text","text":"Read."}],"usage":{"input_tokens":9,"output_tokens":1}}`
	rows := row("user", "old", "a", "", "1.0.1", `{"role":"user","content":"read it"}`) +
		row("assistant", "new", "b", "a", "1.0.2", call) + row("user", "new", "c", "b", "1.0.2", answer) + row("assistant", "new", "d", "c", "1.0.2", said) +
		row("user", "new", "e", "d", "1.0.2", `{"role":"user","content":"and now?"}`) + row("assistant", "new", "f", "e", "1.0.2", strings.ReplaceAll(said, "m2", "m3"))
	half := strings.Index(rows, `"uuid":"c"`)
	for _, pieces := range [][]string{{rows}, {rows[:half], rows}} { // at once, and as it is written
		var got []string
		var cursor domain.IngestCursor
		for _, data := range pieces {
			res := read(t, transcript.ClaudeCode, "new.jsonl", []byte(data), cursor)
			for _, e := range res.events {
				got = append(got, e.SessionID+" "+string(e.Type)+" "+e.Source.ID)
			}
			cursor = res.cursor
		}
		want := []string{"old message a", "old about b", "old message b", "old op b", "old usage b", "old message c", "old message d", "old op d", "old usage d",
			"new message e", "new about f", "new message f", "new op f", "new usage f"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	}
}

// A prompt that waited in the queue comes once, however the client writes it.
func TestClaudeQueueAndAttachment(t *testing.T) {
	rows := `{"type":"queue-operation","operation":"enqueue","timestamp":"2026-05-01T10:00:00Z","sessionId":"s","content":"also this"}
{"type":"queue-operation","operation":"remove","timestamp":"2026-05-01T10:00:05Z","sessionId":"s"}
{"type":"attachment","uuid":"q1","timestamp":"2026-05-01T10:00:05Z","sessionId":"s","attachment":{"type":"queued_command","prompt":"also this","commandMode":"prompt"}}
{"type":"attachment","uuid":"q2","timestamp":"2026-05-01T10:00:06Z","sessionId":"s","attachment":{"type":"queued_command","prompt":[{"type":"text","text":"and that"}],"commandMode":"prompt"}}
{"type":"attachment","uuid":"q3","timestamp":"2026-05-01T10:00:07Z","sessionId":"s","attachment":{"type":"queued_command","prompt":"<task-notification>done</task-notification>","commandMode":"task-notification"}}
{"type":"queue-operation","operation":"enqueue","timestamp":"2026-05-01T10:00:08Z","sessionId":"s","content":"taken back"}
{"type":"queue-operation","operation":"popAll","timestamp":"2026-05-01T10:00:09Z","sessionId":"s"}
`
	res := read(t, transcript.ClaudeCode, "s.jsonl", []byte(rows), domain.IngestCursor{})
	humans := map[string]bool{}
	for id := range res.set(t) {
		humans[id] = strings.HasPrefix(id, "s u:")
	}
	count := 0
	for _, human := range humans {
		if human {
			count++
		}
	}
	if h := res.humans(t); count != 2 || h[0] != "also this" || h[len(h)-1] != "and that" {
		t.Errorf("%q under %d keys", res.humans(t), count)
	}
}

// A row that repeats, as when a conversation is resumed, is one event; what the
// client copied into another session's file belongs to that session.
func TestClaudeRepeatedRows(t *testing.T) {
	data := own(t, "claude-code", "session.jsonl")
	once := read(t, transcript.ClaudeCode, "s", data, domain.IngestCursor{}).set(t)
	twice := read(t, transcript.ClaudeCode, "s", append(bytes.Clone(data), data...), domain.IngestCursor{}).set(t)
	for id := range once {
		delete(twice, id)
	}
	for id := range twice {
		if !strings.Contains(id, "u:") { // prompts out of the queue have no row of their own
			t.Errorf("repeated row is a new event: %s", id)
		}
	}
}

// A web session is one document whose rows have no ids.
func TestClaudeWebSession(t *testing.T) {
	doc := `{"loglines":[{"type":"user","timestamp":"2025-12-24T10:00:00.000Z","message":{"role":"user","content":"Add two numbers"}},
		{"type":"assistant","timestamp":"2025-12-24T10:00:05.000Z","message":{"role":"assistant","content":[{"type":"text","text":"Sure."},{"type":"tool_use","id":"t1","name":"Write","input":{}}]}}]}`
	res := read(t, transcript.ClaudeCode, "web-7.json", []byte(doc), domain.IngestCursor{})
	if diff := cmp.Diff([]string{"Add two numbers"}, res.humans(t)); diff != "" || res.sessions[0].ClientSessionID != "web-7" {
		t.Errorf("%s%+v", diff, res.sessions)
	}
	if again := read(t, transcript.ClaudeCode, "web-7.json", []byte(doc), res.cursor); len(again.events) != 0 {
		t.Errorf("unchanged, but %d events came", len(again.events))
	}
}

// The first clients wrote what a message cost.
func TestClaudeCost(t *testing.T) {
	row := func(uuid, cost string) string {
		return `{"type":"assistant","uuid":"` + uuid + `","sessionId":"s",` + cost + `"message":{"id":"m1","role":"assistant","model":"claude","content":[{"type":"text","text":"` + uuid + `"}],"usage":{"input_tokens":10,"output_tokens":5}}}` + "\n"
	}
	ops := ofType[domain.OpReport](t, read(t, transcript.ClaudeCode, "s.jsonl", []byte(row("a", `"costUSD":0.0125,"durationMs":9,`)+row("b", `"costUSD":0.0125,`)), domain.IngestCursor{}))
	if len(ops) != 1 || ops[0].Usage.Cost != domain.Dollars(0.0125) {
		t.Errorf("%+v", ops)
	}
}

// Models of other makers number their calls, and begin anew after a compaction: a
// later call with an id that was there before is another one. A row that is written
// again is the same call.
func TestClaudeNumberedCalls(t *testing.T) {
	call := func(msg, id, arg string) string {
		return fmt.Sprintf(`{"type":"assistant","uuid":"u-%s","sessionId":"s","timestamp":"2026-05-01T10:00:00Z","message":{"id":%q,"role":"assistant","model":"kimi-k2","content":[{"type":"tool_use","id":%q,"name":"Bash","input":{"command":%q}}]}}`+"\n", msg, msg, id, arg)
	}
	answer := func(uuid, id, text string) string {
		return userRow(t, uuid, []block{{"type": "tool_result", "tool_use_id": id, "content": text}})
	}
	for id, want := range map[string]int{"functions.Bash:0": 2, "call_0": 2, "toolu_01AbCdEfGhIjKlMnOpQrStUv": 1} {
		first, second := call("m1", id, "ls")+answer("u1", id, "a.go"), call("m2", id, "pwd")+answer("u2", id, "/w")
		for name, rows := range map[string]string{"once": first + second, "the first again": first + first + second, "both again": first + second + first + second} {
			whole := read(t, transcript.ClaudeCode, "s.jsonl", []byte(rows), domain.IngestCursor{})
			pieces := read(t, transcript.ClaudeCode, "s.jsonl", []byte(first), domain.IngestCursor{})
			rest := read(t, transcript.ClaudeCode, "s.jsonl", []byte(rows), pieces.cursor)
			for way, events := range map[string][]domain.Event{"whole": whole.events, "in pieces": slices.Concat(pieces.events, rest.events)} {
				seen, calls, answers := map[domain.Key]bool{}, 0, 0
				for _, e := range events {
					if e.Type != domain.EventMessage || seen[e.Key] {
						continue
					}
					seen[e.Key] = true
					switch m, _ := e.Message(); {
					case len(m.ToolCalls) > 0:
						calls++
					case m.Role == domain.RoleTool:
						answers++
					}
				}
				if calls != want || answers != want {
					t.Errorf("%s, %s, %s: %d calls and %d answers, want %d", id, name, way, calls, answers, want)
				}
			}
		}
	}
}

// A row that says that it is in no side chain is in the main conversation, whichever
// agent it names, unless the file is that agent's.
func TestClaudeAgentOfAnswer(t *testing.T) {
	rows := `{"type":"assistant","uuid":"a","sessionId":"s","isSidechain":false,"message":{"id":"m1","content":[{"type":"tool_use","id":"t1","name":"Task","input":{}}]}}
{"type":"user","uuid":"b","sessionId":"s","isSidechain":false,"agentId":"x1","message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":"found it"}]}}
{"type":"user","uuid":"c","sessionId":"s","isSidechain":false,"agentId":"x1","message":{"content":"thanks"}}
`
	for file, c := range map[string]struct {
		session string
		said    []string
	}{
		"s.jsonl":        {"s", []string{"thanks"}},
		"agent-x1.jsonl": {"s/agent-x1", nil},
	} {
		res := read(t, transcript.ClaudeCode, file, []byte(rows), domain.IngestCursor{})
		if diff := cmp.Diff(c.said, res.said(t)); diff != "" {
			t.Errorf("%s: said (-want +got):\n%s", file, diff)
		}
		for _, e := range res.events[1:] {
			if e.SessionID != c.session {
				t.Errorf("%s: %s is in session %s, want %s", file, e.Payload, e.SessionID, c.session)
			}
		}
	}
}

// What a fork copied is told as copied, and what it cost was spent where it came from
// (I15); so is the message of its parent with which a forked sub-agent begins.
func TestClaudeForks(t *testing.T) {
	answer := func(uuid, msg, more string) string {
		return fmt.Sprintf(`{"type":"assistant","uuid":%q,"sessionId":"s","timestamp":"2026-08-04T08:00:01Z","message":{"id":%q,"model":"m",`+
			`"content":[{"type":"text","text":"done %s"}],"usage":{"input_tokens":7,"output_tokens":1}}%s}`+"\n", uuid, msg, msg, more)
	}
	from := `,"forkedFrom":{"sessionId":"p","messageUuid":"u"}`
	told := func(agent, text string) string {
		is := `,"agentId":"` + agent + `","isSidechain":true`
		return fmt.Sprintf(`{"type":"user","uuid":"t","sessionId":"s","message":{"content":%q}%s}`+"\n", text, is) + answer("y", "msg_new", is)
	}
	copied := func(agent, text string) string { // some versions copy the conversation before what such an agent is told
		is := `,"agentId":"` + agent + `","isSidechain":true`
		return `{"type":"user","uuid":"u","sessionId":"s","message":{"content":"begin"}` + is + "}\n" + answer("v", "msg_old", is) + told(agent, text)
	}
	talk := []string{"begin", "done msg_old"}
	for name, c := range map[string]struct {
		file, data     string
		copied, billed []string
	}{
		"fork": {"s.jsonl", `{"type":"user","uuid":"u","sessionId":"s","message":{"content":"begin"},"forkedFrom":{"sessionId":"p","messageUuid":"u"}}` + "\n" +
			answer("v", "msg_old", from) + answer("w", "msg_new", ""), []string{"begin", "done msg_old"}, []string{"msg_new"}},
		"fork behind a sub-agent": {"s.jsonl", answer("v", "msg_old", from) +
			`{"type":"user","uuid":"r","sessionId":"s","message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":"it"}]},"toolUseResult":{"agentId":"a1"}` + from + "}\n" +
			answer("w", "msg_new", ""), []string{"done msg_old", "it"}, []string{"msg_new"}},
		"sub-agent": {"agent-a.jsonl", `{"type":"fork-context-ref","agentId":"a","parentSessionId":"s","parentLastUuid":"u","contextLength":9}` + "\n" +
			answer("v", "msg_old", `,"agentId":"a","isSidechain":true`) + answer("w", "msg_old", `,"agentId":"a","isSidechain":true`) +
			`{"type":"user","uuid":"x","sessionId":"s","agentId":"a","isSidechain":true,"message":{"content":"look"}}` + "\n" +
			answer("y", "msg_new", `,"agentId":"a","isSidechain":true`), []string{"done msg_old", "done msg_old"}, []string{"msg_new"}},
		"sub-agent of a person": {"agent-a.jsonl", `{"type":"fork-context-ref","agentId":"a","parentSessionId":"s","parentLastUuid":"u","contextLength":9}` + "\n" +
			`{"type":"user","uuid":"x","sessionId":"s","agentId":"a","isSidechain":true,"message":{"content":[{"type":"text","text":"<fork-boilerplate>\nYou are a worker fork.\n</fork-boilerplate>\nlook"}]}}` + "\n" +
			answer("y", "msg_new", `,"agentId":"a","isSidechain":true`), nil, []string{"msg_new"}},
		"compaction":    {"agent-acompact-7aad72.jsonl", copied("acompact-7aad72", "CRITICAL: Respond with TEXT ONLY. Do NOT call any tools."), talk, []string{"msg_new"}},
		"side question": {"agent-aside_question-94d2.jsonl", copied("aside_question-94d2", `<system-reminder>This is a side question from the user. You must answer.`), talk, []string{"msg_new"}},
		"suggestion":    {"agent-aprompt_suggestion-94d2.jsonl", copied("aprompt_suggestion-94d2", "You are now a prompt suggestion generator. Suggest what the user types next."), talk, []string{"msg_new"}},
		"no copies":     {"agent-acompact-7aad72.jsonl", told("acompact-7aad72", "Your task is to create a detailed summary of the conversation so far"), nil, []string{"msg_new"}},
		"named agent":   {"agent-areview-7aad72.jsonl", copied("areview-7aad72", "look"), nil, []string{"msg_old", "msg_new"}},
	} {
		lines := strings.SplitAfter(c.data, "\n")
		first := read(t, transcript.ClaudeCode, c.file, []byte(strings.Join(lines[:2], "")), domain.IngestCursor{})
		rest := read(t, transcript.ClaudeCode, c.file, []byte(c.data), first.cursor) // in two reads, as hooks do
		var copied, billed []string
		for _, e := range append(first.events, rest.events...) {
			switch e.Type {
			case domain.EventMessage:
				if m, _ := e.Message(); e.Source.Copied() {
					copied = append(copied, m.Content)
				}
			case domain.EventOp:
				op, _ := e.Op()
				billed = append(billed, op.OpID)
			}
		}
		if diff := cmp.Diff([][]string{c.copied, c.billed}, [][]string{copied, billed}); diff != "" {
			t.Errorf("%s: copied and billed (-want +got):\n%s", name, diff)
		}
	}
}

// Without a terminal, a fork begins with its own first prompt in the queue, followed by a
// copy of everything that was said before that, as the new session's and with no origin.
func TestClaudeForksWithoutTerminal(t *testing.T) {
	row := func(at, kind, uuid, message string) string {
		return fmt.Sprintf(`{"type":%q,"sessionId":"fork","uuid":%q,"timestamp":"2026-09-12T10:%sZ","version":"2.1.269","message":%s}`+"\n", kind, uuid, at, message)
	}
	replied := func(at, uuid, msg string) string {
		return row(at, "assistant", uuid, `{"id":"`+msg+`","model":"m","content":[{"type":"text","text":"ok"}],"usage":{"input_tokens":7,"output_tokens":1}}`)
	}
	queued := func(at string) string {
		return `{"type":"mode","mode":"normal","sessionId":"fork"}` + "\n" +
			`{"type":"queue-operation","operation":"enqueue","timestamp":"2026-09-12T10:` + at + `Z","sessionId":"fork","content":"go on"}` + "\n" +
			`{"type":"queue-operation","operation":"dequeue","timestamp":"2026-09-12T10:` + at + `Z","sessionId":"fork"}` + "\n"
	}
	said := row("30:22.748", "user", "a", `{"role":"user","content":"begin"}`) + replied("30:28.204", "b", "old")
	asked := row("32:30.746", "user", "c", `{"role":"user","content":"go on"}`)
	for name, c := range map[string]struct {
		data           string
		copied, billed []string
	}{
		"fork":                        {queued("32:30.432") + said + asked + replied("32:31.761", "d", "new"), []string{"b"}, []string{"new"}},
		"resumed":                     {queued("30:22.432") + said + queued("32:30.432") + asked + replied("32:31.761", "d", "new"), nil, []string{"old", "new"}},
		"queued while it was working": {said + queued("32:30.432") + replied("32:30.400", "d", "new") + asked, nil, []string{"old", "new"}},
		"queued in its first reply":   {row("30:22.748", "user", "a", `{"role":"user","content":"begin"}`) + queued("30:28.432") + replied("30:28.204", "b", "new"), nil, []string{"new"}},
		"asked before it was queued":  {queued("32:30.800") + asked + replied("32:31.761", "d", "new"), nil, []string{"new"}},
		"the clock was put back":      {queued("32:30.432") + asked + replied("30:28.204", "b", "new"), nil, []string{"new"}},
	} {
		checkCopies(t, name, "fork.jsonl", c.data, c.copied, c.billed)
	}
}

// A fork that goes on in the background, or in a terminal, has no queue at its beginning, but
// its replies name the session that asked for them.
func TestClaudeForksNameRequests(t *testing.T) {
	row := func(kind, uuid, message, more string) string {
		return fmt.Sprintf(`{"type":%q,"sessionId":"fork","uuid":%q,"timestamp":"2026-09-12T10:30:%d.748Z","version":"2.1.332","sessionKind":"bg","message":%s%s}`+"\n", kind, uuid, 10+uuid[0]-'a', message, more)
	}
	called := func(uuid, msg, more string) string {
		return row("assistant", uuid, `{"id":"`+msg+`","model":"m","content":[{"type":"tool_use","id":"t-`+msg+`","name":"Read","input":{}}],"usage":{"input_tokens":7,"output_tokens":1}}`, more)
	}
	answered := func(uuid, msg string) string {
		return row("user", uuid, `{"role":"user","content":[{"type":"tool_result","tool_use_id":"t-`+msg+`","content":"ok"}]}`, "")
	}
	old := `,"requestSessionId":"parent"`
	checkCopies(t, "fork", "fork.jsonl", row("user", "a", `{"role":"user","content":"begin"}`, "")+called("b", "old", old)+answered("c", "old")+called("d", "older", old)+answered("e", "older")+
		row("user", "f", `{"role":"user","content":"go on"}`, "")+called("g", "new", "")+answered("h", "new")+called("i", "newer", `,"requestSessionId":"fork"`),
		[]string{"b", "c", "d", "e"}, []string{"new", "newer"})
}

// checkCopies reads a file in two parts, as hooks do, wherever it is divided, and compares
// which rows are copies and which calls of models count.
func checkCopies(t *testing.T, name, file, data string, copied, billed []string) {
	t.Helper()
	for cut := range strings.Count(data, "\n") {
		first := read(t, transcript.ClaudeCode, file, []byte(strings.Join(strings.SplitAfter(data, "\n")[:cut], "")), domain.IngestCursor{})
		rest := read(t, transcript.ClaudeCode, file, []byte(data), first.cursor)
		var gotCopied, gotBilled []string
		for _, e := range append(first.events, rest.events...) {
			switch {
			case e.Type == domain.EventMessage && e.Source.Copied():
				gotCopied = append(gotCopied, e.Source.ID)
			case e.Type == domain.EventOp:
				op, _ := e.Op()
				gotBilled = append(gotBilled, op.OpID)
			}
		}
		if diff := cmp.Diff([][]string{copied, billed}, [][]string{gotCopied, gotBilled}); diff != "" {
			t.Errorf("%s, cut behind line %d: copied and billed (-want +got):\n%s", name, cut, diff)
		}
	}
}

// Early versions wrote a continued session's history into another file as the new
// session's, within a few milliseconds, and named no origin.
func TestClaudeCopiedHistory(t *testing.T) {
	row := func(at, kind, uuid, message string) string {
		return fmt.Sprintf(`{"type":%q,"sessionId":"s","uuid":%q,"timestamp":"2025-06-26T15:29:%sZ","version":"1.0.35","message":%s}`+"\n", kind, uuid, at, message)
	}
	asked := func(at, uuid, text string) string {
		return row(at, "user", uuid, `{"role":"user","content":[{"type":"text","text":"`+text+`"}]}`)
	}
	called := func(at, uuid, msg string) string {
		return row(at, "assistant", uuid, `{"id":"`+msg+`","model":"m","content":[{"type":"tool_use","id":"t-`+msg+`","name":"Read","input":{}}],"usage":{"input_tokens":7,"output_tokens":1}}`)
	}
	answered := func(at, uuid, msg string) string {
		return row(at, "user", uuid, `{"role":"user","content":[{"type":"tool_result","tool_use_id":"t-`+msg+`","content":"ok"}]}`)
	}
	for name, c := range map[string]struct {
		data           string
		copied, billed []string
	}{
		"at once": {asked("33.124", "a", "begin") + called("33.124", "b", "old") + answered("33.125", "c", "old") + called("33.126", "d", "older") +
			asked("33.127", "e", "go on") + called("33.904", "f", "new") + answered("33.905", "g", "new") + called("33.906", "h", "newer"),
			[]string{"b", "c", "d"}, []string{"new", "newer"}},
		"with halts": {asked("33.124", "a", "begin") + called("33.124", "b", "old") + called("33.174", "i", "old") + answered("33.174", "c", "old") +
			called("33.179", "d", "older") + asked("33.180", "e", "go on") + called("33.904", "f", "new") + answered("33.905", "g", "new") + called("33.906", "h", "newer"),
			[]string{"b", "i", "c", "d"}, []string{"new", "newer"}},
		"begun with a reply": {called("33.124", "b", "old") + answered("33.124", "c", "old") + asked("33.125", "e", "go on") + called("33.904", "f", "new"),
			[]string{"b", "c"}, []string{"new"}},
		"an agent without its prompt": {strings.ReplaceAll(called("33.124", "b", "new")+answered("33.904", "c", "new"), `"sessionId":"s"`, `"sessionId":"s","isSidechain":true`),
			nil, []string{"new"}},
		"its own": {asked("42.993", "a", "begin") + called("44.761", "b", "new") + answered("44.762", "c", "new") + called("44.763", "d", "newer"),
			nil, []string{"new", "newer"}},
		"begun amid an answer": {strings.Replace(called("33.124", "b", "new"), `"uuid"`, `"parentUuid":"a","uuid"`, 1) + answered("33.125", "c", "new"), nil, []string{"new"}},
		"answered by the client": {asked("33.124", "a", "begin") + strings.Replace(called("33.125", "b", "own"), `"model":"m"`, `"model":"<synthetic>"`, 1) + called("33.904", "c", "new"),
			nil, []string{"new"}},
		"times of other tools": {asked("33", "a", "begin") + called("33", "b", "new") + answered("33", "c", "new"), nil, []string{"new"}},
		"written at once by other tools": {strings.ReplaceAll(asked("33.124", "a", "begin")+called("33.124", "b", "new")+answered("33.125", "c", "new"), `"version":"1.0.35",`, ""),
			nil, []string{"new"}},
	} {
		checkCopies(t, name, "s.jsonl", c.data, c.copied, c.billed)
	}
}

// Where an older wake has read the beginning of a file, nothing after it is a copied
// history. Calls of one message may be answered while it is still written.
func TestClaudeHistoryOfOlderWake(t *testing.T) {
	const row = `{"type":%q,"sessionId":"s","uuid":%q,"timestamp":"2026-06-26T15:29:%sZ","version":"2.1.0","message":%s}` + "\n"
	call := func(at, uuid, id string) string {
		return fmt.Sprintf(row, "assistant", uuid, at, `{"id":"m","model":"m","content":[{"type":"tool_use","id":"`+id+`","name":"Read","input":{}}],"usage":{"input_tokens":7,"output_tokens":1}}`)
	}
	begun := fmt.Sprintf(row, "user", "a", "01.100", `{"role":"user","content":"begin"}`) + call("03.100", "b", "t1")
	first := read(t, transcript.ClaudeCode, "s.jsonl", []byte(begun), domain.IngestCursor{})
	var state map[string]any
	if err := json.Unmarshal(first.cursor.State, &state); err != nil {
		t.Fatal(err)
	}
	delete(state, "history")
	first.cursor.State, _ = json.Marshal(state)
	rest := read(t, transcript.ClaudeCode, "s.jsonl", []byte(begun+
		fmt.Sprintf(row, "user", "c", "03.900", `{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"ok"}]}`)+call("03.902", "d", "t2")), first.cursor)
	for _, e := range rest.events {
		if e.Source.Copied() {
			t.Errorf("%s of row %s counts as copied", e.Type, e.Source.ID)
		}
	}
}
