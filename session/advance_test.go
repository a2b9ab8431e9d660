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
