package memory_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"wake/domain"
	"wake/memory"
	"wake/memory/memorytest"
)

// handoff does an action or ends the test.
func handoff(t testing.TB, s *memory.Service, req memory.HandoffRequest) memory.HandoffAnswer {
	t.Helper()
	a, err := s.Handoff(ctx, req)
	if err != nil {
		t.Fatalf("hand-off %s: %v", req.Action, err)
	}
	return a
}

// 000-13, 000-14, 000-15, 000-28, I8: a change of mode makes a hand-off by itself and gives
// it back on the switch: the last five messages with their own times, the findings
// by mode, what is in force; also from an empty chat.
func TestHandoffOnModeChange(t *testing.T) {
	s, c := memorytest.Open(t)
	first := record(t, s, claude, `{"type":"mode","to":"debug","skills":["go"],"tools":["grep"],"task":"find it"}`)
	if first.Handoff == nil || len(first.Handoff.MessageSeqs) != 0 || first.Handoff.ToMode != "debug" {
		t.Fatalf("from an empty chat: %+v", first.Handoff)
	}
	var times []time.Time
	for _, text := range []string{"1", "2", "3", "4", "5", "6", "7"} {
		c.Pass(time.Minute)
		times = append(times, c.Now())
		record(t, s, claude, user(text), `{"type":"message","role":"assistant","tool_calls":[{"id":"t`+text+`","name":"x"}]}`)
	}
	record(t, s, claude, `{"type":"finding","kind":"error","text":"TypeError"}`, `{"type":"finding","kind":"root_cause","text":"null check missing"}`,
		`{"type":"finding","kind":"fix","text":"add it"}`, `{"type":"reasoning","content":"hm","token_count":8,"complete":true}`)
	if again := record(t, s, claude, `{"type":"mode","to":"debug"}`); again.Handoff != nil {
		t.Error("the same mode is no change")
	}
	a := record(t, s, claude, `{"type":"mode","to":"code","tools":["edit"]}`)
	h := a.Handoff
	if h == nil || h.FromMode != "debug" || h.ToMode != "code" || h.Task != "find it" || h.Skills[0] != "go" || h.Tools[0] != "edit" {
		t.Fatalf("%+v", h)
	}
	if len(h.Messages) != 5 || h.Messages[0].Content != "3" || h.Messages[4].Content != "7" || !h.Messages[0].At.Equal(times[2]) {
		t.Errorf("messages %+v", h.Messages)
	}
	if none := record(t, s, claude, `{"type":"mode","to":"review","skills":[],"tools":[]}`).Handoff; len(none.Skills)+len(none.Tools) > 0 {
		t.Errorf("empty lists leave %+v in force", none)
	}
	want := map[string]domain.ModeFindings{"debug": {Errors: []string{"TypeError"}, RootCause: "null check missing", Fixes: []string{"add it"}}}
	if diff := cmp.Diff(want, h.Findings); diff != "" || len(h.Reasoning) != 1 || h.Reasoning[0].TokenCount != 8 {
		t.Errorf("findings: %s, reasoning %+v", diff, h.Reasoning)
	}
	verified(t, s)
}

// 000-15, 000-17: a hand-off stays small: a message that is too long to be handed on
// is pointed to.
func TestHandoffOfLongMessages(t *testing.T) {
	s, _ := memorytest.Open(t)
	long := strings.Repeat("日", 8001)
	a := record(t, s, claude, user(long), assistant(strings.Repeat("日", 8000)), `{"type":"mode","to":"code"}`)
	for _, h := range []*domain.Handoff{a.Handoff, handoff(t, restarted(t, s), memory.HandoffRequest{ID: a.Handoff.ID}).Handoff} {
		if m := h.Messages; len(m) != 2 || m[0].Content != "" || m[0].Pointer != "wake://sessions/"+a.SessionID+"/messages/1" || len(m[1].Content) != 24_000 || m[1].Pointer != "" {
			t.Errorf("%+v", m)
		}
	}
	whole, err := s.SessionMessage(ctx, a.SessionID, 1)
	if err != nil || whole.Content != long {
		t.Errorf("%d characters, %v", len(whole.Content), err)
	}
}

// What is given to be kept is kept where no action is named, and refused where the named
// one would drop it.
func TestHandoffActionIsRead(t *testing.T) {
	s, _ := memorytest.Open(t)
	ref := byID(record(t, s, claude, user("x")).SessionID)
	found := []domain.Finding{{Kind: domain.FindingFix, Text: "path is /"}}
	made := handoff(t, s, memory.HandoffRequest{Ref: ref, ToMode: "code", Task: "mend it"}).Handoff
	handoff(t, s, memory.HandoffRequest{Ref: ref, Findings: found})
	handoff(t, s, memory.HandoffRequest{Ref: ref, Important: new(true)})
	got := handoff(t, s, memory.HandoffRequest{Ref: ref, Important: new(false)}).Handoff // as a model fills in what it leaves out
	if got.ID != made.ID || got.Task != "mend it" || !got.Important || !strings.Contains(fmt.Sprint(got.Findings), "path is /") {
		t.Errorf("%+v", got)
	}
	for _, r := range []memory.HandoffRequest{
		{Action: memory.HandoffGet, Findings: found}, {Action: memory.HandoffList, Task: "mend it"}, {Action: memory.HandoffGet, Tools: []string{"grep"}},
		{Action: memory.HandoffKeep, Findings: found},
	} {
		r.Ref = ref
		_, err := s.Handoff(ctx, r)
		refused(t, err, domain.KindInvalid)
	}
}

// I8, 000-16, 000-24, 000-27: a hand-off is given out until it expires, also after
// a restart, and never after; an important one seven days; several to one mode do
// not overwrite each other.
func TestHandoffLifetime(t *testing.T) {
	s, c := memorytest.Open(t)
	ref := byID(record(t, s, claude, user("x"), `{"type":"mode","to":"code"}`).SessionID)
	first := record(t, s, ref, `{"type":"mode","to":"debug"}`).Handoff
	record(t, s, ref, `{"type":"mode","to":"code"}`)
	second := record(t, s, ref, `{"type":"mode","to":"debug"}`).Handoff
	c.Pass(59 * time.Minute)
	s = restarted(t, s)
	for _, h := range []*domain.Handoff{first, second} {
		if got := handoff(t, s, memory.HandoffRequest{ID: h.ID}); got.Handoff.Messages[0].Content != "x" {
			t.Errorf("%+v", got.Handoff)
		}
	}
	if got := handoff(t, s, memory.HandoffRequest{Ref: ref, ToMode: "debug"}); got.ID != second.ID {
		t.Errorf("the newest to debug is %s", got.ID)
	}
	kept := handoff(t, s, memory.HandoffRequest{Action: memory.HandoffKeep, ID: first.ID})
	if !kept.Handoff.Important || kept.Handoff.ExpiresAt.Sub(kept.Handoff.CreatedAt) != 7*24*time.Hour {
		t.Errorf("kept: %+v", kept.Handoff)
	}
	c.Pass(2 * time.Minute)
	if _, err := s.Handoff(ctx, memory.HandoffRequest{ID: second.ID}); domain.KindOf(err) != domain.KindExpired {
		t.Errorf("after an hour: %v", err)
	}
	if _, err := s.Handoff(ctx, memory.HandoffRequest{Action: memory.HandoffKeep, ID: second.ID}); domain.KindOf(err) != domain.KindExpired {
		t.Errorf("keeping an expired one: %v", err)
	}
	handoff(t, s, memory.HandoffRequest{ID: first.ID})
	if got := handoff(t, s, memory.HandoffRequest{Ref: ref}); got.ID != first.ID {
		t.Errorf("the newest that is given out still is %s", got.ID)
	}
	if list := handoff(t, s, memory.HandoffRequest{Action: memory.HandoffList, Ref: ref}); len(list.Handoffs) != 4 || !strings.Contains(list.Text, "expired") {
		t.Errorf("%s", list.Text)
	}
	c.Pass(8 * 24 * time.Hour)
	if _, err := s.Handoff(ctx, memory.HandoffRequest{ID: first.ID}); domain.KindOf(err) != domain.KindExpired {
		t.Errorf("after eight days: %v", err)
	}
	if err := s.CleanSessions(ctx); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Handoff(ctx, memory.HandoffRequest{ID: second.ID}); domain.KindOf(err) != domain.KindNotFound {
		t.Errorf("pruned: %v", err)
	}
}

// The hand-offs of a forgotten session are hidden with it, by their ids too.
func TestHandoffOfForgottenSession(t *testing.T) {
	s, _ := memorytest.Open(t)
	ref := byID(record(t, s, claude, user("the secret plan"), `{"type":"mode","to":"code"}`).SessionID)
	id := handoff(t, s, memory.HandoffRequest{Ref: ref}).ID
	if _, err := s.ForgetSession(ctx, memory.ForgetSessionRequest{SessionID: ref.SessionID}); err != nil {
		t.Fatal(err)
	}
	for _, r := range []memory.HandoffRequest{{Action: memory.HandoffGet}, {Action: memory.HandoffKeep}, {Action: memory.HandoffAddFindings, Findings: []domain.Finding{{Text: "x"}}}} {
		r.ID = id
		_, err := s.Handoff(ctx, r)
		refused(t, err, domain.KindExpired)
	}
	if _, err := s.ForgetSession(ctx, memory.ForgetSessionRequest{SessionID: ref.SessionID, Undo: true}); err != nil {
		t.Fatal(err)
	}
	handoff(t, s, memory.HandoffRequest{ID: id})
}

// 000-18, 000-28: one made on request; findings added to it are on disk and are
// events of the session.
func TestHandoffByHand(t *testing.T) {
	s, _ := memorytest.Open(t)
	ref := byID(record(t, s, claude, user("x")).SessionID)
	important := true
	made := handoff(t, s, memory.HandoffRequest{Action: memory.HandoffCreate, Ref: ref, FromMode: "code", ToMode: "plan", Task: "t", Skills: []string{"a"},
		Findings: []domain.Finding{{Text: "noted"}}, Important: &important})
	if h := made.Handoff; !slices.Equal(h.Findings["code"].Notes, []string{"noted"}) || !h.Important || h.Task != "t" {
		t.Errorf("%+v", h)
	}
	added := handoff(t, s, memory.HandoffRequest{Action: memory.HandoffAddFindings, ID: made.ID, Findings: []domain.Finding{{Kind: domain.FindingFix, Text: "fixed"}}})
	if m := added.Handoff.Messages; len(m) != 1 || !strings.Contains(added.Text, "] x\n") {
		t.Errorf("the answer has the messages %+v:\n%s", m, added.Text)
	}
	got := handoff(t, restarted(t, s), memory.HandoffRequest{ID: made.ID})
	if f := got.Handoff.Findings["code"]; len(f.Fixes) != 1 || len(f.Notes) != 1 {
		t.Errorf("after a restart: %+v", got.Handoff.Findings)
	}
	events, err := s.Store.Events(ctx, domain.EventQuery{SessionID: ref.SessionID, Types: []domain.EventType{domain.EventFinding}})
	if err != nil || len(events) != 2 {
		t.Errorf("%d findings are events, %v", len(events), err)
	}
	for _, bad := range []memory.HandoffRequest{{Action: "x"}, {Action: memory.HandoffCreate, Ref: ref}, {Action: memory.HandoffAddFindings, Ref: ref}} {
		if _, err := s.Handoff(ctx, bad); domain.KindOf(err) != domain.KindInvalid {
			t.Errorf("%+v: %v", bad, err)
		}
	}
	verified(t, s)
}

// A secret at which a text is cut is masked, too, wherever a hand-off has it.
func TestHandoffMasksBeforeItCuts(t *testing.T) {
	s, _ := memorytest.Open(t)
	const secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
	text := strings.Repeat("use it ", 55) + secret
	a := record(t, s, claude, user(text), `{"type":"finding","kind":"fix","text":"`+text+`"}`, `{"type":"reasoning","content":"`+text+`"}`, `{"type":"mode","to":"code"}`)
	made := handoff(t, s, memory.HandoffRequest{Action: memory.HandoffCreate, Ref: byID(a.SessionID), ToMode: "debug", Task: strings.Repeat("task ", 22) + secret})
	list := handoff(t, s, memory.HandoffRequest{Action: memory.HandoffList, Ref: byID(a.SessionID)})
	for _, told := range []string{made.Text, list.Text} {
		if strings.Contains(told, secret[:8]) || !strings.Contains(told, "task task") {
			t.Errorf("told:\n%s", told)
		}
	}
	if !strings.Contains(made.Text, "thought: use it") {
		t.Errorf("the thought is missing in:\n%s", made.Text)
	}
}

// Who names no session takes over what the project's newest session with a hand-off left,
// though a newer one has begun.
func TestHandoffReachesANewSession(t *testing.T) {
	s, c := memorytest.Open(t)
	left := record(t, s, memory.SessionRef{Client: "c", ClientSessionID: "left", Project: "demo"}, user("x")).SessionID
	made := handoff(t, s, memory.HandoffRequest{Action: memory.HandoffCreate, Ref: byID(left), ToMode: "code", Task: "build it"})
	c.Pass(time.Minute)
	fresh := record(t, s, memory.SessionRef{Client: "c", ClientSessionID: "fresh", Project: "demo"}, user("take over")).SessionID
	for _, by := range []memory.Caller{{}, {SessionID: fresh}} { // its connection may have recorded it
		got := handoff(t, s, memory.HandoffRequest{By: by})
		if got.ID != made.ID || !strings.Contains(strings.Join(got.Notes, "\n"), "with a hand-off ("+left+")") {
			t.Errorf("%v: %s, %q", by, got.ID, got.Notes)
		}
	}
	if _, err := s.Handoff(ctx, memory.HandoffRequest{Ref: byID(fresh)}); domain.KindOf(err) != domain.KindNotFound {
		t.Errorf("of the fresh one by name: %v", err)
	}
	if _, err := s.Handoff(ctx, memory.HandoffRequest{ToMode: "debug"}); domain.KindOf(err) != domain.KindNotFound {
		t.Errorf("to another mode: %v", err)
	}
	own := handoff(t, s, memory.HandoffRequest{Action: memory.HandoffCreate, Ref: byID(fresh), ToMode: "debug", Task: "trace it"})
	if got := handoff(t, s, memory.HandoffRequest{By: memory.Caller{SessionID: fresh}}); got.ID != own.ID || len(got.Notes) > 0 {
		t.Errorf("of its own: %s, %q", got.ID, got.Notes)
	}
}

// A change of mode does not hide what was handed over for it on request. It takes nothing
// from a hand-off for an earlier change, nor from one that was taken back.
func TestChangeTakesWhatWasPrepared(t *testing.T) {
	s, _ := memorytest.Open(t)
	id := record(t, s, claude, user("x"), `{"type":"mode","to":"plan","task":"plan it","skills":["read"]}`).SessionID
	change := func(to string) {
		t.Helper()
		record(t, s, claude, user("on"), `{"type":"mode","to":"`+to+`"}`)
	}
	told := func(want string, skills ...string) {
		t.Helper()
		if h := handoff(t, s, memory.HandoffRequest{Ref: byID(id)}).Handoff; h.Task != want || !slices.Equal(h.Skills, skills) || h.ToMode != "code" {
			t.Errorf("%q is handed over to %s, with %q; want %q with %q", h.Task, h.ToMode, h.Skills, want, skills)
		}
	}
	handoff(t, s, memory.HandoffRequest{Action: memory.HandoffCreate, Ref: byID(id), ToMode: "code", Task: "build it", Skills: []string{"edit"}})
	change("code")
	told("build it", "edit")
	change("plan")
	change("code")
	told("plan it", "read")
	change("plan")
	made, err := s.Checkpoint(ctx, memory.CheckpointRequest{Action: memory.CheckpointCreate, Ref: byID(id)})
	if err != nil {
		t.Fatal(err)
	}
	record(t, s, claude, user("y"))
	handoff(t, s, memory.HandoffRequest{Action: memory.HandoffCreate, Ref: byID(id), ToMode: "code", Task: "wrong way"})
	if _, err := s.Checkpoint(ctx, memory.CheckpointRequest{Action: memory.CheckpointRestore, Ref: byID(id), ID: made.ID}); err != nil {
		t.Fatal(err)
	}
	change("code")
	told("plan it", "read")
}

// What writes to a hand-off never guesses whose, and adds to none that has expired.
func TestHandoffWritesNeverGuess(t *testing.T) {
	s, c := memorytest.Open(t)
	ref := byID(record(t, s, claude, user("x")).SessionID)
	made := handoff(t, s, memory.HandoffRequest{Action: memory.HandoffCreate, Ref: ref, ToMode: "plan"})
	add := memory.HandoffRequest{Action: memory.HandoffAddFindings, Findings: []domain.Finding{{Text: "noted"}}}
	for _, req := range []memory.HandoffRequest{add, {Action: memory.HandoffKeep}} {
		_, err := s.Handoff(ctx, req)
		refused(t, err, domain.KindInvalid)
		if err != nil && !strings.Contains(err.Error(), ref.SessionID) {
			t.Errorf("the candidates: %v", err)
		}
	}
	c.Pass(2 * time.Hour)
	add.ID = made.ID
	_, err := s.Handoff(ctx, add)
	refused(t, err, domain.KindExpired)
	verified(t, s)
}

// 000-17, 000-22, 000-25: the two kinds of snapshot do not get in each other's way: one
// session has both, each with its own life.
func TestCheckpointsAndHandoffsTogether(t *testing.T) {
	s, c := memorytest.Open(t)
	ref := byID(record(t, s, claude, user("one"), `{"type":"goal","id":"g","text":"x"}`).SessionID)
	point := checkpoint(t, s, memory.CheckpointRequest{Action: memory.CheckpointCreate, Ref: ref})
	h := record(t, s, ref, `{"type":"mode","to":"debug"}`).Handoff
	// A failed switch of mode falls back on the checkpoint (000-18).
	back := checkpoint(t, s, memory.CheckpointRequest{Action: memory.CheckpointRestore, ID: point.ID})
	if back.Restored.Mode != "" || len(back.Restored.Goals) != 1 {
		t.Errorf("%+v", back.Restored)
	}
	handoff(t, s, memory.HandoffRequest{ID: h.ID})
	c.Pass(2 * time.Hour)
	if _, err := s.Handoff(ctx, memory.HandoffRequest{ID: h.ID}); domain.KindOf(err) != domain.KindExpired {
		t.Errorf("the hand-off: %v", err)
	}
	checkpoint(t, s, memory.CheckpointRequest{Action: memory.CheckpointShow, ID: point.ID})
}

// 000-27: transitions are counted, timed and can be replayed with their hand-offs.
func TestTransitionAnalytics(t *testing.T) {
	s, c := memorytest.Open(t)
	var id string
	for _, mode := range []string{"code", "debug", "code", "debug"} {
		id = record(t, s, claude, user(mode), `{"type":"mode","to":"`+mode+`"}`).SessionID
		c.Pass(10 * time.Minute)
	}
	c.Pass(7 * 24 * time.Hour)
	record(t, s, claude, `{"type":"mode","to":"plan"}`)
	report, err := s.SessionReport(ctx, memory.ReportRequest{Ref: byID(id)})
	if err != nil || len(report.Transitions) != 4 || report.Transitions[0] != (memory.ModeTransition{From: "code", To: "debug", Count: 2, Seconds: 600}) {
		t.Errorf("%+v, %v", report.Transitions, err)
	}
	for _, want := range []string{"mode code → debug: 2 times, after 10 min in code on average\n", "mode start → code: 1 time\n", "mode debug → plan: 1 time, after 7 days in debug\n"} {
		if !strings.Contains(report.Text, want) {
			t.Errorf("%q is missing in %s", want, report.Text)
		}
	}
	line, err := s.SessionReport(ctx, memory.ReportRequest{Ref: byID(id), Format: memory.ReportTimeline})
	if err != nil {
		t.Fatal(err)
	}
	last := line.Timeline[len(line.Timeline)-1]
	if h := handoff(t, s, memory.HandoffRequest{ID: last.Handoff}); h.Handoff.Seq != last.Seq || h.Handoff.Messages[3].Content != "debug" ||
		!strings.HasSuffix(line.Text, "mode plan, hand-off "+h.ID+"\n") {
		t.Errorf("%+v, %s", h.Handoff, line.Text)
	}
}

// The modes of a hand-off are held to what a change of mode is held to, and what is refused
// leaves nothing behind.
func TestHandoffRefused(t *testing.T) {
	s, _ := memorytest.Open(t)
	ref := byID(record(t, s, claude, user("one")).SessionID)
	for _, req := range []memory.HandoffRequest{{}, {ToMode: strings.Repeat("x", 60_000)}, {ToMode: "a\x00b"}, {ToMode: "a", FromMode: "\xff"}} {
		req.Action, req.Ref, req.Findings = memory.HandoffCreate, ref, []domain.Finding{{Text: "found"}}
		_, err := s.Handoff(ctx, req)
		refused(t, err, domain.KindInvalid)
	}
	if owner, _, err := s.Session(ctx, ref, memory.Caller{}); err != nil || owner.LastSeq != 1 {
		t.Errorf("the session has %d events, %v", owner.LastSeq, err)
	}
}
