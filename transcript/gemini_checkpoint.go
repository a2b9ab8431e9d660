package transcript

import (
	"cmp"
	"encoding/json"
	"errors"
	"path"
	"slices"
	"strconv"
	"strings"

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
	Role  string        `json:"role"` // user or model
	Parts geminiContent `json:"parts"`
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
	r := geminiReader{session: id, prompts: prompts{}, out: out}
	decodeEach(turns, out, r.decodeTurn)
}

func (r *geminiReader) decodeTurn(raw []byte, out *sink) error {
	var turn geminiTurn
	if err := decodeLoose(raw, &turn); err != nil || turn.Role == "" {
		return errors.New("it is not a turn of a conversation: it has no role")
	}
	r.turn(turn, strconv.Itoa(out.line)+"-"+shortHash(string(raw)))
	return nil
}

// turn reads a turn. None has a time or an id of its own.
func (r *geminiReader) turn(t geminiTurn, id string) {
	of := &geminiMessage{ID: id, Content: t.Parts}
	r.calls(of)
	var said geminiContent
	for i, p := range t.Parts {
		switch {
		case p.Thought && p.Text != "":
			r.event(of, domain.AssistantKey(id, i+1), domain.Reasoning{Content: p.Text, Complete: true})
		case !p.Thought && p.FunctionCall == nil && p.FunctionResponse == nil:
			said = append(said, p)
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
	r.event(of, key, m)
	if named != "" {
		r.event(of, namedKey("", named), domain.Message{Role: domain.RoleUser, Kind: domain.MetaMessage, Content: named})
	}
}

// calls reads the calls of tools, and their answers, that are parts of a message.
func (r *geminiReader) calls(m *geminiMessage) {
	for i, p := range m.Content {
		id := m.ID + ":" + strconv.Itoa(i)
		switch {
		case p.FunctionCall != nil:
			r.called(m, id, p)
		case p.FunctionResponse != nil:
			r.answered(m, id, p)
		}
	}
}

func (r *geminiReader) called(m *geminiMessage, id string, p geminiPart) {
	c := p.FunctionCall
	id, name := cmp.Or(c.ID, id), cmp.Or(c.Name, "unknown")
	if r.open == nil {
		r.open = map[string][]string{}
	}
	r.open[name] = append(r.open[name], id)
	r.event(m, domain.ToolCallKey(id), domain.Message{Role: domain.RoleAssistant, MessageID: m.ID,
		ToolCalls: []domain.ToolCall{{ID: id, Name: name, Arguments: orObject(c.Args)}}})
}

// answered emits a tool's answer. One without an id belongs to the first unanswered
// call of that tool.
func (r *geminiReader) answered(m *geminiMessage, id string, p geminiPart) {
	name := cmp.Or(p.FunctionResponse.Name, "unknown")
	if waiting := r.open[name]; len(waiting) > 0 {
		id, r.open[name] = waiting[0], waiting[1:]
	}
	id = cmp.Or(p.FunctionResponse.ID, id)
	r.event(m, domain.ToolResultKey(id), geminiContent{p}.answer(id, name))
}
