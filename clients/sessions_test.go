package clients

import (
	"encoding/json"
	"slices"
	"strings"
)

// session is one that wake has recorded.
type session struct {
	ID, Client, Status, Title string
	ParentID                  string   `json:"parent_session_id"` // of a sub-agent's
	said                      []string // by the user
}

// sessions are all that are recorded, oldest first.
func (m machine) sessions() []session {
	m.Helper()
	var found []session
	for line := range strings.Lines(m.must("wake", "session", "list", "--db", m.db, "--json").out) {
		var s session
		if err := json.Unmarshal([]byte(line), &s); err != nil {
			m.Fatalf("%v: %s", err, line)
		}
		s.said = m.userMessages(s.ID)
		found = append(found, s)
	}
	slices.Reverse(found)
	return found
}

// userMessages are what the user said in a session.
func (m machine) userMessages(session string) []string {
	m.Helper()
	raw := newInspector(m, m.wake()...).ask("resources/read", "--uri", "wake://sessions/"+session+"/user-messages")
	var resource struct{ Contents []struct{ Text string } }
	if err := json.Unmarshal(raw, &resource); err != nil || len(resource.Contents) != 1 {
		m.Fatalf("what was said in %s: %v\n%s", session, err, raw)
	}
	var messages []struct{ Content string }
	if err := json.Unmarshal([]byte(resource.Contents[0].Text), &messages); err != nil {
		m.Fatalf("what was said in %s: %v\n%s", session, err, raw)
	}
	var texts []string
	for _, message := range messages {
		texts = append(texts, message.Content)
	}
	return texts
}

// wantSaid checks what was said in all sessions, which must be those of one client, and
// returns them.
func (m machine) wantSaid(client string, texts ...string) []session {
	m.Helper()
	var said []string
	all := m.sessions()
	for _, s := range all {
		if s.Client != client {
			m.Errorf("session %s is of %s", s.ID, s.Client)
		}
		said = append(said, s.said...)
	}
	if !slices.Equal(said, texts) {
		m.Errorf("recorded %q, said %q", said, texts)
	}
	return all
}
