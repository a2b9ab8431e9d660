package memory_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	_ "modernc.org/sqlite" // to damage a database behind the product's back

	"wake/domain"
	"wake/memory"
	"wake/memory/memorytest"
	"wake/repository"
	"wake/session"
)

// 001-11: what a child session spent stays in its parent's tree and totals when it is
// forgotten, and after it was erased; what it said does not.
func TestForgottenChildStaysCounted(t *testing.T) {
	s, c := memorytest.Open(t)
	parent := record(t, s, claude, user("explore"), `{"type":"op","op_id":"sub","kind":"session"}`,
		`{"type":"op","op_id":"l1","kind":"llm","usage":{"input":10}}`).SessionID
	child, err := s.Record(ctx, memory.RecordRequest{Ref: memory.SessionRef{Client: "c", ClientSessionID: "child"},
		Open: memory.SessionOpening{ParentSessionID: parent, ParentOpID: "sub"}, Events: []json.RawMessage{
			json.RawMessage(user("hush")), json.RawMessage(`{"type":"op","op_id":"l2","kind":"llm","label":"hush","error":"hush","request":"hush","usage":{"input":7}}`)}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.ForgetSession(ctx, memory.ForgetSessionRequest{SessionID: child.SessionID}); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		report, err := s.SessionReport(ctx, memory.ReportRequest{Ref: byID(parent), Format: memory.ReportTotals})
		if err != nil || report.Totals.TokensIn != 17 || report.Totals.AgentsRun != 2 || len(report.Notes) != 0 {
			t.Errorf("totals %+v, notes %q, %v", report.Totals, report.Notes, err)
		}
		tree, err := s.SessionTree(ctx, parent)
		data, _ := json.Marshal(tree)
		if err != nil || !strings.Contains(string(data), child.SessionID) || strings.Contains(string(data), "hush") {
			t.Errorf("the tree is %s, %v", data, err)
		}
		c.Pass(31 * 24 * time.Hour)
		if err := s.CleanSessions(ctx); err != nil {
			t.Fatal(err)
		}
	}
}

// I22 in part: an erasure that stops anywhere leaves what is not erased yet
// readable, and goes on later.
func TestForgetSession(t *testing.T) {
	s, c := memorytest.Open(t)
	ref := longSession(t, s)
	other := record(t, s, memory.SessionRef{Client: "x", ClientSessionID: "y"}, user("stays"))
	err := s.Store.Write(ctx, repository.Durable, func(repository.Tx) error { // which a dry run does not wait for
		brief, end := context.WithTimeout(ctx, 20*time.Second)
		defer end()
		dry, err := s.ForgetSession(brief, memory.ForgetSessionRequest{SessionID: ref.SessionID, DryRun: true})
		if err == nil && (dry.Events != 123 || dry.Bytes == 0) {
			t.Errorf("%+v", dry)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	forget := func(undo bool) {
		if _, err := s.ForgetSession(ctx, memory.ForgetSessionRequest{SessionID: ref.SessionID, Undo: undo}); err != nil {
			t.Fatal(err)
		}
	}
	found := func() int {
		a, err := s.Search(ctx, memory.SearchRequest{Query: "question 42", In: memory.InMessages})
		if err != nil {
			t.Fatal(err)
		}
		return len(a.Hits)
	}
	if found() == 0 {
		t.Error("its messages are not found")
	}
	forget(false)
	if n := found(); n != 0 {
		t.Errorf("%d of its messages are found", n)
	}
	if _, err := s.Resume(ctx, memory.ResumeRequest{Ref: ref}); domain.KindOf(err) != domain.KindExpired {
		t.Errorf("resuming a forgotten one: %v", err)
	}
	if _, err := tryRecord(s, claude, user("x")); domain.KindOf(err) != domain.KindExpired {
		t.Errorf("recording into a forgotten one: %v", err)
	}
	back, err := s.ForgetSession(ctx, memory.ForgetSessionRequest{SessionID: ref.SessionID, Undo: true, DryRun: true})
	if err != nil || !back.DryRun || !back.Undone || found() != 0 {
		t.Errorf("an undo that is only tried: %+v, %v", back, err)
	}
	forget(true)
	if a := resume(t, s, memory.ResumeRequest{Ref: ref}); a.LastSeq != 123 || found() == 0 {
		t.Errorf("after the undo: %+v", a)
	}
	forget(false)
	// The erasure stopped after the first fifty: the rest is readable and agrees.
	err = s.Store.Write(ctx, repository.Durable, func(tx repository.Tx) error {
		_, err := tx.EraseEvents(ctx, domain.EventQuery{SessionID: ref.SessionID, Until: 50}, func(e domain.Event) []byte {
			left, err := session.Bare(e)
			if err != nil {
				t.Error(err)
			}
			return left
		})
		return err
	})
	half, err2 := s.Store.Events(ctx, domain.EventQuery{SessionID: ref.SessionID, After: 50})
	if err != nil || err2 != nil || len(half) != 73 || half[0].Erased || half[0].Damaged != "" {
		t.Fatalf("%d are left, %v, %v", len(half), err, err2)
	}
	verified(t, s)
	c.Pass(31 * 24 * 3600e9)
	if err := s.CleanSessions(ctx); err != nil {
		t.Fatal(err)
	}
	if _, err := s.ForgetSession(ctx, memory.ForgetSessionRequest{SessionID: ref.SessionID, Undo: true}); domain.KindOf(err) != domain.KindExpired {
		t.Errorf("undo after 31 days: %v", err)
	}
	events, err := s.Store.Events(ctx, domain.EventQuery{SessionID: ref.SessionID})
	if err != nil || len(events) != 123 {
		t.Fatalf("%d places are left, %v", len(events), err)
	}
	for i, e := range events {
		if e.Seq != int64(i+1) || !e.Erased || e.Damaged != "" || strings.Contains(string(e.Payload), "question") {
			t.Fatalf("%+v", e)
		}
	}
	if users, err := s.UserMessages(ctx, other.SessionID, 0); err != nil || users[0].Content != "stays" {
		t.Errorf("the other session: %+v, %v", users, err)
	}
	verified(t, s)
}

// Of an operation that is purged or whose session is forgotten, what it ran is not told:
// a command may hold a password.
func TestErasedCommand(t *testing.T) {
	s, _ := memorytest.Open(t)
	const secret = "PURGE-ME-7731"
	run := `{"type":"op","op_id":"o","kind":"tool","name":"Bash","command":"login ` + secret + `","status":"ok"}`
	parent := record(t, s, memory.SessionRef{Client: "x", ClientSessionID: "parent"}, run).SessionID
	a, err := s.Record(ctx, memory.RecordRequest{Ref: memory.SessionRef{Client: "x", ClientSessionID: "child"},
		Open: memory.SessionOpening{ParentSessionID: parent}, Events: []json.RawMessage{json.RawMessage(run)}})
	if err != nil {
		t.Fatal(err)
	}
	told := func() int {
		tree, err := s.SessionTree(ctx, parent)
		if err != nil {
			t.Fatal(err)
		}
		raw, err := json.Marshal(tree)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Count(string(raw), secret)
	}
	if n := told(); n != 4 {
		t.Fatalf("the commands are told %d times, want in two operations and their ledger rows", n)
	}
	if _, err := s.ForgetSession(ctx, memory.ForgetSessionRequest{SessionID: a.SessionID}); err != nil {
		t.Fatal(err)
	}
	if n := told(); n != 2 {
		t.Errorf("with the child forgotten they are told %d times, want the parent's alone", n)
	}
	if _, err := s.PurgeEvent(ctx, parent, 1); err != nil {
		t.Fatal(err)
	}
	if n := told(); n != 0 {
		t.Errorf("a purged command is told %d times", n)
	}
	verified(t, s)
}

// A tool that failed has failed also once what it answered is purged.
func TestErasedFailure(t *testing.T) {
	s, _ := memorytest.Open(t)
	const answer = `{"type":"message","role":"tool","tool_call_id":"t1","tool_name":"Bash","content":"","error":"no such file"}`
	id := record(t, s, memory.SessionRef{Client: "x", ClientSessionID: "failing"}, answer).SessionID
	if _, err := s.PurgeEvent(ctx, id, 1); err != nil {
		t.Fatal(err)
	}
	verified(t, s)
	to, _ := memorytest.Open(t)
	imported(t, to, exported(t, s, memory.ExportRequest{}))
	ops, err := to.Store.Ops(ctx, id, nil)
	if err != nil || len(ops) != 1 || ops[0].Status != domain.OpFailed {
		t.Errorf("the operations are %+v, %v", ops, err)
	}
}

// What a purged event told of its session is not told by the session either.
func TestErasedAttributes(t *testing.T) {
	s, _ := memorytest.Open(t)
	id := record(t, s, claude, user("hello")).SessionID
	for _, of := range []map[string]string{{"branch": "main", "cwd": "/shop"}, {"branch": "fix-PURGE-ME"}} {
		e, err := domain.NewEvent(s.Now(), "", domain.About{Attributes: of})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Append(ctx, memory.AppendRequest{Ref: byID(id), Events: []domain.Event{e}}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.PurgeEvent(ctx, id, 3); err != nil {
		t.Fatal(err)
	}
	owner, _, err := s.Session(ctx, byID(id), memory.Caller{})
	if err != nil || owner.Attributes["branch"] != "" || owner.Attributes["cwd"] != "/shop" {
		t.Errorf("%v, %v", owner.Attributes, err)
	}
	verified(t, s)
}

// A forgotten session that cannot be erased keeps no other one from it, and is told.
func TestCleanSessionsPastDamage(t *testing.T) {
	s, clock := memorytest.Open(t)
	var ids []string
	for _, name := range []string{"first", "broken", "last"} {
		ids = append(ids, record(t, s, memory.SessionRef{Client: "test", ClientSessionID: name}, user("a secret of the "+name)).SessionID)
		if _, err := s.ForgetSession(ctx, memory.ForgetSessionRequest{SessionID: ids[len(ids)-1]}); err != nil {
			t.Fatal(err)
		}
		clock.Pass(time.Minute)
	}
	damage(t, s, fmt.Sprintf(`CREATE TRIGGER broken BEFORE UPDATE ON events WHEN OLD.session_id = '%s' BEGIN SELECT RAISE(ABORT, 'disk'); END`, ids[1]))
	clock.Pass(31 * 24 * time.Hour)
	if err := s.CleanSessions(ctx); err == nil {
		t.Error("nothing is said of the session that cannot be erased")
	}
	for _, id := range []string{ids[0], ids[2]} {
		if left, err := s.Store.Session(ctx, id); err != nil || left.Bytes != 0 {
			t.Errorf("%d bytes of session %s are left (%v)", left.Bytes, id, err)
		}
	}
}

// Whoever forgets a session is told which contexts were made of it: they stay.
func TestForgetSessionNamesWhatWasHeardInIt(t *testing.T) {
	s, _ := memorytest.Open(t)
	id := record(t, s, claude, user("Let's use Redis for the session cache."), assistant("Done.")).SessionID
	saved := save(t, s, memory.SaveRequest{Content: "Carts expire after 30 days.", SessionID: id}).ID
	if n, err := s.Distil(ctx, id); err != nil || n != 1 {
		t.Fatalf("%d contexts, %v", n, err)
	}
	a, err := s.ForgetSession(ctx, memory.ForgetSessionRequest{SessionID: id, DryRun: true})
	if err != nil || len(a.Contexts) != 1 || a.Contexts[0] == saved {
		t.Fatalf("%q %v", a.Contexts, err)
	}
	if _, err := s.Forget(ctx, memory.ForgetRequest{IDs: a.Contexts}); err != nil {
		t.Fatal(err)
	}
	if a, err = s.ForgetSession(ctx, memory.ForgetSessionRequest{SessionID: id}); err != nil || len(a.Contexts) != 0 {
		t.Errorf("%q %v", a.Contexts, err)
	}
}

// A session without events has texts too: its title, and the labels of its checkpoints.
func TestErasedWithoutEvents(t *testing.T) {
	s, c := memorytest.Open(t)
	opened, err := s.Record(ctx, memory.RecordRequest{Ref: claude, Open: memory.SessionOpening{Title: "hush", Attributes: map[string]string{"cwd": "hush"}}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Checkpoint(ctx, memory.CheckpointRequest{Action: memory.CheckpointCreate, Ref: byID(opened.SessionID), Label: "hush"}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.ForgetSession(ctx, memory.ForgetSessionRequest{SessionID: opened.SessionID}); err != nil {
		t.Fatal(err)
	}
	c.Pass(31 * 24 * time.Hour)
	if err := s.CleanSessions(ctx); err != nil {
		t.Fatal(err)
	}
	left, err := s.Store.Session(ctx, opened.SessionID)
	if err != nil || strings.Contains(fmt.Sprint(left), "hush") {
		t.Errorf("left: %+v, %v", left, err)
	}
	points, err := s.Store.Checkpoints(ctx, domain.CheckpointQuery{SessionID: opened.SessionID, Deleted: true})
	if err != nil || len(points) > 0 {
		t.Errorf("left: %+v, %v", points, err)
	}
}
