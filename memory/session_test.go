package memory_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"wake/domain"
	"wake/memory"
	"wake/memory/memorytest"
)

// record appends events written as the record tool takes them.
func record(t testing.TB, s *memory.Service, ref memory.SessionRef, events ...string) memory.RecordAnswer {
	t.Helper()
	a, err := tryRecord(s, ref, events...)
	if err != nil {
		t.Fatalf("record: %v", err)
	}
	return a
}

func tryRecord(s *memory.Service, ref memory.SessionRef, events ...string) (memory.RecordAnswer, error) {
	req := memory.RecordRequest{Ref: ref}
	for _, e := range events {
		req.Events = append(req.Events, json.RawMessage(e))
	}
	return s.Record(ctx, req)
}

// claude is the session c-1 of a client.
var claude = memory.SessionRef{Client: "claude-code", ClientSessionID: "c-1"}

func user(text string) string {
	return fmt.Sprintf(`{"type":"message","role":"user","content":%q}`, text)
}

func assistant(text string) string {
	return fmt.Sprintf(`{"type":"message","role":"assistant","content":%q}`, text)
}

func byID(id string) memory.SessionRef { return memory.SessionRef{SessionID: id} }

// verified checks that folding everything again finds nothing wrong.
func verified(t testing.TB, s *memory.Service) {
	t.Helper()
	a, err := s.Verify(ctx, "", nil)
	if err != nil {
		t.Fatalf("verify: %v", err)
	}
	for _, p := range a.Problems {
		t.Errorf("verify: %s: %s", p.Subject, p.Detail)
	}
}

// A session opens with its first record, numbers its events without a gap, and
// resumes with what was said (003-06, 004-04).
func TestRecordAndResume(t *testing.T) {
	s, c := memorytest.Open(t)
	a := record(t, s, claude, user("Fix the login"), assistant("I will look."),
		`{"type":"goal","id":"g1","text":"login works"}`,
		`{"type":"message","role":"assistant","tool_calls":[{"id":"t1","name":"grep","arguments":{"q":"login"}}]}`)
	if !a.Opened || a.FirstSeq != 1 || a.LastSeq != 4 || a.Accepted != 4 {
		t.Fatalf("first record: %+v", a)
	}
	c.Pass(time.Minute)
	b := record(t, s, claude, `{"type":"message","role":"tool","tool_call_id":"t1","tool_name":"grep","content":"login.go:3"}`, user("And?"))
	if b.Opened || b.SessionID != a.SessionID || b.FirstSeq != 5 || b.LastSeq != 6 {
		t.Fatalf("second record: %+v", b)
	}
	r, err := s.Resume(ctx, memory.ResumeRequest{Ref: byID(a.SessionID)})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Messages) != 5 || r.Messages[4].Content != "And?" || r.LastSeq != 6 || r.NextSeq != 7 {
		t.Errorf("resume: %+v", r)
	}
	if len(r.Goals) != 1 || r.Goals[0].Text != "login works" {
		t.Errorf("goals: %+v", r.Goals)
	}
	if !strings.Contains(r.Text, "And?") || !strings.Contains(r.Text, "Fix the login") || !strings.Contains(r.Text, "login works") {
		t.Errorf("the text does not tell it:\n%s", r.Text)
	}
	verified(t, s)
}

// A checkpoint brings back messages, goals and mode; what was spent stays spent;
// the restore can be undone (I2, 000-02, 000-12, 001-17).
func TestRestoreAndUndo(t *testing.T) {
	s, c := memorytest.Open(t)
	a := record(t, s, claude, user("one"), `{"type":"mode","to":"code"}`, `{"type":"goal","id":"g","text":"ship"}`,
		`{"type":"op","op_id":"o1","kind":"llm","status":"ok","usage":{"input":10,"output":5,"cost_usd":0.25},"model":"m"}`)
	ref := byID(a.SessionID)
	made, err := s.Checkpoint(ctx, memory.CheckpointRequest{Action: memory.CheckpointCreate, Ref: ref, Label: "before the risk"})
	if err != nil {
		t.Fatal(err)
	}
	c.Pass(time.Minute)
	record(t, s, ref, user("two"), `{"type":"mode","to":"debug"}`, `{"type":"goal","id":"g","status":"dropped"}`,
		`{"type":"op","op_id":"o2","kind":"llm","status":"ok","usage":{"input":1,"output":1}}`)
	back, err := s.Checkpoint(ctx, memory.CheckpointRequest{Action: memory.CheckpointRestore, Ref: ref, ID: made.ID})
	if err != nil {
		t.Fatal(err)
	}
	got := back.Restored
	if len(got.Messages) != 1 || got.Messages[0].Content != "one" || got.Mode != "code" || got.Epoch != 2 || got.Goals[0].Status != "active" {
		t.Errorf("restored: %+v", got)
	}
	report, err := s.SessionReport(ctx, memory.ReportRequest{Ref: ref, Format: memory.ReportTotals})
	if err != nil {
		t.Fatal(err)
	}
	if report.Totals.TokensIn != 11 || report.Totals.Cost != domain.Dollars(0.25) {
		t.Errorf("totals went back: %+v", report.Totals)
	}
	undone, err := s.Checkpoint(ctx, memory.CheckpointRequest{Action: memory.CheckpointRestore, Ref: ref, ID: got.UndoID})
	if err != nil {
		t.Fatal(err)
	}
	if m := undone.Restored.Messages; len(m) != 2 || m[1].Content != "two" || undone.Restored.Mode != "debug" || undone.Restored.Epoch != 3 {
		t.Errorf("undone: %+v", undone.Restored)
	}
	verified(t, s)
	t.Log(back.Text)
}
