package transcript

import (
	"bytes"
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"time"

	"wake/domain"
)

// geminiLogged is an entry of logs.json, which records what a person typed in all sessions
// of a project.
type geminiLogged struct {
	SessionID geminiLogID `json:"sessionId"`
	Type      string      `json:"type"`
	Message   string      `json:"message"`
	Timestamp stamp       `json:"timestamp"`
}

// geminiLogID is the id of a session. The first versions wrote the second of its start, a number.
type geminiLogID string

// UnmarshalJSON accepts both shapes and ignores others.
func (id *geminiLogID) UnmarshalJSON(data []byte) error {
	var number json.Number
	if json.Unmarshal(data, (*string)(id)) != nil && json.Unmarshal(data, &number) == nil {
		*id = geminiLogID(number)
	}
	return nil
}

// readGeminiLog reads logs.json. Older versions kept nothing else.
func readGeminiLog(doc []byte, out *sink) error {
	var rows []geminiLogged
	if err := decodeLoose(doc, &rows); err != nil {
		return err
	}
	said := map[geminiLogID]prompts{}
	for i, row := range rows {
		out.begin(i + 1)
		if row.SessionID == "" || row.Type != "user" || row.Message == "" {
			continue
		}
		if said[row.SessionID] == nil {
			said[row.SessionID] = prompts{}
			out.session(&domain.Session{Client: ClientGemini, ClientSessionID: string(row.SessionID), Provider: "google", StartedAt: row.Timestamp.Time})
		}
		m := domain.Message{Role: domain.RoleUser, Content: row.Message}
		key := said[row.SessionID].key(m.Content, "")
		if isCommand(m.Content) {
			m.Kind, key = domain.CommandMessage, domain.RowKey("gemini log", row.Timestamp.String()+":"+shortHash(m.Content))
		}
		out.event(string(row.SessionID), row.Timestamp.Time, key, rowRef{}, m)
	}
	if len(said) == 0 {
		return errors.New("it is not a log of Gemini: no row has a sessionId and a message")
	}
	return nil
}

// LogPath returns the file in which the client logs what a person typed. Hooks get the
// prompt that a custom command stands for; [Hook.Command] finds the command itself there.
// It returns "" for a client without such a file.
func (h Hook) LogPath() string {
	chats := filepath.Dir(h.TranscriptPath)
	if h.Client != ClientGemini || h.Moment != HookPrompt || filepath.Base(chats) != "chats" || h.PromptKind() != domain.PlainMessage {
		return ""
	}
	return filepath.Join(filepath.Dir(chats), "logs.json")
}

// commandTime is the longest that a client takes to make a prompt of a command: it may ask
// before it runs what the command names.
const commandTime = time.Minute

// Command returns the command that a person typed for the hook's prompt, or "" if they
// typed the prompt itself. log is the end of the file at [Hook.LogPath], and at is when the
// client reported the prompt.
func (h Hook) Command(log []byte, at time.Time) string {
	var newest geminiLogged
	entries := bytes.Split(log, []byte("\n  {\n"))
	for i := len(entries) - 1; i >= 0; i-- {
		entry, _, _ := bytes.Cut(entries[i], []byte("\n  }"))
		var typed geminiLogged
		if json.Unmarshal([]byte("{"+string(entry)+"}"), &typed) != nil || typed.Timestamp.After(at) {
			continue
		}
		switch {
		case string(typed.SessionID) == h.SessionID:
			return h.madeOf(typed, at)
		case newest.SessionID == "":
			newest = typed
		case newest.SessionID == typed.SessionID && typed.clears(): // the log goes on under the name of the session before
			return h.madeOf(newest, at)
		}
	}
	return ""
}

// madeOf returns what was typed if it is a command of which the client made the hook's prompt,
// or "".
func (h Hook) madeOf(typed geminiLogged, at time.Time) string {
	said := strings.TrimSpace(typed.Message)
	if typed.clears() || !isCommand(said) || at.Sub(typed.Timestamp.Time) >= commandTime || said == strings.TrimSpace(h.Prompt) {
		return ""
	}
	return said
}

// clears reports whether another session begins with it.
func (l geminiLogged) clears() bool { return strings.TrimSpace(l.Message) == "/clear" }
