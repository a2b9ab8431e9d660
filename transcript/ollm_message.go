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
	text := m.Parts.text()
	if m.Content != nil {
		text = *m.Content
	}
	at := m.Timestamp.or(r.last)
	r.last = at
	msg := domain.Message{Role: domain.Role(m.Role), Content: text, ToolCallID: m.ToolCallID, ToolName: m.ToolName, Error: m.ToolError, ToolCalls: m.calls()}
	results := m.Metadata.ToolResults
	if key, said := r.keyed(&msg, m, at); said {
		if msg.Role == domain.RoleTool && m.ToolCallID == "" && len(results) == 1 { // an older wake made the key without it
			msg.ToolCallID, msg.Error, results = results[0].ToolCallID, cmp.Or(msg.Error, results[0].Error), nil
		}
		r.event(at, key, m.ID, msg)
		results = slices.DeleteFunc(results, func(x ollmResult) bool { return x.ToolCallID == msg.ToolCallID }) // wake writes it in both places
	}
	r.results(results, at)
}

// keyed completes a message, makes its key, and reports whether the message says
// anything.
func (r *ollmReader) keyed(msg *domain.Message, m ollmMessage, at time.Time) (key domain.Key, said bool) {
	text := msg.Content
	if text == "" && msg.ToolCalls == nil && msg.ToolCallID == "" {
		return "", false
	}
	key = domain.RowKey(ClientOLLM, cmp.Or(m.ID, m.Role+":"+domain.FormatTime(at)+":"+shortHash(text)))
	switch msg.Role {
	case domain.RoleUser:
		key = r.prompts.key(text, m.ID)
	case domain.RoleAssistant:
		msg.Model = cmp.Or(r.file.Model, r.file.Metadata.Model)
		if m.ID != "" {
			msg.MessageID, key = m.ID, domain.AssistantKey(m.ID, 0)
		}
		if len(msg.ToolCalls) == 1 && text == "" {
			key = domain.ToolCallKey(msg.ToolCalls[0].ID)
		}
	case domain.RoleTool:
		if msg.ToolCallID != "" {
			key = domain.ToolResultKey(msg.ToolCallID)
		}
	case domain.RoleSystem:
	default:
		msg.Role, msg.Kind = domain.RoleSystem, domain.MetaMessage
	}
	if msg.Role == domain.RoleSystem {
		msg.Kind = domain.MetaMessage
	}
	return key, true
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
