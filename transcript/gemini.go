package transcript

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"time"

	"wake/domain"
)

// ClientGemini is the client name in sessions of Gemini CLI.
const ClientGemini = "gemini"

type geminiSession struct {
	SessionID   string            `json:"sessionId"`
	ProjectHash string            `json:"projectHash"`
	StartTime   stamp             `json:"startTime"`
	Kind        string            `json:"kind"` // main or subagent
	Summary     string            `json:"summary"`
	Messages    []json.RawMessage `json:"messages"`

	brought map[string]bool // ids of the messages that came with a conversation saved elsewhere
}

type geminiMessage struct {
	ID        string           `json:"id"`
	Timestamp stamp            `json:"timestamp"`
	Type      string           `json:"type"` // user, gemini, info, warning, error
	Content   geminiContent    `json:"content"`
	Parts     geminiContent    `json:"parts"`          // the content, as in the model's API
	Display   geminiContent    `json:"displayContent"` // what was typed, if the content was made from it
	Thoughts  []geminiThought  `json:"thoughts"`
	Tokens    *geminiTokens    `json:"tokens"`
	Model     string           `json:"model"`
	ToolCalls []geminiToolCall `json:"toolCalls"`
}

type geminiThought struct {
	Subject     string `json:"subject"`
	Description string `json:"description"`
}

// geminiTokens counts cached tokens as part of the input, and thoughts separately from
// the output.
type geminiTokens struct {
	Input    int64 `json:"input"`
	Output   int64 `json:"output"`
	Cached   int64 `json:"cached"`
	Thoughts int64 `json:"thoughts"`
	Tool     int64 `json:"tool"`
}

type geminiToolCall struct {
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Args      json.RawMessage `json:"args"`
	Result    geminiContent   `json:"result"`
	Display   json.RawMessage `json:"resultDisplay"` // what the person saw of it: a text, a diff …
	Status    string          `json:"status"`
	Timestamp stamp           `json:"timestamp"`
}

// readGemini reads sessions of Gemini CLI: one document or, in newer versions, a row for
// the session and one for each message. It reads both shapes regardless of the file's name,
// because archives rename files.
func readGemini(name string, doc []byte, out *sink) error {
	if turns := geminiTurns(doc); turns != nil {
		readGeminiCheckpoint(name, turns, out)
		return nil
	}
	if bytes.HasPrefix(bytes.TrimSpace(doc), []byte("[")) {
		return readGeminiLog(doc, out)
	}
	var s geminiSession
	damage, err := decodeSaved(doc, messageDepth, &s)
	switch {
	case s.Messages == nil && isRows(doc):
		return readGeminiRows(name, doc, out)
	case err != nil:
		return err
	case damage != "":
		out.skip(damage)
	}
	if s.SessionID == "" && s.Messages == nil {
		return errors.New("it is not a session of Gemini: it has neither sessionId nor messages")
	}
	s.read(name, out)
	return nil
}

// geminiReader is one pass over a session.
type geminiReader struct {
	session string
	about   *domain.Session
	prompts prompts
	asked   domain.MessageKind // kind of the user's messages: in a sub-agent's session, a model writes them
	epochs  int                // how often the history was compressed
	model   string
	open    map[string][]string // ids of unanswered calls by tool name, where calls are parts of messages
	brought map[string]bool
	row     rowRef // of the current message
	out     *sink
}

// id returns the session's id, or the one in the name of its file.
func (s geminiSession) id(name string) string {
	return cmp.Or(s.SessionID, sessionName(name, ".json", ".jsonl"))
}

// began returns the time of the first message if the session does not say when it began.
func (s geminiSession) began() time.Time {
	var first geminiMessage
	if s.StartTime.IsZero() && len(s.Messages) > 0 {
		_ = decodeLoose(s.Messages[0], &first)
	}
	return s.StartTime.or(first.Timestamp.Time)
}

func (s geminiSession) read(name string, out *sink) {
	id := s.id(name)
	h := &domain.Session{Client: ClientGemini, ClientSessionID: id, Provider: "google", Title: s.Summary,
		StartedAt: s.began(), Attributes: map[string]string{}}
	setAttributes(h.Attributes, "project_hash", s.ProjectHash, "kind", s.Kind)
	r := geminiReader{session: id, about: h, prompts: prompts{}, brought: s.brought, out: out}
	if s.Kind == "subagent" {
		h.ParentID, r.asked = parentFolder(name), domain.MetaMessage
	}
	out.session(h)
	out.last = s.StartTime.Time
	decodeEach(s.Messages, out, r.decode)
}

// parentFolder returns the id of the session that started the sub-agent of the file:
// its files are in a folder of that name among the chats.
func parentFolder(name string) string {
	if folderAbove(name, 2) == "chats" {
		return folderAbove(name, 1)
	}
	return ""
}

func (r *geminiReader) decode(raw []byte, _ *sink) error {
	var m geminiMessage
	if err := decodeLoose(raw, &m); err != nil {
		return err
	}
	r.message(m)
	return nil
}

func (r *geminiReader) message(m geminiMessage) {
	r.out.last = m.Timestamp.or(r.out.last)
	m.Timestamp.Time = r.out.last
	r.row = rowRef{id: m.ID}
	if m.ID == "" { // no other file need have it there
		m.ID = "message-" + strconv.Itoa(r.out.line)
	}
	if len(m.Content) == 0 {
		m.Content = m.Parts
	}
	if r.brought[m.ID] {
		r.copy(m)
		return
	}
	r.say(m)
}

// say reads a message by who said it. What the client told first may share a message with the
// first prompt, and a shell line with the next one.
func (r *geminiReader) say(m geminiMessage) {
	switch m.Type {
	case "user":
		for len(m.Content) > 1 && geminiKind(m.Content[0].Text) != domain.PlainMessage && m.Content[1:].words() != "" {
			first := m
			first.Content, m.Content = m.Content[:1], m.Content[1:]
			r.user(&first)
		}
		r.user(&m)
	case "gemini", "assistant", "model":
		r.answer(&m)
	default:
		if text := m.Content.message(domain.RoleSystem).Content; text != "" { // the words of some are only on the screen
			r.event(&m, domain.RowKey(ClientGemini, m.ID), domain.Note{Kind: cmp.Or(m.Type, "note"), Text: text})
		}
	}
}

// event adds an event of a message.
func (r *geminiReader) event(m *geminiMessage, key domain.Key, p domain.Payload) {
	r.out.event(r.session, m.Timestamp.Time, key, r.row, p)
}

// user reads what was sent as the user: a person's words, or what the client told the
// model.
func (r *geminiReader) user(m *geminiMessage) {
	msg := m.Content.message(domain.RoleUser)
	if !says(msg) {
		return
	}
	if msg.Kind = r.asked; msg.Human() {
		msg.Kind = m.Content.kind(msg.Content)
	}
	var named string
	if msg.Human() {
		msg.Content, named = cutNamed(geminiWords(msg.Content))
	}
	if msg.Kind == domain.MetaMessage && r.about.Attributes["cwd"] == "" {
		setAttributes(r.about.Attributes, "cwd", geminiFolder(msg.Content))
	}
	if msg.Kind == domain.SummaryMessage { // a new epoch begins with it
		r.epochs++
		r.event(m, CompactionKey(r.epochs), domain.Compaction{})
	}
	if typed := m.Display.words(); msg.Human() && isCommand(typed) && typed != m.Content.words() {
		r.event(m, domain.RowKey(ClientGemini, m.ID), domain.Message{Role: domain.RoleUser, Kind: domain.CommandMessage, Content: typed})
		msg.Kind = domain.MetaMessage // what the command tells the model
	}
	r.event(m, r.prompts.key(m.Content.typed(), m.ID), msg)
	if named != "" {
		r.event(m, namedKey(m.ID, named), domain.Message{Role: domain.RoleUser, Kind: domain.MetaMessage, Content: named})
	}
}

func (r *geminiReader) answer(m *geminiMessage) {
	if m.Model != "" && m.Model != r.model {
		r.model = m.Model
		r.event(m, domain.RowKey("model", m.ID), domain.About{Model: m.Model})
	}
	for i, t := range m.Thoughts {
		text := strings.TrimSpace(t.Subject + "\n" + t.Description)
		r.event(m, domain.AssistantKey(m.ID, i+1), domain.Reasoning{Content: text, Complete: true})
	}
	msg := m.Content.message(domain.RoleAssistant)
	if msg.Content == geminiThanks && m.Tokens == nil {
		r.event(m, domain.AssistantKey(m.ID, 0), domain.Note{Kind: "acknowledgement", Text: msg.Content})
		return
	}
	msg.MessageID, msg.Model = m.ID, m.Model
	if says(msg) {
		r.event(m, domain.AssistantKey(m.ID, 0), msg)
	}
	for i, call := range m.ToolCalls {
		r.tool(m, i, call)
	}
	if t := m.Tokens; t != nil {
		r.tokens(m, *t)
	}
}

// hiddenMark begins the placeholder for a tool's long answer that the client later
// hides from the model.
const hiddenMark = "<tool_output_masked>"

func (r *geminiReader) tool(m *geminiMessage, i int, call geminiToolCall) {
	id := cmp.Or(call.ID, m.ID+"-"+strconv.Itoa(i))
	name := cmp.Or(call.Name, "unknown")
	r.event(m, domain.ToolCallKey(id), domain.Message{Role: domain.RoleAssistant, MessageID: m.ID,
		Block: i + 1, Model: m.Model, ToolCalls: []domain.ToolCall{{ID: id, Name: name, Arguments: orObject(call.Args)}}})
	answer := call.Result.to(call.ID).answer(id, name)
	if display := ""; strings.HasPrefix(answer.Content, hiddenMark) && json.Unmarshal(call.Display, &display) == nil && display != "" {
		answer.Content = display
	}
	if call.Status == "error" || call.Status == "cancelled" {
		answer.Error = cmp.Or(answer.Error, call.Status)
	}
	if len(call.Result) == 0 && answer.Error == "" && call.Status != "success" {
		return // still running
	}
	r.out.event(r.session, call.Timestamp.or(m.Timestamp.Time), domain.ToolResultKey(id), r.row, answer)
}

func (r *geminiReader) tokens(m *geminiMessage, t geminiTokens) {
	usage := domain.TokenUsage{Input: max(t.Input-t.Cached, 0) + max(t.Tool, 0), CacheRead: max(t.Cached, 0), Output: max(t.Output, 0) + max(t.Thoughts, 0)}
	key, call := modelCall(m.ID, "google", m.Model, usage)
	r.event(m, key, call)
	r.event(m, domain.RowKey("window", m.ID+":"+strconv.FormatInt(usage.Total(), 10)), domain.Window{Tokens: usage.Total()})
}
