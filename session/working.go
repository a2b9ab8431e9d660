package session

import (
	"encoding/json"
	"time"

	"wake/domain"
)

// WorkingContext is the list of messages of one epoch, as a model should see them. It
// is append-only until Reset begins the next epoch (004-07). It is for programs that
// run an agent; wake itself keeps events, and reads the list from them. The zero value
// is before the first epoch; [NewWorkingContext] begins it.
type WorkingContext struct {
	Epoch          int64     // from 1
	LastCompaction time.Time // zero if there was none
	messages       []domain.Message
}

// NewWorkingContext returns an empty working context in its first epoch.
func NewWorkingContext() *WorkingContext { return &WorkingContext{Epoch: 1} }

// AppendMessage adds a message.
func (w *WorkingContext) AppendMessage(m domain.Message) { w.messages = append(w.messages, m) }

// AppendUser adds a message of a person.
func (w *WorkingContext) AppendUser(content string) {
	w.AppendMessage(domain.Message{Role: domain.RoleUser, Content: content})
}

// AppendAssistant adds a message of the model; either part may be empty.
func (w *WorkingContext) AppendAssistant(content, reasoning string) {
	w.AppendMessage(domain.Message{Role: domain.RoleAssistant, Content: content, Reasoning: reasoning})
}

// AppendToolCalls adds tool calls of the model.
func (w *WorkingContext) AppendToolCalls(calls []domain.ToolCall) {
	w.AppendMessage(domain.Message{Role: domain.RoleAssistant, ToolCalls: append([]domain.ToolCall(nil), calls...)})
}

// AppendToolResult adds a tool's answer. A result that is not a string is written as
// JSON.
func (w *WorkingContext) AppendToolResult(callID, name string, result any, toolError string) {
	w.AppendMessage(domain.Message{Role: domain.RoleTool, ToolCallID: callID, ToolName: name,
		Content: resultText(result), Error: toolError})
}

// BuildMessages returns a copy of the messages.
func (w *WorkingContext) BuildMessages() []domain.Message {
	out := make([]domain.Message, len(w.messages))
	for i, m := range w.messages {
		m.ToolCalls = append([]domain.ToolCall(nil), m.ToolCalls...)
		m.Media = append([]domain.Media(nil), m.Media...)
		out[i] = m
	}
	return out
}

// Reset begins the next epoch with messages; at is the time of the compaction.
func (w *WorkingContext) Reset(messages []domain.Message, at time.Time) {
	w.messages = append([]domain.Message(nil), messages...)
	w.Epoch++
	w.LastCompaction = domain.Moment(at)
}

func resultText(result any) string {
	switch r := result.(type) {
	case nil:
		return ""
	case string:
		return r
	case json.RawMessage:
		return string(r)
	}
	data, err := json.Marshal(result)
	if err != nil { // a channel, a function or a cycle
		return "(" + err.Error() + ")"
	}
	return string(data)
}
