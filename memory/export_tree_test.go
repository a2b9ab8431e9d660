package memory_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"wake/domain"
	"wake/memory"
	"wake/memory/memorytest"
	"wake/transcript"
)

// I18, 001-05 … 001-14: a tree of ai-agent that was imported is exported with the same
// sessions, turns, operations, accounting and states.
func TestAIAgentThroughTheStore(t *testing.T) {
	const name = "txn-root.json.gz"
	file, err := os.ReadFile("../testdata/transcripts/ai-agent/" + name)
	if err != nil {
		t.Fatal(err)
	}
	s, _ := memorytest.Open(t)
	a, err := s.Import(ctx, memory.ImportRequest{Format: transcript.AIAgent, Name: name, Source: bytes.NewReader(file)})
	if err != nil {
		t.Fatal(err)
	}
	tree, err := s.SessionTree(ctx, a.Sessions[0])
	if err != nil || tree.Session.LatestStatus != "done" {
		t.Errorf("the state is %q, %v", tree.Session.LatestStatus, err)
	}
	for _, turn := range tree.Turns {
		for _, op := range turn.Ops {
			if op.Kind == domain.OpLLM && turn.Index != 1 {
				t.Errorf("%s, which is of turn 1, stands in turn %d", op.ID, turn.Index)
			}
		}
	}
	var out bytes.Buffer
	if err := s.ExportAs(ctx, &out, memory.ExportAIAgent, a.Sessions[0], ""); err != nil {
		t.Fatal(err)
	}
	opt := cmp.Options{cmpopts.IgnoreFields(domain.OpReport{}, "Attributes"), cmpopts.EquateEmpty()}
	if diff := cmp.Diff(told(t, name, file), told(t, name, out.Bytes()), opt); diff != "" {
		t.Errorf("exported (-imported +exported):\n%s", diff)
	}
}

// told is what a file of ai-agent tells, without totals, which are counted anew.
func told(t *testing.T, name string, file []byte) map[string]any {
	t.Helper()
	r, err := transcript.NewReader(transcript.AIAgent, name, bytes.NewReader(file), domain.IngestCursor{})
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]any{}
	for item, err := range r.Items() {
		if err != nil {
			t.Fatal(err)
		}
		switch e := item.Event; {
		case item.Session != nil:
			all[item.Session.ClientSessionID] = *item.Session
		case e == nil || e.Type == domain.EventNote && bytes.Contains(e.Payload, []byte(`"totals"`)):
		case e.Type == domain.EventOp:
			op, err := e.Op()
			if err != nil {
				t.Fatal(err)
			}
			all[e.SessionID+" "+string(e.Key)] = op
		default:
			all[e.SessionID+" "+string(e.Key)] = slices.Concat([]byte(domain.FormatTime(e.At)), e.Payload)
		}
	}
	return all
}

// I15: ai-agent tells what an operation took up to three times: in the tree, in the rows of
// its session and in its accounting. It counts once, whichever of the first two is there.
func TestAIAgentCountsOnce(t *testing.T) {
	rows, err := os.ReadFile("../testdata/transcripts/ai-agent/session/txn-help.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	entry := `{"type":"llm","timestamp":1779786007700,"status":"ok","latency":3900,"provider":"nova","model":"small-1","tokens":{"inputTokens":70,"outputTokens":8},"txnId":"txn-help"}`
	sources := map[string]string{"session/txn-help.jsonl": string(rows), "accounting.jsonl": entry + "\n",
		"txn-help.json": `{"version":2,"reason":"final","opTree":{"traceId":"txn-help","turns":[{"index":1,"ops":[{"opId":"answer-1","kind":"llm",
			"startedAt":1779786003800,"endedAt":1779786007800,"status":"ok","accounting":[` + entry + `]}]}]}}`}
	for _, order := range [][]string{
		{"session/txn-help.jsonl", "accounting.jsonl"},
		{"txn-help.json", "session/txn-help.jsonl", "accounting.jsonl"},
		{"session/txn-help.jsonl", "txn-help.json", "accounting.jsonl"},
		{"txn-help.json", "accounting.jsonl", "session/txn-help.jsonl"},
	} {
		s, _ := memorytest.Open(t)
		var a memory.ImportAnswer
		for _, name := range order {
			a, err = s.Import(ctx, memory.ImportRequest{Format: transcript.AIAgent, Name: name, Source: bytes.NewReader([]byte(sources[name]))})
			if err != nil {
				t.Fatal(err)
			}
		}
		id := a.Sessions[0]
		tree, err := s.SessionTree(ctx, id)
		if got := tree.Totals; err != nil || got.TokensIn != 70 || got.TokensOut != 8 {
			t.Errorf("in the order %q: %+v, %v", order, got, err)
		}
	}
}

// 001-08: a child session whose costs are imported before the tree that names its parent
// joins that tree, and so does what it started itself.
func TestAIAgentCostsBeforeTree(t *testing.T) {
	cost := func(session, origin string, tokens int) string {
		return fmt.Sprintf(`{"sessionId":%q,"originId":%q,"timestamp":1770000002000,"entries":[{"type":"llm","timestamp":1770000001400,"status":"ok","provider":"p","model":"m","tokens":{"inputTokens":%d}}]}`,
			session, origin, tokens) + "\n"
	}
	node := func(session, op, child string) string {
		return fmt.Sprintf(`{"traceId":%q,"turns":[{"index":1,"ops":[{"opId":%q,"kind":"session","startedAt":1770000001000,"endedAt":1770000002000,"status":"ok","childSession":%s}]}]}`, session, op, child)
	}
	leaf := `{"traceId":"leaf","turns":[]}`
	child := node("child", "deeper", leaf)
	s, _ := memorytest.Open(t)
	var root string
	for _, source := range []struct{ name, data string }{
		{"accounting.jsonl", cost("child", "root", 7) + cost("leaf", "root", 5)},
		{"child.json", `{"version":2,"reason":"final","opTree":` + child + `}`},
		{"root.json", `{"version":2,"reason":"final","opTree":` + node("root", "helper", child) + `}`},
	} {
		a, err := s.Import(ctx, memory.ImportRequest{Format: transcript.AIAgent, Name: source.name, Source: strings.NewReader(source.data)})
		if err != nil {
			t.Fatal(err)
		}
		root = a.Sessions[0]
	}
	tree, err := s.SessionTree(ctx, root)
	if err != nil || tree.Totals.TokensIn != 12 || tree.Totals.AgentsRun != 3 || len(tree.Orphans) != 0 {
		t.Fatalf("%+v, %d orphans, %v", tree.Totals, len(tree.Orphans), err)
	}
	for node := &tree; node != nil; node = firstChild(node) {
		if node.Session.OriginID != root {
			t.Errorf("the origin of %q is %q, want %q", node.Session.ClientSessionID, node.Session.OriginID, root)
		}
		ledger, err := s.Store.Ledger(ctx, node.Session.ID)
		if err != nil || slices.ContainsFunc(ledger, func(e domain.LedgerEntry) bool { return e.OriginID != root }) {
			t.Errorf("the ledger of %q: %+v, %v", node.Session.ClientSessionID, ledger, err)
		}
	}
}

// A fork never becomes its own ancestor, whatever parent a client names.
func TestForkIsNotItsOwnParent(t *testing.T) {
	s, _ := memorytest.Open(t)
	root := byID(record(t, s, claude, user("hello"), assistant("noted")).SessionID)
	point := checkpoint(t, s, memory.CheckpointRequest{Action: memory.CheckpointCreate, Ref: root})
	fork := checkpoint(t, s, memory.CheckpointRequest{Action: memory.CheckpointFork, ID: point.ID}).ForkID
	told := func(ref memory.SessionRef, parent string) string {
		t.Helper()
		a, err := s.Append(ctx, memory.AppendRequest{Ref: ref, Open: memory.SessionOpening{ParentSessionID: parent}})
		if err != nil {
			t.Fatal(err)
		}
		return a.SessionID
	}
	child := told(memory.SessionRef{Client: "c", ClientSessionID: "child"}, fork)
	for _, parent := range []string{fork, child} {
		told(byID(fork), parent)
		if got, err := s.Store.Session(ctx, fork); err != nil || got.ParentID != "" {
			t.Errorf("the parent of the fork is %q, its child %q, %v", got.ParentID, child, err)
		}
	}
}

// firstChild returns the first session that an operation of a tree started, or nil.
func firstChild(node *domain.SessionNode) *domain.SessionNode {
	for op := range node.Ops() {
		if len(op.Children) > 0 {
			return &op.Children[0]
		}
	}
	return nil
}

// I18: what the rows of ai-agent's sessions say of the costs is in the exported tree too.
func TestAIAgentRowsKeepCosts(t *testing.T) {
	s, _ := memorytest.Open(t)
	var lead string
	for _, name := range []string{"session/txn-help.jsonl", "session/txn-lead.jsonl"} {
		rows, err := os.ReadFile("../testdata/transcripts/ai-agent/" + name)
		if err != nil {
			t.Fatal(err)
		}
		a, err := s.Import(ctx, memory.ImportRequest{Format: transcript.AIAgent, Name: name, Source: bytes.NewReader(rows)})
		if err != nil {
			t.Fatal(err)
		}
		lead = a.Sessions[0]
	}
	var out bytes.Buffer
	if err := s.ExportAs(ctx, &out, memory.ExportAIAgent, lead, ""); err != nil {
		t.Fatal(err)
	}
	to, _ := memorytest.Open(t)
	a, err := to.Import(ctx, memory.ImportRequest{Format: transcript.AIAgent, Name: "txn-lead.json.gz", Source: &out})
	if err != nil {
		t.Fatal(err)
	}
	before, err1 := s.SessionTree(ctx, lead)
	after, err2 := to.SessionTree(ctx, a.Sessions[0])
	if err := errors.Join(err1, err2); err != nil || before.Totals.TokensIn == 0 || before.Totals != after.Totals {
		t.Errorf("%v: %+v were exported, %+v imported", err, before.Totals, after.Totals)
	}
}
