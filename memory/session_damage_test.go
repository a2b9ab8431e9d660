package memory_test

import (
	"context"
	"database/sql"
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

// damage runs a statement on the file of a service, as a disk fault or a tool of
// somebody else would.
func damage(t testing.TB, s *memory.Service, statement string, args ...any) {
	t.Helper()
	info, err := s.Store.Info(ctx)
	if err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", "file:"+info.Address+"?_pragma=busy_timeout(5000)")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(statement, args...); err != nil {
		t.Fatal(err)
	}
}

// longSession is a session with a snapshot, a cache and a blob.
func longSession(t testing.TB, s *memory.Service) memory.SessionRef {
	t.Helper()
	long := strings.Repeat("a long message that becomes a blob ", 400)
	ref := byID(record(t, s, claude, user("first"), user(long), `{"type":"goal","id":"g","text":"stay"}`).SessionID)
	for i := range 60 {
		record(t, s, ref, user(fmt.Sprint("question ", i)), assistant(fmt.Sprint("answer ", i)))
	}
	return ref
}

// I10, I11, 001-21, 003-14, 004-17: whatever is flipped, cut, deleted or of another
// version, what is whole comes back, there is one alert, and nothing panics.
func TestDamage(t *testing.T) {
	for _, c := range []struct {
		name, statement string
		source          memory.ResumeSource
		alert           string
		lost            int // messages of the user that cannot be read
	}{
		{"snapshot flipped", `UPDATE state_snapshots SET state = replace(state, 'stay', 'slay')`, memory.FromCache, "snapshot_damaged", 0},
		{"snapshot cut", `UPDATE state_snapshots SET state = substr(state, 1, 40)`, memory.FromCache, "snapshot_damaged", 0},
		{"snapshot of another version", `UPDATE state_snapshots SET version = 99`, memory.FromCache, "snapshot_damaged", 0},
		{"snapshot gone", `DELETE FROM state_snapshots`, memory.FromCache, "snapshot_missing", 0},
		{"cache flipped", `UPDATE working_contexts SET payload = replace(payload, 'answer', 'ansver')`, memory.FromSnapshot, "cache_damaged", 0},
		{"cache cut", `UPDATE working_contexts SET payload = substr(payload, 1, 100)`, memory.FromSnapshot, "cache_damaged", 0},
		{"cache of a newer schema", `UPDATE working_contexts SET payload = replace(payload, '"schema_version":1', '"schema_version":2')`, memory.FromSnapshot, "cache_damaged", 0},
		{"cache gone", `DELETE FROM working_contexts`, memory.FromSnapshot, "", 0},
		{"blob flipped", `UPDATE blobs SET data = CAST(substr(data, 1, 20) || x'00ff' || substr(data, 23) AS BLOB)`, memory.FromCache, "event_damaged", 1},
		{"blob cut", `UPDATE blobs SET data = substr(data, 1, 30)`, memory.FromCache, "event_damaged", 1},
		{"blob gone", `DELETE FROM blobs`, memory.FromCache, "event_damaged", 1},
		{"event flipped", `UPDATE events SET payload = CAST(replace(payload, 'first', 'f1rst') AS BLOB) WHERE seq = 1`, memory.FromCache, "event_damaged", 1},
		{"event cut", `UPDATE events SET payload = substr(payload, 1, 10) WHERE seq = 1`, memory.FromCache, "event_damaged", 1},
		{"event with a broken time", `UPDATE events SET at = 'yesterday' WHERE seq = 1`, memory.FromCache, "event_damaged", 1},
		{"event gone", `DELETE FROM events WHERE seq = 1`, memory.FromCache, "", 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, _ := memorytest.Open(t)
			ref := longSession(t, s)
			whole := resume(t, s, memory.ResumeRequest{Ref: ref})
			damage(t, s, c.statement)
			for range 2 {
				a := resume(t, s, memory.ResumeRequest{Ref: ref})
				if a.Source != c.source || len(a.Messages) < len(whole.Messages)-2 || a.LastSeq != whole.LastSeq {
					t.Errorf("from %s with %d messages of %d", a.Source, len(a.Messages), len(whole.Messages))
				}
			}
			told, err := s.RestoreText(ctx, ref.SessionID, 0, 8000)
			if named := strings.Contains(told, "Note: "+c.alert); err != nil || strings.HasPrefix(c.alert, "snapshot") && (!named || !strings.Contains(told, "Source: the whole log of events")) {
				t.Errorf("a hook tells %v:\n%s", err, told)
			}
			readable := 0
			for range 2 {
				users, err := s.UserMessages(ctx, ref.SessionID, 0)
				if err != nil {
					t.Fatal(err)
				}
				readable = 0
				for _, u := range users {
					if !strings.HasPrefix(u.Content, "[event ") {
						readable++
					}
				}
			}
			if readable != 62-c.lost {
				t.Errorf("%d messages are readable", readable)
			}
			alerts, err := s.Store.Alerts(ctx, ref.SessionID)
			if err != nil || c.alert != "" && (len(alerts) != 1 || alerts[0].Kind != c.alert) || c.alert == "" && len(alerts) != 0 {
				t.Errorf("alerts %+v, %v", alerts, err)
			}
			if a, err := s.Verify(ctx, ref.SessionID, nil); err != nil || len(a.Problems) == 0 && c.name != "cache gone" {
				t.Errorf("verify sees nothing: %+v, %v", a, err)
			}
			if a, err := s.Verify(ctx, ref.SessionID, nil); err == nil {
				for _, p := range a.Problems {
					if p.Remedy == "" {
						t.Errorf("no remedy for %+v", p)
					}
				}
			}
			// The session goes on.
			if a := record(t, s, ref, user("still here")); a.LastSeq != whole.LastSeq+1 {
				t.Errorf("the next event is %d", a.LastSeq)
			}
		})
	}
}

// I10: with the first hundred events flipped one by one, the rest folds to the
// same messages, and each lost event has its own alert.
func TestDamagedEventsAreGotRound(t *testing.T) {
	s, _ := memorytest.Open(t)
	ref := longSession(t, s)
	damage(t, s, `UPDATE events SET tokens = tokens + 1 WHERE seq IN (5, 6, 40)`)
	damage(t, s, `DELETE FROM state_snapshots`)
	damage(t, s, `DELETE FROM working_contexts`)
	a := resume(t, s, memory.ResumeRequest{Ref: ref, TokenBudget: 100_000})
	if a.Source != memory.FromReplay || len(a.Messages) != 122 {
		t.Errorf("from %s with %d messages", a.Source, len(a.Messages))
	}
	alerts, err := s.Store.Alerts(ctx, ref.SessionID)
	if err != nil || len(alerts) != 4 { // three events and the snapshot
		t.Errorf("alerts %+v, %v", alerts, err)
	}
}

// A checkpoint before damaged events can still be restored, and says that the log
// folds to another state now.
func TestRestoreOverDamage(t *testing.T) {
	s, _ := memorytest.Open(t)
	ref := longSession(t, s)
	point := checkpoint(t, s, memory.CheckpointRequest{Action: memory.CheckpointCreate, Ref: ref})
	damage(t, s, `UPDATE events SET payload = 'x' WHERE seq = 4`)
	damage(t, s, `DELETE FROM state_snapshots`)
	back := checkpoint(t, s, memory.CheckpointRequest{Action: memory.CheckpointRestore, ID: point.ID})
	if len(back.Restored.Messages) < 100 {
		t.Errorf("%d messages", len(back.Restored.Messages))
	}
	alerts, err := s.Store.Alerts(ctx, ref.SessionID)
	kinds := map[string]bool{}
	for _, a := range alerts {
		kinds[a.Kind] = true
	}
	if err != nil || !kinds["checkpoint_differs"] || !kinds["event_damaged"] {
		t.Errorf("alerts %+v, %v", alerts, err)
	}
}

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
		brief, end := context.WithTimeout(ctx, time.Second)
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

// A purged event leaves its place and hash, and its text nowhere in the file.
func TestPurgeEvent(t *testing.T) {
	s, _ := memorytest.Open(t)
	const secret = "PURGE-ME-7731"
	ref := byID(record(t, s, claude, user("before"), user(secret), assistant("noted"), `{"type":"mode","to":"code"}`).SessionID)
	point := checkpoint(t, s, memory.CheckpointRequest{Action: memory.CheckpointCreate, Ref: ref})
	checkpoint(t, s, memory.CheckpointRequest{Action: memory.CheckpointRestore, ID: point.ID})
	gone, err := s.PurgeEvent(ctx, ref.SessionID, 2)
	if err != nil || !gone.Erased || gone.Hash == "" {
		t.Fatalf("%+v, %v", gone, err)
	}
	for _, table := range []struct{ name, column string }{{"events", "payload"}, {"working_contexts", "payload"}, {"state_snapshots", "state"},
		{"checkpoints", "doc"}, {"handoffs", "doc"}, {"turns", "label"}, {"sessions", "doc"}} {
		damage(t, s, fmt.Sprintf(`CREATE TABLE found_%s AS SELECT 1 FROM %s WHERE instr(%s, '%s') > 0`, table.name, table.name, table.column, secret))
		damage(t, s, `CREATE TABLE IF NOT EXISTS counted (name TEXT, n INTEGER)`)
		damage(t, s, fmt.Sprintf(`INSERT INTO counted SELECT '%s', 1 / (1 - min(1, count(*))) FROM found_%s`, table.name, table.name))
	}
	a := resume(t, s, memory.ResumeRequest{Ref: ref})
	if strings.Contains(a.Text, secret) || len(a.Messages) != 3 || a.Messages[1].Content != "[erased]" {
		t.Errorf("%+v\n%s", a.Messages, a.Text)
	}
	for why, seq := range map[string]int64{"again": 2, "there is no place 0": 0, "nor one before it": -1, "past the end": 99} {
		if _, err := s.PurgeEvent(ctx, ref.SessionID, seq); domain.KindOf(err) != domain.KindNotFound {
			t.Errorf("%s: %v", why, err)
		}
		if _, _, err := s.PurgeableEvent(ctx, ref.SessionID, seq); seq != 2 && domain.KindOf(err) != domain.KindNotFound {
			t.Errorf("%s, to be shown: %v", why, err)
		}
	}
	verified(t, s)
	if users, err := s.UserMessages(ctx, ref.SessionID, 1); err != nil || users[0].Content != "before" {
		t.Errorf("what else was said: %+v, %v", users, err)
	}
}

// A decision that answers an offer quotes it, and goes with the offer.
func TestPurgeEventQuoted(t *testing.T) {
	s, _ := memorytest.Open(t)
	const secret = "quixotic-7731"
	ref := byID(record(t, s, claude, user("where do we keep the door code"), assistant("I'd suggest a sealed note with "+secret+" at the reception."), user("yes, do that"), assistant("noted")).SessionID)
	if n, err := s.Distil(ctx, ref.SessionID); err != nil || n != 1 {
		t.Fatalf("%d distilled, %v", n, err)
	}
	gone, err := s.PurgeEvent(ctx, ref.SessionID, 2)
	if err != nil || len(gone.Contexts) != 1 {
		t.Fatalf("%+v, %v", gone, err)
	}
	info, err := s.Store.Info(ctx)
	if err != nil || inFiles(t, info.Address, secret) {
		t.Errorf("the text can still be read (%v)", err)
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

// Nothing that was made of a purged event holds its text: not the copies in forks and
// in forks of these, from whichever place it is purged, nor the context distilled of it.
func TestPurgeEventCopies(t *testing.T) {
	for from := range 3 {
		s, _ := memorytest.Open(t)
		const secret = "quixotic-7731"
		ref := byID(record(t, s, claude, user("before"), user("Decision: the door code is "+secret+", because it is easy to keep."), assistant("noted")).SessionID)
		sessions := []string{ref.SessionID}
		for range 2 {
			point := checkpoint(t, s, memory.CheckpointRequest{Action: memory.CheckpointCreate, Ref: byID(sessions[len(sessions)-1])})
			sessions = append(sessions, checkpoint(t, s, memory.CheckpointRequest{Action: memory.CheckpointFork, ID: point.ID}).ForkID)
		}
		if n, err := s.Distil(ctx, ref.SessionID); err != nil || n != 1 {
			t.Fatalf("%d distilled, %v", n, err)
		}
		said := record(t, s, memory.SessionRef{Client: "other", ClientSessionID: "o"}, user("Decision: the door code is "+secret+", because it is easy to keep.")).SessionID
		gone, err := s.PurgeEvent(ctx, sessions[from], 2)
		if err != nil || len(gone.Places) != 3 || len(gone.Contexts) != 1 || gone.SessionID != sessions[from] {
			t.Fatalf("from %d: %+v, %v", from, gone, err)
		}
		if len(gone.Notes) != 1 || !strings.Contains(gone.Notes[0], said) {
			t.Errorf("notes %q, want one that names session %s", gone.Notes, said)
		}
		if _, err := s.PurgeEvent(ctx, said, 1); err != nil {
			t.Fatal(err)
		}
		info, err := s.Store.Info(ctx)
		if err != nil || inFiles(t, info.Address, secret) {
			t.Errorf("purged from session %d of 3, the text can still be read (%v)", from, err)
		}
		verified(t, s)
	}
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
