package memory_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"wake/domain"
	"wake/memory"
	"wake/memory/memorytest"
)

// I1, 000-07: every message of the user comes back byte for byte, in its order,
// whatever was in it and whatever came after: compactions, restores, a restart.
func TestUserMessagesComeBack(t *testing.T) {
	s, c := memorytest.Open(t)
	n := 0
	rapid.Check(t, func(rt *rapid.T) {
		n++
		ref := memory.SessionRef{Client: "x", ClientSessionID: fmt.Sprint(n)}
		var want []string
		var id string
		for range rapid.IntRange(1, 8).Draw(rt, "messages") {
			text := rapid.OneOf(rapid.String(), rapid.Just("a\x00b"), rapid.Just(strings.Repeat("long \u202e日本 ", 2000)), rapid.Just("same")).Draw(rt, "text")
			want = append(want, text)
			id = appended(t, s, ref, domain.Message{Role: domain.RoleUser, Content: text}).SessionID
			switch rapid.IntRange(0, 4).Draw(rt, "then") {
			case 0:
				appended(t, s, ref, domain.Compaction{Trigger: "auto", Summary: "all of it"})
			case 1:
				p, err := s.Checkpoint(ctx, memory.CheckpointRequest{Action: memory.CheckpointCreate, Ref: byID(id)})
				if err == nil {
					_, err = s.Checkpoint(ctx, memory.CheckpointRequest{Action: memory.CheckpointRestore, ID: p.ID})
				}
				if err != nil {
					rt.Fatal(err)
				}
			}
			c.Pass(time.Second)
		}
		again := restarted(t, s)
		list, err := again.UserMessages(ctx, id, 0)
		if err != nil {
			rt.Fatal(err)
		}
		var got []string
		for _, m := range list {
			got = append(got, m.Content)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			rt.Fatalf("-want +got:\n%s", diff)
		}
	})
	verified(t, s)
}

// appended appends payloads or ends the test.
func appended(t testing.TB, s *memory.Service, ref memory.SessionRef, payloads ...domain.Payload) memory.RecordAnswer {
	t.Helper()
	req := memory.AppendRequest{Ref: ref}
	for _, p := range payloads {
		e, err := domain.NewEvent(s.Now(), "", p)
		if err != nil {
			t.Fatal(err)
		}
		req.Events = append(req.Events, e)
	}
	a, err := s.Append(ctx, req)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// restarted is a service as a new process would have it: nothing in memory.
func restarted(t testing.TB, s *memory.Service) *memory.Service {
	t.Helper()
	again := memory.New(s.Store, s.Extract)
	again.Now, again.DefaultProject = s.Now, s.DefaultProject
	t.Cleanup(func() {
		if err := again.Close(ctx); err != nil {
			t.Error(err)
		}
	})
	return again
}

// 003-06, I5 in part: the same key twice is one event; two equal prompts stay two;
// a hook's prompt and a later import of it are one; a repeat learns its place.
func TestRepeats(t *testing.T) {
	s, _ := memorytest.Open(t)
	keyed := `{"type":"note","key":"k"}`
	if _, err := tryRecord(s, claude, keyed); domain.KindOf(err) != domain.KindInvalid {
		t.Fatalf("a note cannot be recorded by hand: %v", err)
	}
	a := record(t, s, claude, user("go on"), user("go on"), `{"type":"goal","key":"k","id":"g","text":"x"}`)
	b := record(t, s, claude, `{"type":"goal","key":"k","id":"g","text":"x"}`)
	if a.Accepted != 3 || b.Repeated != 1 || b.Accepted != 0 || b.FirstSeq != 0 || b.LastSeq != 3 {
		t.Errorf("%+v, %+v", a, b)
	}
	var events []domain.Event
	for nth := 1; nth <= 3; nth++ {
		e, err := domain.NewEvent(s.Now(), domain.HumanKey("go on", nth), domain.Message{Role: domain.RoleUser, Content: "go on"})
		if err != nil {
			t.Fatal(err)
		}
		e.Source = domain.SourcePos{Name: "file", Pos: int64(nth * 1000)}
		events = append(events, e)
	}
	imported, err := s.Append(ctx, memory.AppendRequest{Ref: claude, Events: events, Import: true})
	if err != nil || imported.Repeated != 2 || imported.Accepted != 1 || !slices.Equal(imported.Seqs, []int64{1, 2, 4}) {
		t.Fatalf("%+v, %v", imported, err)
	}
	list, err := s.Events(ctx, memory.EventsRequest{Ref: byID(a.SessionID)})
	if err != nil || list[0].Source.Pos != 1000 || list[1].Source.Pos != 2000 {
		t.Errorf("places in the source: %+v, %v", list, err)
	}
	verified(t, s)
}

// I4: a batch with one bad event leaves nothing, and the error names the event and
// what is wrong with it.
func TestBatchAllOrNothing(t *testing.T) {
	s, _ := memorytest.Open(t)
	a := record(t, s, claude, user("one"))
	for _, bad := range []string{`{"type":"op","kind":"llm"}`, `{"type":"what"}`, `{"type":"usage","tokens":1,"colour":2}`,
		`{"type":"end","at":"3000-01-01"}`, `{"type":"message","role":"alien"}`} {
		_, err := tryRecord(s, claude, user("two"), bad)
		if domain.KindOf(err) != domain.KindInvalid || !strings.Contains(err.Error(), "events[1]") {
			t.Errorf("%s: %v", bad, err)
		}
	}
	seven := int64(7)
	_, err := s.Record(ctx, memory.RecordRequest{Ref: claude, Events: []json.RawMessage{json.RawMessage(user("x"))}, ExpectedSeq: &seven})
	if domain.KindOf(err) != domain.KindConflict || !strings.Contains(err.Error(), "is 1, not 7") {
		t.Errorf("wrong expectation: %v", err)
	}
	if list, err := s.UserMessages(ctx, a.SessionID, 0); len(list) != 1 || err != nil {
		t.Errorf("%d messages, %v", len(list), err)
	}
	for _, project := range []string{"a\x00b", "a\nb", strings.Repeat("p", 201)} {
		if _, err := tryRecord(s, memory.SessionRef{Client: "c", ClientSessionID: "odd", Project: project}, user("x")); domain.KindOf(err) != domain.KindInvalid {
			t.Errorf("project %.20q: %v", project, err)
		}
	}
	if _, err := s.Record(ctx, memory.RecordRequest{Ref: claude, Events: make([]json.RawMessage, 1001)}); domain.KindOf(err) != domain.KindInvalid {
		t.Errorf("1001 events: %v", err)
	}
}

// Saving a context in a known session is an event of it, which holds the id and
// not the text; an unknown session is a label and opens nothing.
func TestSavedContextIsAnEvent(t *testing.T) {
	s, _ := memorytest.Open(t)
	a := record(t, s, claude, user("Which store?"))
	saved := save(t, s, memory.SaveRequest{Content: "We keep everything in one SQLite file", ActionType: domain.Decision, SessionID: a.SessionID})
	if saved.SessionID != a.SessionID || saved.Seq != 2 {
		t.Errorf("saved: %+v", saved)
	}
	events, err := s.Events(ctx, memory.EventsRequest{Ref: byID(a.SessionID), After: 1})
	if err != nil || len(events) != 1 || string(events[0].Payload) != fmt.Sprintf(`{"context_id":%q}`, saved.ID) {
		t.Errorf("%+v, %v", events, err)
	}
	r, err := s.Resume(ctx, memory.ResumeRequest{Ref: byID(a.SessionID)})
	if err != nil || !strings.Contains(r.Text, saved.ID) {
		t.Errorf("%v\n%s", err, r.Text)
	}
	label := save(t, s, memory.SaveRequest{Content: "kept under a label", SessionID: "session-xyz"})
	if label.SessionID != "session-xyz" || label.Seq != 0 {
		t.Errorf("label: %+v", label)
	}
	if list, err := s.Sessions(ctx, memory.SessionsRequest{}); err != nil || len(list.Sessions) != 1 {
		t.Errorf("%+v, %v", list, err)
	}
	verified(t, s)
}

// 000-14: only a mode event switches the mode; who gives another one beside the events,
// or another project, is told that it changes nothing.
func TestGivenInVain(t *testing.T) {
	s, _ := memorytest.Open(t)
	given := func(project, mode string, events ...string) memory.RecordAnswer {
		req := memory.RecordRequest{Ref: memory.SessionRef{Client: "c", ClientSessionID: "1", Project: project}, Open: memory.SessionOpening{Mode: mode}}
		for _, e := range events {
			req.Events = append(req.Events, json.RawMessage(e))
		}
		a, err := s.Record(ctx, req)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	opened, err := s.Record(ctx, memory.RecordRequest{Ref: memory.SessionRef{Client: "c", ClientSessionID: "2"}, Open: memory.SessionOpening{Mode: "plan"},
		Events: []json.RawMessage{json.RawMessage(`{"type":"mode","to":"code"}`)}})
	if err != nil || opened.Handoff == nil || opened.Handoff.FromMode != "plan" {
		t.Errorf("%+v, %v", opened, err)
	}
	for _, fit := range []memory.RecordAnswer{given("shop", "code", user("one")), given("shop", "code", user("two")), given("", "", user("three")),
		given("shop", "debug", `{"type":"mode","to":"debug"}`), opened} {
		if len(fit.Notes) != 0 {
			t.Errorf("notes %q", fit.Notes)
		}
	}
	a := given("else", "plan", user("four"))
	if len(a.Notes) != 2 || !strings.Contains(a.Notes[0], "a mode event") || !strings.Contains(a.Notes[1], `"shop"`) || a.Handoff != nil {
		t.Errorf("notes %q, hand-off %+v", a.Notes, a.Handoff)
	}
}

// I19, 000-28: a change of model is an event of its own, and is not taken into the
// metadata of an earlier checkpoint.
func TestModelChange(t *testing.T) {
	s, _ := memorytest.Open(t)
	open1 := memory.SessionOpening{Model: "sonnet", Provider: "anthropic", Mode: "code"}
	a, err := s.Record(ctx, memory.RecordRequest{Ref: claude, Open: open1, Events: []json.RawMessage{json.RawMessage(user("one"))}})
	if err != nil || a.FirstSeq != 1 {
		t.Fatal(a, err)
	}
	before, err := s.Checkpoint(ctx, memory.CheckpointRequest{Action: memory.CheckpointCreate, Ref: byID(a.SessionID)})
	if err != nil {
		t.Fatal(err)
	}
	b, err := s.Record(ctx, memory.RecordRequest{Ref: claude, Open: memory.SessionOpening{Model: "opus"}, Events: []json.RawMessage{json.RawMessage(user("two"))}})
	if err != nil || b.Accepted != 1 || b.FirstSeq != 3 || b.LastSeq != 3 {
		t.Fatalf("%+v, %v", b, err)
	}
	record(t, s, claude, `{"type":"mode","to":"debug"}`)
	after, err := s.Checkpoint(ctx, memory.CheckpointRequest{Action: memory.CheckpointCreate, Ref: byID(a.SessionID)})
	if err != nil {
		t.Fatal(err)
	}
	shown, err := s.Checkpoint(ctx, memory.CheckpointRequest{Action: memory.CheckpointShow, ID: before.ID})
	if err != nil {
		t.Fatal(err)
	}
	if m := shown.Checkpoint.Manifest; m.Model != "sonnet" || m.Provider != "anthropic" || m.Mode != "code" {
		t.Errorf("before: %+v", m)
	}
	if m := after.Checkpoint.Manifest; m.Model != "opus" || m.Mode != "debug" {
		t.Errorf("after: %+v", m)
	}
	verified(t, s)
}

// 003-06: a workflow's steps and signals; a completed step is never handed out
// again, resume knows what is pending and the next sequence (I14, 003-05, 003-13).
func TestWorkflow(t *testing.T) {
	s, _ := memorytest.Open(t)
	ref := memory.SessionRef{Client: "flow", ClientSessionID: "run-1"}
	a := record(t, s, ref, `{"type":"step","id":"fetch","status":"started"}`, `{"type":"step","id":"fetch","status":"completed","output":{"rows":3}}`,
		`{"type":"step","id":"load","status":"started"}`, `{"type":"signal","name":"approval","status":"waiting"}`)
	// Waiting for a signal always snapshots, so the tail is empty (003-09).
	report, err := s.SessionReport(ctx, memory.ReportRequest{Ref: byID(a.SessionID)})
	if err != nil || report.Snapshots.Seq != 4 || report.Snapshots.Tail != 0 || report.Snapshots.Count != 1 {
		t.Fatalf("%+v, %v", report.Snapshots, err)
	}
	r, err := restarted(t, s).Resume(ctx, memory.ResumeRequest{Ref: byID(a.SessionID)})
	if err != nil {
		t.Fatal(err)
	}
	if r.NextSeq != 5 || len(r.Steps) != 1 || r.Steps[0].ID != "fetch" || string(r.Steps[0].Output) != `{"rows":3}` ||
		len(r.PendingSteps) != 1 || r.PendingSteps[0].ID != "load" || len(r.Waiting) != 1 || r.Waiting[0].Name != "approval" {
		t.Errorf("%+v", r)
	}
	b := record(t, s, ref, `{"type":"signal","name":"approval","status":"received"}`, `{"type":"step","id":"fetch","status":"started"}`)
	if b.FirstSeq != 5 {
		t.Errorf("the next sequence is %d", b.FirstSeq)
	}
	r, err = s.Resume(ctx, memory.ResumeRequest{Ref: byID(a.SessionID)})
	if err != nil || len(r.Waiting) != 0 || len(r.Steps) != 1 || len(r.PendingSteps) != 1 || r.PendingSteps[0].ID != "load" {
		t.Errorf("%+v, %v", r, err)
	}
	if !strings.Contains(r.Text, "not to be run again (1): fetch") || strings.Contains(r.Text, "fetch started") {
		t.Errorf("told:\n%s", r.Text)
	}
	verified(t, s)
}

// The totals of the models stand in the order of their names, in each report the same.
func TestTotalsInOrder(t *testing.T) {
	s, _ := memorytest.Open(t)
	var ops []string
	for _, model := range []string{"delta", "alpha", "echo", "bravo", "charlie"} {
		ops = append(ops, fmt.Sprintf(`{"type":"op","op_id":"of %[1]s","kind":"llm","model":%[1]q,"usage":{"input":1}}`, model))
	}
	a := record(t, s, claude, ops...)
	report, err := s.SessionReport(ctx, memory.ReportRequest{Ref: byID(a.SessionID), Format: memory.ReportTotals})
	if err != nil {
		t.Fatal(err)
	}
	at := -1
	for _, model := range []string{"alpha:", "bravo:", "charlie:", "delta:", "echo:"} {
		next := strings.Index(report.Text, model)
		if next <= at {
			t.Fatalf("%s is out of order in\n%s", model, report.Text)
		}
		at = next
	}
}

// That the client's limit is not known is told with the tokens, and not at each other call.
func TestRecordTellsOnceThatNoLimitIsKnown(t *testing.T) {
	s, _ := memorytest.Open(t)
	told := func(event string) bool {
		return slices.ContainsFunc(record(t, s, claude, event).Notes, func(n string) bool { return strings.Contains(n, "limit is not known") })
	}
	if !told(`{"type":"usage","tokens":1000}`) || told(user("go on")) || !told(`{"type":"usage","tokens":2000}`) || told(`{"type":"usage","tokens":3000,"limit":9000}`) {
		t.Error("told too often, or not at all")
	}
}
