package memory_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"wake/domain"
	"wake/memory"
	"wake/memory/memorytest"
)

// 003-01, 003-02, 003-12, 003-16, 003-17: snapshots are written with the append, by
// distance, configurable, and are counted and measured.
func TestSnapshotInterval(t *testing.T) {
	s, _ := memorytest.Open(t)
	config := s.SessionConfig()
	config.SnapshotInterval = 10
	if err := s.SetSessionConfig(config); err != nil {
		t.Fatal(err)
	}
	var id string
	for i := range 7 { // batches of 4 jump over every multiple of 10
		id = record(t, s, claude, user(fmt.Sprint(i)), user("b"), user("c"), user("d")).SessionID
	}
	report, err := s.SessionReport(ctx, memory.ReportRequest{Ref: byID(id)})
	if f := report.Snapshots; err != nil || f.Count != 2 || f.Seq != 24 || f.Tail != 4 || f.Bytes == 0 || f.Speedup == 0 || !strings.Contains(report.Text, "times as fast") {
		t.Errorf("%+v, %v\n%s", f, err, report.Text)
	}
	verified(t, s)
}

// 003-09, 003-10: a checkpoint made by hand, a wait for a signal, a restore and the end of
// the session each take a snapshot where they are, however few events there were.
func TestSnapshotsAtMoments(t *testing.T) {
	s, _ := memorytest.Open(t)
	ref := byID(record(t, s, claude, user("one")).SessionID)
	taken := func(moment string, seq int64) {
		t.Helper()
		report, err := s.SessionReport(ctx, memory.ReportRequest{Ref: ref})
		if f := report.Snapshots; err != nil || f.Seq != seq || f.Tail != 0 {
			t.Errorf("%s: the snapshot is at event %d with %d behind it, want at %d: %v", moment, f.Seq, f.Tail, seq, err)
		}
	}
	point := checkpoint(t, s, memory.CheckpointRequest{Action: memory.CheckpointCreate, Ref: ref})
	taken("by hand", 1)
	record(t, s, ref, user("two"), `{"type":"signal","name":"approval","status":"waiting"}`)
	taken("waiting", 3)
	record(t, s, ref, user("three"))
	checkpoint(t, s, memory.CheckpointRequest{Action: memory.CheckpointRestore, ID: point.ID})
	taken("restored", 5)
	record(t, s, ref, user("four"), `{"type":"end"}`)
	taken("ended", 7)
	verified(t, s)
}

// A session that was opened because another one named it is told what it is with its first
// events; the states that these lead to know that, too.
func TestSnapshotOfNamedSession(t *testing.T) {
	s, _ := memorytest.Open(t)
	ref := memory.SessionRef{Client: "x", ClientSessionID: "parent"}
	record(t, s, ref)
	a, err := s.Record(ctx, memory.RecordRequest{Ref: ref, Open: memory.SessionOpening{Model: "opus", Mode: "plan", Title: "the parent"},
		Events: []json.RawMessage{json.RawMessage(user("hello")), json.RawMessage(`{"type":"mode","to":"build"}`), json.RawMessage(`{"type":"end"}`)}})
	if err != nil {
		t.Fatal(err)
	}
	verified(t, s)
	if a.Handoff == nil || a.Handoff.FromMode != "plan" {
		t.Errorf("hand-off %+v, want one from the mode plan", a.Handoff)
	}
}

// Where an empty session has a checkpoint already, what it is told later is news after
// that place: a restore would take a mode back, and the model has an event of its own.
func TestCheckpointOfEmptySession(t *testing.T) {
	s, _ := memorytest.Open(t)
	ref := memory.SessionRef{Client: "x", ClientSessionID: "empty"}
	record(t, s, ref)
	list, err := s.Store.Sessions(ctx, domain.SessionQuery{Limit: 1})
	if err != nil || len(list) != 1 {
		t.Fatal(list, err)
	}
	if _, err := s.Checkpoint(ctx, memory.CheckpointRequest{Action: memory.CheckpointCreate, Ref: memory.SessionRef{SessionID: list[0].ID}}); err != nil {
		t.Fatal(err)
	}
	for _, events := range [][]json.RawMessage{nil, {json.RawMessage(user("hello"))}} {
		if _, err := s.Record(ctx, memory.RecordRequest{Ref: ref, Open: memory.SessionOpening{Model: "opus", Mode: "plan", Title: "late"}, Events: events}); err != nil {
			t.Fatal(err)
		}
	}
	verified(t, s)
	owner, err := s.Store.Session(ctx, list[0].ID)
	if err != nil || owner.Model != "opus" || owner.Title != "late" {
		t.Errorf("the session has model %q and title %q, %v", owner.Model, owner.Title, err)
	}
}
