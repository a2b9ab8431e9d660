package session

import (
	"encoding/json"
	"reflect"
	"slices"
	"time"

	"wake/domain"
)

// WorkingVersion is the schema version that [Serialize] writes, and the only one that
// [Deserialize] accepts (I12, 004-17).
const WorkingVersion = 1

// Cached is a serialised working context, with what is needed to decide whether it may
// be used. Its outer form is the seed's (004-14), except for the time of the last
// compaction, which is in the log. seq, prompt_hash, seqs and checksum are additions.
type Cached struct {
	SchemaVersion int             `json:"schema_version"`
	AgentID       string          `json:"agent_id"`
	Epoch         int64           `json:"epoch_id"`
	SessionID     string          `json:"session_id,omitempty"`
	Seq           int64           `json:"seq,omitempty"` // last event that it covers
	PromptHash    string          `json:"prompt_hash,omitempty"`
	Earlier       int64           `json:"earlier,omitempty"` // number of older messages of the epoch
	Messages      []CachedMessage `json:"messages"`
	Checksum      string          `json:"checksum,omitempty"`
}

// CachedMessage is a message in the seed's form (004-14), with its place and what that
// form has no field for, so that it decodes to the same message as in the log.
type CachedMessage struct {
	Seq       int64           `json:"seq,omitempty"`
	At        time.Time       `json:"at,omitzero"`
	Role      string          `json:"role"`
	Content   string          `json:"content"`
	Reasoning string          `json:"reasoning_content,omitempty"`
	ImageURLs []string        `json:"image_urls,omitempty"`
	AudioURLs []string        `json:"audio_urls,omitempty"`
	VideoURLs []string        `json:"video_urls,omitempty"`
	Tool      json.RawMessage `json:"tool_payload,omitempty"`
	Kind      string          `json:"kind,omitempty"`
	MessageID string          `json:"message_id,omitempty"`
	Block     int             `json:"block,omitempty"`
	Model     string          `json:"model,omitempty"`
	AgentID   string          `json:"agent_id,omitempty"`
	Media     []domain.Media  `json:"media,omitempty"` // if lists of URLs do not suffice
}

type toolPayload struct {
	ToolCalls  []domain.ToolCall `json:"tool_calls,omitempty"`
	ToolCallID string            `json:"tool_call_id,omitempty"`
	ToolName   string            `json:"tool_name,omitempty"`
	Result     json.RawMessage   `json:"tool_result,omitempty"` // a string, or any other value
	Error      *string           `json:"tool_error,omitempty"`
}

// Serialize encodes a working context with its checksum.
func Serialize(c Cached) ([]byte, error) {
	c.SchemaVersion, c.Checksum = WorkingVersion, ""
	if c.Messages == nil {
		c.Messages = []CachedMessage{}
	}
	data, err := json.Marshal(c)
	if err != nil {
		return nil, err
	}
	c.Checksum = domain.HashBytes(data)
	return json.Marshal(c)
}

// Deserialize decodes the output of [Serialize]. If there is anything wrong with it,
// it returns an Invalid error, and the caller rebuilds the context.
func Deserialize(data []byte) (Cached, error) {
	if err := Validate(data); err != nil {
		return Cached{}, err
	}
	var c Cached
	if err := json.Unmarshal(data, &c); err != nil {
		return Cached{}, domain.Invalid("the cached working context cannot be read: %v", err)
	}
	sum := c.Checksum
	c.Checksum = ""
	plain, err := json.Marshal(c)
	if err != nil {
		return Cached{}, err
	}
	if sum != domain.HashBytes(plain) {
		return Cached{}, domain.Invalid("the cached working context does not match its checksum")
	}
	c.Checksum = sum
	return c, nil
}

// Validate checks the form by the seed's rules (004-15): schema_version is a number,
// and ours; agent_id is a string; messages is an array of objects, each with a string
// role.
func Validate(data []byte) error {
	var shape struct {
		Version  *float64          `json:"schema_version"`
		AgentID  *string           `json:"agent_id"`
		Messages *[]map[string]any `json:"messages"`
	}
	if err := json.Unmarshal(data, &shape); err != nil {
		return domain.Invalid("the cached working context is not what it should be: %v", err)
	}
	switch {
	case shape.Version == nil || *shape.Version != WorkingVersion:
		return domain.Invalid("the cached working context has another schema version than %d", WorkingVersion)
	case shape.AgentID == nil:
		return domain.Invalid("the cached working context has no agent_id")
	case shape.Messages == nil:
		return domain.Invalid("the cached working context has no messages")
	}
	for i, m := range *shape.Messages {
		if _, ok := m["role"].(string); !ok {
			return domain.Invalid("message %d of the cached working context has no role", i)
		}
	}
	return nil
}

// Fits reports whether a cached context may be used (I12). It may not if it is of
// another session, agent or epoch, goes beyond the end of the log, or was made for
// another system prompt. An unknown prompt ("") fits any.
func (c Cached) Fits(sessionID, agentID string, epoch, lastSeq int64, promptHash string) bool {
	samePrompt := c.PromptHash == "" || promptHash == "" || c.PromptHash == promptHash
	return c.SessionID == sessionID && c.AgentID == agentID && c.Epoch == epoch && c.Seq <= lastSeq && samePrompt
}

// NewestFirst returns the messages as they are in the log.
func (c Cached) NewestFirst() ([]Placed, error) {
	out := make([]Placed, 0, len(c.Messages))
	for _, m := range slices.Backward(c.Messages) {
		p, err := m.placed()
		if err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, nil
}

// CachedMessages converts messages, given newest first, to the seed's form, oldest first.
func CachedMessages(newestFirst []Placed) ([]CachedMessage, error) {
	out := make([]CachedMessage, 0, len(newestFirst))
	for _, p := range slices.Backward(newestFirst) {
		m, err := cachedMessage(p)
		if err != nil {
			return nil, err
		}
		out = append(out, m)
	}
	return out, nil
}

func cachedMessage(m Placed) (CachedMessage, error) {
	out := CachedMessage{Seq: m.Seq, At: m.At, Role: string(m.Role), Content: m.Content, Reasoning: m.Reasoning,
		Kind: string(m.Kind), MessageID: m.MessageID, Block: m.Block, Model: m.Model, AgentID: m.AgentID}
	for _, media := range m.Media {
		switch media.Type {
		case "image":
			out.ImageURLs = append(out.ImageURLs, media.URL)
		case "audio":
			out.AudioURLs = append(out.AudioURLs, media.URL)
		case "video":
			out.VideoURLs = append(out.VideoURLs, media.URL)
		}
	}
	if !reflect.DeepEqual(out.media(), m.Media) {
		out.Media = m.Media
	}
	if len(m.ToolCalls) == 0 && m.ToolCallID == "" && m.ToolName == "" && m.Error == "" {
		return out, nil
	}
	p := toolPayload{ToolCalls: m.ToolCalls, ToolCallID: m.ToolCallID, ToolName: m.ToolName}
	if m.Role == domain.RoleTool {
		text, err := json.Marshal(m.Content)
		if err != nil {
			return out, err
		}
		p.Result, out.Content = text, ""
	}
	if m.Error != "" {
		p.Error = &m.Error
	}
	data, err := json.Marshal(p)
	out.Tool = data
	return out, err
}

// placed converts back to a message.
func (c CachedMessage) placed() (Placed, error) {
	m := Placed{Seq: c.Seq, At: c.At, Message: domain.Message{Role: domain.Role(c.Role), Content: c.Content, Reasoning: c.Reasoning,
		Kind: domain.MessageKind(c.Kind), MessageID: c.MessageID, Block: c.Block, Model: c.Model, AgentID: c.AgentID, Media: c.media()}}
	if len(c.Tool) == 0 {
		return m, nil
	}
	var p toolPayload
	if err := json.Unmarshal(c.Tool, &p); err != nil {
		return m, domain.Invalid("a tool payload of the cached working context cannot be read: %v", err)
	}
	m.ToolCalls, m.ToolCallID, m.ToolName = p.ToolCalls, p.ToolCallID, p.ToolName
	if len(p.Result) > 0 && json.Unmarshal(p.Result, &m.Content) != nil {
		m.Content = string(p.Result)
	}
	if p.Error != nil {
		m.Error = *p.Error
	}
	return m, nil
}

func (c CachedMessage) media() []domain.Media {
	if c.Media != nil {
		return c.Media
	}
	list := appendMedia(nil, "image", c.ImageURLs)
	list = appendMedia(list, "audio", c.AudioURLs)
	return appendMedia(list, "video", c.VideoURLs)
}

func appendMedia(list []domain.Media, kind string, urls []string) []domain.Media {
	for _, u := range urls {
		list = append(list, domain.Media{Type: kind, URL: u})
	}
	return list
}
