package domain_test

import (
	"strings"
	"testing"

	"wake/domain"
)

// What a name, a text or an id may not be is refused with words that say what to do.
func TestChecksSayWhatToDo(t *testing.T) {
	long := strings.Repeat("x", domain.MaxID+1)
	for _, tt := range []struct {
		name string
		err  error
		want string
	}{
		{"id", domain.CheckID("session_id", "01a21403"), ""},
		{"long id", domain.CheckID("session_id", long), "session_id is 501 bytes long; the limit is 500"},
		{"id with NUL", domain.CheckID("session_id", "a\x00"), "session_id holds NUL bytes; leave them out"},
		{"id in Latin-1", domain.CheckID("session_id", "\xe9"), "session_id is not valid UTF-8; give it as UTF-8"},
		{"text", domain.CheckText("content", "a\n", 10), ""},
		{"no text", domain.CheckText("content", " \n", 10), "content is empty; say what is to be kept"},
		{"text with NUL", domain.CheckText("content", "a\x00", 10), "content holds NUL bytes; leave them out"},
		{"text in Latin-1", domain.CheckText("content", "\xe9", 10), "content is not valid UTF-8; give it as UTF-8"},
		{"longest text", domain.CheckText("content", "0123456789", 10), ""},
		{"long text", domain.CheckText("content", "0123456789a", 10), "content is 11 bytes; the limit is 10 bytes: save the essence, or split it"},
		{"longest id", domain.CheckID("session_id", long[1:]), ""},
		{"blank name", domain.CheckName("project", " "), "project is blank; give it a name"},
		{"name in Latin-1", domain.CheckName("project", "\xe9"), "project is not valid UTF-8; give it as UTF-8"},
	} {
		got := ""
		if tt.err != nil {
			got = tt.err.Error()
		}
		if got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}
