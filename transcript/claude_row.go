package transcript

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
)

// claudeRow is one line of a Claude Code transcript, of any version: the fields
// that mean something here.
type claudeRow struct {
	Type        string        `json:"type"`
	Subtype     string        `json:"subtype"`
	UUID        string        `json:"uuid"`
	ParentUUID  string        `json:"parentUuid"`
	LogicalUUID string        `json:"logicalParentUuid"` // a boundary's parent
	SessionID   string        `json:"sessionId"`
	AgentID     string        `json:"agentId"`            // in a sub-agent's file
	StreamID    string        `json:"session_id"`         // the session, in what is streamed to programs
	StreamTool  string        `json:"parent_tool_use_id"` // the call that runs a sub-agent, there
	Timestamp   rowTime       `json:"timestamp"`
	CWD         string        `json:"cwd"`
	GitBranch   string        `json:"gitBranch"`
	Version     string        `json:"version"`
	Message     claudeMessage `json:"message"`

	IsSidechain       bool `json:"isSidechain"`
	IsMeta            bool `json:"isMeta"`
	IsCompactSummary  bool `json:"isCompactSummary"`
	IsAPIErrorMessage bool `json:"isApiErrorMessage"`
	TranscriptOnly    bool `json:"isVisibleInTranscriptOnly"` // the model does not see it
	TurnCompanion     bool `json:"turnCompanion"`             // the client's own, beside a prompt
	IsSynthetic       bool `json:"isSynthetic"`               // the same, in what is streamed

	ToolUseResult   *claudeResult   `json:"toolUseResult"`
	CompactMetadata claudeCompact   `json:"compactMetadata"`
	StreamCompact   claudeStreamed  `json:"compact_metadata"` // the same, in what is streamed
	Content         json.RawMessage `json:"content"`          // of system rows and the queue
	Error           json.RawMessage `json:"error"`
	DurationMS      int64           `json:"durationMs"`
	CostUSD         float64         `json:"costUSD"` // of the first clients' assistant rows

	Summary     string           `json:"summary"`
	LeafUUID    string           `json:"leafUuid"`
	CustomTitle string           `json:"customTitle"`
	AITitle     string           `json:"aiTitle"`
	Operation   string           `json:"operation"` // of the prompt queue
	Reason      string           `json:"reason"`    // of a removal from it
	PrURL       string           `json:"prUrl"`
	Attachment  claudeAttachment `json:"attachment"`

	ForkedFrom struct { // of a row that a fork copied
		SessionID string `json:"sessionId"`
	} `json:"forkedFrom"`
	ParentSession string `json:"parentSessionId"` // of a sub-agent that goes on where its parent was

	Abridged int             `json:"v"` // these two stand in Entire's own rows
	Agent    string          `json:"agent"`
	Qwen     json.RawMessage `json:"systemPayload"` // of Qwen Code's system rows

	Origin       claudeOrigin `json:"origin"`
	PromptSource string       `json:"promptSource"` // typed, queued, sdk, system …
	TurnOrigin   string       `json:"turnOrigin"`   // of the turn that the row begins: human, sdk, scheduled, peer …
}

// abridged reports whether the row is one of those that Entire makes of the transcripts of
// several clients, beside a copy of the whole.
func (r *claudeRow) abridged() bool {
	return r.Abridged > 0 && r.Agent != "" && r.SessionID == "" && !r.Message.Content.Set
}

// isQwens reports whether the row is one of Qwen Code, whose frame is Claude Code's and
// whose messages are Gemini's.
func (r *claudeRow) isQwens() bool {
	return len(r.Qwen) > 0 || len(r.Message.Parts) > 0 && !r.Message.Content.Set
}

// byItself reports whether the client put the row there without a person's words.
func (r *claudeRow) byItself() bool {
	told := r.Origin.Kind != "" || r.PromptSource == "typed" || r.PromptSource == "queued"
	return r.Origin.machine() || r.PromptSource == "system" ||
		!told && slices.Contains([]string{"scheduled", "task_notification", "peer", "agent", "auto_continuation"}, r.TurnOrigin)
}

// claudeOrigin says who put a prompt there: human, channel (a person in a chat),
// peer, task-notification, auto-continuation …
type claudeOrigin struct {
	Kind string `json:"kind"`
}

// machine reports whether no person put it there.
func (o claudeOrigin) machine() bool {
	return !slices.Contains([]string{"", "human", "channel", "unclassified"}, o.Kind)
}

type claudeMessage struct {
	ID      string        `json:"id"`
	Role    string        `json:"role"`
	Model   string        `json:"model"`
	Content claudeContent `json:"content"`
	Usage   *claudeUsage  `json:"usage"`

	Parts json.RawMessage `json:"parts"` // in place of the content, see isQwens
}

// claudeUsage is what an API message has taken so far; rows of one message
// repeat it, growing.
type claudeUsage struct {
	Input      int64 `json:"input_tokens"`
	Output     int64 `json:"output_tokens"`
	CacheRead  int64 `json:"cache_read_input_tokens"`
	CacheWrite int64 `json:"cache_creation_input_tokens"`
}

type claudeBlock struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	Thinking  string          `json:"thinking"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Input     json.RawMessage `json:"input"`
	ToolUseID string          `json:"tool_use_id"`
	Content   claudeContent   `json:"content"`
	IsError   bool            `json:"is_error"`
	Source    claudeSource    `json:"source"`
	Title     string          `json:"title"`

	Raw json.RawMessage `json:"-"` // the whole, of a kind that nothing here knows
}

// known reports whether what the block says stands in its fields.
func (b claudeBlock) known() bool {
	return b.Type == "" || strings.HasSuffix(b.Type, "_use") || strings.HasSuffix(b.Type, "_result") && b.ToolUseID != "" ||
		slices.Contains([]string{"text", "thinking", "redacted_thinking", "image", "document"}, b.Type)
}

// claudeSource is a picture or a document inside a message.
type claudeSource struct {
	Type      string `json:"type"` // base64, text, url
	MediaType string `json:"media_type"`
	Data      string `json:"data"`
	URL       string `json:"url"`
}

type claudeCompact struct {
	Trigger    string `json:"trigger"`
	PreTokens  int64  `json:"preTokens"`
	PostTokens int64  `json:"postTokens"`
}

type claudeStreamed struct {
	Trigger    string `json:"trigger"`
	PreTokens  int64  `json:"pre_tokens"`
	PostTokens int64  `json:"post_tokens"`
}

type claudeAttachment struct {
	Type        string          `json:"type"`
	Prompt      json.RawMessage `json:"prompt"`
	CommandMode string          `json:"commandMode"`
	IsMeta      bool            `json:"isMeta"`
	Origin      claudeOrigin    `json:"origin"`
}

// claudeContent is a text, or a list of blocks.
type claudeContent struct {
	Blocks []claudeBlock
	Set    bool
}

// UnmarshalJSON reads both shapes; a text is one block. Strings among the blocks
// are texts.
func (c *claudeContent) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		return nil
	}
	c.Set = true
	switch data[0] {
	case '"':
		var text string
		err := json.Unmarshal(data, &text)
		c.Blocks = []claudeBlock{{Type: "text", Text: text}}
		return err
	case '[':
		if err := json.Unmarshal(data, &c.Blocks); isMismatch(err) || slices.ContainsFunc(c.Blocks, func(b claudeBlock) bool { return !b.known() }) {
			return c.mixed(data)
		}
		return nil
	case '{': // as the fault of a search is told
		c.Set = false
		return c.mixed(slices.Concat([]byte("["), data, []byte("]")))
	}
	c.Set = false
	return nil
}

// mixed reads a list in which not every element is a block, or not of a known kind.
func (c *claudeContent) mixed(data []byte) error {
	var parts []json.RawMessage
	if err := json.Unmarshal(data, &parts); err != nil {
		return err
	}
	c.Blocks = nil
	for _, part := range parts {
		var block claudeBlock
		if part[0] == '"' {
			block.Type = "text"
			_ = json.Unmarshal(part, &block.Text)
		} else if err := json.Unmarshal(part, &block); err != nil && !isMismatch(err) {
			return err
		}
		if !block.known() {
			block.Raw = part
		}
		c.Blocks = append(c.Blocks, block)
	}
	return nil
}

// text joins the texts of the content with newlines.
func (c claudeContent) text() string {
	if len(c.Blocks) == 1 {
		return c.Blocks[0].Text
	}
	var texts []string
	for _, b := range c.Blocks {
		if b.Type == "text" {
			texts = append(texts, b.Text)
		}
	}
	return strings.Join(texts, "\n")
}

// answer is what a tool answered: its texts, and what else there is but pictures and files,
// as it stands there.
func (c claudeContent) answer() string {
	var parts []string
	for _, b := range c.Blocks {
		switch {
		case b.Type == "text", b.Type == "" && b.Text != "":
			parts = append(parts, b.Text)
		case b.Raw != nil:
			parts = append(parts, rawText(withoutCipher(b.Raw)))
		}
	}
	return strings.Join(parts, "\n")
}

// withoutCipher leaves out of a block what nobody but the model's side can read.
func withoutCipher(block json.RawMessage) json.RawMessage {
	var fields map[string]json.RawMessage
	if !bytes.Contains(block, []byte(`"encrypted_`)) || json.Unmarshal(block, &fields) != nil {
		return block
	}
	maps.DeleteFunc(fields, func(name string, _ json.RawMessage) bool { return strings.HasPrefix(name, "encrypted_") })
	block, _ = json.Marshal(fields) // of JSON that was read just now
	return block
}

// claudeResult is what the client knows of a tool's answer beside its text. For
// some tools it is a plain text, which says nothing new.
type claudeResult struct {
	AgentID string
}

// UnmarshalJSON reads the object shape and passes over others.
func (r *claudeResult) UnmarshalJSON(data []byte) error {
	if data[0] != '{' || !bytes.Contains(data, []byte("agentId")) { // mostly it repeats the text
		return nil
	}
	var shape struct {
		AgentID string `json:"agentId"`
	}
	if err := json.Unmarshal(data, &shape); err != nil && !isMismatch(err) {
		return err
	}
	r.AgentID = shape.AgentID
	return nil
}

// isMismatch tells a value of an unexpected type, which leaves the rest of the
// row good, from broken JSON.
func isMismatch(err error) bool {
	var mismatch *json.UnmarshalTypeError
	return errors.As(err, &mismatch)
}
