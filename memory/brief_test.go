package memory_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"wake/domain"
	"wake/memory"
	"wake/memory/memorytest"
	"wake/transcript"
)

// A new session is told where the last one of its project stands, and one that goes
// on what was answered.
func TestStartTellsWhereThingsStand(t *testing.T) {
	s, _ := memorytest.Open(t)
	hook := func(project, session string, h transcript.Hook) string {
		t.Helper()
		h.Client, h.SessionID, h.Name = "cursor", session, string(h.Moment)
		a, err := s.Hook(ctx, memory.HookRequest{Hook: h, Project: project})
		if err != nil {
			t.Fatal(err)
		}
		return a.Text
	}
	start := transcript.Hook{Moment: transcript.HookStart, Source: "startup"}
	if text := hook("demo", "one", start); text != "" {
		t.Errorf("at first: %q", text)
	}
	hook("demo", "one", transcript.Hook{Moment: transcript.HookPrompt, Prompt: "make the importer faster"})
	hook("demo", "one", transcript.Hook{Moment: transcript.HookPrompt, Prompt: "now the exporter, with a line as long as it takes to cut the text inside of what comes at its very end, where nobody would look for it, namely the key of the machine account, and my key is ghp_0123456789abcdefghijABCDEFGHIJ456789"})
	hook("demo", "one", transcript.Hook{Moment: transcript.HookStop, Reply: "The exporter writes in batches now."})
	text := hook("demo", "two", start)
	for _, want := range []string{"Last session here", "make the importer faster", "the user's last message: now the exporter"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in %q", want, text)
		}
	}
	if strings.Contains(text, "ghp_") {
		t.Errorf("a secret in %q", text)
	}
	if text := hook("other", "three", start); text != "" {
		t.Errorf("another project is told %q", text)
	}
	again := transcript.Hook{Moment: transcript.HookStart, Source: "resume"}
	if text := hook("demo", "one", again); !strings.Contains(text, "last words since then (event 3)\nThe exporter writes in batches now.") {
		t.Errorf("the answer is missing in %q", text)
	}
}

// The next morning's session is told what the assistant said and did last, not only what the
// user had asked for.
func TestBriefTellsWhereTheAssistantStood(t *testing.T) {
	s, _ := memorytest.Open(t)
	record(t, s, claude, user("port the queries"), call("t1", "TodoWrite", `{"todos":[{"content":"schema","status":"completed"},{"content":"docs","status":"pending"}]}`),
		answered("t1", "TodoWrite", "ok"), call("t2", "Edit", `{"file_path":"db/query.go"}`), answered("t2", "Edit", "ok"),
		assistant("The queries are ported. "+strings.Repeat("The table is long. ", 50)+"Shall I push?"))
	text, err := s.Brief(ctx, memory.Caller{}, "demo", 1500)
	for _, want := range []string{"port the queries\nthe assistant's last words: The queries are ported.", "Shall I push?\nstill on its list: docs\nfiles changed, latest first: db/query.go\n"} {
		if err != nil || !strings.Contains(text, want) {
			t.Errorf("%q is missing in %q, %v", want, text, err)
		}
	}
	record(t, s, claude, user("yes"))
	if text, err := s.Brief(ctx, memory.Caller{}, "demo", 1500); err != nil || strings.Contains(text, "last words") || !strings.Contains(text, "said before that message: The queries") || !strings.Contains(text, "db/query.go") {
		t.Errorf("%q, %v", text, err)
	}
}

// A brief tells the call that the assistant was at, that a list is older than what the user said
// last, and, where nothing else needs the room, what the user had said before.
func TestBriefTellsWhatTheAssistantWasAt(t *testing.T) {
	s, _ := memorytest.Open(t)
	record(t, s, claude, user("port it to SQLite, without a build"), call("t1", "TodoWrite", `{"todos":[{"content":"docs","status":"pending"}]}`),
		answered("t1", "TodoWrite", "ok"), assistant("Shall I begin?"), user("yes"),
		call("t2", "Bash", `{"command":"make lint"}`), failed("t2", "Bash", "no such target"))
	brief := func(want ...string) {
		t.Helper()
		text, err := s.Brief(ctx, memory.Caller{}, "demo", 1500)
		for _, w := range want {
			if err != nil || !strings.Contains(text, w) {
				t.Errorf("%q is missing in %q, %v", w, text, err)
			}
		}
	}
	brief("the assistant's last call: Bash: make lint — failed: no such target\non its list before that message: docs\n",
		"the user had said before: port it to SQLite, without a build\n")
	record(t, s, claude, call("t3", "Bash", `{"command":"make vet"}`))
	brief("a call never answered: Bash: make vet\n")
	record(t, s, claude, user("never mind the linter"), assistant("The port is done."))
	if text, err := s.Brief(ctx, memory.Caller{}, "demo", 1500); err != nil || strings.Contains(text, "make vet") {
		t.Errorf("%v\n%s", err, text)
	}
}

// However much there is to tell of the last session, a brief tells of it, and has room for
// what was noted and decided.
func TestBriefHasRoomBesideTheLastSession(t *testing.T) {
	s, _ := memorytest.Open(t)
	save(t, s, memory.SaveRequest{Content: "Never push on a Friday. " + strings.Repeat("It was bad. ", 20), Pinned: true})
	save(t, s, memory.SaveRequest{Content: "Money is counted in integer cents.", ActionType: domain.Decision})
	long := strings.Repeat("and so on ", 100)
	record(t, s, claude, user("port it"), user("port the queries "+long), call("t1", "TodoWrite", fmt.Sprintf(`{"todos":[{"content":%q,"status":"pending"}]}`, long)),
		answered("t1", "TodoWrite", "ok"), call("t2", "Edit", `{"file_path":"db/query.go"}`), answered("t2", "Edit", "ok"), assistant("Ported "+long))
	for _, budget := range []int{1000, 1250, 1500, 2000} {
		text, err := s.Brief(ctx, memory.Caller{}, "demo", budget)
		if err != nil || !strings.Contains(text, "port the queries") || !strings.Contains(text, "on a Friday") || !strings.Contains(text, "integer cents") {
			t.Errorf("in %d characters: %v\n%s", budget, err, text)
		}
	}
}

// A brief tells the reason of a context, unless its text has it already, as that of
// distilled ones often does.
func TestBriefTellsReasonsOnce(t *testing.T) {
	s, _ := memorytest.Open(t)
	for content, why := range map[string]string{"Carts expire after 30 days because of storage.": "because of storage.", "Invoices have no gaps.": "The tax office asks for it."} {
		save(t, s, memory.SaveRequest{Content: content, ActionType: domain.Decision, Rationale: why})
	}
	text, err := s.Brief(ctx, memory.Caller{}, "demo", 1500)
	if err != nil || strings.Count(text, "because of storage") != 1 || !strings.Contains(text, "\nwhy: The tax office asks for it.") {
		t.Errorf("%v\n%s", err, text)
	}
}

// A secret at which a reason is cut is masked, too.
func TestBriefMasksBeforeItCuts(t *testing.T) {
	s, _ := memorytest.Open(t)
	const secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
	save(t, s, memory.SaveRequest{Content: "Carts expire after 30 days.", ActionType: domain.Decision, Rationale: strings.Repeat("use it ", 40) + secret})
	text, err := s.Brief(ctx, memory.Caller{}, "demo", 1500)
	if err != nil || strings.Contains(text, secret[:8]) || !strings.Contains(text, "\nwhy: use it") {
		t.Errorf("%v\n%s", err, text)
	}
}

// A brief tells a person's own words, once.
func TestBriefTellsWords(t *testing.T) {
	s, _ := memorytest.Open(t)
	for said, want := range map[string]string{
		"\f\fadjust the secrets file": ": adjust the secrets file\n",
		"<ide_opened_file>The user opened a.go</ide_opened_file>\nmake it faster":                                                                                              ": make it faster\n",
		"<system_instruction>\nYou are working inside Conductor.\n</system_instruction>\n\n\n<system-instruction>\nRename the branch.\n</system-instruction>\n\nplan the move": ": plan the move\n",
	} {
		rows := row(t, map[string]any{"type": "user", "uuid": said, "sessionId": said, "message": map[string]any{"role": "user", "content": said}})
		if _, err := s.Import(ctx, memory.ImportRequest{Format: transcript.ClaudeCode, Name: said, Source: strings.NewReader(rows), Project: said}); err != nil {
			t.Fatal(err)
		}
		text, err := s.Brief(ctx, memory.Caller{}, said, 1500)
		if err != nil || !strings.Contains(text, want) {
			t.Errorf("%q is told as %q: %v", said, text, err)
		}
	}
}

// A model is told when a context was saved, and of what day it is, where that was long
// before.
func TestModelIsToldDays(t *testing.T) {
	s, clock := memorytest.Open(t)
	save(t, s, memory.SaveRequest{Content: "We chose SQLite because it needs no server.", ActionType: "decision", Timestamp: clock.Now().AddDate(-1, 0, 0)})
	save(t, s, memory.SaveRequest{Content: "We moved to PostgreSQL because three machines write.", ActionType: "decision"})
	day := clock.Now().AddDate(-1, 0, 0).Format(time.DateOnly)
	text, err := s.Brief(ctx, memory.Caller{}, "demo", 1500)
	if err != nil || !strings.Contains(text, "\n"+day+": We chose SQLite") || !strings.Contains(text, "\nWe moved to PostgreSQL") {
		t.Errorf("%q, %v", text, err)
	}
	text, err = s.Related(ctx, memory.Caller{}, "demo", "why did we choose SQLite, which needs no server?", 1200)
	if err != nil || !strings.Contains(text, "saved="+clock.Now().UTC().Format(time.RFC3339)+">\n"+day+": We chose SQLite") {
		t.Errorf("%q, %v", text, err)
	}
}

// 002-03: what a brief tells is handed back, once, also where it is likely and a decision;
// what had no room is not.
func TestBriefCountsWhatItTells(t *testing.T) {
	for budget, want := range map[int]int64{1500: 1, 100: 0} {
		s, _ := memorytest.Open(t)
		id := save(t, s, memory.SaveRequest{Content: "We chose SQLite because it needs no server.", ActionType: "decision"}).ID
		if _, err := s.Brief(ctx, memory.Caller{}, "demo", budget); err != nil {
			t.Fatal(err)
		}
		if err := s.Flush(ctx); err != nil {
			t.Fatal(err)
		}
		list, err := s.Store.ContextsByID(ctx, []string{id}, false)
		if err != nil || len(list) != 1 || int64(list[0].Memory.AccessCount) != want {
			t.Errorf("with %d characters: %+v, %v; want %d accesses", budget, list, err, want)
		}
	}
}

// A brief says what nobody chose to save, and tells a cause once, where its fix repeats it.
// Decisions that somebody saved come first.
func TestBriefTellsWhatWasOverheard(t *testing.T) {
	s, _ := memorytest.Open(t)
	save(t, s, memory.SaveRequest{Content: "Money is counted in integer cents.", ActionType: domain.Decision})
	id := record(t, s, claude, user("Let's go with SQLite because there is only one writer."), user("Staging fails to connect, why?"),
		assistant("Found it. The root cause is that `dial()` uses the old port 8080, so every connection is refused."),
		assistant("I fixed it: `dial()` now reads the port from the config.")).SessionID
	if n, err := s.Distil(ctx, id); err != nil || n != 3 {
		t.Fatalf("%d distilled, %v", n, err)
	}
	text, err := s.Brief(ctx, memory.Caller{}, "demo", 2000)
	for _, want := range []string{"\nMoney is counted", "\noverheard: Let's go with SQLite", "\noverheard: The root cause is"} {
		if err != nil || strings.Count(text, want) != 1 {
			t.Errorf("%q is not told once:\n%s\n%v", want, text, err)
		}
	}
	if text, err = s.RestoreText(ctx, id, 0, 4000); err != nil || !strings.Contains(text, "every connection is refused. (overheard, context ") {
		t.Errorf("a restore text does not say what was overheard: %v\n%s", err, text)
	}
	list, err := s.LatestDecisions(ctx, memory.Caller{}, "demo")
	if err != nil || len(list) != 2 || list[0].IsDistilled() || !list[1].IsDistilled() {
		t.Errorf("the latest decisions are %+v, %v", list, err)
	}
}

// However much will probably be needed, a brief has room for a decision that holds.
func TestBriefHasRoomForDecisions(t *testing.T) {
	s, clock := memorytest.Open(t)
	save(t, s, memory.SaveRequest{Content: "Money is counted in integer cents, never in floats.", ActionType: "decision"})
	clock.Pass(20 * 24 * time.Hour)
	for _, word := range []string{"schema", "exporter", "importer", "scheduler", "mailer", "parser"} {
		save(t, s, memory.SaveRequest{Content: "The " + word + " was changed: " + strings.Repeat(word+" ", 12), ActionType: "file_edit"})
	}
	text, err := s.Brief(ctx, memory.Caller{}, "demo", 1500)
	if err != nil || !strings.Contains(text, "integer cents") || strings.Count(text, "was changed") < 3 || len(text) > 1500 {
		t.Errorf("%d characters, %v: %s", len(text), err, text)
	}
}

// What was taken back is told to nobody as a decision.
func TestStartTellsWhatHolds(t *testing.T) {
	s, _ := memorytest.Open(t)
	var texts []string
	for _, h := range []transcript.Hook{
		{SessionID: "one", Moment: transcript.HookPrompt, Prompt: "let's use UUIDv4 for the order ids"},
		{SessionID: "one", Moment: transcript.HookPrompt, Prompt: "let's go back to bigint ids for the orders"},
		{SessionID: "one", Moment: transcript.HookPrompt, Prompt: "looks good"},
		{SessionID: "one", Moment: transcript.HookEnd},
		{SessionID: "two", Moment: transcript.HookStart, Source: "startup"},
		{SessionID: "one", Moment: transcript.HookStart, Source: "resume"},
	} {
		h.Client, h.Name = "cursor", string(h.Moment)
		a, err := s.Hook(ctx, memory.HookRequest{Hook: h, Project: "demo"})
		if err != nil {
			t.Fatal(err)
		}
		if a.Text != "" && h.Moment == transcript.HookStart {
			_, text, _ := strings.Cut(a.Text, "looks good") // behind what the user said last
			text, _, _ = strings.Cut(text, "## Earlier messages")
			lines := slices.DeleteFunc(strings.Split(text, "\n"), func(line string) bool { return strings.HasPrefix(line, "the user had said before: ") })
			texts = append(texts, strings.Join(lines, "\n"))
		}
	}
	if len(texts) != 2 {
		t.Fatalf("%q", texts)
	}
	for _, text := range texts {
		if !strings.Contains(text, "bigint") || strings.Contains(text, "UUIDv4") {
			t.Errorf("a start tells %q", text)
		}
	}
}

// Of what was overheard in a session, what the user asked for once and for all comes first.
func TestRestoreTellsPreferencesFirst(t *testing.T) {
	s, clock := memorytest.Open(t)
	var text string
	for _, h := range []transcript.Hook{
		{Moment: transcript.HookPrompt, Prompt: "Always run the linter before a commit."},
		{Moment: transcript.HookPrompt, Prompt: "let's use UUIDv4 for the order ids"},
		{Moment: transcript.HookPrompt, Prompt: "looks good"},
		{Moment: transcript.HookEnd},
		{Moment: transcript.HookStart, Source: "resume"},
	} {
		h.Client, h.SessionID, h.Name = "cursor", "one", string(h.Moment)
		a, err := s.Hook(ctx, memory.HookRequest{Hook: h, Project: "demo"})
		if err != nil {
			t.Fatal(err)
		}
		text = a.Text
		clock.Pass(time.Hour)
	}
	_, kept, _ := strings.Cut(text, "## Decisions and notes kept\n")
	if !strings.HasPrefix(kept, "- Always run the linter before a commit. (") {
		t.Errorf("told:\n%s", text)
	}
}

// What the user asked for once and for all is told in every session and after every
// compaction, however old it is, unless it was replaced.
func TestTellsWhatHoldsInEverySession(t *testing.T) {
	s, _ := memorytest.Open(t)
	rules := []memory.SaveRequest{
		{Content: "Never commit without showing the diff.", Pinned: true, ActionType: domain.Decision, Rationale: "A bad commit went out in May."},
		{Content: "Answers are to be short.", Tags: []string{"preference"}},
		{Content: "Deploy on Mondays only.", Pinned: true},
	}
	for _, r := range rules {
		save(t, s, r)
	}
	old := save(t, s, memory.SaveRequest{Content: "Tabs are eight wide.", Pinned: true})
	save(t, s, memory.SaveRequest{Content: "Tabs are four wide.", Supersedes: old.ID})
	for i := range 30 {
		save(t, s, memory.SaveRequest{Content: fmt.Sprintf("Table %d has an index of its own by now.", i), ActionType: domain.Decision})
	}
	brief, err := s.Brief(ctx, memory.Caller{}, "demo", 1500)
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(brief, "Noted for every session:")
	for _, r := range rules {
		if strings.Count(after, r.Content) != 1 {
			t.Errorf("%q is not told once:\n%s", r.Content, brief)
		}
	}
	if !strings.Contains(brief, "Latest decisions:") || strings.Contains(brief, "eight wide") {
		t.Errorf("no decisions, or what was replaced:\n%s", brief)
	}
	session := prompt(t, s, "make the importer faster")
	text, err := s.RestoreText(ctx, session, 0, 8000)
	_, holds, found := strings.Cut(text, "## Noted for every session")
	if err != nil || !found || !strings.Contains(holds, "- Never commit without showing the diff. Why: A bad commit went out in May. (context ") || strings.Contains(text, "eight wide") {
		t.Errorf("%v\n%s", err, text)
	}
}

// What the user asked for lately is told however many preferences are older, and what was
// saved comes before what was distilled.
func TestTellsTheLatestPreferences(t *testing.T) {
	s, _ := memorytest.Open(t)
	save(t, s, memory.SaveRequest{Content: "Answer in German.", Tags: []string{"preference"}})
	for i := range 40 {
		save(t, s, memory.SaveRequest{Content: fmt.Sprintf("Module %d has tests of its own, please.", i), Tags: []string{"preference"}, Metadata: map[string]any{domain.DistilledBy: "preference"}})
	}
	save(t, s, memory.SaveRequest{Content: "Use pnpm in place of npm.", Tags: []string{"preference"}})
	brief, err := s.Brief(ctx, memory.Caller{}, "demo", 4000)
	if err != nil {
		t.Fatal(err)
	}
	_, noted, _ := strings.Cut(brief, "Noted for every session:")
	noted, _, _ = strings.Cut(noted, "Probably needed next:")
	pnpm, german, module := strings.Index(noted, "Use pnpm"), strings.Index(noted, "Answer in German"), strings.Index(noted, "Module 39")
	if pnpm < 0 || german < pnpm || module < german || strings.Contains(noted, "Module 0 ") {
		t.Errorf("noted for every session:%s", noted)
	}
}

// What holds is told however much of the same was replaced before it: a rule that was
// changed ten times, a decision that was made anew each week.
func TestTellsWhatHoldsAfterManyChanges(t *testing.T) {
	s, c := memorytest.Open(t)
	save(t, s, memory.SaveRequest{Content: "Carts expire after 30 days.", ActionType: domain.Decision})
	rule, note, port := "", "", ""
	for i := range 13 {
		rule = save(t, s, memory.SaveRequest{Content: fmt.Sprintf("Lines have at most %d characters.", 80+i), Pinned: true, Supersedes: rule}).ID
		note = save(t, s, memory.SaveRequest{Content: fmt.Sprintf("Answers take %d lines.", 20+i), Tags: []string{"preference"}, Supersedes: note}).ID
		port = save(t, s, memory.SaveRequest{Content: fmt.Sprintf("The server listens at port %d.", 9000+i), ActionType: domain.Decision, Supersedes: port}).ID
	}
	brief, err := s.Brief(ctx, memory.Caller{}, "demo", 4000)
	if err != nil {
		t.Fatal(err)
	}
	_, noted, _ := strings.Cut(brief, "Noted for every session:")
	noted, _, _ = strings.Cut(noted, "Probably needed next:")
	if !strings.Contains(noted, "at most 92 characters") || !strings.Contains(noted, "take 32 lines") {
		t.Errorf("noted for every session:%s", noted)
	}
	decided, err := s.LatestDecisions(ctx, memory.Caller{}, "demo")
	if err != nil || len(decided) != 2 || decided[0].ID != port || decided[1].Summary != "Carts expire after 30 days." {
		t.Errorf("latest decisions: %v, %v", decided, err)
	}
	c.Pass(100 * 24 * time.Hour)
	if decided, err = s.LatestDecisions(ctx, memory.Caller{}, "demo"); err != nil || decided[0].Memory.Tier != domain.TierExpired {
		t.Errorf("after a hundred days one is %s, %v", decided[0].Memory.Tier, err)
	}
}

// prompt records a prompt in a session of its own, and returns the session.
func prompt(t *testing.T, s *memory.Service, text string) string {
	t.Helper()
	a, err := s.Hook(ctx, memory.HookRequest{Project: "demo", Hook: transcript.Hook{Client: "cursor", SessionID: "of " + text, Name: "prompt", Moment: transcript.HookPrompt, Prompt: text}})
	if err != nil {
		t.Fatal(err)
	}
	return a.SessionID
}

// A brief does not tell the last message of a session if a restore took it back.
func TestBriefLeavesOutWhatWasTakenBack(t *testing.T) {
	s, _ := memorytest.Open(t)
	record(t, s, claude, user("keep the index in memory"), assistant("done"))
	made := checkpoint(t, s, memory.CheckpointRequest{Ref: claude, Action: memory.CheckpointCreate})
	for range 12 {
		record(t, s, claude, user("and write it to disk"), assistant("done, too"))
	}
	checkpoint(t, s, memory.CheckpointRequest{Action: memory.CheckpointRestore, ID: made.Checkpoint.ID})
	text, err := s.Brief(ctx, memory.Caller{}, "demo", 1500)
	if err != nil || !strings.Contains(text, "keep the index") || strings.Contains(text, "to disk") {
		t.Errorf("%v: %s", err, text)
	}
}

// A brief tells of the last session that a person began, however many sub-agents worked on
// after it.
func TestBriefPastSubAgents(t *testing.T) {
	s, clock := memorytest.Open(t)
	began := record(t, s, memory.SessionRef{Client: "any", ClientSessionID: "main", Project: "demo"}, user("make the shop blue")).SessionID
	clock.Pass(time.Minute)
	for i := range 25 {
		_, err := s.Record(ctx, memory.RecordRequest{Ref: memory.SessionRef{Client: "any", ClientSessionID: fmt.Sprint("agent ", i), Project: "demo"},
			Open: memory.SessionOpening{ParentSessionID: began}, Events: []json.RawMessage{json.RawMessage(assistant("done"))}})
		if err != nil {
			t.Fatal(err)
		}
	}
	if text, err := s.Brief(ctx, memory.Caller{}, "demo", 1500); err != nil || !strings.Contains(text, "1 min ago: make the shop blue") {
		t.Errorf("%q, %v", text, err)
	}
}
