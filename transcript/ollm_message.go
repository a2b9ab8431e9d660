package transcript

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"time"

	"wake/domain"
)

// ollmMessage is a message in any of the files.
type ollmMessage struct {
	ID        string       `json:"id,omitempty"`
	Role      string       `json:"role"`
	Content   *string      `json:"content,omitempty"`
	Parts     contentParts `json:"parts,omitempty"` // of recorded sessions
	Timestamp stamp        `json:"timestamp"`

	ToolCalls  []ollmCall `json:"toolCalls"`
	ToolCallID string     `json:"toolCallId"`
	ToolName   string     `json:"toolName"`
	ToolError  string     `json:"toolError"`

	Metadata struct { // where context snapshots keep data about tools
		ToolCalls   []ollmCall   `json:"toolCalls"`
		ToolResults []ollmResult `json:"toolResults"`
	} `json:"metadata"`
}

// ollmCall is a tool call within a message.
type ollmCall struct {
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Args      json.RawMessage `json:"args"`
	Arguments json.RawMessage `json:"arguments"` // as early versions of wake wrote them
}

// ollmResult is the answer to such a call.
type ollmResult struct {
	ToolCallID string `json:"toolCallId"`
	Result     string `json:"result"`
	Error      string `json:"error"`
}

// ollmToolCall is a tool call in a recorded session, with its answer.
type ollmToolCall struct {
	ID     string          `json:"id"`
	Name   string          `json:"name"`
	Args   json.RawMessage `json:"args"`
	Result struct {
		LLMContent string `json:"llmContent"`
		Error      string `json:"error"`
	} `json:"result"`
	Timestamp stamp `json:"timestamp"`
}

// mergeOLLM merges the two lists by time, and keeps each list's own order where times
// are missing. A message in both lists counts once, and is taken from the second: OLLM
// fills the first from it, without calls of tools, if it did not tell people's messages
// apart.
func mergeOLLM(users, others []ollmMessage) []ollmMessage {
	listed := map[string]bool{}
	others = distinctOLLM(others, listed)
	users = distinctOLLM(users, listed)
	all := slices.Concat(users, others)
	timed := !slices.ContainsFunc(all, func(m ollmMessage) bool { return m.Timestamp.IsZero() })
	if timed && len(users) > 0 {
		slices.SortStableFunc(all, func(a, b ollmMessage) int { return a.Timestamp.Compare(b.Timestamp.Time) })
	}
	return all
}

// distinctOLLM returns the messages whose ids are not listed yet, and lists them.
func distinctOLLM(messages []ollmMessage, listed map[string]bool) []ollmMessage {
	var all []ollmMessage
	for _, m := range messages {
		if m.ID == "" || !listed[m.ID] {
			all = append(all, m)
		}
		listed[m.ID] = true
	}
	return all
}

func (r *ollmReader) message(m ollmMessage) {
	at := m.Timestamp.or(r.last)
	r.last = at
	msg, results := m.message(cmp.Or(r.file.Model, r.file.Metadata.Model)), m.Metadata.ToolResults
	if msg.Content != "" || msg.ToolCalls != nil || msg.ToolCallID != "" {
		key := r.key(msg, m, at)
		if msg.Role == domain.RoleTool && m.ToolCallID == "" && len(results) == 1 { // an older wake made the key without it
			msg.ToolCallID, msg.Error, results = results[0].ToolCallID, cmp.Or(msg.Error, results[0].Error), nil
		}
		r.event(at, key, m.ID, msg)
		results = slices.DeleteFunc(results, func(x ollmResult) bool { return x.ToolCallID == msg.ToolCallID }) // wake writes it in both places
	}
	r.results(results, at)
}

// message returns the message without answers to its calls; model is that of the session.
func (m ollmMessage) message(model string) domain.Message {
	msg := domain.Message{Role: domain.Role(m.Role), Content: m.Parts.text(), ToolCallID: m.ToolCallID, ToolName: m.ToolName, Error: m.ToolError, ToolCalls: m.calls()}
	if m.Content != nil {
		msg.Content = *m.Content
	}
	switch msg.Role {
	case domain.RoleUser, domain.RoleTool:
	case domain.RoleAssistant:
		msg.Model, msg.MessageID = model, m.ID
	default:
		msg.Role, msg.Kind = domain.RoleSystem, domain.MetaMessage
	}
	return msg
}

// key is the key of the event that is made of m.
func (r *ollmReader) key(msg domain.Message, m ollmMessage, at time.Time) domain.Key {
	switch {
	case msg.Role == domain.RoleUser:
		return r.prompts.key(msg.Content, m.ID)
	case msg.Role == domain.RoleAssistant && len(msg.ToolCalls) == 1 && msg.Content == "":
		return domain.ToolCallKey(msg.ToolCalls[0].ID)
	case msg.Role == domain.RoleAssistant && m.ID != "":
		return domain.AssistantKey(m.ID, 0)
	case msg.Role == domain.RoleTool && msg.ToolCallID != "":
		return domain.ToolResultKey(msg.ToolCallID)
	}
	return domain.RowKey(ClientOLLM, cmp.Or(m.ID, m.Role+":"+domain.FormatTime(at)+":"+shortHash(msg.Content)))
}

// calls returns the tool calls of a message.
func (m ollmMessage) calls() []domain.ToolCall {
	calls := m.ToolCalls
	if calls == nil {
		calls = m.Metadata.ToolCalls
	}
	var all []domain.ToolCall
	for i, c := range calls {
		if c.Args == nil {
			c.Args = c.Arguments
		}
		all = append(all, domain.ToolCall{ID: cmp.Or(c.ID, m.ID+"-"+strconv.Itoa(i)), Name: cmp.Or(c.Name, "unknown"), Arguments: c.Args})
	}
	return all
}

// results emits the answers to a message's calls, if they are beside the calls.
func (r *ollmReader) results(results []ollmResult, at time.Time) {
	for _, result := range results {
		if result.ToolCallID != "" {
			r.event(at, domain.ToolResultKey(result.ToolCallID), "", domain.Message{Role: domain.RoleTool, ToolCallID: result.ToolCallID,
				Content: result.Result, Error: result.Error})
		}
	}
}

// before reports whether the tool was called before the message.
func (c ollmToolCall) before(m ollmMessage) bool {
	return !c.Timestamp.IsZero() && c.Timestamp.Before(m.Timestamp.Time)
}

func (r *ollmReader) toolCall(nth int, c ollmToolCall) {
	id, name := cmp.Or(c.ID, "call-"+strconv.Itoa(nth)), cmp.Or(c.Name, "unknown")
	at := c.Timestamp.or(r.last)
	r.event(at, domain.ToolCallKey(id), id, domain.Message{Role: domain.RoleAssistant, ToolCalls: []domain.ToolCall{{ID: id, Name: name, Arguments: orObject(c.Args)}}})
	r.event(at, domain.ToolResultKey(id), id, domain.Message{Role: domain.RoleTool, ToolCallID: id, ToolName: name,
		Content: c.Result.LLMContent, Error: c.Result.Error})
}
