package memory_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"wake/domain"
	"wake/memory"
	"wake/memory/memorytest"
	"wake/transcript"
)

// checkpoint does an action or ends the test.
func checkpoint(t testing.TB, s *memory.Service, req memory.CheckpointRequest) memory.CheckpointAnswer {
	t.Helper()
	a, err := s.Checkpoint(ctx, req)
	if err != nil {
		t.Fatalf("checkpoint %s: %v", req.Action, err)
	}
	return a
}

func listed(t testing.TB, s *memory.Service, req memory.CheckpointRequest) []domain.Checkpoint {
	t.Helper()
	req.Action = memory.CheckpointList
	return checkpoint(t, s, req).Checkpoints
}

// window is a usage event.
func window(tokens, limit int64) string {
	return fmt.Sprintf(`{"type":"usage","tokens":%d,"limit":%d}`, tokens, limit)
}

// 000-04, 000-05, 000-10, I13: thresholds make checkpoints at 0.85, 0.95 and 1.0,
// each once in an epoch; a compaction opens the next one.
func TestThresholdsFireOnce(t *testing.T) {
	s, _ := memorytest.Open(t)
	var fired []string
	for _, fraction := range []float64{0.5, 0.85, 0.85} {
		defer s.OnThreshold(fraction, func(f domain.ThresholdFiring) { fired = append(fired, fmt.Sprintf("%v@%d", f.Threshold, f.Epoch)) })()
	}
	defer s.OnThreshold(0.95, func(domain.ThresholdFiring) { panic("a callback that fails") })()
	levels := func(tokens ...int64) (out []string) {
		for _, n := range tokens {
			a := record(t, s, claude, window(n, 100))
			out = append(out, a.Pressure.Level)
			for _, c := range a.Checkpoints {
				out = append(out, string(c.Trigger))
			}
		}
		return out
	}
	record(t, s, claude, user("work"))
	got := levels(40, 60, 86, 87, 96, 100, 120)
	want := []string{"ok", "ok", "checkpoint", "threshold", "checkpoint", "warning", "warning", "emergency", "emergency", "emergency"}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	a := record(t, s, claude, `{"type":"compaction","trigger":"manual","summary":"so far","tokens_after":10}`)
	if len(a.Checkpoints) != 1 || a.Checkpoints[0].Trigger != domain.TriggerPreCompaction {
		t.Errorf("before the compaction: %+v", a.Checkpoints)
	}
	if got := levels(90); !slices.Equal(got, []string{"checkpoint", "threshold"}) {
		t.Errorf("in the next epoch: %v", got)
	}
	if want := []string{"0.5@1", "0.85@1", "0.85@1", "0.5@2", "0.85@2", "0.85@2"}; !slices.Equal(fired, want) {
		t.Errorf("callbacks %v, want %v", fired, want)
	}
	verified(t, s)
}

// 000-04: a limit and an agent that are told beside the events of a known session hold
// for these events already.
func TestLimitToldWithEvents(t *testing.T) {
	s, _ := memorytest.Open(t)
	record(t, s, claude, user("one"))
	a, err := s.Record(ctx, memory.RecordRequest{Ref: claude, Open: memory.SessionOpening{ContextLimit: 1000, AgentID: "agent-7"},
		Events: []json.RawMessage{json.RawMessage(`{"type":"usage","tokens":900}`), json.RawMessage(assistant("two"))}})
	if err != nil {
		t.Fatal(err)
	}
	if a.Pressure.Limit != 1000 || len(a.Checkpoints) != 1 || len(a.Notes) != 0 {
		t.Errorf("%+v, checkpoints %+v, notes %q", a.Pressure, a.Checkpoints, a.Notes)
	}
	if got := resume(t, s, memory.ResumeRequest{AgentID: "agent-7"}); got.Source != memory.FromCache {
		t.Errorf("resumed from %s", got.Source)
	}
}

// 000-05, 000-06: a client's own automatic compaction is an emergency: the
// checkpoint stands right before it, and the limit is learned from it.
func TestAutomaticCompaction(t *testing.T) {
	s, _ := memorytest.Open(t)
	a := record(t, s, claude, user("one"), assistant("two"), window(150, 200))
	b := record(t, s, claude, `{"type":"compaction","trigger":"auto","summary":"S","tokens_before":155,"tokens_after":9}`)
	if len(b.Checkpoints) != 1 || b.Checkpoints[0].Trigger != domain.TriggerEmergency || b.Checkpoints[0].Seq != 3 || b.Checkpoints[0].Manifest.Messages != 2 {
		t.Fatalf("%+v", b.Checkpoints)
	}
	if b.Pressure.Limit != 155 {
		t.Errorf("the limit is %d; real clients compact before what they tell", b.Pressure.Limit)
	}
	r, err := s.Resume(ctx, memory.ResumeRequest{Ref: byID(a.SessionID)})
	if err != nil || r.Epoch != 2 || len(r.Messages) != 1 || r.Messages[0].Content != "S" {
		t.Errorf("%+v, %v", r, err)
	}
	back := checkpoint(t, s, memory.CheckpointRequest{Action: memory.CheckpointRestore, ID: b.Checkpoints[0].ID})
	if m := back.Restored.Messages; len(m) != 2 || m[1].Content != "two" {
		t.Errorf("restored %+v", m)
	}
	verified(t, s)
}

// A checkpoint has the limit that was known at its place, not one learnt from a later
// compaction of the same batch.
func TestLimitAtItsPlace(t *testing.T) {
	s, _ := memorytest.Open(t)
	a := record(t, s, claude, user("one"), window(150, 200), `{"type":"compaction","trigger":"auto","tokens_before":155,"tokens_after":9}`,
		user("two"), window(140, 200), `{"type":"compaction","trigger":"auto","tokens_before":160,"tokens_after":9}`)
	var limits []int64
	for _, c := range a.Checkpoints {
		limits = append(limits, c.Manifest.WindowLimit)
	}
	if want := []int64{200, 155}; !slices.Equal(limits, want) {
		t.Errorf("limits %d, want %d", limits, want)
	}
}

// A window far beyond the limit learnt from a compaction has another: the model or a
// setting of the client has changed.
func TestLearntLimitIsOutgrown(t *testing.T) {
	s, _ := memorytest.Open(t)
	record(t, s, claude, user("one"), `{"type":"compaction","trigger":"auto","tokens_before":155000,"tokens_after":9000}`)
	for _, at := range []struct{ tokens, limit int64 }{{165_000, 155_000}, {199_000, 155_000}, {240_000, 1_000_000}, {300_000, 1_000_000}} {
		if a := record(t, s, claude, window(at.tokens, 1_000_000)); a.Pressure.Limit != at.limit {
			t.Errorf("at %d tokens the limit is %d, want %d", at.tokens, a.Pressure.Limit, at.limit)
		}
	}
	verified(t, s)
}

// 000-03, 000-11: manual checkpoints; off is an error; settings change while running.
func TestConfiguration(t *testing.T) {
	s, _ := memorytest.Open(t)
	a := record(t, s, claude, user("x"))
	config := s.SessionConfig()
	if !reflect.DeepEqual(config, memory.DefaultSessionConfig()) || !config.Enabled || config.Keep != 5 || !config.Auto || config.AutoThreshold != 0.85 {
		t.Errorf("defaults %+v", config)
	}
	config.Auto = false
	if err := s.SetSessionConfig(config); err != nil {
		t.Fatal(err)
	}
	if b := record(t, s, claude, window(99, 100)); len(b.Checkpoints) != 0 {
		t.Errorf("made by itself: %+v", b.Checkpoints)
	}
	config.Enabled = false
	if err := s.SetSessionConfig(config); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Checkpoint(ctx, memory.CheckpointRequest{Action: memory.CheckpointCreate, Ref: byID(a.SessionID)}); domain.KindOf(err) != domain.KindConflict {
		t.Errorf("create while off: %v", err)
	}
	config.Enabled, config.Auto, config.AutoThreshold = true, true, 0.5
	if err := s.SetSessionConfig(config); err != nil {
		t.Fatal(err)
	}
	if b := record(t, s, claude, window(60, 100)); len(b.Checkpoints) != 1 {
		t.Errorf("at the new threshold: %+v", b)
	}
	for _, bad := range []memory.SessionConfig{{Keep: -1}, {AutoThreshold: 1.5, SnapshotInterval: 1}, {AutoThreshold: 0.5}} {
		if err := s.SetSessionConfig(bad); domain.KindOf(err) != domain.KindInvalid {
			t.Errorf("%+v: %v", bad, err)
		}
	}
}

// 000-09, I7: the last five of a class stay; pinned ones and young emergencies are
// outside of the count; the undo of the last restore stays whatever comes.
func TestRetention(t *testing.T) {
	s, c := memorytest.Open(t)
	ref := byID(record(t, s, claude, user("x")).SessionID)
	create := func(trigger domain.Trigger, label string) memory.CheckpointAnswer {
		c.Pass(time.Minute)
		record(t, s, ref, user(label))
		return checkpoint(t, s, memory.CheckpointRequest{Action: memory.CheckpointCreate, Ref: ref, Trigger: trigger, Label: label})
	}
	pinned := create("", "pinned")
	checkpoint(t, s, memory.CheckpointRequest{Action: memory.CheckpointPin, ID: pinned.ID})
	emergency := create(domain.TriggerEmergency, "emergency")
	back := checkpoint(t, s, memory.CheckpointRequest{Action: memory.CheckpointRestore, ID: pinned.ID})
	var removed []string
	for i := range 8 {
		removed = append(removed, create("", fmt.Sprint(i)).Removed...)
		create(domain.TriggerPreCompaction, fmt.Sprint(i))
	}
	if len(removed) != 3 {
		t.Errorf("%d went", len(removed))
	}
	count := map[domain.CheckpointClass]int{}
	left := map[string]bool{}
	for _, p := range listed(t, s, memory.CheckpointRequest{Ref: ref, Limit: 100}) {
		count[p.Class]++
		left[p.ID] = true
	}
	if count[domain.ClassManual] != 6 || count[domain.ClassAutomatic] != 6 || count[domain.ClassPreRestore] != 1 {
		t.Errorf("left: %v", count)
	}
	if !left[pinned.ID] || !left[emergency.ID] || !left[back.Restored.UndoID] {
		t.Error("a protected one went")
	}
	c.Pass(25 * time.Hour) // the emergency is not young any more
	create(domain.TriggerPreCompaction, "next day")
	if _, err := s.Checkpoint(ctx, memory.CheckpointRequest{Action: memory.CheckpointShow, ID: emergency.ID}); domain.KindOf(err) != domain.KindNotFound {
		t.Errorf("the old emergency: %v", err)
	}
	verified(t, s)
}

// 000-12, 000-23: list with filters and pages, show, pin, soft delete and its undo;
// restore and delete must be named.
func TestCheckpointActions(t *testing.T) {
	s, c := memorytest.Open(t)
	ref := byID(record(t, s, claude, user("x")).SessionID)
	var ids []string
	for i := range 5 {
		c.Pass(time.Minute)
		record(t, s, ref, user(strings.Repeat("word ", 100*i)))
		ids = append(ids, checkpoint(t, s, memory.CheckpointRequest{Label: fmt.Sprint("l", i), Ref: ref}).ID)
	}
	page := checkpoint(t, s, memory.CheckpointRequest{Ref: ref, Limit: 2})
	next := checkpoint(t, s, memory.CheckpointRequest{Ref: ref, Limit: 2, Cursor: page.NextCursor})
	if page.Checkpoints[0].ID != ids[4] || next.Checkpoints[0].ID != ids[2] || next.NextCursor == "" {
		t.Errorf("pages: %+v, %+v", page.Checkpoints, next.Checkpoints)
	}
	if n := len(listed(t, s, memory.CheckpointRequest{Ref: ref, MinTokens: 300})); n != 3 {
		t.Errorf("%d are large", n)
	}
	if first := listed(t, s, memory.CheckpointRequest{Ref: ref, OldestFirst: true})[0]; first.ID != ids[0] {
		t.Errorf("oldest first: %s", first.ID)
	}
	if a := checkpoint(t, s, memory.CheckpointRequest{ID: ids[1]}); a.Action != memory.CheckpointShow || a.Checkpoint.Label != "l1" {
		t.Errorf("an id alone shows: %+v", a)
	}
	checkpoint(t, s, memory.CheckpointRequest{Action: memory.CheckpointPin, ID: ids[0]})
	if _, err := s.Checkpoint(ctx, memory.CheckpointRequest{Action: memory.CheckpointDelete, ID: ids[0]}); domain.KindOf(err) != domain.KindConflict {
		t.Errorf("deleting a pinned one: %v", err)
	}
	checkpoint(t, s, memory.CheckpointRequest{Action: memory.CheckpointUnpin, ID: ids[0]})
	checkpoint(t, s, memory.CheckpointRequest{Action: memory.CheckpointDelete, ID: ids[0]})
	if n := len(listed(t, s, memory.CheckpointRequest{Ref: ref})); n != 4 {
		t.Errorf("%d are listed", n)
	}
	for _, action := range []memory.CheckpointAction{memory.CheckpointRestore, memory.CheckpointPin} {
		if _, err := s.Checkpoint(ctx, memory.CheckpointRequest{Action: action, ID: ids[0]}); domain.KindOf(err) != domain.KindConflict {
			t.Errorf("%s of a deleted one: %v", action, err)
		}
	}
	checkpoint(t, s, memory.CheckpointRequest{Action: memory.CheckpointUndelete, ID: ids[0]})
	checkpoint(t, s, memory.CheckpointRequest{Action: memory.CheckpointDelete, ID: ids[0]})
	c.Pass(31 * 24 * time.Hour)
	if _, err := s.Checkpoint(ctx, memory.CheckpointRequest{Action: memory.CheckpointUndelete, ID: ids[0]}); domain.KindOf(err) != domain.KindExpired {
		t.Errorf("after 31 days: %v", err)
	}
	if err := s.CleanSessions(ctx); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Checkpoint(ctx, memory.CheckpointRequest{Action: memory.CheckpointShow, ID: ids[0]}); domain.KindOf(err) != domain.KindNotFound {
		t.Errorf("after the clean-up: %v", err)
	}
	for _, bad := range []memory.CheckpointRequest{{Action: "explode"}, {OtherID: "x"}, {Action: memory.CheckpointRestore}, {Cursor: "x", Ref: ref},
		{Action: memory.CheckpointList, Trigger: "whim", Ref: ref},
		{Action: memory.CheckpointCreate, Trigger: "pre_restore", Ref: ref}, {ID: ids[1], Ref: byID("other")}} {
		if _, err := s.Checkpoint(ctx, bad); domain.KindOf(err) != domain.KindInvalid {
			t.Errorf("%+v: %v", bad, err)
		}
	}
}

// The difference between two points: messages, goals, findings, steps, mode, what
// was spent.
func TestDiff(t *testing.T) {
	s, _ := memorytest.Open(t)
	ref := byID(record(t, s, claude, user("one"), `{"type":"goal","id":"g","text":"ship it"}`).SessionID)
	from := checkpoint(t, s, memory.CheckpointRequest{Action: memory.CheckpointCreate, Ref: ref})
	record(t, s, ref, assistant("done"), user("thanks"), `{"type":"goal","id":"g","status":"done"}`, `{"type":"finding","kind":"fix","text":"a null check"}`,
		`{"type":"step","id":"s1","status":"completed"}`, `{"type":"mode","to":"review"}`,
		`{"type":"op","op_id":"o","kind":"llm","usage":{"input":5,"output":1}}`)
	a := checkpoint(t, s, memory.CheckpointRequest{Action: memory.CheckpointDiff, ID: from.ID})
	d := a.Diff
	if d.Messages["user"] != 1 || d.Messages["assistant"] != 1 || len(d.GoalsChanged) != 1 || len(d.Findings) != 1 || len(d.Steps) != 1 ||
		d.ModeTo != "review" || d.Spent.TokensIn != 5 || len(d.UserMessages) != 1 || d.UserMessages[0].Text != "thanks" {
		t.Errorf("%+v", d)
	}
	for _, want := range []string{"1 assistant, 1 user", "goal now done: ship it", "a null check", "s1", "review", "5 tokens in", "thanks"} {
		if !strings.Contains(a.Text, want) {
			t.Errorf("%q is missing in:\n%s", want, a.Text)
		}
	}
	record(t, s, ref, `{"type":"message","role":"user","media":[{"type":"image","mime":"image/png"}]}`)
	const wordless = "(pictures or files without words: 1)"
	if a := checkpoint(t, s, memory.CheckpointRequest{Action: memory.CheckpointDiff, ID: from.ID}); !strings.Contains(a.Text, "): "+wordless) {
		t.Errorf("a picture is told as\n%s", a.Text)
	}
	if a, err := s.SessionReport(ctx, memory.ReportRequest{Ref: ref, Format: memory.ReportTimeline}); err != nil || !strings.Contains(a.Text, " user: "+wordless) {
		t.Errorf("in the timeline, a picture is told as %v\n%s", err, a.Text)
	}
	to := checkpoint(t, s, memory.CheckpointRequest{Action: memory.CheckpointCreate, Ref: ref})
	backwards := checkpoint(t, s, memory.CheckpointRequest{ID: to.ID, OtherID: from.ID})
	if backwards.Diff.FromSeq != d.FromSeq || backwards.Diff.Messages["user"] != 2 {
		t.Errorf("in the other order: %+v", backwards.Diff)
	}
}

// A difference counts what was erased, but quotes nothing of it.
func TestDiffPastErased(t *testing.T) {
	s, _ := memorytest.Open(t)
	ref := byID(record(t, s, claude, user("one")).SessionID)
	from := checkpoint(t, s, memory.CheckpointRequest{Action: memory.CheckpointCreate, Ref: ref})
	record(t, s, ref, user("gone"), `{"type":"finding","kind":"fix","text":"gone"}`, user("stays"))
	for _, seq := range []int64{2, 3} {
		if _, err := s.PurgeEvent(ctx, ref.SessionID, seq); err != nil {
			t.Fatal(err)
		}
	}
	a := checkpoint(t, s, memory.CheckpointRequest{Action: memory.CheckpointDiff, ID: from.ID})
	if d := a.Diff; len(d.UserMessages) != 1 || d.UserMessages[0].Text != "stays" || len(d.Findings) != 0 || d.Messages["user"] != 2 {
		t.Errorf("%+v\n%s", d, a.Text)
	}
}

// A fork is a session of its own with what was in force, the same state by its
// hash, and none of the cost; the original does not change (000-18).
func TestFork(t *testing.T) {
	s, _ := memorytest.Open(t)
	long := strings.Repeat("long text ", 2000)
	ref := byID(record(t, s, claude, user("one"), `{"type":"mode","to":"code"}`, assistant(long), `{"type":"goal","id":"g","text":"x"}`,
		`{"type":"message","role":"assistant","tool_calls":[{"id":"t","name":"run"}]}`,
		`{"type":"finding","kind":"note","text":"n"}`, `{"type":"step","id":"a","status":"completed"}`,
		`{"type":"op","op_id":"o","kind":"llm","usage":{"input":5}}`).SessionID)
	save(t, s, memory.SaveRequest{Content: "We keep the ledger in Postgres", ActionType: domain.Decision, SessionID: ref.SessionID})
	first := checkpoint(t, s, memory.CheckpointRequest{Action: memory.CheckpointCreate, Ref: ref})
	record(t, s, ref, user("rolled back"))
	checkpoint(t, s, memory.CheckpointRequest{Action: memory.CheckpointRestore, ID: first.ID})
	record(t, s, ref, user("two"))
	point := checkpoint(t, s, memory.CheckpointRequest{Action: memory.CheckpointCreate, Ref: ref})
	before, _, err := s.Session(ctx, ref, memory.Caller{})
	if err != nil {
		t.Fatal(err)
	}
	fork := byID(checkpoint(t, s, memory.CheckpointRequest{Action: memory.CheckpointFork, ID: point.ID}).ForkID)
	twin := checkpoint(t, s, memory.CheckpointRequest{Action: memory.CheckpointCreate, Ref: fork})
	if twin.Checkpoint.StateHash != point.Checkpoint.StateHash {
		t.Errorf("state hash %s, of the original %s", twin.Checkpoint.StateHash, point.Checkpoint.StateHash)
	}
	users, err := s.UserMessages(ctx, fork.SessionID, 0)
	if err != nil || len(users) != 2 || users[1].Content != "two" {
		t.Errorf("%+v, %v", users, err)
	}
	report, err := s.SessionReport(ctx, memory.ReportRequest{Ref: fork})
	if err != nil || report.Totals != (domain.Totals{AgentsRun: 1}) || report.Session.ForkedFrom != ref.SessionID || report.Session.ParentID != "" ||
		!strings.Contains(report.Text, "forked from session "+ref.SessionID) {
		t.Errorf("%+v, %v", report, err)
	}
	after, _, err := s.Session(ctx, ref, memory.Caller{})
	if err != nil || after.LastSeq != before.LastSeq || after.Totals != before.Totals {
		t.Errorf("the original changed: %+v", after)
	}
	record(t, s, fork, user("on its own way"))
	save(t, s, memory.SaveRequest{Content: "The fork writes to MySQL instead", ActionType: domain.Decision, SessionID: fork.SessionID})
	for _, decision := range []string{"the ledger in Postgres", "The fork writes to MySQL"} {
		if a := resume(t, s, memory.ResumeRequest{Ref: fork}); strings.Count(a.Text, decision) != 1 {
			t.Errorf("the fork is not told once of %q:\n%s", decision, a.Text)
		}
	}
	verified(t, s)
}

// 000-08, 000-16: in OLLM's folder a session is where OLLM finds it: in the lists of
// snapshots, which keep the others, and with the hand-offs that have not expired. A client's
// id that is no name of a file does not lead out of the folder.
func TestExportIntoOLLM(t *testing.T) {
	s, c := memorytest.Open(t)
	ref := byID(record(t, s, memory.SessionRef{Client: "opencode", ClientSessionID: "../up"}, user("one"), `{"type":"mode","to":"code"}`).SessionID)
	expired := record(t, s, ref, `{"type":"mode","to":"debug"}`).Handoff
	c.Pass(2 * time.Hour)
	handed := record(t, s, ref, user("two"), `{"type":"mode","to":"code"}`).Handoff
	record(t, s, ref, `{"type":"mode","to":"review"}`) // in the same millisecond
	home := "context-snapshots/" + ref.SessionID + "/snapshots/"
	folder := map[string][]byte{
		home + "snapshots-index.json":         []byte(`{"version":"1.0","snapshots":[{"id":"other","timestamp":"2001-01-01T00:00:00.000Z","more":7}]}`),
		"context-snapshots/snapshot-map.json": []byte(`{"other":"x"}`),
	}
	read := func(name string) ([]byte, error) {
		if data, ok := folder[name]; ok {
			return data, nil
		}
		return nil, fs.ErrNotExist
	}
	for range 2 {
		if err := s.ExportOLLM(ctx, ref.SessionID, read, func(f transcript.File) error { folder[f.Name] = f.Data; return nil }); err != nil {
			t.Fatal(err)
		}
	}
	snapshot, at := home+"snapshot-"+ref.SessionID+".json", handed.CreatedAt.UnixMilli()
	transition, next := fmt.Sprintf("snapshots/session-%s/transition-%d.json", ref.SessionID, at), fmt.Sprintf("snapshots/session-%s/transition-%d.json", ref.SessionID, at+1)
	if names := slices.Sorted(maps.Keys(folder)); !slices.Equal(names, []string{snapshot, home + "snapshots-index.json", "context-snapshots/snapshot-map.json", transition, next}) {
		t.Errorf("files %q; the hand-off %s has expired", names, expired.ID)
	}
	for name, holds := range map[string][]string{
		home + "snapshots-index.json":         {`"more": 7`, fmt.Sprintf(`"size": %d`, len(folder[snapshot])), `"id": "` + ref.SessionID + `"`},
		"context-snapshots/snapshot-map.json": {`"other": "x"`, `"` + ref.SessionID + `": "` + ref.SessionID + `"`},
		transition:                            {`"fromMode": "debug"`, `"toMode": "code"`, `"content": "two"`},
		next:                                  {`"fromMode": "code"`, `"toMode": "review"`},
	} {
		for _, part := range holds {
			if strings.Count(string(folder[name]), part) != 1 {
				t.Errorf("%s does not hold %s once:\n%s", name, part, folder[name])
			}
		}
	}
}

// 000-08: a snapshot for OLLM holds what the session stands on: nothing that a restore
// rolled back, and the summary of what was compacted.
func TestExportAfterRestore(t *testing.T) {
	s, _ := memorytest.Open(t)
	ref := byID(record(t, s, claude, user("one"), assistant("two")).SessionID)
	point := checkpoint(t, s, memory.CheckpointRequest{Action: memory.CheckpointCreate, Ref: ref})
	record(t, s, ref, user("rolled back"), assistant("oops"))
	checkpoint(t, s, memory.CheckpointRequest{Action: memory.CheckpointRestore, ID: point.ID})
	record(t, s, ref, `{"type":"usage","tokens":900,"limit":1000}`, `{"type":"goal","id":"g","text":"mend","status":"done"}`,
		`{"type":"compaction","summary":"SUM","tokens_after":30}`, user("three"))
	var out bytes.Buffer
	if err := s.ExportAs(ctx, &out, memory.ExportOLLM, ref.SessionID, ""); err != nil {
		t.Fatal(err)
	}
	type counts struct{ TokenCount, ContextSize, TotalUserMessages, CheckpointCount, TotalCheckpoints, TotalGoalsCompleted int }
	var got struct {
		UserMessages, Messages []struct{ Content string }
		TokenCount             int
		Metadata               counts
	}
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	want := got
	want.TokenCount, want.Metadata = 30, counts{30, 1000, 2, 1, 1, 1}
	want.UserMessages, want.Messages = []struct{ Content string }{{"one"}, {"three"}}, []struct{ Content string }{{"two"}, {"SUM"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// 003-18, I14: a workflow that goes on after a restore goes by the completed steps in the
// answer, so it is told if there are more than the answer has room for.
func TestRestoreTellsOfMoreSteps(t *testing.T) {
	s, _ := memorytest.Open(t)
	ref := byID(record(t, s, claude, user("go on")).SessionID)
	for i := range 40 {
		record(t, s, ref, fmt.Sprintf(`{"type":"step","id":"step-%d","status":"completed"}`, i))
	}
	point := checkpoint(t, s, memory.CheckpointRequest{Action: memory.CheckpointCreate, Ref: ref})
	for _, budget := range []int{600, 0} {
		back := checkpoint(t, s, memory.CheckpointRequest{Action: memory.CheckpointRestore, ID: point.ID, TokenBudget: budget})
		want := ""
		if n := 40 - len(back.Restored.Steps); n > 0 {
			want = fmt.Sprintf("%d completed steps more: wake://sessions/%s/events", n, ref.SessionID)
		}
		if (want == "") != (budget == 0) || !strings.Contains(fmt.Sprint(back.Notes), want) {
			t.Errorf("with a budget of %d: %d steps, %q", budget, len(back.Restored.Steps), back.Notes)
		}
	}
}

// I21: a goal and an operation for which a resume has no room are counted.
func TestResumeTellsOfMoreGoals(t *testing.T) {
	s, _ := memorytest.Open(t)
	ref := byID(record(t, s, claude, user("go on"), `{"type":"goal","id":"short","text":"mend it"}`,
		fmt.Sprintf(`{"type":"goal","id":"long","text":%q}`, strings.Repeat("what is to be done ", 500)),
		fmt.Sprintf(`{"type":"op","op_id":%q,"kind":"tool","name":%q,"status":"started"}`, strings.Repeat("o", 500), strings.Repeat("n", 500))).SessionID)
	for _, budget := range []int{400, 20_000} {
		a := resume(t, s, memory.ResumeRequest{Ref: ref, TokenBudget: budget})
		for what, left := range map[string]int{"1 goal more: wake://": 2 - len(a.Goals), "1 open operation more: wake://": 1 - len(a.OpenOps)} {
			if told := strings.Contains(fmt.Sprint(a.Notes), what); told != (left == 1) || told != (budget == 400) {
				t.Errorf("with a budget of %d, %q is told: %v; %d goals, %d operations", budget, what, told, len(a.Goals), len(a.OpenOps))
			}
		}
	}
}

// I23: nothing that a kept checkpoint needs is pruned: not by the clean-up, not by
// a forgotten session that shares its texts.
func TestCheckpointNeedsStay(t *testing.T) {
	s, c := memorytest.Open(t)
	shared := strings.Repeat("the same long text ", 1000)
	ref := byID(record(t, s, claude, user(shared)).SessionID)
	other := record(t, s, memory.SessionRef{Client: "x", ClientSessionID: "y"}, user(shared))
	point := checkpoint(t, s, memory.CheckpointRequest{Action: memory.CheckpointCreate, Ref: ref})
	for range 8 {
		record(t, s, ref, `{"type":"compaction","trigger":"auto","summary":"s","tokens_before":9}`)
		checkpoint(t, s, memory.CheckpointRequest{Action: memory.CheckpointCreate, Ref: ref, Trigger: domain.TriggerPreCompaction})
	}
	if _, err := s.ForgetSession(ctx, memory.ForgetSessionRequest{SessionID: other.SessionID}); err != nil {
		t.Fatal(err)
	}
	c.Pass(31 * 24 * time.Hour)
	if err := s.CleanSessions(ctx); err != nil {
		t.Fatal(err)
	}
	back := checkpoint(t, s, memory.CheckpointRequest{Action: memory.CheckpointRestore, ID: point.ID})
	if m := back.Restored.Messages; len(m) != 1 || m[0].Content != shared {
		t.Errorf("restored %d messages", len(m))
	}
	verified(t, s)
}

// Checkpoints are pointers: a hundred of a session of 5 MB add under 2 MB to the
// file, and each is at most 10 KB.
func TestCheckpointsAreSmall(t *testing.T) {
	s, _ := memorytest.Open(t)
	config := s.SessionConfig()
	config.Keep = 0
	if err := s.SetSessionConfig(config); err != nil {
		t.Fatal(err)
	}
	var payloads []domain.Payload
	for i := range 500 {
		payloads = append(payloads, domain.Message{Role: domain.RoleUser, Content: fmt.Sprint(i, strings.Repeat(fmt.Sprint(" ", i*7919), 1500))})
	}
	ref := byID(appended(t, s, claude, payloads...).SessionID)
	owner, _, err := s.Session(ctx, ref, memory.Caller{})
	if err != nil || owner.Bytes < 5<<20 {
		t.Fatalf("%d bytes, %v", owner.Bytes, err)
	}
	size := func() int64 {
		damage(t, s, `PRAGMA wal_checkpoint(TRUNCATE)`)
		info, err := s.Store.Info(ctx)
		if err != nil {
			t.Fatal(err)
		}
		return info.Size
	}
	before := size()
	for range 100 {
		if c := checkpoint(t, s, memory.CheckpointRequest{Action: memory.CheckpointCreate, Ref: ref}); c.Checkpoint.Size > domain.MaxManifest {
			t.Fatalf("a checkpoint of %d bytes", c.Checkpoint.Size)
		}
	}
	if grown := size() - before; grown > 2<<20 {
		t.Errorf("100 checkpoints add %d bytes", grown)
	} else {
		t.Logf("100 checkpoints add %d bytes", grown)
	}
}
