package transcript_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"wake/domain"
	"wake/transcript"
)

// Version 3 has a file of rows for each session: what its turns did and took, where what
// was said is kept, who started it, and how it ended.
func TestAIAgentRecords(t *testing.T) {
	lead := read(t, transcript.AIAgent, "session/txn-lead.jsonl", own(t, "ai-agent", "session", "txn-lead.jsonl"), domain.IngestCursor{})
	if len(lead.skipped) != 0 || len(lead.sessions) != 1 {
		t.Fatalf("sessions %+v, skipped %v", lead.sessions, lead.skipped)
	}
	if s := lead.sessions[0]; s.ClientSessionID != "txn-lead" || s.AgentID != "lead" || s.Attributes["call_path"] != "cli:lead" || !s.StartedAt.Equal(time.Date(2026, 5, 26, 9, 0, 0, 0, time.UTC)) {
		t.Errorf("session %+v", s)
	}
	ops := ofType[domain.OpReport](t, lead)
	if len(ops) != 3 {
		t.Fatalf("operations %+v", ops)
	}
	want := domain.TokenUsage{Input: 120, Output: 30, CacheRead: 40, CacheWrite: 5, Cost: domain.Dollars(0.0025)}
	if op := ops[0]; op.OpID != "ask-1" || op.Kind != domain.OpLLM || op.Status != domain.OpOK || *op.Turn != 1 || op.Model != "small-1" || *op.Usage != want ||
		!strings.Contains(string(op.Request), "llm-0001-request.http.gz") || !strings.Contains(string(op.Response), `"captured":false`) {
		t.Errorf("model call %+v", op)
	}
	if op := ops[1]; op.Name != "fs__Read" || op.Status != domain.OpFailed || op.Error != "no such file" || op.ToolKind != "mcp" || op.Usage != nil || op.LatencyMS != 200 {
		t.Errorf("tool %+v", op)
	}
	if op := ops[2]; op.Kind != domain.OpSession || op.ChildSessionID != "txn-help" {
		t.Errorf("child %+v", op)
	}
	notes := ofType[domain.Note](t, lead)
	if len(notes) != 2 || !strings.Contains(string(notes[1].Data), `"warnings":["the file was asked for twice"]`) {
		t.Errorf("turns %+v", notes)
	}
	if ends := ofType[domain.End](t, lead); len(ends) != 1 || *ends[0].Success || ends[0].Error != "turn 1 failed after 2 attempts" {
		t.Errorf("ends %+v", ends)
	}
	help := read(t, transcript.AIAgent, "session/txn-help.jsonl", own(t, "ai-agent", "session", "txn-help.jsonl"), domain.IngestCursor{})
	if s := help.sessions; len(s) != 1 || s[0].ParentID != "txn-lead" || s[0].OriginID != "txn-lead" {
		t.Errorf("child's session %+v", s)
	}
}

// ai-agent writes the tree beside the rows: what both tell of is one event.
func TestAIAgentRecordsBesideTree(t *testing.T) {
	tree := read(t, transcript.AIAgent, "txn-help.json", []byte(`{"version":2,"reason":"final","opTree":{"traceId":"txn-help","startedAt":1779786003600,"endedAt":1779786008400,"success":true,
		"turns":[{"index":1,"startedAt":1779786003700,"endedAt":1779786008000,"ops":[{"opId":"answer-1","kind":"llm","startedAt":1779786003800,"endedAt":1779786007800,"status":"ok",
			"accounting":[{"type":"llm","timestamp":1779786007700,"status":"ok","tokens":{"inputTokens":70,"outputTokens":8}}]}]}]}}`), domain.IngestCursor{}).set(t)
	rows := read(t, transcript.AIAgent, "session/txn-help.jsonl", own(t, "ai-agent", "session", "txn-help.jsonl"), domain.IngestCursor{})
	if len(rows.events) == 0 {
		t.Error("the rows hold no event")
	}
	for _, e := range rows.events {
		if _, ok := tree[e.SessionID+" "+string(e.Key)]; !ok && !strings.HasSuffix(string(e.Key), ":open") {
			t.Errorf("%s is not in the tree", e.Key)
		}
	}
}

// A turn that goes on has no operations yet. What is no record is reported.
func TestAIAgentRecordsUnfinished(t *testing.T) {
	rows := `{"version":3,"recordType":"session_start","seq":1,"ts":"2026-05-26T09:00:00.000Z","originId":"x","sessionId":"x"}
{"version":3,"recordType":"turn_start","seq":2,"ts":"2026-05-26T09:00:01.000Z","originId":"x","sessionId":"x","turn":1}
{"version":3,"recordType":"turn_turned","seq":3,"ts":"2026-05-26T09:00:02.000Z","originId":"x","sessionId":"x"}
{"version":3,"recordType":"session_error","seq":4,"ts":"2026-05-26T09:00:03.000Z","originId":"x","sessionId":"x","error":"it broke"}
{"version":3,"recordType":"turn_end","seq":5,`
	res := read(t, transcript.AIAgent, "session/x.jsonl", []byte(rows), domain.IngestCursor{})
	var keys []string
	for _, e := range res.events {
		keys = append(keys, domain.FormatTime(e.At)+" "+string(e.Key))
	}
	if diff := cmp.Diff([]string{"2026-05-26T09:00:01.000000Z r:turn:1:open", "2026-05-26T09:00:03.000000Z r:end:x"}, keys); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	if s := res.skipped; len(s) != 2 || s[0].Line != 3 || s[0].Unfinished || !s[1].Unfinished {
		t.Errorf("skipped %v", s)
	}
}
