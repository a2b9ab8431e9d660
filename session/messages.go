package session

import (
	"time"

	"wake/domain"
)

// Placed is a message with its place in the log.
type Placed struct {
	Seq int64
	At  time.Time
	domain.Message
	// Pointer, if set, is where the message's text is, which was left out.
	Pointer string
}

// Interrupted is the error of a tool that never answered.
const Interrupted = "interrupted: the session stopped before this tool answered"

// CloseCalls makes sure that every tool call has an answer (I20). A call without one
// gets an [Interrupted] answer right after its message. An answer without a call is
// dropped, because model APIs refuse it. Otherwise the order stays.
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

// Join joins adjacent blocks of one API message.
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
