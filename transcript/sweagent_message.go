package transcript

import (
	"encoding/json"
	"strings"
)

// sweMessage is a message of a trajectory's history.
type sweMessage struct {
	Role      string        `json:"role"`
	Agent     string        `json:"agent"`
	Content   contentParts  `json:"content"` // a text or a list of parts
	Text      string        `json:"text"`    // the same in collections; the system's words in the next field
	Prompt    string        `json:"system_prompt"`
	Thought   string        `json:"thought"`
	IsDemo    bool          `json:"is_demo"`
	CallIDs   []string      `json:"tool_call_ids"`
	ToolCalls []sweToolCall `json:"tool_calls"`
	Thinking  []claudeBlock `json:"thinking_blocks"` // of newer versions; the thought then repeats the content
}

type sweToolCall struct {
	ID       string `json:"id"`
	Function struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	} `json:"function"`
}

// thought returns what the model thought before it said something, or "".
func (m sweMessage) thought(said string) string {
	if m.Thought != "" && m.Thought != said {
		return m.Thought
	}
	var thoughts []string
	for _, b := range m.Thinking {
		if b.Thinking != "" {
			thoughts = append(thoughts, b.Thinking)
		}
	}
	return strings.Join(thoughts, "\n")
}
