package session

import (
	"time"

	"wake/domain"
)

// Placed is a message at its place in the log.
type Placed struct {
	Seq int64
	At  time.Time
	domain.Message
	// Pointer, when set, stands for a text that was left out: where it is.
	Pointer string
}

// Interrupted stands for the answer of a tool that never answered.
const Interrupted = "interrupted: the session stopped before this tool answered"

// CloseCalls gives every tool call an answer (I20). A call that nothing answered
// gets an [Interrupted] one right after its message and the answers that follow
// it; an answer to a call that is not among the messages is left out, because
// model APIs refuse it. The order stays otherwise the same.
func CloseCalls(messages []Placed) []Placed {
	lastAnswer := map[string]int{}
	for i, m := range messages {
		if m.Role == domain.RoleTool {
			lastAnswer[m.ToolCallID] = i
		}
	}
	var out []Placed
	waiting := map[string]bool{}
	for i, m := range messages {
		if m.Role == domain.RoleTool {
			if waiting[m.ToolCallID] {
				delete(waiting, m.ToolCallID)
				out = append(out, m)
			}
			continue
		}
		out = append(out, m)
		for _, call := range m.ToolCalls {
			if at, ok := lastAnswer[call.ID]; ok && at > i {
				waiting[call.ID] = true
			} else {
				out = append(out, interruption(m, call))
			}
		}
	}
	return out
}

func interruption(m Placed, call domain.ToolCall) Placed {
	return Placed{Seq: m.Seq, At: m.At, Message: domain.Message{
		Role: domain.RoleTool, ToolCallID: call.ID, ToolName: call.Name, Error: Interrupted,
	}}
}

// Join joins adjacent blocks of one API message again: text with text, calls
// with calls.
func Join(messages []Placed) []Placed {
	var out []Placed
	for _, m := range messages {
		if n := len(out); n > 0 && sameMessage(out[n-1], m) {
			last := &out[n-1]
			last.Content = joinText(last.Content, m.Content)
			last.Reasoning = joinText(last.Reasoning, m.Reasoning)
			last.ToolCalls = append(append([]domain.ToolCall(nil), last.ToolCalls...), m.ToolCalls...)
			last.Media = append(append([]domain.Media(nil), last.Media...), m.Media...)
			continue
		}
		out = append(out, m)
	}
	return out
}

func sameMessage(a, b Placed) bool {
	return a.Role == domain.RoleAssistant && b.Role == a.Role && a.MessageID != "" && a.MessageID == b.MessageID &&
		a.Pointer == "" && b.Pointer == ""
}

func joinText(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "\n" + b
}
