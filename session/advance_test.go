package session_test

import (
	"strings"
	"testing"

	"wake/domain"
	"wake/session"
)

// A session is called what the user said first, and a sub-agent's what it was told first.
func TestTitles(t *testing.T) {
	task := func(text string) domain.Message {
		return domain.Message{Role: domain.RoleUser, Content: text, Kind: domain.MetaMessage, AgentID: "a1"}
	}
	hint := domain.Message{Role: domain.RoleUser, Content: "A hint of the client", Kind: domain.MetaMessage}
	for want, messages := range map[string][]domain.Payload{
		"Fix the cart": {hint, said("Fix the cart"), said("And the tests")},
		"Review it":    {replied("Looks good"), task("Review it"), task("Stop")},
		"":             {hint, replied("Hello")},
	} {
		if got := talk(t, messages...).owner.Title; got != want {
			t.Errorf("a session is called %q, want %q", got, want)
		}
	}
}

func TestTitleOf(t *testing.T) {
	for message, want := range map[string]string{
		"Fix the cart,\nthen the tests":                                              "Fix the cart, then the tests",
		"<ide_opened_file>The user opened cart.go</ide_opened_file>\nRound to cents": "Round to cents",
		"<a x=\"1\">…</a> <b>…</b>\nRound to cents":                                  "Round to cents",
		"<ide_opened_file>The user opened cart.go</ide_opened_file>":                 "<ide_opened_file>The user opened cart.go</ide_opened_file>",
		"# Context from my IDE setup:\n\n## Active file: cart.go\n\n## Open tabs:\n- cart.go\n\n## My request for Codex:\nRound to cents\n": "Round to cents",
		"# Files mentioned by the user:\n\n## a.png: /tmp/a.png\n\n## My request:\nRound to cents":                                          "Round to cents",
		"<in-app-browser-context>…</in-app-browser-context>\n## My request:\nRound to cents":                                                "Round to cents",
		"# Context from my IDE setup:\n\n## Active file: cart.go":                                                                           "# Context from my IDE setup: ## Active file: cart.go",
		"# Plan\n## My request:\nis a heading":                                                                                              "# Plan ## My request: is a heading",
		"<div> is never closed, why?":                                                                                                       "<div> is never closed, why?",
		"<- what does this arrow do":                                                                                                        "<- what does this arrow do",
		"<":                                                                                                                                 "<",
		strings.Repeat("long ", 40):                                                                                                         strings.Repeat("long ", 15) + "long…",
	} {
		if got := session.TitleOf(message); got != want {
			t.Errorf("TitleOf(%q) = %q, want %q", message, got, want)
		}
	}
}

// What clients tell of a session reaches its row and its state; what a report leaves out stays.
func TestWhatIsKnownOfASession(t *testing.T) {
	failed := false
	compacted := domain.Compaction{Trigger: "auto", TokensBefore: 900, TokensAfter: 100}
	h := talk(t, said("Fix the cart"), domain.Message{Role: domain.RoleAssistant, Content: "Done", Model: "m1"}, said("And the tests"),
		domain.About{Provider: "p", Status: "running", ContextLimit: 1000, Attributes: map[string]string{"branch": "main"}},
		domain.About{Model: "m2"}, domain.Window{Tokens: 850, Limit: 0}, compacted,
		domain.Mode{To: "code", Task: "tests", Skills: []string{"go"}, Tools: []string{"Edit"}}, domain.Mode{To: "review"},
		domain.Signal{Name: "ok?", Status: domain.SignalWaiting}, domain.Signal{Name: "deploy", Status: domain.SignalWaiting}, domain.Signal{Name: "ok?", Status: domain.SignalReceived},
		domain.End{Success: &failed, Error: "no room"}, domain.End{})
	o, s := h.owner, h.now()
	if o.Turn != 2 || o.Model != "m2" || o.Provider != "p" || o.LatestStatus != "running" || o.Attributes["branch"] != "main" || o.ContextLimit != 1000 ||
		o.LearnedLimit != 900 || o.Tokens != 100 || o.Mode != "review" || o.Success == nil || *o.Success || o.Error != "no room" {
		t.Errorf("the row is %+v", o)
	}
	if s.Model != "m2" || s.Provider != "p" || s.Window != (domain.Window{Tokens: 100, Limit: 1000}) || s.Mode != "review" || s.Task != "tests" || len(s.Skills) != 1 || len(s.Tools) != 1 ||
		len(s.Waiting) != 1 || s.Waiting[0].Name != "deploy" || s.Epoch != 2 || !s.Ended {
		t.Errorf("the state is %+v", s)
	}
	h.add(t, domain.Window{Tokens: 1300}, noon)
	if o, s := h.owner, h.now(); o.LearnedLimit != 0 || o.Status != domain.SessionActive || o.Success != nil || s.Ended {
		t.Errorf("a session that goes on, in a larger window: %+v, %+v", o, s)
	}
}

// Messages with the same hash are the same message: nothing that one says is left out of it.
func TestMessageHash(t *testing.T) {
	call := func(id, name, arguments string) domain.Message {
		return domain.Message{ToolCalls: []domain.ToolCall{{ID: id, Name: name, Arguments: []byte(arguments)}}}
	}
	seen := map[string]int{}
	for i, m := range []domain.Message{{}, {Role: domain.RoleUser}, {Role: domain.RoleTool}, {Content: "a"}, {Content: "ab"}, {Reasoning: "a"}, {ToolCallID: "a"}, {Error: "a"},
		call("a", "n", ""), call("b", "n", ""), call("a", "m", ""), call("a", "n", `"a"`), {Media: []domain.Media{{Type: "image", URL: "a"}}}, {Media: []domain.Media{{Type: "image", Data: []byte("a")}}}} {
		if m.Role == "" {
			m.Role = domain.RoleAssistant
		}
		e, err := domain.NewEvent(noon, "", m)
		if err == nil {
			err = session.Prepare(&e)
		}
		if err != nil {
			t.Fatalf("%+v: %v", m, err)
		}
		if old, ok := seen[e.Hash]; ok {
			t.Errorf("messages %d and %d have the same hash", old, i)
		}
		seen[e.Hash] = i
	}
}
