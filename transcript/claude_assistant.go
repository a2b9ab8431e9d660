package transcript

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"wake/domain"
)

// openMessages is how many API messages are remembered. Rows of one message are close
// together. A row that repeats much later gets the same keys anyway, because its
// message is counted from its first block again.
const openMessages = 16

// openTools is how many tool calls may be waiting for an answer.
const openTools = 256

// assistant reads a row with one or more blocks of an API message. A message is
// streamed as several rows that share its id.
func (r *claudeReading) assistant() {
	s, row := r.s, r.row
	s.Late, s.Taken, s.Boundary = newest(append(s.Late, s.Taken...)), nil, false
	msgID := cmp.Or(row.Message.ID, row.UUID)
	if msgID == "" {
		msgID = "line-" + strconv.Itoa(r.out.line)
	}
	synthetic := row.IsAPIErrorMessage || row.Message.Model == "<synthetic>"
	if m := row.Message.Model; m != "" && !synthetic && m != s.Model {
		r.event(s.modelKey(m, msgID), domain.About{Model: m})
	}
	msg, known := s.Messages.get(msgID)
	if !known {
		msg = &claudeMsg{}
		s.Messages.put(msgID, msg, openMessages)
	}
	base := domain.Message{Role: domain.RoleAssistant, MessageID: msgID, Model: row.Message.Model, AgentID: row.AgentID}
	if synthetic {
		base.Kind, base.Model = domain.MetaMessage, ""
	}
	for _, b := range row.Message.Content.Blocks {
		r.block(msg, b, base)
	}
	if u := row.Message.Usage; u != nil && !synthetic && r.out.copied == "" {
		r.usage(msg, msgID, *u)
	}
}

// modelKey is the key of a change of model. For the first model it is the model's name,
// because a file that begins later in the session sees that model anew; otherwise it is
// the message.
func (s *claudeSession) modelKey(model, msgID string) domain.Key {
	s.Model = model
	if slices.Contains(s.Models, model) {
		return domain.RowKey("model", msgID)
	}
	s.Models = newest(append(s.Models, model))
	return domain.RowKey("model", model)
}

// block reads one block of an API message. m is the message without the block's contents.
func (r *claudeReading) block(msg *claudeMsg, b claudeBlock, m domain.Message) {
	switch b.Type {
	case "text":
		if b.Text == "" {
			return
		}
		m.Block, m.Content = placeIn(&msg.Blocks, "text", b.Text), b.Text
		key := domain.AssistantKey(m.MessageID, placeIn(&msg.Said, "text", b.Text))
		r.event(key, m)
	case "thinking":
		if b.Thinking == "" {
			return
		}
		placeIn(&msg.Blocks, "thinking", b.Thinking)
		key := domain.AssistantKey(m.MessageID, placeIn(&msg.Said, "thinking", b.Thinking))
		r.event(key, domain.Reasoning{Content: b.Thinking, Complete: true})
	case "tool_use", "server_tool_use", "mcp_tool_use":
		m.Block = placeIn(&msg.Blocks, "tool_use", b.ID+b.Name+string(b.Input))
		r.toolCall(b, m)
	default:
		if b.ToolUseID != "" { // a tool that ran on the provider's side
			r.toolResult(b)
		}
	}
}

// placeIn returns a block's place among those of its message. A repeated block keeps
// its place.
func placeIn(blocks *[]string, kind, content string) int {
	hash := shortHash(kind + ":" + content)
	if i := slices.Index(*blocks, hash); i >= 0 {
		return i
	}
	*blocks = append(*blocks, hash)
	return len(*blocks) - 1
}

// toolCall emits the message that calls a tool.
func (r *claudeReading) toolCall(b claudeBlock, m domain.Message) {
	useID := b.ID
	if useID == "" {
		useID = m.MessageID + "-" + strconv.Itoa(m.Block)
	}
	name := cmp.Or(b.Name, "unknown")
	m.ToolCalls = []domain.ToolCall{{ID: useID, Name: name, Arguments: orObject(b.Input)}}
	r.event(r.s.callKey(useID, m.MessageID), m)
	r.s.Tools.put(useID, name, openTools)
}

// claudeCalled holds short hashes of the messages that made the calls with one id.
type claudeCalled struct {
	First string `json:"first"`
	Later string `json:"later,omitempty"` // the latest one, if it is another
}

// callKey is the key of a call: its id, or its message too if another call had the id
// before. Some models number their calls and start over after a compaction.
func (s *claudeSession) callKey(useID, msgID string) domain.Key {
	if isUnique(useID) {
		return domain.ToolCallKey(useID)
	}
	now := shortHash(msgID)
	was, known := s.Called.get(useID)
	if !known {
		was.First = now
	}
	if was.Later = ""; was.First != now {
		was.Later = now
	}
	s.Called.put(useID, was, openTools)
	if was.Later == "" {
		return domain.ToolCallKey(useID)
	}
	return domain.RowKey("call", useID+":"+now)
}

// answerKey is the key of the answer to the latest call with an id.
func (s *claudeSession) answerKey(useID string) domain.Key {
	if was, _ := s.Called.get(useID); was.Later != "" {
		return domain.RowKey("answer", useID+":"+was.Later)
	}
	return domain.ToolResultKey(useID)
}

// isUnique reports whether an id is random, like Anthropic's, rather than a counter.
func isUnique(useID string) bool {
	return len(useID) > 20 && (strings.HasPrefix(useID, "toolu") || strings.HasPrefix(useID, "srvtoolu") || strings.HasPrefix(useID, "call_"))
}
