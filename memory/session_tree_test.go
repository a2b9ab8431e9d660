package memory_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"wake/domain"
	"wake/memory"
	"wake/memory/memorytest"
)

// 001-01, 001-02, 001-03, 001-04, 001-05, 001-06, 001-08, 001-11, 001-15, 001-16, 001-19, I15: a child's tree hangs on the parent's
// operation and its totals count once; sinks get subagent_finish after the child
// and final once at the end, with the ledger; a sink that fails harms nothing.
func TestChildSessionsAndSinks(t *testing.T) {
	s, _ := memorytest.Open(t)
	var reasons []string
	var flushed []memory.AccountingFlush
	stop := s.AddSink(memory.SessionSink{
		Snapshot: func(p memory.SessionSnapshotPayload) error {
			reasons = append(reasons, fmt.Sprintf("%s of %d agents, %d tokens, v%d", p.Reason, p.Tree.Totals.AgentsRun, p.Tree.Totals.TokensIn, p.Version))
			if p.SessionID == "" || p.OriginID == "" || p.Timestamp.IsZero() {
				t.Errorf("payload %+v", p)
			}
			return nil
		},
		Accounting: func(f memory.AccountingFlush) error { flushed = append(flushed, f); return nil },
	})
	stopBad := s.AddSink(memory.SessionSink{Snapshot: func(memory.SessionSnapshotPayload) error { panic("sink") }})
	parent := record(t, s, claude, user("explore"), `{"type":"op","op_id":"sub","kind":"session","status":"started"}`,
		`{"type":"op","op_id":"l1","kind":"llm","usage":{"input":10,"output":1,"cost_usd":0.1}}`)
	child, err := s.Record(ctx, memory.RecordRequest{Ref: memory.SessionRef{Client: "claude-code", ClientSessionID: "child"},
		Open: memory.SessionOpening{ParentSessionID: parent.SessionID, ParentOpID: "sub"}, Events: []json.RawMessage{
			json.RawMessage(`{"type":"op","op_id":"l1","kind":"llm","usage":{"input":7,"output":2,"cost_usd":0.2}}`), json.RawMessage(`{"type":"end","success":true}`)}})
	if err != nil {
		t.Fatal(err)
	}
	record(t, s, claude, `{"type":"end","success":false,"error":"gave up"}`)
	record(t, s, claude, `{"type":"end"}`)
	stop()
	stopBad()
	want := []string{"final of 1 agents, 7 tokens, v1", "subagent_finish of 2 agents, 17 tokens, v1", "final of 2 agents, 17 tokens, v1"}
	if !slices.Equal(reasons, want) {
		t.Errorf("snapshots %q, want %q", reasons, want)
	}
	if len(flushed) != 2 || len(flushed[0].Entries) != 1 || flushed[0].OriginID != parent.SessionID || flushed[1].Entries[0].Usage.Input != 10 {
		t.Errorf("flushed %+v", flushed)
	}
	if report, err := s.SessionReport(ctx, memory.ReportRequest{Ref: byID(child.SessionID)}); err != nil || !strings.Contains(report.Text, "child of session "+parent.SessionID) {
		t.Errorf("%v\n%s", err, report.Text)
	}
	tree, err := s.SessionTree(ctx, parent.SessionID)
	if err != nil {
		t.Fatal(err)
	}
	if n := tree.Session; n.StartedAt.IsZero() || n.EndedAt.IsZero() || n.Success == nil || *n.Success || len(tree.Turns) != 1 {
		t.Errorf("node %+v with %d turns", n, len(tree.Turns))
	}
	if op := tree.Turns[0].Ops[0]; op.ID != "sub" || len(op.Children) != 1 || op.Children[0].Session.ID != child.SessionID {
		t.Errorf("tree %+v", tree.Turns)
	}
	if tree.Totals.TokensIn != 17 || tree.Totals.Cost.String() != "0.3000" || tree.Totals.AgentsRun != 2 || tree.Session.Error != "gave up" {
		t.Errorf("totals %+v", tree.Totals)
	}
	verified(t, s)
}

// Every report tells the totals of the whole tree, children and theirs each once,
// also those that read no operation.
func TestReportsTellTotalsOfTheTree(t *testing.T) {
	s, _ := memorytest.Open(t)
	id := record(t, s, claude, user("explore"), `{"type":"op","op_id":"sub","kind":"session","status":"started"}`).SessionID
	top := id
	for i, op := range []string{"sub", "sub", "not there"} { // each the child of the one before
		child, err := s.Record(ctx, memory.RecordRequest{Ref: memory.SessionRef{Client: "claude-code", ClientSessionID: fmt.Sprintf("child %d", i)},
			Open: memory.SessionOpening{ParentSessionID: id, ParentOpID: op}, Events: []json.RawMessage{
				json.RawMessage(`{"type":"op","op_id":"sub","kind":"llm","usage":{"input":7,"output":2,"cost_usd":0.2}}`)}})
		if err != nil {
			t.Fatal(err)
		}
		id = child.SessionID
	}
	tree, err := s.SessionTree(ctx, top)
	if err != nil || tree.Totals.AgentsRun != 4 || tree.Totals.TokensIn != 21 {
		t.Fatalf("tree %+v, %v", tree.Totals, err)
	}
	for _, format := range []memory.ReportFormat{memory.ReportStatus, memory.ReportTimeline, memory.ReportTree, memory.ReportTotals, memory.ReportUsage} {
		report, err := s.SessionReport(ctx, memory.ReportRequest{Ref: byID(top), Format: format})
		if err != nil || report.Totals != tree.Totals || len(report.Notes) > 0 {
			t.Errorf("%s: %+v, want %+v; notes %q, %v", format, report.Totals, tree.Totals, report.Notes, err)
		}
	}
}

// 001-07, 001-09, 001-10, 001-12, 001-13, 001-20, 001-22: requests and responses stay
// whole whatever their size, with logs; the ledger row is there at once, not at the
// end; the export has them all.
func TestOperationsStayWhole(t *testing.T) {
	s, _ := memorytest.Open(t)
	body := strings.Repeat("data: {\"delta\":\"x\"}\n\n", 100_000)
	request, err := json.Marshal(map[string]any{"payload": map[string]string{"raw": body}})
	if err != nil {
		t.Fatal(err)
	}
	a := record(t, s, claude, user("go"),
		fmt.Sprintf(`{"type":"op","op_id":"o","kind":"llm","status":"started","request":%s,"provider":"anthropic","model":"m","logs":[{"severity":"VRB","message":"sent","path":"1.1"}]}`, request),
		fmt.Sprintf(`{"type":"op","op_id":"o","kind":"llm","status":"failed","response":%s,"error":"overloaded","latency_ms":1200,"usage":{"input":3,"cost_usd":0.00005},"logs":[{"severity":"ERR","message":"529"}]}`, request))
	tree, err := s.SessionTree(ctx, a.SessionID)
	if err != nil {
		t.Fatal(err)
	}
	op := tree.Turns[0].Ops[0]
	if string(op.Request) != string(request) || string(op.Response) != string(request) || len(op.Logs) != 2 || op.Logs[1].Severity != "ERR" {
		t.Errorf("request %d, response %d bytes of %d, %d logs", len(op.Request), len(op.Response), len(request), len(op.Logs))
	}
	if op.Status != domain.OpFailed || op.LatencyMS != 1200 || len(op.Accounting) != 1 || op.Accounting[0].Model != "m" || op.Accounting[0].Usage.Cost != domain.Dollars(0.00005) {
		t.Errorf("%+v", op.Op)
	}
	var file, ledger bytes.Buffer
	if err := s.ExportAs(ctx, &file, memory.ExportAIAgent, a.SessionID, ""); err != nil {
		t.Fatal(err)
	}
	unzipped, err := gzip.NewReader(&file)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(unzipped)
	if err != nil || !bytes.Contains(data, []byte(`"opTree"`)) || len(data) < 2*len(body) {
		t.Errorf("exported %d bytes, %v", len(data), err)
	}
	if err := s.ExportAccounting(ctx, &ledger, a.SessionID, true); err != nil || strings.Count(ledger.String(), "\n") != 1 {
		t.Errorf("ledger %q, %v", ledger.String(), err)
	}
	verified(t, s)
}

// 001-18: each snapshot that is given out is logged with its reason, ids and size;
// a sink's failure is a warning with the error.
func TestSinkTelemetry(t *testing.T) {
	s, _ := memorytest.Open(t)
	var log bytes.Buffer
	s.Log = slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	stop := s.AddSink(memory.SessionSink{Snapshot: func(memory.SessionSnapshotPayload) error { return errors.New("disk full") }})
	a := record(t, s, claude, user("x"), `{"type":"end"}`)
	stop()
	for _, want := range []string{`"reason":"final"`, a.SessionID, `"bytes":`, `"time":`, "disk full", `"level":"WARN"`} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("%s is missing in:\n%s", want, log.String())
		}
	}
}
