package session_test

import (
	"strings"
	"testing"

	"wake/session"
)

func TestTitleOf(t *testing.T) {
	for message, want := range map[string]string{
		"Fix the cart,\nthen the tests":                                              "Fix the cart, then the tests",
		"<ide_opened_file>The user opened cart.go</ide_opened_file>\nRound to cents": "Round to cents",
		"<a x=\"1\">…</a> <b>…</b>\nRound to cents":                                  "Round to cents",
		"<ide_opened_file>The user opened cart.go</ide_opened_file>":                 "<ide_opened_file>The user opened cart.go</ide_opened_file>",
		"<div> is never closed, why?":                                                "<div> is never closed, why?",
		"<- what does this arrow do":                                                 "<- what does this arrow do",
		"<":                                                                          "<",
		strings.Repeat("long ", 40):                                                  strings.Repeat("long ", 15) + "long…",
	} {
		if got := session.TitleOf(message); got != want {
			t.Errorf("TitleOf(%q) = %q, want %q", message, got, want)
		}
	}
}
