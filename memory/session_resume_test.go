package memory_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"wake/domain"
	"wake/memory"
	"wake/memory/memorytest"
	"wake/session"
)

func resume(t testing.TB, s *memory.Service, req memory.ResumeRequest) memory.ResumeAnswer {
	t.Helper()
	a, err := s.Resume(ctx, req)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// 004-04, 004-11, 004-17: the cache is taken where it is fit, with the events since:
// what the user and tools said after the last answer is never lost.
func TestResumeFromCache(t *testing.T) {
	s, _ := memorytest.Open(t)
	ref := byID(record(t, s, claude, user("one"), assistant("two")).SessionID)
	a := resume(t, s, memory.ResumeRequest{Ref: ref})
	if a.Source != memory.FromCache || len(a.Messages) != 2 {
		t.Errorf("%s with %d messages", a.Source, len(a.Messages))
	}
	record(t, s, ref, user("three"))
	a = resume(t, s, memory.ResumeRequest{Ref: ref})
	if a.Source != memory.FromCache || len(a.Messages) != 3 || a.Messages[2].Content != "three" {
		t.Errorf("%s: %+v", a.Source, a.Messages)
	}
}

// 004-10, 004-12, 004-13, I12: made for another system prompt, for another epoch, or
// damaged, the cache is not taken; the answer is the same without it.
func TestResumeWithoutCache(t *testing.T) {
	s, _ := memorytest.Open(t)
	ref := byID(record(t, s, claude, `{"type":"message","role":"system","content":"You are A."}`, user("one"), assistant("two")).SessionID)
	with := resume(t, s, memory.ResumeRequest{Ref: ref, SystemPrompt: "You are A."})
	without := resume(t, s, memory.ResumeRequest{Ref: ref, SystemPrompt: "You are B."})
	if with.Source != memory.FromCache || without.Source != memory.FromReplay {
		t.Errorf("sources %s and %s", with.Source, without.Source)
	}
	if byHash := resume(t, s, memory.ResumeRequest{Ref: ref, PromptHash: domain.HashText("You are A.")}); byHash.Source != memory.FromCache {
		t.Errorf("by hash: %s", byHash.Source)
	}
	if diff := cmp.Diff(with.Messages, without.Messages); diff != "" {
		t.Errorf("with and without cache: %s", diff)
	}
	record(t, s, ref, `{"type":"compaction","summary":"S"}`)
	if a := resume(t, s, memory.ResumeRequest{Ref: ref}); a.Epoch != 2 || len(a.Messages) != 1 || a.Messages[0].Content != "S" {
		t.Errorf("after the compaction: %+v", a)
	}
}

// 004-01, I21: one message that is too large for the budget, or for the cache, becomes
// a pointer and keeps nothing out that was said before it.
func TestResumePastHugeMessages(t *testing.T) {
	s, _ := memorytest.Open(t)
	huge := strings.Repeat("a line of the file\n", 4000)
	for name, events := range map[string][]string{
		"said last":   {user("one"), assistant("two"), user("three"), assistant(huge)},
		"said before": {user("one"), assistant(huge), user("three"), assistant("four")},
		"by a tool": {user("one"), `{"type":"message","role":"assistant","tool_calls":[{"id":"t","name":"read"}]}`,
			fmt.Sprintf(`{"type":"message","role":"tool","tool_call_id":"t","content":%q}`, huge), assistant("four")},
	} {
		ref := byID(record(t, s, memory.SessionRef{Client: "c", ClientSessionID: name}, events...).SessionID)
		for _, budget := range []int{4000, 100_000} {
			a := resume(t, s, memory.ResumeRequest{Ref: ref, TokenBudget: budget})
			if a.Source != memory.FromCache || len(a.Messages) != 4 || a.Earlier != nil {
				t.Errorf("%s, %d tokens, from %s: %d messages, earlier %v", name, budget, a.Source, len(a.Messages), a.Earlier)
			}
			for _, m := range a.Messages {
				if whole := m.Pointer == ""; whole == (len(m.Content) == 0 && len(m.ToolCalls) == 0) || !whole && budget > 50_000 {
					t.Errorf("%s, %d tokens: event %d has the pointer %q", name, budget, m.Seq, m.Pointer)
				}
			}
		}
	}
}

// A text that is read alone has the budget that messages would take beside it.
func TestResumeTextOnly(t *testing.T) {
	s, _ := memorytest.Open(t)
	var said []string
	for i := range 40 {
		said = append(said, user(fmt.Sprintf("wish %d: the cart rounds each line before it adds", i)), assistant("done"))
	}
	ref := byID(record(t, s, claude, said...).SessionID)
	for _, budget := range []int64{200, 400, 600} {
		a := resume(t, s, memory.ResumeRequest{Ref: ref, TokenBudget: int(budget), TextOnly: true})
		if n := domain.Tokens(a.Text); n > budget || n < budget/2 || len(a.Messages) > 0 {
			t.Errorf("of %d tokens the text takes %d, beside %d messages", budget, n, len(a.Messages))
		}
	}
}

// 004-13, 004-17, I12: where the client records its system prompt, a resume with another
// one does not take the cache, and says so.
func TestResumeSeesAnotherPrompt(t *testing.T) {
	s, _ := memorytest.Open(t)
	system := func(text string) string { return fmt.Sprintf(`{"type":"message","role":"system","content":%q}`, text) }
	ref := byID(record(t, s, claude, system("You are A."), user("one"), assistant("two"), user("three"), assistant(strings.Repeat("long ", 3000))).SessionID)
	expect := func(prompt string, source memory.ResumeSource) {
		t.Helper()
		a := resume(t, s, memory.ResumeRequest{Ref: ref, SystemPrompt: prompt})
		if told := strings.Contains(a.Text, "not the system prompt given"); a.Source != source || told == (source == memory.FromCache) {
			t.Errorf("with %q from %s:\n%s", prompt, a.Source, a.Text)
		}
	}
	expect("", memory.FromCache)
	expect("You are A.", memory.FromCache)
	expect("You are B.", memory.FromReplay)
	record(t, s, ref, system("You are B."), assistant("four"))
	expect("You are B.", memory.FromCache)
	expect("You are A.", memory.FromReplay)
}

// I12, I3: whatever happened, resume from the cache, from the snapshot and from
// the whole log give the same messages, goals and steps.
func TestResumeAgrees(t *testing.T) {
	s, _ := memorytest.Open(t)
	config := s.SessionConfig()
	config.SnapshotInterval = 7
	if err := s.SetSessionConfig(config); err != nil {
		t.Fatal(err)
	}
	n := 0
	rapid.Check(t, func(rt *rapid.T) {
		n++
		ref := memory.SessionRef{Client: "agree", ClientSessionID: fmt.Sprint(n)}
		id := ""
		for i := range rapid.IntRange(1, 12).Draw(rt, "steps") {
			id = someActivity(rt, t, s, ref, i)
		}
		a := resume(t, s, memory.ResumeRequest{Ref: byID(id), TokenBudget: 20000})
		damage(t, s, "DELETE FROM working_contexts WHERE session_id = $1", id)
		b := resume(t, s, memory.ResumeRequest{Ref: byID(id), TokenBudget: 20000})
		damage(t, s, "DELETE FROM state_snapshots WHERE session_id = $1", id)
		damage(t, s, `UPDATE sessions SET doc = json_set(doc, '$.snapshot_seq', 0) WHERE id = $1`, id)
		c := resume(t, s, memory.ResumeRequest{Ref: byID(id), TokenBudget: 20000})
		for _, other := range []memory.ResumeAnswer{b, c} {
			if diff := cmp.Diff(a.Messages, other.Messages) + cmp.Diff(a.Goals, other.Goals) + cmp.Diff(a.Steps, other.Steps) + cmp.Diff(a.Epoch, other.Epoch); diff != "" {
				rt.Fatalf("%s against %s:\n%s", a.Source, other.Source, diff)
			}
		}
	})
	verified(t, s)
}

// someActivity does one thing in a session and returns its id.
func someActivity(rt *rapid.T, t testing.TB, s *memory.Service, ref memory.SessionRef, i int) string {
	text := rapid.StringN(0, 40, 160).Draw(rt, "text")
	payloads := []domain.Payload{
		domain.Message{Role: domain.RoleUser, Content: text}, domain.Message{Role: domain.RoleAssistant, Content: "x" + text, Model: "m"},
		domain.Message{Role: domain.RoleUser, Media: []domain.Media{{Type: "file", Name: text}}},
		domain.Message{Role: domain.RoleAssistant, Content: strings.Repeat(text+"y", 300)},
		domain.Message{Role: domain.RoleAssistant, ToolCalls: []domain.ToolCall{{ID: fmt.Sprint("t", i), Name: "run"}}},
		domain.Message{Role: domain.RoleTool, ToolCallID: fmt.Sprint("t", i-1), ToolName: "run", Content: text},
		domain.Goal{ID: fmt.Sprint(i % 3), Text: text, Status: domain.GoalActive}, domain.Step{ID: fmt.Sprint(i % 3), Status: domain.StepCompleted},
		domain.Compaction{Trigger: "manual", Summary: text}, domain.Mode{To: fmt.Sprint(i % 2)},
	}
	a := appended(t, s, ref, payloads[rapid.IntRange(0, len(payloads)-1).Draw(rt, "what")])
	if rapid.IntRange(0, 3).Draw(rt, "checkpoint") == 0 {
		p := checkpoint(t, s, memory.CheckpointRequest{Action: memory.CheckpointCreate, Ref: byID(a.SessionID), Trigger: domain.TriggerPreCompaction})
		if rapid.Bool().Draw(rt, "restore") {
			appended(t, s, ref, domain.Message{Role: domain.RoleUser, Content: "lost"})
			checkpoint(t, s, memory.CheckpointRequest{Action: memory.CheckpointRestore, ID: p.ID})
		}
	}
	return a.SessionID
}

// I20, 004-02: a restored transcript has each tool call answered, and no answer without
// its call.
func TestResumeClosesCalls(t *testing.T) {
	s, _ := memorytest.Open(t)
	ref := byID(record(t, s, claude, user("go"),
		`{"type":"message","role":"assistant","tool_calls":[{"id":"a","name":"run"},{"id":"b","name":"run"}]}`,
		`{"type":"message","role":"tool","tool_call_id":"b","tool_name":"run","content":"ok"}`,
		`{"type":"message","role":"tool","tool_call_id":"ghost","content":"orphan"}`).SessionID)
	a := resume(t, s, memory.ResumeRequest{Ref: ref})
	if len(a.OpenOps) != 1 || a.OpenOps[0].ID != "a" || !strings.Contains(a.Text, "never answered") {
		t.Errorf("open: %+v\n%s", a.OpenOps, a.Text)
	}
	answers := map[string]string{}
	for _, m := range a.Messages {
		if m.Role == domain.RoleTool {
			answers[m.ToolCallID] = m.Content + m.Error
		}
	}
	if diff := cmp.Diff(map[string]string{"a": session.Interrupted, "b": "ok"}, answers); diff != "" {
		t.Errorf("answers: %s", diff)
	}
	whole, err := s.WorkingContext(ctx, ref.SessionID)
	if err != nil || len(whole) != 4 {
		t.Errorf("%d messages, %v", len(whole), err)
	}
}

// What has ended is not open, though a client tells of its beginning later or again.
func TestResumeOpensNothingAgain(t *testing.T) {
	s, _ := memorytest.Open(t)
	ref := byID(record(t, s, claude, user("go"),
		`{"type":"message","role":"tool","tool_call_id":"late","tool_name":"run","content":"ok"}`,
		`{"type":"message","role":"assistant","tool_calls":[{"id":"late","name":"run"},{"id":"open","name":"run"}]}`,
		`{"type":"op","op_id":"again","kind":"tool","name":"build","status":"ok"}`,
		`{"type":"op","op_id":"again","kind":"tool","name":"build","status":"started"}`).SessionID)
	if a := resume(t, s, memory.ResumeRequest{Ref: ref}); len(a.OpenOps) != 1 || a.OpenOps[0].ID != "open" {
		t.Errorf("open: %+v\n%s", a.OpenOps, a.Text)
	}
}

// I21: the whole answer stays within its budget, whatever is in the session; the
// user's last message is in it or pointed to.
func TestResumeFitsItsBudget(t *testing.T) {
	s, _ := memorytest.Open(t)
	n := 0
	rapid.Check(t, func(rt *rapid.T) {
		n++
		ref := memory.SessionRef{Client: "budget", ClientSessionID: fmt.Sprint(n)}
		var last string
		var payloads []domain.Payload
		for range rapid.IntRange(1, 15).Draw(rt, "messages") {
			last = rapid.OneOf(rapid.StringN(1, 60, 200), rapid.Just(strings.Repeat("long and boring ", 600)), rapid.Just(strings.Repeat("日本語", 300))).Draw(rt, "text")
			payloads = append(payloads, domain.Message{Role: domain.RoleUser, Content: last}, domain.Message{Role: domain.RoleAssistant, Content: last},
				domain.Finding{Kind: domain.FindingNote, Text: "x" + last}, domain.Goal{ID: "g", Text: last, Status: domain.GoalActive},
				domain.Step{ID: fmt.Sprint("s", len(last)), Status: domain.StepCompleted, Output: json.RawMessage(`"x"`)})
		}
		id := appended(t, s, ref, payloads...).SessionID
		budget := rapid.IntRange(1000, 12000).Draw(rt, "budget")
		a := resume(t, s, memory.ResumeRequest{Ref: byID(id), TokenBudget: budget})
		data, err := json.Marshal(a)
		if err != nil {
			rt.Fatal(err)
		}
		// The text goes twice: in the data and as words.
		if got := domain.Tokens(string(data)) + domain.Tokens(a.Text); got > int64(budget) {
			rt.Fatalf("%d tokens of %d", got, budget)
		}
		found := strings.Contains(a.Text, memory.PlainText(last)) || strings.Contains(a.Text, "/messages/")
		for _, m := range a.Messages {
			found = found || m.Content == last || m.Pointer != ""
		}
		if !found {
			rt.Fatalf("the last message is neither in nor pointed to:\n%s", a.Text)
		}
	})
}

// I21: what few messages leave of the budget goes to steps and findings; what has no
// room is counted.
func TestResumeUsesItsBudget(t *testing.T) {
	s, _ := memorytest.Open(t)
	payloads := []domain.Payload{domain.Message{Role: domain.RoleUser, Content: "go"}}
	for i := range 100 {
		payloads = append(payloads, domain.Finding{Kind: domain.FindingNote, Text: fmt.Sprint(i, strings.Repeat(" found", 20))},
			domain.Step{ID: fmt.Sprint("s", i), Status: domain.StepCompleted})
	}
	ref := byID(appended(t, s, claude, payloads...).SessionID)
	if a := resume(t, s, memory.ResumeRequest{Ref: ref, TokenBudget: 25_000}); len(a.Findings) != 100 || len(a.Steps) != 100 || len(a.Notes) != 0 {
		t.Errorf("%d findings, %d steps, notes %q", len(a.Findings), len(a.Steps), a.Notes)
	}
	a := resume(t, s, memory.ResumeRequest{Ref: ref, TokenBudget: 4_000})
	told := strings.Join(a.Notes, "; ")
	if n := 100 - len(a.Findings); n == 0 || !strings.Contains(told, domain.Many(n, "finding")+" more") {
		t.Errorf("%d findings, %d steps, notes %q", len(a.Findings), len(a.Steps), told)
	}
}

// A client opens a session at each start; who asks to resume without a name wants the
// one with a message before it, also when that has ended, and never a sub-agent's.
func TestResumePassesOverWhatJustBegan(t *testing.T) {
	s, clock := memorytest.Open(t)
	record := func(id, parent string, events ...string) string {
		t.Helper()
		clock.Pass(time.Minute)
		var raw []json.RawMessage
		for _, e := range events {
			raw = append(raw, json.RawMessage(e))
		}
		a, err := s.Record(ctx, memory.RecordRequest{Ref: memory.SessionRef{Client: "claude-code", ClientSessionID: id},
			Open: memory.SessionOpening{ParentSessionID: parent}, Events: raw})
		if err != nil {
			t.Fatal(err)
		}
		return a.SessionID
	}
	const answer = `{"type":"message","role":"assistant","content":"Done."}`
	yesterday := record("yesterday", "", user("make it faster"), answer)
	record("agent", yesterday, user("look for slow tests"), answer, `{"type":"end"}`)
	record("yesterday", "", `{"type":"end"}`)
	today := record("today", "")
	for _, said := range [][]string{
		nil,
		{`{"type":"message","role":"user","kind":"meta","content":"<cwd>/src/shop</cwd>"}`, user("go on where we were")},
		{assistant("I look into memory first."), `{"type":"message","role":"assistant","tool_calls":[{"id":"c","name":"mcp__wake__search_context"}]}`,
			`{"type":"message","role":"tool","tool_call_id":"c","content":"1 hit: ` + memory.QuoteNotice + `"}`},
	} {
		record("today", "", said...)
		if a := resume(t, s, memory.ResumeRequest{}); a.SessionID != yesterday {
			t.Errorf("after %q: resumed %s, want yesterday's %s", said, a.SessionID, yesterday)
		}
	}
	// One that a crash cut off behind its first prompt has that prompt to tell.
	crashed := record("crashed", "", user("split the cart"))
	record("today", "", `{"type":"goal","id":"g","text":"go on"}`)
	if a := resume(t, s, memory.ResumeRequest{}); a.SessionID != crashed {
		t.Errorf("resumed %s, want the one that crashed, %s", a.SessionID, crashed)
	}
	if a := resume(t, s, memory.ResumeRequest{Ref: byID(today)}); a.SessionID != today {
		t.Error("one that is named is taken")
	}
	const calls = `{"type":"message","role":"assistant","tool_calls":[{"id":"d","name":"Bash"}]}`
	for i, begins := range []string{user("go on"), answer, calls, `{"type":"message","role":"tool","tool_call_id":"d","content":"ok"}`} {
		begun := record(fmt.Sprint("begun ", i), "", user("go on"), begins)
		if a := resume(t, s, memory.ResumeRequest{}); a.SessionID != begun {
			t.Errorf("after %q: resumed %s, want the one that has begun, %s", begins, a.SessionID, begun)
		}
	}
}

// 004-05: resume changes nothing, to the byte; and an agent's newest session is found.
func TestResumeChangesNothing(t *testing.T) {
	s, _ := memorytest.Open(t)
	a, err := s.Record(ctx, memory.RecordRequest{Ref: claude, Open: memory.SessionOpening{AgentID: "agent-7"}, Events: []json.RawMessage{json.RawMessage(user("one"))}})
	if err != nil {
		t.Fatal(err)
	}
	before, _, err := s.Session(ctx, byID(a.SessionID), memory.Caller{})
	if err != nil {
		t.Fatal(err)
	}
	first := resume(t, s, memory.ResumeRequest{AgentID: "agent-7"})
	second := resume(t, s, memory.ResumeRequest{AgentID: "agent-7"})
	after, _, err := s.Session(ctx, byID(a.SessionID), memory.Caller{})
	if err != nil || cmp.Diff(before, after) != "" || cmp.Diff(first, second) != "" || first.Epoch != 1 {
		t.Errorf("%v %s %s", err, cmp.Diff(before, after), cmp.Diff(first, second))
	}
	if _, err := s.Resume(ctx, memory.ResumeRequest{AgentID: "agent-7", Ref: memory.SessionRef{Project: "elsewhere"}}); domain.KindOf(err) != domain.KindNotFound {
		t.Errorf("an agent in a project that it has no session in: %v", err)
	}
	if _, err := s.Resume(ctx, memory.ResumeRequest{AgentID: "nobody"}); domain.KindOf(err) != domain.KindNotFound || domain.HintOf(err) != domain.ListSessions {
		t.Errorf("an unknown agent: %v", err)
	}
}

// 004-01, 004-10: without messages the context is built of what was saved: at most
// 3 episodic and 20 semantic ones, quoted.
func TestResumeRebuilds(t *testing.T) {
	s, c := memorytest.Open(t)
	ref := byID(record(t, s, claude, `{"type":"goal","id":"g","text":"x"}`).SessionID)
	for i := range 30 {
		c.Pass(time.Minute)
		save(t, s, memory.SaveRequest{Content: fmt.Sprintf("Decision number %d about the storage engine", i), ActionType: domain.Decision})
		save(t, s, memory.SaveRequest{Content: fmt.Sprintf("Episode number %d of the morning", i)})
	}
	a := resume(t, s, memory.ResumeRequest{Ref: ref, TokenBudget: 20000})
	if a.Source != memory.FromRebuild || len(a.Messages) != 1 {
		t.Fatalf("%s with %d messages", a.Source, len(a.Messages))
	}
	if at := a.Messages[0].At; !at.Equal(c.Now()) {
		t.Errorf("what is kept is of %s, not %s", at, c.Now())
	}
	text := a.Messages[0].Content
	if n := strings.Count(text, "<wake-memory"); n != 23+1 || !strings.Contains(text, "[MEMORY:SEMANTIC]") || !strings.Contains(text, "[MEMORY:EPISODIC]") {
		t.Errorf("%d quotations in:\n%s", n, text)
	}
	// The text alone says it too: some clients give a model nothing else. What was saved
	// in the session itself is not told twice.
	own := save(t, s, memory.SaveRequest{Content: "Own decision of the session", ActionType: domain.Decision, SessionID: ref.SessionID}).ID
	a = resume(t, s, memory.ResumeRequest{Ref: ref, TokenBudget: 20000})
	if !strings.Contains(a.Text, "- Decision number 29") || !strings.Contains(a.Text, "- Episode number 29") || strings.Count(a.Text, own) != 1 {
		t.Errorf("the text:\n%s", a.Text)
	}
}

// A model that starts anew is not handed what was replaced beside what holds, nor less of
// what holds for that.
func TestResumeRebuildsWhatHolds(t *testing.T) {
	s, _ := memorytest.Open(t)
	ref := byID(record(t, s, claude, `{"type":"goal","id":"g","text":"x"}`).SessionID)
	save(t, s, memory.SaveRequest{Content: "Carts expire after 30 days.", ActionType: domain.Decision})
	port := ""
	for i := range 25 {
		port = save(t, s, memory.SaveRequest{Content: fmt.Sprintf("The server listens at port %d.", 9000+i), ActionType: domain.Decision, Supersedes: port, SessionID: ref.SessionID}).ID
	}
	a := resume(t, s, memory.ResumeRequest{Ref: ref, TokenBudget: 20000})
	for _, text := range []string{a.Messages[0].Content, a.Text} {
		if !strings.Contains(text, "port 9024") || !strings.Contains(text, "Carts expire") || strings.Count(text, "listens at port") != 1 {
			t.Errorf("handed back:\n%s", text)
		}
	}
}

// 002-03: a decision of the session that is also among what its project keeps is handed
// back once in one answer, and counts once.
func TestResumeCountsOnce(t *testing.T) {
	s, _ := memorytest.Open(t)
	ref := memory.SessionRef{Client: "x", ClientSessionID: "counted"}
	id := record(t, s, ref).SessionID
	saved := save(t, s, memory.SaveRequest{Content: "We chose SQLite because it needs no server.", ActionType: "decision", SessionID: id})
	if a, err := s.Resume(ctx, memory.ResumeRequest{Ref: memory.SessionRef{SessionID: id}}); err != nil || a.Source != memory.FromRebuild {
		t.Fatal(a.Source, err)
	}
	if err := s.Flush(ctx); err != nil {
		t.Fatal(err)
	}
	list, err := s.Store.ContextsByID(ctx, []string{saved.ID}, false)
	if err != nil || len(list) != 1 || list[0].Memory.AccessCount != 1 {
		t.Errorf("%+v, %v; want one access", list, err)
	}
}

// 004-10, I2: a rebuild takes the last turns that are in force: what a restore has
// rolled back is not told as what happened last.
func TestRebuildAfterRestore(t *testing.T) {
	s, _ := memorytest.Open(t)
	ref := byID(record(t, s, claude, `{"type":"goal","id":"g","text":"x"}`).SessionID)
	start := checkpoint(t, s, memory.CheckpointRequest{Action: memory.CheckpointCreate, Ref: ref})
	record(t, s, ref, user("drop the table"), assistant("dropped"))
	checkpoint(t, s, memory.CheckpointRequest{Action: memory.CheckpointRestore, ID: start.ID})
	if a := resume(t, s, memory.ResumeRequest{Ref: ref}); a.Source != memory.FromRebuild || len(a.Messages) != 0 {
		t.Errorf("from %s: %+v", a.Source, a.Messages)
	}
	for i := range 6 {
		record(t, s, ref, user(fmt.Sprint("ask ", i)), assistant("answer"))
	}
	record(t, s, ref, `{"type":"compaction"}`)
	if a := resume(t, s, memory.ResumeRequest{Ref: ref}); a.Source != memory.FromRebuild || len(a.Messages) != 8 || a.Messages[0].Content != "ask 2" {
		t.Errorf("from %s: %+v", a.Source, a.Messages)
	}
}

// The text tells the task that a hand-off gave, not the one of the mode event before it,
// and what is handed over to another mode; nothing that was taken back.
func TestResumeTellsWhatWasHandedOver(t *testing.T) {
	s, _ := memorytest.Open(t)
	ref := byID(record(t, s, claude, user("x"), `{"type":"mode","to":"plan","task":"plan it"}`).SessionID)
	hand := func(to, task string) {
		t.Helper()
		handoff(t, s, memory.HandoffRequest{Action: memory.HandoffCreate, Ref: ref, ToMode: to, Task: task})
	}
	told := func(want, not string) {
		t.Helper()
		if text := resume(t, s, memory.ResumeRequest{Ref: ref}).Text; !strings.Contains(text, want) || strings.Contains(text, not) {
			t.Errorf("want %q, and not %q:\n%s", want, not, text)
		}
	}
	told("Task: plan it\n", "Handed over")
	start := checkpoint(t, s, memory.CheckpointRequest{Action: memory.CheckpointCreate, Ref: ref})
	record(t, s, ref, user("go on"))
	hand("plan", "plan it in two steps")
	told("Task: plan it in two steps\n", "Handed over")
	hand("code", "build it")
	told("Task: plan it in two steps\nHanded over to mode code: build it\n", "plan it\n")
	record(t, s, ref, `{"type":"mode","to":"code"}`)
	told("Task: build it\n", "Handed over")
	checkpoint(t, s, memory.CheckpointRequest{Action: memory.CheckpointRestore, ID: start.ID})
	told("Task: plan it\n", "build it")
	hand("code", "build it anew")
	told("Task: plan it\nHanded over to mode code: build it anew\n", "two steps")
	record(t, s, ref, `{"type":"mode","to":"code"}`)
	told("Task: build it anew\n", "Handed over")
}

// A short message is told with what it answers, which the assistant said since the user's
// message before; a long one speaks for itself.
func TestResumeTellsWhatWasAsked(t *testing.T) {
	s, _ := memorytest.Open(t)
	ref := byID(record(t, s, claude, user("plan it"), assistant("1. stream 2. load. Which one?"), user("yes, do 2"), assistant("Done.")).SessionID)
	told := func(is bool) {
		t.Helper()
		if text := resume(t, s, memory.ResumeRequest{Ref: ref}).Text; strings.Contains(text, "Which one?\n\n## The user's last message") != is {
			t.Errorf("want it told %v:\n%s", is, text)
		}
	}
	told(true)
	record(t, s, ref, `{"type":"compaction","summary":"s"}`)
	told(true)
	record(t, s, ref, user("and 1"), user("and 3"))
	told(false)
	record(t, s, ref, assistant("Which one?"), user(strings.Repeat("long ", 100)))
	told(false)
}

// The assistant's last words are told, however many calls of tools follow them, and however
// long they are.
func TestResumeTellsWordsBeforeManyCalls(t *testing.T) {
	for name, words := range map[string]string{"short": "The cause is the cache.", "long": strings.Repeat("The cause is the cache. ", 500)} {
		s, _ := memorytest.Open(t)
		events := []string{user("find the bug"), assistant(words)}
		for i := range 40 {
			events = append(events, fmt.Sprintf(`{"type":"message","role":"assistant","tool_calls":[{"id":"t%d","name":"grep","arguments":{}}]}`, i),
				fmt.Sprintf(`{"type":"message","tool_call_id":"t%d","content":"%s"}`, i, strings.Repeat("x", i*200)))
		}
		ref := byID(record(t, s, claude, events...).SessionID)
		if text := resume(t, s, memory.ResumeRequest{Ref: ref}).Text; !strings.Contains(text, "The assistant's last words since then (event 2)\nThe cause is the cache.") {
			t.Errorf("%s:\n%s", name, text)
		}
	}
}

// Secrets are masked in the text, and stand exactly in the messages.
func TestResumeMasksSecrets(t *testing.T) {
	s, _ := memorytest.Open(t)
	const secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
	ref := byID(record(t, s, claude, user("use "+secret)).SessionID)
	a := resume(t, s, memory.ResumeRequest{Ref: ref})
	if strings.Contains(a.Text, secret) || !strings.Contains(a.Text, "[secret:") {
		t.Errorf("the text shows it:\n%s", a.Text)
	}
	if a.Messages[0].Content != "use "+secret {
		t.Errorf("the message is not exact: %s", a.Messages[0].Content)
	}
	if point := checkpoint(t, s, memory.CheckpointRequest{Action: memory.CheckpointCreate, Ref: ref}); strings.Contains(point.Text, secret) {
		t.Errorf("the checkpoint shows it: %s", point.Text)
	}
}

// What a resume costs grows with a session no faster than the session: steps that were
// completed again and again are told once each, with their last output.
func TestResumeOfManySteps(t *testing.T) {
	if testing.Short() {
		t.Skip("40,000 events")
	}
	s, _ := memorytest.Open(t)
	const steps = 39_000
	start := time.Now()
	for from := 0; from <= steps; from += 1000 {
		var events []string
		for i := range 1000 {
			events = append(events, fmt.Sprintf(`{"type":"step","id":"step %d","status":"completed","output":%d}`, (from+i)%steps, from+i))
		}
		record(t, s, claude, events...)
	}
	recording, took := time.Since(start), time.Hour
	var a memory.ResumeAnswer
	for range 3 { // the fastest is what a busy machine delays least
		began := time.Now()
		a = resume(t, s, memory.ResumeRequest{Ref: claude})
		took = min(took, time.Since(began))
	}
	if last := a.Steps[len(a.Steps)-1]; last.ID != "step 999" || string(last.Output) != "39999" || !strings.Contains(a.Text, "(39000)") {
		t.Errorf("the last step is %s with %s: %s", last.ID, last.Output, a.Text)
	}
	if took > recording { // a third of it at most; it took five seconds when the steps were compared with one another
		t.Errorf("it took %v, recording the steps %v", took, recording)
	}
}

// Where no session is named, a sub-agent that was the last at work is not the one that is
// meant, unless there is no other.
func TestResumePastSubAgents(t *testing.T) {
	s, c := memorytest.Open(t)
	elsewhere := record(t, s, memory.SessionRef{Client: "c", ClientSessionID: "elsewhere", Project: "other"}).SessionID
	started := map[string]string{"elsewhere": elsewhere} // wake's ids by the client's
	for _, step := range []struct{ session, parent, want string }{{"orphan", "elsewhere", "orphan"}, {"parent", "", "parent"}, {"child", "parent", "parent"}} {
		a, err := s.Record(ctx, memory.RecordRequest{Ref: memory.SessionRef{Client: "c", ClientSessionID: step.session, Project: "demo"},
			Open: memory.SessionOpening{ParentSessionID: started[step.parent]}, Events: []json.RawMessage{json.RawMessage(user("hello")), json.RawMessage(assistant("yes"))}})
		if err != nil {
			t.Fatal(err)
		}
		started[step.session] = a.SessionID
		c.Pass(time.Minute)
		if got := resume(t, s, memory.ResumeRequest{}).SessionID; got != started[step.want] {
			t.Errorf("after %s it is not %s", step.session, step.want)
		}
	}
}
