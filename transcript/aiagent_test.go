package transcript_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"wake/domain"
	"wake/transcript"
)

// 001-14, 001-22: the file's shape and the payload's hold the same tree.
func TestAIAgentShapes(t *testing.T) {
	file := read(t, transcript.AIAgent, "sessions/txn-root.json.gz", own(t, "ai-agent", "txn-root.json.gz"), domain.IngestCursor{})
	payload := read(t, transcript.AIAgent, "session-txn-root.json", own(t, "ai-agent", "payload.json"), domain.IngestCursor{})
	if diff := cmp.Diff(file.set(t), payload.set(t)); diff != "" {
		t.Errorf("file and payload differ:\n%s", diff)
	}
	if len(file.skipped) != 0 {
		t.Errorf("skipped %v", file.skipped)
	}
}

// 001-05 … 001-09: sessions with their parents, turns, operations with logs,
// reasoning, and whole requests.
func TestAIAgentTree(t *testing.T) {
	res := read(t, transcript.AIAgent, "txn-root.json.gz", own(t, "ai-agent", "txn-root.json.gz"), domain.IngestCursor{})
	if len(res.sessions) != 2 {
		t.Fatalf("sessions %+v", res.sessions)
	}
	child := res.sessions[1]
	if child.ClientSessionID != "txn-child" || child.ParentID != "txn-root" || child.ParentOpID != "op2" || child.OriginID != "txn-root" || child.AgentID != "helper" {
		t.Errorf("child: %+v", child)
	}
	ops := map[string]domain.OpReport{}
	for _, op := range ofType[domain.OpReport](t, res) {
		if op.Request != nil || op.Logs != nil || ops[op.OpID].OpID == "" {
			ops[op.OpID] = op
		}
	}
	if op := ops["op1"]; !strings.Contains(string(op.Request), "eyJhIjoxfQ==") || !strings.Contains(string(op.Response), "[unavailable]") || op.Reasoning != "think hard" || op.Model != "gpt-x" || *op.Turn != 1 {
		t.Errorf("op1: %+v", op)
	}
	if op := ops["op0"]; len(op.Logs) != 1 || op.Logs[0].Severity != "VRB" || op.Kind != domain.OpSystem {
		t.Errorf("op0: %+v", op)
	}
	if ops["op2"].ChildSessionID != "txn-child" || ops["op4"].Status != domain.OpStarted || ops["op3"].ToolKind != "mcp" {
		t.Errorf("ops: %+v", ops)
	}
	for _, e := range ofType[domain.End](t, res) {
		if e.Error == "gave up" && *e.Success {
			t.Error("the child failed")
		}
	}
}

// Version 2 of the file has steps beside the turns, such as one in which another agent
// advises: their operations come in where they happened, in the turn that went before.
// A child session may be told by its id alone.
func TestAIAgentSteps(t *testing.T) {
	doc := `{"version":2,"reason":"final","opTree":{"id":"x","traceId":"txn","startedAt":1700000000000,"endedAt":1700000009000,"success":true,
		"finalReport":{"format":"text","content":"done"},
		"turns":[
			{"index":0,"startedAt":1700000000000,"ops":[{"opId":"init","kind":"system","startedAt":1700000000100,"status":"ok","logs":[],"accounting":[]}]},
			{"index":1,"startedAt":1700000005000,"ops":[{"opId":"answer","kind":"llm","startedAt":1700000005100,"endedAt":1700000006000,"status":"ok",
				"accounting":[{"type":"llm","timestamp":1700000006000,"status":"ok","tokens":{"inputTokens":10,"outputTokens":2}}]}]}],
		"steps":[
			{"id":"s0","index":0,"kind":"advisors","startedAt":1700000001000,"endedAt":1700000003000,"ops":[
				{"opId":"advice","kind":"session","startedAt":1700000001000,"endedAt":1700000003000,"status":"ok","childSession":{"traceId":"txn-advisor","startedAt":1700000001000,"turns":[
					{"index":1,"ops":[{"opId":"advise","kind":"llm","endedAt":1700000002000,"status":"ok","accounting":[{"type":"llm","timestamp":1700000002000,"status":"ok","tokens":{"inputTokens":30,"outputTokens":4}}]}]}]}}]},
			{"id":"s1","index":1,"kind":"internal","startedAt":1700000007000,"ops":[
				{"opId":"shorten","kind":"session","startedAt":1700000007000,"status":"ok","childSessionRef":{"sessionId":"txn-summary","originId":"txn"}}]}]}}`
	res := read(t, transcript.AIAgent, "txn.json", []byte(doc), domain.IngestCursor{})
	var ops []string
	for _, op := range ofType[domain.OpReport](t, res) {
		if op.Usage == nil {
			ops = append(ops, fmt.Sprint(*op.Turn, " ", op.OpID, " ", op.ChildSessionID))
		}
	}
	if diff := cmp.Diff([]string{"0 init ", "0 advice txn-advisor", "1 advise ", "1 answer ", "1 shorten txn-summary"}, ops); diff != "" || len(res.skipped) > 0 {
		t.Errorf("operations (-want +got):\n%s%v", diff, res.skipped)
	}
	notes := map[string]string{}
	for _, n := range ofType[domain.Note](t, res) {
		notes[n.Kind+" "+n.Text] = string(n.Data)
	}
	if !strings.Contains(notes["step advisors"], `"index":0`) || !strings.Contains(notes["final_report "], "done") {
		t.Errorf("notes: %v", notes)
	}
}

// I15: what the operations of the tree took is the sum of the accounting; the
// ledger file tells the same entries under the same keys.
func TestAIAgentAccounting(t *testing.T) {
	tree := read(t, transcript.AIAgent, "txn-root.json.gz", own(t, "ai-agent", "txn-root.json.gz"), domain.IngestCursor{})
	ledger := read(t, transcript.AIAgent, "accounting.jsonl", own(t, "ai-agent", "accounting.jsonl"), domain.IngestCursor{})
	if len(ledger.skipped) != 0 || len(ledger.events) != 4 {
		t.Fatalf("%d events, skipped %v", len(ledger.events), ledger.skipped)
	}
	known := tree.set(t)
	for _, e := range ledger.events {
		if _, ok := known[e.SessionID+" "+string(e.Key)]; !ok {
			t.Errorf("entry %s of %s is not in the tree", e.Key, e.SessionID)
		}
	}
	var in int64
	var cost domain.USD
	for _, op := range ofType[domain.OpReport](t, tree) {
		if op.Usage != nil {
			in, cost = in+op.Usage.Input, cost+op.Usage.Cost
		}
	}
	if in != 108 || cost != domain.Dollars(0.0133) {
		t.Errorf("the tree took %d tokens and %s, want 108 and 0.0133", in, cost)
	}
}

// ai-agent names a tool's kind and what went wrong in the attributes of an operation. A
// call that never reached its tool has no accounting that would tell.
func TestAIAgentFailedTool(t *testing.T) {
	doc := `{"version":2,"reason":"final","opTree":{"traceId":"x","turns":[{"index":1,"ops":[
		{"opId":"a","kind":"tool","startedAt":1770000000000,"endedAt":1770000000100,"status":"failed","logs":[],"accounting":[],
			"attributes":{"name":"read","provider":"fs","kind":"mcp","latency":100,"error":"token_budget_exceeded"}}]}]}}`
	res := read(t, transcript.AIAgent, "x.json", []byte(doc), domain.IngestCursor{})
	if ops := ofType[domain.OpReport](t, res); len(ops) != 1 || ops[0].ToolKind != "mcp" || ops[0].Error != "token_budget_exceeded" {
		t.Errorf("%+v", ops)
	}
}

// Until its parent's next snapshot, the file holds the tree of the child that ended last,
// and names the parent beside it (001-22).
func TestAIAgentChildsOwnFile(t *testing.T) {
	doc := `{"version":2,"reason":"final","sessionId":"child","originId":"root","originTxnId":"root","parentId":"lead","parentTxnId":"lead",
		"timestamp":1770000000200,"opTree":{"id":"n2","traceId":"child","agentId":"helper","startedAt":1770000000000,"turns":[]}}`
	res := read(t, transcript.AIAgent, "root.json", []byte(doc), domain.IngestCursor{})
	if s := res.sessions; len(s) != 1 || s[0].ClientSessionID != "child" || s[0].ParentID != "lead" || s[0].OriginID != "root" {
		t.Errorf("%+v", s)
	}
}

// An operation without an id is known by its place, which what else is told of the session
// does not move.
func TestAIAgentNamelessOp(t *testing.T) {
	for _, status := range []string{"", "thinking"} {
		doc := `{"opTree":{"traceId":"x","latestStatus":"` + status + `","turns":[{"index":1,"ops":[{"kind":"system","status":"ok"}]}]}}`
		res := read(t, transcript.AIAgent, "x.json", []byte(doc), domain.IngestCursor{})
		if ops := ofType[domain.OpReport](t, res); len(ops) != 1 || ops[0].OpID != "turn-1-op-1" {
			t.Errorf("with the status %q: %+v", status, ops)
		}
	}
}

// I11: of a gzip that is cut off anywhere, what unpacks is used, and it is said.
// Bits that flipped never make a panic.
func TestAIAgentDamagedGzip(t *testing.T) {
	whole := own(t, "ai-agent", "txn-root.json.gz")
	all := read(t, transcript.AIAgent, "a.json.gz", whole, domain.IngestCursor{}).set(t)
	most := 0
	for cut := range whole {
		res := read(t, transcript.AIAgent, "a.json.gz", whole[:cut], domain.IngestCursor{})
		if len(res.skipped) == 0 {
			t.Fatalf("cut at %d without a word", cut)
		}
		most = max(most, len(res.events))
		flipped := bytes.Clone(whole)
		flipped[cut] ^= 0x10
		read(t, transcript.AIAgent, "a.json.gz", flipped, domain.IngestCursor{})
	}
	if most < len(all)-2 {
		t.Errorf("at best %d of %d events were saved", most, len(all))
	}
}

// A tree that ends in the middle, packed well.
func TestAIAgentCutJSON(t *testing.T) {
	var z bytes.Buffer
	w := gzip.NewWriter(&z)
	_, _ = w.Write([]byte(`{"version":1,"opTree":{"traceId":"x","turns":[{"index":1,"ops":[{"opId":"a","kind":"tool","endedAt":1770000000000,"status":"ok"},{"opId":"b","kind":"to`))
	_ = w.Close()
	res := read(t, transcript.AIAgent, "x.json.gz", z.Bytes(), domain.IngestCursor{})
	if ops := ofType[domain.OpReport](t, res); len(ops) != 2 || ops[0].OpID != "a" || len(res.skipped) != 1 {
		t.Errorf("%+v %v", ops, res.skipped)
	}
}

// A cost or a time of an unexpected kind costs itself alone.
func TestAIAgentOddValues(t *testing.T) {
	const entry = `"type":"llm","timestamp":1771000002000,"status":"ok","tokens":{"inputTokens":7,"outputTokens":1}`
	for odd, want := range map[string]domain.USD{`"0.25"`: domain.Dollars(0.25), `{}`: 0, `1e300`: 0, `"NaN"`: 0, `null`: 0} {
		tree := read(t, transcript.AIAgent, "odd.json", []byte(`{"version":1,"reason":"final","opTree":{"traceId":"odd","turns":[{"index":1,"ops":[{"accounting":[{"costUsd":`+odd+`,`+entry+
			`}],"opId":"o1","kind":"llm","status":"ok"}]}],"endedAt":"1771000003000"}}`), domain.IngestCursor{})
		ops := ofType[domain.OpReport](t, tree)
		if len(tree.skipped) > 0 || len(ops) != 2 || ops[1].OpID != "o1" || *ops[1].Usage != (domain.TokenUsage{Input: 7, Output: 1, Cost: want}) {
			t.Errorf("a tree with %s: %+v, skipped %v", odd, ops, tree.skipped)
		}
		if ends := ofType[domain.End](t, tree); len(ends) != 1 {
			t.Errorf("a tree with %s: it has not ended", odd)
		}
		ledger := read(t, transcript.AIAgent, "accounting.jsonl", []byte(`{"costUsd":`+odd+`,`+entry+`,"txnId":"odd"}`+"\n"), domain.IngestCursor{})
		if ops := ofType[domain.OpReport](t, ledger); len(ops) != 1 || len(ledger.skipped) > 0 || *ops[0].Usage != (domain.TokenUsage{Input: 7, Output: 1, Cost: want}) {
			t.Errorf("a ledger with %s: %+v, skipped %v", odd, ops, ledger.skipped)
		}
		row := read(t, transcript.AIAgent, "session/odd.jsonl", []byte(`{"version":3,"ops":[{"opId":"o1","kind":"llm","accounting":{"costUsd":`+odd+`,"tokensIn":7}}],"recordType":"turn_end","ts":"2026-05-26T09:00:01Z","sessionId":"odd","turn":1}`+"\n"), domain.IngestCursor{})
		if ops := ofType[domain.OpReport](t, row); len(ops) != 1 || len(row.skipped) > 0 || *ops[0].Usage != (domain.TokenUsage{Input: 7, Cost: want}) {
			t.Errorf("a row with %s: %+v, skipped %v", odd, ops, row.skipped)
		}
	}
}
