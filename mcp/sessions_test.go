package mcp_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"wake/domain"
	"wake/mcp"
	"wake/memory"
)

func userSays(text string) args { return args{"type": "message", "role": "user", "content": text} }

func assistantSays(text string) args {
	return args{"type": "message", "role": "assistant", "content": text}
}

// A whole session over the protocol: opened, recorded, marked, restored, resumed by a
// second client, forked, reported.
func TestSessionOverTheProtocol(t *testing.T) {
	c, s, clk := open(t)
	opened, said := c.call("record", args{"client": "my-agent", "client_session_id": "42", "title": "Fix the login", "mode": "debug", "context_limit": 100_000, "events": []args{
		userSays("The login fails with a 401."), assistantSays("I look at the token check."),
		{"type": "goal", "id": "g1", "text": "Login works again", "status": "active"},
		{"type": "usage", "tokens": 20_000},
	}})
	id := opened["session_id"].(string)
	if opened["accepted"] != 4.0 || !strings.Contains(said, id) || !strings.Contains(said, "20000 of 100000 tokens") {
		t.Errorf("record said %q", said)
	}
	marked, said := c.call("checkpoint", args{"label": "before the rewrite"})
	if marked["id"] == nil || !strings.Contains(said, marked["id"].(string)) {
		t.Errorf("checkpoint said %q", said)
	}
	clk.Pass(time.Minute)
	// The connection's session is meant where none is named.
	c.call("record", args{"events": []args{userSays("Now rewrite the token check."), {"type": "finding", "kind": "root cause", "text": "The clock is off by an hour."}}})
	saved, said := c.call("save_context", args{"content": "The server clock was off by an hour; tokens looked expired.", "action_type": "research"})
	if saved["session_id"] != id || saved["seq"] == nil {
		t.Errorf("the context is not the session's: %v %q", saved, said)
	}
	c.call("handoff", args{"action": "create", "to_mode": "code", "task": "Use UTC everywhere", "findings": []any{"tests are missing", args{"kind": "fix", "text": "use UTC"}}})
	_, said = c.call("handoff", args{})
	for _, want := range []string{"From its log:\n<wake-memory id=" + id, "Use UTC everywhere", "off by an hour", "use UTC"} {
		if !strings.Contains(said, want) {
			t.Errorf("%q is not in the hand-off %q", want, said)
		}
	}

	second := connect(t, mcp.New(s, mcp.Options{}))
	resumed, said := second.call("resume", args{"session_id": id})
	if resumed["session_id"] != id || !strings.Contains(said, "Now rewrite the token check.") || !strings.Contains(said, "Login works again") || !strings.Contains(said, memory.QuoteNotice) {
		t.Errorf("resume said %q", said)
	}
	back, said := second.call("checkpoint", args{"action": "rollback", "id": marked["id"]})
	restored := back["restored"].(map[string]any)
	if strings.Contains(asJSON(t, restored["messages"]), "rewrite") || !strings.Contains(said, restored["undo_id"].(string)) {
		t.Errorf("restore said %q", said)
	}
	if strings.Count(said, "Undo: ") != 1 {
		t.Errorf("how it is undone is not told once:\n%s", said)
	}
	forked, said := second.call("checkpoint", args{"action": "fork", "id": restored["undo_id"]})
	if strings.Count(said, "resume {") != 1 {
		t.Errorf("how it goes on is not told once:\n%s", said)
	}
	if _, said := second.call("resume", args{"session_id": forked["fork_session_id"]}); !strings.Contains(said, "rewrite") {
		t.Errorf("the fork resumes with %q", said)
	}
	if !strings.Contains(said, "Next: resume") {
		t.Errorf("fork said %q", said)
	}
	for format, want := range map[string]string{"": "Fix the login", "timeline": "The login fails", "tree": "", "totals": "tokens", "usage": "20000"} {
		if _, said := c.call("session_report", args{"format": format}); !strings.Contains(said, want) {
			t.Errorf("report %q said %q", format, said)
		}
	}
	listed, _ := c.call("checkpoint", args{"action": "list"})
	if len(listed["checkpoints"].([]any)) < 2 {
		t.Errorf("checkpoints: %v", listed)
	}
}

// What is quoted keeps the indentation of its first line: code and tables need it.
func TestQuotedKeepsIndentation(t *testing.T) {
	c, _, _ := open(t)
	saved, _ := c.call("save_context", args{"content": "\n    return nil\n}\n"})
	if _, said := c.call("load_context", args{"ids": saved["id"]}); !strings.Contains(said, ">\n    return nil\n}\n") {
		t.Errorf("loaded: %q", said)
	}
	c.call("record", args{"client": "cli", "client_session_id": "1", "events": []args{userSays("Hello"), assistantSays("Hi")}})
	_, said := c.call("session_report", args{"format": "timeline"})
	first, second := strings.Index(said, "    1 "), strings.Index(said, "    2 ")
	if first < 0 || second < first {
		t.Errorf("reported: %q", said)
	}
	if !regexp.MustCompile(`    2 \d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ `).MatchString(said) {
		t.Errorf("a line does not tell its time, with the year: %q", said)
	}
}

// Of a long timeline the text holds the newest events, and says where the earlier ones are.
func TestLongTimelineEndsWithTheNewest(t *testing.T) {
	c, _, _ := open(t)
	for i := range 70 {
		c.call("record", args{"client": "a", "client_session_id": "1", "events": []args{userSays(fmt.Sprintf("Message %d: %s", i, strings.Repeat("go on ", 20)))}})
	}
	data, said := c.call("session_report", args{"format": "timeline"})
	for where, text := range map[string]string{"text": said, "text of the data": data["text"].(string)} {
		if !strings.Contains(text, "Message 69:") || strings.Contains(text, "Message 5:") {
			t.Errorf("the %s is %s", where, text)
		}
	}
	if !strings.Contains(said, "Earlier events: wake://sessions/"+data["id"].(string)+"/events") {
		t.Error(said)
	}
}

// Who resumes in a session that hooks have just begun is told of the one before, and is not in
// that one from then on: after a compaction it wants its own back.
func TestResumeOfTheOneBeforeDoesNotOpenIt(t *testing.T) {
	c, s, _ := open(t)
	before, _ := c.call("record", args{"client": "a", "client_session_id": "1", "events": []args{userSays("Hello."), userSays("Split the cart.")}})
	own, _ := c.call("record", args{"client": "a", "client_session_id": "2", "events": []args{userSays("Go on.")}})
	mine := connect(t, mcp.New(s, mcp.Options{}))
	resumes := func(want map[string]any) {
		t.Helper()
		if data, said := mine.call("resume", args{}); data["session_id"] != want["session_id"] {
			t.Errorf("resumed %v, want %v: %s", data["session_id"], want["session_id"], said)
		}
	}
	resumes(before)
	c.call("record", args{"client": "a", "client_session_id": "2", "events": []args{userSays("And the tests."), {"type": "compaction", "trigger": "auto"}}})
	resumes(own)
}

// Reading tools use the newest session and say so; writing tools answer with the
// candidates.
func TestNamelessSessions(t *testing.T) {
	c, s, _ := open(t)
	c.call("record", args{"client": "a", "client_session_id": "1", "title": "The one", "events": []args{userSays("Hello.")}})
	stranger := connect(t, mcp.New(s, mcp.Options{}))
	if said := stranger.refused("record", args{"events": []args{userSays("Who am I?")}}); !strings.Contains(said, "never guesses") || !strings.Contains(said, "The one") {
		t.Errorf("record said %q", said)
	}
	if said := stranger.refused("record", args{"client": "cli", "events": []args{userSays("Who am I?")}}); !strings.HasPrefix(said, "Invalid: client_session_id is missing; with client, it names or opens a session") {
		t.Errorf("refused with %q", said)
	}
	if said := stranger.refused("checkpoint", args{"action": "create"}); !strings.Contains(said, "never guesses") {
		t.Errorf("checkpoint said %q", said)
	}
	if _, said := stranger.call("session_report", args{}); strings.Count(said, "no session was named") != 1 {
		t.Errorf("session_report said %q", said)
	}
	if _, said := stranger.call("resume", args{}); !strings.Contains(said, "Note: no session was named") {
		t.Errorf("resume said %q", said)
	}
	// From here on the connection has a session.
	stranger.call("record", args{"events": []args{userSays("Now I know.")}})
}

// Events are decoded as leniently as arguments, and errors list the known fields.
func TestRecordArguments(t *testing.T) {
	c, _, _ := open(t)
	open := func(events any) args {
		return args{"client": "a", "client_session_id": "1", "events": events}
	}
	c.call("record", open(userSays("One event without a list.")))
	c.call("record", open(`[{"type":"message","role":"User","content":"A list in a string."}]`))
	c.call("record", open([]string{`{"type":"message","role":"user","content":"Events in strings."}`}))
	repeated := []args{{"type": "message", "role": "user", "content": "Once.", "key": "k1"}}
	c.call("record", open(repeated))
	again, said := c.call("record", open(repeated))
	if again["accepted"] != 0.0 || again["repeated"] != 1.0 || again["last_seq"] != 4.0 {
		t.Errorf("a repeat said %q", said)
	}
	for _, tt := range []struct {
		events any
		want   string
	}{
		{[]args{{"type": "massage", "content": "x"}}, "message"},
		{[]args{{"type": "message", "role": "user", "flavour": "mint"}}, "flavour"},
		{[]args{{"content": "no type"}}, "type"},
		{[]any{"not an object"}, `{"type":"message","role":"user","content":"…"}`},
		{42, "list of objects"},
	} {
		if said := c.refused("record", open(tt.events)); !strings.HasPrefix(said, "Invalid:") || !strings.Contains(said, tt.want) {
			t.Errorf("%v: %q", tt.events, said)
		}
	}
	for want, a := range map[string]args{
		"context_limit":     {"client": "a", "client_session_id": "2", "context_limit": -1},
		"client_session_id": {"client": "another", "events": []args{userSays("In whose session?")}},
	} {
		if said := c.refused("record", a); !strings.Contains(said, want) {
			t.Errorf("%v: %q", a, said)
		}
	}
	many := make([]args, 1001)
	for i := range many {
		many[i] = userSays(fmt.Sprint(i))
	}
	if said := c.refused("record", open(many)); !strings.Contains(said, "1000") {
		t.Errorf("1,001 events: %q", said)
	}
	stats, _ := c.call("session_report", args{})
	if stats["session"].(map[string]any)["last_seq"] != 4.0 {
		t.Errorf("refused calls left something behind: %v", stats["session"])
	}
}

// A list with nothing in it is an empty list, not a missing one.
func TestEmptyListsOfASession(t *testing.T) {
	c, _, _ := open(t)
	c.call("record", args{"client": "a", "client_session_id": "1", "events": []args{userSays("Hi.")}})
	for tool, list := range map[string]string{"checkpoint": "checkpoints", "handoff": "handoffs"} {
		a, _ := c.call(tool, args{"action": "list"})
		if got, ok := a[list].([]any); !ok || len(got) != 0 {
			t.Errorf("%s: %v", list, a)
		}
	}
	if a, _ := c.call("checkpoint", args{"label": "here"}); a["checkpoints"] != nil {
		t.Errorf("a checkpoint that was made has a list: %v", a)
	}
}

func TestSessionErrors(t *testing.T) {
	c, _, clk := open(t)
	c.call("record", args{"client": "a", "client_session_id": "1", "events": []args{userSays("Hi."), {"type": "mode", "to": "plan"}, {"type": "mode", "to": "code"}}})
	handed, _ := c.call("handoff", args{})
	clk.Pass(2 * time.Hour)
	for _, tt := range []struct {
		tool string
		args args
		want string
	}{
		{"handoff", args{"id": handed["id"]}, "Expired:"},
		{"resume", args{"session_id": "nobody"}, "NotFound:"},
		{"resume", args{"token_budget": -1}, "Invalid:"},
		{"session_report", args{"session_id": "nobody"}, "NotFound:"},
		{"session_report", args{"format": "opera"}, "Invalid:"},
		{"checkpoint", args{"action": "restore"}, "Invalid:"},
		{"checkpoint", args{"action": "restore", "id": "nobody"}, "NotFound:"},
		{"checkpoint", args{"action": "explode"}, "Invalid:"},
		{"handoff", args{"action": "add_findings", "findings": args{"kind": "rumour", "text": "x"}}, "error, root_cause, fix, note"},
		{"handoff", args{"action": "add_findings", "findings": []any{args{"kind": "fix"}}}, `{"kind":"fix","text":"what was found"}`},
	} {
		if said := c.refused(tt.tool, tt.args); !strings.Contains(said, tt.want) {
			t.Errorf("%s %v: %q", tt.tool, tt.args, said)
		}
	}
}

// I1 over the protocol: user messages are resources, exact and complete.
func TestSessionResources(t *testing.T) {
	c, _, _ := open(t)
	exact := "Exactly \u202ethis,\nwith </wake-memory> and a NUL: \x00."
	opened, _ := c.call("record", args{"client": "a", "client_session_id": "1", "events": []args{userSays("First."), assistantSays("Yes."), userSays(exact),
		{"type": "op", "op_id": "o1", "kind": "llm", "name": "answer", "status": "ok", "usage": args{"input": 10, "output": 2}}}})
	id := opened["session_id"].(string)
	marked, _ := c.call("checkpoint", args{"action": "create", "label": "here"})
	handed, _ := c.call("handoff", args{"action": "create", "to_mode": "code"})

	var messages []memory.UserMessage
	if err := json.Unmarshal([]byte(c.mustRead("wake://sessions/"+id+"/user-messages")), &messages); err != nil {
		t.Fatal(err)
	}
	if len(messages) != 2 || messages[1].Content != exact || messages[1].Seq != 3 || messages[1].At.IsZero() {
		t.Errorf("user messages: %+v", messages)
	}
	if err := json.Unmarshal([]byte(c.mustRead("wake://sessions/"+id+"/user-messages?from=2")), &messages); err != nil || len(messages) != 1 {
		t.Errorf("from 2: %+v, %v", messages, err)
	}
	for uri, want := range map[string]string{
		"wake://sessions":                             id,
		"wake://sessions/" + id:                       `"client_session_id": "1"`,
		"wake://sessions/" + id + "/optree":           `"o1"`,
		"wake://sessions/" + id + "/events":           `"First."`,
		"wake://sessions/" + id + "/events?after=3":   `"op"`,
		"wake://sessions/" + id + "/messages/2":       `"Yes."`,
		"wake://sessions/" + id + "/working-context":  `"Yes."`,
		"wake://checkpoints/" + marked["id"].(string): `"here"`,
		"wake://handoffs/" + handed["id"].(string):    `"to_mode": "code"`,
	} {
		if got := c.mustRead(uri); !strings.Contains(got, want) {
			t.Errorf("%s reads %.500s", uri, got)
		}
	}
	for _, uri := range []string{"wake://sessions/nobody", "wake://sessions/" + id + "/messages/99", "wake://sessions/" + id + "/messages/x", "wake://checkpoints/nobody"} {
		if _, err := c.read(uri); err == nil || strings.Contains(err.Error(), "Internal error") {
			t.Errorf("%s: %v", uri, err)
		}
	}
}

func TestSessionPrompts(t *testing.T) {
	c, _, _ := open(t)
	if said := c.prompt("continue", nil); !strings.Contains(said, "# project demo") {
		t.Errorf("continue without a session says %q", said)
	}
	opened, _ := c.call("record", args{"client": "a", "client_session_id": "1", "events": []args{userSays("Paint the fence.")}})
	if said := c.prompt("continue", nil); !strings.Contains(said, "Paint the fence.") {
		t.Errorf("continue says %q", said)
	}
	for i := range 12 {
		c.call("record", args{"session_id": opened["session_id"], "events": []args{{"type": "finding", "kind": "note", "text": fmt.Sprintf("board %d %s", i, strings.Repeat("is loose ", 20))}}})
	}
	if said := c.prompt("continue", nil); strings.Count(said, "board ") != 12 {
		t.Errorf("continue leaves out findings, though it has room: %q", said)
	}
	if said := c.prompt("handoff", map[string]string{"to_mode": "review"}); !strings.Contains(said, opened["session_id"].(string)) || !strings.Contains(said, `"to_mode":"review"`) || strings.Contains(said, "from_mode") {
		t.Errorf("handoff says %q", said)
	}
}

// A session is forgotten like contexts: with a dry run first, and it can be brought
// back.
func TestForgetSession(t *testing.T) {
	c, _, _ := open(t)
	opened, _ := c.call("record", args{"client": "a", "client_session_id": "1", "events": []args{userSays("A secret plan.")}})
	id := opened["session_id"]
	if _, said := c.call("forget_context", args{"session_id": id}); !strings.Contains(said, "would be forgotten") || !strings.Contains(said, `"dry_run":false`) {
		t.Errorf("the dry run said %q", said)
	}
	c.call("forget_context", args{"session_id": id, "dry_run": false})
	c.refused("resume", args{"session_id": id})
	if _, said := c.call("forget_context", args{"session_id": id, "undo": true, "dry_run": true}); !strings.Contains(said, "would come back") || !strings.Contains(said, `"undo":true,"dry_run":false`) {
		t.Errorf("an undo that is only tried: %s", said)
	}
	c.call("forget_context", args{"session_id": id, "undo": true, "dry_run": false})
	c.call("resume", args{"session_id": id})
}

// The whole answer of a resume keeps to its token budget, however long the session is.
func TestResumeBudget(t *testing.T) {
	c, _, _ := open(t)
	var events []args
	for i := range 200 {
		events = append(events, userSays(fmt.Sprintf("Message %d: %s", i, strings.Repeat("word ", 50))), assistantSays(strings.Repeat("answer ", 60)))
	}
	c.call("record", args{"client": "a", "client_session_id": "1", "events": events})
	marked, _ := c.call("checkpoint", args{"label": "full"})
	for _, tt := range []struct {
		tool    string
		args    args
		budgets []int64
	}{
		{"resume", args{}, []int64{400, 2000, 8000}},
		{"checkpoint", args{"action": "restore", "id": marked["id"]}, []int64{1000, 4000, 25_000}},
	} {
		for _, budget := range tt.budgets {
			tt.args["token_budget"] = budget
			data, said := c.call(tt.tool, tt.args)
			if spent := domain.Tokens(asJSON(t, data)) + domain.Tokens(said); spent > budget || spent < budget/3 {
				t.Errorf("%s: the answer takes %d tokens of %d", tt.tool, spent, budget)
			}
		}
	}
}

// So does one with a small budget. If the budget is too small for anything, the answer
// says how much is needed.
func TestResumeSmallBudget(t *testing.T) {
	c, _, _ := open(t)
	events := []args{{"type": "goal", "id": "g", "text": strings.Repeat("goal ", 40)}, {"type": "mode", "to": "debug"}, {"type": "finding", "kind": "note", "text": strings.Repeat("f ", 100)}}
	for i := range 40 {
		events = append(events, userSays(fmt.Sprintf("Message %d: %s", i, strings.Repeat("word ", 50))), args{"type": "step", "id": fmt.Sprint("step", i), "status": "completed"})
	}
	c.call("record", args{"client": "a", "client_session_id": "1", "events": events})
	said := c.refused("resume", args{"token_budget": 1})
	var session string
	var least int64
	if _, err := fmt.Sscanf(said, "Invalid: token_budget is 1; the least that can be told of session %s takes %d", &session, &least); err != nil || least > 200 {
		t.Fatalf("a budget of 1 is answered %q", said)
	}
	c.refused("resume", args{"token_budget": least - 1})
	for budget := least; budget < 1200; budget += 11 {
		data, said := c.call("resume", args{"token_budget": budget})
		if spent := domain.Tokens(asJSON(t, data)) + domain.Tokens(said); spent > budget || !strings.Contains(said+asJSON(t, data), "wake://sessions/"+session) {
			t.Errorf("the answer takes %d tokens of %d: %s", spent, budget, said)
		}
	}
}

// However long a session is, its reports fit a client that gives its model only the
// data, at most 25,000 tokens.
func TestAnswersOfLongSessionsFit(t *testing.T) {
	c, _, _ := open(t)
	var events []args
	for i := range 250 {
		found := fmt.Sprintf("finding %d: %s", i, strings.Repeat("the cookie path was wrong ", 4))
		events = append(events, args{"type": "message", "role": "user", "content": fmt.Sprintf("do step %d", i)},
			args{"type": "op", "op_id": fmt.Sprint(i), "kind": "tool", "name": "grep", "status": "ok", "usage": args{"input": 1}},
			args{"type": "finding", "kind": "note", "text": found})
	}
	opened, _ := c.call("record", args{"client": "c", "client_session_id": "s", "events": events})
	for i := range 21 {
		c.call("record", args{"events": []args{{"type": "mode", "to": fmt.Sprint(i)}}})
		c.call("checkpoint", args{"label": fmt.Sprint(i)})
	}
	for tool, call := range map[string]args{"handoff": {"action": "list"}, "checkpoint": {"action": "list", "limit": 2}} {
		if _, said := c.call(tool, call); !strings.Contains(said, " of more\n") {
			t.Errorf("a list that is cut off calls itself whole: %.300s", said)
		}
	}
	events = nil
	for i := range 250 { // all in one turn
		events = append(events, args{"type": "op", "op_id": fmt.Sprint("more ", i), "kind": "tool", "name": "grep", "status": "ok"})
	}
	c.call("record", args{"events": events})
	data := map[string]map[string]any{}
	for name, call := range map[string]struct {
		tool string
		args args
	}{
		"tree": {"session_report", args{"format": "tree"}}, "totals": {"session_report", args{"format": "totals"}},
		"status": {"session_report", args{}}, "hand-off": {"handoff", args{}}, "hand-offs": {"handoff", args{"action": "list"}},
	} {
		data[name], _ = c.call(call.tool, call.args)
		if raw, _ := json.Marshal(data[name]); len(raw) > 75_000 {
			t.Errorf("%s takes %d bytes", name, len(raw))
		}
	}
	pointer := "wake://sessions/" + opened["session_id"].(string) + "/optree"
	for _, name := range []string{"tree", "totals"} {
		if notes := fmt.Sprint(data[name]["notes"]); !strings.Contains(notes, "newest") || !strings.Contains(notes, pointer) {
			t.Errorf("%s does not say that there is more: %s", name, notes)
		}
	}
	turns := data["tree"]["tree"].(map[string]any)["turns"].([]any)
	if last := turns[len(turns)-1].(map[string]any); last["index"] != 250.0 || len(last["ops"].([]any)) == 0 {
		t.Errorf("the tree does not end with the last turn: %.300v", last)
	}
	if list := data["hand-offs"]["handoffs"].([]any); len(list) != 20 {
		t.Errorf("%d hand-offs", len(list))
	}
	if found := fmt.Sprint(data["hand-off"]["handoff"]); !strings.Contains(found, "finding 249") {
		t.Error("a hand-off does not hold the findings")
	}
}

// So does a hand-off with many findings, also one made by a change of mode. It says
// where the whole is.
func TestHandoffOfManyFindingsFits(t *testing.T) {
	c, _, _ := open(t)
	var events []args
	for i := range 200 {
		found := fmt.Sprintf("finding %d: %s", i, strings.Repeat("the cookie path was wrong ", 20))
		events = append(events, args{"type": "finding", "kind": []string{"note", "error"}[i%2], "text": found})
	}
	events = append(events, args{"type": "mode", "to": "code"})
	recorded, _ := c.call("record", args{"client": "c", "client_session_id": "s", "events": events})
	got, _ := c.call("handoff", args{})
	for name, answer := range map[string]map[string]any{"record": recorded, "handoff": got} {
		raw, _ := json.Marshal(answer)
		if len(raw) > 75_000 {
			t.Errorf("%s takes %d bytes", name, len(raw))
		}
		handed := answer["handoff"].(map[string]any)
		if found := fmt.Sprint(handed["findings"]); !strings.Contains(found, "finding 199") || !strings.Contains(found, "finding 198") {
			t.Errorf("%s does not hold the newest findings", name)
		}
		if notes := fmt.Sprint(answer["notes"]); !strings.Contains(notes, "wake://handoffs/"+handed["id"].(string)) {
			t.Errorf("%s does not say where the whole is: %s", name, notes)
		}
	}
}

// A resume with much to tell uses its budget, for its text as well as for the messages, and
// never more.
func TestResumeUsesItsBudget(t *testing.T) {
	c, _, _ := open(t)
	var said []args
	for i := range 60 {
		said = append(said, userSays(fmt.Sprintf("Question %d about %s", i, strings.Repeat("the many rows of the ledger, ", 5))),
			args{"type": "finding", "kind": "note", "text": fmt.Sprintf("row %d %s", i, strings.Repeat("is loose ", 10))})
	}
	c.call("record", args{"client": "a", "client_session_id": "1", "events": said})
	for _, budget := range []int{300, 1000, 2000, 5000} {
		data, text := c.call("resume", args{"token_budget": budget})
		raw, err := json.Marshal(data)
		if used := int(domain.Tokens(string(raw)) + domain.Tokens(text)); err != nil || used > budget || budget >= 1000 && used < budget*4/5 {
			t.Errorf("%d tokens of %d, %v", used, budget, err)
		}
	}
}
