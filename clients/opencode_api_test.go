package clients

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"time"
)

// opencodeAPI is a running opencode serve.
type opencodeAPI struct {
	opencode
	url string
}

// serveAPI starts opencode serve, until the test ends.
func (o opencode) serveAPI() opencodeAPI {
	o.Helper()
	out := o.start(o.line("serve", "--port", "0")...).out
	said := ""
	for ; out.Scan(); said += out.Text() + "\n" {
		if _, url, found := strings.Cut(out.Text(), "listening on "); found {
			return opencodeAPI{o, strings.TrimSpace(url)}
		}
	}
	o.Fatalf("opencode serve said %q", said)
	return opencodeAPI{}
}

// ask sends one request and returns its answer.
func (s opencodeAPI) ask(method, path string, body any) json.RawMessage {
	s.Helper()
	raw, err := json.Marshal(body)
	if err != nil {
		s.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(s.Context(), patience)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, method, s.url+path, bytes.NewReader(raw))
	if err != nil {
		s.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		s.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		s.Fatalf("%s %s: %s %v\n%s", method, path, answer.Status, err, text)
	}
	return text
}

// open begins a session and returns its id.
func (s opencodeAPI) open() string {
	s.Helper()
	var session struct{ ID string }
	if err := json.Unmarshal(s.ask("POST", "/session", struct{}{}), &session); err != nil {
		s.Fatal(err)
	}
	return session.ID
}

// say is a message of the user, and returns when it is answered.
func (s opencodeAPI) say(id, model, text string) {
	s.Helper()
	s.ask("POST", "/session/"+id+"/message", map[string]any{
		"model": map[string]string{"providerID": "ollama", "modelID": model},
		"parts": []map[string]string{{"type": "text", "text": text}},
	})
}

// undo goes back to before a message of the user, as /undo does.
func (s opencodeAPI) undo(id, text string) {
	s.Helper()
	s.ask("POST", "/session/"+id+"/revert", map[string]string{"messageID": s.message(id, text)})
}

// fork begins a session with a copy of what came before a message of the user, and returns its id.
func (s opencodeAPI) fork(id, text string) string {
	s.Helper()
	var session struct{ ID string }
	if err := json.Unmarshal(s.ask("POST", "/session/"+id+"/fork", map[string]string{"messageID": s.message(id, text)}), &session); err != nil {
		s.Fatal(err)
	}
	return session.ID
}

// message is the id of a message of the user.
func (s opencodeAPI) message(id, text string) string {
	s.Helper()
	var messages []struct {
		Info  struct{ ID string }
		Parts []struct{ Text string }
	}
	if err := json.Unmarshal(s.ask("GET", "/session/"+id+"/message", nil), &messages); err != nil {
		s.Fatal(err)
	}
	for _, m := range messages {
		if len(m.Parts) > 0 && m.Parts[0].Text == text {
			return m.Info.ID
		}
	}
	s.Fatalf("nobody said %q", text)
	return ""
}

// compact condenses a session; by itself, opencode goes on after that.
func (s opencodeAPI) compact(id, model string, byItself bool) {
	s.Helper()
	s.ask("POST", "/session/"+id+"/summarize", map[string]any{"providerID": "ollama", "modelID": model, "auto": byItself})
}

// wantLog waits for wake to have the last of a session's events, and compares the beginnings of all.
func (s opencodeAPI) wantLog(session string, events ...string) {
	s.Helper()
	var log []string
	for end := time.Now().Add(10 * time.Second); len(log) < len(events) && time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		log = nil
		for line := range strings.Lines(s.must("wake", "session", "timeline", session, "--db", s.db, "-n", "100").out) {
			log = append(log, strings.Join(strings.Fields(line)[3:], " ")) // behind its number and time
		}
	}
	for i, event := range log {
		if i >= len(events) || !strings.HasPrefix(event, events[i]) {
			s.Errorf("event %d: %q in %q", i+1, event, log)
		}
	}
	if len(log) < len(events) {
		s.Errorf("recorded %q, want %q", log, events)
	}
}
