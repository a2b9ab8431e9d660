package session_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"wake/domain"
	"wake/session"
)

// aStory is a story with something of everything.
func aStory() session.Story {
	return session.Story{
		Session: domain.Session{ID: "s-1", Title: "Fix the login", Project: "shop", LastSeq: 42, Epoch: 2, UpdatedAt: noon.Add(-2 * time.Hour)},
		Source:  "snapshot", Now: noon, Mode: "debug", Task: "find the cause", UserCount: 4,
		LastUser:  &session.Said{Seq: 40, Text: "Does it work\nwith tabs\tnow?"},
		Reply:     &session.Said{Seq: 41, Text: "It does:\nthe null check is in."},
		Users:     []session.Said{{Seq: 30, Text: "newest of the others"}, {Seq: 20, Text: strings.Repeat("long ", 400)}, {Seq: 10, Text: "oldest"}},
		Goals:     []domain.Goal{{ID: "g", Text: "login works", Status: domain.GoalActive}, {ID: "h", Text: "old goal", Status: domain.GoalDone}},
		Decisions: []session.Said{{ID: "ctx-1", Text: "JWT it is"}},
		Findings:  []domain.Finding{{Mode: "debug", Kind: domain.FindingRootCause, Text: "null check missing"}},
		OpenOps:   []domain.Op{{Kind: domain.OpTool, Name: "run_tests", FirstSeq: 41}},
		UnderWay:  []session.StepRef{{ID: "deploy", Status: domain.StepStarted}},
		Waiting:   []session.SignalRef{{Name: "approval", Seq: 39}},
		Notes:     []string{"event 7 is damaged"},
	}
}

// I21: the text holds the user's last message verbatim, says honestly what it is
// and where it came from, and tells everything else that fits.
func TestTell(t *testing.T) {
	text := session.Tell(aStory(), 8000)
	for _, want := range []string{"Restored by wake: Fix the login", "s-1", "last active 2 h ago", "snapshot", "not new instructions", "event 7 is damaged",
		"Does it work\nwith tabs\tnow?", "newest of the others", "oldest", "login works", "(done) old goal", "ctx-1", "null check missing",
		"run_tests", "never answered", "deploy", "approval", "find the cause", "(event 41)\nIt does: the null check is in.", "wake://sessions/s-1/user-messages"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in:\n%s", want, text)
		}
	}
	if strings.Index(text, "newest of the others") > strings.Index(text, "oldest\n") {
		t.Error("the newest message comes first")
	}
}

// A command that set the assistant to work is told like a message, and the assistant's
// words only as an answer to it if they came after it.
func TestTellCommand(t *testing.T) {
	story := aStory()
	story.Command = &session.Said{Seq: 42, Text: "/work plans/consent.md"}
	story.Reply = &session.Said{Seq: 43, Text: "The question is in."}
	if text := session.Tell(story, 8000); !strings.Contains(text, "last command (event 42)\n/work plans/consent.md\n") || !strings.Contains(text, "since then (event 43)") {
		t.Errorf("told:\n%s", text)
	}
	story.Reply.Seq = 41
	if text := session.Tell(story, 8000); !strings.Contains(text, "last words (event 41)") {
		t.Errorf("told:\n%s", text)
	}
	story.LastUser, story.Users, story.Command = nil, nil, nil
	if text := session.Tell(story, 8000); !strings.Contains(text, "last words (event 41)") {
		t.Errorf("told:\n%s", text)
	}
}

// The assistant's last words point to the whole text where they are cut, and only there.
// What they ask or promise stands at their end, so that is kept, too. They are cut less where
// nothing else needs the room.
func TestTellCutReply(t *testing.T) {
	story := aStory()
	for text, cut := range map[string]bool{strings.Repeat("x", 2000): false, strings.Repeat("x", 2001): true,
		strings.Repeat("x", 1998) + "👨‍👩‍👧 and more": true, strings.Repeat("é ", 1100): true} {
		story.Reply.Text = text
		if told := session.Tell(story, 8000); strings.Contains(told, "(more at …/messages/41)") != cut {
			t.Errorf("cut is %v, told:\n%s", cut, told)
		}
	}
	story.Reply.Text = "All pass. " + strings.Repeat("The table is long. ", 300) + "Shall I push?"
	for _, budget := range []int{1200, 2000, 8000} {
		if told := session.Tell(story, budget); !strings.Contains(told, "\nAll pass.") || !strings.Contains(told, "Shall I push? (more at") {
			t.Errorf("told in %d characters:\n%s", budget, told)
		}
	}
	if told := session.Tell(story, 2000); utf8.RuneCountInString(told) < 1880 {
		t.Errorf("told in %d characters of 2000:\n%s", utf8.RuneCountInString(told), told)
	}
}

// What somebody who goes on has to know of the work: what is to be done, what was just done
// and what failed, which files were changed, and what the user told the client meanwhile.
func TestTellWork(t *testing.T) {
	story := aStory()
	story.OpenOps[0].Label = "make test"
	story.Since = []session.Said{{Seq: 41, Text: "Entire Inc.\nnot Entire"}}
	story.Todos = []domain.Todo{{Text: "design", Status: domain.TodoDone}, {Text: "write tests", Status: domain.TodoUnderWay}, {Text: "publish"}}
	story.TodosSeq = 35
	story.Files = []string{"/home/ann/shop/cart/cart.go", "/home/ann/shop/cart/cart_test.go", "/home/ann/shop/go.mod"}
	edit := session.Call{Tool: "Edit", Subject: "cart/cart.go"}
	story.Calls = []session.Call{edit, edit, {Tool: "Bash", Subject: "git commit\n-m x", Failure: "Exit code 128\nAuthor identity unknown"}}
	story.Answers = []session.Said{{Seq: 29, Text: "Both are in.\nCommit b1b5d4d."}}
	story.Summary = &session.Said{Seq: 25, Text: "Analysis: " + strings.Repeat("at length ", 300) + "Pending: the port."}
	text := session.Tell(story, 8000)
	for _, want := range []string{
		"- tool run_tests: make test (event 41), never answered",
		"## The user's answer to the client (event 41)\nEntire Inc.\nnot Entire\n",
		"list of things to do (event 35, before the user's last message)\n- (under way) write tests\n- publish\n- done: design\n",
		"\nFiles changed, latest first, below /home/ann/shop/: cart/cart.go, cart/cart_test.go, go.mod\n",
		"in this order\n- Edit: cart/cart.go (2 times)\n- Bash: git commit -m x — failed: Exit code 128 Author identity unknown\n",
		"- (event 29) Both are in. Commit b1b5d4d.\n",
		"before event 25\n…", "Pending: the port. (whole at …/messages/25)\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in:\n%s", want, text)
		}
	}
	story.Todos, story.Files = story.Todos[:1], story.Files[:1]
	text = session.Tell(story, 8000)
	if strings.Contains(text, "things to do") || !strings.Contains(text, "latest first: /home/ann/shop/cart/cart.go\n") {
		t.Errorf("a list that is done, and one file:\n%s", text)
	}
}

// What was done never takes the room of what the user said.
func TestTellLeavesRoomForTheUser(t *testing.T) {
	story := aStory()
	story.Users = []session.Said{{Seq: 30, Text: "Never touch the schema."}}
	for i := range 200 {
		story.Files = append(story.Files, fmt.Sprintf("some/folder/of/the/shop/file-%d.go", i))
		story.Todos = append(story.Todos, domain.Todo{Text: fmt.Sprintf("port part %d of the shop", i)})
		story.Calls = append(story.Calls, session.Call{Tool: "Bash", Subject: fmt.Sprintf("make part-%d", i)})
	}
	for _, budget := range []int{2000, 4000, 8000} {
		text := session.Tell(story, budget)
		if !strings.Contains(text, "Never touch the schema.") || !strings.Contains(text, "JWT it is") || !strings.Contains(text, "make part-199\n") || !strings.Contains(text, "below some/folder/of/the/shop/: file-0.go, ") {
			t.Errorf("told in %d characters:\n%s", budget, text)
		}
	}
}

// A message of the user that a context tells whole is not told again, but named there by
// its event; one whose context had no room, or has not all its words, is told.
func TestTellNothingTwice(t *testing.T) {
	story := aStory()
	story.Users = []session.Said{{Seq: 30, Text: "Never reformat legacy/."}, {Seq: 20, Text: "Never reformat vendor/.\nAnd then?"}, {Seq: 10, Text: "Never reformat legacy/."}}
	story.Decisions = []session.Said{{ID: "ctx-2", Seq: 30, Text: "Never reformat legacy/."}, {ID: "ctx-1", Seq: 20, Text: "Never reformat vendor/."}}
	text := session.Tell(story, 8000)
	for want, times := range map[string]int{"- Never reformat legacy/. (the user at event 30, context ctx-2)": 1, "(event 30) ": 0, "- (event 10) Never reformat legacy/.": 1,
		"- Never reformat vendor/. (context ctx-1)": 1, "- (event 20) Never reformat vendor/.\nAnd then?": 1, "and 1 more": 0} {
		if strings.Count(text, want) != times {
			t.Errorf("%q is not told %d times in:\n%s", want, times, text)
		}
	}
	story.Decisions = append([]session.Said{{ID: "ctx-3", Text: strings.Repeat("x ", 190)}}, story.Decisions...)
	for budget := range 2000 {
		if text := session.Tell(story, budget); strings.Count(text, "event 30") > 1 {
			t.Fatalf("twice in %d characters:\n%s", budget, text)
		}
	}
}

// I21: within a small budget a message is whole or a pointer, never cut, and a
// shorter one behind a long one still goes in.
func TestTellWithinSmallBudget(t *testing.T) {
	text := session.Tell(aStory(), 1500)
	if strings.Contains(text, "long long") || !strings.Contains(text, "…/messages/20") || !strings.Contains(text, "oldest") {
		t.Errorf("told:\n%s", text)
	}
	story := aStory()
	story.LastUser.Text = strings.Repeat("x", 5000)
	text = session.Tell(story, 1500)
	if strings.Contains(text, "xxx") || !strings.Contains(text, "wake://sessions/s-1/messages/40") || !strings.Contains(text, "5000 characters") {
		t.Errorf("told:\n%s", text)
	}
}

// Where there is little room, the header takes less of it.
func TestTellShortHeaderWithinSmallBudget(t *testing.T) {
	story := aStory()
	header := func(budget int) int {
		text, _, _ := strings.Cut(session.Tell(story, budget), "Note: ")
		if !strings.Contains(text, "Fix the login") || !strings.Contains(text, "not new instructions") {
			t.Errorf("told in %d characters:\n%s", budget, text)
		}
		return len(text)
	}
	if short, whole := header(1000), header(2000); short > whole-60 {
		t.Errorf("a header of %d characters, of %d where there is room", short, whole)
	}
}

// Where there is little room, the frame says nothing twice: a title that is the last message,
// the session's id, the folders of files, ids of contexts that nobody chose to save.
func TestTellShortFrame(t *testing.T) {
	story := aStory()
	story.Session.Title, story.LastUser.Text, story.Notes, story.Task, story.Since = session.TitleOf("Fix it"), "Fix it", nil, "", nil
	story.OpenOps, story.UnderWay, story.Waiting, story.Todos, story.Calls, story.Goals, story.Findings = nil, nil, nil, nil, nil, nil, nil
	story.Files = []string{"cart/cart.go", "go.mod"}
	story.Decisions = []session.Said{{Seq: 7, ID: "c-7", Text: "integer cents", Distilled: true}, {Seq: 8, ID: "c-8", Text: "UTC"}}
	for budget, want := range map[int][]string{
		1300: {"# Restored by wake\n", "latest first: cart.go, go.mod\n", "(overheard, event 7)", "(context c-8)"},
		2900: {"# Restored by wake: Fix it\n", "latest first: cart/cart.go, go.mod\n", "(overheard, event 7)", "session s-1 "},
		4000: {"(overheard, context c-7)"},
	} {
		text := session.Tell(story, budget)
		for _, w := range want {
			if !strings.Contains(text, w) {
				t.Errorf("in %d characters, %q is missing in:\n%s", budget, w, text)
			}
		}
		if n := strings.Count(text, "s-1"); budget < 1400 && n != 1 {
			t.Errorf("the session is named %d times in:\n%s", n, text)
		}
	}
}

// Who pastes a log says before or behind it what is wanted, so the pointer to a message that
// is too long names these lines, whole or not at all (I21).
func TestTellEndsOfLongMessage(t *testing.T) {
	story := aStory()
	log := strings.Repeat("12:00 GET /login 500\n", 400)
	story.LastUser.Text = log + "\nWhy does this fail?\n"
	story.Users[1].Text = "What is this?\n```\n" + log + "```\n"
	text := session.Tell(story, 4000)
	for _, want := range []string{"messages/40\nIt begins: 12:00 GET /login 500\nIt ends: Why does this fail?\n",
		"messages/20\n  It begins: What is this?\n  It ends: 12:00 GET /login 500\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in:\n%s", want, text)
		}
	}
	story.LastUser.Text = "Add these up.\n" + strings.Repeat("1 2 3\n", 1000)
	if text := session.Tell(story, 4000); !strings.Contains(text, "It begins: Add these up.\n") || strings.Contains(text, "It ends: Add") {
		t.Errorf("told:\n%s", text)
	}
	story.LastUser.Text = strings.Repeat("word ", 1000) + "\n...\n" + log + strings.Repeat("word ", 1000)
	if text := session.Tell(story, 4000); strings.Contains(text, "word word") || !strings.Contains(text, "messages/40\n\n") {
		t.Errorf("told:\n%s", text)
	}
}

// A message cut in the middle keeps both ends, and is never longer than asked for.
func TestBothEnds(t *testing.T) {
	text := "What is this? " + strings.Repeat("ERROR ü ", 100) + "Why?"
	for n := 2; n < 1000; n++ {
		got := session.BothEnds(text, n)
		if utf8.RuneCountInString(got) > n || n > 40 && !(strings.HasPrefix(got, "What is this?") && strings.HasSuffix(got, "Why?")) {
			t.Fatalf("%d: %q", n, got)
		}
	}
	if got := session.BothEnds(strings.Repeat("\xff", 30), 29); !strings.HasPrefix(got, "\xff") { // no text, but no reason to fail
		t.Errorf("%q", got)
	}
	if got := session.BothEnds("a\nb", 3); got != "a b" {
		t.Error(got)
	}
}

// Two short messages are told, and not their number, where there is room for them alone.
func TestTellAllOrCount(t *testing.T) {
	story := session.Story{Session: domain.Session{ID: "s-1"}, Now: noon, UserCount: 3, LastUser: &session.Said{Seq: 9, Text: "on"},
		Users: []session.Said{{Seq: 7, Text: "yes, do 2"}, {Seq: 1, Text: "plan it"}}}
	least := 0
	for budget := range 1000 {
		text := session.Tell(story, budget)
		if strings.Contains(text, "yes, do 2") && strings.Contains(text, "plan it") {
			least = budget
			break
		}
	}
	if whole := utf8.RuneCountInString(session.Tell(story, 8000)); least > whole+40 {
		t.Errorf("they are told whole from %d characters on, which need %d", least, whole)
	}
}

// A short answer is told with the end of what it answers.
func TestTellWhatWasAsked(t *testing.T) {
	story := aStory()
	story.Asked = &session.Said{Seq: 39, Text: "1. stream\n2. load all\nWhich one?"}
	if text := session.Tell(story, 4000); !strings.Contains(text, "(event 39)\n1. stream 2. load all Which one?\n\n## The user's last message (event 40)") {
		t.Errorf("told:\n%s", text)
	}
	story.Asked.Text = strings.Repeat("and so on ", 1000) + "Which one?"
	if text := session.Tell(story, 4000); !strings.Contains(text, "…") || !strings.Contains(text, "Which one? (whole at …/messages/39)\n") {
		t.Errorf("told:\n%s", text)
	}
	if text := session.Tell(story, 600); strings.Contains(text, "Which one?") || !strings.Contains(text, story.LastUser.Text) {
		t.Errorf("told:\n%s", text)
	}
}

// I21: never over the budget, whatever is told, and the last message is always
// there or pointed to once there is room for a pointer.
func TestTellFitsItsBudget(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := aStory()
		some := func(label string) string { return rapid.StringN(0, 300, 1200).Draw(t, label) }
		s.Session.Title, s.Task = some("title"), some("task")
		s.LastUser.Text = some("last")
		s.Asked = &session.Said{Seq: 39, Text: some("asked")}
		s.Next = &session.Said{ID: "code", Text: some("next")}
		s.Users = nil
		for i := range rapid.IntRange(0, 10).Draw(t, "users") {
			s.Users = append(s.Users, session.Said{Seq: int64(i), Text: some("user")})
		}
		for range rapid.IntRange(0, 10).Draw(t, "findings") {
			s.Findings = append(s.Findings, domain.Finding{Kind: domain.FindingNote, Text: some("finding")})
		}
		s.Reply.Text = some("reply")
		for range rapid.IntRange(0, 10).Draw(t, "work") {
			s.Since = append(s.Since, session.Said{Seq: 41, Text: some("since")})
			s.Todos = append(s.Todos, domain.Todo{Text: some("todo")})
			s.Files = append(s.Files, some("file"))
			s.Calls = append(s.Calls, session.Call{Tool: "Bash", Subject: some("subject"), Failure: some("failure")})
			s.Answers = append(s.Answers, session.Said{Text: some("answer")})
			s.Summary = &session.Said{Seq: 5, Text: some("summary")}
		}
		budget := rapid.IntRange(0, 9000).Draw(t, "budget")
		text := session.Tell(s, budget)
		if n := utf8.RuneCountInString(text); n > budget {
			t.Fatalf("%d characters of %d", n, budget)
		}
		whole := strings.Contains(text, s.LastUser.Text)
		switch pointer := fmt.Sprintf("wake://sessions/s-1/messages/%d", s.LastUser.Seq); {
		case budget > len(pointer) && !whole && !strings.Contains(text, "wake://sessions/s-1/"):
			t.Fatalf("the last message is neither in nor pointed to:\n%s", text)
		case budget >= 320+utf8.RuneCountInString(s.LastUser.Text) && !whole:
			t.Fatalf("there is room for the last message in %d characters:\n%s", budget, text)
		}
	})
}

// The forms for people read well: one line an event, the tree with its children,
// totals with four decimals (001-11).
func TestForms(t *testing.T) {
	h := talk(t, said("Fix\nit"), domain.Message{Role: domain.RoleAssistant, ToolCalls: []domain.ToolCall{{ID: "t", Name: "grep"}}},
		domain.Message{Role: domain.RoleTool, ToolCallID: "t", ToolName: "grep", Error: "no match"},
		domain.OpReport{OpID: "o", Kind: domain.OpLLM, Status: domain.OpOK, Name: "answer", Usage: &domain.TokenUsage{Input: 10, Output: 2}},
		domain.Compaction{Trigger: "auto", TokensBefore: 9, TokensAfter: 1}, domain.End{},
		domain.Message{Role: domain.RoleTool, ToolCallID: "t", Content: "found"}, domain.Window{Tokens: 5}, domain.Window{Tokens: 5, Limit: 9}, domain.Compaction{},
		domain.Compaction{Trigger: "auto", TokensBefore: 9}, domain.Compaction{Trigger: "manual", TokensAfter: 2},
		domain.About{Attributes: map[string]string{"git_branch": "main", "cwd": "/shop"}}, domain.About{Model: "opus", ContextLimit: 9})
	for i, want := range []string{"user: Fix it", "assistant calls grep", "tool grep failed: no match", "llm answer ok, 10 in, 2 out",
		"compacted (auto), 9 → 1 tokens", "ended",
		"tool: found", "window 5 tokens", "window 5 of 9 tokens", "compacted",
		"compacted (auto) at 9 tokens", "compacted (manual) to 2 tokens",
		"is now cwd /shop, git_branch main", "is now opus, limit 9 tokens"} {
		if got := session.Line(h.events[i]); got != want {
			t.Errorf("event %d reads %q, want %q", i+1, got, want)
		}
	}
	child := session.Tree(domain.Session{ID: "child", ParentOpID: "o", Totals: domain.Totals{TokensIn: 5, AgentsRun: 1}}, nil, nil, nil, nil)
	op := domain.Op{ID: "o", Turn: 1, Kind: domain.OpSession, Name: "explore", Status: domain.OpOK, LatencyMS: 1500}
	tree := session.Tree(domain.Session{ID: "root", Totals: domain.Totals{TokensIn: 7, Cost: domain.Dollars(0.12345), AgentsRun: 1}},
		[]domain.Turn{{Index: 1, Label: "Fix it"}}, []domain.Op{op}, nil, []domain.SessionNode{child})
	text := session.TellTree(tree)
	for _, want := range []string{"12 tokens in", "$0.1235", "2 agents", "turn 1 Fix it", "session explore ok 1.5s", "child: 5 tokens in"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in:\n%s", want, text)
		}
	}
	if strings.Contains(text, "$0.0000") {
		t.Errorf("a cost that nobody told is given:\n%s", text)
	}
}

// A secret at which a line is cut is masked, too.
func TestLineMasksBeforeItCuts(t *testing.T) {
	const secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
	for _, text := range []string{strings.Repeat("use it ", 14) + secret, "use it" + strings.Repeat(" ", 1900) + secret} {
		if got := session.Line(talk(t, said(text)).events[0]); strings.Contains(got, secret[:6]) || !strings.Contains(got, "use it") {
			t.Errorf("told: %s", got)
		}
	}
}

// 001-08, 001-11: a child hangs on the operation that started it, or on the
// session where that is not known; its totals count once.
func TestTreeOfSessions(t *testing.T) {
	node := func(id, parentOp string) domain.SessionNode {
		return session.Tree(domain.Session{ID: id, ParentOpID: parentOp, Totals: domain.Totals{AgentsRun: 1}}, nil,
			[]domain.Op{{ID: "x", SessionID: id, Turn: 0, Kind: domain.OpTool, Status: domain.OpOK}},
			[]domain.LedgerEntry{{OpID: "x"}}, nil)
	}
	children := []domain.SessionNode{node("a", "o1"), node("b", "unknown"), node("c", "")}
	ops := []domain.Op{{ID: "o1", Turn: 3, Kind: domain.OpSession}, {ID: "o2", Turn: 1, ChildSessionID: "c", Kind: domain.OpSession}}
	tree := session.Tree(domain.Session{ID: "root", Totals: domain.Totals{AgentsRun: 1}}, nil, ops, nil, children)
	if tree.Totals.AgentsRun != 4 || len(tree.Orphans) != 1 || tree.Orphans[0].Session.ID != "b" {
		t.Errorf("totals %+v, %d orphans", tree.Totals, len(tree.Orphans))
	}
	if tree.Turns[0].Index != 1 || tree.Turns[0].Ops[0].Children[0].Session.ID != "c" || tree.Turns[1].Ops[0].Children[0].Session.ID != "a" {
		t.Errorf("attached: %+v", tree.Turns)
	}
	if a := tree.Turns[1].Ops[0].Children[0]; len(a.Turns[0].Ops[0].Accounting) != 1 {
		t.Error("the ledger row of the child's operation is missing")
	}
	if got := session.TreeTotals(tree); got.AgentsRun != 4 || got.ToolsRun != 3 {
		t.Errorf("counted again: %+v", got)
	}
}

// A turn without operations and a session without turns have empty lists, which whoever
// reads the tree as JSON goes through like any other.
func TestEmptyTreeHoldsLists(t *testing.T) {
	raw, err := json.Marshal([]domain.SessionNode{
		session.Tree(domain.Session{ID: "new"}, nil, nil, nil, nil),
		session.Tree(domain.Session{ID: "talk"}, []domain.Turn{{Index: 1}}, nil, nil, nil),
	})
	if err != nil || strings.Contains(string(raw), "null") {
		t.Errorf("%s, %v", raw, err)
	}
}

// What changed between two states (000-18).
func TestDiff(t *testing.T) {
	h := talk(t, said("one"), domain.Goal{ID: "a", Text: "x", Status: domain.GoalActive}, domain.Mode{To: "code"})
	from := h.now().Clone()
	h.add(t, domain.Goal{ID: "a", Status: domain.GoalDone}, noon)
	h.add(t, domain.Goal{ID: "b", Text: "y", Status: domain.GoalActive}, noon)
	h.add(t, domain.Mode{To: "debug"}, noon)
	h.add(t, domain.OpReport{OpID: "o", Kind: domain.OpTool, Status: domain.OpOK}, noon)
	d := session.Diff(&from, h.now())
	if len(d.GoalsAdded) != 1 || d.GoalsAdded[0].ID != "b" || len(d.GoalsChanged) != 1 || d.GoalsChanged[0].ID != "a" ||
		d.ModeFrom != "code" || d.ModeTo != "debug" || d.Spent.ToolsRun != 1 || d.Diverged || len(d.Ranges) != 1 {
		t.Errorf("%+v", d)
	}
	point := h.checkpoint()
	h.add(t, said("rolled back"), noon)
	ahead := h.now().Clone()
	h.restore(t, point)
	if d := session.Diff(&ahead, h.now()); !d.Diverged {
		t.Error("a place that was rolled back is not on the line")
	}
	back := h.now().Clone()
	for range 2 {
		if d := session.Diff(&back, h.now()); d.Diverged {
			t.Errorf("what goes on from a restore is on its line: %+v", d)
		}
		h.add(t, said("and on"), noon)
	}
}

// A long reply gets the room that nothing else needs, not the shares of the work.
func TestTellLongReplyLeavesTheWork(t *testing.T) {
	s := session.Story{LastUser: &session.Said{Seq: 1, Text: "go"}, Reply: &session.Said{Seq: 9, Text: strings.Repeat("word ", 600)},
		Todos: []domain.Todo{{Text: "write the docs of the thing"}}, Calls: []session.Call{{Tool: "Bash", Subject: "make"}}, Files: []string{"docs/thing.md"},
		Users: []session.Said{{Seq: 7, Text: "and docs"}}, UserCount: 3, Goals: []domain.Goal{{Text: "ship it", Status: domain.GoalActive}}}
	bare := session.Story{LastUser: s.LastUser, Reply: s.Reply, Todos: s.Todos}
	for budget := 1500; budget < 4000; budget += 50 {
		text := session.Tell(s, budget)
		for _, want := range []string{"- write the docs", "- Bash: make", "docs/thing.md", "and docs", "ship it"} {
			if !strings.Contains(text, want) {
				t.Fatalf("%q is missing of %d characters:\n%s", want, budget, text)
			}
		}
		if text = session.Tell(bare, budget); !strings.Contains(text, "- write the docs") {
			t.Fatalf("the list is missing of %d characters:\n%s", budget, text)
		}
	}
}
