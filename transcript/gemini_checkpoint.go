package transcript

import (
	"cmp"
	"encoding/json"
	"errors"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"wake/domain"
)

// GeminiProject returns the folder of the project for which Gemini CLI keeps a file, and whether
// the file is one of the project's chats, not its log or a checkpoint; "" for any other file.
func GeminiProject(name string) (folder string, chat bool) {
	name = strings.ReplaceAll(name, `\`, "/")
	dir, base := path.Split(name)
	if dir = path.Clean(dir); path.Base(dir) == "checkpoints" {
		return path.Dir(dir), false
	}
	if base == "logs.json" || strings.HasPrefix(base, "checkpoint") {
		return dir, false
	}
	if at := strings.LastIndex(name, "/chats/"); at >= 0 {
		return path.Clean(name[:at+1]), true
	}
	return "", false
}

// geminiTurn is a turn of a checkpoint, in the form sent to the model.
type geminiTurn struct {
	Role  string           `json:"role"` // user or model
	Parts []geminiTurnPart `json:"parts"`
}

type geminiTurnPart struct {
	geminiPart
	FunctionCall *struct {
		ID   string          `json:"id"`
		Name string          `json:"name"`
		Args json.RawMessage `json:"args"`
	} `json:"functionCall"`
}

// geminiTurns returns the turns of a checkpoint: a list, as /chat save first wrote it,
// or a field of an object. It returns nil for any other document.
func geminiTurns(doc []byte) []json.RawMessage {
	var turns []json.RawMessage
	if json.Unmarshal(doc, &turns) != nil {
		var whole struct {
			History []json.RawMessage `json:"history"`
			Client  []json.RawMessage `json:"clientHistory"` // in checkpoints made before files are changed
		}
		_ = decodeLoose(doc, &whole)
		if turns = whole.Client; turns == nil {
			turns = whole.History
		}
	}
	if !slices.ContainsFunc(turns, isGeminiTurn) {
		return nil
	}
	return turns
}

func isGeminiTurn(raw json.RawMessage) bool {
	var turn geminiTurn
	return decodeLoose(raw, &turn) == nil && turn.Role != "" && turn.Parts != nil
}

// readGeminiCheckpoint reads a conversation that was saved separately. It has no times and
// no ids, and its only session name is its own name in the project's folder.
func readGeminiCheckpoint(name string, turns []json.RawMessage, out *sink) {
	id := baseName(name, ".json")
	if folder := folderAbove(name, 1); folder != "" {
		id = folder + "/" + id
	}
	out.session(&domain.Session{Client: ClientGemini, ClientSessionID: id, Provider: "google"})
	r := geminiTurnReader{geminiReader: geminiReader{session: id, prompts: prompts{}, out: out}, open: map[string][]string{}}
	decodeEach(turns, out, r.decode)
}

// geminiTurnReader is one pass over a checkpoint.
type geminiTurnReader struct {
	geminiReader
	open map[string][]string // ids of unanswered calls by tool name
}

// event adds an event. No turn has a time or an id.
func (r *geminiTurnReader) event(key domain.Key, p domain.Payload) {
	r.out.event(r.session, time.Time{}, key, rowRef{}, p)
}

func (r *geminiTurnReader) decode(raw []byte, out *sink) error {
	var turn geminiTurn
	if err := decodeLoose(raw, &turn); err != nil || turn.Role == "" {
		return errors.New("it is not a turn of a conversation: it has no role")
	}
	r.turn(turn, strconv.Itoa(out.line)+"-"+shortHash(string(raw)))
	return nil
}

func (r *geminiTurnReader) turn(t geminiTurn, id string) {
	var said geminiContent
	for i, p := range t.Parts {
		callID := id + ":" + strconv.Itoa(i)
		switch {
		case p.FunctionCall != nil:
			r.call(callID, p, id)
		case p.FunctionResponse != nil:
			r.answered(callID, p)
		case p.Thought && p.Text != "":
			r.event(domain.AssistantKey(id, i+1), domain.Reasoning{Content: p.Text, Complete: true})
		case !p.Thought:
			said = append(said, p.geminiPart)
		}
	}
	role := domain.RoleAssistant
	if t.Role == "user" {
		role = domain.RoleUser
	}
	m := said.message(role)
	if !says(m) {
		return
	}
	key := domain.AssistantKey(id, 0)
	if m.Role == domain.RoleUser {
		m.Kind = said.kind(m.Content)
	}
	var named string
	if m.Human() {
		key = r.prompts.key(said.typed(), "")
		m.Content, named = cutNamed(geminiWords(m.Content))
	}
	r.event(key, m)
	if named != "" {
		r.event(namedKey("", named), domain.Message{Role: domain.RoleUser, Kind: domain.MetaMessage, Content: named})
	}
}

func (r *geminiTurnReader) call(callID string, p geminiTurnPart, turn string) {
	c := p.FunctionCall
	callID, name := cmp.Or(c.ID, callID), cmp.Or(c.Name, "unknown")
	r.open[name] = append(r.open[name], callID)
	r.event(domain.ToolCallKey(callID), domain.Message{Role: domain.RoleAssistant, MessageID: turn,
		ToolCalls: []domain.ToolCall{{ID: callID, Name: name, Arguments: orObject(c.Args)}}})
}

// answered emits a tool's answer. One without an id belongs to the first unanswered
// call of that tool.
func (r *geminiTurnReader) answered(id string, p geminiTurnPart) {
	name := cmp.Or(p.FunctionResponse.Name, "unknown")
	if waiting := r.open[name]; len(waiting) > 0 {
		id, r.open[name] = waiting[0], waiting[1:]
	}
	id = cmp.Or(p.FunctionResponse.ID, id)
	r.event(domain.ToolResultKey(id), geminiContent{p.geminiPart}.answer(id, name))
}
